//! Outcomes of a record: each record has exactly one, and all counts use it.

use serde::{Deserialize, Serialize};

/// The outcome of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Delivered,
    Filtered,
    /// It waits in a node.
    Held,
    SetAside(Why),
}

/// The reason why a record is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It could not be processed.
    Suspended,
    /// It came before.
    Duplicate,
}

impl Why {
    pub fn word(self) -> &'static str {
        match self {
            Why::Suspended => "suspended",
            Why::Duplicate => "duplicate",
        }
    }

    pub fn of(word: &str) -> Self {
        if word == Why::Duplicate.word() { Why::Duplicate } else { Why::Suspended }
    }
}
