//! The versions of a database's tables.

use rusqlite::Connection;

use crate::QueryResult;

/// The versions of a database's tables.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'v> {
    migrations: &'v [&'v str],
    /// SQL for the tables of the last version.
    tables: Option<&'v str>,
}

impl<'v> Versions<'v> {
    /// Returns versions of which each is made by SQL that upgrades the one before. Published
    /// migrations never change.
    pub const fn new(migrations: &'v [&'v str]) -> Self {
        Versions { migrations, tables: None }
    }

    /// Adds SQL that makes the tables of the last version in an empty database, which takes a
    /// fraction of the time of many migrations. The tables must be the same as those of the
    /// migrations, to the letter: write the SQL with [`dump`].
    pub const fn with_tables(self, tables: &'v str) -> Self {
        Versions { tables: Some(tables), ..self }
    }

    /// Returns the number of the last version.
    pub fn last(self) -> u32 {
        self.migrations.len() as u32
    }

    /// Returns the SQL that upgrades a database step by step, each with the version that it makes.
    pub(crate) fn steps(self, found: u32) -> Vec<(u32, &'v str)> {
        match self.tables {
            Some(tables) if found == 0 => vec![(self.last(), tables)],
            _ => (1..).zip(self.migrations.iter().copied()).skip(found as usize).collect(),
        }
    }
}

impl<'v> From<&'v [&'v str]> for Versions<'v> {
    fn from(migrations: &'v [&'v str]) -> Self {
        Versions::new(migrations)
    }
}

impl<'v, const N: usize> From<&'v [&'v str; N]> for Versions<'v> {
    fn from(migrations: &'v [&'v str; N]) -> Self {
        Versions::new(migrations)
    }
}

/// Returns SQL that makes the tables and indexes of a database, without rows.
pub fn dump(db: &Connection) -> QueryResult<String> {
    let mut sql = String::new();
    let select = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                ORDER BY rowid";
    let mut select = db.prepare(select)?;
    for table in select.query_map([], |row| row.get::<_, String>(0))? {
        sql.push_str(&table?);
        sql.push_str(";\n");
    }
    Ok(sql)
}
