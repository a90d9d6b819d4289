//! Tests that disturb the gateway, and the charging system, in every known way (killed, its power cut, its disk failing,
//! full or damaged, its clock set): each record still goes out once, octet for octet as without the disturbance.
//!
//! All tests run the program as a user has it. `make crash` runs many times more of each, `make soak` runs all of them
//! at once, for as long as one likes.
#![cfg(target_os = "linux")]

use crate::common::elements;

mod chance;
mod charging;
mod clock;
mod damage;
pub(crate) mod disk;
mod faults;
mod fraud;
mod full;
mod kills;
mod moves;
mod opinion;
mod power;
mod power_transfers;
mod processes;
mod receiver;
mod site;
mod soak;
mod tally;
mod transfers;

/// Prints that something was not tested, and why, so that it can be seen even when the tests pass.
fn left_out(what: &str, reason: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {what}: {reason}");
}
