//! Live figures, once a second, for all clients that watch. They are computed once, however many clients there are.

mod event;
mod figures;
mod windows;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alarm::Alarm;
use flow::JournalError;
use flow::meters::{Tallies, done_since};
use runtime::time::now_ms;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinHandle;

pub(crate) use event::{LiveChanged, LiveEvent, LiveSubject};
use figures::figures;
use windows::{Moment, Samples, Wanted};

use crate::history::{Done, PutAside};
use crate::pending_audit::Action;
use crate::served::Served;

/// The time between two samples.
const EVERY: Duration = Duration::from_secs(1);

/// Marks that change when something other than a figure changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Counts the flows that have run.
    pub(crate) flow: u64,
    /// The raised alarms: the identifier, and whether it is acknowledged.
    pub(crate) alarms: Vec<(i64, bool)>,
    /// Counts the changes of versions.
    pub(crate) versions: u64,
}

impl Marks {
    /// Returns the marks of now.
    pub(crate) fn of(served: &Served) -> Self {
        Marks::beside(served, &served.raised().unwrap_or_default())
    }

    fn beside(served: &Served, raised: &[Alarm]) -> Self {
        let alarms = raised.iter().map(|alarm| (alarm.id, alarm.acknowledged.is_some()));
        Marks {
            flow: served.meters.flows(),
            alarms: alarms.collect(),
            versions: served.version_changes(),
        }
    }
}

/// The figures of a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// The figures in JSON, as they are sent.
    pub(crate) figures: Arc<str>,
    pub(crate) marks: Marks,
    /// Whether it is the last sample, since the server ends.
    pub(crate) is_last: bool,
}

/// The maximum number of streams per user, by the name in the audit trail: ten windows, and some more. Each takes a
/// connection, and those are limited.
pub(crate) const OF_ONE_MAX: usize = 16;

/// The watching clients.
#[derive(Debug)]
pub(crate) struct Live {
    samples: watch::Sender<Sample>,
    versions: AtomicU64,
    /// The number of open streams, by user.
    looking: Arc<Mutex<HashMap<String, usize>>>,
}

/// A stream of a user, until dropped.
#[derive(Debug)]
pub(crate) struct Look {
    looking: Arc<Mutex<HashMap<String, usize>>>,
    who: String,
}

impl Drop for Look {
    fn drop(&mut self) {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = looking.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                looking.remove(&self.who);
            }
        }
    }
}

impl Default for Live {
    fn default() -> Self {
        let (samples, _) = watch::channel(Sample::default());
        Live { samples, versions: AtomicU64::default(), looking: Arc::default() }
    }
}

impl Live {
    /// Returns the samples from now on; `None` if the user has too many streams.
    pub(crate) fn follow(&self, who: &str) -> Option<(Look, watch::Receiver<Sample>)> {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let own = looking.entry(who.to_owned()).or_default();
        if *own >= OF_ONE_MAX {
            return None;
        }
        *own += 1;
        let look = Look { looking: Arc::clone(&self.looking), who: who.to_owned() };
        Some((look, self.samples.subscribe()))
    }

    /// Notes that a version of a tariff plan was loaded or withdrawn.
    pub(crate) fn versions_changed(&self) {
        self.versions.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how often a version of a tariff plan was loaded or withdrawn.
    pub(crate) fn versions(&self) -> u64 {
        self.versions.load(Ordering::Relaxed)
    }

    /// Ends all streams.
    pub(crate) fn end(&self) {
        self.samples.send_modify(|sample| sample.is_last = true);
    }
}

/// The name in the audit trail for what the gateway does on its own.
const GATEWAY: &str = "the gateway";

/// Takes samples until the task is aborted.
pub(crate) async fn sample(served: Arc<Served>) {
    let begun = Instant::now();
    let now = || Moment { elapsed: begun.elapsed(), time_ms: now_ms() };
    let (mut samples, mut reading) = (Samples::new(now()), None);
    let mut last: Option<(Instant, Sums)> = None;
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        // Once it has begun, the meters know the last job of the journal.
        let has_begun = served.has_begun();
        let (moment, tallies) = (now(), served.meters.tallies());
        let (now, sums) = (Instant::now(), Sums::of(&tallies));
        let seconds = last.as_ref().map_or(0.0, |(before, _)| (now - *before).as_secs_f64());
        samples.add(moment, tallies);
        if has_begun {
            read_today(&served, &mut samples, moment, &mut reading).await;
        }
        if let Some((_, before)) = &last
            && seconds > 0.0
        {
            let more = |now: u64, before: u64| now.saturating_sub(before) as f64;
            let done = Done {
                seconds,
                records: more(sums.records, before.records),
                octets: more(sums.octets, before.octets),
                suspended: more(sums.suspended, before.suspended),
                delay_seconds: served.meters.take_slowest().map(|delay| delay.as_secs_f64()),
            };
            if served.history.add(now_ms() / 1_000, &done)
                && let Ok(one) = Arc::clone(&served.keeping).try_acquire_owned()
            {
                let served = Arc::clone(&served);
                tokio::spawn(async move {
                    keep(served).await;
                    drop(one);
                });
            }
        }
        last = Some((now, sums));
        let has_to_note = served.history.has_to_tell() || served.pending_audit.is_any();
        // While the journal does not answer, only one task waits for it.
        if has_begun
            && has_to_note
            && let Ok(one) = Arc::clone(&served.noting).try_acquire_owned()
        {
            tokio::spawn(note(Arc::clone(&served), one));
        }
        // Without watching clients, the figures are not computed.
        if served.live.samples.receiver_count() == 0 {
            continue;
        }
        let (own, windows) = (Arc::clone(&served), samples.windows(moment));
        let made = tokio::task::spawn_blocking(move || {
            let (figures, marks) = figures(&own, &windows, moment.time_ms);
            (LiveEvent::Figures(&figures).data(), marks)
        });
        if let Ok((figures, marks)) = made.await {
            served.live.samples.send_modify(|sample| {
                sample.figures = figures.into();
                sample.marks = marks;
            });
        }
    }
}

/// A read of the journal that runs.
type Reading = (Wanted, JoinHandle<Result<Tallies, JournalError>>);

/// Reads from the journal what was done today before the samples begin. Samples do not wait for it.
async fn read_today(
    served: &Arc<Served>,
    samples: &mut Samples,
    now: Moment,
    reading: &mut Option<Reading>,
) {
    match reading.take() {
        Some((wanted, read)) if read.is_finished() => match read.await {
            Ok(Ok(read)) => samples.take(&wanted, read),
            Ok(Err(error)) => tracing::warn!("the counts of today are not read yet: {error}"),
            // The task was aborted or has panicked; it is begun again.
            Err(_) => {}
        },
        Some(running) => *reading = Some(running),
        None => {
            *reading = samples.wants(now).map(|wanted| {
                let (flow, since_ms, last_job) =
                    (served.flow.clone(), wanted.since_ms, wanted.last_job());
                let read = move || done_since(&flow, since_ms, last_job);
                (wanted, tokio::task::spawn_blocking(read))
            });
        }
    }
}

/// Writes the history. A failure is only logged: plots are not worth an alarm.
pub(crate) async fn keep(served: Arc<Served>) {
    let saved = tokio::task::spawn_blocking(move || served.history.keep()).await;
    if let Ok(Err(error)) = saved {
        tracing::warn!("what was done in the last minute is not kept for plots yet: {error}");
    }
}

/// Writes what is missing to the audit trail.
async fn note(served: Arc<Served>, _one: OwnedSemaphorePermit) {
    note_put_aside(Arc::clone(&served)).await;
    note_pending(served).await;
}

/// Adds the databases that were put aside to the audit trail, so that it explains a gap in plots.
async fn note_put_aside(served: Arc<Served>) {
    let noted = tokio::task::spawn_blocking(move || {
        served.history.tell(|PutAside { place, why }| {
            let subject = place.file_name().unwrap_or_default().to_string_lossy();
            operate::trail::note(&served.flow, GATEWAY, "history put aside", &subject, why)
        })
    });
    if let Ok(Err(error)) = noted.await {
        tracing::warn!("the trail does not say yet what was put aside: {error}");
    }
}

/// Adds the entries to the audit trail that date from before the journal existed.
async fn note_pending(served: Arc<Served>) {
    let noted = tokio::task::spawn_blocking(move || {
        served.pending_audit.note(|Action { who, action, subject }| {
            operate::trail::note(&served.flow, who, action, subject, "")
        })
    });
    if let Ok(Err(error)) = noted.await {
        tracing::warn!("the trail does not say yet what was done before there was one: {error}");
    }
}

/// The sums over all network elements.
struct Sums {
    records: u64,
    octets: u64,
    suspended: u64,
}

impl Sums {
    fn of(tallies: &Tallies) -> Self {
        let elements = || tallies.elements.values();
        Sums {
            records: elements().map(|of| of.records.0.iter().sum::<u64>()).sum(),
            octets: elements().map(|of| of.octets).sum(),
            // ORDER OUTCOMES
            suspended: elements().map(|of| of.records.0[3]).sum(),
        }
    }
}
