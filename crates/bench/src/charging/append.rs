//! What the journal costs beside a plain file: the same octets are stored in both, with a sync for each batch.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use ::charging::Workspace;
use store::Connection;

use super::calls::{Calls, opened};
use super::{Ratios, embedded, folder};
use crate::error::BenchError;
use crate::measure::{Row, processor_time};

/// The rounds of each measurement.
const ROUNDS: u32 = 6;

/// Measures the batches of a number of calls, and what the optimised dialogue saves of them.
pub(super) fn measure(calls: &Calls<'_>, within: &Path, count: u64) -> Result<Ratios, BenchError> {
    let batches = batches(calls, within, count)?;
    let scratch = embedded(&folder(within, "scratch")?)?;
    let mut plain = File::create(within.join("appended"))?;
    let (mut journalled, mut appended) =
        (Row::new("", batches.len() as u64, 0), Row::new("", batches.len() as u64, 0));
    for round in 0..ROUNDS {
        for is_journal in [round % 2 == 0, round % 2 != 0] {
            let begun = processor_time()?;
            for body in &batches {
                match is_journal {
                    true => store(&scratch, body.clone())?,
                    false => {
                        plain.write_all(body)?;
                        plain.sync_data()?;
                    }
                }
            }
            let row = if is_journal { &mut journalled } else { &mut appended };
            row.took(processor_time()? - begun);
        }
    }
    Ok(vec![("journal_over_append".to_owned(), appended.over_in_turn(&journalled))])
}

/// Returns the batches that the calls make.
fn batches(calls: &Calls<'_>, within: &Path, count: u64) -> Result<Vec<Vec<u8>>, BenchError> {
    let durable = opened(&folder(within, "batches")?, calls.accounts)?;
    calls.charge((&durable, &Workspace::default()), 0..count)?;
    let journal = durable.journal();
    let reader = journal.reader()?;
    let read = |db: &Connection| {
        let mut select = db.prepare("SELECT body FROM account_batch ORDER BY seq")?;
        let bodies = select.query_map([], |row| row.get(0))?;
        bodies.collect()
    };
    Ok(journal.answer(read(&reader))?)
}

/// Stores a batch in a journal as the accounts do.
fn store(scratch: &accounts::Embedded, body: Vec<u8>) -> Result<(), BenchError> {
    let insert =
        "INSERT INTO account_batch SELECT 1 + (SELECT ifnull(max(seq), 0) FROM account_batch), ?";
    let stored =
        scratch.journal().commit(move |db| db.prepare_cached(insert)?.execute([body]).map(drop));
    Ok(stored?)
}
