//! The slices of outputs, as the journal has them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use runtime::time::now_ms;
use store::{Answer, Connection, Row, params};

use super::split::{Cut, Cuts};
use journal::{JobId, Journal, View};

/// Notes an output that is not carried as it is.
pub(crate) fn insert(
    db: &Connection,
    JobId(file): JobId,
    (system, path): (&str, &str),
    cuts: &Cuts,
) -> Answer<()> {
    let Cuts { head, tail, form, slices } = cuts;
    let octets: u64 = slices.iter().map(|slice| slice.octets).sum();
    let (mut first_record, mut first_octet) = (0, *head);
    let mut insert = db.prepare_cached(
        "INSERT INTO slice (file, post_processing_system, path, part, parts, first_record, records, head, first_octet,
             octets, tail_at, tail, form, at_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (part, Cut { records, octets: own }) in (1_i64..).zip(slices) {
        insert.execute(params![
            file,
            system,
            path,
            part,
            slices.len() as i64,
            first_record as i64,
            *records as i64,
            *head as i64,
            first_octet as i64,
            *own as i64,
            (head + octets) as i64,
            *tail as i64,
            form,
            now_ms()
        ])?;
        first_record += records;
        first_octet += own;
    }
    Ok(())
}

/// A slice that belongs to no file for the receiver yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) id: i64,
    pub(super) path: String,
    pub(super) part: i64,
    pub(super) parts: i64,
    pub(super) records: u64,
    pub(super) octets: u64,
    /// Octets before the first record, and behind the last, of any file it is in.
    pub(super) head: u64,
    pub(super) tail: u64,
    pub(super) form: Vec<u8>,
    pub(super) at_ms: i64,
    /// Whether its output has its name.
    pub(super) is_named: bool,
}

/// The first slices that wait.
pub(super) fn waiting(db: &Connection, system: &str, most: usize) -> Answer<Vec<Waiting>> {
    let mut select = db.prepare_cached(
        "SELECT slice.id, slice.path, part, parts, slice.records, octets, head, tail, form, at_ms, finished
         FROM slice JOIN file ON file.id = slice.file
         WHERE post_processing_system = ? AND delivery IS NULL ORDER BY slice.id LIMIT ?",
    )?;
    let found = select.query_map(params![system, most as i64], |row| {
        let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
        Ok(Waiting {
            id: row.get(0)?,
            path: row.get(1)?,
            part: row.get(2)?,
            parts: row.get(3)?,
            records: count(4)?,
            octets: count(5)?,
            head: count(6)?,
            tail: count(7)?,
            form: row.get(8)?,
            at_ms: row.get(9)?,
            is_named: row.get(10)?,
        })
    })?;
    found.collect()
}

/// Octets of a file that lie one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(super) path: PathBuf,
    pub(super) at: u64,
    pub(super) octets: u64,
}

/// What a file for a receiver is put together from; nothing, where it lies as it is.
pub(super) fn pieces(db: &Connection, view: &View, delivery: i64) -> Answer<Vec<Piece>> {
    let mut select = db.prepare_cached(
        "SELECT path, head, first_octet, octets, tail_at, tail FROM slice WHERE delivery = ? ORDER BY id",
    )?;
    let piece = |row: &Row<'_>, [at, octets]: [u64; 2]| -> Answer<Piece> {
        Ok(Piece { path: view.located(&row.get::<_, String>(0)?), at, octets })
    };
    let mut rows = select.query([delivery])?;
    let (mut pieces, mut tail) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
        if pieces.is_empty() {
            pieces.push(piece(row, [0, number(1)?])?);
        }
        pieces.push(piece(row, [number(2)?, number(3)?])?);
        tail = Some(piece(row, [number(4)?, number(5)?])?);
    }
    pieces.extend(tail);
    Ok(joined(pieces))
}

/// The same with fewer pieces, none of which is empty.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces.into_iter().filter(|piece| piece.octets > 0) {
        match joined.last_mut() {
            Some(last) if last.path == piece.path && last.at + last.octets == piece.at => {
                last.octets += piece.octets;
            }
            _ => joined.push(piece),
        }
    }
    joined
}

/// Whether any slice is of the output of this path.
pub(crate) fn is_known(db: &Connection, path: &str) -> Answer<bool> {
    db.prepare_cached("SELECT 1 FROM slice WHERE path = ?")?.exists([path])
}

/// Whether somebody is still to read the output of this path: a slice waits, or the file it belongs to does and does not lie
/// anywhere itself.
pub(crate) fn is_needed(db: &Connection, path: &str) -> Answer<bool> {
    db.prepare_cached(
        "SELECT 1 FROM slice LEFT JOIN delivery ON delivery.id = slice.delivery
         WHERE slice.path = ? AND (slice.delivery IS NULL OR (state <> 'delivered' AND lies IS NULL))",
    )?
    .exists([path])
}

/// Removes the outputs that a file was put together from, if nobody needs them any more. That is done while nothing else is
/// noted: an output of the same path that comes now is not taken for the one before. And only what is on the disk counts: if
/// another file has slices of an output, the delivery of that one may be noted, and lost. Where it is lost that they are to be
/// removed, the next run does it.
pub(crate) fn release(journal: &Journal, delivery: i64) {
    let folder = journal.view.folder().to_path_buf();
    journal.behind(move |db| {
        let mut select = db.prepare_cached("SELECT DISTINCT path FROM slice WHERE delivery = ?")?;
        let paths = select.query_map([delivery], |row| row.get::<_, String>(0))?;
        for path in paths.collect::<Answer<Vec<_>>>()? {
            if !is_needed(db, &path)? {
                remove(&folder.join(path));
            }
        }
        Ok(())
    });
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(target: "flow::delivery", "could not remove \"{}\", which is delivered: {error}", path.display());
    }
}

/// Outputs that wait to be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingOutputs {
    pub(crate) system: String,
    pub(crate) outputs: i64,
    pub(crate) records: i64,
    /// Of the file that they would be.
    pub(crate) octets: i64,
    /// When the first of them was made.
    pub(crate) since_ms: i64,
}

/// By receiver, what waits to be merged.
pub(crate) fn waiting_outputs(db: &Connection) -> Answer<Vec<WaitingOutputs>> {
    let mut select = db.prepare_cached(
        "SELECT post_processing_system, count(DISTINCT path), sum(records), sum(octets) + max(head + tail), min(at_ms)
         FROM slice
         WHERE delivery IS NULL GROUP BY post_processing_system ORDER BY post_processing_system",
    )?;
    let found = select.query_map([], |row| {
        Ok(WaitingOutputs {
            system: row.get(0)?,
            outputs: row.get(1)?,
            records: row.get(2)?,
            octets: row.get(3)?,
            since_ms: row.get(4)?,
        })
    })?;
    found.collect()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::commit::Transactions;
    use crate::distribution::outbox;

    /// Two files have slices of one output. One is delivered; of the other it is only about to be noted, and that is lost.
    #[test]
    fn an_output_stays_until_all_that_needs_it_is_known_to_be_delivered_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let flow = folder.path().join("flow.toml");
        let journal = Transactions::open((&flow, &state), true, SystemTime::now).unwrap();
        let output = state.join("output.ber");
        fs::write(&output, "records").unwrap();
        let path = journal.view.noted(&output);
        journal
            .commit(move |db| {
                db.execute_batch(
                    "INSERT INTO file (id, network_element, path, size, modified_ns, done_ms, records, delivered, filtered,
                         held, suspended, duplicate, finished)
                     VALUES (1, 'msc', 'in/a', 1, 1, 1, 2, 2, 0, 0, 0, 0, 1)",
                )?;
                let cut = Cut { records: 1, octets: 3 };
                let cuts = Cuts { slices: vec![cut, cut], ..Cuts::default() };
                insert(db, JobId(1), ("billing", &path), &cuts)?;
                for id in [1, 2] {
                    outbox::insert(db, None, "billing", "merged", 1)?;
                    db.execute("UPDATE slice SET delivery = ?1 WHERE id = ?1", [id])?;
                }
                outbox::note_there(db, 1, "delivered", "merged", None)
            })
            .unwrap();
        let second = |db: &Connection| outbox::note_there(db, 2, "delivered", "merged", None);
        journal.later(second);
        release(&journal, 1);
        journal.later(|db| db.execute_batch("ROLLBACK; SELECT nothing FROM nowhere"));
        journal.commit(|_| Ok(())).unwrap_err();
        assert!(output.exists());

        journal.commit(second).unwrap();
        release(&journal, 2);
        drop(journal);
        assert!(!output.exists());
    }

    #[test]
    fn pieces_that_lie_behind_each_other_are_one() {
        let piece = |path: &str, at, octets| Piece { path: path.into(), at, octets };
        let pieces = vec![
            piece("a", 0, 5),
            piece("a", 5, 10),
            piece("b", 15, 10),
            piece("b", 30, 10),
            piece("b", 40, 0),
        ];
        assert_eq!(joined(pieces), [piece("a", 0, 15), piece("b", 15, 10), piece("b", 30, 10)]);
    }
}
