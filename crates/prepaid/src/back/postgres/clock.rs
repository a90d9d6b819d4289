//! The clock of the database server: all processes charge by it, whatever their own clocks say.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use accounts::AccountsError;
use accounts_postgres::Front;
use ledger::Millis;

use super::column;

/// The time of the server, as it was at a moment of this process. From there, the process counts on.
pub(super) struct ServerClock(Mutex<(Millis, Instant)>);

impl ServerClock {
    pub(super) fn read(front: &Front) -> Result<Self, AccountsError> {
        Ok(ServerClock(Mutex::new(ask(front)?)))
    }

    /// Compares it with the server.
    pub(super) fn adjust(&self, front: &Front) -> Result<(), AccountsError> {
        let now = ask(front)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(())
    }

    /// Returns the time, in milliseconds since 1970.
    pub(super) fn now_ms(&self) -> Millis {
        let (then, at) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        then.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

fn ask(front: &Front) -> Result<(Millis, Instant), AccountsError> {
    let select = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let rows = front.ask(select, &[])?;
    Ok((column(&rows[0], 0)?, Instant::now()))
}
