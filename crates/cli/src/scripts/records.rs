//! Reads and shows the records for scripts: JSON, or BER.

use std::path::Path;

use asn1::ber::{Decoder, ExplainedError, extent};
use asn1::{Plan, jer};
use diagnostics::with_causes;
use record::{Memory, Record, TypeId};

use crate::outcome::CommandError;

/// Why a script has no result for a record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    /// The text is not the record as JSON.
    #[error("{}", with_causes(.0))]
    Json(jer::ReadError),
    /// The octets are not the record.
    #[error(transparent)]
    Octets(ExplainedError),
    /// A record cannot be shown as JSON.
    #[error("{}", with_causes(.0))]
    NotShown(jer::WriteError),
    /// The script failed, at the place that the text names.
    #[error("{0}")]
    Fault(String),
    /// The result of a filter is none of its streams.
    #[error("the filter returned {0}, which has no name")]
    NoStream(i64),
}

/// Returns whether a file holds JSON, by its name.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
}

/// Splits the octets of a file into its records.
pub(crate) fn cut<'o>(path: &Path, octets: &'o [u8]) -> Result<Vec<&'o [u8]>, CommandError> {
    if is_json(path) {
        let lines = octets.split(|octet| *octet == b'\n');
        return Ok(lines.filter(|line| !line.trim_ascii().is_empty()).collect());
    }
    let mut records = Vec::new();
    let mut at = 0;
    while at < octets.len() {
        if matches!(octets[at], 0x00 | 0xFF) {
            at += 1; // Filler between records.
            continue;
        }
        let end = extent(octets, at).map_err(|reason| {
            CommandError::Mistakes(format!("{}: octet {at}: {reason}", path.display()))
        })?;
        records.push(&octets[at..end]);
        at = end;
    }
    Ok(records)
}

/// Reads one record. `memory` must have been made over `octets`.
pub(crate) fn record(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    path: &Path,
    octets: &[u8],
) -> Result<Record, RecordError> {
    match is_json(path) {
        true => jer::read(plan, memory, ty, octets).map_err(RecordError::Json),
        false => {
            let decoder = Decoder::new(plan, ty);
            let decoded = decoder.decode(octets, memory.arena);
            decoded.map_err(|error| RecordError::Octets(decoder.explain(octets, error)))
        }
    }
}

/// Returns a record as JSON.
pub(crate) fn show(
    plan: &Plan,
    memory: &Memory<'_>,
    record: Record,
) -> Result<String, RecordError> {
    let mut text = Vec::new();
    jer::write(plan, memory, record, jer::Options::default(), &mut text)
        .map_err(RecordError::NotShown)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
