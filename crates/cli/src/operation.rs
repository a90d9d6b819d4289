//! Performs operations for commands.

use std::path::Path;

use operate::context::Context;
use operate::operation::Operation;
use operate::shared::Unshared;
use runtime::shutdown::Shutdown;

use crate::interrupt::interrupted;
use crate::outcome::{CommandError, refused};
use crate::product::PARTS;
use crate::scripts::language::Scripts;
use crate::who::who;

/// Performs an operation on the gateway of a flow file, for the user of the command.
pub(crate) fn perform<O: Operation>(flow: &Path, request: O) -> Result<O::Response, CommandError> {
    perform_as(flow, request, &who())
}

/// Performs an operation for a user whom the command names.
pub(crate) fn perform_as<O: Operation>(
    flow: &Path,
    request: O,
    who: &str,
) -> Result<O::Response, CommandError> {
    perform_until(flow, request, who, Shutdown::default())
}

/// Performs an operation that waits for the gateway, until the user interrupts the command.
pub(crate) fn perform_interruptibly<O: Operation>(
    flow: &Path,
    request: O,
) -> Result<O::Response, CommandError> {
    perform_until(flow, request, &who(), interrupted()?)
}

fn perform_until<O: Operation>(
    flow: &Path,
    request: O,
    who: &str,
    stop: Shutdown,
) -> Result<O::Response, CommandError> {
    let shared = &Unshared::new(flow, &Scripts);
    request.perform(&Context { flow, parts: PARTS, who, stop, shared }).map_err(refused)
}
