//! Libraries that a test loads into a gateway in front of the C library (LD_PRELOAD).

use std::path::{Path, PathBuf};
use std::process::Command;

/// That of a name, compiled.
pub(crate) fn library(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/preload/{name}.c"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.so"));
    let arguments = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"];
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(arguments).args([&library, &source]).arg("-ldl").status();
    assert!(compiled.unwrap().success(), "{} is compiled", source.display());
    library
}
