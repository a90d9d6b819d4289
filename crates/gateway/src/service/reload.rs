//! Asks a running gateway to read its flow now.
//!
//! A gateway listens at a [`ControlSocket`], which only its own user may open. A client writes one line, `reload`, and
//! gets one line of JSON: an [`Answer`]. The gateway prepares the flow in a thread of its own, so that mistakes are
//! answered at once, whatever the workers do. A flow without mistakes goes to the run, which takes it between two input
//! files. The last answer holds: a flow that was read before it and differs from it does not run.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use diagnostics::Diagnostic;
use runtime::control_socket::{self, ControlSocket};
use runtime::file_watch::FileWatch;
use serde::{Deserialize, Serialize};

use crate::commit::Transactions;
use crate::compile::prepare::{Parts, certificate, prepare_at_rest};
use crate::compile::refused::Refusal;
use crate::plan::Plan;
use flow::drawing::without_secrets;
use flow::file;
use flow::fingerprint::Marks;

/// The request. There is no other yet.
const REQUEST: &str = "reload\n";

/// How long a client may take to send its request.
const REQUEST_WITHIN: Duration = Duration::from_secs(1);

/// How long a client may take to read the answer. The end of the run waits for it.
const ANSWER_READ_WITHIN: Duration = Duration::from_secs(1);

/// The most mistakes in an answer, so that it fits into a socket's buffer. It is more than a user fixes at once.
const MISTAKES_MAX: usize = 100;

/// How long an answer waits for the files in work. Then it says that the flow is pending.
const FILES_IN_WORK: Duration = Duration::from_secs(2);

/// How long an answer may take: a flow of many modules is read first.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// How long it may take to read a flow.
const READ_WITHIN: Duration = Duration::from_secs(60);

/// The time between two looks of the listener for a client or the end of the run.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long the same mistake of the certificate is not reported again.
const LOG_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// The flow runs as its files are.
    Active {
        /// The last change; empty if the flow has not changed since the start.
        changed: Vec<String>,
        /// How long ago that was.
        seconds: u64,
    },
    /// The flow has no mistakes. It runs when the input files in work are done.
    Pending {
        /// The changes that take effect then.
        changed: Vec<String>,
    },
    /// The flow has mistakes. The gateway goes on with the flow as it was.
    Mistakes {
        /// The mistakes as text, at most a hundred; errors before warnings.
        mistakes: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// The gateway is stopping. The next one reads the flow as it is then.
    Stopping,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// No gateway runs the flow.
    #[error("no gateway runs \"{}\"", .0.display())]
    NotRunning(PathBuf),
    /// It cannot be determined whether a gateway runs the flow.
    #[error("cannot ask whether a gateway runs \"{}\"", path.display())]
    Unreachable {
        /// The flow file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A gateway runs the flow and does not answer.
    #[error("the gateway that runs \"{}\" does not answer", path.display())]
    NoAnswer {
        /// The flow file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

/// Asks the gateway that runs a flow to read it now.
pub fn reload(path: &Path) -> Result<Answer, ReloadError> {
    let Some((_, mut stream)) = knock_at(path)? else {
        return Err(ReloadError::NotRunning(path.into()));
    };
    let mut ask = || -> io::Result<Answer> {
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(REQUEST.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    };
    ask().map_err(|cause| ReloadError::NoAnswer { path: path.into(), cause })
}

/// Returns the state folder of a flow, if a gateway runs the flow.
pub fn running(path: &Path) -> Result<Option<PathBuf>, ReloadError> {
    Ok(knock_at(path)?.map(|(state, _)| state))
}

fn knock_at(path: &Path) -> Result<Option<(PathBuf, UnixStream)>, ReloadError> {
    let knocked = || {
        let state = file::outline(path)?.state;
        Ok(control_socket::connect(&state)?.map(|stream| (state, stream)))
    };
    knocked().map_err(|cause| ReloadError::Unreachable { path: path.into(), cause })
}

/// The state that the listener and the run share.
pub(crate) struct ReloadCoordinator<'j> {
    state: Mutex<ReloadState>,
    refusal: Refusal<'j>,
    /// Signals that the run has taken another flow, or has ended.
    taken: Condvar,
    /// Whether the run must take `ReloadState::next`; set exactly when that is set. It is separate because workers look at it
    /// before each file. The run sets it too, for work that needs all files to be done. If it is reset meanwhile, that
    /// work is delayed until the next look.
    requested: AtomicBool,
    /// The last report of the certificate, and its time. Requests and the watch of the files find the same mistake.
    of_certificate: Mutex<Option<(String, Instant)>>,
}

struct ReloadState {
    /// The flow to run next, and when its files were read.
    next: Option<(Plan, Instant)>,
    /// When the files of the last answer were read.
    looked: Instant,
    /// The running flow: its marks and files, since when it runs, and what changed then.
    running: Marks,
    files: Vec<PathBuf>,
    since: Instant,
    changed: Vec<String>,
    ended: bool,
}

impl ReloadState {
    fn runs(&mut self, plan: &Plan) {
        if self.running != plan.origin.marks {
            self.changed = plan.origin.marks.changed(&self.running);
            self.running = plan.origin.marks.clone();
            self.files.clone_from(&plan.origin.files);
            self.since = Instant::now();
        }
    }
}

impl<'j> ReloadCoordinator<'j> {
    /// Makes the coordinator of a run that begins with this flow.
    pub(crate) fn new(running: &Plan, journal: &'j Transactions) -> Self {
        let now = Instant::now();
        let state = ReloadState {
            next: None,
            looked: now,
            running: running.origin.marks.clone(),
            files: running.origin.files.clone(),
            since: now,
            changed: Vec::new(),
            ended: false,
        };
        ReloadCoordinator {
            state: Mutex::new(state),
            refusal: Refusal::none(journal),
            taken: Condvar::new(),
            requested: AtomicBool::new(false),
            of_certificate: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ReloadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the flag that is set when another flow must run.
    pub(crate) fn requested(&self) -> &AtomicBool {
        &self.requested
    }

    /// Takes the flow to run next. From now on it counts as running.
    pub(crate) fn take(&self) -> Option<Plan> {
        let mut state = self.lock();
        let (next, looked) = self.wants_next(&mut state, None)?;
        state.runs(&next);
        self.refusal.is_over(looked);
        self.taken.notify_all();
        Some(next)
    }

    /// Sets the flow to run next, after its files changed without a request. Ignores a flow that was read before the
    /// last answer.
    pub(crate) fn wants(&self, plan: Plan, looked: Instant) {
        let mut state = self.lock();
        if looked < state.looked {
            return;
        }
        if state.running == plan.origin.marks {
            self.refusal.is_over(looked);
        }
        let next = (state.running != plan.origin.marks).then_some((plan, looked));
        self.wants_next(&mut state, next);
    }

    /// Reports that the changed files have mistakes, so the flow does not run.
    pub(crate) fn refuses(&self, diagnostics: &[Diagnostic], looked: Instant) {
        self.refusal.stands(diagnostics, looked);
    }

    /// Ends the listening on drop: at the end of the run, also after a panic.
    pub(crate) fn ends(&self) -> impl Drop + '_ {
        struct Ends<'d>(&'d ReloadCoordinator<'d>);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.lock().ended = true;
                self.0.taken.notify_all();
            }
        }
        Ends(self)
    }

    /// Logs a certificate that has become invalid. The server goes on with the one that it read before.
    fn tell_of_certificate(&self, path: &Path, parts: Parts<'_>) {
        let mistake = certificate(path, parts).map(|mistake| mistake.to_string());
        let mut last = self.of_certificate.lock().unwrap_or_else(PoisonError::into_inner);
        let is_logged = |mistake: &String| {
            last.as_ref()
                .is_some_and(|(known, at)| known == mistake && at.elapsed() < LOG_AGAIN_AFTER)
        };
        if mistake.as_ref().is_some_and(is_logged) {
            return;
        }
        if let Some(mistake) = &mistake {
            tracing::error!(target: "flow::reload", "the certificate stays as it was: {mistake}");
        }
        *last = mistake.map(|mistake| (mistake, Instant::now()));
    }

    /// Answers a request.
    fn answer(&self, path: &Path, parts: Parts<'_>) -> Answer {
        let looked = Instant::now();
        let prepared = prepare_at_rest(path, parts);
        self.tell_of_certificate(path, parts);
        match prepared.sound() {
            Ok(next) => self.answer_flow(next, looked),
            Err(diagnostics) => self.answer_mistakes(&diagnostics, looked),
        }
    }

    fn answer_flow(&self, next: Plan, looked: Instant) -> Answer {
        let wanted = next.origin.marks.clone();
        let mut state = self.lock();
        state.looked = looked;
        let next = (state.running != wanted).then_some((next, looked));
        self.wants_next(&mut state, next);
        let waits = |state: &mut ReloadState| state.running != wanted && !state.ended;
        let (state, _) = self
            .taken
            .wait_timeout_while(state, FILES_IN_WORK, waits)
            .unwrap_or_else(PoisonError::into_inner);
        if state.running == wanted {
            self.refusal.is_over(looked);
            let seconds = state.since.elapsed().as_secs();
            return Answer::Active { changed: state.changed.clone(), seconds };
        }
        match state.ended {
            true => Answer::Stopping,
            false => Answer::Pending { changed: wanted.changed(&state.running) },
        }
    }

    fn answer_mistakes(&self, diagnostics: &[Diagnostic], looked: Instant) -> Answer {
        let mut state = self.lock();
        state.looked = looked;
        self.wants_next(&mut state, None);
        self.refusal.stands(diagnostics, looked);
        let (first, more) = diagnostics::first(diagnostics, MISTAKES_MAX);
        Answer::Mistakes { mistakes: first.into_iter().map(without_secrets).collect(), more }
    }

    /// Sets the flow to run next, and returns the one before.
    fn wants_next(
        &self,
        state: &mut ReloadState,
        next: Option<(Plan, Instant)>,
    ) -> Option<(Plan, Instant)> {
        self.requested.store(next.is_some(), Ordering::Relaxed);
        std::mem::replace(&mut state.next, next)
    }
}

/// Answers requests until the run has ended.
pub(crate) fn listen(
    socket: &ControlSocket,
    coordinator: &ReloadCoordinator<'_>,
    path: &Path,
    parts: Parts<'_>,
) {
    while !coordinator.lock().ended {
        match socket.accept() {
            // A client that does not read its answer does not need one.
            Ok(stream) => drop(serve(&stream, || coordinator.answer(path, parts))),
            Err(_) => thread::sleep(LOOK_AGAIN),
        }
    }
}

/// Watches the files of the running flow until the run has ended. A changed flow runs next, unless it has mistakes.
/// Work goes on meanwhile.
pub(crate) fn watch(
    coordinator: &ReloadCoordinator<'_>,
    read: SystemTime,
    path: &Path,
    parts: Parts<'_>,
) {
    let mut files = coordinator.lock().files.clone();
    let mut watch = FileWatch::new(files.clone(), read);
    loop {
        thread::sleep(LOOK_AGAIN);
        let state = coordinator.lock();
        if state.ended {
            return;
        }
        let others = (state.files != files).then(|| state.files.clone());
        drop(state);
        if let Some(others) = others {
            files = others;
            // Files that were written to during the last read are checked once more.
            watch = FileWatch::new(files.clone(), SystemTime::now() - READ_WITHIN);
        } else if watch.changed().load(Ordering::Relaxed) {
            let (read, looked) = (SystemTime::now(), Instant::now());
            let prepared = prepare_at_rest(path, parts);
            for diagnostic in &prepared.diagnostics {
                tracing::warn!(target: "flow::reload", "{diagnostic}");
            }
            coordinator.tell_of_certificate(path, parts);
            match prepared.sound() {
                Ok(next) => coordinator.wants(next, looked),
                Err(diagnostics) => {
                    tracing::warn!(target: "flow::reload", "the flow has changed and has mistakes: it goes on as it was");
                    coordinator.refuses(&diagnostics, looked);
                }
            }
            watch = FileWatch::new(files.clone(), read);
        }
    }
}

fn serve(stream: &UnixStream, answer: impl FnOnce() -> Answer) -> io::Result<()> {
    let mut request = String::new();
    let asking = Within::new(stream, REQUEST_WITHIN);
    BufReader::new(asking.take(REQUEST.len() as u64)).read_line(&mut request)?;
    if request == REQUEST {
        let mut line = serde_json::to_vec(&answer())?;
        line.push(b'\n');
        Within::new(stream, ANSWER_READ_WITHIN).write_all(&line)?;
    }
    Ok(())
}

/// A stream with a deadline for all reads and writes together.
struct Within<'s> {
    stream: &'s UnixStream,
    end: Instant,
}

impl<'s> Within<'s> {
    fn new(stream: &'s UnixStream, time: Duration) -> Self {
        Within { stream, end: Instant::now() + time }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(left)
    }
}

impl Read for Within<'_> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(octets)
    }
}

impl Write for Within<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Origin, Reserves, Workload};
    use assurance::Assurance;
    use collection::sources::Collection;
    use distribution::Distribution;
    use flow::graph::Graph;
    use flow::limits::AlarmLimits;
    use flow::topology::Topology;
    use lineage::TraceSettings;
    use std::sync::Arc;

    use diagnostics::{Source, Span};
    use format::coding::{Codecs, Input, Output};
    use record::{Opened, TypeId};
    use settings::Settings;

    /// Makes a plan of one script that does nothing.
    fn plan(folder: &Path, script: &str) -> Plan {
        let file = folder.join("script");
        std::fs::write(&file, script).expect("a file");
        let mut marks = Marks::default();
        marks.note("script".into(), &[file]);
        let (network_elements, nodes, systems) = (Vec::new(), Vec::new(), Vec::new());
        Plan {
            topology: Topology {
                graph: Graph { network_elements, nodes, systems },
                elements: Vec::new(),
                systems: Vec::new(),
                circles: Vec::new(),
                state: PathBuf::new(),
                codecs: Arc::new(NoCodecs),
            },
            collection: Collection::default(),
            distribution: Distribution::default(),
            archive: None,
            assurance: Assurance::default(),
            keepings: Vec::new(),
            emitted_formats: Vec::new(),
            trace: TraceSettings { is_on: true, retention: Duration::ZERO },
            workload: Workload::default(),
            reserves: Reserves::default(),
            limits: AlarmLimits::default(),
            channels: Vec::new(),
            actions: Vec::new(),
            retention: None,
            origin: Origin { files: Vec::new(), marks },
        }
    }

    /// Nothing is read or written.
    struct NoCodecs;

    impl Codecs for NoCodecs {
        fn input(
            &self,
            _: &Settings,
            _: TypeId,
            _: &Opened,
        ) -> Result<Box<dyn Input>, Vec<Diagnostic>> {
            Err(Vec::new())
        }

        fn output(&self, _: &Settings, _: TypeId) -> Result<Box<dyn Output>, Vec<Diagnostic>> {
            Err(Vec::new())
        }
    }

    fn journal(folder: &Path) -> Transactions {
        Transactions::open(
            (&folder.join("flow.toml"), &folder.join("state")),
            true,
            SystemTime::now,
        )
        .expect("a journal")
    }

    fn mistake() -> Diagnostic {
        Diagnostic::error(&Source::new("script", ""), Span::default(), "wrong")
    }

    #[test]
    fn what_was_answered_last_is_what_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = |script| plan(folder.path(), script);
        let before = Instant::now();
        let journal = journal(folder.path());
        let coordinator = ReloadCoordinator::new(&plan("1"), &journal);
        let is_requested = || coordinator.requested().load(Ordering::Relaxed);
        let ask = |script| coordinator.answer_flow(plan(script), Instant::now());
        assert!(matches!(ask("2"), Answer::Pending { .. }));
        assert!(is_requested());
        assert!(matches!(ask("1"), Answer::Active { .. }));
        assert!(!is_requested() && coordinator.take().is_none(), "the second was withdrawn");
        assert!(matches!(ask("2"), Answer::Pending { .. }));
        coordinator.answer_mistakes(&[mistake()], Instant::now());
        assert!(!is_requested() && coordinator.take().is_none(), "the second was made wrong");
        coordinator.wants(plan("2"), before);
        assert!(coordinator.take().is_none(), "it was looked at before it was made wrong");
        coordinator.wants(plan("2"), Instant::now());
        assert!(coordinator.take().is_some());
        assert!(matches!(ask("2"), Answer::Active { .. }));
    }

    #[test]
    fn who_waits_when_the_run_ends_is_told_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = journal(folder.path());
        let coordinator = ReloadCoordinator::new(&plan(folder.path(), "1"), &journal);
        let next = plan(folder.path(), "2");
        let start = Instant::now();
        let answer = thread::scope(|scope| {
            let asking = scope.spawn(|| coordinator.answer_flow(next, start));
            while !coordinator.requested().load(Ordering::Relaxed) {
                thread::yield_now();
            }
            drop(coordinator.ends());
            asking.join().expect("an answer")
        });
        assert_eq!(answer, Answer::Stopping);
        assert!(start.elapsed() < FILES_IN_WORK);
    }

    #[test]
    fn an_answer_has_only_so_many_mistakes() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = journal(folder.path());
        let coordinator = ReloadCoordinator::new(&plan(folder.path(), "1"), &journal);
        for (found, more) in [(1, 0), (MISTAKES_MAX, 0), (MISTAKES_MAX + 3, 3)] {
            let answer = coordinator.answer_mistakes(&vec![mistake(); found], Instant::now());
            let Answer::Mistakes { mistakes, more: left_out } = answer else {
                panic!("{answer:?}")
            };
            assert_eq!((mistakes.len(), left_out), (found.min(MISTAKES_MAX), more));
        }
    }

    #[test]
    fn who_does_not_read_the_answer_is_left() {
        let (mut client, gateway) = UnixStream::pair().expect("a pair");
        client.write_all(REQUEST.as_bytes()).expect("there is room");
        let long = Answer::Mistakes { mistakes: vec!["x".repeat(16 << 20)], more: 0 };
        assert!(serve(&gateway, || long).is_err());
    }
}
