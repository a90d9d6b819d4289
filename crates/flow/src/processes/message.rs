//! What a gateway and its processing processes say to each other: messages in postcard, each behind its length in four
//! octets, over a pair of sockets.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::remembered::Remembered;
use super::rows::Outcome;
use crate::commit::file_ops::{Errand, Reply};
use crate::definition::fingerprint::Marks;
use crate::definition::groups::Serves;
use crate::execute::job::{About, Task};
use crate::execute::worker::JobFailure;
use crate::suspense::Row;

/// Longest message that is believed to be one.
const OCTETS_MAX: usize = u32::MAX as usize;

/// The number of a task that a process has in hand.
pub(crate) type Number = u64;

/// What the gateway says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToProcess {
    /// The first: what the process is to be.
    Begin(Begin),
    Task(Number, Task, About),
    Errand(Number, Errand),
    /// What nodes noted of a task is kept, since when; or not.
    Settled(Number, Option<SystemTime>),
    /// What is in hand is to be given up.
    Stop,
}

/// What a process is to be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) role: Role,
    /// What the flow was made of.
    pub(crate) marks: Marks,
    /// The folder of the journal, which the gateway has had since it was started.
    pub(crate) state: PathBuf,
    /// Whether there is a journal.
    pub(crate) is_kept: bool,
}

/// What a process does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Tasks.
    Processing(Workers),
    /// Errands, one after the other.
    FileOps,
}

/// Who does the tasks of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Workers {
    pub(crate) threads: usize,
    /// Where the first of them has its place, if they are bound to places.
    pub(crate) place: usize,
    /// Whose tasks they do.
    pub(crate) serves: Serves,
    /// The places of the nodes that remember what comes here.
    pub(crate) nodes: Vec<usize>,
    /// Octets of a stretch of a large file.
    pub(crate) stretch_octets: usize,
}

/// What a process says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromProcess {
    /// It has the flow; or why not.
    Begun(Result<(), String>),
    /// Records of a task that are set aside, where there are many.
    Aside(Number, Vec<Row>),
    /// Those of a task that were set aside so far are not: it is begun again, or given up.
    NoneAside(Number),
    Done(Number, Result<Outcome, JobFailure>),
    Run(Number, Reply),
    /// How a node stands that remembers, by its place.
    Remembered(usize, Remembered),
    Said(Said),
    /// It is there.
    Alive,
}

/// Something for the log.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(super) importance: Importance,
    /// Which part said it.
    pub(super) part: String,
    pub(super) text: String,
    /// What it is about: an object of JSON.
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
    /// By a socket that is read elsewhere.
    pub(super) fn new(socket: UnixStream) -> Self {
        Wire(Arc::new(Mutex::new(socket)))
    }

    /// That of a processing process, which is its standard input.
    pub fn of_standard_input() -> io::Result<Self> {
        let socket = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Wire::new(socket.into()))
    }

    /// Tells the gateway's log something: which part says it how loud, in words, and what it is about as an object of JSON.
    pub fn say(&self, (part, level): (String, tracing::Level), text: String, fields: String) {
        let importance = match level {
            tracing::Level::ERROR => Importance::Error,
            tracing::Level::WARN => Importance::Warn,
            tracing::Level::INFO => Importance::Info,
            _ => Importance::Debug,
        };
        let _ = self.send(&FromProcess::Said(Said { importance, part, text, fields }));
    }

    /// Sends a message. Where the other end is gone, that is read; an error says why a message is none that can be sent: a
    /// name of a file that is no text, say.
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

    /// The end by which it is read: one thread does.
    pub(crate) fn reader(&self) -> io::Result<Reader> {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner).try_clone()?;
        Ok(Reader { socket: io::BufReader::new(socket), octets: Vec::new() })
    }

    /// The other end reads no more from it.
    pub(super) fn close(&self) {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = socket.shutdown(std::net::Shutdown::Write);
    }
}

/// Whether the other end is gone; with something unread, where it was killed.
fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
}

pub(crate) struct Reader {
    socket: io::BufReader<UnixStream>,
    octets: Vec<u8>,
}

impl Reader {
    /// The next message; none where the other end is gone.
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
