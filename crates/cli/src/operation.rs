//! Performs operations for commands.

use std::path::Path;

use operate::context::Context;
use operate::operation::Operation;
use operate::privacy::Rights;
use operate::shared::Unshared;
use runtime::shutdown::Shutdown;

use crate::interrupt::interrupted;
use crate::outcome::{CommandError, refused};
use crate::product::PARTS;
use crate::progress::Progress;
use crate::scripts::language::Scripts;
use crate::who::who;

/// Performs an operation on the gateway of a flow file, for the user of the command.
pub(crate) fn perform<O: Operation>(flow: &Path, request: O) -> Result<O::Response, CommandError> {
    attempt(flow, request).map_err(refused)
}

/// As [`perform`], and returns why the operation is refused, for commands that say more about it.
pub(crate) fn attempt<O: Operation>(flow: &Path, request: O) -> Result<O::Response, O::Error> {
    within(flow, Shutdown::default(), |context| request.perform(context))
}

/// Performs an operation for a user whom the command names.
pub(crate) fn perform_as<O: Operation>(
    flow: &Path,
    request: O,
    who: &str,
) -> Result<O::Response, CommandError> {
    within_as(flow, who, Shutdown::default(), |context| request.perform(context)).map_err(refused)
}

/// Performs an operation that waits for the gateway, until the user interrupts the command.
pub(crate) fn perform_interruptibly<O: Operation>(
    flow: &Path,
    request: O,
) -> Result<O::Response, CommandError> {
    within(flow, interrupted()?, |context| request.perform(context)).map_err(refused)
}

/// Calls `perform` with the context of an operation, for results that it gives one by one, or whose
/// errors the command explains.
pub(crate) fn within<T>(flow: &Path, stop: Shutdown, perform: impl FnOnce(&Context<'_>) -> T) -> T {
    within_as(flow, &who(), stop, perform)
}

/// Performs an operation on the charging system of a definition, for the user of the command.
pub(crate) fn charge<O: Operation>(
    charging: &Path,
    request: O,
) -> Result<O::Response, CommandError> {
    at_charging(charging, |context| request.perform(context)).map_err(refused)
}

/// Calls `perform` with the context of an operation on the charging system of a definition.
pub(crate) fn at_charging<T>(charging: &Path, perform: impl FnOnce(&Context<'_>) -> T) -> T {
    let flow = &charging.with_file_name("flow.toml");
    let perform = |context: &Context<'_>| perform(&Context { charging, ..context.clone() });
    within_as(flow, &who(), Shutdown::default(), perform)
}

fn within_as<T>(
    flow: &Path,
    who: &str,
    stop: Shutdown,
    perform: impl FnOnce(&Context<'_>) -> T,
) -> T {
    let _progress = Progress::waiting("working");
    let shared = &Unshared::new(flow, &Scripts);
    let rights = Rights::Machine;
    let charging = &flow.with_file_name("charging.toml");
    perform(&Context { flow, charging, parts: PARTS, scripts: &Scripts, who, rights, stop, shared })
}
