//! The ASN.1 modules of the flow.

mod show;

pub use show::{Module, ModuleError, ShowModule};
