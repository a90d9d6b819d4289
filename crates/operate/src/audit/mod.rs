//! The audit: whether all that came in is accounted for, record by record and sum by sum.

mod differences;
mod report;
mod request;
mod waiting;

pub use differences::AuditDifference;
pub use report::{AuditAmount, AuditCount, AuditQuery, AuditReport, ForgottenFiles, audit};
pub use request::ReportAudit;
