//! A front: it works on batches of tasks.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use accounts::{Accounts, AccountsError, Task};
use ledger::{Account, AccountId};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};

use crate::connection::{Connection, Fault};
use crate::copies::{AccountCopy, Copies};
use crate::drafts::{Drafts, lazily_due};
use crate::schema;

/// How often a batch is decided on copies. What other fronts have changed each time is decided under locks then, so that
/// each batch has an end.
const ROUNDS_MAX: usize = 4;

/// A front of the accounts of a database. Any number may work on it, in this process or others.
pub struct Front {
    config: Config,
    /// Connections that no thread uses.
    idle: Mutex<Vec<Connection>>,
    pub(crate) copies: Arc<Copies>,
}

impl fmt::Debug for Front {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Front").finish_non_exhaustive()
    }
}

/// A connection that a thread uses for a while.
pub(crate) struct Lent<'f> {
    front: &'f Front,
    connection: Option<Connection>,
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // A panic may have left a transaction open.
        if !std::thread::panicking() {
            self.front.idle().extend(self.connection.take());
        }
    }
}

impl Front {
    /// Opens the accounts of a database, and creates their tables if there are none, with those of the caller: `beside` is
    /// their SQL.
    ///
    /// # Errors
    ///
    /// The server is not there or refuses, or the tables are those of another version of this program.
    pub fn open(config: Config, beside: &str) -> Result<Self, AccountsError> {
        let front = Front { config, idle: Mutex::default(), copies: Arc::default() };
        schema::ensure(&mut front.connection(), beside)?;
        Ok(front)
    }

    /// Runs a statement on tables of the caller. It may be done twice, if its answer was lost.
    ///
    /// # Errors
    ///
    /// The server fails, or refuses the statement.
    pub fn ask(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, AccountsError> {
        Ok(self.connection().ask(sql, parameters)?)
    }

    /// Returns a connection that no other thread uses.
    pub(crate) fn connection(&self) -> Lent<'_> {
        let idle = self.idle().pop();
        let connection =
            idle.unwrap_or_else(|| Connection::new(self.config.clone(), Arc::clone(&self.copies)));
        Lent { front: self, connection: Some(connection) }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `look` with an account as it is.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn look<T>(
        &self,
        id: AccountId,
        look: impl FnOnce(Option<&Account>) -> T,
    ) -> Result<T, AccountsError> {
        let mut read = HashMap::new();
        read_copies(&mut self.connection(), &[id], &mut read)?;
        Ok(look(read.remove(&id).and_then(|copy| copy.account).as_ref()))
    }

    /// Calls `look` with each of some accounts as it is.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn look_each(
        &self,
        ids: &[AccountId],
        mut look: impl FnMut(AccountId, Option<&Account>),
    ) -> Result<(), AccountsError> {
        let mut read = HashMap::new();
        read_copies(&mut self.connection(), ids, &mut read)?;
        for id in ids {
            look(*id, read.get(id).and_then(|copy| copy.account.as_ref()));
        }
        Ok(())
    }

    /// Returns drafts of accounts, which are in order: of those that were just read, of copies, and of the rest as it is in
    /// the database. Also returns whether all of them were just read.
    fn drafts(
        &self,
        connection: &mut Connection,
        ids: &[AccountId],
        mut read: HashMap<AccountId, AccountCopy>,
    ) -> Result<(Drafts, bool), Fault> {
        let mut copies: HashMap<AccountId, AccountCopy> = HashMap::new();
        let mut missing = Vec::new();
        for id in ids.iter().filter(|id| !read.contains_key(id)) {
            match self.copies.take(*id) {
                Some(copy) => drop(copies.insert(*id, copy)),
                None => missing.push(*id),
            }
        }
        read_copies(connection, &missing, &mut read)?;
        let are_read = copies.is_empty();
        let mut drafts = Drafts::default();
        for id in ids {
            let copy = read.remove(id).or_else(|| copies.remove(id));
            drafts.add(*id, copy.unwrap_or_default());
        }
        Ok((drafts, are_read))
    }

    /// Stores drafts. Returns the accounts that are not stored, as they are.
    fn store(
        &self,
        connection: &mut Connection,
        (drafts, are_read): (Drafts, bool),
    ) -> Result<HashMap<AccountId, AccountCopy>, Fault> {
        let have_changed = drafts.have_changed();
        let (call, copies) = drafts.finish(lazily_due);
        let rows = match (have_changed, are_read) {
            (true, _) => call.store_once(connection)?,
            (false, false) => call.compare(connection)?,
            // What was looked at was so after the tasks had come.
            (false, true) => Vec::new(),
        };
        let mut differing = HashMap::new();
        let mut known: HashMap<usize, (bool, AccountCopy)> = HashMap::with_capacity(rows.len());
        for row in &rows {
            let place = place(row, copies.len())?;
            let (id, _) = copies[place];
            known.insert(place, (row.try_get(1)?, AccountCopy::read(row, id, 2)?));
        }
        for (place, (id, copy)) in copies.into_iter().enumerate() {
            match known.remove(&place) {
                None => self.put(id, copy),
                Some((true, copy)) => self.put(id, copy),
                Some((false, copy)) => drop(differing.insert(id, copy)),
            }
        }
        Ok(differing)
    }

    /// Adds a copy of an account that is there.
    pub(crate) fn put(&self, id: AccountId, copy: AccountCopy) {
        if copy.account.is_some() {
            self.copies.put(id, copy);
        }
    }
}

/// Returns the place of an account in its call of a number of accounts, from 0.
fn place(row: &Row, count: usize) -> Result<usize, Fault> {
    let place: i32 = row.try_get(0)?;
    let from_zero = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
    from_zero
        .filter(|place| *place < count)
        .ok_or_else(|| Fault::damaged(format!("the answer about account {place} of a call")))
}

/// Reads accounts as they are.
pub(crate) fn read_copies(
    connection: &mut Connection,
    ids: &[AccountId],
    read: &mut HashMap<AccountId, AccountCopy>,
) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = ids.iter().map(|id| id.0.cast_signed()).collect();
    let select = "SELECT id, version, due_ms, body FROM account WHERE id = ANY ($1)";
    for row in connection.ask(select, &[&ids])? {
        let id = AccountId(row.try_get::<_, i64>(0)?.cast_unsigned());
        read.insert(id, AccountCopy::read(&row, id, 1)?);
    }
    Ok(())
}

impl Accounts for Front {
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError> {
        // The tasks that are left, those of one account in their order.
        let mut left: Vec<usize> = (0..tasks.len()).collect();
        left.sort_by_key(|place| tasks[*place].account());
        let accounts = |tasks: &[T], left: &[usize]| {
            let mut ids: Vec<AccountId> =
                left.iter().map(|place| tasks[*place].account()).collect();
            ids.dedup();
            ids
        };
        let mut read = HashMap::new();
        let mut connection = self.connection();
        for _ in 0..ROUNDS_MAX {
            if left.is_empty() {
                return Ok(());
            }
            let ids = accounts(tasks, &left);
            let (mut drafts, are_read) = self.drafts(&mut connection, &ids, read)?;
            left.iter().for_each(|place| drafts.work(&mut tasks[*place]));
            read = self.store(&mut connection, (drafts, are_read))?;
            left.retain(|place| read.contains_key(&tasks[*place].account()));
        }
        drop(connection);
        if left.is_empty() {
            return Ok(());
        }
        let ids = accounts(tasks, &left);
        self.locked(&ids, |of| {
            left.iter().for_each(|place| of.work(&mut tasks[*place]));
            Ok(())
        })
    }
}
