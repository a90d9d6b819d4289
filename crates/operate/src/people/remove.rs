//! Removes a user.

use ::people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{PeopleChangeError, change};
use crate::context::Context;
use crate::operation::{Nothing, Operation};

/// Removes a user.
///
/// The user's sessions end at once. The last administrator with a password cannot be removed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RemovePerson {
    /// The user.
    pub name: String,
}

impl Operation for RemovePerson {
    type Response = Nothing;
    type Error = PeopleChangeError;

    const NAME: &'static str = "people remove";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const HAS_RESPONSE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Nothing, PeopleChangeError> {
        let entry = (Self::NAME, String::new());
        change(context, entry, |people, record| people.remove(&self.name, record))
            .map(|_| Nothing {})
    }
}
