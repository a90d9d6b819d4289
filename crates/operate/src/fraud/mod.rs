//! What rules have found, what people make of it, the lists that rules read, what is stored of a subject, and how well rules find
//! frauds that are known.

mod about;
mod cases;
mod decide;
pub mod export;
mod forget;
mod list;
mod lists;
mod records;
mod report;
mod rule_files;
mod rules;
pub mod score;
mod unmask;

pub use about::{CaseOfSubject, FraudSubject, ReportFraudSubject, ReportFraudSubjectError};
pub use cases::{
    FraudCases, ListFraudCases, ListFraudCasesError, ShowFraudCase, ShowFraudCaseError,
    WholeFraudCase,
};
pub use decide::{
    AssignFraudCases, ChangeFraudCasesError, ChangedFraudCases, DecideFraudCases, RemarkFraudCase,
    ReopenFraudCase,
};
pub(crate) use forget::is_erased;
pub use forget::{ForgetFraudSubject, ForgetFraudSubjectError, ForgottenFraudSubject};
pub use list::{FraudAlerts, ListFraudAlerts, ListFraudAlertsError};
pub use lists::{
    AddToFraudList, ChangeFraudListError, ChangedFraudList, DifferentEntry, FraudList,
    FraudListEntry, FraudListError, FraudListFigures, FraudListFolder, FraudLists, ImportFraudList,
    ImportFraudListError, ImportedFraudList, ListFraudLists, ListedKey, RemoveFromFraudList,
    ShowFraudList, WrittenEntry,
};
pub use records::{
    FraudRecord, FraudRecords, ListFraudRecords, ListFraudRecordsError, RecordsOrder,
};
pub use report::{FraudReport, ReportFraud, ReportFraudError};
pub use rule_files::{
    CheckFraudRuleFile, FraudRuleFiles, ListFraudRuleFiles, PutFraudRuleFile, ShowFraudRuleFile,
};
pub use rules::{
    ApproveFraudRule, ApproveFraudRuleError, ApprovedFraudRule, FraudRules, ReportFraudRules,
};
pub use unmask::{UnmaskFraudCase, UnmaskFraudCaseError};
