//! Sessions of users.

use std::collections::HashMap;
use std::net::IpAddr;

use store::{OptionalExtension as _, params};

use crate::attempts::By;
use crate::{People, PeopleError, Role, check_name, secret};

/// The lifetime of a session: a shift with its handover.
const HOLDS_MS: i64 = 12 * 60 * 60 * 1_000;

/// The lifetime of a session without requests.
const IDLE_MS: i64 = 2 * 60 * 60 * 1_000;

/// The maximum number of sessions per user: a browser at each desk, and some that were never ended. One more ends the
/// session that was idle for longest.
const OF_ONE_MAX: i64 = 10;

/// The least time between two notes of a session's use.
const NOTED_EVERY_MS: i64 = 60 * 1_000;

/// The session of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The name of the user.
    pub name: String,
    /// The role of the user.
    pub role: Role,
    /// The token that each change needs besides the session's secret, so that no other site can make one.
    pub csrf: String,
    /// The latest end of the session, in milliseconds since 1970.
    pub until_ms: i64,
}

/// A new session.
#[derive(Clone, PartialEq, Eq)]
pub struct Begun {
    /// The secret of the session. It cannot be read again.
    pub secret: String,
    /// The session.
    pub session: Session,
}

/// Omits the secret.
impl std::fmt::Debug for Begun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").field("name", &self.session.name).finish_non_exhaustive()
    }
}

impl People {
    /// Begins a session after checking the password. `from` is the address to count attempts by: pass one address for
    /// all that belong to one client. The check takes tens of milliseconds of a processor, on purpose.
    pub fn login(&self, name: &str, password: &str, from: IpAddr) -> Result<Begun, PeopleError> {
        self.check_password(name, password, By::Address(from))?;
        self.begin_session(name)
    }

    /// Checks the password of a user.
    pub(crate) fn check_password(
        &self,
        name: &str,
        password: &str,
        by: By,
    ) -> Result<(), PeopleError> {
        // An invalid name, of whatever length, has no account. Verifying against no hash takes as
        // long as for any unknown account.
        if check_name(name).is_err() {
            secret::is_password(password, None);
            return Err(PeopleError::Refused);
        }
        self.attempts.begin(name, by.clone(), self.now())?;
        let hash = self.look(|db| {
            let select = "SELECT password FROM person WHERE name = ?";
            db.query_row(select, [name], |row| row.get::<_, Option<String>>(0)).optional()
        })?;
        match secret::is_password(password, hash.flatten().as_deref()) {
            true => {
                self.attempts.succeeded(name, by, self.now());
                Ok(())
            }
            false => Err(PeopleError::Refused),
        }
    }

    pub(crate) fn begin_session(&self, name: &str) -> Result<Begun, PeopleError> {
        let (made, csrf, now) = (secret::random()?, secret::random()?, self.now());
        let (digest, name, stored_csrf) = (secret::digest(&made), name.to_owned(), csrf.clone());
        let session = self.change(move |db| {
            db.execute(
                "DELETE FROM session WHERE begun_ms <= ? OR seen_ms <= ?",
                params![now - HOLDS_MS, now - IDLE_MS],
            )?;
            let login = "UPDATE person SET last_login_ms = ? WHERE name = ? RETURNING role";
            let role: Option<String> =
                db.query_row(login, params![now, name], |row| row.get(0)).optional()?;
            let Some(role) = role.and_then(|role| role.parse().ok()) else {
                return Ok(Err(PeopleError::Refused));
            };
            db.execute(
                "INSERT INTO session (secret, name, csrf, begun_ms, seen_ms) VALUES (?1, ?2, ?3, ?4, ?4)",
                params![digest, name, stored_csrf, now],
            )?;
            db.execute(
                "DELETE FROM session WHERE name = ?1 AND secret NOT IN
                     (SELECT secret FROM session WHERE name = ?1 ORDER BY seen_ms DESC, rowid DESC LIMIT ?2)",
                params![name, OF_ONE_MAX],
            )?;
            Ok(Ok(Session { name, role, csrf, until_ms: now + HOLDS_MS }))
        })?;
        Ok(Begun { secret: made, session })
    }

    /// Returns the session with this secret, if it is valid. This counts as a use, and so prolongs it.
    pub fn session(&self, secret: &str) -> Result<Option<Session>, PeopleError> {
        let Some((session, active_ms)) = self.find_session(secret)? else { return Ok(None) };
        let (digest, now) = (secret::digest(secret), self.now());
        if now - active_ms > NOTED_EVERY_MS {
            self.store.later(move |db| {
                let update = "UPDATE session SET seen_ms = max(seen_ms, ?) WHERE secret = ?";
                db.execute(update, params![now, digest]).map(drop)
            });
        }
        Ok(Some(session))
    }

    /// Returns whether a session with this secret is valid. This does not count as a use.
    pub fn session_holds(&self, secret: &str) -> Result<bool, PeopleError> {
        Ok(self.find_session(secret)?.is_some())
    }

    /// Returns a valid session, and the time of its last use.
    fn find_session(&self, secret: &str) -> Result<Option<(Session, i64)>, PeopleError> {
        let (digest, now) = (secret::digest(secret), self.now());
        self.look(|db| {
            db.prepare_cached(
                "SELECT name, role, csrf, begun_ms, seen_ms FROM session JOIN person USING (name)
                 WHERE secret = ? AND begun_ms > ? AND seen_ms > ?",
            )?
            .query_row(params![digest, now - HOLDS_MS, now - IDLE_MS], |row| {
                let role: String = row.get(1)?;
                let role = role.parse().map_err(store::unreadable)?;
                let until_ms = row.get::<_, i64>(3)? + HOLDS_MS;
                let session = Session { name: row.get(0)?, role, csrf: row.get(2)?, until_ms };
                Ok((session, row.get::<_, i64>(4)?))
            })
            .optional()
        })
    }

    /// Returns the number of valid sessions per user, for users who have any.
    pub fn sessions(&self) -> Result<HashMap<String, u64>, PeopleError> {
        let now = self.now();
        self.look(|db| {
            let mut select = db.prepare_cached(
                "SELECT name, count(*) FROM session WHERE begun_ms > ? AND seen_ms > ? GROUP BY name",
            )?;
            let counts = select.query_map(params![now - HOLDS_MS, now - IDLE_MS], |row| {
                Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
            })?;
            counts.collect()
        })
    }

    /// Ends a session.
    pub fn logout(&self, secret: &str) -> Result<(), PeopleError> {
        let digest = secret::digest(secret);
        self.change(move |db| {
            db.execute("DELETE FROM session WHERE secret = ?", [digest])?;
            Ok(Ok(()))
        })
    }
}
