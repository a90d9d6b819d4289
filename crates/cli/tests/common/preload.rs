//! Libraries that a test loads into a gateway in front of the C library (LD_PRELOAD).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Returns the compiled library of a name. Tests that need the same library at the same time find it complete.
pub(crate) fn library(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/preload/{name}.c"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let own = TempDir::new_in(folder).unwrap();
    let (made, library) = (own.path().join("made.so"), folder.join(format!("{name}.so")));
    let arguments = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"];
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(arguments).args([&made, &source]).arg("-ldl").status();
    assert!(compiled.unwrap().success(), "{} is compiled", source.display());
    fs::rename(made, &library).unwrap();
    library
}
