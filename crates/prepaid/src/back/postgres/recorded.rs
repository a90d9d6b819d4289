//! How far ended sessions are recorded, in a database; and which process records them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use accounts::AccountsError;

use super::{Postgres, column};
use crate::records::{RecordFile, Recorded};

impl Postgres {
    /// Returns whether this process records sessions: from the last time that it was said, it does for 30 seconds. If it is
    /// gone, another process does after that.
    pub(in crate::back) fn writes_records(&self) -> Result<bool, AccountsError> {
        let take = "UPDATE session_record SET writer = $1, until = now() + interval '30 seconds'
                    WHERE writer IS NULL OR writer = $1 OR until < now() RETURNING 1";
        Ok(!self.front.ask(take, &[&&self.name[..]])?.is_empty())
    }

    /// Returns whether no process has recorded sessions for an hour.
    pub(in crate::back) fn needs_no_records(&self) -> Result<bool, AccountsError> {
        let select = "SELECT coalesce(until < now() - interval '1 hour', true) FROM session_record";
        column(&self.front.ask(select, &[])?[0], 0)
    }

    /// Lets another process record sessions from now on.
    pub(in crate::back) fn end_records(&self) -> Result<(), AccountsError> {
        let end = "UPDATE session_record SET writer = NULL WHERE writer = $1";
        self.front.ask(end, &[&&self.name[..]]).map(drop)
    }

    pub(in crate::back) fn recorded(&self) -> Result<Recorded, AccountsError> {
        let rows = self.front.ask("SELECT last, first, folder FROM session_record", &[])?;
        let last = column::<i64>(&rows[0], 0)?.cast_unsigned();
        let first: Option<i64> = column(&rows[0], 1)?;
        let folder: Option<&[u8]> = column(&rows[0], 2)?;
        let file = first.zip(folder).map(|(first, folder)| RecordFile {
            folder: OsStr::from_bytes(folder).into(),
            first: first.cast_unsigned(),
            last,
        });
        Ok(Recorded { last, file })
    }

    pub(in crate::back) fn record(&self, file: &RecordFile) -> Result<bool, AccountsError> {
        let RecordFile { folder, first, last } = file;
        let (first, last) = (first.cast_signed(), last.cast_signed());
        let folder = folder.as_os_str().as_bytes();
        // A statement that comes again, since its answer was lost, finds what it has stored.
        let update = "UPDATE session_record SET last = $1, first = $2, folder = $3
                      WHERE (writer IS NULL OR writer = $4) AND (last < $2 AND first IS NULL OR last = $1 AND first = $2)
                      RETURNING 1";
        let stored = self.front.ask(update, &[&last, &first, &folder, &&self.name[..]])?;
        Ok(!stored.is_empty())
    }

    pub(in crate::back) fn skip_records(&self, last: u64) -> Result<(), AccountsError> {
        let update = "UPDATE session_record SET last = $1, first = NULL, folder = NULL
                      WHERE (writer IS NULL OR writer = $2) AND last <= $1";
        self.front.ask(update, &[&last.cast_signed(), &&self.name[..]]).map(drop)
    }
}
