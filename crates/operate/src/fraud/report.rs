//! Reports what was found in a period, and what people made of it.

use flow::flow_journal::JournalError;
use investigation::{ReportBy, ReportRow};
use people::Role;
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::period::{Period, PeriodError};
use crate::refusals;

/// The period of a report by default: 30 days until now.
const PERIOD_MS: i64 = 30 * 86_400_000;

/// Reports what rules have found in a period, and what became of it: records, alerts, cases, decisions and actions, by day, hour, rule,
/// network element or type of fraud.
///
/// All of it is counted when it came to be by the clock of the gateway: alerts when the file of their record was done, cases when they were opened,
/// decisions when they were made, actions when they were done. The period is in whole hours.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportFraud {
    /// What there is a row for. Default `day`.
    pub by: Option<ReportBy>,
    /// The period. By default, the 30 days until now.
    #[serde(flatten)]
    pub period: Period,
    /// Only of this node.
    pub node: Option<String>,
}

/// What was found in a period.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudReport {
    /// What there is a row for.
    pub by: ReportBy,
    /// The beginning of the period.
    pub from: String,
    /// The end of the period.
    pub to: String,
    /// The rows, in the order of what they are about.
    pub rows: Vec<ReportRow>,
    /// All together: each case counts once.
    pub total: ReportRow,
}

refusals! {
    /// Why there is no report.
    pub enum ReportFraudError {
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for ReportFraud {
    type Response = FraudReport;
    type Error = ReportFraudError;

    const NAME: &'static str = "fraud report";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudReport, ReportFraudError> {
        let ReportFraud { by, period, node } = self;
        let (of, by) = (period.range()?, by.unwrap_or_default());
        let end = if period.to.is_some() { of.end } else { now_ms() };
        let start = if period.from.is_some() { of.start } else { end.saturating_sub(PERIOD_MS) };
        let of = start..end;
        let report = context.read(|db| investigation::report(db, by, &of, node.as_deref()))?;
        let (from, to) = (shown(of.start), shown(of.end));
        Ok(FraudReport { by, from, to, rows: report.rows, total: report.total })
    }
}
