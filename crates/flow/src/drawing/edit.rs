//! Changes of the text of a flow file: comments, order and what else was written stay.

use node::Kind;
use serde::Deserialize;
use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Key, Table, TableLike, Value};

use super::{FROM, NETWORK_ELEMENT, value};
use crate::file::NETWORK_ELEMENTS;

/// Characters of the longest name.
const NAME_MAX: usize = 100;

/// A change.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// There is one more.
    Add {
        /// The name of its table: `filter`.
        kind: String,
        /// Its name.
        name: String,
        /// The keys of its table.
        #[serde(default)]
        settings: serde_json::Map<String, Json>,
        /// Whose records it takes.
        #[serde(default)]
        from: Vec<String>,
    },
    /// There is one less; nobody takes its records any more.
    Remove {
        /// Which.
        name: String,
    },
    /// One is called otherwise, wherever it is named.
    Rename {
        /// Which.
        name: String,
        /// How it is called then.
        to: String,
    },
    /// One takes a stream.
    Connect {
        /// The stream, as a flow file names it: `isRoaming.false`.
        from: String,
        /// Who takes it.
        to: String,
    },
    /// One takes a stream no more.
    Disconnect {
        /// The stream, as it is written.
        from: String,
        /// Who took it.
        to: String,
    },
    /// A key has a value.
    Set {
        /// Whose.
        name: String,
        /// The key; within a table of its own behind a dot: `deliver.dir`.
        key: String,
        /// What it says.
        value: Json,
    },
    /// A key is not there any more.
    Unset {
        /// Whose.
        name: String,
        /// The key.
        key: String,
    },
}

/// Why a change is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is no TOML.
    #[error("the flow file cannot be changed this way as long as it is no TOML: {0}")]
    Text(String),
    /// Nothing has the name.
    #[error("there is no \"{0}\" in the flow")]
    Unknown(String),
    /// Something has the name.
    #[error("there is a \"{0}\" in the flow already")]
    Taken(String),
    /// It cannot be a name.
    #[error(
        "\"{0}\" cannot be a name: letters, digits, \"-\" and \"_\", and no more than {NAME_MAX}"
    )]
    Name(String),
    /// There are no such nodes.
    #[error("there is no kind of node \"{0}\"")]
    Kind(String),
    /// It takes no records.
    #[error("\"{0}\" is a network element, and takes records from nobody")]
    TakesNothing(String),
    /// The value cannot stand in a flow file.
    #[error("the value of \"{0}\" cannot stand in a flow file")]
    Value(String),
    /// It is not written as a table.
    #[error("\"{0}\" is no table in the flow file")]
    NoTable(String),
}

/// Makes changes, one after the other; all of them or none.
pub fn edit(text: &str, edits: &[Edit], kinds: &[&dyn Kind]) -> Result<String, EditError> {
    let parsed = text.parse::<DocumentMut>();
    let document = parsed.map_err(|error| EditError::Text(error.message().trim().to_owned()))?;
    let mut editor = Editor { document, kinds: super::names(kinds) };
    edits.iter().try_for_each(|edit| editor.make(edit))?;
    Ok(editor.document.to_string())
}

struct Editor {
    document: DocumentMut,
    kinds: Vec<&'static str>,
}

impl Editor {
    fn make(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::Add { kind, name, settings, from } => self.add(kind, name, settings, from),
            Edit::Remove { name } => self.remove(name),
            Edit::Rename { name, to } => self.rename(name, to),
            Edit::Connect { from, to } => {
                if self.kind_of(to)? == NETWORK_ELEMENT {
                    return Err(EditError::TakesNothing(to.clone()));
                }
                let table = self.table(to)?;
                let mut words = words(table.get(FROM));
                if !words.contains(from) {
                    words.push(from.clone());
                }
                put_words(table, &words);
                Ok(())
            }
            Edit::Disconnect { from, to } => {
                let table = self.table(to)?;
                let mut words = words(table.get(FROM));
                words.retain(|word| word != from);
                put_words(table, &words);
                Ok(())
            }
            Edit::Set { name, key, value } => {
                let value = value::of_json(value).ok_or_else(|| EditError::Value(key.clone()))?;
                set(self.table(name)?, key, value)
            }
            Edit::Unset { name, key } => {
                unset(self.table(name)?, key);
                Ok(())
            }
        }
    }

    fn kind_of(&self, name: &str) -> Result<&'static str, EditError> {
        let has = |kind: &&&str| {
            let tables = self.document.get(kind).and_then(Item::as_table_like);
            tables.is_some_and(|tables| tables.contains_key(name))
        };
        let kind = self.kinds.iter().find(has);
        kind.copied().ok_or_else(|| EditError::Unknown(name.into()))
    }

    fn tables(&mut self, kind: &str) -> Result<&mut dyn TableLike, EditError> {
        let tables = self.document.get_mut(kind).and_then(Item::as_table_like_mut);
        tables.ok_or_else(|| EditError::NoTable(kind.into()))
    }

    fn table(&mut self, name: &str) -> Result<&mut dyn TableLike, EditError> {
        let kind = self.kind_of(name)?;
        let table = self.tables(kind)?.get_mut(name).and_then(Item::as_table_like_mut);
        table.ok_or_else(|| EditError::NoTable(name.into()))
    }

    fn is_free(&self, name: &str) -> Result<(), EditError> {
        let is_of_it = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_of_it) {
            return Err(EditError::Name(name.into()));
        }
        match self.kind_of(name) {
            Ok(_) => Err(EditError::Taken(name.into())),
            Err(_) => Ok(()),
        }
    }

    fn add(
        &mut self,
        kind: &str,
        name: &str,
        settings: &serde_json::Map<String, Json>,
        from: &[String],
    ) -> Result<(), EditError> {
        self.is_free(name)?;
        if !self.kinds.contains(&kind) {
            return Err(EditError::Kind(kind.into()));
        }
        if kind == NETWORK_ELEMENT && !from.is_empty() {
            return Err(EditError::TakesNothing(name.into()));
        }
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        if kind != NETWORK_ELEMENT {
            put_words(&mut table, from);
        }
        for (key, json) in settings {
            let value = value::of_json(json).ok_or_else(|| EditError::Value(key.clone()))?;
            set(&mut table, key, value)?;
        }
        let tables = self.document.entry(kind).or_insert_with(|| {
            let mut tables = Table::new();
            tables.set_implicit(true);
            Item::Table(tables)
        });
        let tables = tables.as_table_like_mut().ok_or_else(|| EditError::NoTable(kind.into()))?;
        // Behind the last of its kind.
        let last = tables.iter().filter_map(|(_, item)| item.as_table()?.position()).max();
        if let Some(last) = last {
            table.set_position(last);
        }
        tables.insert(name, Item::Table(table));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), EditError> {
        let kind = self.kind_of(name)?;
        let tables = self.tables(kind)?;
        tables.remove(name);
        if tables.is_empty() {
            self.document.remove(kind);
        }
        self.each_list(|words| words.retain(|word| !is_of(word, name)));
        Ok(())
    }

    fn rename(&mut self, name: &str, to: &str) -> Result<(), EditError> {
        if name == to {
            return Ok(());
        }
        self.is_free(to)?;
        let kind = self.kind_of(name)?;
        let tables = self.tables(kind)?;
        // Keys stand in the order in which they were put in, where tables have no place of their own.
        let names: Vec<String> = tables.iter().map(|(name, _)| name.to_owned()).collect();
        for before in names {
            let Some((key, item)) = entry(tables, &before) else { continue };
            let key = match before == name {
                true => Key::new(to).with_leaf_decor(key.leaf_decor().clone()),
                false => key,
            };
            tables.entry_format(&key).or_insert(item);
        }
        self.each_list(|words| {
            for word in words.iter_mut().filter(|word| is_of(word, name)) {
                *word = format!("{to}{}", &word[name.len()..]);
            }
        });
        Ok(())
    }

    /// Changes all lists in which something may be named.
    fn each_list(&mut self, mut change: impl FnMut(&mut Vec<String>)) {
        let kinds = self.kinds.iter().map(|kind| (*kind, FROM));
        for (kind, key) in kinds.chain([("group", NETWORK_ELEMENTS)]) {
            let tables = self.document.get_mut(kind).and_then(Item::as_table_like_mut);
            for (_, item) in tables.into_iter().flat_map(|tables| tables.iter_mut()) {
                let Some(table) = item.as_table_like_mut() else { continue };
                let before = words(table.get(key));
                let mut after = before.clone();
                change(&mut after);
                if after != before {
                    put_list(table, key, &after);
                }
            }
        }
    }
}

fn entry(tables: &mut dyn TableLike, name: &str) -> Option<(Key, Item)> {
    let key = tables.get_key_value(name)?.0.clone();
    Some((key, tables.remove(name)?))
}

/// Whether a word stands for a stream of a node.
fn is_of(word: &str, name: &str) -> bool {
    word == name || word.rsplit_once('.').is_some_and(|(node, _)| node == name)
}

fn words(item: Option<&Item>) -> Vec<String> {
    item.map(super::words).unwrap_or_default().into_iter().map(|taken| taken.word).collect()
}

fn put_words(table: &mut dyn TableLike, words: &[String]) {
    put_list(table, FROM, words);
}

/// Puts a list in the place of one: a single word stands alone, as people write it.
fn put_list(table: &mut dyn TableLike, key: &str, words: &[String]) {
    let is_list = table.get(key).is_some_and(Item::is_array) || key != FROM;
    let made = match words {
        [word] if !is_list => Value::from(word.as_str()),
        words => Value::Array(words.iter().map(String::as_str).collect::<Array>()),
    };
    put(table, key, made);
}

/// Puts a value in the place of one, and leaves what stands around it.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

fn set(table: &mut dyn TableLike, key: &str, value: Value) -> Result<(), EditError> {
    let Some((outer, inner)) = key.split_once('.') else {
        put(table, key, value);
        return Ok(());
    };
    if !table.contains_key(outer) {
        table.insert(outer, Item::Value(Value::InlineTable(Default::default())));
    }
    let within = table.get_mut(outer).and_then(Item::as_table_like_mut);
    set(within.ok_or_else(|| EditError::NoTable(outer.into()))?, inner, value)
}

fn unset(table: &mut dyn TableLike, key: &str) {
    match key.split_once('.') {
        None => drop(table.remove(key)),
        Some((outer, inner)) => {
            if let Some(within) = table.get_mut(outer).and_then(Item::as_table_like_mut) {
                unset(within, inner);
                if within.is_empty() {
                    table.remove(outer);
                }
            }
        }
    }
}
