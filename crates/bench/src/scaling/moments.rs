//! The times at which work began and ended, from the events of the gateway in this process, and the processor time
//! until then.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use flow::{FILE_BEGUN, FILE_DONE, PROCESS_BEGUN};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer};

use super::kernel::computed;
use super::simulation::Times;
use crate::product::Log;

/// A layer that listens to the gateways in this process.
#[derive(Clone, Default)]
pub(super) struct Listener(Arc<Mutex<Moments>>);

/// The times of a run.
#[derive(Debug, Default)]
pub(super) struct Moments {
    /// When processes began.
    processes: Vec<Instant>,
    /// When files were begun.
    begun: Vec<Moment>,
    /// When files were settled.
    done: Vec<Moment>,
}

#[derive(Clone, Copy, Debug)]
struct Moment {
    at: Instant,
    thread: ThreadId,
    /// The processor time of the thread until then.
    computed: Duration,
}

/// The period in which all threads or processes were at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steady {
    pub(super) begin: Instant,
    pub(super) end: Instant,
}

impl Listener {
    /// Starts to listen. Call it once in a process.
    pub(super) fn start(log: fn(Log)) -> Self {
        let listener = Listener::default();
        let wanted =
            [(FILE_BEGUN, Level::DEBUG), (FILE_DONE, Level::INFO), (PROCESS_BEGUN, Level::DEBUG)];
        log(Log::Heard(Box::new(
            listener.clone().with_filter(Targets::new().with_targets(wanted)),
        )));
        listener
    }

    /// Takes the moments since the last call.
    pub(super) fn take(&self) -> Moments {
        std::mem::take(&mut self.heard())
    }

    fn heard(&self) -> MutexGuard<'_, Moments> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (at, thread) = (Instant::now(), thread::current().id());
        let moment = Moment { at, thread, computed: computed() };
        match event.metadata().target() {
            PROCESS_BEGUN => self.heard().processes.push(at),
            FILE_BEGUN => self.heard().begun.push(moment),
            FILE_DONE => self.heard().done.push(moment),
            // Other events of the same targets.
            _ => {}
        }
    }
}

impl Moments {
    /// Returns the period from the average start of the processes (or threads) until the last file was done; `None` if
    /// there was none.
    ///
    /// A process prepares the flow before it begins. With the average, each counts for the time that it had.
    pub(super) fn steady(&self) -> Option<Steady> {
        let mut threads = BTreeMap::new();
        for Moment { at, thread, .. } in &self.begun {
            threads.entry(format!("{thread:?}")).or_insert(*at);
        }
        let begun: Vec<Instant> = match self.processes.is_empty() {
            true => threads.into_values().collect(),
            false => self.processes.clone(),
        };
        let first = *begun.iter().min()?;
        let after: Duration = begun.iter().map(|begun| *begun - first).sum();
        let end = self.done.last()?.at;
        Some(Steady { begin: first + after / u32::try_from(begun.len()).ok()?, end })
    }

    /// Returns the processor time per file, if one thread processed all; `None` if there were too few files.
    pub(super) fn times(&self) -> Option<Times> {
        let between =
            |pair: &[Moment]| pair[1].computed.saturating_sub(pair[0].computed).as_secs_f64();
        let files: Vec<f64> = self.begun.windows(2).map(between).collect();
        let settled: Vec<f64> = self.done.windows(2).map(between).collect();
        let settle = settled.iter().sum::<f64>() / settled.len() as f64;
        (!files.is_empty() && !settled.is_empty()).then_some(Times { files, settle })
    }
}
