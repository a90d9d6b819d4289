//! The row of an input file.

use journal::JobId;
use store::{Connection, QueryResult, params};

use super::results::ResultRows;
use archive::{NewDue, note_due};
use assurance::sequence;
use assurance::sequence::{DoneFile, Gathered};
use collection::duplicate_files::{DuplicateCheck, DuplicateFiles, KnownBy, Original};
use collection::input::Digest;
use flow::report::{COUNTS, Counts, FileAccount, NodeAccount};
use suspense::Rows;
use suspense::staging::FileColumns;

/// A file that the journal now has.
#[derive(Clone, Debug)]
pub(crate) struct Journaled {
    pub(crate) entry: JobId,
    pub(crate) account: FileAccount,
    /// The file that it duplicates. If set, none of its results are in the journal.
    pub(crate) duplicate_of: Option<Original>,
    pub(super) nodes: Vec<NodeAccount>,
    /// The systems that have output files.
    pub(super) systems: Vec<String>,
    pub(super) octets: u64,
}

/// The row to write for a file.
pub(super) struct FileRow {
    pub(super) path: String,
    pub(super) size: i64,
    pub(super) modified_ns: i64,
    pub(super) contents: Option<u64>,
    pub(super) digest: Digest,
    /// The time by the guarded clock. `done_ms` is the later of it and the machine's clock; the file counts as known
    /// from then on.
    pub(super) now_ms: i64,
    pub(super) done_ms: i64,
    /// Whether it is archived once it is marked.
    pub(super) is_archived: bool,
    pub(super) duplicates: DuplicateFiles,
    pub(super) duplicate_of: Option<Original>,
    pub(super) account: FileAccount,
    pub(super) results: ResultRows,
    pub(super) aside: Rows,
    pub(super) gathered: Option<Box<Gathered>>,
}

/// A new entry: a file that is done, or a job without an input file.
pub(crate) struct NewEntry<'e> {
    pub(crate) network_element: &'e str,
    pub(crate) name: &'e str,
    pub(crate) path: &'e str,
    pub(crate) size: i64,
    pub(crate) modified_ns: i64,
    /// The unpacked size in octets, if it is compressed.
    pub(crate) contents: Option<i64>,
    pub(crate) digest: Option<&'e [u8]>,
    /// The file that it duplicates.
    pub(crate) duplicate_of: Option<JobId>,
    /// The file whose records the job retried.
    pub(crate) retry_of: Option<i64>,
    /// The node whose groups the job ended.
    pub(crate) expired_in: Option<&'e str>,
    /// Whether the input is marked, or there is none.
    pub(crate) is_marked: bool,
    /// Whether a later file may be a duplicate of it.
    pub(crate) is_known: bool,
    pub(crate) done_ms: i64,
    pub(crate) counts: Counts,
}

impl NewEntry<'_> {
    /// Returns the entry of a job without an input.
    pub(crate) fn done(done_ms: i64) -> Self {
        NewEntry {
            network_element: "",
            name: "",
            path: "",
            size: 0,
            modified_ns: 0,
            contents: None,
            digest: None,
            duplicate_of: None,
            retry_of: None,
            expired_in: None,
            is_marked: true,
            is_known: true,
            done_ms,
            counts: Counts::default(),
        }
    }
}

/// Returns the names of columns, and a placeholder for each value.
pub(super) fn columns(names: &[&str]) -> (String, String) {
    (names.join(", "), vec!["?"; names.len()].join(", "))
}

impl NewEntry<'_> {
    pub(crate) fn insert(&self, db: &Connection) -> QueryResult<JobId> {
        let (names, values) = columns(&COUNTS);
        let [records, delivered, filtered, held, suspended, duplicate] = self.counts;
        db.prepare_cached(&format!(
            "INSERT INTO file (network_element, name, path, size, modified_ns, contents, digest, duplicate_of, retry_of,
                 expired_in, marked, is_known, done_ms, {names})
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {values})"
        ))?
        .execute(params![
            self.network_element,
            self.name,
            self.path,
            self.size,
            self.modified_ns,
            self.contents,
            self.digest,
            self.duplicate_of.map(|JobId(file)| file),
            self.retry_of,
            self.expired_in,
            self.is_marked,
            self.is_known,
            self.done_ms,
            records,
            delivered,
            filtered,
            held,
            suspended,
            duplicate
        ])?;
        Ok(JobId(db.last_insert_rowid()))
    }
}

impl FileRow {
    /// Inserts the file with its results.
    pub(super) fn insert(mut self, db: &Connection) -> QueryResult<Journaled> {
        self.look_again(db)?;
        let done_ms = self.done_ms;
        let entry = NewEntry {
            network_element: &self.account.network_element,
            name: &self.account.file,
            path: &self.path,
            size: self.size,
            modified_ns: self.modified_ns,
            contents: self.contents.map(|contents| contents as i64),
            digest: Some(&self.digest),
            duplicate_of: self.duplicate_of.as_ref().map(|original| original.entry),
            is_marked: false,
            counts: self.account.counts(),
            ..NewEntry::done(done_ms)
        };
        let entry = entry.insert(db)?;
        self.results.insert(db, entry)?;
        if self.is_archived && self.duplicate_of.is_none() {
            let FileRow { path, size, modified_ns, digest, account, .. } = &self;
            let (network_element, name) = (&account.network_element, &account.file);
            let (size, modified_ns) = (*size, *modified_ns);
            note_due(
                db,
                entry,
                &NewDue { network_element, name, path, size, modified_ns, digest, done_ms },
            )?;
        }
        if let Some(FileColumns { job, context }) = self.aside.file_columns() {
            let update = "UPDATE file SET job = ?, context = ? WHERE id = ?";
            db.prepare_cached(update)?.execute(params![job, context, entry.0])?;
        }
        self.aside.insert(db, entry)?;
        let FileRow { account, duplicate_of, gathered, results, size, .. } = self;
        if let Some(mut gathered) = gathered {
            let (network_element, name) = (&account.network_element, &account.file);
            if duplicate_of.is_some() {
                gathered.is_of_duplicate();
            }
            if let Some(profile) = &mut gathered.profile {
                (profile.records, profile.suspended) = (account.records, account.suspended);
            }
            let done = DoneFile { network_element, name, at_ms: done_ms };
            sequence::note(db, done, self.modified_ns, &gathered)?;
        }
        let octets = u64::try_from(size).unwrap_or(0);
        let systems = results.systems();
        Ok(Journaled { entry, account, duplicate_of, nodes: results.accounts, systems, octets })
    }

    /// Checks once more for a duplicate: the same file may have come while this one was processed.
    fn look_again(&mut self, db: &Connection) -> QueryResult<()> {
        if self.duplicate_of.is_some() {
            return Ok(());
        }
        let known = KnownBy {
            network_element: &self.account.network_element,
            name: &self.account.file,
            size: self.size as u64,
            contents: self.contents.unwrap_or(self.size as u64),
        };
        let duplicate = self.duplicates.check(db, &known, Some(self.digest), self.now_ms)?;
        if let DuplicateCheck::Duplicate(original) = duplicate {
            self.duplicate_of = Some(original);
            self.account = self.account.all_duplicate();
            self.results = ResultRows::default();
            self.aside.clear();
        }
        Ok(())
    }
}
