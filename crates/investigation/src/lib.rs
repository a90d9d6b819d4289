//! What rules have found, and what people make of it.
//!
//! An [alert](FoundAlert) is inserted in the transaction of the job whose record it is about. Alerts about a key of a subject come
//! together in a [case](FraudCase) once they have enough points, in the same transaction: so a case is there exactly once, too. People
//! [decide](decide) what a case is, and alerts after that open another one.
#![forbid(unsafe_code)]

mod alerts;
mod cases;
mod hits;
mod hours;
mod report;
mod rules;
mod steps;
mod subject;

pub use alerts::{
    AlertRecord, Finding, FoundAlert, ListedAlerts, found, list as alerts, prune_files,
};
pub use cases::{
    Assigned, CaseState, Decision, FraudCase, ListedCases, RuleFigures, assign, case, cases,
    decide, figures, prune, reopen,
};
pub use hits::{ListHits, hit, hits};
pub use hours::{HourCounts, hours};
pub use report::{Report, ReportBy, ReportRow, report};
pub use rules::{
    RuleApproval, RuleApproved, RunningRule, approve_rule, forget_other_rules, note_rules,
    running_rules,
};
pub use steps::{CaseStep, remark, requested, steps};
pub use subject::{ERASED, Erased, erase, keys_with, knows};
