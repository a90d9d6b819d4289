//! The retention of the archive: by age and by size.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use store::{Connection, QueryResult, params};

use super::error::ArchiverError;
use super::settings::ArchiveSettings;
use journal::Journal;

/// The interval between two checks for files to remove.
const LOOKED_EVERY: Duration = Duration::from_secs(60);

/// The files that are removed per transaction.
const FILES_AT_ONCE: u32 = 500;

/// Removes the oldest files from time to time.
pub(super) struct Keeping<'a> {
    settings: &'a ArchiveSettings,
    journal: &'a Journal,
    last: Option<Instant>,
}

impl<'a> Keeping<'a> {
    pub(super) fn new(settings: &'a ArchiveSettings, journal: &'a Journal) -> Self {
        Keeping { settings, journal, last: None }
    }

    pub(super) fn forget_now_and_then(&mut self) -> Result<(), ArchiverError> {
        if self.last.is_some_and(|last| last.elapsed() < LOOKED_EVERY) {
            return Ok(());
        }
        while self.forget()? {}
        self.last = Some(Instant::now());
        Ok(())
    }

    /// Removes some files. Returns whether there may be more. The file goes first and then its row, so an interrupted
    /// removal is found again.
    fn forget(&self) -> Result<bool, ArchiverError> {
        let retention_ms = self
            .settings
            .retention
            .map(|retention| i64::try_from(retention.as_millis()).unwrap_or(i64::MAX));
        let before_ms =
            retention_ms.map(|retention_ms| self.journal.now_ms().saturating_sub(retention_ms));
        let reader = self.journal.reader()?;
        let old = self.journal.answer(old(&reader, before_ms, self.settings.limit))?;
        let mut removed = Vec::new();
        for (file, path) in &old {
            let path = self.settings.dir.join(path);
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    return Err(ArchiverError::Remove { path, cause });
                }
                _ => removed.push(*file),
            }
        }
        let is_any = !removed.is_empty();
        if is_any {
            self.journal.commit(move |db| {
                let mut delete = db.prepare_cached("DELETE FROM archive WHERE file = ?")?;
                removed.iter().try_for_each(|file| delete.execute([file]).map(drop))
            })?;
        }
        Ok(is_any)
    }
}

/// Returns the oldest files that are too old or beyond the size limit. It leaves out files whose input is still to be
/// removed: the input would be found without a row that says it is archived.
fn old(
    db: &Connection,
    before_ms: Option<i64>,
    limit: Option<u64>,
) -> QueryResult<Vec<(i64, String)>> {
    let limit = limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let mut select = db.prepare_cached(
        "SELECT file, path FROM (
             SELECT file, path, done_ms, removal, sum(octets) OVER (ORDER BY done_ms DESC, file DESC) AS newer
             FROM archive WHERE state = 'archived')
         WHERE (done_ms < ?1 OR newer > ?2) AND removal IS NOT 'due' ORDER BY done_ms, file LIMIT ?3",
    )?;
    let old = select.query_map(params![before_ms, limit, FILES_AT_ONCE], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    old.collect()
}
