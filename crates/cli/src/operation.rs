//! Performs operations for commands.

use std::path::Path;

use operate::context::Context;
use operate::operation::Operation;
use operate::shared::Unshared;
use runtime::shutdown::Shutdown;

use crate::interrupt::interrupted;
use crate::outcome::{CommandError, refused};
use crate::product::PARTS;
use crate::who::who;

/// Performs an operation on the gateway of a flow file, for the user of the command.
pub(crate) fn perform<O: Operation>(flow: &Path, request: O) -> Result<O::Response, CommandError> {
    attempt(flow, request).map_err(refused)
}

/// As [`perform`], and returns why the operation is refused, for commands that say more about it.
pub(crate) fn attempt<O: Operation>(flow: &Path, request: O) -> Result<O::Response, O::Error> {
    perform_until(flow, request, Shutdown::default())
}

/// Performs an operation that waits for the gateway, until the user interrupts the command.
pub(crate) fn perform_interruptibly<O: Operation>(
    flow: &Path,
    request: O,
) -> Result<O::Response, CommandError> {
    perform_until(flow, request, interrupted()?).map_err(refused)
}

fn perform_until<O: Operation>(
    flow: &Path,
    request: O,
    stop: Shutdown,
) -> Result<O::Response, O::Error> {
    within(flow, stop, |context| request.perform(context))
}

/// Calls `perform` with the context of an operation, for results that it gives one by one, or whose
/// errors the command explains.
pub(crate) fn within<T>(flow: &Path, stop: Shutdown, perform: impl FnOnce(&Context<'_>) -> T) -> T {
    let who = who();
    perform(&Context { flow, parts: PARTS, who: &who, stop, shared: &Unshared(flow) })
}
