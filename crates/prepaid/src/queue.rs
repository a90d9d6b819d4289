//! Requests of networks that wait, and the threads that work on them. Each takes many at once, so that many share one sync.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use accounts::Accounts as _;
use charging::{Answer, LegAnswer, SessionTask, Workspace};
use diagnostics::with_causes;
use ledger::{AccountId, SessionKey};
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};

use crate::LOG;
use crate::back::Payers;
use crate::interrogation::{PriceText, Useless};
use crate::lines::Lines;
use crate::meters::Counts;
use crate::numbers::Number;
use crate::queued_request::{QueuedRequest, RequestAnswer, RequestHead};
use crate::refusals::AnsweredRequest;
use crate::system::System;

/// How often requests that have waited too long are refused, and how long a worker sleeps before it looks whether the
/// system ends.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The requests that wait. Each worker has a part of them: all requests of a session are in one part, so that they are worked on
/// in the order in which they came.
pub struct Queue {
    parts: Vec<Part>,
    /// Whether a worker has panicked: something that must be true of money was not.
    has_panicked: AtomicBool,
    /// The requests that were refused because too many waited, until they are counted.
    turned_away: AtomicU64,
}

/// The requests of a worker.
#[derive(Default)]
struct Part {
    waiting: Mutex<Lines<Waiting>>,
    arrived: Condvar,
}

impl Part {
    fn lock(&self) -> MutexGuard<'_, Lines<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next requests. `None` at the end.
    fn next(&self, stop: &Shutdown) -> Option<Vec<Waiting>> {
        let mut waiting = self.lock();
        while waiting.is_empty() {
            if stop.is_set() {
                return None;
            }
            let woken = self.arrived.wait_timeout(waiting, LOOK_AGAIN);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(waiting.next())
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

/// A request that waits.
struct Waiting {
    arrived: Instant,
    request: Box<dyn QueuedRequest>,
}

impl Waiting {
    /// Answers a request on which nothing was done.
    fn turn_away(self, answer: RequestAnswer<'_>, now: Instant, counts: &mut Counts) {
        counts.answer(answer, now.duration_since(self.arrived));
        self.request.answer(answer, None);
        self.request.finish();
    }
}

impl Queue {
    /// Returns the queue of some workers, one at least.
    pub fn new(workers: usize) -> Self {
        Queue {
            parts: (0..workers.max(1)).map(|_| Part::default()).collect(),
            has_panicked: AtomicBool::default(),
            turned_away: AtomicU64::default(),
        }
    }

    /// Adds a request.
    pub fn add(&self, request: Box<dyn QueuedRequest>) {
        let place = self.part_of(request.head().key);
        self.add_to(&self.parts[place], std::iter::once(request), Instant::now());
    }

    /// Adds requests that came together at a time, in their order. They are taken out of their list.
    pub fn add_all(&self, requests: &mut Vec<Box<dyn QueuedRequest>>, arrived: Instant) {
        for (place, part) in self.parts.iter().enumerate() {
            let is_of_part = |of: &mut Box<dyn QueuedRequest>| self.part_of(of.head().key) == place;
            let mut of_part = requests.extract_if(.., is_of_part).peekable();
            if of_part.peek().is_some() {
                self.add_to(part, of_part, arrived);
            }
        }
    }

    fn add_to(
        &self,
        part: &Part,
        requests: impl Iterator<Item = Box<dyn QueuedRequest>>,
        arrived: Instant,
    ) {
        let mut refused = Vec::new();
        {
            let mut waiting = part.lock();
            for request in requests {
                let of = (request.head().key, request.is_report());
                refused.extend(waiting.add(of, arrived, Waiting { arrived, request }).err());
            }
        }
        part.arrived.notify_one();
        self.turned_away.fetch_add(refused.len() as u64, Ordering::Relaxed);
        for Waiting { request, .. } in refused {
            request.answer(RequestAnswer::TooBusy, None);
            request.finish();
        }
    }

    /// Returns the place of the part with the requests of a session.
    fn part_of(&self, SessionKey(session): SessionKey) -> usize {
        // A key is a digest: half of it is as good.
        (session as u64 % self.parts.len() as u64) as usize
    }

    /// Returns whether a worker has panicked. The process must end then: the scope of the workers panics, too.
    pub fn has_panicked(&self) -> bool {
        self.has_panicked.load(Ordering::Relaxed)
    }

    /// Starts workers in a scope, and a thread that refuses what waits too long. They end at the stop, when no request waits
    /// any more.
    ///
    /// # Errors
    ///
    /// The system refuses a thread.
    pub fn work<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        system: &'s System,
        stop: &Shutdown,
    ) -> Result<(), SpawnError> {
        system.meters.begin(system.now_ms());
        for part in &self.parts {
            let stop = stop.clone();
            threads::spawn_scoped(scope, move || {
                let _noted = NotesPanic(self);
                let workspace = Workspace::default();
                while let Some(batch) = part.next(&stop) {
                    let mut counts = Counts::default();
                    counts.batch();
                    system.answer(batch, &workspace, &mut counts);
                    system.meters.add(&counts);
                }
            })?;
        }
        let stop = stop.clone();
        threads::spawn_scoped(scope, move || {
            let _noted = NotesPanic(self);
            while !self.has_panicked() && !stop.wait(LOOK_AGAIN) {
                system.meters.add(&self.refuse_late());
            }
        })?;
        Ok(())
    }

    /// Refuses the requests that have waited too long. This is not up to the workers: all of them may wait for a disk or a
    /// database that does not answer.
    fn refuse_late(&self) -> Counts {
        let now = Instant::now();
        let late: Vec<Waiting> = self.parts.iter().flat_map(|part| part.lock().late(now)).collect();
        let mut counts = Counts::default();
        counts.refused("too-busy", self.turned_away.swap(0, Ordering::Relaxed));
        for waiting in late {
            counts.request(waiting.request.head().phase);
            waiting.turn_away(RequestAnswer::TooBusy, now, &mut counts);
        }
        counts
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

/// A request without mistakes.
struct Checked {
    waiting: Waiting,
    served: Number,
    alternative: Option<Number>,
}

/// A request whose account was found.
struct Found {
    waiting: Waiting,
    served: Number,
    account: AccountId,
}

impl System {
    /// Works on requests and answers them.
    fn answer(&self, batch: Vec<Waiting>, workspace: &Workspace, counts: &mut Counts) {
        let rules = self.rules();
        let at = self.now_ms();
        batch.iter().for_each(|waiting| counts.request(waiting.request.head().phase));
        let batch = checked(batch, counts);
        // Until the requests are answered, so that a number that is removed has no request in progress.
        let numbers = batch.iter().flat_map(|of| [Some(&of.served), of.alternative.as_ref()]);
        let payers = match self.back.payers(numbers.flatten()) {
            Ok(payers) => payers,
            Err(why) => {
                tracing::error!(target: LOG, "requests cannot be charged: {}", with_causes(&why));
                return turn_away(batch, counts);
            }
        };
        let found = find(&payers, batch, counts);
        let start = at.div_euclid(1_000);
        let heads: Vec<RequestHead<'_>> =
            found.iter().map(|found| found.waiting.request.head()).collect();
        let mut all_legs = Vec::with_capacity(found.len());
        let mut ends = Vec::with_capacity(found.len());
        for found in &found {
            found.waiting.request.add_legs(&mut all_legs, found.served.as_str(), start);
            ends.push(all_legs.len());
        }
        let legs_of = |place: usize| {
            let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
            &all_legs[begin..ends[place]]
        };
        let mut tasks = Vec::with_capacity(found.len());
        for (place, (found, head)) in found.iter().zip(&heads).enumerate() {
            let request = head.request((found.account, at), legs_of(place));
            tasks.push(SessionTask::new(&rules.charging, workspace, request));
        }
        let done = self.back.run(&mut tasks);
        drop(payers);
        if let Err(why) = &done {
            tracing::error!(target: LOG, "requests cannot be charged: {}", with_causes(why));
        }
        let now = Instant::now();
        for (place, ((found, head), task)) in found.iter().zip(heads).zip(&tasks).enumerate() {
            let is_new = task.legs.iter().any(|leg| !leg.is_repeated);
            if task.answer == Answer::SessionUnknown && is_new {
                counts.unknown_session();
                warn_of_orphan(found.account, head, &task.legs);
            }
            if task.has_replaced && done.is_ok() {
                counts.replaced();
            }
            let answer = match done {
                Ok(()) => RequestAnswer::of(&task.answer, &task.legs),
                Err(_) => RequestAnswer::Unavailable,
            };
            let (account, served) = (found.account, found.served.as_str());
            let legs = legs_of(place);
            let answers = &task.legs;
            let answered = AnsweredRequest { account, at, served, head, legs, answers };
            self.refusals.add(&answered, answer);
            counts.answer(answer, now.duration_since(found.waiting.arrived));
            found.waiting.request.answer(answer, Some(&found.served));
        }
        drop(tasks);
        found.into_iter().for_each(|found| found.waiting.request.finish());
    }
}

fn warn_of_orphan(AccountId(account): AccountId, head: RequestHead<'_>, legs: &[LegAnswer]) {
    let RequestHead { client, session, .. } = head;
    let prices = legs.iter().filter_map(PriceText::of_usage);
    let worth = prices.map(|of| of.to_string()).collect::<Vec<_>>().join(", ");
    tracing::warn!(
        target: LOG,
        "account {account}: \"{client}\" reports usage of the unknown session \"{session}\": {worth}"
    );
}

/// Returns the requests without mistakes. The others are answered.
fn checked(batch: Vec<Waiting>, counts: &mut Counts) -> Vec<Checked> {
    let now = Instant::now();
    let mut checked = Vec::with_capacity(batch.len());
    for waiting in batch {
        match waiting.request.subscriber() {
            Ok(served) => {
                let alternative = waiting.request.alternative();
                checked.push(Checked { waiting, served, alternative });
            }
            Err(mistake) => waiting.turn_away(RequestAnswer::Invalid(&mistake), now, counts),
        }
    }
    checked
}

/// Answers requests whose accounts cannot be found out now.
fn turn_away(batch: Vec<Checked>, counts: &mut Counts) {
    let now = Instant::now();
    for Checked { waiting, .. } in batch {
        waiting.turn_away(RequestAnswer::Unavailable, now, counts);
    }
}

/// Finds the accounts of requests. Those without one are answered.
fn find(payers: &Payers<'_>, batch: Vec<Checked>, counts: &mut Counts) -> Vec<Found> {
    let mut all = Vec::with_capacity(batch.len());
    let now = Instant::now();
    for Checked { waiting, served, alternative } in batch {
        let account_of = |number: Number| payers.account(&number).map(|account| (number, account));
        let (by_number, by_alternative) = (account_of(served), alternative.and_then(account_of));
        if let (Some((_, one)), Some((_, other))) = (&by_number, &by_alternative)
            && one != other
            && waiting.request.head().phase.begins()
        {
            warn_of_two_accounts((*one, *other), waiting.request.head());
            waiting.turn_away(RequestAnswer::Invalid(&Useless::TwoAccounts), now, counts);
            continue;
        }
        match by_number.or(by_alternative) {
            Some((served, account)) => all.push(Found { waiting, served, account }),
            None => waiting.turn_away(RequestAnswer::SubscriberUnknown, now, counts),
        }
    }
    all
}

fn warn_of_two_accounts(
    (AccountId(one), AccountId(other)): (AccountId, AccountId),
    head: RequestHead<'_>,
) {
    tracing::error!(
        target: LOG,
        "\"{}\" names one subscriber by numbers of the accounts {one} and {other}: its session \"{}\" does not begin",
        head.client,
        head.session
    );
}
