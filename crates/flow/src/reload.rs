//! Asking a running gateway to look at its flow now.
//!
//! A gateway listens at a Unix domain socket beside its flow file, `.flow.toml.socket`, which only its own user
//! may open. Who connects writes one line, `reload`, and is given one line of JSON: an [`Answer`]. The flow is
//! prepared here, in a thread of its own, so that mistakes are answered at once whatever the workers do; what
//! has none is handed to the run, which takes it between two input files.

use std::fs::Permissions;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::marks::Marks;
use crate::prepare::{Parts, Prepared, prepare};

/// What is asked. There is nothing else to ask for yet.
const REQUEST: &str = "reload\n";

/// How long one who is connected may take to say what is wanted.
const REQUEST_WITHIN: Duration = Duration::from_secs(1);

/// How long an answer waits for the files in work; then it says that they are waited for.
const FILES_IN_WORK: Duration = Duration::from_secs(2);

/// How long an answer may take: a flow of many modules is read first.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// How often the listener looks whether somebody has come, or the run has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// The flow runs as its files are.
    Active {
        /// What changed when it last did; nothing if that was its beginning.
        changed: Vec<String>,
        /// How long ago that was.
        seconds: u64,
    },
    /// The flow has no mistakes. It runs as its files are when the input files in work are done.
    Pending {
        /// What changes then.
        changed: Vec<String>,
    },
    /// The flow has mistakes, and goes on as it was.
    Mistakes {
        /// Each as it is shown.
        mistakes: Vec<String>,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// Nobody listens.
    #[error("no gateway runs \"{}\"", .0.display())]
    NotRunning(PathBuf),
    /// Somebody does, and does not answer.
    #[error("the gateway that runs \"{}\" does not answer", path.display())]
    NoAnswer {
        /// The flow file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

/// Asks the gateway that runs a flow to look at it now.
pub fn reload(path: &Path) -> Result<Answer, ReloadError> {
    let mut stream =
        UnixStream::connect(socket(path)).map_err(|_| ReloadError::NotRunning(path.into()))?;
    let mut ask = || -> io::Result<Answer> {
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(REQUEST.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    };
    ask().map_err(|cause| ReloadError::NoAnswer { path: path.into(), cause })
}

/// Where the gateway of a flow listens.
fn socket(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.socket"))
}

/// What the listener and the run share.
pub(crate) struct Desk {
    state: Mutex<State>,
    /// Told when the run has taken what was handed to it.
    taken: Condvar,
    /// Set when the run is to take what is wanted next.
    asked: AtomicBool,
    ended: AtomicBool,
}

struct State {
    /// What is wanted next, and when its files were read.
    next: Option<(Prepared, SystemTime)>,
    /// What runs, since when, and what changed then.
    running: Marks,
    since: Instant,
    changed: Vec<String>,
}

impl Desk {
    /// Of a run that begins with this flow.
    pub(crate) fn new(running: &Prepared) -> Self {
        let running = running.marks.clone();
        let state = State { next: None, running, since: Instant::now(), changed: Vec::new() };
        Desk {
            state: Mutex::new(state),
            taken: Condvar::new(),
            asked: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Set when somebody has asked for another flow than the one that runs.
    pub(crate) fn asked(&self) -> &AtomicBool {
        &self.asked
    }

    /// The flow that was asked for, and when its files were read.
    pub(crate) fn take(&self) -> Option<(Prepared, SystemTime)> {
        self.asked.store(false, Ordering::Relaxed);
        self.lock().next.take()
    }

    /// Notes that another flow runs.
    pub(crate) fn runs(&self, flow: &Prepared) {
        let mut state = self.lock();
        if state.running != flow.marks {
            state.changed = flow.marks.changed(&state.running);
            state.running = flow.marks.clone();
            state.since = Instant::now();
        }
        self.taken.notify_all();
    }

    /// Ends the listening when it is dropped: at the end of the run, and where it panics.
    pub(crate) fn ends(&self) -> impl Drop + '_ {
        struct Ends<'d>(&'d Desk);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.ended.store(true, Ordering::Relaxed);
            }
        }
        Ends(self)
    }

    /// What a request finds and does.
    fn answer(&self, path: &Path, parts: Parts<'_>) -> Answer {
        let read = SystemTime::now();
        let (prepared, diagnostics) = prepare(path, parts);
        let Some(next) = prepared.filter(|_| !diagnostics::has_errors(&diagnostics)) else {
            return Answer::Mistakes {
                mistakes: diagnostics.iter().map(ToString::to_string).collect(),
            };
        };
        let wanted = next.marks.clone();
        let mut state = self.lock();
        let changed = wanted.changed(&state.running);
        if state.running != wanted {
            state.next = Some((next, read));
            self.asked.store(true, Ordering::Relaxed);
            let waits = |state: &mut State| state.running != wanted;
            let (left, waited) = self
                .taken
                .wait_timeout_while(state, FILES_IN_WORK, waits)
                .unwrap_or_else(PoisonError::into_inner);
            if waited.timed_out() {
                return Answer::Pending { changed };
            }
            state = left;
        }
        Answer::Active { changed: state.changed.clone(), seconds: state.since.elapsed().as_secs() }
    }
}

/// Answers requests until the run has ended.
pub(crate) fn listen(door: &Door, desk: &Desk, path: &Path, parts: Parts<'_>) {
    while !desk.ended.load(Ordering::Relaxed) {
        match door.listener.accept() {
            // Who goes away without an answer does not want one.
            Ok((stream, _)) => drop(serve(stream, || desk.answer(path, parts))),
            Err(_) => thread::sleep(LOOK_AGAIN),
        }
    }
}

fn serve(mut stream: UnixStream, answer: impl FnOnce() -> Answer) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(REQUEST_WITHIN))?;
    let mut request = String::new();
    BufReader::new((&stream).take(REQUEST.len() as u64)).read_line(&mut request)?;
    if request == REQUEST {
        serde_json::to_writer(&stream, &answer())?;
        stream.write_all(b"\n")?;
    }
    Ok(())
}

/// A socket that is listened at; it is removed in the end.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

impl Door {
    /// The one of a flow file. One that a gateway left which was killed is taken over.
    pub(crate) fn open(flow: &Path) -> io::Result<Self> {
        let path = socket(flow);
        if UnixStream::connect(&path).is_ok() {
            return Err(io::Error::other("another gateway runs this flow, and is asked"));
        }
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Door { listener, path })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
