//! The writer thread. It takes all waiting changes, makes them in one transaction, and replies to
//! each caller when the transaction is on the disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode};

use crate::check_mark::Mark;
use crate::checkpoints::Checkpoints;
use crate::integrity::set_log_stays;
use crate::witness::Witness;
use crate::{Commits, QueryResult, StoreError};

/// The maximum number of changes in a transaction, so that the first caller does not wait for all
/// later ones.
const CHANGES_MAX: usize = 1_000;

/// How long a change without a waiting caller is held back, so that it shares a transaction with a
/// change that has one.
const LATER_WAIT: Duration = Duration::from_millis(100);

/// A request to the writer.
enum Request {
    /// A change, whether a caller waits for it, and whether it has a transaction of its own.
    Change { change: Change, is_awaited: bool, is_alone: bool },
    /// An action after the transaction of the changes around it.
    AfterCommit(Action),
}

impl Request {
    fn is_awaited(&self) -> bool {
        matches!(self, Request::Change { is_awaited: true, .. })
    }

    fn is_alone(&self) -> bool {
        matches!(self, Request::Change { is_alone: true, .. })
    }
}

type Action = Box<dyn FnOnce(&Connection) -> QueryResult<()> + Send>;

/// Makes a change within a transaction, or receives the reason why there is none.
type Change = Box<dyn FnOnce(Result<Transaction<'_>, Failure>) -> Option<ChangeResult> + Send>;

/// A transaction that a change is made in.
#[derive(Clone, Copy)]
struct Transaction<'c> {
    connection: &'c Connection,
    /// Whether it has this change alone: to undo the change is to undo the transaction.
    is_of_one: bool,
}

/// A change that was made, or undone alone.
struct ChangeResult {
    /// The failure that undid the whole transaction, if any.
    undid_all: Option<Failure>,
    /// Replies to the caller at the end of the transaction.
    reply: Box<dyn FnOnce(Result<(), Failure>) + Send>,
}

/// Why a transaction was not committed.
#[derive(Clone, Debug)]
struct Failure {
    reason: String,
    /// Whether no further write is allowed.
    is_final: bool,
}

impl Failure {
    fn into_error(self, path: String) -> StoreError {
        let Failure { reason, is_final } = self;
        match is_final {
            true => StoreError::Stopped { path, reason },
            false => StoreError::Database { path, reason },
        }
    }
}

#[derive(Debug)]
pub(crate) struct Writer {
    path: String,
    changes: Option<Sender<Request>>,
    thread: Option<JoinHandle<Result<(), Failure>>>,
    commits: Arc<Commits>,
}

impl Writer {
    pub(crate) fn start(mut database: Database, path: &Path) -> Self {
        let (changes, waiting) = channel();
        let commits = Arc::<Commits>::default();
        let counted = Arc::clone(&commits);
        let thread = thread::Builder::new()
            .name("store".into())
            .spawn(move || {
                let ended = write(&mut database, &waiting, &counted);
                database.close(ended)
            })
            .expect("a thread can be started");
        let path = path.display().to_string();
        Writer { path, changes: Some(changes), thread: Some(thread), commits }
    }

    pub(crate) fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.begin(change).wait()
    }

    pub(crate) fn begin<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Committing<T> {
        self.begin_change(change, false)
    }

    /// Makes a change in a transaction of its own.
    pub(crate) fn commit_alone<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.begin_change(change, true).wait()
    }

    fn begin_change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
        is_alone: bool,
    ) -> Committing<T> {
        let (reply, answer) = sync_channel(1);
        let change = with_reply(change, reply);
        // If the writer has ended, the request is dropped with its reply, and the caller gets the error.
        self.send(Request::Change { change, is_awaited: true, is_alone });
        Committing { answer, path: self.path.clone() }
    }

    pub(crate) fn later(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static,
    ) {
        let (reply, _) = sync_channel(1);
        let change = with_reply(change, reply);
        self.send(Request::Change { change, is_awaited: false, is_alone: false });
    }

    pub(crate) fn after_commit(
        &self,
        action: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static,
    ) {
        self.send(Request::AfterCommit(Box::new(action)));
    }

    fn send(&self, request: Request) {
        if let Some(changes) = &self.changes {
            // If the writer has ended, the next caller that waits gets the error.
            let _ = changes.send(request);
        }
    }

    pub(crate) fn commits(&self) -> &Arc<Commits> {
        &self.commits
    }

    fn error(&self, failure: Failure) -> StoreError {
        failure.into_error(self.path.clone())
    }
}

/// A change on its way to the disk.
#[derive(Debug)]
pub struct Committing<T> {
    answer: Receiver<Result<T, Failure>>,
    path: String,
}

impl<T> Committing<T> {
    /// Waits until the change is on the disk.
    ///
    /// # Errors
    ///
    /// The change failed, or its transaction was not committed.
    pub fn wait(self) -> Result<T, StoreError> {
        let ended = |_| Failure { reason: "its writer has ended".into(), is_final: true };
        let answer = self.answer.recv().map_err(ended).and_then(|answer| answer);
        answer.map_err(|failure| failure.into_error(self.path))
    }
}

/// The database with the files that record its state.
pub(crate) struct Database {
    pub(crate) connection: Connection,
    pub(crate) witness: Witness,
    pub(crate) mark: Arc<Mark>,
    pub(crate) checkpoints: Checkpoints,
}

impl Database {
    /// Commits the current transaction.
    fn commit(&mut self) -> QueryResult<()> {
        self.witness.count(&self.connection)?;
        self.connection.execute_batch("COMMIT")?;
        self.witness.committed();
        Ok(())
    }

    /// Goes on with moving the log into the database file. Its failures are final: they may leave a part of a page there.
    fn advance_checkpoint(&mut self) -> Result<(), Failure> {
        self.checkpoints.advance(&self.connection).map_err(|error| final_failure(&error))
    }

    /// Closes the database. The last connection to close moves the log into it, unless a write has failed: what the system
    /// could not write is in the log alone then.
    fn close(self, ended: Result<(), Failure>) -> Result<(), Failure> {
        let Database { connection, mark, checkpoints, .. } = self;
        let copied = checkpoints.end().map_err(|error| final_failure(&error));
        let ended = ended.and(copied);
        match ended {
            Ok(()) => mark.begin_write(),
            Err(_) => {
                // If this fails too, the log is moved: SQLite then reads what was written before.
                let _ = set_log_stays(&connection, true);
            }
        }
        drop(connection);
        mark.closed();
        ended
    }
}

impl Writer {
    /// Waits until all requests are written and the database is closed; returns the failure of the
    /// writer, if any.
    pub(crate) fn end(&mut self) -> Result<(), StoreError> {
        self.changes = None;
        // The panic was reported where it happened, and waiting callers got an error.
        let panicked = || Failure { reason: "its writer has panicked".into(), is_final: true };
        let ended = self
            .thread
            .take()
            .map_or(Ok(()), |thread| thread.join().unwrap_or_else(|_| Err(panicked())));
        ended.map_err(|failure| self.error(failure))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // A caller that needs the result calls `end` itself.
        let _ = self.end();
    }
}

/// Commits waiting requests until all senders are gone. After a failed write, nothing more is
/// written: the state of the disk is unknown, and another attempt would hide the failure.
fn write(
    database: &mut Database,
    waiting: &Receiver<Request>,
    commits: &Commits,
) -> Result<(), Failure> {
    let mut next = None;
    while let Some(first) = next.take().or_else(|| waiting.recv().ok()) {
        let requests;
        (requests, next) = of_one_transaction(first, waiting);
        let begun = Instant::now();
        let ended = transaction(database, requests).inspect(|()| commits.add(begun.elapsed()));
        match ended.and_then(|()| database.advance_checkpoint()) {
            Err(failure) if failure.is_final => {
                database.mark.remove();
                next.into_iter().chain(waiting).for_each(|request| refuse(request, &failure));
                return Err(failure);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns a request with those that are in its transaction, and one that comes after that, if it was taken.
fn of_one_transaction(
    first: Request,
    waiting: &Receiver<Request>,
) -> (Vec<Request>, Option<Request>) {
    let end = Instant::now() + LATER_WAIT;
    let (mut is_awaited, is_alone) = (first.is_awaited(), first.is_alone());
    let mut requests = vec![first];
    while !is_alone && requests.len() < CHANGES_MAX {
        let left = end.saturating_duration_since(Instant::now());
        let wait = if is_awaited { Duration::ZERO } else { left };
        match waiting.recv_timeout(wait) {
            Ok(next) if next.is_alone() => return (requests, Some(next)),
            Ok(next) => {
                is_awaited |= next.is_awaited();
                requests.push(next);
            }
            Err(_) => break,
        }
    }
    (requests, None)
}

fn refuse(request: Request, failure: &Failure) {
    if let Request::Change { change, .. } = request {
        change(Err(failure.clone()));
    }
}

/// Makes changes in one transaction, replies to each caller, and runs the actions that follow.
fn transaction(database: &mut Database, requests: Vec<Request>) -> Result<(), Failure> {
    let begun = database.connection.execute_batch("BEGIN IMMEDIATE");
    let (mut results, mut ended) = (Vec::new(), begun.map_err(|error| failure(&error)));
    let mut actions = Vec::new();
    let is_of_one = requests.len() == 1;
    for request in requests {
        let change = match request {
            Request::Change { change, .. } => change,
            Request::AfterCommit(action) => {
                actions.push(action);
                continue;
            }
        };
        let transaction = Transaction { connection: &database.connection, is_of_one };
        let result = change(ended.as_ref().map(|()| transaction).map_err(Clone::clone));
        if let Some(failure) = result.as_ref().and_then(|result| result.undid_all.clone()) {
            ended = Err(failure);
        }
        results.extend(result);
    }
    let ended = ended.and_then(|()| database.commit().map_err(|error| failure(&error)));
    if ended.is_err() && !database.connection.is_autocommit() {
        // If the rollback fails, nothing is committed either: the next open undoes it.
        let _ = database.connection.execute_batch("ROLLBACK");
    }
    for ChangeResult { reply, .. } in results {
        reply(ended.clone());
    }
    let goes_on = !ended.as_ref().is_err_and(|failure| failure.is_final);
    if goes_on && database.connection.is_autocommit() {
        // The result is dropped: an action may be lost.
        actions.into_iter().for_each(|action| drop(action(&database.connection)));
    }
    ended
}

/// Wraps a change with the reply to its caller, who may have stopped waiting.
fn with_reply<T: Send + 'static>(
    change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    reply: SyncSender<Result<T, Failure>>,
) -> Change {
    Box::new(move |transaction| {
        let Transaction { connection, is_of_one } = match transaction {
            Ok(transaction) => transaction,
            Err(failure) => {
                let _ = reply.send(Err(failure));
                return None;
            }
        };
        // A savepoint copies each page that is changed.
        let changed = match is_of_one {
            true => change(connection),
            false => within_savepoint(connection, change),
        };
        // A full disk ends the transaction by itself; after a worse error the transaction cannot be
        // trusted.
        let failed = changed.as_ref().err().map(failure);
        let undid_all =
            failed.filter(|failed| failed.is_final || is_of_one || connection.is_autocommit());
        let reply = Box::new(move |ended: Result<(), Failure>| {
            let changed = changed.map_err(|error| failure(&error));
            let _ = reply.send(ended.and(changed));
        });
        Some(ChangeResult { undid_all, reply })
    })
}

fn within_savepoint<T>(
    connection: &Connection,
    change: impl FnOnce(&Connection) -> QueryResult<T>,
) -> QueryResult<T> {
    connection.execute_batch("SAVEPOINT change")?;
    match change(connection) {
        Ok(value) => connection.execute_batch("RELEASE change").map(|()| value),
        Err(error) => {
            if !connection.is_autocommit() {
                connection.execute_batch("ROLLBACK TO change; RELEASE change")?;
            }
            Err(error)
        }
    }
}

fn final_failure(error: &Error) -> Failure {
    Failure { is_final: true, ..failure(error) }
}

fn failure(error: &Error) -> Failure {
    let is_final = matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ReadOnly
        )
    );
    Failure { reason: error.to_string(), is_final }
}
