//! Tokens, with which programs log in.

use store::{OptionalExtension as _, params};

use crate::{People, PeopleError, Record, Role, check_name, secret};

/// The prefix of a token, by which scanners for leaked secrets recognise it.
const PREFIX: &str = "tollgate_";

/// The least time between two notes of a token's use.
const NOTED_EVERY_MS: i64 = 60 * 1_000;

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The time of creation, in milliseconds since 1970.
    pub since_ms: i64,
    /// The time of its last use, accurate to a minute, in milliseconds since 1970.
    pub used_ms: Option<i64>,
    /// When it expires, in milliseconds since 1970.
    pub until_ms: i64,
}

/// The default lifetime of a token, in days: a quarter of a year.
pub const TOKEN_DAYS: u32 = 90;

/// The maximum lifetime of a token, in days: renewing it once a year reminds its owner where it is stored.
pub const TOKEN_DAYS_MAX: u32 = 366;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// A new token.
#[derive(Clone, PartialEq, Eq)]
pub struct Made {
    /// Its number.
    pub id: i64,
    /// The secret that a program sends to log in. It cannot be read again.
    pub secret: String,
    /// When it expires, in milliseconds since 1970.
    pub until_ms: i64,
}

/// Omits the secret.
impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns a token's name for the audit trail, with its number, since another token may get the name later.
fn subject(id: i64, name: &str) -> String {
    format!("{name}, token {id}")
}

const SELECT: &str = "SELECT id, name, role, since_ms, used_ms, until_ms FROM token";

fn token(row: &store::Row<'_>) -> store::QueryResult<Token> {
    let role: String = row.get(2)?;
    let role = role.parse().map_err(store::unreadable)?;
    Ok(Token {
        id: row.get(0)?,
        name: row.get(1)?,
        role,
        since_ms: row.get(3)?,
        used_ms: row.get(4)?,
        until_ms: row.get(5)?,
    })
}

impl People {
    /// Returns all tokens, by number.
    pub fn tokens(&self) -> Result<Vec<Token>, PeopleError> {
        self.look(|db| {
            let mut select = db.prepare(&format!("{SELECT} ORDER BY id"))?;
            let tokens = select.query_map([], token)?;
            tokens.collect()
        })
    }

    /// Makes a token that is valid for `days` and returns its secret, which cannot be read again.
    /// Names are unique, because the audit trail identifies a token by its name; an expired token
    /// of the same name is deleted.
    ///
    /// # Errors
    ///
    /// The name is not valid or is taken, `days` is out of range, or the change cannot be recorded or written.
    pub fn make_token(
        &self,
        name: &str,
        (role, days): (Role, u32),
        record: impl Record,
    ) -> Result<Made, PeopleError> {
        check_name(name)?;
        if !(1..=TOKEN_DAYS_MAX).contains(&days) {
            return Err(PeopleError::TokenDays(days));
        }
        let (made, name, now) =
            (format!("{PREFIX}{}", secret::random()?), name.to_owned(), self.now());
        let digest = secret::digest(&made);
        let until_ms = now + i64::from(days) * DAY_MS;
        let id = self.change(move |db| {
            db.execute("DELETE FROM token WHERE name = ? AND until_ms <= ?", params![name, now])?;
            if db.prepare_cached("SELECT 1 FROM token WHERE name = ?")?.exists([&name])? {
                return Ok(Err(PeopleError::Taken(name)));
            }
            let insert =
                "INSERT INTO token (secret, name, role, since_ms, until_ms) VALUES (?, ?, ?, ?, ?)";
            db.execute(insert, params![digest, name, role.word(), now, until_ms])?;
            let id = db.last_insert_rowid();
            Ok(record(&subject(id, &name)).map(|()| id).map_err(PeopleError::from))
        })?;
        Ok(Made { id, secret: made, until_ms })
    }

    /// Removes a token, which is void at once, and returns its name.
    ///
    /// # Errors
    ///
    /// There is no such token, or the change cannot be recorded or written.
    pub fn remove_token(&self, id: i64, record: impl Record) -> Result<String, PeopleError> {
        self.change(move |db| {
            let remove = "DELETE FROM token WHERE id = ? RETURNING name";
            let name: Option<String> = db.query_row(remove, [id], |row| row.get(0)).optional()?;
            let Some(name) = name else {
                return Ok(Err(PeopleError::Unknown(format!("token {id}"))));
            };
            Ok(record(&subject(id, &name)).map(|()| name).map_err(PeopleError::from))
        })
    }

    /// Returns the token with this secret, unless it has expired. This counts as a use of the token.
    pub fn token(&self, secret: &str) -> Result<Option<Token>, PeopleError> {
        let (found, now) = (self.find_token(secret)?, self.now());
        if let Some(Token { id, used_ms, .. }) = &found
            && used_ms.is_none_or(|used| now - used > NOTED_EVERY_MS)
        {
            let id = *id;
            self.store.later(move |db| {
                db.execute("UPDATE token SET used_ms = ? WHERE id = ?", params![now, id]).map(drop)
            });
        }
        Ok(found)
    }

    /// Returns whether a token with this secret is valid. This does not count as a use.
    pub fn token_holds(&self, secret: &str) -> Result<bool, PeopleError> {
        Ok(self.find_token(secret)?.is_some())
    }

    fn find_token(&self, secret: &str) -> Result<Option<Token>, PeopleError> {
        let (digest, now) = (secret::digest(secret), self.now());
        self.look(|db| {
            let mut select =
                db.prepare_cached(&format!("{SELECT} WHERE secret = ? AND until_ms > ?"))?;
            select.query_row(params![digest, now], token).optional()
        })
    }
}
