//! Python with packages of PyPI: third-party servers and clients. They are installed once, below `target/tmp`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns an interpreter with these packages, each with its version.
pub(crate) fn python_with(packages: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = packages.join("-").replace(['=', '[', ']', ','], "");
    let (home, python) = (folder.join(format!("python-{name}")), "bin/python");
    fs::create_dir_all(folder).unwrap();
    // Tests in several processes may need the interpreter at the same time.
    let lock = File::create(folder.join(format!("python-{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let installed = home.join("installed");
    if !installed.exists() {
        let _ = fs::remove_dir_all(&home);
        run(Command::new("python3").args(["-m", "venv"]).arg(&home));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(home.join(python)).args(pip).args(packages));
        File::create(installed).unwrap();
    }
    home.join(python)
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
