//! The reason why a request has no result.

use dup::analysis::RenameFault;
use lsp_server::ErrorCode;

/// The reason why a request has no result.
pub(super) struct Refusal {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

/// The result of a request.
pub(super) type Answer<T> = Result<T, Refusal>;

impl From<RenameFault> for Refusal {
    fn from(fault: RenameFault) -> Self {
        Refusal { code: ErrorCode::RequestFailed, message: fault.to_string() }
    }
}
