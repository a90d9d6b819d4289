//! The list of users, and changes to them.

use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::attempts::By;
use crate::{People, PeopleError, Record, Role, secret};

/// A user, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The time of creation, in milliseconds since 1970.
    pub since_ms: i64,
    /// The time of the last login, in milliseconds since 1970.
    pub last_login_ms: Option<i64>,
    /// Whether the user has no password yet.
    pub is_invited: bool,
}

impl People {
    /// Returns all users, by name.
    pub fn list(&self) -> Result<Vec<Listed>, PeopleError> {
        self.look(|db| {
            let mut select = db.prepare(
                "SELECT name, role, since_ms, last_login_ms, password IS NULL FROM person ORDER BY name",
            )?;
            let people = select.query_map([], |row| {
                let role: String = row.get(1)?;
                Ok(Listed {
                    name: row.get(0)?,
                    role: role.parse().map_err(store::unreadable)?,
                    since_ms: row.get(2)?,
                    last_login_ms: row.get(3)?,
                    is_invited: row.get(4)?,
                })
            })?;
            people.collect()
        })
    }

    /// Changes the role of a user.
    ///
    /// # Errors
    ///
    /// There is no such user, it is the last administrator, or the change cannot be recorded or written.
    pub fn set_role(&self, name: &str, role: Role, record: impl Record) -> Result<(), PeopleError> {
        let name = name.to_owned();
        self.change(move |db| {
            if role != Role::Administrator && is_last_administrator(db, &name)? {
                return Ok(Err(PeopleError::LastAdministrator(name)));
            }
            match db.execute("UPDATE person SET role = ? WHERE name = ?", [role.word(), &name])? {
                0 => Ok(Err(PeopleError::Unknown(name))),
                _ => Ok(record(&name).map_err(PeopleError::from)),
            }
        })
    }

    /// Removes a user and ends the user's sessions at once.
    ///
    /// # Errors
    ///
    /// There is no such user, it is the last administrator, or the change cannot be recorded or written.
    pub fn remove(&self, name: &str, record: impl Record) -> Result<(), PeopleError> {
        let name = name.to_owned();
        self.change(move |db| {
            if is_last_administrator(db, &name)? {
                return Ok(Err(PeopleError::LastAdministrator(name)));
            }
            db.execute("DELETE FROM session WHERE name = ?", [&name])?;
            db.execute("DELETE FROM link WHERE name = ?", [&name])?;
            match db.execute("DELETE FROM person WHERE name = ?", [&name])? {
                0 => Ok(Err(PeopleError::Unknown(name))),
                _ => Ok(record(&name).map_err(PeopleError::from)),
            }
        })
    }

    /// Changes a password, given the old one. All sessions of the user end, except the one with this secret.
    pub fn set_password(
        &self,
        name: &str,
        old: &str,
        new: &str,
        session: &str,
        record: impl Record,
    ) -> Result<(), PeopleError> {
        let session = secret::digest(session);
        // Attempts by session are counted apart, so other clients' failures cause no wait here.
        self.check_password(name, old, By::Session(session.clone()))?;
        secret::check_password(name, new)?;
        let (hash, name) = (secret::hash(new)?, name.to_owned());
        self.change(move |db| {
            db.execute("UPDATE person SET password = ? WHERE name = ?", params![hash, name])?;
            let others = "DELETE FROM session WHERE name = ? AND secret <> ?";
            db.execute(others, params![name, session])?;
            Ok(record(&name).map_err(PeopleError::from))
        })
    }
}

/// Returns whether a user is the last administrator with a password.
fn is_last_administrator(db: &Connection, name: &str) -> QueryResult<bool> {
    let can =
        "SELECT name FROM person WHERE role = 'administrator' AND password IS NOT NULL LIMIT 2";
    let mut select = db.prepare(can)?;
    let names: Vec<String> = select.query_map([], |row| row.get(0))?.collect::<QueryResult<_>>()?;
    let exists = "SELECT 1 FROM person WHERE name = ?";
    let is_there: Option<i64> = db.query_row(exists, [name], |row| row.get(0)).optional()?;
    Ok(is_there.is_some() && names == [name])
}
