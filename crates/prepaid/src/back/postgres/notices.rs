//! How far notices are sent, in a database; and which process sends them.

use std::time::Duration;

use accounts::AccountsError;

use super::{Postgres, column};

/// For how long a process sends notices after it said so last, beside the time of a message.
const SENDS_SECONDS: f64 = 30.0;

impl Postgres {
    /// Returns the number of the last notice that is sent if this process sends notices: from the last time that it was said,
    /// it does for 30 seconds and the time of a message. If it is gone, another process does after that.
    pub(in crate::back) fn sends_notices(
        &self,
        message: Duration,
    ) -> Result<Option<u64>, AccountsError> {
        let take = "UPDATE notice_sent SET sender = $1, until = now() + make_interval(secs => $2)
                    WHERE sender IS NULL OR sender = $1 OR until < now() RETURNING last";
        let seconds = SENDS_SECONDS + message.as_secs_f64();
        let taken = self.front.ask(take, &[&&self.name[..], &seconds])?;
        let last = taken.first().map(|row| column::<i64>(row, 0)).transpose()?;
        Ok(last.map(i64::cast_unsigned))
    }

    /// Lets another process send notices from now on.
    pub(in crate::back) fn end_notices(&self) -> Result<(), AccountsError> {
        let end = "UPDATE notice_sent SET sender = NULL WHERE sender = $1";
        self.front.ask(end, &[&&self.name[..]]).map(drop)
    }

    pub(in crate::back) fn sent_notices(&self) -> Result<u64, AccountsError> {
        let last: i64 = column(&self.front.ask("SELECT last FROM notice_sent", &[])?[0], 0)?;
        Ok(last.cast_unsigned())
    }

    pub(in crate::back) fn note_sent(&self, last: u64) -> Result<(), AccountsError> {
        let update = "UPDATE notice_sent SET last = $1 WHERE last < $1";
        self.front.ask(update, &[&last.cast_signed()]).map(drop)
    }
}
