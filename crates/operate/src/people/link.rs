//! Makes a link for a user to set a new password.

use ::people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{PasswordLink, PeopleNamedError, change};
use crate::context::Context;
use crate::operation::Operation;

/// Makes a link for a user to set a new password.
///
/// The old password stays valid until then. Earlier links of the user become void.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct LinkPerson {
    /// The user.
    pub name: String,
}

impl Operation for LinkPerson {
    type Response = PasswordLink;
    type Error = PeopleNamedError;

    const NAME: &'static str = "people link";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<PasswordLink, PeopleNamedError> {
        let entry = (Self::NAME, String::new());
        change(context, entry, |people, record| people.link_for(&self.name, record))
            .map(|link| PasswordLink::of(&link))
    }
}
