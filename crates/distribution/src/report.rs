//! Lists deliveries for users, and puts back or discards files that were given up.

use std::fmt;
use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use runtime::time::{now_ms, shown};
use serde::Serialize;
use store::{Answer, Connection, params};

use crate::outbox::alarm_of_dead;
pub(crate) use crate::packing::{Merge, Packing, WaitingOutputs, waiting_outputs};
use flow::file;
use flow::file::FlowFile;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::names;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// The file waits or is being transferred.
    Waiting,
    /// The file is there and not acknowledged yet.
    Unacknowledged,
    /// The file is there.
    Delivered,
    /// The file was given up.
    GivenUp,
    /// The file was given up and then discarded by a user.
    Discarded,
}

impl DeliveryState {
    /// All states.
    pub const ALL: [DeliveryState; 5] = [
        DeliveryState::Waiting,
        DeliveryState::Unacknowledged,
        DeliveryState::Delivered,
        DeliveryState::GivenUp,
        DeliveryState::Discarded,
    ];

    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Unacknowledged => "unacknowledged",
            DeliveryState::Delivered => "delivered",
            DeliveryState::GivenUp => "given up",
            DeliveryState::Discarded => "discarded",
        }
    }

    /// Returns the state for a word of the journal: `sent`, `delivered`, `dead` or `discarded`. Any other word means
    /// waiting. They are not the words for users, [`word`](Self::word).
    pub fn of(word: &str) -> Self {
        match word {
            "sent" => DeliveryState::Unacknowledged,
            "delivered" => DeliveryState::Delivered,
            "dead" => DeliveryState::GivenUp,
            "discarded" => DeliveryState::Discarded,
            _ => DeliveryState::Waiting,
        }
    }
}

/// A delivery of a file to a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// The number of the delivery.
    pub id: i64,
    /// The receiver.
    pub post_processing_system: String,
    /// The file's own name.
    pub file: String,
    /// The number of records.
    pub records: i64,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The time of the last change, such as `2026-11-21T14:05:00Z`.
    pub since: String,
    /// The number of failures.
    pub failures: i64,
    /// The reason of the last failure.
    pub problem: Option<String>,
    /// The path of the file, relative to the flow's folder. `None` if the file is gone or is put together during
    /// delivery.
    pub lies: Option<String>,
}

/// The deliveries to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Deliveries that may need attention.
    Open,
    /// All deliveries, including those delivered or discarded.
    All,
}

/// Outputs that wait to be merged with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gathered {
    /// The receiver.
    pub post_processing_system: String,
    /// `gathering`, which distinguishes this from a delivery.
    pub state: &'static str,
    /// The number of outputs.
    pub outputs: i64,
    /// The number of records in them.
    pub records: i64,
    /// The octets of the file that they would be now.
    pub octets: i64,
    /// The time since when the first waits, such as `2026-11-21T14:05:00Z`.
    pub since: String,
    /// When they are merged, by the current flow file. `None` if it merges nothing for the receiver.
    pub merged: Option<MergedWhen>,
}

/// When waiting outputs are merged: at a time, or earlier at a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MergedWhen {
    /// The time when the first has waited for as long as it may.
    pub at: String,
    /// The number of records that is enough.
    pub records_max: Option<u64>,
    /// The number of octets that is enough.
    pub octets_max: Option<u64>,
    /// The number of outputs or parts that is enough.
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

/// Returns the outputs that wait to be merged, by receiver.
pub fn gathered(flow: &Path, system: Option<&str>) -> Result<Vec<Gathered>, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let file = file::outline(flow).map_err(cause)?;
    let mut gathered = flow_journal::read(flow, |db| all_gathered(db, &file))?;
    gathered.retain(|of| system.is_none_or(|wanted| wanted == of.post_processing_system));
    Ok(gathered)
}

/// Returns the waiting outputs of all receivers.
pub fn all_gathered(db: &Connection, file: &FlowFile) -> Answer<Vec<Gathered>> {
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

/// The result of putting files back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Put {
    /// The number of files.
    pub files: usize,
}

/// Delivers files again that were given up: all, those of a receiver, or those with these numbers.
pub fn put_back(
    flow: &Path,
    (system, ids): (Option<&str>, &[i64]),
    who: &str,
) -> Result<Put, JournalError> {
    names::known_system(flow, system)?;
    flow_journal::change(flow, |db| {
        let chosen = given_up(db, system, ids)?;
        note(db, &chosen, "deliveries retry", (who, ""))?;
        // A file that was put already is checked for its name first.
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

/// Records an entry of the audit trail for an action on files that were given up. Returns its number, or `None` if
/// there is no file.
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

/// The most files that one entry names.
const NAMED_MAX: usize = 100;

/// Discards files that were given up: all, those of a receiver, or those with these numbers. The files stay where they
/// lie and are listed with delivered ones. Returns the number of files.
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

/// Returns the files that were given up: of a receiver or all, with these numbers or all.
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
