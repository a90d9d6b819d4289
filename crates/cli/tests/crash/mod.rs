//! The gateway is disturbed in every way we know (killed, its power cut, its disk failing, full or damaged, its clock
//! set), and each record still goes out once, octet for octet as if nothing had been.
//!
//! All of it goes through the program as a user has it. `make crash` asks for many times more of each, `make soak`
//! for all of it at once, for as long as one likes.
#![cfg(target_os = "linux")]

use crate::common::elements;

mod chance;
mod clock;
mod damage;
pub(crate) mod disk;
mod faults;
mod full;
mod kills;
mod moves;
mod opinion;
mod power;
mod power_roads;
mod processes;
mod receiver;
mod roads;
mod site;
mod soak;
mod tally;

/// Says that something was not tested, and why; seen also when the tests pass.
fn left_out(what: &str, reason: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {what}: {reason}");
}
