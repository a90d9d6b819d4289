//! Changes to counters by request of a user.

use std::path::Path;

use store::Connection;

use crate::request::{AskError, RequestTarget, Waiting};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::commit::Transactions;
use gateway::compile::prepare::Parts;
use gateway::execute::options::RunOptions;
use gateway::plan::Plan;
use state::counters::change::{ChangeRefused, Counted, CountersDeed, keyed_now, refusal};
use state::counters::requests::{CounterRequest, RequestOutcome, add, carry_out, outcome};

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum CountersError {
    /// The request failed.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The change is not possible.
    #[error(transparent)]
    Refused(#[from] ChangeRefused),
    /// The gateway refused it when it came to the request, for a reason like these.
    #[error("{0}")]
    RefusedLater(String),
}

/// Changes the counters of a node, for a reason, which goes to the audit trail. The gateway that runs the flow does it
/// between two files, since files change counters; if none runs, this call does. Returns when it is done, or none after
/// a stop. Then the gateway does it when it can, or the next one.
pub fn change_counters(
    path: &Path,
    parts: Parts<'_>,
    deed: &CountersDeed,
    by: (&str, &str),
    options: &RunOptions,
) -> Result<Option<Counted>, CountersError> {
    // By the flow as it is now, which a user may just have corrected.
    let target = RequestTarget::new(path, parts)?;
    let now_by = target.flow.as_ref().and_then(|plan| keyed_now(&plan.topology, deed.node()));
    // Read outside the write transaction, for which the gateway waits.
    let refusal = |db: &Connection| {
        target.flow.as_ref().map_or(Ok(None), |plan| refusal(&plan.topology, db, deed))
    };
    if let Some(refusal) = flow_journal::read(path, refusal).map_err(AskError::from)? {
        return Err(refusal.into());
    }
    let wish = CounterRequest { deed: deed.clone(), now_by };
    let ask = |db: &Connection| add(db, &wish, by);
    let so_far = |db: &Connection, id: &i64| {
        let result = outcome(db, *id)?;
        let waiting = Waiting(result.is_none().into());
        Ok((result, waiting))
    };
    let act = |plan: Plan, journal: &Transactions| {
        carry_out(&plan.topology, journal).map_err(JournalError::from)?;
        journal.tell_alarms();
        Ok(Vec::new())
    };
    let (_, result, _) = target.wait_until(ask, so_far, act, options)?;
    match result {
        None => Ok(None),
        Some(RequestOutcome::Done(counted)) => Ok(Some(counted)),
        Some(RequestOutcome::Refused(reason)) => Err(CountersError::RefusedLater(reason)),
    }
}
