//! Finds input files that a writer appends to after the gateway has marked them as done. This happens when a writer
//! pauses for longer than the gateway waits. The appended octets are not processed, so an alarm stands until the file
//! is removed.
//!
//! The gateway checks a file some seconds after it was marked, and then less and less often, for a day.

use std::path::PathBuf;

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::{counted, visible};
use journal::{JobId, Journal};
use store::{Connection, QueryResult, StoreError, params};

use crate::versions::{Lies, Version};

pub(crate) const ADDED: &Kind =
    &Kind::new("files-added-to", Severity::Major, EventType::Integrity, "informationMissing");

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[ADDED];

/// The first check of a file is this long after it was marked. At each later check it is [`OLDER`] times as old.
const FIRST_MS: i64 = 2_000;
const OLDER: i64 = 6;

/// For how long a file is checked.
const WATCHED_MS: i64 = 24 * 60 * 60 * 1_000;

/// How often a file is checked after an append was found, until the file is removed.
const AGAIN_MS: i64 = 5_000;

/// The most files per check. There is at most one check a second.
const FILES_AT_ONCE: usize = 1_000;

/// For how long a file is checked while more files are due than one check takes. All seven checks of a day for more
/// than 140 files a second would fall further and further behind. With this limit each file gets one check or two.
const WATCHED_BEHIND_MS: i64 = FIRST_MS * OLDER;

/// Schedules checks of files that were just marked.
pub fn watch(db: &Connection, marked: &[(JobId, String)], now_ms: i64) -> QueryResult<()> {
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO marked_input (file, path, marked_ms, due_ms) VALUES (?, ?, ?, ?)",
    )?;
    marked.iter().try_for_each(|(JobId(file), path)| {
        insert.execute(params![file, path, now_ms, now_ms + FIRST_MS]).map(drop)
    })
}

/// A file whose check is due.
struct Due {
    file: i64,
    path: PathBuf,
    marked_ms: i64,
    /// The size and time of the file when it was processed.
    version: Version,
}

/// The result of a check, for the journal.
enum Noted {
    /// The file has not changed. It is checked again.
    AsItWas { due_ms: i64 },
    /// The file was written to after it was processed.
    AddedTo { due_ms: i64 },
    /// The folder cannot be read. The file is checked again.
    Unseen { due_ms: i64 },
    /// The file is not checked again.
    Over,
}

/// Checks the files that are due. Raises alarms for files that were written to, and clears those that no longer hold.
pub fn look(
    journal: &Journal,
    reader: &Connection,
    versions: &dyn Fn(&[PathBuf]) -> Vec<Lies>,
) -> Result<(), StoreError> {
    let now_ms = journal.now_ms();
    let due = journal.answer(due(reader, journal, now_ms))?;
    if !due.is_empty() {
        let paths: Vec<PathBuf> = due.iter().map(|due| due.path.clone()).collect();
        let watched_ms = if due.len() < FILES_AT_ONCE { WATCHED_MS } else { WATCHED_BEHIND_MS };
        let of_file = |(due, now): (&Due, Lies)| (due.file, due.found(now, now_ms, watched_ms));
        let noted: Vec<_> = due.iter().zip(versions(&paths)).map(of_file).collect();
        journal.commit(move |db| {
            noted.iter().try_for_each(|(file, noted)| note(db, *file, noted, now_ms))
        })?;
    }
    let wrong = journal.answer(wrong(reader, journal))?;
    let raised = journal.answer(alarm::raised(reader, &[ADDED]))?;
    alarm::reconcile(wrong.into_iter(), &raised, journal)
}

impl Due {
    /// Returns the result of a check. A file older than `watched_ms` is not checked again.
    fn found(&self, now: Lies, now_ms: i64, watched_ms: i64) -> Noted {
        let age = (now_ms - self.marked_ms).max(FIRST_MS);
        match now {
            // Other files are checked meanwhile. An unreadable folder has an alarm of its own.
            Lies::Unknown => Noted::Unseen { due_ms: now_ms + age.max(AGAIN_MS) },
            Lies::Gone => Noted::Over,
            Lies::As(version) if version != self.version => {
                Noted::AddedTo { due_ms: now_ms + AGAIN_MS }
            }
            Lies::As(_) if age >= watched_ms => Noted::Over,
            Lies::As(_) => Noted::AsItWas { due_ms: now_ms + age * (OLDER - 1) },
        }
    }
}

fn due(db: &Connection, journal: &Journal, now_ms: i64) -> QueryResult<Vec<Due>> {
    let mut select = db.prepare_cached(
        "SELECT file, marked_input.path, marked_ms, size, modified_ns
         FROM marked_input JOIN file ON file.id = file WHERE due_ms <= ? ORDER BY due_ms LIMIT ?",
    )?;
    let due = select.query_map(params![now_ms, FILES_AT_ONCE as i64], |row| {
        Ok(Due {
            file: row.get(0)?,
            path: journal.view.located(&row.get::<_, String>(1)?),
            marked_ms: row.get(2)?,
            version: (row.get(3)?, row.get(4)?),
        })
    })?;
    due.collect()
}

fn note(db: &Connection, file: i64, noted: &Noted, now_ms: i64) -> QueryResult<()> {
    let (due_ms, grown_ms) = match noted {
        Noted::Over => {
            let delete = "DELETE FROM marked_input WHERE file = ?";
            return db.prepare_cached(delete)?.execute([file]).map(drop);
        }
        Noted::Unseen { due_ms } => {
            let update = "UPDATE marked_input SET due_ms = ? WHERE file = ?";
            return db.prepare_cached(update)?.execute([*due_ms, file]).map(drop);
        }
        Noted::AsItWas { due_ms } => (due_ms, None),
        Noted::AddedTo { due_ms } => (due_ms, Some(now_ms)),
    };
    let update = "UPDATE marked_input SET due_ms = ?2, grown_ms = iif(?3 IS NULL, NULL, ifnull(grown_ms, ?3)) WHERE file = ?1";
    db.prepare_cached(update)?.execute(params![file, due_ms, grown_ms]).map(drop)
}

/// Returns the alarm conditions, one for each network element.
fn wrong(db: &Connection, journal: &Journal) -> QueryResult<Vec<Condition>> {
    let mut select = db.prepare_cached(
        "SELECT network_element, count(*), min(file), marked_input.path, size
         FROM marked_input JOIN file ON file.id = file WHERE grown_ms IS NOT NULL GROUP BY network_element",
    )?;
    let wrong = select.query_map([], |row| {
        let (subject, files): (String, i64) = (row.get(0)?, row.get(1)?);
        let path = journal.view.located(&row.get::<_, String>(3)?).display().to_string();
        let octets: i64 = row.get(4)?;
        let files = counted(files as usize, "file");
        let text = format!(
            "{subject}: {files} written to after being processed, such as \"{}\": its first {octets} octets are processed, \
             and nothing else; lay what was added in a file of its own, and take this one away. Let the network element \
             rename files when they are complete, or set \"quiet\"",
            visible(&path)
        );
        Ok(Condition { kind: ADDED, subject, text })
    })?;
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due() -> Due {
        Due { file: 1, path: PathBuf::new(), marked_ms: 0, version: (7, 0) }
    }

    /// Returns when an unchanged file is checked, in seconds after it was marked.
    fn looks(watched_ms: i64) -> Vec<i64> {
        let (due, mut now_ms, mut looks) = (due(), FIRST_MS, Vec::new());
        loop {
            looks.push(now_ms / 1_000);
            match due.found(Lies::As((7, 0)), now_ms, watched_ms) {
                Noted::AsItWas { due_ms } => now_ms = due_ms,
                Noted::Over => return looks,
                _ => panic!("it is as it was"),
            }
        }
    }

    #[test]
    fn a_file_is_looked_at_ever_more_seldom_for_a_day() {
        assert_eq!(looks(WATCHED_MS), [2, 12, 72, 432, 2_592, 15_552, 93_312]);
        let found = |now| due().found(now, WATCHED_MS, WATCHED_MS);
        for added in [(35, 0), (7, 1)] {
            assert!(matches!(found(Lies::As(added)), Noted::AddedTo { .. }), "{added:?}");
        }
        assert!(matches!(found(Lies::Gone), Noted::Over));
    }

    #[test]
    fn while_more_are_due_than_are_looked_at_each_has_few_looks() {
        assert_eq!(looks(WATCHED_BEHIND_MS), [2, 12]);
        let late = due().found(Lies::As((7, 0)), 60_000, WATCHED_BEHIND_MS);
        assert!(matches!(late, Noted::Over), "one look, where the first comes late");
    }

    #[test]
    fn files_that_are_not_seen_leave_their_turn_to_others() {
        for (now_ms, again_ms) in [(FIRST_MS, AGAIN_MS), (60_000, 60_000)] {
            let found = due().found(Lies::Unknown, now_ms, WATCHED_MS);
            assert!(matches!(found, Noted::Unseen { due_ms } if due_ms == now_ms + again_ms));
        }
    }
}
