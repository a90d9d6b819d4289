//! Tests the rooms of the crate `gateway`, each a folder of its sources, and the tables of the journal. `crates/gateway/rooms.toml`
//! states which room may use which, and who alone writes which table. Also tests that files of the command line do not use
//! each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of names: `["held", "expiry", "ExpiryRow"]`.
type Names = Vec<String>;

struct Rooms {
    /// The other rooms that each room may use.
    uses: BTreeMap<String, BTreeSet<String>>,
    /// The crate or room that writes each table of the journal.
    of_table: BTreeMap<String, String>,
}

impl Rooms {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let file: toml_edit::DocumentMut = text.parse().unwrap();
        let lists = |table: &str| -> Vec<(String, Vec<String>)> {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let entries = file[table].as_table().unwrap().iter();
            entries.map(|(name, list)| (name.to_owned(), words(list.as_str().unwrap()))).collect()
        };
        let uses =
            lists("rooms").into_iter().map(|(room, uses)| (room, uses.into_iter().collect()));
        let mut of_table = BTreeMap::new();
        for (owner, tables) in lists("tables") {
            for table in tables {
                assert!(of_table.insert(table.clone(), owner.clone()).is_none(), "{table} twice");
            }
        }
        Rooms { uses: uses.collect(), of_table }
    }

    /// Returns the room of a module: the folder that it lies in.
    fn room(&self, names: &[String]) -> Option<&str> {
        self.uses.get_key_value(names.first()?).map(|(room, _)| room.as_str())
    }
}

/// A module of the crate, without its tests and comments.
struct Module {
    names: Names,
    text: String,
}

fn modules(folder: &Path, root: &Path, all: &mut Vec<Module>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            modules(&path, root, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).unwrap().with_extension("");
            let names = relative.iter().map(|name| name.to_str().unwrap().to_owned());
            let names: Names = names.filter(|name| name != "mod" && name != "lib").collect();
            let is_test = names
                .iter()
                .any(|name| ["tests", "simulation", "strange"].contains(&name.as_str()));
            if !is_test {
                all.push(Module { names, text: product(&fs::read_to_string(&path).unwrap()) });
            }
        }
    }
}

/// Returns a source without its tests and comments.
fn product(source: &str) -> String {
    let mut tests = source.match_indices("#[cfg(test)]\n").map(|(at, _)| at);
    let begins =
        |at: &usize| source[*at..].lines().nth(1).is_some_and(|line| line.ends_with("mod tests {"));
    let end = tests.find(begins).unwrap_or(source.len());
    let lines = source[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the paths that a module uses, from the crate's root.
fn used(module: &Module) -> BTreeSet<Names> {
    let mut used = BTreeSet::new();
    let text = &module.text;
    for (at, _) in text.match_indices("crate::").filter(|(at, _)| begins_a_word(text, *at)) {
        tree(&text[at + "crate::".len()..], &[], &mut used);
    }
    for (at, _) in text.match_indices("super::").filter(|(at, _)| begins_a_word(text, *at)) {
        if text[..at].ends_with("super::") {
            continue;
        }
        let (mut rest, mut parent) = (&text[at..], module.names.as_slice());
        while let Some(behind) = rest.strip_prefix("super::") {
            (rest, parent) = (behind, &parent[..parent.len().saturating_sub(1)]);
        }
        tree(rest, parent, &mut used);
    }
    used
}

fn begins_a_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
}

/// Reads `a::{b, c::d as e}`; returns the text after it.
fn tree<'t>(text: &'t str, before: &[String], all: &mut BTreeSet<Names>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut inside) = text.strip_prefix('{') {
        loop {
            inside = inside.trim_start().trim_start_matches(',').trim_start();
            match inside.strip_prefix('}') {
                Some(rest) => return rest,
                None if inside.is_empty() => return inside,
                None => inside = tree(inside, before, all),
            }
        }
    }
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '*';
    let end = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        // Text that is not a path uses nothing.
        return text.get(1..).unwrap_or_default();
    }
    let names: Names = before.iter().cloned().chain([name.to_owned()]).collect();
    if let Some(rest) = rest.strip_prefix("::") {
        return tree(rest, &names, all);
    }
    all.insert(names);
    match rest.trim_start().strip_prefix("as ") {
        Some(renamed) => renamed.trim_start().trim_start_matches(is_name),
        None => rest,
    }
}

/// Returns the tables that a text of SQL writes.
fn written(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let table = |at: usize| -> Option<&str> {
        let behind = |skipped: usize| words.get(at + skipped).copied();
        match (words[at], behind(1)?, behind(2)) {
            ("INSERT" | "REPLACE", "INTO", table) => table,
            ("INSERT", "OR", _) => behind(4),
            ("DELETE", "FROM", table) => table,
            ("UPDATE", "SET", _) => None,
            ("UPDATE", table, _) => Some(table),
            _ => None,
        }
    };
    (0..words.len()).filter_map(table).map(str::to_owned).collect()
}

/// Returns the uses in the gateway that its rooms do not allow, one per line.
fn upward_uses(source: &Path, rooms: &Rooms) -> BTreeSet<String> {
    let all = all_modules(source);
    let lib = all.iter().find(|module| module.names.is_empty()).expect("lib.rs");
    let mut exported = BTreeSet::new();
    for (at, found) in lib.text.match_indices("pub use ") {
        tree(&lib.text[at + found.len()..], &[], &mut exported);
    }
    let mut upward = BTreeSet::new();
    for module in all.iter().filter(|module| !module.names.is_empty()) {
        let name = module.names.join("::");
        let Some(room) = rooms.room(&module.names) else {
            upward.insert(format!("{name} has no room"));
            continue;
        };
        for names in used(module) {
            let is_exported = |exported: &&Names| exported.last() == names.last();
            let whole = match names.as_slice() {
                [_] => exported.iter().find(is_exported).unwrap_or(&names),
                _ => &names,
            };
            let Some(other) = rooms.room(whole) else { continue };
            if other != room && !rooms.uses[room].contains(other) {
                upward.insert(format!("{name} uses {} of {other}", whole.join("::")));
            }
        }
    }
    upward
}

/// Returns the tables that are written by others than their owners, one per line.
fn foreign_writes(crates: &Path, rooms: &Rooms) -> BTreeSet<String> {
    // Other databases than the journal have tables of these names; benchmarks have a journal of their own.
    let others = ["bench", "people", "serve", "tariffs"];
    let mut foreign = BTreeSet::new();
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if others.contains(&name.as_str()) {
            continue;
        }
        for module in all_modules(&path.join("src")) {
            let owner =
                if name == "gateway" { rooms.room(&module.names) } else { Some(name.as_str()) };
            for table in written(&module.text) {
                let is_foreign = |of: &&String| Some(of.as_str()) != owner;
                if let Some(of) = rooms.of_table.get(&table).filter(is_foreign) {
                    let module = module.names.join("::");
                    foreign.insert(format!("{name}::{module} writes the table {table} of {of}"));
                }
            }
        }
    }
    foreign
}

/// Returns the modules that each module of a crate uses. A module uses those that it declares.
fn edges(source: &Path) -> BTreeMap<Names, BTreeSet<Names>> {
    let all = all_modules(source);
    let known: BTreeSet<Names> = all.iter().map(|module| module.names.clone()).collect();
    let of_path = |names: &Names| {
        (1..=names.len()).rev().find_map(|length| known.get(&names[..length])).cloned()
    };
    let edges = all.iter().map(|module| {
        let declared = module.text.lines().filter_map(|line| {
            let declared = line.trim().strip_suffix(';')?.rsplit("mod ").next()?;
            let parent = module.names.iter().filter(|name| *name != "main");
            Some(parent.cloned().chain([declared.to_owned()]).collect::<Names>())
        });
        let declared = declared.filter(|names| known.contains(names));
        let used: BTreeSet<Names> =
            used(module).iter().filter_map(of_path).chain(declared).collect();
        (module.names.clone(), used.into_iter().filter(|names| *names != module.names).collect())
    });
    edges.collect()
}

/// Returns the modules that use each other in a circle, and those that use them.
fn on_circles(mut edges: BTreeMap<Names, BTreeSet<Names>>) -> BTreeSet<String> {
    loop {
        let left: BTreeSet<Names> = edges.keys().cloned().collect();
        edges.retain(|_, used| !used.is_disjoint(&left));
        if edges.len() == left.len() {
            return edges.keys().map(|names| names.join("::")).collect();
        }
    }
}

fn all_modules(source: &Path) -> Vec<Module> {
    let mut all = Vec::new();
    modules(source, source, &mut all);
    all
}

#[test]
fn no_room_uses_another_that_is_above_it() {
    let gateway = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway");
    let upward = upward_uses(&gateway.join("src"), &Rooms::read(&gateway.join("rooms.toml")));
    assert!(upward.is_empty(), "{upward:#?}");
}

/// Commands are above what they share: arguments, output, outcomes.
#[test]
fn the_files_of_the_command_line_use_each_other_in_one_direction() {
    let found = on_circles(edges(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn modules_on_a_circle_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("main", "mod a;\nmod b;\nmod c;"),
        ("a", "use crate::b::{B, c};"),
        ("b", "fn f() { crate::c::g() }"),
        ("c", ""),
    ] {
        fs::write(folder.path().join(name).with_extension("rs"), text).unwrap();
    }
    assert_eq!(on_circles(edges(folder.path())), BTreeSet::new());
    fs::write(folder.path().join("c.rs"), "use super::a::A;").unwrap();
    let found = on_circles(edges(folder.path()));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "main"]);
}

#[test]
fn each_table_of_the_journal_has_one_writer() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let foreign = foreign_writes(&crates, &Rooms::read(&crates.join("gateway/rooms.toml")));
    assert!(foreign.is_empty(), "{foreign:#?}");
}

#[test]
fn what_a_source_uses_and_writes_is_found() {
    let names = ["held", "expiry"].map(str::to_owned).to_vec();
    let source = "use crate::{alarm::{self, Kind as K}, time::now};\nuse super::{a, b::C};\n// crate::no\n\
         fn f() { crate::x::y(super::super::z::W) }\n#[cfg(test)]\nmod tests {\n use crate::hidden;\n}";
    let module = Module { names, text: product(source) };
    let used: Vec<String> = used(&module).into_iter().map(|names| names.join("::")).collect();
    assert_eq!(
        used,
        ["alarm::Kind", "alarm::self", "held::a", "held::b::C", "time::now", "x::y", "z::W"]
    );
    let sql = "INSERT INTO a (b) \"INSERT OR IGNORE INTO c\" DELETE FROM d UPDATE e SET f ON CONFLICT DO UPDATE SET g";
    assert_eq!(written(sql).into_iter().collect::<Vec<_>>(), ["a", "c", "d", "e"]);
}
