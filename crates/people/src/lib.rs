//! Access to a gateway: users with a role and a password, their sessions, the one-time links for setting a password,
//! and tokens for programs.
//!
//! All of it is in one database in the gateway's state folder, which holds only digests of secrets.
#![forbid(unsafe_code)]

mod attempts;
mod link;
mod person;
mod role;
mod secret;
mod session;
mod strength;
mod token;

use std::path::Path;
use std::time::Duration;

use attempts::Attempts;
pub use person::Listed;
pub use role::{NoRole, Role};
use runtime::time::now_ms;
pub use session::{Begun, Session};
use store::{Access, Connection, QueryResult, StoreError};
pub use token::{Made, TOKEN_DAYS, TOKEN_DAYS_MAX, Token};

const MIGRATIONS: &[&str] = &[include_str!("people.sql"), include_str!("token_end.sql")];

/// The name of the database file in the state folder.
const DATABASE: &str = "people.db";

/// The maximum length of a name, in characters.
const NAME_MAX: usize = 64;

/// The end of the name of a token in the audit trail.
const OF_TOKEN: &str = " (token)";

/// Why an operation failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PeopleError {
    /// The name or the password is wrong; the error does not say which.
    #[error("the name or the password is not right")]
    Refused,
    /// There were too many attempts; the next is possible after this time.
    #[error("there were too many attempts; try again in {} seconds", .0.as_secs().max(1))]
    Later(Duration),
    /// The one-time link was used, has expired, or never existed.
    #[error("this link was used, or is too old; ask an administrator for another")]
    Link,
    /// The name is not valid.
    #[error(
        "\"{0}\" cannot be a name: up to {NAME_MAX} letters, digits, \".\", \"-\", \"_\" and \"@\""
    )]
    Name(String),
    /// The name is taken.
    #[error("there is a \"{0}\" already")]
    Taken(String),
    /// The name does not exist.
    #[error("there is no \"{0}\"")]
    Unknown(String),
    /// The password is too short.
    #[error(
        "the password has less than {0} characters; a few words that no one else would put together are good"
    )]
    ShortPassword(usize),
    /// The password is too long.
    #[error("the password has more than {0} octets")]
    LongPassword(usize),
    /// The password is easy to guess.
    #[error(
        "the password is guessed soon: it is made of common passwords, keys in a row, years, repetitions or the name; a few \
         words that no one else would put together are good"
    )]
    WeakPassword,
    /// The lifetime of a token is out of range.
    #[error("a token holds for 1 to {TOKEN_DAYS_MAX} days, not for {0}")]
    TokenDays(u32),
    /// No administrator would be left.
    #[error("\"{0}\" is the last administrator; make another user one first")]
    LastAdministrator(String),
    /// The system provides no random numbers.
    #[error("the system gives no random numbers")]
    NoChance,
    /// The change has no entry in the audit trail, so it was not made.
    #[error(transparent)]
    Unrecorded(#[from] Unrecorded),
    /// The database reports an error.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A change could not be recorded in the audit trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change has no entry in the audit trail: nothing was changed")]
pub struct Unrecorded;

/// Records a change in the audit trail before it is committed, with its subject. The change is undone if it cannot be
/// recorded.
pub trait Record: FnOnce(&str) -> Result<(), Unrecorded> + Send + 'static {}

impl<F: FnOnce(&str) -> Result<(), Unrecorded> + Send + 'static> Record for F {}

/// The users of a gateway.
pub struct People {
    store: Access,
    attempts: Attempts,
    /// Milliseconds since 1970.
    now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
}

impl People {
    /// Opens the users of the gateway with this state folder. The caller holds the gateway's lock, so only one process
    /// writes.
    pub fn open(state: &Path) -> Result<Self, PeopleError> {
        Self::open_with(state, Box::new(now_ms))
    }

    fn open_with(
        state: &Path,
        now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
    ) -> Result<Self, PeopleError> {
        let store = Access::owner(&state.join(DATABASE), MIGRATIONS)?;
        Ok(People { store, attempts: Attempts::default(), now_ms })
    }

    /// Returns the users of the gateway with this state folder, while another process may have them open.
    pub fn open_as_guest(state: &Path) -> Self {
        let store = Access::guest(state.join(DATABASE), MIGRATIONS);
        People { store, attempts: Attempts::default(), now_ms: Box::new(now_ms) }
    }

    fn now(&self) -> i64 {
        (self.now_ms)()
    }

    /// Makes a change that may be refused. A refusal undoes all of it.
    fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<Result<T, PeopleError>> + Send + 'static,
    ) -> Result<T, PeopleError> {
        self.store.attempt(change)?
    }

    fn look<T>(&self, ask: impl FnOnce(&Connection) -> QueryResult<T>) -> Result<T, PeopleError> {
        Ok(self.store.read(ask)?)
    }
}

/// Omits the content.
impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("People").finish_non_exhaustive()
    }
}

/// Returns the name of a token in the audit trail. No user has such a name.
pub fn token_author(name: &str) -> String {
    format!("{name}{OF_TOKEN}")
}

/// Returns whether a name in the audit trail is that of a token.
pub fn is_token_author(author: &str) -> bool {
    author.ends_with(OF_TOKEN)
}

/// Returns whether the second one may approve what the first one has asked for: both are persons, by their names in the audit
/// trail, and not the same. A token is no person: one person may have both a login and a token.
pub fn is_second_person(first: &str, second: &str) -> bool {
    let are_persons = !is_token_author(first) && !is_token_author(second);
    are_persons && person(first) != person(second)
}

/// Returns the person behind the user of a command: `anna` of `root (anna)`, who called `sudo`.
fn person(who: &str) -> &str {
    let called_by = who.strip_suffix(')').and_then(|who| who.rsplit_once(" ("));
    called_by.map_or(who, |(_, person)| person)
}

fn check_name(name: &str) -> Result<(), PeopleError> {
    let is_of_it = |c: char| c.is_alphanumeric() || ".-_@".contains(c);
    let count = name.chars().count();
    match (1..=NAME_MAX).contains(&count) && name.chars().all(is_of_it) {
        true => Ok(()),
        false => Err(PeopleError::Name(name.into())),
    }
}

#[cfg(test)]
mod tests;
