//! What rules have found, and what people make of it.

mod cases;
mod decide;
mod list;
mod rules;

pub use cases::{
    FraudCases, ListFraudCases, ListFraudCasesError, ShowFraudCase, ShowFraudCaseError,
    WholeFraudCase,
};
pub use decide::{
    AssignFraudCases, ChangeFraudCasesError, ChangedFraudCases, DecideFraudCases, RemarkFraudCase,
    ReopenFraudCase,
};
pub use list::{FraudAlerts, ListFraudAlerts, ListFraudAlertsError};
pub use rules::{
    ApproveFraudRule, ApproveFraudRuleError, ApprovedFraudRule, FraudRules, ReportFraudRules,
};
