//! Records in suspense: corrected, and given back to be processed again.

pub mod correct;
pub mod retry;
