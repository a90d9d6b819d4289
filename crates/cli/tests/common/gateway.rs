//! A gateway that runs until it is dropped, and its output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::common::wait::wait_for;

pub(crate) struct Gateway {
    child: Child,
    log: PathBuf,
}

impl Gateway {
    /// Starts the gateway of `flow.toml` in a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        let log = folder.join("said.log");
        let said = File::options().create(true).append(true).open(&log).unwrap();
        fs::write(&log, "").unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tollgate"))
            .current_dir(folder)
            .args(["run", "flow.toml"])
            .stderr(said)
            .spawn()
            .unwrap();
        Gateway { child, log }
    }

    /// Returns the output of the gateway so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until the gateway has printed a text.
    pub(crate) fn says(&self, what: &str) {
        let mut said = String::new();
        wait_for(&format!("\"{what}\""), || {
            said = self.said();
            said.contains(what)
        });
    }

    /// Kills the gateway without warning.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.kill();
    }
}
