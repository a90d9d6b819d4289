//! When work began and ended, as the gateway in this process says it, and how long its threads computed until then.

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

/// Listens to gateways in this process.
#[derive(Clone, Default)]
pub(super) struct Listener(Arc<Mutex<Moments>>);

/// The moments of a run.
#[derive(Debug, Default)]
pub(super) struct Moments {
    /// When processes had begun.
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
    /// How long the thread had computed by then.
    computed: Duration,
}

/// While all that process files were at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steady {
    pub(super) begin: Instant,
    pub(super) end: Instant,
}

impl Listener {
    /// From now on, once in the life of this process.
    pub(super) fn start(log: fn(Log)) -> Self {
        let listener = Listener::default();
        let wanted =
            [(FILE_BEGUN, Level::DEBUG), (FILE_DONE, Level::INFO), (PROCESS_BEGUN, Level::DEBUG)];
        log(Log::Heard(Box::new(
            listener.clone().with_filter(Targets::new().with_targets(wanted)),
        )));
        listener
    }

    /// What was heard since it was last asked.
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
            // Parts of those.
            _ => {}
        }
    }
}

impl Moments {
    /// From when those that process files had begun, on average, until the last file was done; none where none was.
    ///
    /// A process prepares the flow before it begins. With the average of them, each is held against the time that it had.
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

    /// How long files took a processor, where one thread processed all; none where there were too few.
    pub(super) fn times(&self) -> Option<Times> {
        let between =
            |pair: &[Moment]| pair[1].computed.saturating_sub(pair[0].computed).as_secs_f64();
        let files: Vec<f64> = self.begun.windows(2).map(between).collect();
        let settled: Vec<f64> = self.done.windows(2).map(between).collect();
        let settle = settled.iter().sum::<f64>() / settled.len() as f64;
        (!files.is_empty() && !settled.is_empty()).then_some(Times { files, settle })
    }
}
