//! The audit: whether all that came in is accounted for, record by record and sum by sum.

mod amounts;
mod differences;
mod report;
mod waiting;

pub(crate) use amounts::{AUDIT, AmountRow, Amounts, Audited, Class, Compared, prune_files};
pub use differences::AuditDifference;
pub use report::{AuditAmount, AuditCount, AuditQuery, AuditReport, ForgottenFiles, audit};
