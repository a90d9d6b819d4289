//! The frauds that are in simulated files: what rules should find.

use std::path::Path;

use crate::file::{WriteError, write};

/// The name of the file.
pub const TRUTH: &str = "truth.csv";

/// A fraud, with all that an alert about it may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fraud {
    /// Its type, such as `wangiri`.
    pub(crate) of: &'static str,
    /// Subjects, each with a key.
    pub(crate) about: Vec<(&'static str, String)>,
    /// When it begins, in seconds since 1970.
    pub(crate) from: u64,
    /// When it is over.
    pub(crate) to: u64,
}

/// Writes the frauds: a row for each of their keys. The first column says which rows are of one fraud.
pub(crate) fn write_truth(folder: &Path, frauds: &[Fraud]) -> Result<(), WriteError> {
    let mut text = "fraud,type,subject,key,from,to\n".to_owned();
    for (number, Fraud { of, about, from, to }) in (1..).zip(frauds) {
        for (subject, key) in about {
            text += &format!("{number},{of},{subject},{key},{from},{to}\n");
        }
    }
    write(&folder.join(TRUTH), text.as_bytes())
}
