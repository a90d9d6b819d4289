//! One-time links. A user with a link sets a password and is logged in. The first link creates the first administrator.

use store::{Connection, OptionalExtension as _, params};

use crate::session::Begun;
use crate::{People, PeopleError, Record, Role, check_name, secret};

/// The lifetime of a link.
const HOLDS_MS: i64 = 24 * 60 * 60 * 1_000;

impl People {
    /// Makes a link for the first administrator; `None` if an administrator with a password exists. Each call voids the
    /// links of earlier calls.
    pub fn first_link(&self) -> Result<Option<String>, PeopleError> {
        let made = secret::random()?;
        let (digest, until_ms) = (secret::digest(&made), self.now() + HOLDS_MS);
        self.change(move |db| {
            let can = "SELECT 1 FROM person WHERE role = 'administrator' AND password IS NOT NULL";
            if db.prepare_cached(can)?.exists([])? {
                return Ok(Ok(None));
            }
            db.execute("DELETE FROM link WHERE name IS NULL", [])?;
            put(db, &digest, None, Role::Administrator, until_ms)?;
            Ok(Ok(Some(made)))
        })
    }

    /// Makes a user without a password, and a link to set one.
    ///
    /// # Errors
    ///
    /// The name is not valid or is taken, or the change cannot be recorded or written.
    pub fn invite(
        &self,
        name: &str,
        role: Role,
        record: impl Record,
    ) -> Result<String, PeopleError> {
        check_name(name)?;
        let (name, made, now) = (name.to_owned(), secret::random()?, self.now());
        let digest = secret::digest(&made);
        self.change(move |db| {
            let insert =
                "INSERT INTO person (name, role, since_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
            if db.execute(insert, params![name, role.word(), now])? == 0 {
                return Ok(Err(PeopleError::Taken(name)));
            }
            put(db, &digest, Some(&name), role, now + HOLDS_MS)?;
            Ok(record(&name).map(|()| made).map_err(PeopleError::from))
        })
    }

    /// Makes a link for a user to set a new password. The old password stays valid until then. The user's earlier links
    /// are void.
    ///
    /// # Errors
    ///
    /// There is no such user, or the change cannot be recorded or written.
    pub fn link_for(&self, name: &str, record: impl Record) -> Result<String, PeopleError> {
        let (name, made, now) = (name.to_owned(), secret::random()?, self.now());
        let digest = secret::digest(&made);
        self.change(move |db| {
            let role = "SELECT role FROM person WHERE name = ?";
            let role: Option<String> = db.query_row(role, [&name], |row| row.get(0)).optional()?;
            let Some(role) = role.and_then(|role| role.parse().ok()) else {
                return Ok(Err(PeopleError::Unknown(name)));
            };
            db.execute("DELETE FROM link WHERE name = ?", [&name])?;
            put(db, &digest, Some(&name), role, now + HOLDS_MS)?;
            Ok(record(&name).map(|()| made).map_err(PeopleError::from))
        })
    }

    /// Returns the user of a valid link; `None` for the first administrator's, which has no name yet. An invalid link
    /// is an error, so the user learns of it before choosing a password.
    pub fn look_at_link(&self, link: &str) -> Result<Option<String>, PeopleError> {
        self.invited(secret::digest(link))
    }

    fn invited(&self, link: Vec<u8>) -> Result<Option<String>, PeopleError> {
        let now = self.now();
        let invited = self.look(move |db| {
            let select = "SELECT name FROM link WHERE secret = ? AND until_ms > ?";
            db.query_row(select, params![link, now], |row| row.get::<_, Option<String>>(0))
                .optional()
        })?;
        invited.ok_or(PeopleError::Link)
    }

    /// Uses a link: sets the password and begins a session. `name` only counts for the first administrator's link.
    pub fn welcome(
        &self,
        link: &str,
        name: &str,
        password: &str,
        record: impl Record,
    ) -> Result<Begun, PeopleError> {
        let (link, now) = (secret::digest(link), self.now());
        let invited = self.invited(link.clone())?;
        let is_first = invited.is_none();
        let name = invited.unwrap_or_else(|| name.to_owned());
        check_name(&name)?;
        secret::check_password(&name, password)?;
        let hash = secret::hash(password)?;
        let person = name.clone();
        self.change(move |db| {
            // Of two concurrent uses, only one deletes the link.
            if db.execute("DELETE FROM link WHERE secret = ?", [link])? == 0 {
                return Ok(Err(PeopleError::Link));
            }
            if is_first {
                let insert = "INSERT INTO person (name, role, since_ms) VALUES (?1, ?2, ?3)
                    ON CONFLICT DO UPDATE SET role = excluded.role";
                db.execute(insert, params![person, Role::Administrator.word(), now])?;
            }
            let set = "UPDATE person SET password = ? WHERE name = ?";
            if db.execute(set, params![hash, person])? == 0 {
                return Ok(Err(PeopleError::Link));
            }
            db.execute("DELETE FROM session WHERE name = ?", [&person])?;
            Ok(record(&person).map_err(PeopleError::from))
        })?;
        self.attempts.forget(&name);
        self.begin_session(&name)
    }
}

fn put(
    db: &Connection,
    digest: &[u8],
    name: Option<&str>,
    role: Role,
    until_ms: i64,
) -> store::QueryResult<()> {
    let insert = "INSERT INTO link (secret, name, role, until_ms) VALUES (?, ?, ?, ?)";
    db.execute(insert, params![digest, name, role.word(), until_ms]).map(drop)
}
