//! The row of an input file.

use store::{Answer, Connection, params};

use super::Entry;
use crate::audit::AmountRow;
use crate::duplicates::{DuplicateFiles, Known, Original, Seen};
use crate::input::Digest;
use crate::memory::NotedRow;
use crate::report::{FileAccount, NodeAccount};
use crate::sequence::{self, DoneFile, Gathered};
use crate::suspense::Rows;
use crate::time::now_ms;

/// A file that is in the journal now.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    pub(crate) entry: Entry,
    pub(crate) account: FileAccount,
    /// The file that it is again: then nothing that was made of it is noted.
    pub(crate) duplicate_of: Option<Original>,
}

/// A file to be noted.
pub(super) struct FileRow {
    pub(super) path: String,
    pub(super) size: i64,
    pub(super) modified_ns: i64,
    pub(super) digest: Digest,
    pub(super) duplicates: DuplicateFiles,
    pub(super) duplicate_of: Option<Original>,
    pub(super) account: FileAccount,
    pub(super) outputs: Vec<OutputRow>,
    pub(super) accounts: Vec<NodeAccount>,
    pub(super) amounts: Vec<AmountRow>,
    pub(super) noted: Vec<NotedRow>,
    pub(super) aside: Rows,
    pub(super) gathered: Option<Box<Gathered>>,
}

/// A file that was made of it.
#[derive(Debug)]
pub(crate) struct OutputRow {
    pub(super) post_processing_system: String,
    pub(super) path: String,
    pub(super) records: i64,
}

impl OutputRow {
    /// Notes it with what it was made of.
    pub(crate) fn insert(&self, db: &Connection, Entry(file): Entry) -> Answer<()> {
        let OutputRow { post_processing_system, path, records } = self;
        db.prepare_cached(
            "INSERT INTO output (file, post_processing_system, path, records) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![file, post_processing_system, path, records])
        .map(drop)
    }
}

impl FileRow {
    /// Notes the file.
    pub(super) fn insert(mut self, db: &Connection) -> Answer<Noted> {
        self.look_again(db)?;
        let done_ms = now_ms();
        let account = &self.account;
        let duplicate_of = self.duplicate_of.as_ref().map(|original| original.entry.0);
        let counts = [account.records, account.delivered, account.filtered, account.held];
        let [records, delivered, filtered, held] = counts.map(|count| count as i64);
        let [suspended, duplicate] =
            [account.suspended, account.duplicate].map(|count| count as i64);
        db.prepare_cached(
            "INSERT INTO file (network_element, name, path, size, modified_ns, digest, duplicate_of, done_ms,
                 records, delivered, filtered, held, suspended, duplicate)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            account.network_element,
            account.file,
            self.path,
            self.size,
            self.modified_ns,
            self.digest,
            duplicate_of,
            done_ms,
            records,
            delivered,
            filtered,
            held,
            suspended,
            duplicate
        ])?;
        let entry = Entry(db.last_insert_rowid());
        self.outputs.iter().try_for_each(|output| output.insert(db, entry))?;
        self.accounts.iter().try_for_each(|account| passage(db, entry, account))?;
        self.amounts.iter().try_for_each(|amount| amount.insert(db, entry))?;
        self.noted.iter().try_for_each(|noted| noted.insert(db, entry))?;
        self.aside.insert(db, entry)?;
        let FileRow { account, duplicate_of, gathered, .. } = self;
        if let Some(mut gathered) = gathered {
            let (network_element, name) = (&account.network_element, &account.file);
            if duplicate_of.is_some() {
                gathered.is_of_duplicate();
            }
            let done = DoneFile { network_element, name, at_ms: done_ms };
            sequence::note(db, done, self.modified_ns, &gathered)?;
        }
        Ok(Noted { entry, account, duplicate_of })
    }

    /// The same file may have come while this one was processed.
    fn look_again(&mut self, db: &Connection) -> Answer<()> {
        if self.duplicate_of.is_some() {
            return Ok(());
        }
        let known = Known {
            network_element: &self.account.network_element,
            name: &self.account.file,
            size: self.size as u64,
        };
        if let Seen::Before(original) = self.duplicates.seen(db, &known, Some(self.digest))? {
            self.duplicate_of = Some(original);
            self.account = self.account.all_duplicate();
            self.outputs.clear();
            self.accounts.clear();
            self.amounts.clear();
            self.noted.clear();
            self.aside.clear();
        }
        Ok(())
    }
}

/// Notes what became of a file's records at a node or system.
pub(crate) fn passage(db: &Connection, Entry(file): Entry, account: &NodeAccount) -> Answer<()> {
    let NodeAccount {
        node,
        is_system,
        records,
        delivered,
        filtered,
        held,
        suspended,
        duplicate,
        made,
    } = account;
    let counts = [records, delivered, filtered, held, suspended, duplicate, made];
    let [records, delivered, filtered, held, suspended, duplicate, made] =
        counts.map(|count| *count as i64);
    db.prepare_cached(
        "INSERT INTO passage (file, node, is_system, records, delivered, filtered, held, suspended, duplicate, made)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![file, node, is_system, records, delivered, filtered, held, suspended, duplicate, made])
    .map(drop)
}
