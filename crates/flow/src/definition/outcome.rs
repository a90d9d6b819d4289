//! What becomes of a record: exactly one of these, by which it is counted everywhere.

use serde::{Deserialize, Serialize};

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Delivered,
    Filtered,
    /// It waits in a node.
    Held,
    SetAside(Why),
}

/// Why a record is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It could not be processed.
    Suspended,
    /// It was seen before.
    Duplicate,
}

impl Why {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Why::Suspended => "suspended",
            Why::Duplicate => "duplicate",
        }
    }

    pub(crate) fn of(word: &str) -> Self {
        if word == Why::Duplicate.word() { Why::Duplicate } else { Why::Suspended }
    }
}
