//! Comments before tables, when tables go. Those that stand right above a table are about it and go with it; those that a
//! blank line parts from it are about more, and stay before what is next.

use toml_edit::{DocumentMut, Item, Table};

/// What becomes of a table.
pub(super) enum Fate {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
    /// It stays, and leaves this to stand behind it.
    Leaves(String),
}

/// Gives what tables that go, or leave something, leave behind to the next header, or to the end of the file.
pub(super) fn hand_on(document: &mut DocumentMut, fate: impl Fn(&[String]) -> Fate) {
    let (mut headers, mut place, mut last) = (Vec::new(), 0, 0);
    each(document.as_table_mut(), &mut Vec::new(), &mut |table, path| {
        // As they are written: those without a place of their own stand behind the one before.
        last = table.position().unwrap_or(last);
        if is_written(table, path) {
            headers.push((last, place, fate(path), before(table)));
        }
        place += 1;
    });
    headers.sort_by_key(|(position, ..)| *position);
    let mut left = String::new();
    // Whether all that stood at the head of the file is gone.
    let (mut is_first, mut begins) = (document.as_table().get_values().is_empty(), false);
    let mut changed = Vec::new();
    for (_, place, fate, before) in headers {
        if matches!(fate, Fate::Goes) {
            begins |= is_first;
            left.push_str(standing(&before));
            continue;
        }
        if begins || !left.is_empty() {
            changed.push((place, behind(&std::mem::take(&mut left), &before, begins)));
        }
        (is_first, begins) = (false, false);
        if let Fate::Leaves(text) = fate {
            left = text;
        }
    }
    let mut place = 0;
    each(document.as_table_mut(), &mut Vec::new(), &mut |table, _| {
        if let Some((_, prefix)) = changed.iter().find(|(changed, _)| *changed == place) {
            table.decor_mut().set_prefix(prefix);
        }
        place += 1;
    });
    if !left.is_empty() {
        let trailing = document.trailing().as_str().unwrap_or_default();
        document.set_trailing(left + trailing);
    }
}

/// What is about more than what it stands before: all up to the last blank line.
pub(super) fn standing(before: &str) -> &str {
    let (mut end, mut at) = (0, 0);
    for line in before.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() && line.ends_with('\n') {
            end = at;
        }
    }
    if before[..end].contains('#') { &before[..end] } else { "" }
}

/// What was left, and what stands before the next, with one blank line between.
pub(super) fn behind(left: &str, before: &str, is_first: bool) -> String {
    let has_room = left.ends_with("\n\n") || (left.is_empty() && is_first);
    let before = if has_room { before.trim_start_matches('\n') } else { before };
    format!("{left}{before}")
}

/// Whether a table has a header of its own.
fn is_written(table: &Table, path: &[String]) -> bool {
    let is_implied = table.is_implicit() && table.get_values().is_empty();
    !path.is_empty() && !is_implied
}

fn before(table: &Table) -> String {
    let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or("\n").to_owned()
}

/// Each table that may have a header, in the order in which they were read.
fn each(table: &mut Table, path: &mut Vec<String>, visit: &mut dyn FnMut(&mut Table, &[String])) {
    if !table.is_dotted() {
        visit(table, path);
    }
    for (key, item) in table.iter_mut() {
        path.push(key.get().to_owned());
        match item {
            Item::Table(table) => each(table, path, visit),
            Item::ArrayOfTables(tables) => {
                tables.iter_mut().for_each(|table| each(table, path, visit));
            }
            _ => {}
        }
        path.pop();
    }
}
