//! What is added to files behind their mark: a writer that paused for longer than anybody waits goes on writing to the file
//! that is done by then. None of that is processed, so it is an alarm until the file is taken away.
//!
//! A file is looked at some seconds after it was marked, and ever more seldom then, for a day.

use std::path::PathBuf;

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::{counted, visible};
use journal::{JobId, Journal};
use store::{Answer, Connection, StoreError, params};

use crate::collection::versions::{Lies, Version};

pub(crate) const ADDED: &Kind =
    &Kind::new("files-added-to", Severity::Major, EventType::Integrity, "informationMissing");

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[ADDED];

/// How long after it was marked a file is looked at first, and how much older it is each time.
const FIRST_MS: i64 = 2_000;
const OLDER: i64 = 6;

/// How long a file is looked at.
const WATCHED_MS: i64 = 24 * 60 * 60 * 1_000;

/// How often one is looked at that was added to: until it is taken away.
const AGAIN_MS: i64 = 5_000;

/// Most files that are looked at at a time, which is once a second at most.
const FILES_AT_ONCE: usize = 1_000;

/// How long a file is looked at while more are due than that: with all seven looks of a day, those of more than 140 files a
/// second would fall behind more and more. So each has one look or two, and as many files as are looked at can come.
const WATCHED_BEHIND_MS: i64 = FIRST_MS * OLDER;

/// Has files looked at that are marked now.
pub(crate) fn watch(db: &Connection, marked: &[(JobId, String)], now_ms: i64) -> Answer<()> {
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO marked_input (file, path, marked_ms, due_ms) VALUES (?, ?, ?, ?)",
    )?;
    marked.iter().try_for_each(|(JobId(file), path)| {
        insert.execute(params![file, path, now_ms, now_ms + FIRST_MS]).map(drop)
    })
}

/// A file whose turn it is.
struct Due {
    file: i64,
    path: PathBuf,
    marked_ms: i64,
    /// As it was processed.
    version: Version,
}

/// What is noted of a file that was looked at.
enum Noted {
    /// It is as it was, and looked at again.
    AsItWas { due_ms: i64 },
    /// It was written to.
    AddedTo { due_ms: i64 },
    /// It is not seen, since its folder cannot be read.
    Unseen { due_ms: i64 },
    /// It is not looked at any more.
    Over,
}

/// Looks at the files whose turn it is, and has alarms stand for those that were added to.
pub(crate) fn look(
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
    /// What is to be noted of a file that is looked at for so long.
    fn found(&self, now: Lies, now_ms: i64, watched_ms: i64) -> Noted {
        let age = (now_ms - self.marked_ms).max(FIRST_MS);
        match now {
            // Others have their turn meanwhile. That the folder cannot be read is reported elsewhere.
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

fn due(db: &Connection, journal: &Journal, now_ms: i64) -> Answer<Vec<Due>> {
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

fn note(db: &Connection, file: i64, noted: &Noted, now_ms: i64) -> Answer<()> {
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

/// What is wrong, by network element.
fn wrong(db: &Connection, journal: &Journal) -> Answer<Vec<Condition>> {
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

    /// When a file is looked at that is as it was, in seconds after it was marked.
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
