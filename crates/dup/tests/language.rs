//! The results of scripts: each file of `scripts/` is a set of tests in the language itself.

use crate::common;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dup::{Machine, Native};
use record::{Arena, Memory};

fn run(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(file);
    let folder: PathBuf = path.parent().expect("a folder").into();
    let text = std::fs::read_to_string(&path).expect("the script is there");
    let (compiled, plan) = common::compile_at(file, &text, &folder);
    assert!(compiled.diagnostics.is_empty(), "{}", common::shown(&compiled.diagnostics));
    let program = Arc::new(compiled.program.expect("no mistakes"));
    assert!(!program.tests().is_empty(), "{file} has no tests");
    let native = Native::compile(&program).expect("machine code");
    let machines = [Machine::new(Arc::clone(&program)), Machine::native(native)];
    let mut failed = Vec::new();
    for mut machine in machines {
        for (place, test) in program.tests().iter().enumerate() {
            let mut arena = Arena::new();
            let mut memory = Memory::new(&[], &mut arena);
            let fixtures: Vec<_> = test
                .fixtures
                .iter()
                .map(|(ty, file)| {
                    let json =
                        std::fs::read_to_string(folder.join(file)).expect("the fixture is there");
                    common::read(&plan, &mut memory, *ty, json.trim()).root
                })
                .collect();
            if let Err(fault) = machine.test(place, &mut memory, &fixtures) {
                failed.push(format!("{}: {}", test.name, program.describe(&fault)));
            }
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn numbers_and_logic() {
    run("numbers.dup");
}

#[test]
fn statements() {
    run("statements.dup");
}

#[test]
fn records() {
    run("records.dup");
}

#[test]
fn strings_and_digits() {
    run("strings.dup");
}

#[test]
fn times() {
    run("times.dup");
}

#[test]
fn tables() {
    run("tables.dup");
}

/// A gateway that runs a script checks whether these files change.
#[test]
fn the_files_of_tables_and_tariffs_are_known() {
    let text = "declare zones TABLE \"zones.csv\";
        declare fjord TARIFF \"../../../../examples/tariff\";
        UTF8String f(usage CONST TariffUsage) { return tariffClass(fjord, usage); }";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let (compiled, _) = common::compile_at("script.dup", text, &folder);
    let program = compiled.program.expect("no mistakes");
    let names: Vec<_> = program.files().filter_map(|file| file.file_name()?.to_str()).collect();
    assert!(
        ["zones.csv", "tariff.toml", "prices.csv"].iter().all(|name| names.contains(name)),
        "{names:?}"
    );
}

#[test]
fn tariffs() {
    run("tariffs.dup");
}

#[test]
fn a_mark_before_a_script_is_no_character_of_it() {
    let (compiled, _) = common::compile("\u{feff}INTEGER f(n CONST INTEGER) { return n; }");
    assert_eq!(compiled.diagnostics, []);
}
