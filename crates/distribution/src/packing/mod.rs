//! Splits or merges outputs into files of another size before delivery.
//!
//! A job writes each output as a whole into the out buffer, and its slices into the journal: the
//! output may be cut between them. A file for the receiver is a row of the journal that slices
//! belong to. Nothing is copied: a delivery reads the slices from the outputs. So one transaction
//! decides permanently which slices a file has, even if a process is killed.

mod contents;
pub mod merge;
mod settings;
mod slices;
pub mod split;

pub(crate) use self::settings::Merge;
pub(crate) use self::settings::Packing;
pub use self::settings::{Limits, PART_PLACEHOLDERS};
pub(super) use contents::Contents;
pub(super) use merge::{Moment, gather, is_due};
pub use slices::insert;
pub(crate) use slices::{WaitingOutputs, waiting_outputs};
pub use slices::{is_known, is_needed, release};
pub use split::{Cuts, Cutter};
