//! A clock with an offset.

use std::path::Path;
use std::process::Command;

/// The library that replaces the clock of the C library; Debian's package `faketime` contains it.
const FAKE_TIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// Makes a command see a clock with an offset, such as `+2d`. Returns `None` if the package faketime is not installed.
pub(crate) fn off_by<'c>(command: &'c mut Command, off_by: &str) -> Option<&'c mut Command> {
    if !Path::new(FAKE_TIME).exists() {
        println!("left out: a clock that is set, since the package faketime is not there");
        return None;
    }
    let settings = [
        ("LD_PRELOAD", FAKE_TIME),
        ("FAKETIME", off_by),
        ("NO_FAKE_STAT", "1"),
        // The monotonic clock is never set.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    Some(command.envs(settings))
}
