//! Ten times as many calls as can be charged: those in progress are paid, new ones are refused in time, and the system is
//! back to normal soon.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use prepaid::calls::{Authority, Call as _, Clerk, ImportSubscribers, NewSubscriber};
use prepaid::{
    Answered, Definition, Interrogation, LegInterrogation, PhaseName, QuantityText, Queue,
    QueuedInterrogation, System,
};
use runtime::shutdown::Shutdown;

use super::Ratios;
use crate::error::BenchError;
use crate::rating::large::Large;

/// The subscribers, in a row of numbers.
const SUBSCRIBERS: u64 = 10_000;
const FIRST: u64 = 46_701_000_000;

/// The calls that are in progress while there is no overload.
const AT_ONCE: u64 = 2_000;

/// How many times as many calls as can be charged begin under overload, if this process can make as many.
const FACTOR: f64 = 10.0;

/// How long the system is watched after the overload.
const WATCHED: Duration = Duration::from_secs(10);

/// Charges calls for some seconds at full load, and for as long under overload.
pub(super) fn measure(large: &Large, folder: &Path, seconds: u64) -> Result<Ratios, BenchError> {
    let system = system(large, folder)?;
    // One worker, so that the other processor can make the requests.
    let (queue, stop) = (Arc::new(Queue::new(1)), Shutdown::default());
    let within = Duration::from_secs(seconds);
    thread::scope(|scope| {
        let _end = stop.set_on_drop();
        queue.work(scope, &system, &stop)?;
        let network = Network { queue: &queue, large, number: AtomicU64::new(0) };
        let peak = network.at_full_load(within);
        let Overloaded { offered, charged, unpaid } = network.overloaded(within, peak * FACTOR);
        let recovery = network.recovery();
        if unpaid > 0 {
            let answer = format!("{unpaid} reports of usage were refused");
            return Err(BenchError::Answer { answer });
        }
        Ok(vec![
            ("overload_factor".to_owned(), offered / peak),
            ("overload_goodput".to_owned(), charged / peak),
            ("overload_recovery_seconds".to_owned(), recovery.as_secs_f64()),
        ])
    })
}

/// Opens a charging system with subscribers.
fn system(large: &Large, folder: &Path) -> Result<System, BenchError> {
    let tariff = folder.join("tariff");
    std::fs::create_dir(&tariff)?;
    large.write(&tariff)?;
    let path = folder.join("charging.toml");
    std::fs::write(&path, "plan = \"tariff\"\n")?;
    let unusable = |answer: String| BenchError::Answer { answer };
    let definition =
        Definition::read(&path).map_err(|mistakes| unusable(mistakes[0].to_string()))?;
    let system = System::open(definition).map_err(|error| unusable(error.to_string()))?;
    let subscriber = |at: u64| NewSubscriber {
        number: (FIRST + at).to_string(),
        amount: "1000000".to_owned(),
        subscriber_type: String::new(),
        line: None,
    };
    let subscribers = (0..SUBSCRIBERS).map(subscriber).collect();
    let clerk = Clerk { system: &system, who: "bench", authority: Authority::Network };
    let imported = ImportSubscribers { subscribers, only_check: false }.perform(&clerk);
    imported.map_err(|refused| unusable(refused.to_string()))?;
    Ok(system)
}

/// What became of calls.
#[derive(Debug, Default)]
struct Counts {
    /// Calls that were granted and paid.
    charged: AtomicU64,
    /// Calls that were refused at their beginning.
    refused: AtomicU64,
    /// Calls that were granted, and whose report was refused.
    unpaid: AtomicU64,
}

impl Counts {
    fn over(&self) -> u64 {
        let Counts { charged, refused, unpaid } = self;
        [charged, refused, unpaid].iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    fn charged(&self) -> u64 {
        self.charged.load(Ordering::Relaxed)
    }
}

/// What became of an overload, in calls a second, and the reports that were refused.
struct Overloaded {
    offered: f64,
    charged: f64,
    unpaid: u64,
}

/// A network that makes calls.
struct Network<'n> {
    queue: &'n Arc<Queue>,
    large: &'n Large,
    /// The number of the next call.
    number: AtomicU64,
}

impl Network<'_> {
    /// Makes as many calls as are charged. Returns how many a second.
    fn at_full_load(&self, within: Duration) -> f64 {
        let counts = Arc::new(Counts::default());
        let (begun, mut made) = (Instant::now(), 0);
        while begun.elapsed() < within {
            match made - counts.over() < AT_ONCE {
                true => {
                    self.call(&counts);
                    made += 1;
                }
                false => thread::yield_now(),
            }
        }
        let charged = counts.charged() as f64 / begun.elapsed().as_secs_f64();
        self.end(&counts, made);
        charged
    }

    /// Makes a number of calls a second, however many are charged.
    fn overloaded(&self, within: Duration, per_second: f64) -> Overloaded {
        let counts = Arc::new(Counts::default());
        let (begun, mut made) = (Instant::now(), 0);
        loop {
            let elapsed = begun.elapsed();
            if elapsed >= within {
                break;
            }
            let wanted = (elapsed.as_secs_f64() * per_second) as u64;
            // The time is read once for some calls.
            let burst = wanted.saturating_sub(made).min(64);
            (0..burst).for_each(|_| self.call(&counts));
            made += burst;
        }
        let seconds = begun.elapsed().as_secs_f64();
        let (offered, charged) = (made as f64 / seconds, counts.charged() as f64 / seconds);
        self.end(&counts, made);
        Overloaded { offered, charged, unpaid: counts.unpaid.load(Ordering::Relaxed) }
    }

    /// Makes a call each millisecond, and returns how long some of them are refused.
    fn recovery(&self) -> Duration {
        let begun = Instant::now();
        let mut recovered = Duration::ZERO;
        while begun.elapsed() < WATCHED {
            let counts = Arc::new(Counts::default());
            self.call(&counts);
            self.end(&counts, 1);
            if counts.charged() == 0 {
                recovered = begun.elapsed();
            }
            thread::sleep(Duration::from_millis(1));
        }
        recovered
    }

    /// Waits until calls are over.
    fn end(&self, counts: &Counts, made: u64) {
        while counts.over() < made {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Begins a call, which ends when it is granted.
    fn call(&self, counts: &Arc<Counts>) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let called = &self.large.calls[number as usize % self.large.calls.len()];
        let first = request((PhaseName::First, number), &called.digits);
        let (queue, counts) = (Arc::clone(self.queue), Arc::clone(counts));
        let granted = move |answered: Answered| {
            let is_granted = |legs: &[prepaid::LegAnswered]| legs[0].granted.is_some();
            if !matches!(&answered, Answered::Legs { legs } if is_granted(legs)) {
                counts.refused.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let paid = Box::new(move |answered| {
                let is_paid = matches!(answered, Answered::Legs { .. });
                let count = if is_paid { &counts.charged } else { &counts.unpaid };
                count.fetch_add(1, Ordering::Relaxed);
            });
            queue.add(Box::new(QueuedInterrogation::new(
                "bench".into(),
                request((PhaseName::Final, number), &[]),
                paid,
            )));
        };
        self.queue.add(Box::new(QueuedInterrogation::new(
            "bench".into(),
            first,
            Box::new(granted),
        )));
    }
}

/// Returns the request of a call. Only the first one names what is called.
fn request((phase, call): (PhaseName, u64), called: &[u8]) -> Interrogation {
    let is_first = phase == PhaseName::First;
    let seconds = Some(QuantityText { seconds: Some(60), ..QuantityText::default() });
    Interrogation {
        session: call.to_string(),
        number: u32::from(!is_first),
        phase,
        event: prepaid::EventName::default(),
        subscriber: (FIRST + call % SUBSCRIBERS).to_string(),
        legs: vec![LegInterrogation {
            service: is_first.then(|| "telephony".to_owned()),
            other: called.iter().map(|digit| char::from(*digit)).collect(),
            wanted: seconds.filter(|_| is_first),
            used: seconds.filter(|_| !is_first),
            ..LegInterrogation::default()
        }],
    }
}
