//! The command `tollgate`, one small file per command. Results go to standard output, everything else to standard
//! error. The exit status is 0, 1 for "the work found faults", 2 for wrong use.
#![forbid(unsafe_code)]
// `print!` panics if standard output is a closed pipe.
#![deny(clippy::print_stdout)]

#[macro_use]
mod output;

mod account;
mod archived;
mod charging_file;
mod command;
mod csv;
mod example;
mod execute;
mod flow_file;
mod gateway;
mod interrupt;
mod json;
mod length;
mod logging;
mod modules;
mod operation;
mod outcome;
mod period;
mod product;
mod progress;
mod rows;
mod scripts;
mod table;
mod terminal;
mod who;

use std::env;
use std::io::ErrorKind;
use std::process::ExitCode;

use diagnostics::with_causes;

use outcome::{CommandError, Outcome};
use terminal::Look;

fn main() -> ExitCode {
    let line = command::line().color(terminal::colors_of_help(env::args_os()));
    match command::run(&line.get_matches()) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Faults) => ExitCode::from(1),
        // The reader has closed the pipe, as `head` does: this is no fault.
        Err(CommandError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::error_line(Look::Bad, &with_causes(&error));
            ExitCode::from(2)
        }
    }
}
