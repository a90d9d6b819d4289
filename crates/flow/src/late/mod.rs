//! Whether files are later than they usually are: from a network element, or to a post-processing system. It is learned from
//! when they come, and judged when all files that were there are done, so that one whose files wait is not taken to be late.

mod habit;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use diagnostics::counted;
use store::{Answer, Connection, StoreError, params};

use crate::alarm::{self, Wrong};
use crate::journal::Journal;
use crate::meters::Tallies;
use crate::prepare::Prepared;
use crate::time::shown;
use habit::Habit;

const OF_ELEMENT: &str = "element-late";
const OF_SYSTEM: &str = "receiver-late";

/// How often the journal is told what was learned: a transaction.
const WRITE_EVERY: Duration = Duration::from_secs(60);

/// Whose files they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// A network element's.
    Element,
    /// A post-processing system's.
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

    fn kind(self) -> &'static str {
        match self {
            Of::Element => OF_ELEMENT,
            Of::System => OF_SYSTEM,
        }
    }
}

/// Files of one, and when they usually are there.
#[derive(Debug, Default)]
struct Files {
    /// As many as the meters have counted.
    counted: u64,
    /// None where none was there yet.
    habit: Option<Habit>,
    /// Whether the journal has less.
    is_new: bool,
}

/// What was learned of all.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    files: BTreeMap<(Of, String), Files>,
    /// Since when it is looked; before, files may have waited for the gateway.
    since_ms: Option<i64>,
    written: Option<Instant>,
}

/// What is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Look<'l> {
    pub(crate) flow: &'l Prepared,
    pub(crate) journal: &'l Journal,
    pub(crate) reader: &'l Connection,
    /// The network elements whose files are in work.
    pub(crate) in_work: &'l BTreeSet<&'l str>,
    /// Whether all that there is has been taken: nobody waits for the first look.
    pub(crate) is_once: bool,
}

impl Habits {
    /// Learns from what has come since the last look, and has alarms stand for what is late.
    pub(crate) fn look(&mut self, look: Look<'_>) -> Result<(), StoreError> {
        let now_ms = look.journal.now_ms();
        if self.since_ms.is_none() {
            self.files = look.journal.answer(read(look.reader))?;
            self.since_ms = Some(now_ms);
        }
        self.learn(&look.journal.meters.tallies(), now_ms);
        self.alarm(look, now_ms)?;
        match self.written.is_some_and(|written| written.elapsed() < WRITE_EVERY) && !look.is_once {
            true => Ok(()),
            false => self.write(look.flow, look.journal),
        }
    }

    fn learn(&mut self, tallies: &Tallies, now_ms: i64) {
        let elements = tallies.elements.iter().map(|(name, of)| (Of::Element, name, of.files));
        let systems = tallies.systems.iter().map(|(name, of)| (Of::System, name, of.files));
        for (of, name, count) in elements.chain(systems) {
            let files = self.files.entry((of, name.clone())).or_default();
            if count <= files.counted {
                continue;
            }
            (files.counted, files.is_new) = (count, true);
            match &mut files.habit {
                Some(habit) => habit.file_came(now_ms),
                none => *none = Some(Habit::begin(now_ms)),
            }
        }
    }

    fn alarm(&self, look: Look<'_>, now_ms: i64) -> Result<(), StoreError> {
        let Look { journal, reader, .. } = look;
        let raised = journal.answer(alarm::raised(reader, &Of::ALL.map(Of::kind)))?;
        let wrong = self.files.iter().filter_map(|((of, name), files)| {
            let kind = of.kind();
            let is_it = |raised: &&Wrong| raised.kind == kind && raised.subject == *name;
            let before = raised.iter().find(is_it).cloned();
            if *of == Of::Element && look.in_work.contains(name.as_str()) {
                return before;
            }
            let text = self.is_late((*of, name), files, look, now_ms)?;
            // It says since when, and how long was usual when it was raised.
            Some(before.unwrap_or(Wrong { kind, subject: name.clone(), text }))
        });
        alarm::stand(wrong, &raised, journal)
    }

    /// What is to be said of files that are late.
    fn is_late(
        &self,
        (of, name): (Of, &str),
        files: &Files,
        look: Look<'_>,
        now_ms: i64,
    ) -> Option<String> {
        let is_watched = match of {
            // Where it is said how long one may be silent, that counts.
            Of::Element => look
                .flow
                .elements
                .iter()
                .any(|element| element.name == name && element.counted.silent.is_none()),
            Of::System => look.flow.systems.iter().any(|system| system.name == name),
        };
        if !is_watched || !look.flow.limits.of(name).late {
            return None;
        }
        let habit = files.habit.as_ref()?;
        let since_ms = match look.is_once {
            true => habit.last_ms,
            false => habit.last_ms.max(self.since_ms?),
        };
        let usual_ms = habit.is_late(since_ms, now_ms)?;
        let from = if of == Of::Element { "from" } else { "for" };
        let minutes = (usual_ms / 60_000).max(1) as usize;
        let usual = match minutes {
            ..120 => counted(minutes, "minute"),
            _ => counted(minutes / 60, "hour"),
        };
        Some(format!(
            "no file {from} {name} since {}: at this time of the week one comes within {usual}",
            shown(habit.last_ms)
        ))
    }

    /// Tells the journal what is new, and forgets what the flow does not have any more.
    fn write(&mut self, flow: &Prepared, journal: &Journal) -> Result<(), StoreError> {
        self.written = Some(Instant::now());
        let is_there = |(of, name): &(Of, String)| match of {
            Of::Element => flow.elements.iter().any(|element| element.name == *name),
            Of::System => flow.systems.iter().any(|system| system.name == *name),
        };
        let mut gone = Vec::new();
        self.files.retain(|key, _| {
            is_there(key) || {
                gone.push(key.clone());
                false
            }
        });
        let new = self.files.iter_mut().filter(|(_, files)| files.is_new);
        let new: Vec<(Of, String, String)> = new
            .filter_map(|((of, name), files)| {
                files.is_new = false;
                let learned = files.habit.as_ref()?.written();
                Some((*of, name.clone(), learned))
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

fn read(db: &Connection) -> Answer<BTreeMap<(Of, String), Files>> {
    let mut select = db.prepare("SELECT of, name, learned FROM habit")?;
    let mut rows = select.query([])?;
    let mut files = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let word: String = row.get(0)?;
        let learned: String = row.get(2)?;
        // What cannot be read is learned anew.
        let habit = Habit::read(&learned);
        if let Some(of) = Of::ALL.into_iter().find(|of| of.word() == word) {
            files.insert((of, row.get(1)?), Files { habit, ..Files::default() });
        }
    }
    Ok(files)
}
