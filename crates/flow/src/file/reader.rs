//! Reads values of a flow file as settings: texts, numbers, booleans and lists of them, each with its place.

use std::sync::Arc;

use diagnostics::{Diagnostic, Span, did_you_mean};
use settings::{Setting, Settings};
use toml_edit::{Item, Key, TableLike, Value};

use super::at_once::AT_ONCE;
use super::schema::Schemas;
use super::tables::{FILES_AT_ONCE, NETWORK_ELEMENTS, POST_PROCESSING_SYSTEMS, SECOND_PERSON};
use super::{FlowFile, Word};
use crate::limits;

/// The most octets of a name in the flow file. Folders of the state have these names, and each answer about the flow
/// repeats them.
pub const NAME_OCTETS_MAX: usize = 200;

/// Keys whose values are not texts. A text with an environment variable is allowed for all of them.
const LISTS: [&str; 18] = [
    "modules",
    "columns",
    "counters",
    "pass-over",
    "from",
    "sums",
    "subjects",
    "key",
    NETWORK_ELEMENTS,
    POST_PROCESSING_SYSTEMS,
    "severities",
    "kinds",
    "allow",
    "to",
    "components",
    "more-components",
    "command",
    "undo",
];
const NUMBERS: [&str; 22] = [
    AT_ONCE,
    limits::RECORDS,
    "records-max",
    "files-max",
    "skip",
    "skip-lines",
    "gap",
    "first",
    "last",
    "reach",
    "keys",
    "group-max",
    "groups-max",
    "kept",
    "priority",
    "weight",
    "depth",
    "processes",
    "threads",
    "case-at",
    "most",
    FILES_AT_ONCE,
];
const TRUTHS: [&str; 9] = [
    "order",
    "recursive",
    "header",
    "tbcd-as-digits",
    "line-ends",
    "restarts",
    "changes",
    "enabled",
    SECOND_PERSON,
];

/// The expected type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text,
    TextOrList,
    Number,
    Truth,
}

/// The parsed file, and its mistakes.
pub(super) struct Reader<'s> {
    pub(super) file: FlowFile,
    /// The tables of rooms. If none, all tables are accepted unchecked, and the caller ignores mistakes.
    pub(super) schemas: Option<&'s Schemas>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The keys that a table may have.
#[derive(Clone, Copy)]
pub(super) enum Known<'k> {
    These(&'k [&'k str]),
    Any,
}

impl Reader<'_> {
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(&self.file.source, span, message));
    }

    pub(super) fn unknown(&mut self, key: &Key, what: &str, known: &[&str]) {
        let hint = did_you_mean(key.get(), known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        let message = format!("no {what} is named \"{}\"", key.get());
        self.diagnostics
            .push(Diagnostic::error(&self.file.source, key_span(key), message).hint(hint));
    }

    pub(super) fn table<'i>(&mut self, key: &Key, item: &'i Item) -> Option<&'i dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            let found = item.type_name();
            self.error(item_span(item), format!("\"{}\" is a table, not a {found}", key.get()));
        }
        table
    }

    pub(super) fn each(
        &mut self,
        key: &Key,
        item: &Item,
        mut read: impl FnMut(&mut Self, Word, &dyn TableLike),
    ) {
        let Some(table) = self.table(key, item) else { return };
        for (name, item) in entries(table) {
            if name.get().len() > NAME_OCTETS_MAX {
                let message = format!(
                    "this name has {} octets, at most {NAME_OCTETS_MAX} are allowed",
                    name.get().len()
                );
                self.error(key_span(name), message);
            } else if let Some(table) = self.table(name, item) {
                let name = Word { text: name.get().to_owned(), span: key_span(name) };
                read(self, name, table);
            }
        }
    }

    pub(super) fn missing(&mut self, name: &Word, table: &dyn TableLike, keys: &[&str]) {
        for key in keys.iter().filter(|key| !table.contains_key(key)) {
            self.error(name.span, format!("\"{}\" has no \"{key}\"", name.text));
        }
    }

    pub(super) fn no_settings(&self, name: &Word) -> Settings {
        Settings {
            name: name.text.clone(),
            span: name.span,
            source: Arc::clone(&self.file.source),
            folder: self.file.folder.clone(),
            values: Vec::new(),
        }
    }

    /// Reads a table that may have these keys.
    pub(super) fn settings(
        &mut self,
        name: &Word,
        key: &Key,
        item: &Item,
        known: &[&str],
        required: &[&str],
    ) -> Option<Settings> {
        self.read_settings(name, key, item, Known::These(known), required)
    }

    /// Returns the keys of a table to which rooms add keys.
    pub(super) fn known<'k>(&self, known: &'k [&'k str]) -> Known<'k> {
        if self.schemas.is_some() { Known::These(known) } else { Known::Any }
    }

    pub(super) fn read_settings(
        &mut self,
        name: &Word,
        key: &Key,
        item: &Item,
        known: Known<'_>,
        required: &[&str],
    ) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        for (key, item) in entries(table) {
            let values = match known {
                Known::Any if item.is_table_like() => self.inner_settings(known, key, item),
                Known::Any => self.setting(key, item),
                Known::These(keys) if keys.contains(&key.get()) => self.setting(key, item),
                Known::These(keys) => match keys_within(keys, key.get()).as_slice() {
                    [] => {
                        self.unknown(key, "key", keys);
                        continue;
                    }
                    within => self.inner_settings(Known::These(within), key, item),
                },
            };
            settings.values.extend(values);
        }
        let whole = Word { text: key.get().to_owned(), span: key_span(key) };
        self.missing(&whole, table, required);
        Some(settings)
    }

    /// Reads a table within a table: `retry = { longest = … }` is `retry.longest`.
    fn inner_settings(&mut self, known: Known<'_>, key: &Key, item: &Item) -> Vec<Setting> {
        let Some(table) = self.table(key, item) else { return Vec::new() };
        let mut settings = Vec::new();
        for (inner, item) in entries(table) {
            match known {
                Known::These(keys) if !keys.contains(&inner.get()) => {
                    self.unknown(inner, "key", keys);
                }
                _ => {
                    let key = format!("{}.{}", key.get(), inner.get());
                    let found = self.setting(inner, item).into_iter();
                    settings.extend(found.map(|found| Setting { key: key.clone(), ..found }));
                }
            }
        }
        settings
    }

    /// Reads a table with any keys.
    pub(super) fn any_settings(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        for (key, item) in entries(table) {
            settings.values.extend(self.setting(key, item));
        }
        Some(settings)
    }

    /// Reads a table of texts with any keys, also keys that take numbers in other tables.
    pub(super) fn texts(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        for (key, item) in entries(table) {
            match item.as_value() {
                Some(value) => {
                    let word = self.typed(key, value, Type::Text);
                    let setting =
                        |Word { text, span }| Setting { key: key.get().into(), value: text, span };
                    settings.values.extend(word.map(setting));
                }
                None => {
                    self.error(key_span(key), format!("\"{}\" is a text, not a table", key.get()));
                }
            }
        }
        Some(settings)
    }

    /// Reads a value as text, or each element of a list.
    pub(super) fn setting(&mut self, key: &Key, item: &Item) -> Vec<Setting> {
        let words = self.words(key, item).into_iter();
        let key = key.get().to_owned();
        words.map(|Word { text, span }| Setting { key: key.clone(), value: text, span }).collect()
    }

    /// Reads a value, or each element of a list.
    pub(super) fn words(&mut self, key: &Key, item: &Item) -> Vec<Word> {
        match item.as_value() {
            Some(Value::Array(array)) if LISTS.contains(&key.get()) => {
                array.iter().filter_map(|value| self.word(key, value)).collect()
            }
            Some(value) => self.word(key, value).into_iter().collect(),
            None => {
                self.error(key_span(key), format!("\"{}\" is a text, not a table", key.get()));
                Vec::new()
            }
        }
    }

    fn word(&mut self, key: &Key, value: &Value) -> Option<Word> {
        let wanted = match key.get() {
            number if NUMBERS.contains(&number) => Type::Number,
            truth if TRUTHS.contains(&truth) => Type::Truth,
            list if LISTS.contains(&list) => Type::TextOrList,
            _ => Type::Text,
        };
        self.typed(key, value, wanted)
    }

    fn typed(&mut self, key: &Key, value: &Value, wanted: Type) -> Option<Word> {
        let whole = value.span().map_or(Span::default(), |span| Span::new(span.start, span.end));
        let is_text = matches!(wanted, Type::Text | Type::TextOrList);
        match value {
            Value::String(text) if is_text || text.value().contains("${") => {
                let written = &self.file.source.text[whole.start as usize..whole.end as usize];
                let inner = written.len() == text.value().len() + 2;
                let quotes = u32::from(inner);
                let span = Span { start: whole.start + quotes, end: whole.end - quotes };
                let text = self.fill_in(text.value(), span);
                Some(Word { text, span })
            }
            Value::Integer(value) if wanted == Type::Number => {
                Some(Word { text: value.value().to_string(), span: whole })
            }
            Value::Boolean(value) if wanted == Type::Truth => {
                Some(Word { text: value.value().to_string(), span: whole })
            }
            other => {
                let (key, found) = (key.get(), other.type_name());
                let message = match wanted {
                    Type::Number => format!("\"{key}\" is a number, found {found}"),
                    Type::Truth => format!("\"{key}\" is true or false"),
                    Type::TextOrList => {
                        format!("\"{key}\" is a text or a list of texts, found {found}")
                    }
                    Type::Text => format!("\"{key}\" is a text, found {found}"),
                };
                self.error(whole, message);
                None
            }
        }
    }

    /// Replaces each `${NAME}` by its environment variable.
    fn fill_in(&mut self, text: &str, span: Span) -> String {
        fill_in(text, |mistake| self.error(span, mistake))
    }
}

/// Replaces each `${NAME}` by its environment variable, or by nothing if it is not set.
pub fn filled_in(text: &str) -> String {
    fill_in(text, drop)
}

fn fill_in(text: &str, mut mistake: impl FnMut(String)) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            mistake("\"${\" has no \"}\" behind it".into());
            return filled;
        };
        match std::env::var(name) {
            Ok(value) => filled.push_str(&value),
            Err(_) => mistake(format!("no environment variable is named \"{name}\"")),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Returns the keys that a table within a table may have.
fn keys_within<'k>(known: &[&'k str], table: &str) -> Vec<&'k str> {
    let keys = known.iter().filter_map(|key| key.split_once('.'));
    keys.filter(|(outer, _)| *outer == table).map(|(_, inner)| inner).collect()
}

pub(super) fn entries(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}

pub(super) fn key_span(key: &Key) -> Span {
    key.span().map_or(Span::default(), |span| Span::new(span.start, span.end))
}

pub(super) fn item_span(item: &Item) -> Span {
    item.span().map_or(Span::default(), |span| Span::new(span.start, span.end))
}
