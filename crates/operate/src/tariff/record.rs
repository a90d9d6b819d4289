//! The entry of the audit trail of a change, and what the gateway does with it.

use std::io::ErrorKind;

use flow::flow_journal::JournalError;
use gateway::ReloadError;

use super::{ChosenPlan, Reach};
use crate::context::Context;
use crate::versions::Activated;

/// Makes the entry of the audit trail of a change of a plan. The database calls this before it
/// commits the change, so there is no change without an entry.
///
/// A flow that no gateway has run yet has no trail, and it cannot run without the database. Then
/// the version itself is the only record: it has the user, the time and the reason.
pub(super) fn record(
    context: &Context<'_>,
    action: &str,
    chosen: &ChosenPlan,
    subject: &str,
    reason: &str,
) -> Result<(), JournalError> {
    let subject = format!("{}, {subject}", chosen.plan);
    let recorded =
        context.change(action, |db, author| author.record(db, &subject, reason).map(drop));
    match recorded {
        Err(JournalError::Missing { .. }) => Ok(()),
        Err(JournalError::Flow { cause, .. })
            if chosen.reach == Reach::AnyPath && cause.kind() == ErrorKind::NotFound =>
        {
            Ok(())
        }
        recorded => recorded,
    }
}

/// Makes the gateway read the changed database now, and returns its answer. The change is made
/// already, so a gateway that does not answer is no error; it sees the change by itself.
pub(super) fn taken(context: &Context<'_>) -> Option<Activated> {
    let answer = gateway::reload(context.flow);
    context.shared.flow_changed();
    match answer {
        Ok(answer) => Some(answer.into()),
        Err(ReloadError::NoAnswer { path, cause }) => {
            let flow = path.display();
            tracing::warn!(
                target: "flow::asking",
                "the gateway that runs \"{flow}\" does not answer after a change of a tariff: \
                 {cause}"
            );
            None
        }
        Err(ReloadError::NotRunning(_) | ReloadError::Unreachable { .. }) => None,
    }
}
