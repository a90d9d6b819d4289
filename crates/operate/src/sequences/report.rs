//! Reports on sequence numbers.

use assurance::{SequenceQuery, SequenceReport, sequence_report};
use people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::period::{NamedPeriodReadError, Period};

/// Reports on the sequence numbers of files and records.
///
/// The report lists expected, received and missing numbers, repeats, late arrivals and restarts of counters. What is
/// missing is what is missing now, not what was missing at the end of the period.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportSequences {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// The period.
    #[serde(flatten)]
    pub period: Period,
}

impl Operation for ReportSequences {
    type Response = SequenceReport;
    type Error = NamedPeriodReadError;

    const NAME: &'static str = "sequence report";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<SequenceReport, NamedPeriodReadError> {
        let ReportSequences { network_element, period } = self;
        let query = SequenceQuery { network_element, period: period.range()? };
        Ok(sequence_report(context.flow, &query)?)
    }
}
