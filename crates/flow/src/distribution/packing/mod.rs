//! Outputs that are split, or merged, into files of another size before they are carried on.
//!
//! An output is settled as it is, and lies in the out buffer whole. With it the journal has its slices, between which it may
//! be cut. A file for the receiver is a row of the journal that slices belong to, and nothing is copied: whoever carries it
//! reads it from where they lie. So which slices a file has is decided for good in one transaction, whoever is killed.

mod contents;
pub(crate) mod merge;
mod settings;
mod slices;
pub(crate) mod split;

pub(crate) use self::settings::Packing;
pub(crate) use self::settings::{Limits, Merge, PART_PLACEHOLDERS};
pub(super) use contents::{Contents, Writing};
pub(super) use merge::{Moment, gather, is_due};
pub(crate) use slices::insert;
pub(crate) use slices::{WaitingOutputs, is_known, is_needed, release, waiting_outputs};
pub(crate) use split::{Cuts, Cutting};
