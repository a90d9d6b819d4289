//! The reason why a request has no result.

use dup::analysis::RenameFault;
use lsp_server::ErrorCode;

/// The reason why a request has no result.
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

/// The result of a request.
pub(crate) type Answer<T> = Result<T, Refusal>;

impl From<RenameFault> for Refusal {
    fn from(fault: RenameFault) -> Self {
        Refusal { code: ErrorCode::RequestFailed, message: fault.to_string() }
    }
}
