//! The changes of alarms as lines for the service's log.

use std::mem;
use std::time::{Duration, Instant};

use store::{QueryResult, Reader, params};

/// How often [`ChangeLog::lines_if_due`] looks at most: a look costs a query.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Returns each change of an alarm once, as a line. It begins with the alarms that are raised.
#[derive(Debug)]
pub struct ChangeLog {
    reader: Reader,
    /// The last change that was returned.
    last: i64,
    looked: Option<Instant>,
}

impl ChangeLog {
    /// Reads a journal.
    pub fn new(reader: Reader) -> Self {
        ChangeLog { reader, last: 0, looked: None }
    }

    /// As [`lines`](Self::lines), but returns nothing if it looked within the last second.
    pub fn lines_if_due(&mut self) -> QueryResult<Vec<String>> {
        match self.looked {
            Some(looked) if looked.elapsed() < LOOK_EVERY => Ok(Vec::new()),
            _ => self.lines(),
        }
    }

    /// Returns what has changed, a line for each alarm that was raised or changed, and one for each that was cleared.
    pub fn lines(&mut self) -> QueryResult<Vec<String>> {
        let first = self.looked.replace(Instant::now()).is_none();
        let newest = "SELECT max(change) FROM alarm";
        let newest: Option<i64> =
            self.reader.prepare_cached(newest)?.query_row([], |row| row.get(0))?;
        let before = mem::replace(&mut self.last, newest.unwrap_or(0));
        if before == self.last {
            return Ok(Vec::new());
        }
        let mut lines = Vec::new();
        let mut select = self.reader.prepare_cached(
            "SELECT text, cleared_ms IS NULL OR raised > ?1, cleared_ms IS NOT NULL FROM alarm
             WHERE change > ?1 AND change <= ?2 AND (cleared_ms IS NULL OR NOT ?3) ORDER BY change",
        )?;
        let changed = select.query_map(params![before, self.last, first], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?))
        })?;
        for alarm in changed {
            let (text, is_new, is_over) = alarm?;
            if is_new {
                lines.push(format!("alarm: {text}"));
            }
            if is_over {
                lines.push(format!("alarm over: {text}"));
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AlarmKey, DISK_LOW, Kind, Severity};

    const DISK: AlarmKey<'_> = AlarmKey { kind: DISK_LOW, subject: "out" };
    const SILENT: &Kind = &Kind { name: "silent", severity: Severity::Major, ..*DISK_LOW };
    const ELEMENT: AlarmKey<'_> = AlarmKey { kind: SILENT, subject: "boston" };

    #[test]
    fn an_alarm_is_told_once_when_it_is_raised_changed_and_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alarms.db");
        let store = store::Store::open(&path, &[journal::TABLES, crate::TABLES]).unwrap();
        let mut log = ChangeLog::new(store.reader().unwrap());
        let mut logged = || log.lines().unwrap().join("; ");
        let raise =
            |at, key, text| store.commit(move |db| crate::raise(db, at, key, text)).unwrap();
        let clear = |at, key| store.commit(move |db| crate::clear(db, at, key)).unwrap();

        raise(1, DISK, "over before the run");
        clear(2, DISK);
        raise(3, DISK, "1 GB is left");
        assert_eq!(logged(), "alarm: 1 GB is left", "a run begins with what is raised");
        raise(4, DISK, "1 GB is left");
        clear(5, ELEMENT);
        assert_eq!(logged(), "", "nothing is new");
        raise(6, ELEMENT, "silent for an hour");
        raise(7, DISK, "1 MB is left");
        assert_eq!(logged(), "alarm: silent for an hour; alarm: 1 MB is left");
        clear(8, DISK);
        raise(9, ELEMENT, "silent for an hour");
        assert_eq!(logged(), "alarm over: 1 MB is left");
        raise(10, DISK, "1 GB is left");
        assert_eq!(logged(), "alarm: 1 GB is left", "and again");
        clear(11, DISK);
        raise(12, DISK, "1 KB is left");
        clear(13, DISK);
        let all = "alarm over: 1 GB is left; alarm: 1 KB is left; alarm over: 1 KB is left";
        assert_eq!(logged(), all, "also where it was soon over");
    }
}
