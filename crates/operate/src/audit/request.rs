//! The request for an audit.

use people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{AuditQuery, AuditReport, audit};
use crate::context::Context;
use crate::operation::Operation;
use crate::period::{NamedPeriodReadError, Period};

/// Audits the records of a period.
///
/// The report shows whether every record is accounted for (in = delivered + filtered + held + suspended + duplicate)
/// and whether sums agree on both sides. The period chooses files by when they were done.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportAudit {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files of this name.
    pub file: Option<String>,
    /// The period.
    #[serde(flatten)]
    pub period: Period,
    /// Whether each day (of UTC) has lines of its own.
    #[serde(default)]
    pub by_day: bool,
    /// Whether each file has lines of its own.
    #[serde(default)]
    pub by_file: bool,
}

impl Operation for ReportAudit {
    type Response = AuditReport;
    type Error = NamedPeriodReadError;

    const NAME: &'static str = "audit report";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<AuditReport, NamedPeriodReadError> {
        let ReportAudit { network_element, file, period, by_day, by_file } = self;
        let query = AuditQuery { network_element, file, period: period.range()?, by_day, by_file };
        Ok(audit(context.flow, &query)?)
    }
}
