//! Edits of a list in a flow file that keep its lines and its comments.
//!
//! In TOML, the text between two words belongs to the second one, including a comment on the first one's line.

use toml_edit::{Array, RawString, Value};

/// The indent of words if the list has none yet.
const INDENT: &str = "  ";

/// The fate of a word.
pub(super) enum WordFate {
    /// It stays.
    Stays,
    /// It goes, with the comment on its line if it is alone there.
    Goes,
    /// This word replaces it.
    Becomes(String),
}

/// Applies `fate` to each word.
pub(super) fn revise(list: &mut Array, mut fate: impl FnMut(&str) -> WordFate) {
    let mut at = 0;
    while let Some(value) = list.get_mut(at) {
        match value.as_str().map_or(WordFate::Stays, &mut fate) {
            WordFate::Stays => at += 1,
            WordFate::Goes => remove(list, at),
            WordFate::Becomes(word) => {
                replace(value, Value::from(word));
                at += 1;
            }
        }
    }
}

/// Replaces a value, and keeps the text around it.
pub(super) fn replace(old: &mut Value, mut new: Value) {
    *new.decor_mut() = old.decor().clone();
    *old = new;
}

/// Adds a word at the end, on its own line if the last word has one.
pub(super) fn push(list: &mut Array, word: &str) {
    let mut value = Value::from(word);
    let Some(last) = list.len().checked_sub(1) else {
        let (before, behind) = first(&raw(list.trailing()));
        list.set_trailing(behind);
        value.decor_mut().set_prefix(before);
        return list.push_formatted(value);
    };
    let rest = behind(list, last);
    let (line, below) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
    let indent = indent(list).unwrap_or_else(|| INDENT.to_owned());
    let is_alone = prefix(list, last).contains('\n');
    let (before, below) = match (below.is_empty(), line.contains('#')) {
        (_, true) => (format!("{line}\n{indent}"), below),
        (true, false) if is_alone => (format!("\n{indent}"), line),
        (true, false) => (" ".to_owned(), line),
        (false, false) if is_alone => (format!("\n{indent}"), below),
        (false, false) => (" ".to_owned(), below),
    };
    value.decor_mut().set_prefix(before);
    if list.trailing_comma() {
        list.set_trailing(below);
    } else {
        value.decor_mut().set_suffix(below);
        list.set_trailing("");
    }
    if let Some(last) = list.get_mut(last) {
        last.decor_mut().set_suffix("");
    }
    list.push_formatted(value);
}

/// Returns the text before and after the first word of an empty list.
fn first(within: &str) -> (String, &'static str) {
    match within.contains('#') {
        true => (format!("{}\n{INDENT}", within.trim_end()), "\n"),
        false => (String::new(), ""),
    }
}

fn remove(list: &mut Array, at: usize) {
    let (before, mut rest) = (prefix(list, at), behind(list, at));
    let is_alone = at == 0 || before.contains('\n');
    let line = rest.find('\n').unwrap_or(rest.len());
    if is_alone && rest[..line].contains('#') {
        rest.drain(..line);
    }
    let is_last = at + 1 == list.len();
    let between = joined(&before, &rest, is_last);
    list.remove(at);
    if let Some(next) = list.get_mut(at) {
        next.decor_mut().set_prefix(between);
    } else if list.is_empty() {
        list.set_trailing_comma(false);
        list.set_trailing(if between.contains('#') { between } else { String::new() });
    } else if list.trailing_comma() {
        list.set_trailing(between);
    } else if let Some(last) = list.get_mut(at - 1) {
        let own = last.decor().suffix().map(raw).unwrap_or_default();
        last.decor_mut().set_suffix(own + &between);
        list.set_trailing("");
    }
}

/// Joins the text before and after a word that is removed.
fn joined(before: &str, rest: &str, is_last: bool) -> String {
    let own_line = before.rfind('\n').unwrap_or(0);
    // The end of the line above, without the line break before the word.
    let above = match before[own_line..].trim().is_empty() {
        true => &before[..own_line],
        false => before,
    };
    let behind = rest.trim_start_matches([' ', '\t']);
    match behind.chars().next() {
        Some('\n') => format!("{above}{behind}"),
        Some('#') => format!("{above}{rest}"),
        _ if !is_last => before.to_owned(),
        _ if above.contains('#') => format!("{above}\n{rest}"),
        _ => format!("{above}{rest}"),
    }
}

fn raw(text: &RawString) -> String {
    text.as_str().unwrap_or_default().to_owned()
}

fn prefix(list: &Array, at: usize) -> String {
    let default = if at == 0 { "" } else { " " };
    let value = list.get(at).and_then(|value| value.decor().prefix());
    value.map_or(default.to_owned(), raw)
}

/// Returns the text between a word and the next one, or the list's end, without the comma.
fn behind(list: &Array, at: usize) -> String {
    let own = list.get(at).and_then(|value| value.decor().suffix()).map(raw).unwrap_or_default();
    match at + 1 < list.len() {
        true => own + &prefix(list, at + 1),
        false => own + &raw(list.trailing()),
    }
}

/// Returns the indent of words that begin a line.
fn indent(list: &Array) -> Option<String> {
    let prefixes = (0..list.len()).rev().map(|at| prefix(list, at));
    prefixes.filter_map(|prefix| Some(prefix.rsplit_once('\n')?.1.to_owned())).next()
}
