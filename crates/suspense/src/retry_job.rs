//! Retries of records in suspense: the jobs that retry requests become, and what the journal notes when a job is done.
//!
//! A request marks records in a transaction of its own, together with its entry of the audit trail. The gateway that
//! holds the right to run the flow finds the marks. The records that one request marks in one file are one job, or
//! several if there are many. A job is one transaction, like that of a file: its outputs, its account, and the end of
//! each record. So an interrupted job is found again, and writes the same outputs under the same names.

use std::collections::VecDeque;

use journal::JobId;
use reason::Reason;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, QueryResult, params};
use utoipa::ToSchema;

use super::staging::Of;
use super::{Row, State, octets};
use flow::outcome::Class;
use flow::outcome::Why;
use flow::reasons::{self, Columns};
use flow::report::FileAccount;

/// The most records of a job, so that no job delays the others for long.
const RECORDS_MAX: usize = 10_000;

/// The most octets of a job: they are in memory, decoded as well. A larger record has a job of its own.
const OCTETS_MAX: usize = 16 << 20;

/// The node in which a record waited before it was set aside, or that emitted it by a timer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waited {
    /// The node. If a timer emitted the record, the node and the output stream, as the flow file names them.
    pub node: String,
    /// The number in the journal of the layout by which its octets were written.
    pub layout: i64,
}

impl Waited {
    /// Makes it of the columns `waited_in` and `layout`.
    pub fn of((node, layout): (Option<String>, Option<i64>)) -> Option<Self> {
        node.zip(layout).map(|(node, layout)| Waited { node, layout })
    }
}

/// Records of one file that are to be retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryJob {
    /// The entry of the audit trail that requested the retry.
    pub request: i64,
    /// The file that they came in.
    pub file: i64,
    /// The network element of that file.
    pub network_element: String,
    /// Where they waited, if they go back there.
    pub waited: Option<Waited>,
    first: i64,
    last: i64,
}

impl RetryJob {
    /// Names the records, for the log.
    pub fn shown(&self) -> String {
        format!("records {} to {} of suspense", self.first, self.last)
    }

    /// Returns all requested jobs. The first record identifies a job: an entry requests a record only once.
    pub fn all(db: &Connection) -> QueryResult<Vec<RetryJob>> {
        let mut select = db.prepare_cached(
            "SELECT asked, file, suspense.id, length(octets), network_element, waited_in, layout
             FROM set_aside AS suspense JOIN file ON file.id = suspense.file
             WHERE asked IS NOT NULL ORDER BY asked, file, waited_in, layout, suspense.id",
        )?;
        let mut rows = select.query([])?;
        let mut jobs: Vec<RetryJob> = Vec::new();
        let (mut records, mut octets) = (0, 0);
        while let Some(row) = rows.next()? {
            let (request, file, id) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let length = row.get::<_, i64>(3)? as usize;
            let waited = Waited::of((row.get(5)?, row.get(6)?));
            match jobs.last_mut() {
                Some(job)
                    if (job.request, job.file, &job.waited) == (request, file, &waited)
                        && records < RECORDS_MAX
                        && octets + length <= OCTETS_MAX =>
                {
                    job.last = id;
                    records += 1;
                    octets += length;
                }
                _ => {
                    let network_element = row.get(4)?;
                    let (first, last) = (id, id);
                    jobs.push(RetryJob { request, file, network_element, waited, first, last });
                    (records, octets) = (1, length);
                }
            }
        }
        Ok(jobs)
    }

    /// Loads the records of the job.
    pub fn load(&self, db: &Connection) -> QueryResult<Loaded> {
        let of_file = db
            .prepare_cached("SELECT name, context FROM file WHERE id = ?")?
            .query_row([self.file], |row| Ok((row.get(0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
            .optional()?;
        let Some((file, context)) = of_file else { return Ok(Loaded::Done) };
        let mut select = db.prepare_cached(
            "SELECT id, why, record, offset, node = '' AND came IS NULL, node = '', octets, octets_digest FROM set_aside
             WHERE asked = ? AND file = ? AND id >= ? AND id <= ? AND waited_in IS ? AND layout IS ? ORDER BY offset, id",
        )?;
        let RetryJob { request, file: of, first, last, waited, .. } = self;
        let (node, layout) = waited.as_ref().map(|waited| (&waited.node, waited.layout)).unzip();
        let rows = select.query_map(params![request, of, first, last, node, layout], |row| {
            let (octets, is_sound) = octets(row, 6)?;
            let row = RequestedRow {
                id: row.get(0)?,
                why: Why::of(row.get_ref(1)?.as_str()?),
                record: row.get::<_, i64>(2)? as u64,
                offset: row.get::<_, i64>(3)? as u64,
                is_unread: row.get(4)?,
                was_unread: row.get(5)?,
                octets,
            };
            Ok((row, is_sound))
        })?;
        let (mut sound, mut is_damaged) = (VecDeque::new(), false);
        for row in rows {
            match row? {
                (row, true) => sound.push_back(row),
                // A request for a damaged record is refused; this one was damaged later. The sound records go first,
                // and the damage is reported after them.
                (_, false) => is_damaged = true,
            }
        }
        let (rows, context) = (sound, context.unwrap_or_default());
        Ok(match (rows.is_empty(), is_damaged) {
            (false, _) => Loaded::Requested(RequestedRecords { file, context, rows }),
            (true, false) => Loaded::Done,
            (true, true) => Loaded::Damaged,
        })
    }

    /// Returns the name from which output names are made. No other file or retry has it: in a file's own name, a digit
    /// follows a `~`.
    pub fn name(&self, file: &str) -> String {
        let RetryJob { request, first, .. } = self;
        match file.rsplit_once('.') {
            Some((stem, extension)) => format!("{stem}~retry-{request}-{first}.{extension}"),
            None => format!("{file}~retry-{request}-{first}"),
        }
    }

    /// Returns the node in which they waited, or the empty string.
    pub fn waited_in(&self) -> &str {
        self.waited.as_ref().map_or("", |waited| &waited.node)
    }

    /// Withdraws the request for these records.
    pub fn withdraw(&self, db: &Connection) -> QueryResult<()> {
        let RetryJob { request, file, first, last, waited, .. } = self;
        let node = waited.as_ref().map(|waited| &waited.node);
        db.execute(
            "UPDATE suspense SET asked = NULL WHERE id IN
                 (SELECT id FROM set_aside WHERE asked = ? AND file = ? AND id >= ? AND id <= ? AND waited_in IS ?)",
            params![request, file, first, last, node],
        )
        .map(drop)
    }
}

/// The part of a job that the journal still has.
pub enum Loaded {
    /// The records of the job that are still requested and sound.
    Requested(RequestedRecords),
    /// Nothing: the job is done, or its request was withdrawn.
    Done,
    /// Only records whose octets were damaged in the journal after the request.
    Damaged,
}

/// The records of a job.
#[derive(Debug)]
pub struct RequestedRecords {
    /// The name of the file that they came in.
    pub file: String,
    /// The context from that file that is needed to read a record alone.
    pub context: Vec<u8>,
    rows: VecDeque<RequestedRow>,
}

/// A record of a job.
#[derive(Debug)]
struct RequestedRow {
    id: i64,
    why: Why,
    record: u64,
    offset: u64,
    /// Whether the record could not be read, and its octets were not edited.
    is_unread: bool,
    /// Whether it could not be read when it came.
    was_unread: bool,
    octets: Vec<u8>,
}

/// Octets that are read in one piece: a record, or unreadable octets that are adjacent in their file, since a record
/// may begin in one row and end in the next.
#[derive(Debug)]
pub struct Stretch {
    /// The reason for which its first row was set aside.
    pub why: Why,
    /// Its offset in the file.
    pub offset: u64,
    /// Whether it could not be read when it came. Then the numbers of its records are not known yet.
    pub was_unread: bool,
    /// The octets of all its rows, one after the other.
    pub octets: Vec<u8>,
    /// The rows that it is made of; not empty.
    rows: Vec<StretchRow>,
}

/// A row that a stretch is made of.
#[derive(Debug)]
struct StretchRow {
    id: i64,
    /// Its number in the file.
    record: u64,
    /// Its offset in the stretch.
    at: u64,
    length: usize,
}

impl Stretch {
    /// Returns the number in the file of the record at an offset; `before` are the pieces that were read before it.
    /// Records that were set aside as one row are numbered on from the number of that row.
    pub fn record(&self, at: u64, before: &[Piece]) -> u64 {
        let row = self.rows.iter().rev().find(|row| row.at <= at).unwrap_or(&self.rows[0]);
        let in_row = before.len() - before.partition_point(|piece| piece.at < row.at);
        row.record + in_row as u64
    }

    /// Sets the whole stretch aside again. This includes octets without a record: a user has to decide to discard them.
    pub fn refused(&self, node: &str, reason: Reason) -> Piece {
        let row = Row {
            why: self.why,
            record: self.record(0, &[]),
            offset: self.offset,
            node: node.into(),
            reason,
            octets: self.octets.clone(),
        };
        Piece { at: 0, length: self.octets.len(), end: End::SetAside(Box::new(row)) }
    }
}

impl Iterator for RequestedRecords {
    type Item = Stretch;

    /// Returns the next stretch.
    fn next(&mut self) -> Option<Stretch> {
        let RequestedRow { id, why, record, offset, is_unread, was_unread, octets } =
            self.rows.pop_front()?;
        let first = StretchRow { id, record, at: 0, length: octets.len() };
        let mut stretch = Stretch { why, offset, was_unread, octets, rows: vec![first] };
        let follows = |stretch: &Stretch, row: &RequestedRow| {
            is_unread && row.is_unread && row.offset == offset + stretch.octets.len() as u64
        };
        while self.rows.front().is_some_and(|row| follows(&stretch, row))
            && let Some(RequestedRow { id, record, octets, .. }) = self.rows.pop_front()
        {
            let at = stretch.octets.len() as u64;
            stretch.rows.push(StretchRow { id, record, at, length: octets.len() });
            stretch.octets.extend_from_slice(&octets);
        }
        Some(stretch)
    }
}

/// A part of a stretch that was read, and how it ended.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its offset in the stretch.
    pub at: u64,
    /// Its length in octets.
    pub length: usize,
    /// The end of the record in it.
    pub end: End,
}

/// How a record ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum End {
    /// It was delivered: at least one record was written of it.
    Delivered,
    /// Nothing was written of it, by the flow's own rules.
    Filtered,
    /// It waits in a node.
    Held,
    /// Set aside again.
    SetAside(Box<Row>),
    /// Several records were found in it, each with its own end.
    Divided,
}

/// The outcome of a retry of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryOutcome {
    /// At least one record was written of it.
    Delivered,
    /// Nothing was written of it, by the flow's own rules.
    Filtered,
    /// It waits in a node.
    Held,
    /// Several records were found in its octets, each with its own outcome.
    Divided,
    /// It was refused again.
    Suspended,
    /// It is a duplicate.
    Duplicate,
}

impl RetryOutcome {
    const ALL: [RetryOutcome; 6] = [
        RetryOutcome::Delivered,
        RetryOutcome::Filtered,
        RetryOutcome::Held,
        RetryOutcome::Divided,
        RetryOutcome::Suspended,
        RetryOutcome::Duplicate,
    ];

    /// Returns the word in the journal and for users.
    pub fn word(self) -> &'static str {
        match self {
            RetryOutcome::Delivered => "delivered",
            RetryOutcome::Filtered => "filtered",
            RetryOutcome::Held => "held",
            RetryOutcome::Divided => "divided",
            RetryOutcome::Suspended => Why::Suspended.word(),
            RetryOutcome::Duplicate => Why::Duplicate.word(),
        }
    }

    /// Returns the outcome for a word of the journal.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

impl From<&End> for RetryOutcome {
    fn from(end: &End) -> Self {
        match end {
            End::Delivered => RetryOutcome::Delivered,
            End::Filtered => RetryOutcome::Filtered,
            End::Held => RetryOutcome::Held,
            End::Divided => RetryOutcome::Divided,
            End::SetAside(row) => match row.why {
                Why::Suspended => RetryOutcome::Suspended,
                Why::Duplicate => RetryOutcome::Duplicate,
            },
        }
    }
}

/// How the records of a job ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ends {
    /// The requested records, by number.
    records: Vec<(i64, End)>,
    /// Records that were found in unreadable octets and failed, each with the number of the row that it is a part of.
    parts: Vec<(i64, Row)>,
    /// The account of all records that were found.
    account: FileAccount,
}

impl Ends {
    /// Adds a stretch and the pieces that were read in it, in order. A row that is still one record keeps its number.
    /// Any other piece that failed becomes a part of the first row.
    pub fn add(&mut self, stretch: &Stretch, pieces: Vec<Piece>) {
        pieces.iter().for_each(|piece| self.count(&piece.end));
        let is_one = stretch.rows.len() == 1 && pieces.len() == 1;
        let part_of = stretch.rows[0].id;
        let mut pieces = pieces.into_iter().peekable();
        for StretchRow { id, at, length, .. } in &stretch.rows {
            while let Some(before) = pieces.next_if(|piece| piece.at < *at) {
                self.part(part_of, before);
            }
            let same = |piece: &Piece| is_one || (piece.at, piece.length) == (*at, *length);
            let end = pieces.next_if(same).map_or(End::Divided, |piece| piece.end);
            self.records.push((*id, end));
        }
        pieces.for_each(|behind| self.part(part_of, behind));
    }

    fn part(&mut self, part_of: i64, piece: Piece) {
        if let End::SetAside(row) = piece.end {
            self.parts.push((part_of, *row));
        }
    }

    fn count(&mut self, end: &End) {
        self.account.records += 1;
        self.account.count(match end {
            End::Delivered => Class::Delivered,
            End::Filtered | End::Divided => Class::Filtered,
            End::Held => Class::Held,
            End::SetAside(row) => Class::SetAside(row.why),
        });
    }

    /// Returns the account of all records that were found.
    pub fn account(&self, network_element: &str, file: &str) -> FileAccount {
        let (network_element, file) = (network_element.into(), file.into());
        let account = FileAccount { network_element, file, ..self.account.clone() };
        assert!(account.adds_up(), "every record is counted once");
        account
    }

    /// Notes how the records of a job ended; `entry` is the job's number in the journal.
    pub fn note(&self, db: &Connection, job: &RetryJob, JobId(entry): JobId) -> QueryResult<()> {
        // Parts go in before the end of the row that they were found in, because groups may wait for them.
        for (part_of, row) in &self.parts {
            row.insert(db, Of::File(JobId(job.file)))?;
            // A part of a record that waited in a node goes back to that node too.
            let update =
                "UPDATE suspense SET part_of = ?1, found_by = ?2, (waited_in, layout, of_group) =
                              (SELECT waited_in, layout, of_group FROM suspense WHERE id = ?1)
                          WHERE id = last_insert_rowid()";
            db.prepare_cached(update)?.execute([part_of, &entry])?;
        }
        let mut insert = db.prepare_cached(
            "INSERT INTO retry (record, asked, job, outcome, node, reason) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        // If a record is no longer marked, nothing of the job is noted: the record already has an end, or its request
        // was withdrawn meanwhile.
        let mut ended = db.prepare_cached(
            "UPDATE suspense SET asked = NULL, state = ?1, was = iif(?2 <> why, ifnull(was, why), was),
                 why = ifnull(?2, why), node = ifnull(?3, node),
                 reason = ifnull(?4, reason), reason_id = iif(?4 IS NULL, reason_id, ?7),
                 reason_values = iif(?4 IS NULL, reason_values, ?8)
             WHERE id = ?5 AND asked = ?6 RETURNING id",
        )?;
        for (id, end) in &self.records {
            let (state, failed) = match end {
                End::SetAside(row) => (State::Open, Some(row)),
                End::Delivered | End::Filtered | End::Held | End::Divided => (State::Retried, None),
            };
            let reason = failed.map(|row| reasons::columns(db, &row.reason)).transpose()?;
            let (text, reason_id, reason_values) = match &reason {
                Some(Columns { text, id, values }) => (Some(text), Some(id), Some(values)),
                None => (None, None, None),
            };
            let (why, node) = failed.map(|row| (row.why.word(), &row.node)).unzip();
            let values =
                params![state.word(), why, node, text, id, job.request, reason_id, reason_values];
            if !ended.exists(values)? {
                return Err(store::undone(TakenBack(*id)));
            }
            let (node, text) = (node.map_or("", String::as_str), text.map_or("", String::as_str));
            let outcome = RetryOutcome::from(end).word();
            insert.execute(params![id, job.request, entry, outcome, node, text])?;
        }
        Ok(())
    }
}

/// Another change withdrew the request first.
#[derive(Debug, thiserror::Error)]
#[error(
    "record {0} in suspense is no longer to be retried; what was asked for with it is tried again with the next look"
)]
struct TakenBack(i64);
