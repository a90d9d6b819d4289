//! Comments before tables that are removed. A comment right above a table goes with it. A comment with a blank line
//! after it concerns more, and stays before what follows.

use toml_edit::{DocumentMut, Item, Table};

/// The fate of a table.
pub(super) enum TableFate {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
    /// It stays, and this text goes after it.
    Leaves(String),
}

/// Moves the text that tables leave behind to the next header, or to the end of the file.
pub(super) fn hand_on(document: &mut DocumentMut, fate: impl Fn(&[String]) -> TableFate) {
    let (mut headers, mut place, mut last) = (Vec::new(), 0, 0);
    each(document.as_table_mut(), &mut Vec::new(), &mut |table, path| {
        // In the order of the text: tables without a position of their own follow the one before.
        last = table.position().unwrap_or(last);
        if is_written(table, path) {
            headers.push((last, place, fate(path), before(table)));
        }
        place += 1;
    });
    headers.sort_by_key(|(position, ..)| *position);
    let mut left = String::new();
    // Whether everything at the head of the file is removed.
    let (mut is_first, mut begins) = (document.as_table().get_values().is_empty(), false);
    let mut changed = Vec::new();
    for (_, place, fate, before) in headers {
        if matches!(fate, TableFate::Goes) {
            begins |= is_first;
            left.push_str(standing(&before));
            continue;
        }
        if begins || !left.is_empty() {
            changed.push((place, behind(&std::mem::take(&mut left), &before, begins)));
        }
        (is_first, begins) = (false, false);
        if let TableFate::Leaves(text) = fate {
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

/// Returns the part of a comment that concerns more than the next table: all up to the last blank line.
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

/// Joins the text that was left and the text before the next header, with one blank line between.
pub(super) fn behind(left: &str, before: &str, is_first: bool) -> String {
    let has_room = left.ends_with("\n\n") || (left.is_empty() && is_first);
    let before = if has_room { before.trim_start_matches('\n') } else { before };
    format!("{left}{before}")
}

/// Returns whether a table has its own header.
fn is_written(table: &Table, path: &[String]) -> bool {
    let is_implied = table.is_implicit() && table.get_values().is_empty();
    !path.is_empty() && !is_implied
}

fn before(table: &Table) -> String {
    let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or("\n").to_owned()
}

/// Visits each table that may have a header, in the order of the parser.
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
