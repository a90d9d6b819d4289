//! Alarms if too large a share of records goes to suspense: of one file, or of the last five minutes. So operators
//! learn of changed files or scripts before they look into suspense.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::visible;
use journal::Journal;
use runtime::sync::lock;
use store::{Connection, StoreError};

use flow::limits::{AlarmLimits, Limits};
use flow::meters::Done;
use flow::report::{FileAccount, NodeAccount};
use flow::topology::Topology;

pub(super) const SUSPENDED: &Kind =
    &Kind::new("records-suspended", Severity::Major, EventType::Quality, "thresholdCrossed");

/// The time for which records are counted together, and the steps in which they are forgotten.
const WINDOW: Duration = Duration::from_secs(5 * 60);
const STEP: Duration = Duration::from_secs(10);

/// Recent counts by network element, node and system.
#[derive(Debug, Default)]
pub struct Shares(Mutex<BTreeMap<String, Recent>>);

/// Recent records of one network element or node, and how many of them were set aside.
#[derive(Debug, Default)]
struct Recent {
    /// Counts by the start of their step, the oldest first.
    steps: VecDeque<(Instant, Count)>,
    /// The first file with too large a share, as a message names it.
    file: Option<(Instant, String, Count)>,
}

/// Records, and how many of them were set aside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    records: u64,
    suspended: u64,
}

/// The result of comparing recent records with the limits.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// Too many went to suspense; the message says how many.
    TooMany(String),
    /// Fewer than the limit; their share of all.
    Fewer(f64),
    /// No records came.
    Unknown,
}

/// The fraction of the limit below which an alarm clears, so that it does not flap.
const OVER: f64 = 0.75;

impl Count {
    fn share(self) -> f64 {
        self.suspended as f64 / self.records.max(1) as f64
    }

    fn is_too_much(self, limits: Limits) -> bool {
        self.suspended >= limits.records && limits.share.is_some_and(|limit| self.share() >= limit)
    }
}

impl Shares {
    /// Counts the records of a file.
    pub fn file(&self, done: &Done<'_>, limits: &AlarmLimits, now: Instant) {
        let FileAccount { network_element, file, records, suspended, .. } = done.account;
        let count = Count { records: *records, suspended: *suspended };
        let mut shares = lock(&self.0);
        let quoted = format!("\"{}\"", visible(file));
        add(&mut shares, network_element, count, (&quoted, limits), now);
        // If the network element has no limit, its files raise no alarms of nodes either.
        if limits.of(network_element).share.is_some() {
            let of = format!("{quoted} of {network_element}");
            add_nodes(&mut shares, done.nodes, (&of, limits), now);
        }
    }

    /// Counts the records of groups that expired.
    pub fn groups(&self, nodes: &[NodeAccount], limits: &AlarmLimits, now: Instant) {
        add_nodes(&mut lock(&self.0), nodes, ("groups whose time was over", limits), now);
    }

    /// Raises alarms for network elements and nodes with too large a share. An alarm stays until records come with a
    /// clearly smaller share, or suspense is empty.
    pub fn look(
        &self,
        flow: &Topology,
        limits: &AlarmLimits,
        journal: &Journal,
        reader: &Connection,
        is_suspense_empty: bool,
    ) -> Result<(), StoreError> {
        let raised = journal.answer(alarm::raised(reader, &[SUSPENDED]))?;
        let mut verdicts = self.verdicts(limits, Instant::now());
        let mut wrong = Vec::new();
        for raised in &raised {
            let limit = limits.of(&raised.subject).share;
            let stays = match verdicts.remove(&raised.subject) {
                Some(Verdict::TooMany(_)) => true,
                Some(Verdict::Fewer(share)) => limit.is_some_and(|limit| share >= OVER * limit),
                Some(Verdict::Unknown) | None => {
                    limit.is_some() && !is_suspense_empty && flow.has_name(&raised.subject)
                }
            };
            wrong.extend(stays.then(|| raised.clone()));
        }
        wrong.extend(verdicts.into_iter().filter_map(|(subject, verdict)| match verdict {
            Verdict::TooMany(text) => Some(Condition { kind: SUSPENDED, subject, text }),
            Verdict::Fewer(_) | Verdict::Unknown => None,
        }));
        alarm::reconcile(wrong.into_iter(), &raised, journal)
    }

    fn verdicts(&self, limits: &AlarmLimits, now: Instant) -> BTreeMap<String, Verdict> {
        let mut shares = lock(&self.0);
        let verdict = |(name, recent): (&String, &mut Recent)| {
            (name.clone(), recent.verdict(name, limits.of(name), now))
        };
        shares.iter_mut().map(verdict).collect()
    }
}

fn add_nodes(
    shares: &mut BTreeMap<String, Recent>,
    nodes: &[NodeAccount],
    (of, limits): (&str, &AlarmLimits),
    now: Instant,
) {
    for node in nodes {
        let count = Count { records: node.records, suspended: node.suspended };
        add(shares, &node.node, count, (of, limits), now);
    }
}

fn add(
    shares: &mut BTreeMap<String, Recent>,
    name: &str,
    count: Count,
    (of, limits): (&str, &AlarmLimits),
    now: Instant,
) {
    if count.records == 0 {
        return;
    }
    if !shares.contains_key(name) {
        shares.insert(name.to_owned(), Recent::default());
    }
    if let Some(recent) = shares.get_mut(name) {
        recent.add(count, (of, limits.of(name)), now);
    }
}

impl Recent {
    fn add(&mut self, count: Count, (of, limits): (&str, Limits), now: Instant) {
        match self.steps.back_mut() {
            Some((begun, sum)) if now.duration_since(*begun) < STEP => {
                sum.records += count.records;
                sum.suspended += count.suspended;
            }
            _ => self.steps.push_back((now, count)),
        }
        self.forget(now);
        if self.file.is_none() && count.is_too_much(limits) {
            self.file = Some((now, of.to_owned(), count));
        }
    }

    fn forget(&mut self, now: Instant) {
        let is_old = |since: &Instant| now.duration_since(*since) >= WINDOW;
        while self.steps.front().is_some_and(|(since, _)| is_old(since)) {
            self.steps.pop_front();
        }
        self.file.take_if(|(since, ..)| is_old(since));
    }

    fn verdict(&mut self, name: &str, limits: Limits, now: Instant) -> Verdict {
        self.forget(now);
        let mut sum = Count::default();
        for (_, count) in &self.steps {
            sum.records += count.records;
            sum.suspended += count.suspended;
        }
        let (Count { records, suspended }, of) = match &self.file {
            Some((_, of, count)) => (*count, of.as_str()),
            None if sum.is_too_much(limits) => (sum, "five minutes"),
            None if sum.records > 0 => return Verdict::Fewer(sum.share()),
            None => return Verdict::Unknown,
        };
        Verdict::TooMany(format!(
            "{name}: {suspended} of the {records} records of {of} went to suspense: \"tollgate suspense list\" shows why"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { share: Some(0.1), records: 10, age: None, late: false };

    /// Adds files, each with its time, its records and how many were set aside; then checks the verdict at a time.
    fn check(files: &[(u64, u64, u64)], at: u64) -> Verdict {
        let (begun, mut recent) = (Instant::now(), Recent::default());
        let after = |seconds| begun + Duration::from_secs(seconds);
        for (at, records, suspended) in files {
            let count = Count { records: *records, suspended: *suspended };
            recent.add(count, ("\"a.ber\"", LIMITS), after(*at));
        }
        recent.verdict("boston", LIMITS, after(at))
    }

    fn too_many(what: &str) -> Verdict {
        let text = format!("boston: {what} went to suspense: \"tollgate suspense list\" shows why");
        Verdict::TooMany(text)
    }

    #[test]
    fn a_file_with_too_many_is_named_for_five_minutes() {
        assert_eq!(check(&[(0, 1_000, 99)], 0), Verdict::Fewer(0.099));
        let named = || too_many("100 of the 1000 records of \"a.ber\"");
        assert_eq!(check(&[(0, 1_000, 100)], 0), named());
        assert_eq!(check(&[(0, 1_000, 100), (20, 100_000, 0)], 299), named());
        assert_eq!(check(&[(0, 1_000, 100), (20, 100_000, 0)], 300), Verdict::Fewer(0.0));
    }

    #[test]
    fn files_are_counted_together_for_five_minutes() {
        assert_eq!(check(&[(0, 20, 9)], 0), Verdict::Fewer(0.45), "a few records");
        let sum = too_many("18 of the 40 records of five minutes");
        assert_eq!(check(&[(0, 20, 9), (200, 20, 9)], 299), sum);
        assert_eq!(check(&[(0, 20, 9), (200, 20, 9)], 300), Verdict::Fewer(0.45));
    }

    #[test]
    fn of_files_that_do_not_come_nothing_is_known() {
        assert_eq!(check(&[(0, 1_000, 100)], 301), Verdict::Unknown);
    }
}
