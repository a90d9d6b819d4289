//! Tests the language server and the VS Code extension with real clients: Node runs `editors/vscode/test` with the
//! libraries that VS Code itself uses for the protocol and for syntax colours. Their versions are in the extension's
//! lock file; npm installs them in the target folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode")
}

/// Runs a program of Node, which these tests require.
fn run(command: &mut Command, what: &str) {
    let output = command.output().unwrap_or_else(|error| {
        panic!(
            "cannot start {:?} ({error}): these tests need Node 20 or later, with npm",
            command.get_program()
        )
    });
    let shown = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}:\n{shown}\n{wrong}");
}

/// Returns the folder of the libraries, which is filled at its first use and after each change of the lock file.
fn libraries() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let installed = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vscode");
        let wanted = std::fs::read(extension().join("package-lock.json")).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        // Tests in other processes wait until all is there.
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let done = folder.join("installed.json");
        if std::fs::read(&done).is_ok_and(|installed| installed == wanted) {
            return folder.join("node_modules");
        }
        for file in ["package.json", "package-lock.json"] {
            std::fs::copy(extension().join(file), folder.join(file)).unwrap();
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
        run(&mut npm, "the libraries of the extension cannot be installed");
        std::fs::write(done, wanted).unwrap();
        folder.join("node_modules")
    };
    FOLDER.get_or_init(installed).clone()
}

fn node(test: &str) -> Command {
    let mut node = Command::new("node");
    // A test that waits for an answer that never comes fails instead of waiting for ever.
    node.env("NODE_PATH", libraries()).args(["--test", "--test-timeout=300000"]);
    node.arg(extension().join("test").join(test));
    node
}

#[test]
fn the_language_server_answers_a_real_client() {
    let mut node = node("lsp.test.js");
    node.env("TOLLGATE", env!("CARGO_BIN_EXE_tollgate"));
    run(&mut node, "the client found something wrong");
}

#[test]
fn the_grammar_knows_the_words_of_the_language() {
    let words = serde_json::json!({
        "reserved": dup::reserved_words().collect::<Vec<_>>(),
        "types": dup::type_words().collect::<Vec<_>>(),
        "functions": dup::built_in_names().collect::<Vec<_>>(),
    });
    let mut node = node("grammar.test.js");
    run(node.env("WORDS", words.to_string()), "the grammar does not fit the language");
}

#[test]
fn the_extension_is_javascript() {
    let mut node = Command::new("node");
    run(node.arg("--check").arg(extension().join("extension.js")), "extension.js cannot be read");
}
