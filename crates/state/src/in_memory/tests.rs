use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use journal::{JobId, Journal};
use node::{
    Claims, Committed, InMemory, KeyedOctets, Keys, Occurrence, RecordEnd, StateChanges, Values,
    key_digest,
};
use runtime::time::{at_ms, now_ms};
use store::{Connection, QueryResult, params};

use super::alarms::{TABLES, select_names};
use super::forms::stored_form;
use super::restore::{DELTAS, NOTED, PARTS_OF, restore_node, through};
use super::snapshot::{SnapshotRows, insert, write};
use super::{insert_delta, prune};

const NODE: &str = "profiles";
const FORM: &str = "by number";
const WINDOW: Duration = Duration::from_secs(1_000);

/// A journal in a folder of its own.
struct Site {
    _folder: tempfile::TempDir,
    journal: Journal,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flow = folder.path().join("flow.toml");
        let state = folder.path().join("flow.state");
        let journal = flow::flow_journal::open(&flow, &state, SystemTime::now).unwrap();
        Site { _folder: folder, journal }
    }

    /// Restores a node. Returns what could not be read.
    fn restore(&self, state: &dyn InMemory) -> Vec<String> {
        let mut problems = Vec::new();
        let reader = self.journal.reader().unwrap();
        let of = (NODE, state);
        let form = stored_form(&reader, of).unwrap();
        restore_node(&reader, of, (&form, now_ms()), &mut problems).unwrap();
        problems
    }

    /// Commits a job that changed a node.
    fn commit(&self, changes: &mut dyn StateChanges, done_ms: i64) -> Committed {
        let delta = changes.delta();
        let insert = move |db: &Connection| {
            let job = job(db, done_ms)?;
            delta.iter().try_for_each(|delta| insert_delta(db, job, (NODE, FORM), delta))?;
            Ok(job)
        };
        let JobId(job) = self.journal.commit(insert).unwrap();
        Committed { job, at: at_ms(done_ms) }
    }

    fn count(&self, table: &str) -> i64 {
        let reader = self.journal.reader().unwrap();
        let count = format!("SELECT count(*) FROM {table}");
        reader.query_row(&count, [], |row| row.get(0)).unwrap()
    }
}

/// Inserts the row of a job.
fn job(db: &Connection, done_ms: i64) -> QueryResult<JobId> {
    let insert = "INSERT INTO file (network_element, name, path, size, modified_ns, done_ms, marked, is_known, records,
                      delivered, filtered, held, suspended, duplicate)
                  VALUES ('a', 'f', '', 0, 0, ?, 1, 1, 0, 0, 0, 0, 0, 0)";
    db.execute(insert, [done_ms])?;
    Ok(JobId(db.last_insert_rowid()))
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// State in memory, and a plain map of the committed changes to compare it with.
struct Model {
    site: Site,
    values: Arc<Values>,
    claims: Arc<Claims>,
    committed: BTreeMap<String, Vec<u8>>,
    /// The uncommitted files: one with even keys, one with odd ones.
    in_hand: [Option<InHand>; 2],
    jobs: u64,
    restarts: usize,
}

struct InHand {
    changes: Box<dyn StateChanges>,
    /// The new values; `None` for deleted keys.
    values: BTreeMap<String, Option<Vec<u8>>>,
}

impl Model {
    fn new() -> Self {
        Model {
            site: Site::new(),
            values: Self::empty(),
            claims: Arc::new(Claims::new(1 << 20)),
            committed: BTreeMap::new(),
            in_hand: [None, None],
            jobs: 0,
            restarts: 0,
        }
    }

    fn empty() -> Arc<Values> {
        Arc::new(Values::new(FORM.into(), None, 1 << 30).with_snapshot_after(8_000))
    }

    fn keyed(&self) -> KeyedOctets {
        KeyedOctets::in_memory(Arc::clone(&self.claims), Arc::clone(&self.values))
    }

    /// Processes a file of even or odd keys, if none such is in hand. Some of its records are
    /// refused.
    fn file(&mut self, parity: usize, numbers: &mut Numbers) {
        if self.in_hand[parity].is_some() {
            return;
        }
        let mut state = self.keyed();
        self.jobs += 1;
        state.begin_file(self.jobs);
        let mut left: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
        for _ in 0..numbers.below(30) {
            let key = (numbers.below(150) * 2 + parity as u64).to_string();
            let before =
                left.get(&key).cloned().unwrap_or_else(|| self.committed.get(&key).cloned());
            assert_eq!(state.get(&key).unwrap(), before.as_deref(), "{key}");
            let value = match numbers.below(4) {
                0 => None,
                _ => Some(vec![numbers.below(256) as u8; 1 + numbers.below(40) as usize]),
            };
            match &value {
                Some(value) => state.put(&key, value.clone()).unwrap(),
                None => state.delete(&key).unwrap(),
            }
            match numbers.below(5) {
                0 => state.end_record(RecordEnd::Refused),
                _ => {
                    state.end_record(RecordEnd::Accepted);
                    left.insert(key, value);
                }
            }
        }
        let changes = state.end_file().unwrap();
        self.in_hand[parity] = Some(InHand { changes, values: left });
    }

    /// Commits the file in hand. The process may be killed before the node learns of it.
    fn commit(&mut self, parity: usize, is_killed: bool) {
        let Some(InHand { mut changes, values }) = self.in_hand[parity].take() else { return };
        let job = self.site.commit(changes.as_mut(), now_ms());
        for (key, value) in values {
            match value {
                Some(value) => self.committed.insert(key, value),
                None => self.committed.remove(&key),
            };
        }
        match is_killed {
            true => self.restart(),
            false => changes.committed(job),
        }
    }

    /// Commits both files in hand. The node learns of the later one first, and a snapshot may be
    /// written meanwhile.
    fn commit_both(&mut self, numbers: &mut Numbers) {
        let [Some(mut first), Some(mut second)] = std::mem::take(&mut self.in_hand) else { return };
        let first_job = self.site.commit(first.changes.as_mut(), now_ms());
        let second_job = self.site.commit(second.changes.as_mut(), now_ms());
        for (key, value) in first.values.into_iter().chain(second.values) {
            match value {
                Some(value) => self.committed.insert(key, value),
                None => self.committed.remove(&key),
            };
        }
        second.changes.committed(second_job);
        let restarts = self.restarts;
        self.snapshot(numbers);
        if self.restarts == restarts {
            first.changes.committed(first_job);
        }
    }

    /// Writes the next parts of a snapshot, if one is due. The process may be killed before or
    /// after that.
    fn snapshot(&mut self, numbers: &mut Numbers) {
        for _ in 0..numbers.below(8) {
            let parts = self.values.snapshot();
            let kill = numbers.below(32);
            if kill != 0 && !parts.is_empty() {
                let rows = SnapshotRows { node: NODE.into(), form: FORM.into(), parts };
                write(&self.site.journal, rows).unwrap();
            }
            if kill < 2 {
                return self.restart();
            }
        }
    }

    fn restart(&mut self) {
        self.in_hand = [None, None];
        self.claims = Arc::new(Claims::new(1 << 20));
        self.values = Self::empty();
        assert_eq!(self.site.restore(&*self.values), [""; 0]);
        self.restarts += 1;
        self.check();
    }

    /// Compares all keys.
    fn check(&self) {
        assert_eq!(self.values.keys(), self.committed.len() as u64);
        let mut state = self.keyed();
        state.begin_file(u64::MAX);
        for key in (0..300).map(|key| key.to_string()) {
            let value = state.get(&key).unwrap();
            assert_eq!(value, self.committed.get(&key).map(Vec::as_slice), "{key}");
        }
    }
}

#[test]
fn state_in_memory_equals_a_map_of_the_committed_changes_wherever_the_process_is_killed() {
    for seed in 0..6 {
        let (mut model, mut numbers) = (Model::new(), Numbers(seed));
        let (mut snapshots, mut most_deltas) = (0, 0);
        for _ in 0..400 {
            let parity = numbers.below(2) as usize;
            match numbers.below(32) {
                0..12 => model.file(parity, &mut numbers),
                12..22 => model.commit(parity, false),
                22 => model.commit(parity, true),
                23 => model.in_hand[parity] = None,
                24..26 => model.commit_both(&mut numbers),
                26 => model.restart(),
                _ => model.snapshot(&mut numbers),
            }
            let reader = model.site.journal.reader().unwrap();
            snapshots += usize::from(through(&reader, (NODE, FORM)).unwrap().is_some());
            most_deltas = most_deltas.max(model.site.count("state_delta"));
        }
        model.in_hand = [None, None];
        model.check();
        model.restart();
        let restarts = model.restarts;
        let is_varied = restarts > 20 && snapshots > 20 && most_deltas < 120;
        assert!(is_varied, "{restarts} restarts, {snapshots} snapshots, {most_deltas} deltas");
    }
}

/// Returns a state with a complete snapshot, and a delta after it.
fn with_snapshot(site: &Site) -> Arc<Values> {
    let values =
        Arc::new(Values::new(FORM.into(), Some(WINDOW), 1 << 30).with_snapshot_after(1_000));
    let mut state = KeyedOctets::in_memory(Arc::new(Claims::new(1 << 20)), Arc::clone(&values));
    for job in 0..2 {
        state.begin_file(job);
        for key in 0..50 {
            state.put(&format!("{key}"), [job as u8 + 1; 20]).unwrap();
        }
        state.end_record(RecordEnd::Accepted);
        let mut changes = state.end_file().unwrap();
        let committed = site.commit(changes.as_mut(), now_ms());
        changes.committed(committed);
        if job == 0 {
            loop {
                let parts = values.snapshot();
                if parts.is_empty() {
                    break;
                }
                let rows = SnapshotRows { node: NODE.into(), form: FORM.into(), parts };
                write(&site.journal, rows).unwrap();
            }
        }
    }
    assert_eq!((site.count("state_snapshot"), site.count("state_delta")), (256, 1));
    values
}

#[test]
fn a_damaged_snapshot_or_delta_is_refused_unless_it_is_not_needed() {
    for table in ["state_snapshot", "state_delta"] {
        let site = Site::new();
        with_snapshot(&site);
        let damage = format!(
            "UPDATE {table} SET octets = CAST(substr(octets, 1, length(octets) - 1) || 'x' AS BLOB)
             WHERE rowid = (SELECT rowid FROM {table} ORDER BY length(octets) DESC LIMIT 1)"
        );
        site.journal.commit(move |db| db.execute(&damage, []).map(drop)).unwrap();
        let values = Values::new(FORM.into(), Some(WINDOW), 1 << 30);
        let problems = site.restore(&values);
        assert!(
            problems[0].contains("could not restore the state of \"profiles\": it is damaged"),
            "{problems:?}"
        );
        let refuses = values.refuses().unwrap_or_default();
        assert!(refuses.contains("cannot be read from the journal: it is damaged"), "{refuses}");
        assert!(values.snapshot().is_empty());
    }
    // The snapshot is incomplete, but no delta was deleted.
    let site = Site::new();
    let values = with_snapshot(&site);
    let incomplete =
        "UPDATE state_snapshot SET octets = x'00'; DELETE FROM state_snapshot WHERE part = 255";
    site.journal.commit(move |db| db.execute_batch(incomplete)).unwrap();
    let restored = Values::new(FORM.into(), Some(WINDOW), 1 << 30);
    assert_eq!(site.restore(&restored), [""; 0]);
    assert_eq!((restored.keys(), restored.refuses()), (values.keys(), None));
}

#[test]
fn unchanged_keys_expire_in_memory_and_in_the_journal() {
    let site = Site::new();
    let values = with_snapshot(&site);
    assert_eq!(values.keys(), 50);
    values.expire(SystemTime::now() + WINDOW / 2);
    assert_eq!(values.keys(), 50);
    let later = SystemTime::now() + WINDOW + WINDOW / 10;
    values.expire(later);
    assert_eq!((values.keys(), values.refuses()), (0, None));
    let later_ms = runtime::time::since_epoch_ns(later) / 1_000_000;
    let before_ms = later_ms - WINDOW.as_millis() as i64;
    let old = prune::Old { node: NODE.into(), form: FORM.into(), before_ms };
    site.journal.commit(move |db| prune::delete(db, &old)).unwrap();
    assert_eq!(site.count("state_delta"), 0);
    // The node has another form: its snapshot goes with its window.
    let old = prune::Old { node: NODE.into(), form: "by name".into(), before_ms };
    site.journal.commit(move |db| prune::delete(db, &old)).unwrap();
    assert_eq!(site.count("state_snapshot"), 0);
}

#[test]
fn keys_of_an_earlier_version_are_known_too() {
    let site = Site::new();
    let key = |name: &str| key_digest(name.as_bytes());
    let noted = [key("a"), key("b")].as_flattened().to_vec();
    let insert = move |db: &Connection| {
        let JobId(file) = job(db, now_ms())?;
        let insert = "INSERT INTO noted (file, node, form, octets) VALUES (?, ?, ?, ?)";
        db.execute(insert, params![file, NODE, FORM, noted])
    };
    site.journal.commit(insert).unwrap();
    let keys = || Arc::new(Keys::new(FORM.into(), WINDOW, 100));
    let before = keys();
    assert_eq!(site.restore(&*before), [""; 0]);
    let mut file = Keys::begin(&before, 1, None);
    assert_eq!(file.take(key("b")), Ok(Occurrence::Repeated));
    assert_eq!(file.take(key("c")), Ok(Occurrence::First));
    file.end_record(true);
    let committed = site.commit(&mut file, now_ms());
    Box::new(file).committed(committed);
    let after = keys();
    assert_eq!(site.restore(&*after), [""; 0]);
    assert_eq!(after.keys(), 3);
    let mut file = Keys::begin(&after, 2, None);
    for known in ["a", "b", "c"] {
        assert_eq!(file.take(key(known)), Ok(Occurrence::Repeated), "{known}");
    }
}

#[test]
fn state_is_read_in_the_order_of_its_indexes() {
    let site = Site::new();
    let reader = site.journal.reader().unwrap();
    let statements = [NOTED, DELTAS, PARTS_OF].map(str::to_owned);
    for sql in statements.into_iter().chain(TABLES.map(select_names)) {
        let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nothing = params![None::<String>, None::<i64>, None::<i64>];
        let values = &nothing[..plan.parameter_count()];
        let steps = plan.query_map(values, |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.collect::<QueryResult<_>>().unwrap();
        assert!(steps.iter().any(|step| step.contains("USING")), "{sql}: {steps:?}");
        let sorts = |step: &String| {
            step.contains("TEMP B-TREE")
                || TABLES.iter().any(|table| *step == format!("SCAN {table}"))
        };
        assert!(!steps.iter().any(sorts), "{sql}: {steps:?}");
    }
}

#[test]
fn a_part_that_is_written_again_replaces_an_earlier_one() {
    let site = Site::new();
    let values = with_snapshot(&site);
    drop(values);
    for (through, octets) in [(9, 1), (8, 2)] {
        let at = SystemTime::now();
        let part = node::SnapshotPart { part: 3, through, at, octets: vec![octets] };
        let rows = SnapshotRows { node: NODE.into(), form: FORM.into(), parts: vec![part] };
        site.journal.commit(move |db| insert(db, &rows)).unwrap();
    }
    assert_eq!(site.count("state_snapshot"), 256);
    assert_eq!(site.count("state_snapshot WHERE part = 3 AND through = 9 AND octets = x'01'"), 1);
}
