//! A connection to the server. All that is asynchronous is here.
//!
//! After any error the connection is given up: the server rolls back what it had begun, and the next call begins on another
//! one.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use accounts::AccountsError;
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use crate::copies::Copies;

/// How long an answer may take. A call takes milliseconds, and waits no longer than that for locks of others.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// How long a front tries again while the server is away: a restart takes some seconds, and clients of networks wait no
/// longer.
const TRY_FOR: Duration = Duration::from_secs(10);

/// The pause before the second attempt. It doubles with each, up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(20);

const PAUSE_MAX: Duration = Duration::from_millis(500);

/// What holds for each connection. Commits reach the disk before they are answered, whatever the default of the database is;
/// and a front that is gone in the middle of a transaction holds its locks for 10 seconds at most.
const SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SET idle_in_transaction_session_timeout = '10s';
    SET lock_timeout = '10s';
    SET statement_timeout = '15s'";

/// A connection, which is made when it is needed.
pub(crate) struct Connection {
    config: Config,
    live: Option<Live>,
    /// What the database knows the calls of this connection by.
    writer: Vec<u8>,
    /// The number of the last call.
    call: i64,
    /// The copies of the front.
    copies: Arc<Copies>,
}

struct Live {
    runtime: Runtime,
    client: Client,
    statements: Statements,
}

/// The statements that a connection has prepared.
type Statements = HashMap<&'static str, Statement>;

/// Why a statement was not answered.
#[derive(Debug)]
pub enum Fault {
    /// The server is not there, is busy, or the answer is lost. The statement may be done, and may succeed next time.
    Lost(Box<dyn Error + Send + Sync>),
    /// The server refuses it.
    Refused(tokio_postgres::Error),
    /// A row is damaged.
    Damaged(String),
    /// The caller wants nothing of the transaction to be stored.
    Undone(Box<dyn Error + Send + Sync>),
}

/// The answer did not come in time.
#[derive(Debug, thiserror::Error)]
#[error("the database server did not answer within {} seconds", ANSWER_WITHIN.as_secs())]
struct Late;

/// The connection was given up before.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the database server is lost")]
struct Gone;

impl Fault {
    /// Returns that a row is damaged.
    pub(crate) fn damaged(row: impl Into<String>) -> Self {
        Fault::Damaged(row.into())
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        let passes = match error.code() {
            // Nothing is answered if the server was not reached, or went away.
            None => !error.is_refused_here(),
            Some(code) => {
                let class = code.code().get(..2).unwrap_or_default();
                // Connections, resources, conflicts with others, and a server that starts or stops.
                matches!(class, "08" | "53" | "40" | "57")
                    || *code == SqlState::LOCK_NOT_AVAILABLE
                    || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            }
        };
        if passes { Fault::Lost(error.into()) } else { Fault::Refused(error) }
    }
}

/// Errors that this side makes.
trait Own {
    /// Returns whether the error is about the parameters or the configuration, and not about the server.
    fn is_refused_here(&self) -> bool;
}

impl Own for tokio_postgres::Error {
    fn is_refused_here(&self) -> bool {
        // An error without a cause is one of authentication or configuration; others are of the connection.
        !self.is_closed() && self.source().is_none_or(|cause| !cause.is::<std::io::Error>())
    }
}

impl From<Fault> for AccountsError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Lost(why) => AccountsError::Server(why),
            Fault::Undone(why) => AccountsError::Undone(why),
            Fault::Refused(why) => AccountsError::Server(why.into()),
            Fault::Damaged(row) => AccountsError::Damaged { row },
        }
    }
}

/// Attempts until the time is over.
pub(crate) struct Attempts {
    until: Instant,
    pause: Duration,
}

impl Attempts {
    pub(crate) fn begin() -> Self {
        Attempts { until: Instant::now() + TRY_FOR, pause: PAUSE_MIN }
    }

    /// Waits for the next attempt after one that failed.
    ///
    /// # Errors
    ///
    /// There is none: the server refuses, or the time is over.
    pub(crate) fn next(&mut self, fault: Fault) -> Result<(), Fault> {
        if !matches!(fault, Fault::Lost(_)) || Instant::now() + self.pause > self.until {
            return Err(fault);
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        Ok(())
    }
}

impl Connection {
    pub(crate) fn new(config: Config, copies: Arc<Copies>) -> Self {
        Connection { config, live: None, writer: Vec::new(), call: 0, copies }
    }

    /// Returns the name and the number of the next call.
    pub(crate) fn next_call(&mut self) -> (Vec<u8>, i64) {
        self.call += 1;
        (self.writer.clone(), self.call)
    }

    /// Connects if there is no connection.
    pub(crate) fn connect(&mut self) -> Result<(), Fault> {
        if self.live.as_ref().is_some_and(|live| !live.client.is_closed()) {
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // It needs a descriptor or two, which busy clients may have taken.
        let runtime = runtime.map_err(|why| Fault::Lost(why.into()))?;
        let client = runtime.block_on(async {
            let connecting = tokio::time::timeout(ANSWER_WITHIN, self.config.connect(NoTls));
            let (client, connection) = connecting.await.map_err(|_| Fault::Lost(Late.into()))??;
            // Its errors are those of the statements that wait for it.
            tokio::spawn(connection);
            Ok::<_, Fault>(client)
        })?;
        self.live = Some(Live { runtime, client, statements: HashMap::new() });
        // Another server may have taken over, whose accounts have gone another way since.
        self.copies.clear();
        self.batch(SETTINGS)?;
        if self.writer.is_empty() {
            let name = self.query("SELECT uuid_send(gen_random_uuid())", &[])?;
            self.writer = name[0].get(0);
        }
        Ok(())
    }

    /// Gives the connection up. The server rolls back what was begun.
    pub(crate) fn give_up(&mut self) {
        self.live = None;
    }

    /// Runs a statement on the connection that is there.
    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        self.answer(async |client, statements| {
            let statement = match statements.get(sql) {
                Some(statement) => statement.clone(),
                None => {
                    let prepared = client.prepare(sql).await?;
                    statements.entry(sql).or_insert(prepared).clone()
                }
            };
            client.query(&statement, parameters).await
        })
    }

    /// Runs statements without parameters on the connection that is there.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.answer(async |client, _| client.batch_execute(sql).await)
    }

    fn answer<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Client, &mut Statements) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, Fault> {
        let mut live = self.live.take().ok_or_else(|| Fault::Lost(Gone.into()))?;
        let Live { runtime, client, statements } = &mut live;
        let asking = async { tokio::time::timeout(ANSWER_WITHIN, ask(client, statements)).await };
        let answered = runtime.block_on(asking).map_err(|_| Fault::Lost(Late.into()))??;
        self.live = Some(live);
        Ok(answered)
    }

    /// Runs a statement that may be done twice.
    pub(crate) fn ask(
        &mut self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        let mut attempts = Attempts::begin();
        loop {
            let asked = self.connect().and_then(|()| self.query(sql, parameters));
            match asked {
                Ok(rows) => return Ok(rows),
                Err(fault) => attempts.next(fault)?,
            }
        }
    }
}
