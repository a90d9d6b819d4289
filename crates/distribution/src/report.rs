//! Lists deliveries for users, and puts back or discards files that were given up.

use std::fmt;
use std::path::Path;

use diagnostics::counted;
use flow::reasons::ReasonValue;
use journal::audit_trail::Author;
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

use crate::outbox::alarm_of_dead;
pub(crate) use crate::packing::{Merge, Packing, WaitingOutputs, waiting_outputs};
use flow::file::FlowFile;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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

    /// Returns the state for a word of the journal: `sent`, `delivered`, `dead` or `discarded`. Any
    /// other word means waiting. They are not the words for users, [`word`](Self::word).
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

/// A file that is or was delivered to a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// The number of the delivery.
    pub id: i64,
    /// The receiver.
    pub post_processing_system: String,
    /// The file's name, without a folder.
    pub file: String,
    /// The number of records in the file.
    pub records: i64,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// When the delivery came into this state, such as `2026-11-21T14:05:00Z`.
    pub since: String,
    /// The number of failed attempts.
    pub failures: i64,
    /// The error of the last failed attempt.
    pub problem: Option<String>,
    /// The code of the error. Empty without an error, or if it comes from a version without codes.
    pub code: String,
    /// The values in the error.
    pub values: Vec<ReasonValue>,
    /// The path of the file; a relative one begins at the folder of the flow file. Absent if the
    /// file is gone, or if it is only put together when it is delivered.
    pub lies: Option<String>,
}

/// Outputs that wait to be merged into one file for a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Gathered {
    /// The receiver.
    pub post_processing_system: String,
    /// The state, which distinguishes this from a delivery.
    pub state: GatheredState,
    /// The number of outputs that wait.
    pub outputs: i64,
    /// The number of records in them.
    pub records: i64,
    /// The size of the file in octets if it were closed now, uncompressed.
    pub octets: i64,
    /// The time since which the first output waits.
    pub since: String,
    /// When the file is closed. Absent if the flow no longer merges outputs of the system; the
    /// outputs are then delivered as they are.
    pub closes: Option<Closes>,
}

/// The only state of outputs that wait to be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GatheredState {
    /// The file may still get more outputs.
    Gathering,
}

impl GatheredState {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            GatheredState::Gathering => "gathering",
        }
    }
}

/// When a merged file is closed: at `at`, or earlier if it reaches one of the limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Closes {
    /// When the first output has waited for the longest allowed time.
    pub at: String,
    /// The limit of records, if there is one.
    pub records_max: Option<u64>,
    /// The limit of octets, if there is one.
    pub octets_max: Option<u64>,
    /// The limit of outputs.
    pub outputs_max: usize,
}

impl Closes {
    fn of(merge: &Merge, since_ms: i64) -> Self {
        let within_ms = i64::try_from(merge.within.as_millis()).unwrap_or(i64::MAX);
        Closes {
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
pub fn gathered(db: &Connection, file: &FlowFile) -> QueryResult<Vec<Gathered>> {
    let merge = |system: &str| {
        let of = file.post_processing_systems.iter().find(|known| known.name.text == system)?;
        Packing::read(&of.deliver).ok()??.merge
    };
    let of = |WaitingOutputs { system, outputs, records, octets, since_ms }| Gathered {
        closes: merge(&system).map(|merge| Closes::of(&merge, since_ms)),
        post_processing_system: system,
        state: GatheredState::Gathering,
        outputs,
        records,
        octets,
        since: shown(since_ms),
    };
    Ok(waiting_outputs(db)?.into_iter().map(of).collect())
}

/// Delivers the chosen files again, of those that were given up. Returns the number of files.
pub fn put_back(db: &Connection, chosen: &Chosen<'_>, author: &Author<'_>) -> QueryResult<usize> {
    let files = given_up(db, chosen)?;
    record(db, &files, author, "")?;
    // For a file that was put already, the delivery first checks whether it has its name.
    let mut update = db.prepare(
        "UPDATE delivery SET state = iif(place IS NULL, 'waiting', 'put'), failures = 0, failed_ms = NULL,
             due_ms = 0, problem = NULL, reason_id = NULL, reason_values = NULL
         WHERE id = ?",
    )?;
    for GivenUp { id, system, .. } in &files {
        update.execute([id])?;
        alarm_of_dead(db, system)?;
    }
    Ok(files.len())
}

/// Makes the entry of the audit trail for files that were given up. Returns its number, or `None`
/// if there is no file.
fn record(
    db: &Connection,
    files: &[GivenUp],
    author: &Author<'_>,
    reason: &str,
) -> QueryResult<Option<i64>> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut subject = files.iter().take(NAMED_MAX).map(GivenUp::named).collect::<Vec<_>>();
    if files.len() > NAMED_MAX {
        subject.push(format!("and {} more", files.len() - NAMED_MAX));
    }
    author.record(db, &subject.join(", "), reason).map(Some)
}

/// The maximum number of files that one entry names.
const NAMED_MAX: usize = 100;

/// Discards the chosen files, of those that were given up. They stay in their folders and are
/// listed with delivered ones. Returns the number of files.
pub fn discard(
    db: &Connection,
    chosen: &Chosen<'_>,
    author: &Author<'_>,
    reason: &str,
) -> QueryResult<usize> {
    let files = given_up(db, chosen)?;
    let entry = record(db, &files, author, reason)?;
    let mut update = db.prepare("UPDATE delivery SET discarded = ?, at_ms = ? WHERE id = ?")?;
    for GivenUp { id, system, .. } in &files {
        update.execute(params![entry, now_ms(), id])?;
        alarm_of_dead(db, system)?;
    }
    Ok(files.len())
}

/// The deliveries that a user chooses.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// The receiver; `None` for all.
    pub system: Option<&'a str>,
    /// The numbers; empty for all.
    pub ids: &'a [i64],
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

/// Returns the chosen files, of those that were given up.
fn given_up(db: &Connection, chosen: &Chosen<'_>) -> QueryResult<Vec<GivenUp>> {
    let Chosen { system, ids } = *chosen;
    let mut select = db.prepare(
        "SELECT id, post_processing_system, path FROM delivery
         WHERE state = 'dead' AND discarded IS NULL AND (?1 IS NULL OR post_processing_system = ?1) ORDER BY id",
    )?;
    let given_up = select.query_map([system], |row| {
        Ok(GivenUp { id: row.get(0)?, system: row.get(1)?, path: row.get(2)? })
    })?;
    let mut given_up = given_up.collect::<QueryResult<Vec<_>>>()?;
    given_up.retain(|of| ids.is_empty() || ids.contains(&of.id));
    Ok(given_up)
}
