//! Users and tokens of the gateway. Logins, sessions and own passwords belong to the server.

mod invite;
mod link;
mod list;
mod remove;
mod role;
mod tokens;

pub use invite::{InvitePerson, PasswordLink};
pub use link::LinkPerson;
pub use list::{ListPeople, ListedPeople, Person};
pub use remove::RemovePerson;
pub use role::SetRole;
pub use tokens::{ListTokens, ListedTokens, MadeToken, MakeToken, RemoveToken, Token};

use std::sync::{Arc, Mutex, PoisonError};

use ::people::{People, PeopleError, Unrecorded};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use journal::audit_trail::Author;

use crate::context::Context;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

refusals! {
    /// Why users are not read.
    pub enum PeopleUnreadError {
        /// The database of users fails.
        People(PeopleError) => [],
        /// The journal fails.
        Journal(JournalError) => [NotReady],
    }
}

refusals! {
    /// Why a user or a token is not added.
    pub enum PeopleAddError {
        /// The request is wrong, or the name is taken.
        People(PeopleError) => [Wrong, Conflict],
        /// The journal fails, so that there would be no entry in the audit trail.
        Journal(JournalError) => [NotReady],
    }
}

refusals! {
    /// Why a user does not get another role, or is not removed.
    pub enum PeopleChangeError {
        /// There is no such user, or it is the last administrator.
        People(PeopleError) => [Unknown, Conflict],
        /// The journal fails, so that there would be no entry in the audit trail.
        Journal(JournalError) => [NotReady],
    }
}

refusals! {
    /// Why a user gets no link, or a token is not removed.
    pub enum PeopleNamedError {
        /// There is no such user or token.
        People(PeopleError) => [Unknown],
        /// The journal fails, so that there would be no entry in the audit trail.
        Journal(JournalError) => [NotReady],
    }
}

impl Refusal for PeopleError {
    fn kind(&self) -> RefusalKind {
        match self {
            PeopleError::Refused | PeopleError::Link => RefusalKind::NotLoggedIn,
            PeopleError::Later(_) => RefusalKind::TooMany,
            PeopleError::Unknown(_) => RefusalKind::Unknown,
            PeopleError::Taken(_) | PeopleError::LastAdministrator(_) => RefusalKind::Conflict,
            PeopleError::NoChance | PeopleError::Unrecorded(_) | PeopleError::Store(_) => {
                RefusalKind::Internal
            }
            _ => RefusalKind::Wrong,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            PeopleError::Refused => "login-refused",
            PeopleError::Later(_) => "login-later",
            PeopleError::Link => "link-void",
            PeopleError::Name(_) => "name-wrong",
            PeopleError::Taken(_) => "name-taken",
            PeopleError::Unknown(_) => "person-unknown",
            PeopleError::ShortPassword(_) => "password-short",
            PeopleError::LongPassword(_) => "password-long",
            PeopleError::WeakPassword => "password-weak",
            PeopleError::TokenDays(_) => "token-days-wrong",
            PeopleError::LastAdministrator(_) => "administrator-last",
            PeopleError::NoChance => "random-numbers-missing",
            PeopleError::Unrecorded(_) => "change-unrecorded",
            PeopleError::Store(_) => "people-database-failed",
        }
    }

    /// Omits those of logins.
    fn possible() -> Vec<PossibleRefusal> {
        let of = |kind, code, text| PossibleRefusal { kind, text: Some((code, text)) };
        vec![
            of(RefusalKind::Wrong, "name-wrong", "\"{name}\" cannot be a name"),
            of(RefusalKind::Wrong, "token-days-wrong", "a token holds for 1 to 366 days"),
            of(RefusalKind::Unknown, "person-unknown", "there is no \"{name}\""),
            of(RefusalKind::Conflict, "name-taken", "there is a \"{name}\" already"),
            of(
                RefusalKind::Conflict,
                "administrator-last",
                "\"{name}\" is the last administrator; make another user one first",
            ),
        ]
    }
}

/// The function by which users record a change.
type Record = Box<dyn FnOnce(&str) -> Result<(), Unrecorded> + Send>;

/// Makes a change of users or tokens for an action, with an entry in the audit trail. It is made before the change is
/// committed: without an entry there is no change.
fn change<T, E: From<PeopleError> + From<JournalError>>(
    context: &Context<'_>,
    (action, reason): (&'static str, String),
    change: impl FnOnce(&People, Record) -> Result<T, PeopleError>,
) -> Result<T, E> {
    let people = context.shared.people().map_err(|error| match error {
        PeopleUnreadError::People(error) => E::from(error),
        PeopleUnreadError::Journal(error) => E::from(error),
    })?;
    let (flow, who) = (context.flow.to_owned(), context.who.to_owned());
    let problem = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&problem);
    let record = move |subject: &str| {
        let author = Author::new(&who, action);
        let recorded =
            flow_journal::change(&flow, |db| author.record(db, subject, &reason).map(drop));
        recorded.map_err(|error| {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Unrecorded
        })
    };
    let changed = change(&people, Box::new(record));
    match problem.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error.into()),
        None => Ok(changed?),
    }
}
