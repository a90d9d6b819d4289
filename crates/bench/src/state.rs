//! `tollgate bench state`: keyed state in memory, changed by records of files, beside rows of SQLite.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use diagnostics::Diagnostic;
use gateway::{Parts, RunOptions};
use node::{
    Claims, Committed, JobNumber, Keyed, KeyedState, Kind, Node, Origin, Output, Outputs, Passed,
    RecordEnd, Refusal, StateChanges, StateError, StateValue, Template, Values,
};
use reason::Fixed;
use record::{Memory, Record, TypeId, Types};
use rusqlite::{Connection, params};
use settings::Settings;

use super::folder::Folder;
use super::measure::{Results, Row, resident};
use crate::error::BenchError;
use crate::product::Product;

const MODULE: &str = "CALLS DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= SEQUENCE { subscriber [0] INTEGER, before [1] INTEGER }
END
";

/// Network elements, each with subscribers of its own.
const ELEMENTS: u64 = 2;

/// The records of a file.
const FILE: u64 = 20_000;

/// The memory that the node may use for its state, and for files in hand.
const MEMORY: u64 = 4 << 30;

/// Arguments of `tollgate bench state`.
#[derive(Debug, clap::Args)]
pub(crate) struct State {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Keys that the node has
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..1 << 31))]
    keys: u64,
    /// How often each key is changed
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..200))]
    rounds: u64,
    /// Where it is done, with nothing else in it: the disk that is measured [default: a folder in the system's temporary folder, removed at the
    /// end]. It takes some 300 octets a key
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl State {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let folder = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let folder = &folder.path;
        // Before all else: later, the process has memory left from its work.
        let memory = memory(self.keys);
        fs::write(folder.join("calls.asn1"), MODULE)?;
        fs::write(folder.join("flow.toml"), flow())?;
        let profile = Profiling { wrong: Arc::default() };
        let kinds: Vec<&dyn Kind> =
            product.parts.kinds.iter().copied().chain([&profile as _]).collect();
        let parts = Parts { kinds: &kinds, ..product.parts };
        let mut new = Row::new("keys that are new", self.keys, 0);
        let mut changed = Row::new("changes of keys in memory", self.keys, 0);
        let mut rows = Row::new("upserts of rows", self.keys, 0);
        let rows_of_keys = RowsOfKeys::new(folder, self.keys)?;
        for round in 0..=self.rounds {
            (product.stage)(&format!("round {round} of {}", self.rounds));
            let octets = inputs(folder, round, 0..self.keys)?;
            let row = if round == 0 { &mut new } else { &mut changed };
            row.octets = octets;
            row.time(|| run(parts, folder, self.keys))?;
            if round > 0 {
                rows.time(|| rows_of_keys.change(self.keys))?;
            }
        }
        let mut ratios = vec![("state_in_memory_over_rows".into(), changed.over_in_turn(&rows))];
        // A thousand keys are enough to look whether each has all of its changes.
        inputs(folder, self.rounds + 1, 0..self.keys.min(1_000))?;
        let start = Instant::now();
        run(parts, folder, self.keys.min(1_000))?;
        ratios.push(("state_restart_seconds".into(), start.elapsed().as_secs_f64()));
        if profile.wrong.load(Ordering::Relaxed) > 0 {
            return Err(BenchError::Wrong("a key does not have all of its changes"));
        }
        let journal = fs::metadata(folder.join("flow.state/journal.db"))?.len() as f64;
        ratios.push(("state_journal_octets_a_key".into(), journal / self.keys as f64));
        if let Some(octets) = memory {
            ratios.push(("state_memory_octets_a_key".into(), octets as f64 / self.keys as f64));
        }
        Results { bench: "state", rows: vec![new, changed, rows], ratios }.show(self.json, out)?;
        Ok(())
    }
}

fn flow() -> String {
    let element = |number: u64| {
        format!(
            "[network-element.msc-{number}]\ncollect = {{ dir = \"in/{number}\", pattern = \"*.ber\" }}\n\
             decode = {{ type = \"CALLS.Call\" }}\n"
        )
    };
    let elements: String = (0..ELEMENTS).map(element).collect();
    let from: Vec<String> = (0..ELEMENTS).map(|number| format!("\"msc-{number}\"")).collect();
    format!(
        "[asn1]\nmodules = [\"calls.asn1\"]\n{elements}[profile.subscribers]\nfrom = [{}]\n\
         [post-processing-system.cases]\nfrom = \"subscribers\"\nencode = {{ codec = \"ber\" }}\n\
         deliver = {{ dir = \"out\" }}\n[trace]\nenabled = false\n",
        from.join(", ")
    )
}

/// Writes files with a call of each subscriber. Returns their octets.
fn inputs(folder: &Path, round: u64, keys: std::ops::Range<u64>) -> Result<u64, BenchError> {
    let old = SystemTime::now() - Duration::from_secs(3600);
    let mut octets = 0;
    for element in 0..ELEMENTS {
        let dir = folder.join(format!("in/{element}"));
        fs::create_dir_all(&dir)?;
        let of_element: Vec<u64> = keys.clone().filter(|key| key % ELEMENTS == element).collect();
        for (number, subscribers) in of_element.chunks(FILE as usize).enumerate() {
            let path = dir.join(format!("{round}-{number:06}.ber"));
            let mut file = BufWriter::new(File::create(path)?);
            for subscriber in subscribers {
                file.write_all(&call(*subscriber, round as u8))?;
            }
            let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            octets += file.metadata()?.len();
            file.set_modified(old)?;
        }
    }
    Ok(octets)
}

/// Returns the number of a subscriber. Consecutive ones are far apart.
fn number(subscriber: u64) -> u32 {
    (subscriber as u32).wrapping_mul(2_654_435_761) & 0x7fff_ffff
}

/// Returns a call in BER. `before` is how many calls of the subscriber came before.
fn call(subscriber: u64, before: u8) -> Vec<u8> {
    let mut octets = vec![0x30, 9, 0x80, 4];
    octets.extend(number(subscriber).to_be_bytes());
    octets.extend([0x81, 1, before]);
    octets
}

fn run(parts: Parts<'_>, folder: &Path, records: u64) -> Result<(), BenchError> {
    let report = gateway::run(&folder.join("flow.toml"), parts, &RunOptions::once())?;
    let processed: u64 = report.files.iter().map(|file| file.filtered).sum();
    match processed == records {
        true => Ok(()),
        false => Err(BenchError::Processed { processed, records }),
    }
}

/// `[profile.x]`: has a profile of each subscriber, in memory.
struct Profiling {
    /// Calls whose subscriber did not have all calls before.
    wrong: Arc<AtomicU64>,
}

impl Kind for Profiling {
    fn name(&self) -> &'static str {
        "profile"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    fn build(&self, _: &Settings, _: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        Ok(Box::new(ProfileTemplate {
            outputs: [Output::passing("out")],
            claims: Arc::new(Claims::new(MEMORY)),
            values: Arc::new(Values::new("subscriber".into(), None, MEMORY)),
            wrong: Arc::clone(&self.wrong),
        }))
    }
}

struct ProfileTemplate {
    outputs: [Output; 1],
    claims: Arc<Claims>,
    values: Arc<Values>,
    wrong: Arc<AtomicU64>,
}

impl Template for ProfileTemplate {
    fn input(&self) -> Option<TypeId> {
        None
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn state(&self) -> Option<KeyedState<'_>> {
        Some(KeyedState::InMemory(&*self.values))
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(ProfileNode {
            profiles: Keyed::in_memory(Arc::clone(&self.claims), Arc::clone(&self.values)),
            key: String::new(),
            wrong: Arc::clone(&self.wrong),
        })
    }
}

struct ProfileNode {
    profiles: Keyed<Profile>,
    key: String,
    wrong: Arc<AtomicU64>,
}

impl Node for ProfileNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let field = |place| {
            let at = memory
                .component(record.root, place)
                .ok_or_else(|| Refusal::new(&Fixed("refused", "no field")))?;
            memory.number(at).map_err(|fault| Refusal::new(&fault))
        };
        let (subscriber, before) = (field(0)?, field(1)?);
        self.key.clear();
        let mut digits = [0; 20];
        self.key.push_str(decimal(subscriber as u64, &mut digits));
        let profile = self.profiles.value(&self.key)?;
        if profile.now.calls != before as u64 {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
        profile.add(subscriber as u64);
        Ok(Passed::Emitted)
    }

    fn begin_file(&mut self, job: JobNumber, _: &str) {
        self.profiles.begin_file(job);
    }

    fn end_record(&mut self, end: RecordEnd) {
        self.profiles.end_record(end);
    }

    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        self.profiles.end_file()
    }
}

/// Returns a number in decimal digits.
fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &str {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    std::str::from_utf8(&digits[first..]).expect("digits are ASCII")
}

/// What is known of a subscriber: 24 octets.
#[derive(Debug, Default)]
struct Profile {
    now: Measures,
    /// Before the current record, if that changed it.
    before: Option<Measures>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Measures {
    calls: u64,
    sum: u64,
    last: u64,
}

impl Profile {
    fn add(&mut self, value: u64) {
        self.before.get_or_insert(self.now);
        let Measures { calls, sum, .. } = self.now;
        self.now = Measures { calls: calls + 1, sum: sum.wrapping_add(value), last: value };
    }
}

impl StateValue for Profile {
    fn read(octets: &[u8]) -> Result<Self, StateError> {
        let (numbers, _) = octets.as_chunks::<8>();
        let number =
            |place: usize| numbers.get(place).map_or(0, |octets| u64::from_le_bytes(*octets));
        let now = Measures { calls: number(0), sum: number(1), last: number(2) };
        Ok(Profile { now, before: None })
    }

    fn write(&self, to: &mut Vec<u8>) {
        let Measures { calls, sum, last } = self.now;
        to.extend([calls, sum, last].map(u64::to_le_bytes).as_flattened());
    }

    fn is_changed(&self) -> bool {
        self.before.is_some()
    }

    fn accept(&mut self) {
        self.before = None;
    }

    fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            self.now = before;
        }
    }
}

/// The same profiles as rows of a table, changed in transactions of as many rows as a file has records, with the settings
/// of the journal.
struct RowsOfKeys(Connection);

impl RowsOfKeys {
    fn new(folder: &Path, keys: u64) -> Result<Self, BenchError> {
        let made = || {
            let db = Connection::open(folder.join("rows.db"))?;
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.pragma_update(None, "synchronous", "FULL")?;
            // In kibibytes: all rows.
            db.pragma_update(None, "cache_size", -(512 << 10))?;
            db.execute_batch(
                "CREATE TABLE profile (key TEXT PRIMARY KEY, calls INTEGER, sum INTEGER, last INTEGER)
                 STRICT, WITHOUT ROWID",
            )?;
            Ok(RowsOfKeys(db))
        };
        let rows = made().map_err(BenchError::Sqlite)?;
        rows.change(keys)?;
        Ok(rows)
    }

    fn change(&self, keys: u64) -> Result<(), BenchError> {
        let change = |first: u64| {
            let transaction = self.0.unchecked_transaction()?;
            let mut upsert = transaction.prepare_cached(
                "INSERT INTO profile VALUES (?1, 1, ?2, ?2) ON CONFLICT DO UPDATE
                 SET calls = calls + 1, sum = sum + excluded.sum, last = excluded.last",
            )?;
            for key in first..keys.min(first + FILE) {
                let number = number(key);
                upsert.execute(params![number.to_string(), number])?;
            }
            drop(upsert);
            transaction.commit()
        };
        (0..keys).step_by(FILE as usize).try_for_each(change).map_err(BenchError::Sqlite)
    }
}

/// Returns the memory that a state of so many keys takes, in octets. None if the system does not tell it.
fn memory(keys: u64) -> Option<u64> {
    let before = resident()?;
    let values = Arc::new(Values::new("subscriber".into(), None, MEMORY));
    let claims = Arc::new(Claims::new(MEMORY));
    for first in (0..keys).step_by(1_000) {
        let mut profiles = Keyed::<Profile>::in_memory(Arc::clone(&claims), Arc::clone(&values));
        profiles.begin_file(first);
        for key in first..keys.min(first + 1_000) {
            profiles.value(&number(key).to_string()).ok()?.add(key);
            profiles.end_record(RecordEnd::Accepted);
        }
        let mut changes = profiles.end_file()?;
        changes.delta();
        changes.committed(Committed { job: first as i64, at: SystemTime::now() });
    }
    Some(resident()?.saturating_sub(before))
}
