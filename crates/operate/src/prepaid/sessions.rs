//! Sessions in progress. Users who do not see subscriber data see them with masked numbers.

use ::prepaid::calls::{Call, ListSessions, Sessions};
use inspection::masking::masked;
use people::Role;

use super::PrepaidError;
use crate::context::Context;
use crate::operation::Operation;

impl Operation for ListSessions {
    type Response = Sessions;
    type Error = PrepaidError;

    const NAME: &'static str = <Self as Call>::NAME;
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Sessions, PrepaidError> {
        // A search by a number is refused there.
        let mut found = context.prepaid(self)?;
        found.masked = context.subscriber_access().is_masked();
        if found.masked {
            for session in &mut found.sessions {
                session.number = masked(&session.number);
                session.called = masked(&session.called);
            }
        }
        Ok(found)
    }
}
