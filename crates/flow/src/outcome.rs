//! Outcomes of a record: each record has exactly one, and all counts use it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

/// Why a record is in suspense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SuspenseReason)]
pub enum Why {
    /// The record could not be processed.
    Suspended,
    /// The record is a duplicate.
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
