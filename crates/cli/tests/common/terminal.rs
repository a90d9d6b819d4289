//! The program at a terminal: what a person sees.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::wait::wait_for;

/// The variables that decide on colours. With `CI`, terminals are taken to have colours.
pub(crate) const COLOR_VARIABLES: [&str; 4] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"];

/// A program whose standard output and standard error are a terminal.
pub(crate) struct Terminal {
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Terminal {
    /// Runs a command of the program at a terminal with so many columns, with these variables.
    pub(crate) fn start(
        folder: &Path,
        line: &str,
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let terminal = openpty(Some(&size), None).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(folder).args(line.split(' '));
        for name in COLOR_VARIABLES {
            command.env_remove(name);
        }
        command.env("TERM", "xterm").envs(variables.iter().copied());
        command.stdout(terminal.slave.try_clone().unwrap()).stderr(terminal.slave);
        let child = command.spawn().unwrap();
        // It holds the program's end of the terminal.
        drop(command);
        let shown = Arc::<Mutex<Vec<u8>>>::default();
        let (to, mut from) = (Arc::clone(&shown), File::from(terminal.master));
        let reader = thread::spawn(move || {
            let mut octets = [0; 4096];
            // The terminal ends with an error once no program has it.
            while let Ok(read @ 1..) = from.read(&mut octets) {
                to.lock().unwrap().extend_from_slice(&octets[..read]);
            }
        });
        Terminal { child, shown, reader }
    }

    /// Returns all that was written to the terminal.
    pub(crate) fn shown(&self) -> String {
        text(&self.shown.lock().unwrap())
    }

    /// Waits until the terminal shows a text.
    pub(crate) fn shows(&self, what: &str) {
        wait_for(&format!("\"{what}\""), || self.shown().contains(what));
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Waits until the program ends. Returns its status, and all that was written to the terminal.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        self.reader.join().unwrap();
        (status, text(&self.shown.lock().unwrap()))
    }
}

/// Returns what was written to a terminal, with the line ends of the program.
fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).replace("\r\n", "\n")
}

/// Returns a text without colours.
pub(crate) fn without_colors(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| piece.split_once('m').map_or(piece, |(_, rest)| rest));
    first + &rest.collect::<String>()
}
