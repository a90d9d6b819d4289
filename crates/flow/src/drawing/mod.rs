//! The drawing of a flow: its nodes and streams, even if it has mistakes; and edits of its text that keep everything
//! else.

mod edit;
mod headers;
mod list;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diagnostics::{Diagnostic, Span};
use node::Kind;
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

pub use edit::{Edit, EditError, edit};

use crate::file::NAME_OCTETS_MAX;

/// The kind of table where records enter.
pub const NETWORK_ELEMENT: &str = "network-element";

/// The kind of table where records leave.
pub const POST_PROCESSING_SYSTEM: &str = "post-processing-system";

/// The key of the streams that a node takes.
const FROM: &str = "from";

/// The drawing of a flow.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Network elements, nodes and post-processing systems, in the order of the file.
    pub nodes: Vec<Drawn>,
    /// All mistakes and warnings, as `tollgate check` reports them.
    pub diagnostics: Vec<Diagnostic>,
    /// The offsets of headers, each with the name of its owner.
    headers: Vec<(u32, Option<String>)>,
    path: String,
}

/// A network element, a node, or a post-processing system.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Its name.
    pub name: String,
    /// The name of its tables: `filter`.
    pub kind: String,
    /// The streams that it takes.
    pub from: Vec<Taken>,
    /// The names of its streams. If it has mistakes, only those that others take are known.
    pub streams: Vec<String>,
    /// The rest of its table.
    pub settings: serde_json::Map<String, Value>,
    /// The place of its name.
    pub span: Span,
}

/// A stream that a node takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The word in the file: `isRoaming.false`.
    pub word: String,
    /// The name of its giver.
    pub node: String,
    /// The name of the stream, if the word has it.
    pub stream: Option<String>,
}

/// Returns the nodes of a text without resolving what they mean.
pub fn sketch(text: &str, kinds: &[&dyn Kind]) -> Vec<Drawn> {
    tables(text, kinds).0
}

/// Returns whether a text is TOML, so that its nodes can be read.
pub fn is_readable(text: &str) -> bool {
    Document::parse(text).is_ok()
}

/// Draws a text without reading any file that it names, with the mistakes that prevent this.
pub fn draw_unread(
    path: &Path,
    text: &str,
    kinds: &[&dyn Kind],
    diagnostics: Vec<Diagnostic>,
) -> Drawing {
    drawing(path, text, kinds, &BTreeMap::new(), diagnostics)
}

/// Draws a text; `known` has the names of nodes' streams.
pub fn drawing(
    path: &Path,
    text: &str,
    kinds: &[&dyn Kind],
    known: &BTreeMap<String, Vec<String>>,
    diagnostics: Vec<Diagnostic>,
) -> Drawing {
    let (mut nodes, headers) = tables(text, kinds);
    streams(&mut nodes, known);
    Drawing { nodes, diagnostics, headers, path: path.display().to_string() }
}

/// Returns the nodes of a text, and the offsets of its headers.
fn tables(text: &str, kinds: &[&dyn Kind]) -> (Vec<Drawn>, Vec<(u32, Option<String>)>) {
    let (mut headers, mut nodes) = (Vec::new(), Vec::new());
    if let Ok(document) = Document::parse(text) {
        let kinds = names(kinds);
        for (kind, item) in document.as_table().iter() {
            let is_kind = kinds.contains(&kind);
            headers.extend(start(document.as_table(), kind).map(|start| (start, None)));
            let Some(tables) = item.as_table_like() else { continue };
            // The reader refuses longer names. They are reported, not drawn.
            for (name, table) in tables.iter().filter(|(name, _)| name.len() <= NAME_OCTETS_MAX) {
                let owner = is_kind.then(|| name.to_owned());
                headers.extend(start(tables, name).map(|start| (start, owner)));
                if let (true, Some(table)) = (is_kind, table.as_table_like()) {
                    nodes.push(drawn(kind, name, tables, table));
                }
            }
        }
    }
    headers.sort();
    let names: BTreeSet<String> = nodes.iter().map(|node| node.name.clone()).collect();
    for taken in nodes.iter_mut().flat_map(|node| &mut node.from) {
        taken.split(&names);
    }
    nodes.sort_by_key(|node| node.span.start);
    (nodes, headers)
}

/// Returns the scripts and modules that a flow file names, as it writes them.
pub fn named(text: &str) -> BTreeSet<String> {
    let Ok(document) = Document::parse(text) else { return BTreeSet::new() };
    let root = document.as_table();
    let modules = root.get("asn1").and_then(Item::as_table_like);
    let modules = modules.and_then(|table| table.get("modules"));
    let mut named: BTreeSet<String> =
        modules.map(words).unwrap_or_default().into_iter().map(|taken| taken.word).collect();
    named.extend(scripts(text));
    named
}

/// Returns only the scripts: those of nodes, and those that count for network elements.
pub fn scripts(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Ok(document) = Document::parse(text) {
        scripts_in(document.as_table(), &mut found);
    }
    found
}

fn scripts_in(table: &dyn TableLike, found: &mut BTreeSet<String>) {
    for (key, item) in table.iter() {
        match (item.as_str(), item.as_table_like()) {
            (Some(script), _) if key == "script" => {
                found.insert(script.to_owned());
            }
            (_, Some(within)) => scripts_in(within, found),
            _ => {}
        }
    }
}

/// The fewest characters of a secret value of a variable. Shorter values occur in too many other words.
const SECRET_CHARACTERS_MIN: usize = 4;

/// Values of the environment variables in a text. Users who may only view a flow must not see them.
#[derive(Debug)]
pub struct Variables {
    /// Each variable as `${NAME}`, with its value; the longest value first, since one may begin with another.
    values: Vec<(String, String)>,
}

impl Variables {
    /// Reads the variables that a text names.
    pub fn of(text: &str) -> Self {
        let behind = text.split("${").skip(1);
        let names: BTreeSet<&str> =
            behind.filter_map(|behind| Some(behind.split_once('}')?.0)).collect();
        let values = names
            .into_iter()
            .filter_map(|name| Some((format!("${{{name}}}"), std::env::var(name).ok()?)));
        let secrets = values.filter(|(_, value)| value.chars().count() >= SECRET_CHARACTERS_MIN);
        let mut values: Vec<_> = secrets.collect();
        values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        Variables { values }
    }

    /// Replaces each value in a message by its `${NAME}`.
    pub fn hidden_in(&self, message: String) -> String {
        self.values
            .iter()
            .fold(message, |message, (name, value)| message.replace(value.as_str(), name))
    }
}

/// Returns the message of a mistake without the values of environment variables.
pub fn without_secrets(mistake: &Diagnostic) -> String {
    Variables::of(&mistake.source.text).hidden_in(mistake.to_string())
}

/// Fills environment variables into a name, as the flow does. The result is as secret as the variables.
pub fn filled_in(name: &str) -> String {
    crate::file::filled_in(name)
}

/// Returns the files that a flow file names and that are secrets or contain one, with variables filled in.
pub fn secrets(text: &str) -> BTreeSet<String> {
    crate::file::secrets(text).into_iter().map(|secret| secret.file).collect()
}

/// Returns the tariff plans that a flow file names, as it writes them: folders, and databases of versions.
pub fn plans(text: &str) -> BTreeSet<String> {
    let Ok(document) = Document::parse(text) else { return BTreeSet::new() };
    let tables = document.as_table().iter().filter_map(|(_, item)| item.as_table_like());
    let nodes = tables.flat_map(|tables| tables.iter());
    let plans = nodes.filter_map(|(_, node)| node.as_table_like()?.get("plan")?.as_str());
    plans.map(str::to_owned).collect()
}

/// Returns the folders of rules that a flow file names, as it writes them.
pub fn rule_folders(text: &str) -> BTreeSet<String> {
    let Ok(document) = Document::parse(text) else { return BTreeSet::new() };
    let nodes = document.as_table().get("fraud").and_then(|nodes| nodes.as_table_like());
    let nodes = nodes.into_iter().flat_map(|nodes| nodes.iter());
    let tables = nodes.filter_map(|(_, node)| node.as_table_like());
    let folders = tables.map(|node| node.get("rules"));
    folders.filter_map(|folder| folder?.as_str().map(str::to_owned)).collect()
}

/// Returns the files that a rule names, relative to the folder of the rule: its table of limits and its script.
pub fn named_by_rule(text: &str) -> BTreeSet<String> {
    let Ok(document) = Document::parse(text) else { return BTreeSet::new() };
    let named = ["limits", "script"].map(|key| document.as_table().get(key));
    named.into_iter().filter_map(|file| file?.as_str().map(str::to_owned)).collect()
}

/// Returns the folders of records that a flow file names, with variables filled in: those that it collects from, moves
/// collected files to, delivers to and archives in. The state folder is not among them.
pub fn record_folders(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Ok(document) = Document::parse(text) {
        let tables = document.as_table().iter().filter(|(name, _)| *name != "state");
        for table in tables.filter_map(|(_, item)| item.as_table_like()) {
            folders_in(table, &mut found);
        }
    }
    found
}

fn folders_in(table: &dyn TableLike, found: &mut BTreeSet<String>) {
    for (key, item) in table.iter() {
        match (item.as_str(), item.as_table_like()) {
            (Some(folder), _) if FOLDER_KEYS.contains(&key) => {
                found.insert(filled_in(folder));
            }
            (_, Some(within)) => folders_in(within, found),
            _ => {}
        }
    }
}

/// The keys of folders of records.
const FOLDER_KEYS: [&str; 2] = ["dir", "move"];

impl Drawing {
    /// Returns the network element, node or system to which a mistake belongs, by its table or its script.
    pub fn owner(&self, diagnostic: &Diagnostic) -> Option<&str> {
        if diagnostic.source.name == self.path {
            let before = |(start, _): &(u32, Option<String>)| *start <= diagnostic.span.start;
            let place = self.headers.partition_point(before).checked_sub(1)?;
            return self.headers[place].1.as_deref();
        }
        let names = |value: &Value| {
            value.as_str().is_some_and(|file| Path::new(&diagnostic.source.name).ends_with(file))
        };
        let has = |node: &&Drawn| node.settings.values().any(names);
        self.nodes.iter().find(has).map(|node| node.name.as_str())
    }
}

/// Returns the names of the tables that a drawing shows.
fn names(kinds: &[&dyn Kind]) -> Vec<&'static str> {
    let kinds = kinds.iter().map(|kind| kind.name());
    kinds.chain([NETWORK_ELEMENT, POST_PROCESSING_SYSTEM]).collect()
}

/// Returns the offset of a key of a table.
fn start(table: &dyn TableLike, key: &str) -> Option<u32> {
    let (key, _) = table.get_key_value(key)?;
    Some(u32::try_from(key.span()?.start).unwrap_or(u32::MAX))
}

fn drawn(kind: &str, name: &str, tables: &dyn TableLike, table: &dyn TableLike) -> Drawn {
    let span = tables.get_key_value(name).and_then(|(key, _)| key.span()).unwrap_or_default();
    let settings = table.iter().filter(|(key, _)| *key != FROM);
    Drawn {
        name: name.into(),
        kind: kind.into(),
        from: table.get(FROM).map(words).unwrap_or_default(),
        streams: Vec::new(),
        settings: settings.map(|(key, item)| (key.to_owned(), value::of_item(item))).collect(),
        span: Span::new(span.start, span.end),
    }
}

/// Returns the words of a value: one, or a list.
fn words(item: &Item) -> Vec<Taken> {
    let taken = |word: &str| Taken { word: word.into(), node: word.into(), stream: None };
    match (item.as_str(), item.as_array()) {
        (Some(word), _) => vec![taken(word)],
        (_, Some(list)) => list.iter().filter_map(|word| word.as_str().map(taken)).collect(),
        _ => Vec::new(),
    }
}

impl Taken {
    /// Separates the name of the stream from that of the node.
    fn split(&mut self, names: &BTreeSet<String>) {
        if let (false, Some((node, stream))) =
            (names.contains(&self.word), self.word.rsplit_once('.'))
        {
            (self.node, self.stream) = (node.to_owned(), Some(stream.to_owned()));
        }
    }
}

/// Sets the streams of the nodes: the known ones, or else those that others take.
fn streams(nodes: &mut [Drawn], known: &BTreeMap<String, Vec<String>>) {
    let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for from in nodes.iter().flat_map(|node| &node.from) {
        let streams = taken.entry(from.node.clone()).or_default();
        streams.extend(from.stream.clone());
    }
    for node in nodes.iter_mut().filter(|node| node.kind != POST_PROCESSING_SYSTEM) {
        node.streams = match known.get(&node.name) {
            Some(streams) => streams.clone(),
            None => taken.get(&node.name).into_iter().flatten().cloned().collect(),
        };
    }
}
