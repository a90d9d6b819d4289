//! A clock that is set.

use std::path::Path;
use std::process::Command;

/// Goes before the C library's clock; Debian's package `faketime` has it.
const FAKE_TIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// Has a command see a clock that is off by so much, `+2d`. None where the package faketime is not there.
pub(crate) fn off_by<'c>(command: &'c mut Command, off_by: &str) -> Option<&'c mut Command> {
    if !Path::new(FAKE_TIME).exists() {
        println!("left out: a clock that is set, since the package faketime is not there");
        return None;
    }
    let settings = [
        ("LD_PRELOAD", FAKE_TIME),
        ("FAKETIME", off_by),
        ("NO_FAKE_STAT", "1"),
        // That one is never set.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    Some(command.envs(settings))
}
