//! Reads single records of collected files by their numbers.

use std::path::Path;

use ::record::Arena;
use format::Excerpt;

use super::read::begin;
use super::{Record, RecordsError, RecordsOf, place};
use gateway::plan::Plan;

/// Reads records of a collected file, by the number of its job: `numbers` are in their order. Reads the file once, and no more than
/// `octets_left` octets of records, from which it takes what it has read: records beyond are left out.
///
/// # Errors
///
/// The file is not there any more, or cannot be read.
pub fn picked(
    (flow, plan): (&Path, &Plan),
    job: i64,
    numbers: &[u64],
    octets_left: &mut u64,
) -> Result<Vec<Record>, RecordsError> {
    let placed = place::find(flow, plan, &RecordsOf::Collected(job))?;
    let failed = |cause| RecordsError::Read { file: placed.file.clone(), cause };
    let (mut reader, mut number) = begin(&placed, None).map_err(failed)?;
    let (mut arena, mut records) = (Arena::new(), Vec::new());
    let mut wanted = numbers.iter().copied().peekable();
    while let Some(next) = wanted.peek().copied() {
        let context = (number == next).then(|| reader.context().to_vec());
        arena.reset();
        let Some(found) = reader.next(&mut arena).map_err(failed)? else { break };
        let length = found.octets.len() as u64;
        if length > *octets_left {
            break;
        }
        *octets_left -= length;
        if let Some(context) = context {
            let excerpt = Excerpt { context: &context, octets: found.octets };
            records.push(Record {
                record: number,
                offset: found.offset,
                length,
                octets: Vec::new(),
                problem: found.record.err().map(|error| error.to_string()),
                anatomy: placed.input.take_apart(&excerpt),
            });
            while wanted.next_if_eq(&next).is_some() {}
        }
        number += 1;
    }
    Ok(records)
}
