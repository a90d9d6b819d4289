//! Performs operations for commands.

use std::path::Path;

use operate::context::Context;
use operate::operation::Operation;

use crate::outcome::{CommandError, refused};
use crate::who::who;

/// Performs an operation on the gateway of a flow file, for the user of the command.
pub(crate) fn perform<O: Operation>(flow: &Path, request: O) -> Result<O::Response, CommandError> {
    let who = who();
    request.perform(&Context { flow, who: &who }).map_err(refused)
}
