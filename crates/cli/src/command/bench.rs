//! `tollgate bench`: measures how fast this program is on this machine.

use crate::execute::Execute;
use crate::logging;
use crate::outcome::{CommandError, Outcome, mistakes, refused};
use crate::output;
use crate::product::{PARTS, PROCESSING_PROCESS, process};
use crate::scripts::language::Scripts;
use ::bench::{Bench, BenchError, Log, Product};

impl Execute for Bench {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        let product = Product {
            parts: PARTS,
            process: process(PROCESSING_PROCESS),
            language: &Scripts,
            executable: std::env::current_exe()?,
            log,
        };
        self.measure(&product, &mut output::lines())?;
        Ok(Outcome::Clean)
    }
}

fn log(to: Log) {
    match to {
        Log::Console => logging::console(),
        Log::Warnings => logging::warnings(),
        Log::Heard(listener) => logging::console_and(listener),
    }
}

impl From<BenchError> for CommandError {
    fn from(error: BenchError) -> Self {
        match error {
            // A reader that closed the pipe is no fault.
            BenchError::Write(error) => CommandError::Write(error),
            BenchError::Run(error) => mistakes(error),
            error => refused(error),
        }
    }
}
