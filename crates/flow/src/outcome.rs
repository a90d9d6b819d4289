//! Outcomes of a record: each record has exactly one, and all counts use it.

use serde::{Deserialize, Serialize};

/// The outcome of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It was delivered: at least one record was written of it, for some system.
    Delivered,
    /// Nothing was written of it, by the flow's own rules: a node dropped it, or its stream has no receiver.
    Filtered,
    /// It waits in a node.
    Held,
    /// It went to suspense, as unprocessable or as a duplicate.
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
    /// Returns the word for the journal and for users.
    pub fn word(self) -> &'static str {
        match self {
            Why::Suspended => "suspended",
            Why::Duplicate => "duplicate",
        }
    }

    /// Returns the reason for a word of the journal. An unknown word counts as suspended.
    pub fn of(word: &str) -> Self {
        if word == Why::Duplicate.word() { Why::Duplicate } else { Why::Suspended }
    }
}
