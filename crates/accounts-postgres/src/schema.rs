//! The tables and functions of the database.

use accounts::AccountsError;

use crate::connection::{Attempts, Connection, Fault};

const TABLES: &str = include_str!("tables.sql");

/// The version of the tables that this program knows.
const VERSION: i32 = 1;

/// The lock that a front holds while it creates the tables: a number that no other program is likely to use.
const CREATES: i64 = 0x746f_6c6c_6761_7465;

/// The tables are those of another version of this program.
#[derive(Debug, thiserror::Error)]
#[error(
    "the tables of the accounts have version {found}, and this program knows version {VERSION}: use the program that \
     made them, or another database"
)]
struct OtherVersion {
    found: i32,
}

/// Creates the tables if there are none, with others beside them.
pub(crate) fn ensure(connection: &mut Connection, beside: &str) -> Result<(), AccountsError> {
    let mut attempts = Attempts::begin();
    let found = loop {
        match create(connection, beside) {
            Ok(found) => break found,
            Err(fault) => attempts.next(fault)?,
        }
    };
    match found == VERSION {
        true => Ok(()),
        false => Err(AccountsError::Server(OtherVersion { found }.into())),
    }
}

/// Creates the tables if there are none, and returns their version.
fn create(connection: &mut Connection, beside: &str) -> Result<i32, Fault> {
    connection.connect()?;
    let is_there = "SELECT to_regclass('account_schema') IS NOT NULL";
    if !connection.query(is_there, &[])?[0].try_get(0)? {
        connection.batch("BEGIN")?;
        connection.query("SELECT pg_advisory_xact_lock($1)", &[&CREATES])?;
        // Another front may have created them meanwhile.
        if !connection.query(is_there, &[])?[0].try_get(0)? {
            connection.batch(TABLES)?;
            connection.batch(beside)?;
        }
        connection.batch("COMMIT")?;
    }
    Ok(connection.query("SELECT version FROM account_schema", &[])?[0].try_get(0)?)
}
