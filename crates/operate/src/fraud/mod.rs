//! What rules have found, what people make of it, and how well rules find frauds that are known.

mod cases;
mod decide;
mod list;
mod rule_files;
mod rules;
pub mod score;

pub use cases::{
    FraudCases, ListFraudCases, ListFraudCasesError, ShowFraudCase, ShowFraudCaseError,
    WholeFraudCase,
};
pub use decide::{
    AssignFraudCases, ChangeFraudCasesError, ChangedFraudCases, DecideFraudCases, RemarkFraudCase,
    ReopenFraudCase,
};
pub use list::{FraudAlerts, ListFraudAlerts, ListFraudAlertsError};
pub use rule_files::{
    CheckFraudRuleFile, FraudRuleFiles, ListFraudRuleFiles, PutFraudRuleFile, ShowFraudRuleFile,
};
pub use rules::{
    ApproveFraudRule, ApproveFraudRuleError, ApprovedFraudRule, FraudRules, ReportFraudRules,
};
