//! Requests of networks that wait, and the threads that work on them. Each takes many at once, so that many share one sync.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use accounts::Accounts as _;
use charging::{Answer, LegRequest, SessionTask, Workspace};
use ledger::{AccountId, SessionKey};
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};

use crate::LOG;
use crate::interrogation::{Answered, Interrogation, PhaseName};
use crate::meters::Counts;
use crate::numbers::Number;
use crate::system::System;

/// The most requests that a worker takes at once.
const BATCH_MAX: usize = 1_000;

/// The most requests that wait. More are refused at once: they would be answered too late.
const WAITING_MAX: usize = 100_000;

/// How long a request that begins something may wait. A client gives up after 10 seconds (RFC 8506 section 13, Tx), and an
/// answer that comes late is worth nothing.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// How long a worker sleeps before it looks whether the system ends.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Takes the answer to a request.
pub type Reply = Box<dyn FnOnce(Answered) + Send>;

/// The requests that wait.
#[derive(Default)]
pub struct Queue {
    waiting: Mutex<VecDeque<Waiting>>,
    arrived: Condvar,
    /// Whether a worker has panicked: something that must be true of money was not.
    has_panicked: AtomicBool,
    /// The requests that were refused because too many waited, until a worker counts them.
    turned_away: AtomicU64,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

struct Waiting {
    interrogation: Interrogation,
    client: Arc<str>,
    asker: Asker,
}

/// Waits for an answer.
struct Asker {
    arrived: Instant,
    reply: Reply,
}

impl Asker {
    fn answer(self, answered: Answered, now: Instant, counts: &mut Counts) {
        counts.answer(&answered, now.duration_since(self.arrived));
        (self.reply)(answered);
    }
}

impl Queue {
    /// Adds a request of a client. `reply` gets its answer.
    pub fn add(&self, client: Arc<str>, interrogation: Interrogation, reply: Reply) {
        let arrived = Instant::now();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= WAITING_MAX {
            drop(waiting);
            self.turned_away.fetch_add(1, Ordering::Relaxed);
            return reply(Answered::TooBusy);
        }
        let asker = Asker { arrived, reply };
        waiting.push_back(Waiting { interrogation, client, asker });
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Returns whether a worker has panicked. The process must end then: the scope of the workers panics, too.
    pub fn has_panicked(&self) -> bool {
        self.has_panicked.load(Ordering::Relaxed)
    }

    /// Starts workers in a scope. They end at the stop, when no request waits any more.
    ///
    /// # Errors
    ///
    /// The system refuses a thread.
    pub fn work<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        system: &'s System,
        (workers, stop): (usize, &Shutdown),
    ) -> Result<(), SpawnError> {
        system.meters.begin(system.journal().now_ms());
        for _ in 0..workers {
            let stop = stop.clone();
            threads::spawn_scoped(scope, move || {
                let _noted = NotesPanic(self);
                let workspace = Workspace::default();
                while let Some(batch) = self.next(&stop) {
                    let mut counts = Counts::default();
                    counts.refused("too-busy", self.turned_away.swap(0, Ordering::Relaxed));
                    answer((system, &workspace), batch, &mut counts);
                    system.meters.add(&counts);
                }
            })?;
        }
        Ok(())
    }

    /// Returns the next requests. `None` at the end.
    fn next(&self, stop: &Shutdown) -> Option<Vec<Waiting>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.is_empty() {
            if stop.is_set() {
                return None;
            }
            let woken = self.arrived.wait_timeout(waiting, LOOK_AGAIN);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let count = waiting.len().min(BATCH_MAX);
        Some(waiting.drain(..count).collect())
    }
}

/// Notes in the queue that its thread panics.
struct NotesPanic<'q>(&'q Queue);

impl Drop for NotesPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_panicked.store(true, Ordering::Relaxed);
        }
    }
}

/// Answers requests, those that waited too long without work on them.
fn answer((system, workspace): (&System, &Workspace), batch: Vec<Waiting>, counts: &mut Counts) {
    let now = Instant::now();
    counts.batch();
    batch.iter().for_each(|one| counts.request(&one.interrogation));
    let (late, batch): (Vec<_>, Vec<_>) = batch.into_iter().partition(|one| one.is_late(now));
    late.into_iter().for_each(|one| one.asker.answer(Answered::TooBusy, now, counts));
    system.answer(batch, workspace, counts);
}

impl Waiting {
    /// Returns whether an answer would be too late. What was used is charged in any case.
    fn is_late(&self, now: Instant) -> bool {
        let begins = matches!(self.interrogation.phase, PhaseName::First | PhaseName::Event);
        begins && now.duration_since(self.asker.arrived) > WAIT_MAX
    }
}

/// A request with all that identifies it.
struct Found {
    client: Arc<str>,
    account: AccountId,
    served: Number,
    session: SessionKey,
    digest: u64,
}

impl System {
    /// Works on requests and answers them.
    fn answer(&self, batch: Vec<Waiting>, workspace: &Workspace, counts: &mut Counts) {
        let rules = self.rules();
        let at = self.journal().now_ms();
        let (found, askers) = self.find(batch, counts);
        let start = at.div_euclid(1_000);
        let legs: Vec<Vec<LegRequest<'_>>> =
            found.iter().map(|(of, found)| of.legs(found.served.as_str(), start)).collect();
        let mut tasks = Vec::with_capacity(found.len());
        for ((of, found), legs) in found.iter().zip(&legs) {
            let Found { ref client, account, session, digest, .. } = *found;
            let request = of.request((account, at), (session, digest, client), legs);
            tasks.push(SessionTask::new(&rules.charging, workspace, request));
        }
        let done = self.accounts.run(&mut tasks);
        if let Err(why) = &done {
            tracing::error!(target: LOG, "requests cannot be charged: {why}");
        }
        for ((of, found), task) in found.iter().zip(&tasks) {
            if task.answer == Answer::SessionUnknown && !task.legs.is_empty() {
                counts.unknown_session();
                let AccountId(account) = found.account;
                let session = &of.session;
                tracing::warn!(target: LOG, "account {account}: usage of the unknown session \"{session}\": {:?}", task.legs);
            }
        }
        let now = Instant::now();
        for (task, asker) in tasks.iter().zip(askers) {
            let answered = match done {
                Ok(()) => Answered::of(&task.answer, &task.legs),
                Err(_) => Answered::Unavailable,
            };
            asker.answer(answered, now, counts);
        }
    }

    /// Finds the accounts of requests. Those without one, and those with mistakes, are answered.
    fn find(
        &self,
        batch: Vec<Waiting>,
        counts: &mut Counts,
    ) -> (Vec<(Interrogation, Found)>, Vec<Asker>) {
        let (mut all, mut askers) = (Vec::with_capacity(batch.len()), Vec::new());
        let now = Instant::now();
        for Waiting { interrogation, client, asker } in batch {
            let (served, account) = match self.payer(&interrogation) {
                Ok(found) => found,
                Err(answered) => {
                    asker.answer(answered, now, counts);
                    continue;
                }
            };
            let session = interrogation.session_key(&client);
            let digest = interrogation.digest();
            all.push((interrogation, Found { client, account, served, session, digest }));
            askers.push(asker);
        }
        (all, askers)
    }

    /// Returns the number and the account that pay for a request.
    fn payer(&self, of: &Interrogation) -> Result<(Number, AccountId), Answered> {
        let invalid = |text: String| Answered::Invalid { text };
        of.check().map_err(|why| invalid(why.to_string()))?;
        let served = Number::read(&of.subscriber).map_err(|why| invalid(why.to_string()))?;
        let account = self.account_of(&served).ok_or(Answered::SubscriberUnknown)?;
        Ok((served, account))
    }
}
