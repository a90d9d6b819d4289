//! Adds a user.

use ::people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PeopleAddError, change};
use crate::context::Context;
use crate::operation::Operation;

/// Adds a user.
///
/// Give the user the link in the answer, to set a password.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct InvitePerson {
    /// Up to 64 letters, digits, `.`, `-`, `_` and `@`.
    pub name: String,
    /// The role.
    pub role: Role,
}

/// A link to set a password. It is valid once, for 24 hours.
#[derive(Serialize, ToSchema)]
#[schema(as = Link)]
pub struct PasswordLink {
    /// The path of the page: `/welcome#…`. Browsers do not send the part after `#`; the page sends it with `POST
    /// /welcome`.
    pub link: String,
}

impl PasswordLink {
    pub(super) fn of(secret: &str) -> Self {
        PasswordLink { link: format!("/welcome#{secret}") }
    }
}

/// Omits the secret.
impl std::fmt::Debug for PasswordLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordLink").finish_non_exhaustive()
    }
}

impl Operation for InvitePerson {
    type Response = PasswordLink;
    type Error = PeopleAddError;

    const NAME: &'static str = "people invite";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<PasswordLink, PeopleAddError> {
        let InvitePerson { name, role } = self;
        let entry = (Self::NAME, format!("as {role}"));
        change(context, entry, |people, record| people.invite(&name, role, record))
            .map(|link| PasswordLink::of(&link))
    }
}
