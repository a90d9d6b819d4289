//! Suspense: the records that were set aside, with the reasons, until somebody sees to them.

mod aside;

use std::path::Path;

use serde::{Serialize, Serializer};

use crate::journal::{self, JournalError};
use crate::time::shown;
pub(crate) use aside::{Row, Rows, SetAside, forget_jobs};

/// Why a record is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It could not be processed.
    Suspended,
    /// It was seen before.
    Duplicate,
}

impl Why {
    fn word(self) -> &'static str {
        match self {
            Why::Suspended => "suspended",
            Why::Duplicate => "duplicate",
        }
    }

    fn of(word: &str) -> Self {
        if word == Why::Duplicate.word() { Why::Duplicate } else { Why::Suspended }
    }
}

/// A record that is set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suspended {
    /// Its number in suspense.
    pub id: i64,
    /// Why it is there.
    pub why: Why,
    /// When it came there, `2026-11-21T14:05:00Z`.
    pub since: String,
    /// Where its file was collected.
    pub network_element: String,
    /// Its file.
    pub file: String,
    /// Its number in the file, from 1.
    pub record: i64,
    /// Where in the file it begins.
    pub offset: i64,
    /// The node or system that could not process it; empty where it could not be read.
    pub node: String,
    /// What is wrong with it.
    pub reason: String,
    /// The record, as it came.
    #[serde(serialize_with = "hexadecimal")]
    pub octets: Vec<u8>,
}

fn hexadecimal<S: Serializer>(octets: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let mut digits = String::with_capacity(octets.len() * 2);
    for octet in octets {
        digits.extend(
            [octet >> 4, octet & 15].map(|digit| {
                char::from_digit(u32::from(digit), 16).expect("four bits are a digit")
            }),
        );
    }
    serializer.serialize_str(&digits)
}

/// Gives the records of a flow that are set aside, in the order they came, whether a gateway runs it or not.
pub fn suspended(flow: &Path, mut give: impl FnMut(Suspended)) -> Result<(), JournalError> {
    journal::look(flow, |db| {
        let mut select = db.prepare(
            "SELECT suspense.id, why, done_ms, network_element, name, record, offset, node, reason, octets
             FROM suspense JOIN file ON file.id = suspense.file ORDER BY suspense.id",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            give(Suspended {
                id: row.get(0)?,
                why: Why::of(row.get_ref(1)?.as_str()?),
                since: shown(row.get(2)?),
                network_element: row.get(3)?,
                file: row.get(4)?,
                record: row.get(5)?,
                offset: row.get(6)?,
                node: row.get(7)?,
                reason: row.get(8)?,
                octets: row.get(9)?,
            });
        }
        Ok(())
    })
}
