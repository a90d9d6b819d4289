//! Changes the role of a user.

use ::people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{PeopleChangeError, change};
use crate::context::Context;
use crate::operation::{Nothing, Operation};

/// Changes the role of a user.
///
/// The last administrator with a password keeps the role.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SetRole {
    /// The user.
    pub name: String,
    /// The new role.
    pub role: Role,
}

impl Operation for SetRole {
    type Response = Nothing;
    type Error = PeopleChangeError;

    const NAME: &'static str = "people role";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const HAS_RESPONSE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Nothing, PeopleChangeError> {
        let SetRole { name, role } = self;
        let entry = (Self::NAME, format!("as {role}"));
        change(context, entry, |people, record| people.set_role(&name, role, record))
            .map(|_| Nothing {})
    }
}
