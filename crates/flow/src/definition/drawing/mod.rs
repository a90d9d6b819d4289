//! A flow as somebody draws it: who gives records to whom, mistakes and all, and changes of its text that leave the rest of
//! it as it is.

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

use crate::definition::file::NAME_OCTETS_MAX;

/// Where a record's way begins, as the flow file calls it.
pub const NETWORK_ELEMENT: &str = "network-element";

/// Where it ends.
pub const POST_PROCESSING_SYSTEM: &str = "post-processing-system";

/// The key that says whose records a node takes.
const FROM: &str = "from";

/// A flow, drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Network elements, nodes and post-processing systems, in the order of the file.
    pub nodes: Vec<Drawn>,
    /// All mistakes and warnings, as `tollgate check` has them.
    pub diagnostics: Vec<Diagnostic>,
    /// Where tables begin, and whose they are.
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
    /// Whose records it takes.
    pub from: Vec<Taken>,
    /// The names of its streams, as far as they are known: those that are taken, where it has mistakes.
    pub streams: Vec<String>,
    /// The rest of its table.
    pub settings: serde_json::Map<String, Value>,
    /// Where its name stands.
    pub span: Span,
}

/// A stream that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// As it is written: `isRoaming.false`.
    pub word: String,
    /// Who gives it.
    pub node: String,
    /// Its name, where it is written.
    pub stream: Option<String>,
}

/// What a text has, without looking at what it means.
pub fn sketch(text: &str, kinds: &[&dyn Kind]) -> Vec<Drawn> {
    tables(text, kinds).0
}

/// Draws a text of which nothing that it names is to be read, as this is wrong with it.
pub fn draw_unread(
    path: &Path,
    text: &str,
    kinds: &[&dyn Kind],
    diagnostics: Vec<Diagnostic>,
) -> Drawing {
    drawing(path, text, kinds, &BTreeMap::new(), diagnostics)
}

/// Draws a text, where streams of nodes are known by the names of these.
pub(crate) fn drawing(
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

/// The tables of a text, and where each begins.
fn tables(text: &str, kinds: &[&dyn Kind]) -> (Vec<Drawn>, Vec<(u32, Option<String>)>) {
    let (mut headers, mut nodes) = (Vec::new(), Vec::new());
    if let Ok(document) = Document::parse(text) {
        let kinds = names(kinds);
        for (kind, item) in document.as_table().iter() {
            let is_kind = kinds.contains(&kind);
            headers.extend(start(document.as_table(), kind).map(|start| (start, None)));
            let Some(tables) = item.as_table_like() else { continue };
            // Names that the reader refuses are not drawn, only reported.
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

/// The scripts and modules that a flow file names, as it names them.
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

/// The scripts alone: of nodes, and of what is counted of network elements.
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

/// Shortest value of a variable that may be a secret. Shorter ones stand in too many words that mean something else.
const SECRET_CHARACTERS_MIN: usize = 4;

/// What the environment has for the variables of a text, which nobody is shown who may only look at a flow.
#[derive(Debug)]
pub struct Variables {
    /// Each as `${NAME}`, and its value; the longest first, since one may begin as another does.
    values: Vec<(String, String)>,
}

impl Variables {
    /// Those that a text names.
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

    /// What is said of the text, with `${NAME}` wherever it has the value of that.
    pub fn hidden_in(&self, said: String) -> String {
        self.values.iter().fold(said, |said, (name, value)| said.replace(value.as_str(), name))
    }
}

/// A mistake as those are told who may not see what the environment has.
pub fn told_to_all(mistake: &Diagnostic) -> String {
    Variables::of(&mistake.source.text).hidden_in(mistake.to_string())
}

/// A name of a flow file as the flow reads it, with environment variables in the places of their `${NAME}`. What it makes is
/// no more to be shown than they are.
pub fn filled_in(name: &str) -> String {
    crate::definition::file::filled_in(name)
}

/// The files that a flow file names as secrets, or with a secret in them, with variables filled in.
pub fn secrets(text: &str) -> BTreeSet<String> {
    crate::definition::file::secrets(text).into_iter().map(|secret| secret.file).collect()
}

/// The tariff plans that a flow file names, as it names them: folders, and databases of versions.
pub fn plans(text: &str) -> BTreeSet<String> {
    let Ok(document) = Document::parse(text) else { return BTreeSet::new() };
    let tables = document.as_table().iter().filter_map(|(_, item)| item.as_table_like());
    let nodes = tables.flat_map(|tables| tables.iter());
    let plans = nodes.filter_map(|(_, node)| node.as_table_like()?.get("plan")?.as_str());
    plans.map(str::to_owned).collect()
}

impl Drawing {
    /// The network element, node or system that a mistake is one of: where its table has it, or its script.
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

/// The names of tables that stand in the drawing.
fn names(kinds: &[&dyn Kind]) -> Vec<&'static str> {
    let kinds = kinds.iter().map(|kind| kind.name());
    kinds.chain([NETWORK_ELEMENT, POST_PROCESSING_SYSTEM]).collect()
}

/// Where a key of a table stands.
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

/// One word, or a list of them.
fn words(item: &Item) -> Vec<Taken> {
    let taken = |word: &str| Taken { word: word.into(), node: word.into(), stream: None };
    match (item.as_str(), item.as_array()) {
        (Some(word), _) => vec![taken(word)],
        (_, Some(list)) => list.iter().filter_map(|word| word.as_str().map(taken)).collect(),
        _ => Vec::new(),
    }
}

impl Taken {
    /// Takes the name of a stream from behind that of the node.
    fn split(&mut self, names: &BTreeSet<String>) {
        if let (false, Some((node, stream))) =
            (names.contains(&self.word), self.word.rsplit_once('.'))
        {
            (self.node, self.stream) = (node.to_owned(), Some(stream.to_owned()));
        }
    }
}

/// Gives the nodes their streams: those that they have, or else those that somebody takes.
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
