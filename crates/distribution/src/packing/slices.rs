//! The slices of outputs in the journal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use runtime::time::now_ms;
use store::{Connection, QueryResult, Row, params};

use super::split::{Cut, Cuts};
use journal::{JobId, Journal, View};

/// Inserts the slices of an output that is split or merged.
pub fn insert(
    db: &Connection,
    JobId(file): JobId,
    (system, path): (&str, &str),
    cuts: &Cuts,
) -> QueryResult<()> {
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

/// A slice that belongs to no file yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WaitingSlice {
    pub(super) id: i64,
    pub(super) path: String,
    pub(super) part: i64,
    pub(super) parts: i64,
    pub(super) records: u64,
    pub(super) octets: u64,
    /// The octets before the first record and after the last, in any file with this slice.
    pub(super) head: u64,
    pub(super) tail: u64,
    pub(super) form: Vec<u8>,
    pub(super) at_ms: i64,
    /// Whether its output has its name.
    pub(super) is_named: bool,
}

/// Returns the first slices that wait.
pub(super) fn waiting(
    db: &Connection,
    system: &str,
    limit: usize,
) -> QueryResult<Vec<WaitingSlice>> {
    let mut select = db.prepare_cached(
        "SELECT slice.id, slice.path, part, parts, slice.records, octets, head, tail, form, at_ms, finished
         FROM slice JOIN file ON file.id = slice.file
         WHERE post_processing_system = ? AND delivery IS NULL ORDER BY slice.id LIMIT ?",
    )?;
    let found = select.query_map(params![system, limit as i64], |row| {
        let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
        Ok(WaitingSlice {
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

/// A range of octets in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(super) path: PathBuf,
    pub(super) at: u64,
    pub(super) octets: u64,
}

/// Returns the pieces of a file for a receiver. It is empty for an ordinary file.
pub(super) fn pieces(db: &Connection, view: &View, delivery: i64) -> QueryResult<Vec<Piece>> {
    let mut select = db.prepare_cached(
        "SELECT path, head, first_octet, octets, tail_at, tail FROM slice WHERE delivery = ? ORDER BY id",
    )?;
    let piece = |row: &Row<'_>, [at, octets]: [u64; 2]| -> QueryResult<Piece> {
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

/// Drops empty pieces and joins adjacent ones.
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

/// Returns whether an output of this path has slices.
pub fn is_known(db: &Connection, path: &str) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM slice WHERE path = ?")?.exists([path])
}

/// Returns whether the output of this path is still needed: a slice waits for a file, or belongs to
/// a file that is not delivered and has no copy of its own.
pub fn is_needed(db: &Connection, path: &str) -> QueryResult<bool> {
    db.prepare_cached(
        "SELECT 1 FROM slice LEFT JOIN delivery ON delivery.id = slice.delivery
         WHERE slice.path = ? AND (slice.delivery IS NULL OR (state <> 'delivered' AND lies IS NULL))",
    )?
    .exists([path])
}

/// Removes the outputs that a file was made from, unless other files need them. This runs while
/// nothing is written to the journal, so a new output of the same path is not mistaken for the old
/// one. It uses committed rows only: a crash could undo the delivery of another file with slices of
/// an output. If the removal itself is lost, the next run repeats it.
pub fn release(journal: &Journal, delivery: i64) {
    let folder = journal.view.folder().to_path_buf();
    journal.after_commit(move |db| {
        let mut select = db.prepare_cached("SELECT DISTINCT path FROM slice WHERE delivery = ?")?;
        let paths = select.query_map([delivery], |row| row.get::<_, String>(0))?;
        for path in paths.collect::<QueryResult<Vec<_>>>()? {
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

/// The outputs of a receiver that wait to be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingOutputs {
    pub system: String,
    pub outputs: i64,
    pub records: i64,
    /// The size of the file that they would become.
    pub octets: i64,
    /// The time of the first.
    pub since_ms: i64,
}

/// Returns the outputs that wait to be merged, by receiver.
pub(crate) fn waiting_outputs(db: &Connection) -> QueryResult<Vec<WaitingOutputs>> {
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

    use super::*;
    use crate::outbox;

    /// Two files have slices of one output. One is delivered. The note of the other's delivery is
    /// lost.
    #[test]
    fn an_output_stays_until_the_journal_has_all_its_deliveries_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let flow = folder.path().join("flow.toml");
        let journal = flow::flow_journal::open(&flow, &state, std::time::SystemTime::now).unwrap();
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
                outbox::note_arrived(db, 1, "delivered", "merged", None)
            })
            .unwrap();
        let second = |db: &Connection| outbox::note_arrived(db, 2, "delivered", "merged", None);
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
    fn adjacent_pieces_are_joined() {
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
