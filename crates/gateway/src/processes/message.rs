//! The messages between a gateway and its processes: postcard, each after its length in four octets, over a pair of
//! sockets.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use node::Committed;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::remembered::Remembered;
use super::rows::Outcome;
use crate::commit::file_ops::{Errand, Reply};
use crate::execute::job::{About, Task};
use crate::execute::worker::JobFailure;
use flow::fingerprint::Marks;
use flow::groups::Serves;
use state::in_memory::SnapshotRows;
use suspense::Row;

/// The longest message that is accepted.
const OCTETS_MAX: usize = u32::MAX as usize;

/// The number of a task that a process works on.
pub(crate) type Number = u64;

/// A message of the gateway.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToProcess {
    /// The first message: the role of the process.
    Begin(Begin),
    Task(Number, Task, About),
    Errand(Number, Errand),
    /// The task is committed, and its state changes are final; or it is not, and its nodes drop them.
    Settled(Number, Option<Committed>),
    /// The process must give up its current work.
    Stop,
}

/// How a process begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) role: Role,
    /// The marks of the files that the flow was made of.
    pub(crate) marks: Marks,
    /// The folder of the journal, as when the gateway started.
    pub(crate) state: PathBuf,
    /// Whether there is a journal.
    pub(crate) is_written: bool,
}

/// The role of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Role {
    /// It processes tasks.
    Processing(Workers),
    /// It runs file operations, one after the other.
    FileOps,
}

/// The workers of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Workers {
    pub(crate) threads: usize,
    /// The place of the first thread, if threads are bound to processors.
    pub(crate) place: usize,
    /// Whose tasks they do.
    pub(crate) serves: Serves,
    /// The nodes that keep their state here.
    pub(crate) nodes: Vec<usize>,
    /// Octets of a stretch of a large file.
    pub(crate) stretch_octets: usize,
}

/// A message of a process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromProcess {
    /// It has the flow, or this is why not.
    Begun(Result<(), BeginError>),
    /// Rejected records of a task, sent early because there are many.
    Aside(Number, Vec<Row>),
    /// The rejected records of a task so far are void: it begins again, or is given up.
    NoneAside(Number),
    Done(Number, Result<Outcome, JobFailure>),
    Run(Number, Reply),
    /// The status of a node with state, by its place.
    Remembered(usize, Remembered),
    /// Parts of the snapshot of a node whose state is there.
    Snapshot(SnapshotRows),
    Event(RemoteEvent),
    /// A sign of life.
    Alive,
}

/// Why a process does not begin. A cause crosses the wire as a text.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub(crate) enum BeginError {
    /// Its flow is not the gateway's.
    #[error("the flow has changed since the gateway read it")]
    FlowChanged,
    /// The journal cannot be read.
    #[error("{cause}")]
    Journal { cause: String },
    /// The system starts no thread.
    #[error("no thread could be started: {cause}")]
    NoThread { cause: String },
}

/// An event for the log.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RemoteEvent {
    pub(super) importance: Importance,
    /// The part of the program that logs it.
    pub(super) part: String,
    pub(super) text: String,
    /// The fields of the event, as a JSON object.
    pub(super) fields: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Importance {
    Error,
    Warn,
    Info,
    Debug,
}

/// One end of the wire between a gateway and a process.
#[derive(Clone, Debug)]
pub struct Wire(Arc<Mutex<UnixStream>>);

impl Wire {
    /// Makes an end over a socket. Another thread may read the socket.
    pub(super) fn new(socket: UnixStream) -> Self {
        Wire(Arc::new(Mutex::new(socket)))
    }

    /// Returns the end of a child process, which is its standard input.
    pub fn of_standard_input() -> io::Result<Self> {
        let socket = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Wire::new(socket.into()))
    }

    /// Sends an event to the gateway's log: its part, level and text, and its fields as a JSON object.
    pub fn say(&self, (part, level): (String, tracing::Level), text: String, fields: String) {
        let importance = match level {
            tracing::Level::ERROR => Importance::Error,
            tracing::Level::WARN => Importance::Warn,
            tracing::Level::INFO => Importance::Info,
            _ => Importance::Debug,
        };
        let _ = self.send(&FromProcess::Event(RemoteEvent { importance, part, text, fields }));
    }

    /// Sends a message. If the other end is gone, the reader finds out. An error says why the message cannot be
    /// encoded, for example for a file name that is not text.
    pub(crate) fn send(&self, message: &impl Serialize) -> Result<(), postcard::Error> {
        let mut octets = postcard::to_extend(message, vec![0; 4])?;
        let length = octets.len() - 4;
        if length > OCTETS_MAX {
            return Err(postcard::Error::SerializeBufferFull);
        }
        octets[..4].copy_from_slice(&(length as u32).to_le_bytes());
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&octets);
        Ok(())
    }

    /// Returns the reader. Only one thread may read.
    pub(crate) fn reader(&self) -> io::Result<Reader> {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner).try_clone()?;
        Ok(Reader { socket: io::BufReader::new(socket), octets: Vec::new() })
    }

    /// Closes the sending side.
    pub(super) fn close(&self) {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = socket.shutdown(std::net::Shutdown::Write);
    }
}

/// Returns whether the other end is gone. A killed process may leave unread messages.
fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
}

pub(crate) struct Reader {
    socket: io::BufReader<UnixStream>,
    octets: Vec<u8>,
}

impl Reader {
    /// Reads the next message. Returns none if the other end is gone.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let mut length = [0; 4];
        match self.socket.read_exact(&mut length) {
            Err(error) if is_end(&error) => return Ok(None),
            read => read?,
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > OCTETS_MAX {
            return Err(io::Error::other(format!("a message of {length} octets is none")));
        }
        self.octets.resize(length, 0);
        self.socket.read_exact(&mut self.octets)?;
        postcard::from_bytes(&self.octets).map(Some).map_err(io::Error::other)
    }
}
