//! The command `tollgate`: one file a command, thin. Results go to standard output, everything else to
//! standard error; the exit status is 0, 1 for "the work found faults", 2 for wrong use.
#![forbid(unsafe_code)]
// It panics where standard output is a closed pipe.
#![deny(clippy::print_stdout)]

/// Writes a line to standard output, with control characters escaped. A reader that has closed the
/// pipe, as `head` does, is an error that ends the command.
macro_rules! say {
    () => { say!("") };
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(crate::output::lines(), $($text)*)
    }};
}

/// Writes a line to standard error, with control characters escaped.
macro_rules! tell {
    () => { eprintln!() };
    ($($text:tt)*) => {
        eprintln!("{}", diagnostics::visible_lines(&format!($($text)*)))
    };
}

mod allocations;
mod command;
mod logging;
mod output;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;
use command::CommandError;

/// Collects, decodes and re-encodes the call data records of a telecom network
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: command::Command,
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    if !command.has_own_log() {
        logging::console();
    }
    match command.run() {
        Ok(command::Outcome::Clean) => ExitCode::SUCCESS,
        Ok(command::Outcome::Faults) => ExitCode::from(1),
        // Who reads has read enough, as `head` does: nothing went wrong.
        Err(CommandError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            tell!("{}", chain(&error));
            ExitCode::from(2)
        }
    }
}

/// An error and what caused it, each cause once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
