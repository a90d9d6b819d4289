//! A database that a server may have open, as the server and as a command see it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Connection, QueryResult, Store, StoreError, undone};

/// Access to a database with one owner, which other processes read and change now and then.
#[derive(Debug)]
pub enum Access {
    /// This process owns the database.
    Owner(Store),
    /// Another process may own it. It is opened for each read and each change.
    Guest {
        /// Its file.
        path: PathBuf,
        /// The versions of its tables.
        migrations: &'static [&'static str],
    },
}

impl Access {
    /// Opens a database as its owner, as [`Store::open`] does.
    ///
    /// # Errors
    ///
    /// The database cannot be opened, or is damaged.
    pub fn owner(path: &Path, migrations: &'static [&'static str]) -> Result<Self, StoreError> {
        Store::open(path, migrations).map(Access::Owner)
    }

    /// Returns the access of a process that does not own the database. The owner has created it.
    pub fn guest(path: PathBuf, migrations: &'static [&'static str]) -> Self {
        Access::Guest { path, migrations }
    }

    /// Makes a change, and returns when it is on the disk. A change that fails is undone.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self {
            Access::Owner(store) => store.commit(change),
            Access::Guest { path, migrations } => crate::change(path, *migrations, change),
        }
    }

    /// Makes a change that may be refused. A refusal undoes all of it, as an error does.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn attempt<T: Send + 'static, E: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<Result<T, E>> + Send + 'static,
    ) -> Result<Result<T, E>, StoreError> {
        let refusal = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&refusal);
        let done = self.commit(move |db| {
            change(db)?.map_err(|refusal| {
                *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
                undone(Refused)
            })
        });
        match refusal.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(refusal) => Ok(Err(refusal)),
            None => done.map(Ok),
        }
    }

    /// Makes a change that may be lost. The owner does not wait for it.
    pub fn later(&self, change: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static) {
        match self {
            Access::Owner(store) => store.later(change),
            Access::Guest { .. } => drop(self.commit(change)),
        }
    }

    /// Reads all earlier commits.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        match self {
            Access::Owner(store) => {
                let reader = store.reader()?;
                ask(&reader).map_err(|error| store.readers().error(&error))
            }
            Access::Guest { path, migrations } => crate::read(path, *migrations, ask),
        }
    }
}

/// Undoes a change that is refused.
#[derive(Debug, thiserror::Error)]
#[error("refused")]
struct Refused;

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &[&str] = &["CREATE TABLE peer (name TEXT)"];

    #[test]
    fn the_owner_and_a_guest_read_what_either_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("peers.db");
        let owner = Access::owner(&path, TABLES).expect("a new database");
        let guest = Access::guest(path, TABLES);
        for (access, name) in [(&owner, "vienna"), (&guest, "graz"), (&owner, "linz")] {
            let insert = move |db: &Connection| db.execute("INSERT INTO peer VALUES (?)", [name]);
            access.commit(insert).expect("a change");
        }
        for access in [&owner, &guest] {
            let count =
                |db: &Connection| db.query_row("SELECT count(*) FROM peer", [], |row| row.get(0));
            assert_eq!(access.read::<i64>(count).expect("a count"), 3);
        }
    }

    #[test]
    fn a_refusal_undoes_what_was_done_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("peers.db");
        let owner = Access::owner(&path, TABLES).expect("a new database");
        for access in [&owner, &Access::guest(path, TABLES)] {
            let refused: Result<(), &str> = access
                .attempt(|db| {
                    db.execute("INSERT INTO peer VALUES ('vienna')", [])?;
                    Ok(Err("no more peers"))
                })
                .expect("an answer");
            assert_eq!(refused, Err("no more peers"));
            let count =
                |db: &Connection| db.query_row("SELECT count(*) FROM peer", [], |row| row.get(0));
            assert_eq!(access.read::<i64>(count).expect("a count"), 0);
        }
    }

    #[test]
    fn a_guest_does_not_create_a_database() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("peers.db");
        let guest = Access::guest(path.clone(), TABLES);
        assert!(guest.read(|_| Ok(())).is_err());
        assert!(guest.commit(|_| Ok(())).is_err());
        assert!(!path.exists());
    }
}
