//! The account: it counts every record of every file in exactly one column.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::outcome::{Class, Why};

/// The result of a run. It serialises to the object that `run --once --json` ends with.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The files that came in.
    pub files: Vec<FileAccount>,
    /// The files that went out.
    pub outputs: Vec<OutputAccount>,
    /// How long the run took, in seconds.
    pub seconds: f64,
    /// Problems: missing folders, and files that could not be read or delivered.
    #[serde(skip)]
    pub problems: Vec<String>,
    /// Notable events: files that came before, groups whose records went to suspense.
    #[serde(skip)]
    pub set_aside: Vec<String>,
}

/// The most files, and the most problems, that a report has.
pub const REMEMBERED_MAX: usize = 100_000;

/// The columns of counts in the journal: all records, and then each record in one column. ORDER COUNTS
pub const COUNTS: [&str; 6] =
    ["records", "delivered", "filtered", "held", "suspended", "duplicate"];

/// The value of each column.
pub type Counts = [i64; COUNTS.len()];

/// The records of a file that came in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are those of the columns.
pub struct FileAccount {
    pub network_element: String,
    pub file: String,
    /// All records; the sum of the columns below.
    pub records: u64,
    pub delivered: u64,
    pub filtered: u64,
    pub held: u64,
    pub suspended: u64,
    pub duplicate: u64,
    /// Octets that are in no record and are not set aside.
    pub passed_over: Vec<PassedOver>,
}

/// Octets of a file that belong to no record, by its format or a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver {
    /// The kind of these octets.
    pub what: String,
    /// Their number.
    pub octets: u64,
}

/// The records of a file that came to a node or a system, each in one column, like those of the file. A node that
/// passes a record on, or makes another of it, has delivered it. Only the node that refuses a record counts the
/// refusal; the nodes on its path count it in `refused_later` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are those of the columns.
pub struct NodeAccount {
    pub node: String,
    pub is_system: bool,
    pub records: u64,
    pub delivered: u64,
    pub filtered: u64,
    pub held: u64,
    pub suspended: u64,
    pub duplicate: u64,
    /// The records that it made.
    pub made: u64,
    /// Records that it passed on, and that were refused behind it, on the path that began here. They are in no column,
    /// since their changes were taken back.
    pub refused_later: u64,
    /// All records that came to it, by the edge that they came on. A record that a retry gives to a node within the
    /// flow comes on no edge.
    pub sources: Vec<SourceCount>,
}

/// The records that came on an edge, including those that were refused at its end or behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCount {
    /// The network element or node.
    pub from: String,
    /// Its stream; empty for a network element.
    pub stream: String,
    /// The records.
    pub records: u64,
}

/// Adds counts to those of the same edges, and appends those of others.
pub(crate) fn add_sources(sources: &mut Vec<SourceCount>, more: &[SourceCount]) {
    for other in more {
        let is_same = |source: &&mut SourceCount| source.is_of(other);
        match sources.iter_mut().find(is_same) {
            Some(source) => source.records += other.records,
            None => sources.push(other.clone()),
        }
    }
}

impl SourceCount {
    /// Returns whether both are of the same edge, given that their receivers are the same.
    pub fn is_of(&self, other: &SourceCount) -> bool {
        self.from == other.from && self.stream == other.stream
    }
}

impl NodeAccount {
    /// Returns an empty account.
    pub fn of(node: &str, is_system: bool) -> Self {
        NodeAccount { node: node.into(), is_system, ..NodeAccount::default() }
    }

    /// Returns the column of an outcome.
    pub fn column(&mut self, class: Class) -> &mut u64 {
        match class {
            Class::Delivered => &mut self.delivered,
            Class::Filtered => &mut self.filtered,
            Class::Held => &mut self.held,
            Class::SetAside(Why::Suspended) => &mut self.suspended,
            Class::SetAside(Why::Duplicate) => &mut self.duplicate,
        }
    }

    /// Returns the counts in the journal's order.
    pub fn counts(&self) -> Counts {
        let NodeAccount { records, delivered, filtered, held, suspended, duplicate, .. } = self;
        [records, delivered, filtered, held, suspended, duplicate].map(|count| *count as i64) // ORDER COUNTS
    }

    /// Returns the sources as the journal has them: a list in JSON of giver, stream and records.
    pub fn sources_json(&self) -> String {
        let rows = self.sources.iter().map(|of| (&of.from, &of.stream, of.records));
        let rows: Vec<_> = rows.collect();
        serde_json::to_string(&rows).expect("texts and numbers have a JSON form")
    }

    /// Adds the counts of the same node, of other records.
    pub fn add(&mut self, other: &NodeAccount) {
        self.records += other.records;
        self.delivered += other.delivered;
        self.filtered += other.filtered;
        self.held += other.held;
        self.suspended += other.suspended;
        self.duplicate += other.duplicate;
        self.made += other.made;
        self.refused_later += other.refused_later;
        add_sources(&mut self.sources, &other.sources);
    }

    /// Sets all counts to zero; the name stays.
    pub fn clear(&mut self) {
        let NodeAccount { node, is_system, .. } = std::mem::take(self);
        *self = NodeAccount { node, is_system, ..NodeAccount::default() };
    }
}

/// The records of a file that went out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names are those of the columns.
pub struct OutputAccount {
    pub post_processing_system: String,
    pub file: String,
    pub records: u64,
}

/// The log target of events for finished files: [`FileAccount`] in fields, and in words.
pub const FILE_DONE: &str = "flow::file";

/// The log target of events for begun files, from the thread that processes them.
pub const FILE_BEGUN: &str = "flow::pool";

/// The log target of the event that a processing process has loaded the flow.
pub const PROCESS_BEGUN: &str = "flow::processes";

/// The log target of events from processes beside the gateway: `part` is their own target, and `fields` a JSON object
/// with their fields.
pub const SUBPROCESS_TARGET: &str = "flow::processes::said";

/// The name of the threads that process files in a processing process.
pub const WORKER_THREAD: &str = "worker";

impl fmt::Display for FileAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileAccount { network_element, file, records, delivered, filtered, .. } = self;
        let FileAccount { held, suspended, duplicate, .. } = self;
        write!(
            f,
            "{network_element}/{file}: {records} records, {delivered} delivered, {filtered} filtered,"
        )?;
        if *held > 0 {
            write!(f, " {held} held,")?;
        }
        write!(f, " {suspended} suspended, {duplicate} duplicate")?;
        self.remarks().iter().try_for_each(|remark| write!(f, "; {remark}"))
    }
}

impl FileAccount {
    /// Counts a record in its column.
    pub fn count(&mut self, class: Class) {
        match class {
            Class::Delivered => self.delivered += 1,
            Class::Filtered => self.filtered += 1,
            Class::Held => self.held += 1,
            Class::SetAside(Why::Suspended) => self.suspended += 1,
            Class::SetAside(Why::Duplicate) => self.duplicate += 1,
        }
    }

    /// Adds the counts of other records, of this file or of another.
    pub fn add(&mut self, other: &FileAccount) {
        self.records += other.records;
        self.delivered += other.delivered;
        self.filtered += other.filtered;
        self.held += other.held;
        self.suspended += other.suspended;
        self.duplicate += other.duplicate;
        other.passed_over.iter().for_each(|passed| self.pass_over(&passed.what, passed.octets));
    }

    /// Counts octets that belong to no record.
    pub fn pass_over(&mut self, what: &str, octets: u64) {
        match self.passed_over.iter_mut().find(|passed| passed.what == what) {
            Some(passed) => passed.octets += octets,
            None => self.passed_over.push(PassedOver { what: what.into(), octets }),
        }
    }

    /// Returns remarks for users beside the counts: why the file has no records, and remarks of its reader.
    pub fn remarks(&self) -> Vec<String> {
        let remarks = self.passed_over.iter().filter_map(|passed| match passed.octets {
            0 => Some(passed.what.clone()),
            octets if self.records == 0 => Some(format!("{octets} octets are {}", passed.what)),
            _ => None,
        });
        remarks.collect()
    }

    /// Returns the account if the whole file is a duplicate.
    pub fn all_duplicate(&self) -> Self {
        let FileAccount { network_element, file, records, .. } = self.clone();
        FileAccount { network_element, file, records, duplicate: records, ..Default::default() }
    }

    /// Returns the counts in the journal's order.
    pub fn counts(&self) -> Counts {
        let FileAccount { records, delivered, filtered, held, suspended, duplicate, .. } = self;
        [records, delivered, filtered, held, suspended, duplicate].map(|count| *count as i64) // ORDER COUNTS
    }

    /// Returns whether every record is in exactly one column.
    pub fn adds_up(&self) -> bool {
        let [records, outcomes @ ..] = self.counts();
        records == outcomes.iter().sum::<i64>()
    }
}

impl Report {
    /// Returns one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and text only")
    }

    /// Removes the oldest entries above [`REMEMBERED_MAX`], since a gateway may run for months.
    pub fn forget_oldest(&mut self) {
        let Report { files, outputs, problems, set_aside, .. } = self;
        files.drain(..files.len().saturating_sub(REMEMBERED_MAX));
        outputs.drain(..outputs.len().saturating_sub(REMEMBERED_MAX));
        problems.drain(..problems.len().saturating_sub(REMEMBERED_MAX));
        set_aside.drain(..set_aside.len().saturating_sub(REMEMBERED_MAX));
    }

    /// Adds the entries of another report. `seconds` stays as it is.
    pub fn add(&mut self, other: Report) {
        self.files.extend(other.files);
        self.outputs.extend(other.outputs);
        self.problems.extend(other.problems);
        self.set_aside.extend(other.set_aside);
    }

    /// Sorts by names, so that two runs of the same work report the same.
    pub fn sort(&mut self) {
        self.files
            .sort_by(|a, b| (&a.network_element, &a.file).cmp(&(&b.network_element, &b.file)));
        self.outputs.sort_by(|a, b| {
            (&a.post_processing_system, &a.file).cmp(&(&b.post_processing_system, &b.file))
        });
    }
}
