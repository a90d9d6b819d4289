//! A call of the stored function `account_store`: its arrays.

use accounts::stored;
use ledger::{Account, AccountId, Currency, Effects, Millis, SystemAccount, SystemKind, Unit};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::connection::{Attempts, Connection, Fault};

const STORE: &str = "SELECT place, is_stored, version, due_ms, body FROM account_store(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";

/// Accounts in order, and what they leave beside themselves.
#[derive(Debug, Default)]
pub(crate) struct Call {
    ids: Vec<i64>,
    versions: Vec<i64>,
    dues: Vec<Option<i64>>,
    currencies: Vec<i32>,
    open_sessions: Vec<i32>,
    closed_sessions: Vec<i32>,
    /// `None` for accounts that were only looked at.
    bodies: Vec<Option<Vec<u8>>>,
    entry_places: Vec<i32>,
    entry_numbers: Vec<i64>,
    entry_times: Vec<i64>,
    entry_systems: Vec<i64>,
    /// What the system account gets.
    entry_amounts: Vec<i64>,
    entry_bodies: Vec<Vec<u8>>,
    notice_places: Vec<i32>,
    notice_times: Vec<i64>,
    notice_bodies: Vec<Vec<u8>>,
    ended_places: Vec<i32>,
    ended_bodies: Vec<Vec<u8>>,
}

/// Returns the number of a place in the arrays of SQL.
fn number_of(place: usize) -> i32 {
    i32::try_from(place + 1).expect("a batch has fewer accounts than memory has octets")
}

impl Call {
    /// Adds an account; `None` if it was only looked at.
    pub(crate) fn add_account(
        &mut self,
        (id, version): (AccountId, i64),
        account: Option<&Account>,
        due: Option<Millis>,
    ) {
        let sessions = account.map_or(&[][..], Account::sessions);
        let closed = sessions.iter().filter(|session| session.is_closed).count();
        let count = |count: usize| i32::try_from(count).expect("each session has some octets");
        self.ids.push(id.0.cast_signed());
        self.versions.push(version);
        self.dues.push(due);
        self.currencies.push(account.map_or(0, |account| account.currency.0.into()));
        self.open_sessions.push(count(sessions.len() - closed));
        self.closed_sessions.push(count(closed));
        self.bodies.push(account.map(stored::account));
    }

    /// Adds what the account at a place leaves beside itself.
    pub(crate) fn add_effects(
        &mut self,
        place: usize,
        (at, currency): (Millis, Currency),
        effects: &Effects,
    ) {
        let place = number_of(place);
        for (entry, body) in stored::entries(effects) {
            self.entry_places.push(place);
            self.entry_numbers.push(entry.number.cast_signed());
            self.entry_times.push(at);
            self.entry_systems.push(system_number((currency, entry.unit, entry.system)));
            self.entry_amounts.push(-entry.amount);
            self.entry_bodies.push(body);
        }
        for body in stored::notices(effects) {
            self.notice_places.push(place);
            self.notice_times.push(at);
            self.notice_bodies.push(body);
        }
        for body in stored::ended_sessions(effects) {
            self.ended_places.push(place);
            self.ended_bodies.push(body);
        }
    }

    /// Stores the accounts, as the call of a writer and number, on the connection that is there. Returns the rows of
    /// those that are not stored; after a call that came before, of all.
    pub(crate) fn store(
        &self,
        connection: &mut Connection,
        (writer, call): &(Vec<u8>, i64),
    ) -> Result<Vec<Row>, Fault> {
        let parameters: [&(dyn ToSql + Sync); 20] = [
            writer,
            call,
            &self.ids,
            &self.versions,
            &self.dues,
            &self.currencies,
            &self.open_sessions,
            &self.closed_sessions,
            &self.bodies,
            &self.entry_places,
            &self.entry_numbers,
            &self.entry_times,
            &self.entry_systems,
            &self.entry_amounts,
            &self.entry_bodies,
            &self.notice_places,
            &self.notice_times,
            &self.notice_bodies,
            &self.ended_places,
            &self.ended_bodies,
        ];
        connection.query(STORE, &parameters)
    }

    /// Stores the accounts once, however often that is tried.
    pub(crate) fn store_once(&self, connection: &mut Connection) -> Result<Vec<Row>, Fault> {
        let mut attempts = Attempts::begin();
        // The connection has a writer's name once it was there.
        while let Err(fault) = connection.connect() {
            attempts.next(fault)?;
        }
        let of = connection.next_call();
        loop {
            let stored = connection.connect().and_then(|()| self.store(connection, &of));
            match stored {
                Ok(rows) => return Ok(rows),
                Err(fault) => attempts.next(fault)?,
            }
        }
    }

    /// Compares the accounts, of which none has changed, with the database. Returns the rows of those that differ.
    pub(crate) fn compare(&self, connection: &mut Connection) -> Result<Vec<Row>, Fault> {
        let select = "SELECT u.place::integer, false, coalesce(a.version, 0), a.due_ms, a.body
             FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS u(id, version, place)
             LEFT JOIN account a ON a.id = u.id WHERE coalesce(a.version, 0) <> u.version";
        connection.ask(select, &[&self.ids, &self.versions])
    }
}

/// Returns the number that the database has for a system account of a currency and unit.
pub(crate) fn system_number((currency, unit, system): (Currency, Unit, SystemAccount)) -> i64 {
    i64::from(currency.0) << 32
        | (unit as i64) << 24
        | (system.kind as i64) << 16
        | i64::from(system.number)
}

/// Returns the system account of a number.
pub(crate) fn system_of(number: i64) -> Option<(Currency, Unit, SystemAccount)> {
    let part = |from: u32| (number >> from) as u16;
    let [unit, kind] = [24, 16].map(|from| usize::from(part(from) & 0xff));
    let (unit, kind) = (*Unit::ALL.get(unit)?, *SystemKind::ALL.get(kind)?);
    let of = (Currency(part(32)), unit, SystemAccount { kind, number: part(0) });
    (system_number(of) == number).then_some(of)
}
