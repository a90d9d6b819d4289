//! Lists the users.

use ::people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PeopleUnreadError;
use crate::context::Context;
use crate::operation::Operation;

/// Lists the users.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListPeople {}

/// The users.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = People)]
pub struct ListedPeople {
    /// The users, by name.
    pub people: Vec<Person>,
}

/// A user.
#[derive(Debug, Serialize, ToSchema)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// When the user was added.
    pub since: String,
    /// The last login. Absent if there was none.
    pub last_login: Option<String>,
    /// Whether the user has not set a password yet.
    pub invited: bool,
    /// The number of open sessions; 10 at most. One more ends the session that was idle for the longest time.
    pub sessions: u64,
}

impl Operation for ListPeople {
    type Response = ListedPeople;
    type Error = PeopleUnreadError;

    const NAME: &'static str = "people list";
    const ROLE: Role = Role::Administrator;

    fn perform(self, context: &Context<'_>) -> Result<ListedPeople, PeopleUnreadError> {
        let people = context.shared.people()?;
        let (listed, sessions) = (people.list()?, people.sessions()?);
        let person = listed.into_iter().map(|listed| Person {
            sessions: sessions.get(&listed.name).copied().unwrap_or_default(),
            name: listed.name,
            role: listed.role,
            since: shown(listed.since_ms),
            last_login: listed.last_login_ms.map(shown),
            invited: listed.is_invited,
        });
        Ok(ListedPeople { people: person.collect() })
    }
}
