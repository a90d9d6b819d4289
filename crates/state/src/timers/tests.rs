use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use journal::clock::Shift;
use journal::{JobId, Journal};
use node::{
    ChangedTimer, Claims, KeyedOctets, RecordEnd, Time, Timer, TimerChanges, TimerEquipment, Values,
};
use store::{Connection, QueryResult};

use super::due::{DUE, DueTimer, due_timers};
use super::{JournalTimers, forget_without_value, move_timers, note, shift_times, time_of};
use crate::changes::NodeChanges;
use crate::event_time::watermark;

const NODE: &str = "windows";

/// A journal in a folder of its own.
struct Site {
    _folder: tempfile::TempDir,
    journal: Journal,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (flow, state) = (folder.path().join("flow.toml"), folder.path().join("flow.state"));
        let journal = flow::flow_journal::open(&flow, &state, SystemTime::now).unwrap();
        Site { _folder: folder, journal }
    }

    fn change(&self, change: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static) {
        self.journal.commit(change).unwrap();
    }

    /// Commits a job that changed these timers, at a time.
    fn set(&self, node: &'static str, set_ms: i64, timers: &[(&str, Option<Timer>)]) {
        let timers =
            timers.iter().map(|(key, timer)| ChangedTimer { key: (*key).into(), timer: *timer });
        let changes = TimerChanges { timers: timers.collect(), watermark_ms: None };
        self.change(move |db| note(db, job(db)?, node, &changes, set_ms));
    }

    /// Returns the keys and times of the timers that are due, in the order in which one look finds
    /// them.
    fn due(&self, node: &str, by: Time, now_ms: i64, after: i64) -> Vec<(String, i64)> {
        let found = self.found(node, by, now_ms, after).into_iter();
        found.map(|due| (due.key, due.timer.at_ms)).collect()
    }

    fn found(&self, node: &str, by: Time, now_ms: i64, after: i64) -> Vec<DueTimer> {
        let reader = self.journal.reader().unwrap();
        let found = due_timers(&reader, node, (by, now_ms), after).unwrap();
        assert!(found.iter().all(|(_, network_element)| network_element == "boston"));
        found.into_iter().map(|(due, _)| due).collect()
    }
}

/// Inserts the row of a job.
fn job(db: &Connection) -> QueryResult<JobId> {
    let insert = "INSERT INTO file (network_element, name, path, size, modified_ns, done_ms, records, delivered, filtered,
                      held, suspended, duplicate) VALUES ('boston', 'f', '', 0, 0, 0, 0, 0, 0, 0, 0, 0)";
    db.execute(insert, [])?;
    Ok(JobId(db.last_insert_rowid()))
}

fn event(at_ms: i64) -> Option<Timer> {
    Some(Timer { at_ms, by: Time::Event })
}

fn arrival(at_ms: i64) -> Option<Timer> {
    Some(Timer { at_ms, by: Time::Arrival })
}

fn expected(timers: &[(&str, i64)]) -> Vec<(String, i64)> {
    timers.iter().map(|(key, at_ms)| ((*key).into(), *at_ms)).collect()
}

#[test]
fn a_timer_is_due_when_its_own_time_has_reached_it() {
    let site = Site::new();
    site.set(NODE, 0, &[("a", event(20)), ("b", event(10)), ("c", arrival(5))]);
    site.set("other", 0, &[("a", event(1))]);
    assert_eq!(site.due(NODE, Time::Event, 9, 0), []);
    assert_eq!(site.due(NODE, Time::Event, 10, 0), expected(&[("b", 10)]));
    assert_eq!(site.due(NODE, Time::Event, 20, 0), expected(&[("a", 20), ("b", 10)]));
    assert_eq!(site.due(NODE, Time::Arrival, 20, 0), expected(&[("c", 5)]));
}

#[test]
fn a_key_has_one_timer_and_numbers_are_not_reused() {
    let site = Site::new();
    let number = || site.found(NODE, Time::Event, 99, 0).first().map(|due| due.id);
    site.set(NODE, 0, &[("a", arrival(10))]);
    site.set(NODE, 0, &[("a", event(20))]);
    assert_eq!(site.due(NODE, Time::Arrival, 99, 0), []);
    let first = number();
    assert!(first >= Some(1 << 40), "groups have smaller numbers");
    // It has fired and was set again, for the same time.
    site.set(NODE, 0, &[("a", event(20))]);
    let second = number();
    assert!(second > first);
    site.set(NODE, 0, &[("a", None), ("b", None)]);
    assert_eq!(number(), None);
    site.set(NODE, 0, &[("a", event(20))]);
    assert!(number() > second, "numbers are not reused");
}

#[test]
fn a_search_continues_after_the_last_number() {
    let site = Site::new();
    site.set(NODE, 0, &[("a", event(3)), ("b", event(1))]);
    let last = site.found(NODE, Time::Event, 9, 0).last().map_or(0, |due| due.id);
    site.set(NODE, 0, &[("b", event(2)), ("c", event(1))]);
    assert_eq!(site.due(NODE, Time::Event, 9, last), expected(&[("b", 2), ("c", 1)]));
}

#[test]
fn the_search_for_due_timers_uses_the_index() {
    let site = Site::new();
    let reader = site.journal.reader().unwrap();
    let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {DUE}")).unwrap();
    let values = std::iter::repeat_n(7, plan.parameter_count());
    let steps = plan.query_map(store::params_from_iter(values), |row| row.get(3)).unwrap();
    let steps = steps.collect::<QueryResult<Vec<String>>>().unwrap();
    assert!(
        steps[0].contains("state_timer_by_time (node=? AND waits_for=? AND at_ms<?)"),
        "{steps:#?}"
    );
}

#[test]
fn a_watermark_never_goes_back() {
    let site = Site::new();
    for (time_ms, latest_ms) in [(5, 5), (9, 9), (7, 9)] {
        let changes = TimerChanges { timers: Vec::new(), watermark_ms: Some(time_ms) };
        site.change(move |db| note(db, job(db)?, NODE, &changes, 0));
        let reader = site.journal.reader().unwrap();
        assert_eq!(watermark(&reader, NODE, "boston").unwrap(), Some(latest_ms));
    }
}

#[test]
fn a_timer_that_was_set_by_a_wrong_clock_keeps_its_delay() {
    let site = Site::new();
    let keys = [("a", arrival(150)), ("e", event(150))];
    site.set(NODE, 100, &keys);
    site.set(NODE, 200, &[("b", arrival(250))]);
    // The guarded clock was at 200 when the time was 1000.
    site.change(|db| shift_times(db, Shift::Ahead { noted_ms: 200, was_ms: 1_000 }));
    assert_eq!(site.due(NODE, Time::Arrival, 9_999, 0), expected(&[("a", 150), ("b", 1_050)]));
    // The clock was ahead all the time.
    site.change(|db| shift_times(db, Shift::Back { now_ms: 500 }));
    assert_eq!(site.due(NODE, Time::Arrival, 9_999, 0), expected(&[("a", 150), ("b", 550)]));
    assert_eq!(site.due(NODE, Time::Event, 9_999, 0), expected(&[("e", 150)]));
}

#[test]
fn timers_move_with_the_state_of_their_node() {
    let site = Site::new();
    site.set(NODE, 0, &[("a", event(1)), ("b", event(2))]);
    site.set("renamed", 0, &[("b", event(3))]);
    site.change(|db| move_timers(db, NODE, "renamed"));
    assert_eq!(site.due(NODE, Time::Event, 9, 0), []);
    let mut moved = site.due("renamed", Time::Event, 9, 0);
    moved.sort();
    assert_eq!(moved, expected(&[("a", 1), ("b", 3)]));
    site.change(|db| {
        db.execute("INSERT INTO kept (node, key, octets, changed_by, begun_by, last_by) VALUES ('renamed', 'b', x'01', 1, 0, 0)", [])?;
        forget_without_value(db, "renamed")
    });
    assert_eq!(site.due("renamed", Time::Event, 9, 0), expected(&[("b", 3)]));
}

/// Random numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Timers, and a plain map of the committed ones to compare them with.
struct Model {
    site: Site,
    state: KeyedOctets,
    committed: BTreeMap<String, Timer>,
    numbers: Numbers,
    jobs: u64,
}

impl Model {
    fn new(seed: u64) -> Self {
        let site = Site::new();
        let values = Arc::new(Values::new(String::new(), None, 1 << 20));
        let mut state = KeyedOctets::in_memory(Arc::new(Claims::new(1 << 20)), values);
        let reader = site.journal.view.cached_reader(1 << 20).unwrap();
        let reader = Box::new(JournalTimers { reader, node: NODE.into() });
        let [latest_ms, now_ms] = [|| 0; 2].map(Box::new);
        state.equip_timers(TimerEquipment { reader, latest_ms, now_ms });
        Model { site, state, committed: BTreeMap::new(), numbers: Numbers(seed), jobs: 0 }
    }

    /// Runs a job of some records. It is committed, or killed before that.
    fn job(&mut self, records: Vec<Option<DueTimer>>) {
        self.jobs += 1;
        self.state.begin_file(self.jobs);
        let mut timers = self.committed.clone();
        for due in records {
            let mut changed = timers.clone();
            self.record(due, &mut changed);
            if self.numbers.below(4) == 0 {
                self.state.end_record(RecordEnd::Refused);
            } else {
                self.state.end_record(RecordEnd::Accepted);
                timers = changed;
            }
        }
        let changes = self.state.end_file().expect("it has begun");
        if self.numbers.below(4) == 0 {
            return;
        }
        let (form, keyed_by) = (String::new(), [0; 16]);
        let mut changes = NodeChanges { node: NODE, form, keyed_by, changes, judge: None };
        if let Some(rows) = changes.rows(0) {
            self.site.change(move |db| rows.insert(db, job(db)?));
        }
        self.committed = timers;
    }

    /// Fires a timer, or processes a record of a file; either sets and cancels timers.
    fn record(&mut self, due: Option<DueTimer>, timers: &mut BTreeMap<String, Timer>) {
        if let Some(DueTimer { key, timer, .. }) = &due {
            let is_set = self.state.take_timer(key, *timer).unwrap();
            assert_eq!(is_set, timers.get(key) == Some(timer), "{key}");
            if is_set {
                timers.remove(key);
            }
        }
        for _ in 0..self.numbers.below(3) {
            let own =
                due.as_ref().map(|due| due.key.clone()).filter(|_| self.numbers.below(2) == 0);
            let key = own.unwrap_or_else(|| self.numbers.below(20).to_string());
            match self.numbers.below(4) {
                0 => {
                    self.state.cancel_timer(&key).unwrap();
                    timers.remove(&key);
                }
                _ => {
                    let by = [Time::Event, Time::Arrival][self.numbers.below(2) as usize];
                    let timer = Timer { at_ms: self.numbers.below(30) as i64, by };
                    self.state.set_timer(&key, timer).unwrap();
                    timers.insert(key, timer);
                }
            }
        }
        if self.numbers.below(4) == 0 {
            let key = self.numbers.below(20).to_string();
            self.state.delete(&key).unwrap();
            timers.remove(&key);
        }
    }

    fn step(&mut self) {
        let records = match self.numbers.below(2) {
            0 => (0..self.numbers.below(6)).map(|_| None).collect(),
            _ => {
                let (by, now_ms) =
                    (time_of(["event", "arrival"][self.numbers.below(2) as usize]), 15);
                self.site.found(NODE, by, now_ms, 0).into_iter().map(Some).collect()
            }
        };
        self.job(records);
        let found = [Time::Event, Time::Arrival].map(|by| self.site.found(NODE, by, i64::MAX, 0));
        let found = found.into_iter().flatten().map(|due| (due.key, due.timer));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), self.committed);
    }
}

#[test]
fn timers_equal_a_map_of_the_committed_changes_wherever_a_job_is_killed() {
    for seed in 1..=4 {
        let mut model = Model::new(seed);
        (0..150).for_each(|_| model.step());
    }
}
