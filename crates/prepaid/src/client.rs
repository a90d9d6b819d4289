//! How calls reach the process that has the accounts: over the control socket in the folder of their state, one line of JSON
//! for a call and one for its answer.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::Scope;
use std::time::{Duration, Instant};

use diagnostics::with_causes;
use runtime::control_socket::{ControlSocket, connect};
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::LOG;
use crate::calls::{self, Authority, Call, Clerk};
use crate::definition::Definition;
use crate::refused::Refused;
use crate::renewals::settle;
use crate::system::{OpenError, System};

/// The most octets of a line.
const LINE_OCTETS_MAX: u64 = 64 << 20;

/// How long a call may take: a check of many entries takes minutes.
const ANSWER_WITHIN: Duration = Duration::from_secs(1_800);

/// How long a client waits for a process that starts or ends.
const OPENED_WITHIN: Duration = Duration::from_secs(10);

/// The time between two looks whether it has.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The time between two looks for connections.
const ACCEPT_EVERY: Duration = Duration::from_millis(10);

#[derive(Serialize, Deserialize)]
struct Line {
    call: String,
    who: String,
    request: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AnswerLine {
    Reply(Value),
    Refused(Refused),
}

/// A client of the charging system of a definition.
#[derive(Clone, Debug)]
pub struct Client {
    definition: PathBuf,
    /// Whether it may open the accounts itself, if no process has them.
    opens: bool,
}

impl Client {
    /// Creates a client of the system that `charging.toml` at a path defines. If no process has its accounts, the client
    /// opens them for its calls: for commands.
    pub fn new(definition: &Path) -> Self {
        Client { definition: definition.to_owned(), opens: true }
    }

    /// Creates a client that is refused if no process has the accounts: for servers, which may not hold them.
    pub fn of_running(definition: &Path) -> Self {
        Client { definition: definition.to_owned(), opens: false }
    }

    /// Finds out whether there is a definition.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find(&self) -> Result<(), Refused> {
        match self.definition.exists() {
            true => Ok(()),
            false => Err(Refused::Missing { path: self.definition.display().to_string() }),
        }
    }

    /// Returns whether a system may have used the definition before, which may have mistakes now.
    pub fn may_have_versions(&self) -> bool {
        Definition::place_of(&self.definition).is_some_and(|place| place.exists())
    }

    /// Makes a call.
    ///
    /// # Errors
    ///
    /// The call is refused, or the system cannot be reached or opened.
    pub fn call<C: Call>(&self, who: &str, call: C) -> Result<C::Reply, Refused> {
        let mut reply = None;
        self.call_each(who, std::iter::once(call), |of| reply = Some(of))?;
        Ok(reply.expect("the call was made"))
    }

    /// Makes calls one after another, until one is refused. `done` gets each reply.
    ///
    /// # Errors
    ///
    /// A call is refused, or the system cannot be reached or opened.
    pub fn call_each<C: Call>(
        &self,
        who: &str,
        mut calls: impl Iterator<Item = C>,
        mut done: impl FnMut(C::Reply),
    ) -> Result<(), Refused> {
        self.find()?;
        let system = match self.reach()? {
            Reached::Running(mut connection) => {
                return calls.try_for_each(|call| connection.call(who, &call).map(&mut done));
            }
            Reached::Opened(system) => system,
        };
        // An account is shown and charged as a system that runs would do it.
        settle(&system, system.now_ms()).map_err(calls::unusable)?;
        let clerk = Clerk { system: &system, who, authority: Authority::Person };
        let performed = calls.try_for_each(|call| call.perform(&clerk).map(&mut done));
        system.back.fold().map_err(calls::unusable)?;
        performed
    }

    /// Connects to the process that has the accounts, or opens them. One that starts or ends has them for a moment without
    /// an open socket.
    fn reach(&self) -> Result<Reached, Refused> {
        let begun = Instant::now();
        // A mistake in a tariff must not keep people from a system that runs.
        let place = Definition::place_of(&self.definition);
        let state = place.map(|place| place.state);
        let state = state.unwrap_or_else(|| Definition::default_state(&self.definition));
        loop {
            if let Some(connection) = connect(&state).map_err(no_answer)? {
                return Ok(Reached::Running(Connection::of(connection)?));
            }
            if !self.opens {
                return Err(Refused::NotRunning { path: self.definition.display().to_string() });
            }
            match self.open()? {
                Ok(system) => return Ok(Reached::Opened(Box::new(system))),
                Err(why) if why.is_in_use() && begun.elapsed() < OPENED_WITHIN => {
                    std::thread::sleep(LOOK_AGAIN);
                }
                Err(why) => return Err(Refused::Unusable { why: with_causes(&why) }),
            }
        }
    }

    /// Opens the accounts. If the definition has mistakes, its last version is used, as by a system that runs.
    fn open(&self) -> Result<Result<System, OpenError>, Refused> {
        let mistakes = match Definition::read(&self.definition) {
            Ok(definition) => return Ok(System::open_for_commands(definition)),
            Err(mistakes) => mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        };
        let mistakes = mistakes.join("\n\n");
        let opened = System::open_with_last_version(&self.definition).transpose();
        if let Some(Ok(system)) = &opened {
            system.note_unused(Some(mistakes.clone()));
            tracing::warn!(target: LOG, "the definition has mistakes, which \"tollgate charge check\" shows; its version that was in use last is used");
        }
        opened.ok_or(Refused::Mistakes { mistakes })
    }
}

/// Where calls are performed.
enum Reached {
    Running(Connection),
    Opened(Box<System>),
}

/// A connection to the process that has the accounts.
struct Connection {
    reader: BufReader<UnixStream>,
}

impl Connection {
    fn of(stream: UnixStream) -> Result<Self, Refused> {
        stream.set_read_timeout(Some(ANSWER_WITHIN)).map_err(no_answer)?;
        stream.set_write_timeout(Some(ANSWER_WITHIN)).map_err(no_answer)?;
        Ok(Connection { reader: BufReader::new(stream) })
    }

    fn call<C: Call>(&mut self, who: &str, call: &C) -> Result<C::Reply, Refused> {
        let request = serde_json::to_value(call).map_err(no_answer)?;
        let line = Line { call: C::NAME.to_owned(), who: who.to_owned(), request };
        write_line(self.reader.get_mut(), &line).map_err(no_answer)?;
        let mut text = String::new();
        self.reader.by_ref().take(LINE_OCTETS_MAX).read_line(&mut text).map_err(no_answer)?;
        match serde_json::from_str(&text).map_err(no_answer)? {
            AnswerLine::Reply(reply) => serde_json::from_value(reply).map_err(no_answer),
            AnswerLine::Refused(refused) => Err(refused),
        }
    }
}

fn no_answer(why: impl std::fmt::Display) -> Refused {
    Refused::NoAnswer { why: why.to_string() }
}

fn write_line(to: &mut UnixStream, line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    to.write_all(&text)
}

/// Answers calls over the control socket, in threads of a scope, until the stop.
///
/// # Errors
///
/// The socket cannot be bound, or the system refuses a thread.
pub fn answer_calls<'s>(
    scope: &'s Scope<'s, '_>,
    (system, state): (&'s System, &Path),
    stop: &Shutdown,
) -> Result<(), AnswerError> {
    let socket = ControlSocket::bind(state).map_err(AnswerError::Socket)?;
    let stop = stop.clone();
    threads::spawn_scoped(scope, move || {
        while !stop.is_set() {
            match socket.accept() {
                Ok(connection) => {
                    let stop = stop.clone();
                    let serve = move || serve(system, &connection, &stop);
                    if let Err(why) = threads::spawn_scoped(scope, serve) {
                        tracing::error!(target: LOG, "a call is not answered: {why}");
                    }
                }
                Err(why) if why.kind() == std::io::ErrorKind::WouldBlock => {
                    stop.wait(ACCEPT_EVERY);
                }
                Err(why) => {
                    tracing::error!(target: LOG, "calls are not answered: {why}");
                    stop.wait(Duration::from_secs(1));
                }
            }
        }
    })?;
    Ok(())
}

/// Why calls cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The control socket cannot be bound.
    #[error("the control socket cannot be bound")]
    Socket(#[source] std::io::Error),
    /// The system refuses a thread.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

/// Answers the calls of a connection until the other side closes it, or the system ends.
fn serve(system: &System, connection: &UnixStream, stop: &Shutdown) {
    let served = || -> std::io::Result<()> {
        connection.set_read_timeout(Some(Duration::from_secs(5)))?;
        let mut reader = BufReader::new(connection.try_clone()?);
        let mut writer = connection.try_clone()?;
        loop {
            let mut text = String::new();
            if reader.by_ref().take(LINE_OCTETS_MAX).read_line(&mut text)? == 0 {
                return Ok(());
            }
            let answer = match serde_json::from_str::<Line>(&text) {
                Ok(Line { call, who, request }) => {
                    let clerk = Clerk { system, who: &who, authority: Authority::Person };
                    match calls::perform(&clerk, &call, request) {
                        Ok(reply) => AnswerLine::Reply(reply),
                        Err(refused) => AnswerLine::Refused(refused),
                    }
                }
                Err(why) => AnswerLine::Refused(no_answer(why)),
            };
            write_line(&mut writer, &answer)?;
            if stop.is_set() {
                return Ok(());
            }
        }
    };
    if let Err(why) = served() {
        tracing::debug!(target: LOG, "a connection of a call ended: {why}");
    }
}
