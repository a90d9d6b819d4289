//! What is to be carried, was, or was given up, for people; and putting back what was given up, or discarding it.

use std::fmt;
use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use runtime::time::{now_ms, shown};
use serde::Serialize;
use store::{Answer, Connection, params};

use crate::definition::file;
use crate::definition::file::FlowFile;
use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;
use crate::definition::names;
use crate::distribution::outbox::alarm_of_dead;
pub(crate) use crate::distribution::packing::{Merge, Packing, WaitingOutputs, waiting_outputs};

/// How far a file has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// It waits, or is under way.
    Waiting,
    /// It is there, and the receiver has not acknowledged it.
    Unacknowledged,
    /// It is there.
    Delivered,
    /// It was given up.
    GivenUp,
    /// It was given up, and nobody wants it any more.
    Discarded,
}

impl DeliveryState {
    /// All that there are.
    pub const ALL: [DeliveryState; 5] = [
        DeliveryState::Waiting,
        DeliveryState::Unacknowledged,
        DeliveryState::Delivered,
        DeliveryState::GivenUp,
        DeliveryState::Discarded,
    ];

    /// As people read it.
    pub fn word(self) -> &'static str {
        match self {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Unacknowledged => "unacknowledged",
            DeliveryState::Delivered => "delivered",
            DeliveryState::GivenUp => "given up",
            DeliveryState::Discarded => "discarded",
        }
    }

    pub(crate) fn of(word: &str) -> Self {
        match word {
            "sent" => DeliveryState::Unacknowledged,
            "delivered" => DeliveryState::Delivered,
            "dead" => DeliveryState::GivenUp,
            "discarded" => DeliveryState::Discarded,
            _ => DeliveryState::Waiting,
        }
    }
}

/// A file that is or was carried to a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// Its number.
    pub id: i64,
    /// The receiver.
    pub post_processing_system: String,
    /// The file's own name.
    pub file: String,
    /// How many records are in it.
    pub records: i64,
    /// How far it has come.
    pub state: DeliveryState,
    /// Since when, `2026-11-21T14:05:00Z`.
    pub since: String,
    /// How often it could not be delivered.
    pub failures: i64,
    /// Why.
    pub problem: Option<String>,
    /// Where the file lies, as the flow's folder sees it; none where it is gone, or put together when it is carried.
    pub lies: Option<String>,
}

/// Which are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that somebody may have to see to.
    Open,
    /// Those that are delivered or discarded too.
    All,
}

/// Outputs that wait for others, to be merged with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gathered {
    /// The receiver.
    pub post_processing_system: String,
    /// `gathering`: what tells it from a delivery.
    pub state: &'static str,
    /// How many.
    pub outputs: i64,
    /// The records in them.
    pub records: i64,
    /// How large the file is that they would be now.
    pub octets: i64,
    /// Since when the first waits, `2026-11-21T14:05:00Z`.
    pub since: String,
    /// When they are merged, as the flow file says now; none where it merges nothing for the receiver.
    pub merged: Option<MergedWhen>,
}

/// When outputs that wait are merged: at a time, or before that when they are enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MergedWhen {
    /// When the first has waited for as long as it may.
    pub at: String,
    /// So many records are enough.
    pub records_max: Option<u64>,
    /// So many octets are.
    pub octets_max: Option<u64>,
    /// So many outputs are, or parts of some.
    pub outputs_max: usize,
}

impl MergedWhen {
    fn of(merge: &Merge, since_ms: i64) -> Self {
        let within_ms = i64::try_from(merge.within.as_millis()).unwrap_or(i64::MAX);
        MergedWhen {
            at: shown(since_ms.saturating_add(within_ms)),
            records_max: merge.limits.records,
            octets_max: merge.limits.octets,
            outputs_max: merge.files,
        }
    }
}

impl fmt::Display for Gathered {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gathered { post_processing_system, outputs, records, .. } = self;
        let wait = if *outputs == 1 { "waits" } else { "wait" };
        let outputs = counted(*outputs as usize, "output");
        let records = counted(*records as usize, "record");
        write!(to, "{outputs} with {records} {wait} to be merged for {post_processing_system}")
    }
}

/// By receiver, the outputs that wait to be merged.
pub fn gathered(flow: &Path, system: Option<&str>) -> Result<Vec<Gathered>, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let file = file::outline(flow).map_err(cause)?;
    let mut gathered = flow_journal::read(flow, |db| all_gathered(db, &file))?;
    gathered.retain(|of| system.is_none_or(|asked| asked == of.post_processing_system));
    Ok(gathered)
}

/// The same of all receivers.
pub(crate) fn all_gathered(db: &Connection, file: &FlowFile) -> Answer<Vec<Gathered>> {
    let merge = |system: &str| {
        let of = file.post_processing_systems.iter().find(|known| known.name.text == system)?;
        Packing::read(&of.deliver).ok()??.merge
    };
    let gathered = |WaitingOutputs { system, outputs, records, octets, since_ms }| Gathered {
        merged: merge(&system).map(|merge| MergedWhen::of(&merge, since_ms)),
        post_processing_system: system,
        state: "gathering",
        outputs,
        records,
        octets,
        since: shown(since_ms),
    };
    Ok(waiting_outputs(db)?.into_iter().map(gathered).collect())
}

/// What was put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Put {
    /// How many files.
    pub files: usize,
}

/// Has what was given up carried once more: all of it, that of a receiver, or some of these numbers.
pub fn put_back(
    flow: &Path,
    (system, ids): (Option<&str>, &[i64]),
    who: &str,
) -> Result<Put, JournalError> {
    names::known_system(flow, system)?;
    flow_journal::change(flow, |db| {
        let chosen = given_up(db, system, ids)?;
        note(db, &chosen, "deliveries retry", (who, ""))?;
        // Whoever put it already asks whether it has its name.
        let mut update = db.prepare(
            "UPDATE delivery SET state = iif(place IS NULL, 'waiting', 'put'), failures = 0, failed_ms = NULL,
                 due_ms = 0, problem = NULL
             WHERE id = ?",
        )?;
        for GivenUp { id, system, .. } in &chosen {
            update.execute([id])?;
            alarm_of_dead(db, system)?;
        }
        Ok(Put { files: chosen.len() })
    })
}

/// Makes the entry of the trail for what somebody does with files that were given up; returns its number. Without a file
/// there is no entry.
fn note(
    db: &Connection,
    chosen: &[GivenUp],
    action: &str,
    (who, reason): (&str, &str),
) -> Answer<Option<i64>> {
    if chosen.is_empty() {
        return Ok(None);
    }
    let mut subject = chosen.iter().take(NAMED_MAX).map(GivenUp::named).collect::<Vec<_>>();
    if chosen.len() > NAMED_MAX {
        subject.push(format!("and {} more", chosen.len() - NAMED_MAX));
    }
    let subject = subject.join(", ");
    Action { who, action, subject: &subject, reason, change: None }.record(db).map(Some)
}

/// Most files that the trail names of those that somebody chose at once.
const NAMED_MAX: usize = 100;

/// Discards what was given up: all of it, that of a receiver, or some of these numbers. The files stay where they lie, and are
/// listed with those that are delivered. Returns how many they are.
pub fn discard(
    flow: &Path,
    (system, ids): (Option<&str>, &[i64]),
    who: &str,
    reason: &str,
) -> Result<usize, JournalError> {
    names::known_system(flow, system)?;
    flow_journal::change(flow, |db| {
        let chosen = given_up(db, system, ids)?;
        let entry = note(db, &chosen, "deliveries discard", (who, reason))?;
        let mut update = db.prepare("UPDATE delivery SET discarded = ?, at_ms = ? WHERE id = ?")?;
        for GivenUp { id, system, .. } in &chosen {
            update.execute(params![entry, now_ms(), id])?;
            alarm_of_dead(db, system)?;
        }
        Ok(chosen.len())
    })
}

/// A file that was given up.
struct GivenUp {
    id: i64,
    system: String,
    path: String,
}

impl GivenUp {
    fn named(&self) -> String {
        let file = Path::new(&self.path).file_name().unwrap_or_default().to_string_lossy();
        format!("{}/{file}", self.system)
    }
}

/// Those of a receiver, or of all; of some numbers, or all.
fn given_up(db: &Connection, system: Option<&str>, ids: &[i64]) -> Answer<Vec<GivenUp>> {
    let mut select = db.prepare(
        "SELECT id, post_processing_system, path FROM delivery
         WHERE state = 'dead' AND discarded IS NULL AND (?1 IS NULL OR post_processing_system = ?1) ORDER BY id",
    )?;
    let given_up = select.query_map([system], |row| {
        Ok(GivenUp { id: row.get(0)?, system: row.get(1)?, path: row.get(2)? })
    })?;
    let mut given_up = given_up.collect::<Answer<Vec<_>>>()?;
    given_up.retain(|of| ids.is_empty() || ids.contains(&of.id));
    Ok(given_up)
}
