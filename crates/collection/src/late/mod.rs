//! Raises alarms for files that are later than usual: from a network element, or for a post-processing system. The
//! usual times are learned. An alarm stands until a file comes, whatever the hour, and also across a restart of the
//! gateway.

mod habit;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::Journal;
use runtime::time::{milliseconds, shown};
use store::{Connection, QueryResult, StoreError, params};

use flow::limits::AlarmLimits;
use flow::meters::Tallies;
use flow::topology::{Element, Topology};
use habit::Habit;

const OF_ELEMENT: &Kind =
    &Kind::new("element-late", Severity::Major, EventType::Communications, "lossOfSignal");
const OF_SYSTEM: &Kind =
    &Kind::new("receiver-late", Severity::Major, EventType::Time, "delayedInformation");

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[OF_ELEMENT, OF_SYSTEM];

/// How often the habits are written to the journal, in one transaction.
const WRITE_EVERY: Duration = Duration::from_secs(60);

/// How long a habit is kept after its network element or system left the flow.
const FORGET_MS: i64 = 28 * 24 * 60 * 60 * 1_000;

/// Whether the files are those of a network element or of a post-processing system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// The files of a network element.
    Element,
    /// The files of a post-processing system.
    System,
}

impl Of {
    const ALL: [Of; 2] = [Of::Element, Of::System];

    fn word(self) -> &'static str {
        match self {
            Of::Element => "element",
            Of::System => "system",
        }
    }

    fn kind(self) -> &'static Kind {
        match self {
            Of::Element => OF_ELEMENT,
            Of::System => OF_SYSTEM,
        }
    }

    /// Returns whether a flow has a network element or system of this name.
    fn has(self, flow: &Topology, name: &str) -> bool {
        match self {
            Of::Element => flow.elements.iter().any(|element| element.name == name),
            Of::System => flow.systems.iter().any(|system| system.name == name),
        }
    }

    /// Returns whether late files raise an alarm. If the flow sets how long a network element may be silent, that
    /// replaces this alarm.
    fn is_watched(self, evidence: Evidence<'_>, name: &str) -> bool {
        let Evidence { flow, limits, listened_for, .. } = evidence;
        let has_own = self == Of::Element && listened_for.contains(name);
        self.has(flow, name) && limits.of(name).late && !has_own
    }

    /// Returns the network elements that the files come from.
    fn fed_by<'f>(self, flow: &'f Topology, name: &str) -> Vec<&'f str> {
        let feeds = |element: &&Element| match self {
            Of::Element => element.name == name,
            Of::System => element.systems.iter().any(|system| flow.systems[*system].name == name),
        };
        flow.elements.iter().filter(feeds).map(|element| element.name.as_str()).collect()
    }
}

/// The files of one network element or system.
#[derive(Debug, Default)]
struct Files {
    /// The count of the meters.
    counted: u64,
    /// `None` before the first file.
    habit: Option<Habit>,
    /// Whether a file came since the last check.
    has_come: bool,
    /// Whether the journal does not have the current habit yet.
    is_new: bool,
}

/// The habits of all network elements and systems.
#[derive(Debug, Default)]
pub struct Habits {
    files: BTreeMap<(Of, String), Files>,
    /// The time of the first check. Before it, files may have waited for the gateway.
    begun: Option<Instant>,
    written: Option<Instant>,
}

/// The facts that decide whether files are late.
#[derive(Clone, Copy)]
pub struct Evidence<'l> {
    /// The topology. Only files of its network elements and systems can be late.
    pub flow: &'l Topology,
    /// The limits of alarms: they say for which network elements and systems late files raise one.
    pub limits: &'l AlarmLimits,
    /// The network elements for which the flow sets how long they may be silent.
    pub listened_for: &'l BTreeSet<&'l str>,
    /// The journal: its clock tells the time, and its alarms are raised and cleared.
    pub journal: &'l Journal,
    /// A reader of that journal.
    pub reader: &'l Connection,
    /// The counts of files that came and were delivered since the gateway started.
    pub tallies: &'l Tallies,
    /// The network elements whose files are being processed, or cannot be processed.
    pub busy: &'l BTreeSet<&'l str>,
    /// Whether the gateway ends once all files are processed.
    pub is_once: bool,
}

impl Habits {
    /// Learns from the files since the last check, and raises and clears alarms.
    pub fn look(&mut self, evidence: Evidence<'_>) -> Result<(), StoreError> {
        if self.begun.is_none() {
            self.files = evidence.journal.answer(read(evidence.reader))?;
            self.begun = Some(Instant::now());
        }
        let now_ms = evidence.journal.now_ms();
        self.learn(evidence.flow, evidence.tallies, now_ms);
        self.alarm(evidence, now_ms)?;
        self.files.values_mut().for_each(|files| files.has_come = false);
        match self.written.is_some_and(|written| written.elapsed() < WRITE_EVERY)
            && !evidence.is_once
        {
            true => Ok(()),
            false => self.write(evidence.flow, evidence.journal, now_ms),
        }
    }

    fn learn(&mut self, flow: &Topology, tallies: &Tallies, now_ms: i64) {
        let elements = tallies.elements.iter().map(|(name, of)| (Of::Element, name, of.files));
        let systems = tallies.systems.iter().map(|(name, of)| (Of::System, name, of.files));
        for (of, name, count) in elements.chain(systems).filter(|(of, name, _)| of.has(flow, name))
        {
            let files = self.files.entry((of, name.clone())).or_default();
            if count <= files.counted {
                continue;
            }
            (files.counted, files.has_come, files.is_new) = (count, true, true);
            match &mut files.habit {
                Some(habit) => habit.learn(now_ms),
                none => *none = Some(Habit::begin(now_ms)),
            }
        }
    }

    fn alarm(&self, evidence: Evidence<'_>, now_ms: i64) -> Result<(), StoreError> {
        let Evidence { journal, reader, .. } = evidence;
        let raised = journal.answer(alarm::raised(reader, &Of::ALL.map(Of::kind)))?;
        let mut wrong: Vec<Condition> = Vec::new();
        // Network elements come first, since systems depend on them.
        for ((of, name), files) in &self.files {
            let kind = of.kind();
            if !of.is_watched(evidence, name) {
                continue;
            }
            let is_it = |raised: &&Condition| raised.kind == kind && raised.subject == *name;
            let before = raised.iter().find(is_it).filter(|_| !files.has_come);
            let feeds = of.fed_by(evidence.flow, name);
            let is_late = |element: &&str| {
                wrong.iter().any(|wrong| wrong.kind == OF_ELEMENT && wrong.subject == **element)
            };
            let is_due = !feeds.iter().any(|element| evidence.busy.contains(element))
                // The late network elements have alarms already.
                && (*of == Of::Element || !feeds.iter().all(is_late));
            let text = || self.late(*of, name, files, (evidence.is_once, now_ms));
            let found = match before {
                Some(before) => Some(before.clone()),
                None if is_due => {
                    text().map(|text| Condition { kind, subject: name.clone(), text })
                }
                None => None,
            };
            wrong.extend(found);
        }
        alarm::reconcile(wrong.into_iter(), &raised, journal)
    }

    /// Returns the alarm text if a file is late.
    fn late(
        &self,
        of: Of,
        name: &str,
        files: &Files,
        (is_once, now_ms): (bool, i64),
    ) -> Option<String> {
        let habit = files.habit.as_ref()?;
        let pause_ms = match is_once {
            true => now_ms - habit.last_ms,
            false => (now_ms - habit.last_ms).min(milliseconds(self.begun?.elapsed())),
        };
        let limit_ms = habit.is_late(pause_ms, now_ms)?;
        let minutes = (limit_ms / 60_000).max(1) as usize;
        let limit = match minutes {
            ..120 => counted(minutes, "minute"),
            _ => counted(minutes / 60, "hour"),
        };
        let (what, check) = match of {
            Of::Element => ("no file", "check the sender, and the way its files take"),
            Of::System => ("no file for it", "check what its records come from"),
        };
        Some(format!(
            "{name}: {what} since {}, usual at this hour is one within {limit}: {check}",
            shown(habit.last_ms)
        ))
    }

    /// Writes changed habits to the journal. Removes those that left the flow more than [`FORGET_MS`] ago.
    fn write(&mut self, flow: &Topology, journal: &Journal, now_ms: i64) -> Result<(), StoreError> {
        self.written = Some(Instant::now());
        let mut gone = Vec::new();
        self.files.retain(|(of, name), files| {
            let is_recent =
                files.habit.as_ref().is_some_and(|habit| now_ms - habit.last_ms < FORGET_MS);
            let stays = of.has(flow, name) || is_recent;
            if !stays {
                gone.push((*of, name.clone()));
            }
            stays
        });
        let new = self.files.iter_mut().filter(|(_, files)| files.is_new);
        let new: Vec<(Of, String, String)> = new
            .filter_map(|((of, name), files)| {
                files.is_new = false;
                Some((*of, name.clone(), files.habit.as_ref()?.written()))
            })
            .collect();
        if new.is_empty() && gone.is_empty() {
            return Ok(());
        }
        journal.commit(move |db| {
            let mut delete = db.prepare_cached("DELETE FROM habit WHERE of = ? AND name = ?")?;
            gone.iter()
                .try_for_each(|(of, name)| delete.execute(params![of.word(), name]).map(drop))?;
            let insert = "INSERT OR REPLACE INTO habit (of, name, learned) VALUES (?, ?, ?)";
            let mut insert = db.prepare_cached(insert)?;
            new.iter().try_for_each(|(of, name, learned)| {
                insert.execute(params![of.word(), name, learned]).map(drop)
            })
        })
    }
}

fn read(db: &Connection) -> QueryResult<BTreeMap<(Of, String), Files>> {
    let mut select = db.prepare("SELECT of, name, learned FROM habit")?;
    let mut rows = select.query([])?;
    let mut files = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let word: String = row.get(0)?;
        let learned: String = row.get(2)?;
        // An unreadable row is learned again.
        let habit = Habit::read(&learned);
        if let Some(of) = Of::ALL.into_iter().find(|of| of.word() == word) {
            files.insert((of, row.get(1)?), Files { habit, ..Files::default() });
        }
    }
    Ok(files)
}
