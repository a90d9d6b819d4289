//! Simulates the calls of prepaid subscribers, and checks each answer and the balances after them.
//!
//! The mix is that of an Ericsson thesis on prepaid charging (Häggander and Lundberg, "Replacing a real-time application with
//! a database", the load of its measurements): of 100 attempts, 17 ask for the balance, 28 get no answer, 50 are calls, and
//! 5 are of subscribers with too little money. The price of a second is given, so that what a subscriber must have in the
//! end is computed here and not by the charging system.

mod attempt;
mod report;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::random::Random;
use attempt::Attempt;
pub use report::{Counts, Report};

/// What a network asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRequest {
    /// The session.
    pub session: String,
    /// The number of the request within it.
    pub number: u32,
    /// Its phase.
    pub phase: CallPhase,
    /// The number that pays.
    pub subscriber: String,
    /// The number that is called.
    pub called: String,
    /// The seconds used since the last request.
    pub used: Option<u64>,
    /// The seconds that are wanted.
    pub wanted: Option<u64>,
}

/// The phase of a call that a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPhase {
    /// The call begins.
    First,
    /// It goes on.
    Next,
    /// It ends.
    Final,
}

/// What a charging system answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAnswer {
    /// The seconds that are granted.
    pub granted: Option<u64>,
    /// Whether there is no money for more.
    pub is_final: bool,
    /// Why nothing is granted, as a code.
    pub refused: Option<String>,
}

/// A charging system, as a network reaches it.
pub trait Front {
    /// Sends a request.
    ///
    /// # Errors
    ///
    /// The text says why there is no answer.
    fn interrogate(&mut self, request: &CallRequest) -> Result<CallAnswer, FrontError>;

    /// Returns the balance of a number, in billionths.
    ///
    /// # Errors
    ///
    /// The text says why there is no answer.
    fn balance(&mut self, number: &str) -> Result<i64, FrontError>;
}

/// A charging system gives no answer, or one that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FrontError(pub String);

/// A load of calls.
#[derive(Clone, Debug)]
pub struct Load {
    /// The first number of the subscribers; the others follow it.
    pub first_number: u64,
    /// How many subscribers there are.
    pub subscribers: u32,
    /// How many attempts there are in all.
    pub attempts: u64,
    /// How many requests are under way at once.
    pub at_once: usize,
    /// How many intermediate requests a call has.
    pub intermediates: u32,
    /// The price of a second, in billionths.
    pub second: i64,
    /// The share of requests that are sent twice.
    pub repeated: f64,
    /// The same seed makes the same calls.
    pub seed: u64,
    /// The name of the run, which its sessions have: a charging system answers a session that it remembers from memory.
    pub run: String,
}

/// The most differences that a report names.
const FAULTS_MAX: usize = 20;

/// What threads share.
struct Running<'l> {
    load: &'l Load,
    /// The balances before, by subscriber.
    before: Vec<i64>,
    /// The subscribers who can talk for a minute at least, and the others.
    rich: Vec<u32>,
    poor: Vec<u32>,
    /// The seconds that each has used.
    used: Vec<AtomicU64>,
    next: AtomicU64,
    report: Mutex<Report>,
}

/// Simulates a load. `front` connects a thread to the charging system; `done` gets the number of attempts that are over.
///
/// # Errors
///
/// The charging system cannot be reached.
pub fn simulate<F: Front>(
    load: &Load,
    front: impl Fn() -> Result<F, FrontError> + Sync,
    done: impl Fn(u64) + Sync,
) -> Result<Report, FrontError> {
    let before = balances(load, &front)?;
    let minute = load.second.saturating_mul(60);
    let (rich, poor) = (0..load.subscribers).partition(|at| before[*at as usize] >= minute);
    let running = Running {
        load,
        before,
        rich,
        poor,
        used: (0..load.subscribers).map(|_| AtomicU64::new(0)).collect(),
        next: AtomicU64::new(0),
        report: Mutex::new(Report::default()),
    };
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..load.at_once.max(1) {
            scope.spawn(|| running.work(&front, &done));
        }
    });
    let elapsed = begun.elapsed();
    let after = balances(load, &front)?;
    Ok(running.end(&after, elapsed))
}

/// Returns the balances of all subscribers.
fn balances<F: Front>(
    load: &Load,
    front: &(impl Fn() -> Result<F, FrontError> + Sync),
) -> Result<Vec<i64>, FrontError> {
    let threads = load.at_once.clamp(1, 64) as u32;
    let part = |thread: u32| {
        let mut front = front()?;
        let own = (thread..load.subscribers).step_by(threads as usize);
        own.map(|at| Ok((at, front.balance(&load.number(at))?))).collect()
    };
    let parts: Vec<Result<Vec<(u32, i64)>, FrontError>> = thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|of| scope.spawn(move || part(of))).collect();
        parts.into_iter().map(|part| part.join().expect("it does not panic")).collect()
    });
    let mut all = BTreeMap::new();
    for part in parts {
        all.extend(part?);
    }
    Ok(all.into_values().collect())
}

impl Load {
    /// Returns the number of a subscriber.
    fn number(&self, at: u32) -> String {
        (self.first_number + u64::from(at)).to_string()
    }
}

impl Running<'_> {
    fn work<F: Front>(&self, front: &impl Fn() -> Result<F, FrontError>, done: &impl Fn(u64)) {
        let mut own = Report::default();
        match front() {
            Ok(mut front) => loop {
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                if number >= self.load.attempts {
                    break;
                }
                self.attempt(&mut front, number, &mut own);
                done(number);
            },
            Err(error) => own.fault(error.to_string()),
        }
        self.report.lock().expect("no thread panics").add(own);
    }

    fn attempt<F: Front>(&self, front: &mut F, number: u64, report: &mut Report) {
        let mut random = Random::new(self.load.seed, number);
        let choice = random.below(100);
        let subscribers = match choice {
            95.. if !self.poor.is_empty() => &self.poor,
            _ if self.rich.is_empty() => &self.poor,
            _ => &self.rich,
        };
        let subscriber = subscribers[random.below(subscribers.len() as u32) as usize];
        let at = subscriber as usize;
        let mut attempt = Attempt {
            load: self.load,
            front,
            random,
            subscriber: self.load.number(subscriber),
            session: format!("simulated-{}-{number}", self.load.run),
            report,
            used: &self.used[at],
        };
        let result = match choice {
            0..17 => attempt.inquiry(self.before[at]),
            17..45 => attempt.without_answer(),
            _ => attempt.call(),
        };
        if let Err(error) = result {
            report.counts.failed += 1;
            report.fault(format!("attempt {number}: {error}"));
        }
    }

    /// Compares the balances with what must be left.
    fn end(self, after: &[i64], elapsed: Duration) -> Report {
        let mut report = self.report.into_inner().expect("no thread panics");
        report.elapsed = elapsed;
        for (at, (before, after)) in self.before.iter().zip(after).enumerate() {
            let used = self.used[at].load(Ordering::Relaxed);
            let cost = i128::from(used) * i128::from(self.load.second);
            report.cost += cost;
            report.taken += i128::from(*before) - i128::from(*after);
            if i128::from(*before) - cost != i128::from(*after) {
                let number = self.load.number(at as u32);
                report.fault(format!(
                    "{number}: {before} before, {used} seconds used, {after} after (in billionths)"
                ));
            }
        }
        report
    }
}
