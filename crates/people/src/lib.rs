//! Who may look at a gateway and change it: people with a role and a password, their sessions, the one-time links by
//! which they set a password, and tokens for programs.
//!
//! All of it lies in one database in the folder of the gateway's state. Secrets are there as digests alone.
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
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use attempts::Attempts;
pub use person::Listed;
pub use role::{NoRole, Role};
pub use session::{Begun, Session};
use store::{Answer, Connection, Store, StoreError};
pub use token::{Made, TOKEN_DAYS, TOKEN_DAYS_MAX, Token};

const MIGRATIONS: &[&str] = &[include_str!("people.sql"), include_str!("token_end.sql")];

/// The database, in the folder of the state.
const DATABASE: &str = "people.db";

/// Characters of the longest name.
const NAME_MAX: usize = 64;

/// Why something is not done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PeopleError {
    /// A name or password is not right; which of them is not said.
    #[error("the name or the password is not right")]
    Refused,
    /// There were too many attempts.
    #[error("there were too many attempts; try again in {} seconds", .0.as_secs().max(1))]
    Later(Duration),
    /// A one-time link was used, is too old, or never was one.
    #[error("this link was used, or is too old; ask an administrator for another")]
    Link,
    /// The name cannot be one.
    #[error(
        "\"{0}\" cannot be a name: up to {NAME_MAX} letters, digits, \".\", \"-\", \"_\" and \"@\""
    )]
    Name(String),
    /// Somebody has the name.
    #[error("there is a \"{0}\" already")]
    Taken(String),
    /// Nobody has the name.
    #[error("there is no \"{0}\"")]
    Unknown(String),
    /// The password is too short.
    #[error(
        "the password has less than {0} characters; a few words that nobody else would put together are good"
    )]
    ShortPassword(usize),
    /// The password is too long.
    #[error("the password has more than {0} octets")]
    LongPassword(usize),
    /// The password is guessed soon.
    #[error(
        "the password is guessed soon: it is made of common passwords, keys in a row, years, repetitions or the name; a few \
         words that nobody else would put together are good"
    )]
    WeakPassword,
    /// The lifetime of a token is out of range.
    #[error("a token holds for 1 to {TOKEN_DAYS_MAX} days, not for {0}")]
    TokenDays(u32),
    /// Nobody would be left who can say who may do what.
    #[error("\"{0}\" is the last administrator; make somebody else one first")]
    LastAdministrator(String),
    /// The system has no random numbers.
    #[error("the system gives no random numbers")]
    NoChance,
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The people of a gateway.
pub struct People {
    store: Store,
    attempts: Attempts,
    /// Milliseconds since 1970.
    now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
}

impl People {
    /// Those of the gateway whose state is in a folder. There is one who writes to them at a time: the gateway's lock
    /// is held.
    pub fn open(state: &Path) -> Result<Self, PeopleError> {
        Self::open_with(state, Box::new(now_ms))
    }

    fn open_with(
        state: &Path,
        now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
    ) -> Result<Self, PeopleError> {
        let store = Store::open(&state.join(DATABASE), MIGRATIONS)?;
        Ok(People { store, attempts: Attempts::default(), now_ms })
    }

    fn now(&self) -> i64 {
        (self.now_ms)()
    }

    /// Makes a change that may be refused; what is refused is not made.
    fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Answer<Result<T, PeopleError>> + Send + 'static,
    ) -> Result<T, PeopleError> {
        self.store.commit(change)?
    }

    fn look<T>(&self, ask: impl FnOnce(&Connection) -> Answer<T>) -> Result<T, PeopleError> {
        let reader = self.store.reader()?;
        Ok(ask(&reader).map_err(|error| self.store.readers().refused(&error))?)
    }
}

/// Without what is in it.
impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("People").finish_non_exhaustive()
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
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
