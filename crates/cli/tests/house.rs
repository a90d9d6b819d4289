//! Tests that the manifests agree with ARCHITECTURE.md, which states which crate may depend on which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Returns the rows `| name | … | may use |` of the table.
fn drawn(root: &Path) -> Edges {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let used =
            cells[2].split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "–");
        (cells[0].trim_matches('`').to_owned(), used.map(str::to_owned).collect())
    })
    .collect()
}

/// Returns the dependencies in the manifests, without those of tests.
fn built(root: &Path) -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(root)
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let own = |name: &str| name.strip_prefix("tollgate-").map(str::to_owned);
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .filter_map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let used = dependencies
                .filter(|dependency| dependency["kind"].is_null())
                .filter_map(|dependency| own(dependency["name"].as_str().unwrap()));
            Some((own(package["name"].as_str().unwrap())?, used.collect()))
        })
        .collect()
}

#[test]
fn no_crate_knows_another_that_the_map_does_not_allow() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (built, drawn) = (built(&root), drawn(&root));
    let names = |edges: &Edges| edges.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&built), names(&drawn), "left: the crates, right: rows of ARCHITECTURE.md");
    for (name, used) in &built {
        let unknown: Vec<&String> = used.difference(&drawn[name]).collect();
        assert!(unknown.is_empty(), "{name} uses {unknown:?}, which ARCHITECTURE.md does not draw");
    }
}

/// Whether a source says that something fails with a text: `Result<_, String>`. Tests at its end may.
fn fails_with_a_text(source: &str) -> bool {
    let product = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let results = product.match_indices("Result<").map(|(at, begin)| &product[at + begin.len()..]);
    let ends_with_text = |rest: &str| {
        let mut depth = 1;
        let end = rest.find(|letter: char| {
            depth += i32::from(letter == '<') - i32::from(letter == '>');
            depth == 0
        });
        let inner = rest[..end.unwrap_or(0)].trim().trim_end_matches(',');
        inner.strip_suffix("String").is_some_and(|before| before.trim_end().ends_with(','))
    };
    results.into_iter().any(ends_with_text)
}

/// Callers decide by what an error is, and its text is for people. The command line has both.
#[test]
fn no_library_fails_with_a_text() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    assert!(fails_with_a_text("fn f() -> Result<Vec<u8>, String> {"));
    assert!(!fails_with_a_text("fn f() -> Result<BTreeMap<u8, String>, E> {"));
    for path in sources(&crates) {
        let is_product = path.iter().any(|name| name == "src")
            && !path.starts_with(crates.join("cli"))
            && !path.iter().any(|name| name == "simulation");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!is_product || !fails_with_a_text(&text), "{}", path.display());
    }
}

/// Returns the sources below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Only `main` knows that there are commands, and a command may only use what lies below all of them.
#[test]
fn no_command_knows_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let commands = root.join("command");
    for path in sources(&root) {
        let text = std::fs::read_to_string(&path).unwrap();
        let is_command = path.parent() == Some(&commands)
            || path.file_name().is_some_and(|name| name == "mod.rs");
        let upwards =
            if is_command && path.starts_with(&commands) { "super::" } else { "super::super::" };
        let mut used = text.lines().filter(|line| line.trim() != "use super::*;");
        let found = used.find(|line| line.contains("crate::command") || line.contains(upwards));
        assert_eq!(found, None, "{} imports a command", path.display());
    }
}

/// Guards and simulated clocks stand at one place between the machine's clock and its users.
#[test]
fn only_the_runtime_reads_the_time_of_day_as_a_number() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_product = |path: &PathBuf| path.iter().any(|name| name == "src");
    let is_runtime = |path: &PathBuf| path.starts_with(crates.join("runtime"));
    for path in sources(&crates).iter().filter(|path| is_product(path) && !is_runtime(path)) {
        // A line may break anywhere.
        let text = std::fs::read_to_string(path).unwrap().replace(char::is_whitespace, "");
        let since = "SystemTime::now().duration_since(";
        let is_read =
            |text: &str| ["UNIX", "SystemTime", "std::"].iter().any(|by| text.starts_with(by));
        let reads = text.split(since).skip(1).any(is_read) || text.contains("fnnow_ms()");
        assert!(!reads, "{}: use runtime::time::now_ms", path.display());
    }
}

/// Returns the folder or file of a test that a page names: `diameter::peers::NAME`, or `crates/diameter: peer::tests::NAME`. Its
/// path is that of its file, except for the name and `tests`.
fn place_of_test(root: &Path, test: &str) -> PathBuf {
    let (of, path) = test.split_once(": ").unwrap_or(("crates/cli", test));
    let mut modules: Vec<&str> = path.split("::").collect();
    modules.pop();
    let is_unit = modules.pop_if(|last| *last == "tests").is_some();
    let below = root.join(of).join(if is_unit { "src" } else { "tests" });
    let place = modules.iter().fold(below, |place, module| place.join(module));
    match place.is_dir() {
        true => place.join("mod.rs"),
        false => place.with_extension("rs"),
    }
}

/// A page that names a test promises what the test shows.
#[test]
fn the_tests_that_the_page_of_diameter_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/reference/diameter.md")).unwrap();
    let named = page.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| {
        let has_modules = name.contains("::") && !name.ends_with("::");
        has_modules && ["diameter::", "crates/"].iter().any(|begin| name.starts_with(begin))
    };
    let tests: BTreeSet<&str> = named.filter(is_test).collect();
    assert!(tests.len() > 50, "{tests:?}");
    for test in tests {
        let place = place_of_test(&root, test);
        let text = std::fs::read_to_string(&place).unwrap_or_default();
        let name = test.rsplit("::").next().unwrap_or_default();
        assert!(text.contains(&format!("fn {name}(")), "{test}: not in {}", place.display());
    }
}
