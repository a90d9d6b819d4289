//! `tollgate bench`: measures how fast this program is on this machine.

use std::sync::{Arc, Mutex, OnceLock};

use runtime::sync::lock;

use crate::execute::Execute;
use crate::logging;
use crate::outcome::{CommandError, Outcome, mistakes, refused};
use crate::output;
use crate::product::{PARTS, PROCESSING_PROCESS, process};
use crate::progress::{Progress, Stage};
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
            stage: stages(),
            note: |note| note!("{note}"),
        };
        self.measure(&product, &mut output::lines())?;
        Ok(Outcome::Clean)
    }
}

/// Returns what shows the stages of a measurement. Without stages, nothing runs beside what is measured.
fn stages() -> Box<dyn Fn(&str) + Send + Sync> {
    let (stage, shown) = (Arc::<Mutex<String>>::default(), OnceLock::new());
    Box::new(move |text| {
        text.clone_into(&mut lock(&stage));
        let _: &Progress = shown.get_or_init(|| {
            let stage = Arc::clone(&stage);
            Progress::watch(move || Stage { of: None, text: lock(&stage).clone() })
        });
    })
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
