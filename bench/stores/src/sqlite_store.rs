//! SQLite as the journal has it: a log ahead, synced at each commit.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::{Answer, Kept, Store};

pub struct Sqlite(Connection);

impl Sqlite {
    pub fn open(folder: &Path) -> Answer<Self> {
        let connection = Connection::open(folder.join("journal.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(
            "CREATE TABLE file (id INTEGER PRIMARY KEY, name TEXT NOT NULL, digest BLOB NOT NULL, rest BLOB NOT NULL);
             CREATE INDEX file_name ON file (name);
             CREATE INDEX file_digest ON file (digest);
             CREATE TABLE output (file INTEGER, place INTEGER, rest BLOB, PRIMARY KEY (file, place)) WITHOUT ROWID;
             CREATE TABLE count (file INTEGER, place INTEGER, rest BLOB, PRIMARY KEY (file, place)) WITHOUT ROWID;",
        )?;
        Ok(Sqlite(connection))
    }
}

impl Store for Sqlite {
    fn keep(&mut self, files: &[Kept]) -> Answer<()> {
        let transaction = self.0.transaction()?;
        {
            let mut file = transaction.prepare_cached("INSERT INTO file VALUES (?, ?, ?, ?)")?;
            let mut output = transaction.prepare_cached("INSERT INTO output VALUES (?, ?, ?)")?;
            let mut count = transaction.prepare_cached("INSERT INTO count VALUES (?, ?, ?)")?;
            for kept in files {
                let id = kept.id as i64;
                file.execute(params![id, kept.name, kept.digest, kept.rest])?;
                for (place, rest) in kept.outputs.iter().enumerate() {
                    output.execute(params![id, place as i64, rest])?;
                }
                for (place, rest) in kept.counts.iter().enumerate() {
                    count.execute(params![id, place as i64, rest])?;
                }
            }
        }
        Ok(transaction.commit()?)
    }

    fn find(&self, digest: &[u8; 16]) -> Answer<Option<u64>> {
        let mut found = self.0.prepare_cached("SELECT id FROM file WHERE digest = ?")?;
        let id: Option<i64> = found.query_row([digest], |row| row.get(0)).optional()?;
        Ok(id.map(|id| id as u64))
    }
}
