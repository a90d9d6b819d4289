//! Edits of the text of a flow file. Comments, order and all other text stay.

use node::Kind;
use serde::Deserialize;
use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Key, Table, TableLike, Value};
use utoipa::ToSchema;

use super::{FROM, NETWORK_ELEMENT, headers, list, value};
use crate::file::NETWORK_ELEMENTS;

/// The most characters of a name.
const NAME_MAX: usize = 100;

/// A change of the text of a flow file.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
#[schema(as = FlowEdit)]
pub enum Edit {
    /// Adds a network element, a node or a post-processing system.
    Add {
        /// The name of its kind of table: `filter`.
        kind: String,
        /// Up to 100 letters, digits, `-` and `_`. The name must be free.
        name: String,
        /// The keys of its table, each with its value.
        #[serde(default)]
        #[schema(value_type = HashMap<String, serde_json::Value>)]
        settings: serde_json::Map<String, Json>,
        /// The streams whose records it takes. A network element takes none.
        #[serde(default)]
        from: Vec<String>,
    },
    /// Removes a table, and its name from the lists of others.
    Remove {
        /// The network element, node or system.
        name: String,
    },
    /// Renames a table, and its name in the lists of others.
    Rename {
        /// The old name.
        name: String,
        /// The new name.
        to: String,
    },
    /// Connects a stream to a node or post-processing system.
    Connect {
        /// The stream, as the flow file names it: `isRoaming.false`.
        from: String,
        /// The node or system that takes the stream.
        to: String,
    },
    /// Disconnects a stream from a node or post-processing system.
    Disconnect {
        /// The stream, as the flow file has it.
        from: String,
        /// The node or system that takes the stream.
        to: String,
    },
    /// Sets a key of a table.
    Set {
        /// The network element, node or system.
        name: String,
        /// The key. A dot separates the name of an inner table from its key: `deliver.dir`.
        key: String,
        /// The value: any JSON that TOML can express.
        #[schema(value_type = serde_json::Value)]
        value: Json,
    },
    /// Removes a key of a table.
    Unset {
        /// The network element, node or system.
        name: String,
        /// The key, as for `set`.
        key: String,
    },
}

/// Why an edit fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is not TOML.
    #[error("the flow file cannot be changed this way as long as it is no TOML: {0}")]
    Text(String),
    /// There is nothing of this name.
    #[error("there is no \"{0}\" in the flow")]
    Unknown(String),
    /// The name is in use.
    #[error("there is a \"{0}\" in the flow already")]
    Taken(String),
    /// The name is not valid.
    #[error(
        "\"{0}\" cannot be a name: letters, digits, \"-\" and \"_\", and no more than {NAME_MAX}"
    )]
    Name(String),
    /// There is no such kind of node.
    #[error("there is no kind of node \"{0}\"")]
    Kind(String),
    /// A network element takes no records.
    #[error("\"{0}\" is a network element, which takes no records")]
    TakesNothing(String),
    /// TOML cannot express the value.
    #[error("the value of \"{0}\" cannot stand in a flow file")]
    Value(String),
    /// The entry of this name is not a table.
    #[error("\"{0}\" is no table in the flow file")]
    NoTable(String),
}

/// Applies edits in order: all of them, or none.
pub fn edit(text: &str, edits: &[Edit], kinds: &[&dyn Kind]) -> Result<String, EditError> {
    // The TOML writer uses line feeds alone. A file with carriage returns before them gets them back.
    let has_returns = text.split('\n').next().is_some_and(|line| line.ends_with('\r'));
    let parsed = text.replace("\r\n", "\n").parse::<DocumentMut>();
    let document = parsed.map_err(|error| EditError::Text(error.message().trim().to_owned()))?;
    let mut editor = Editor { document, kinds: super::names(kinds) };
    edits.iter().try_for_each(|edit| editor.make(edit))?;
    let written = editor.document.to_string();
    Ok(if has_returns { written.replace('\n', "\r\n") } else { written })
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
                connect(self.table(to)?, from);
                Ok(())
            }
            Edit::Disconnect { from, to } => {
                revise(self.table(to)?, FROM, &|word| goes_if(word == from));
                Ok(())
            }
            Edit::Set { name, key, value } => {
                let value = value::of_json(value).ok_or_else(|| EditError::Value(key.clone()))?;
                set(self.table(name)?, key, value)
            }
            Edit::Unset { name, key } => {
                let left = unset(self.table(name)?, key);
                let kind = self.kind_of(name)?;
                self.leave(&[kind, name], &left);
                Ok(())
            }
        }
    }

    /// Moves comments that were in a table, and concern more than the removed key, to after the table.
    fn leave(&mut self, table: &[&str], left: &str) {
        if !left.is_empty() {
            headers::hand_on(&mut self.document, |path| match path == table {
                true => headers::TableFate::Leaves(left.to_owned()),
                false => headers::TableFate::Stays,
            });
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
            put(&mut table, FROM, alone_or_list(from));
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
        // After the last table of its kind.
        let last = tables.iter().filter_map(|(_, item)| item.as_table()?.position()).max();
        if last.is_some() {
            table.set_position(last);
        }
        tables.insert(name, Item::Table(table));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), EditError> {
        let kind = self.kind_of(name)?;
        let is_last = self.tables(kind)?.len() == 1;
        headers::hand_on(&mut self.document, |path| match path {
            [of] if of == kind && is_last => headers::TableFate::Goes,
            [of, own, ..] if of == kind && own == name => headers::TableFate::Goes,
            _ => headers::TableFate::Stays,
        });
        let left = take(self.tables(kind)?, name);
        self.leave(&[kind], &left);
        if is_last {
            self.document.remove(kind);
        }
        self.each_list(&|word| goes_if(is_of(word, name)));
        Ok(())
    }

    fn rename(&mut self, name: &str, to: &str) -> Result<(), EditError> {
        if name == to {
            return Ok(());
        }
        self.is_free(to)?;
        let kind = self.kind_of(name)?;
        let tables = self.tables(kind)?;
        // Tables without a position of their own are written in the order of insertion.
        let names: Vec<String> = tables.iter().map(|(name, _)| name.to_owned()).collect();
        for before in names {
            let Some((key, item)) = entry(tables, &before) else { continue };
            let key = match before == name {
                true => Key::new(to)
                    .with_leaf_decor(key.leaf_decor().clone())
                    .with_dotted_decor(key.dotted_decor().clone()),
                false => key,
            };
            tables.entry_format(&key).or_insert(item);
        }
        self.each_list(&|word| match is_of(word, name) {
            true => list::WordFate::Becomes(format!("{to}{}", &word[name.len()..])),
            false => list::WordFate::Stays,
        });
        Ok(())
    }

    /// Changes all lists that may have names.
    fn each_list(&mut self, fate: &dyn Fn(&str) -> list::WordFate) {
        let kinds = self.kinds.iter().map(|kind| (*kind, FROM));
        for (kind, key) in kinds.chain([("group", NETWORK_ELEMENTS)]) {
            let tables = self.document.get_mut(kind).and_then(Item::as_table_like_mut);
            for (_, item) in tables.into_iter().flat_map(|tables| tables.iter_mut()) {
                if let Some(table) = item.as_table_like_mut() {
                    revise(table, key, fate);
                }
            }
        }
    }
}

fn entry(tables: &mut dyn TableLike, name: &str) -> Option<(Key, Item)> {
    let key = tables.get_key_value(name)?.0.clone();
    Some((key, tables.remove(name)?))
}

/// Returns whether a word is a node's name or one of its streams.
fn is_of(word: &str, name: &str) -> bool {
    word == name || word.rsplit_once('.').is_some_and(|(node, _)| node == name)
}

fn goes_if(goes: bool) -> list::WordFate {
    if goes { list::WordFate::Goes } else { list::WordFate::Stays }
}

/// Returns a single word as a text, as users write it, and several as a list.
fn alone_or_list(words: &[String]) -> Value {
    match words {
        [word] => word.as_str().into(),
        words => words.iter().map(String::as_str).collect::<Array>().into(),
    }
}

/// Adds a stream to those that a table takes.
fn connect(table: &mut dyn TableLike, from: &str) {
    let words = table.get(FROM).map(super::words).unwrap_or_default();
    if words.iter().any(|taken| taken.word == from) {
        return;
    }
    match (table.get_mut(FROM).and_then(Item::as_array_mut), words.first()) {
        (Some(list), _) => list::push(list, from),
        (None, Some(word)) => {
            put(table, FROM, [word.word.as_str(), from].into_iter().collect::<Array>().into())
        }
        (None, None) => put(table, FROM, from.into()),
    }
}

/// Applies `fate` to each word of a list, or to a single word.
fn revise(table: &mut dyn TableLike, key: &str, fate: &dyn Fn(&str) -> list::WordFate) {
    let Some(value) = table.get_mut(key).and_then(Item::as_value_mut) else { return };
    if let Some(list) = value.as_array_mut() {
        return list::revise(list, fate);
    }
    match value.as_str().map_or(list::WordFate::Stays, fate) {
        list::WordFate::Stays => {}
        list::WordFate::Goes => list::replace(value, Array::new().into()),
        list::WordFate::Becomes(word) => list::replace(value, word.into()),
    }
}

/// Sets a value, and keeps the text around the old one.
fn put(table: &mut dyn TableLike, key: &str, value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => list::replace(old, value),
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

/// Removes a key. Returns the comment before it that concerns more than the key, if no later key can take it over.
fn unset(table: &mut dyn TableLike, key: &str) -> String {
    let Some((outer, inner)) = key.split_once('.') else { return take(table, key) };
    let Some(within) = table.get_mut(outer).and_then(Item::as_table_like_mut) else {
        return String::new();
    };
    let left = unset(within, inner);
    match within.is_empty() {
        true => left + &take(table, outer),
        false => left,
    }
}

/// Removes a key that is not in an inner table, like [`unset`].
fn take(table: &mut dyn TableLike, key: &str) -> String {
    let Some((found, item)) = table.get_key_value(key) else { return String::new() };
    let before = found.leaf_decor().prefix().and_then(|prefix| prefix.as_str());
    let left = headers::standing(before.unwrap_or_default()).to_owned();
    // Text before a header does not belong to its key.
    let left = if item.is_table() { String::new() } else { left };
    let behind = table.iter().skip_while(|(name, _)| *name != key).skip(1);
    let values: Vec<&str> =
        behind.filter(|(_, item)| item.is_value()).map(|(name, _)| name).collect();
    let next = values.first().map(|name| (*name).to_owned());
    table.remove(key);
    let Some(mut next) = next.and_then(|next| table.key_mut(&next)) else { return left };
    if !left.is_empty() {
        let before = next.leaf_decor().prefix().and_then(|prefix| prefix.as_str());
        let before = headers::behind(&left, before.unwrap_or_default(), false);
        next.leaf_decor_mut().set_prefix(before);
    }
    String::new()
}
