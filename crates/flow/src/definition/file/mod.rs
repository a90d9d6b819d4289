//! The flow file: from TOML text to tables whose every word knows its place.
//!
//! Reads the shape only: which tables and keys there are, and of what sort their values. What names mean
//! is the [graph](crate::definition::graph)'s subject, what a kind's settings mean the kind's own.

mod at_once;
mod reader;
mod schema;
mod secrets;
mod tables;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, Span, plain};
use format::ModuleTable;
use node::Kind;
use settings::Settings;
use toml_edit::Document;

use reader::Reader;

pub(crate) use at_once::{AT_ONCE, at_once};
pub(crate) use reader::{NAME_OCTETS_MAX, filled_in};
pub(crate) use schema::{Keys, RoomTables, Schemas, TableSchema};
pub(crate) use secrets::{CERTIFICATE, SecretFile, secrets};
pub(crate) use tables::{FILES_AT_ONCE, NETWORK_ELEMENTS, POST_PROCESSING_SYSTEMS};

/// A word of the file and its place, quotes not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, environment variables filled in.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A flow file, read.
#[derive(Clone, Debug)]
pub struct FlowFile {
    /// Its text.
    pub source: Arc<Source>,
    /// The folder it is in.
    pub folder: PathBuf,
    /// `[asn1]`.
    pub modules: ModuleTable,
    /// `state.dir`, or beside the file, named after it: `flow.state`.
    pub state: PathBuf,
    /// `state.disk-free`.
    pub disk_free: Option<u64>,
    /// `state.keep`.
    pub kept: Option<Duration>,
    /// `[log]`, without its levels of parts.
    pub log: Option<Settings>,
    /// `log.levels`.
    pub log_levels: Option<Settings>,
    /// `[processing]`.
    pub processing: Option<Settings>,
    /// `[alarms]`.
    pub alarms: Option<Settings>,
    /// Those of rooms, such as `[archive]`.
    pub(crate) tables: RoomTables,
    /// `[group.*]` of network elements.
    pub groups: Vec<Settings>,
    /// `[group.*]` of post-processing systems.
    pub receiver_groups: Vec<Settings>,
    /// `[listen.*]`, whose keys nobody has looked at yet.
    pub listen: Vec<Settings>,
    /// `[serve]`.
    pub serve: Option<Settings>,
    /// `[notify.*]`.
    pub notify: Vec<Settings>,
    /// `[network-element.*]`.
    pub network_elements: Vec<NetworkElement>,
    /// The tables of the handed-in kinds.
    pub nodes: Vec<NodeTable>,
    /// `[post-processing-system.*]`.
    pub post_processing_systems: Vec<PostProcessingSystem>,
    /// Names of those that lack so much that they are in no list.
    pub incomplete: Vec<String>,
}

/// Where files come from.
#[derive(Clone, Debug)]
pub struct NetworkElement {
    /// Its name.
    pub name: Word,
    /// How files are fetched.
    pub collect: Settings,
    /// What is in them.
    pub decode: Settings,
    /// Those of rooms, such as `duplicates`.
    pub(crate) tables: RoomTables,
    /// From when on something of it is an alarm, besides `[alarms]`.
    pub alarms: Option<Settings>,
}

/// A filter, a formatter, or a node of any other kind.
#[derive(Clone, Debug)]
pub struct NodeTable {
    /// Its name.
    pub name: Word,
    /// The place of its kind in the list handed in.
    pub kind: usize,
    /// Whose records it takes.
    pub from: Vec<Word>,
    /// From when on something of it is an alarm, besides `[alarms]`.
    pub alarms: Option<Settings>,
    /// The rest of its table.
    pub settings: Settings,
}

/// Where files go to.
#[derive(Clone, Debug)]
pub struct PostProcessingSystem {
    /// Its name.
    pub name: Word,
    /// Whose records it takes.
    pub from: Vec<Word>,
    /// What the files have in them.
    pub encode: Settings,
    /// How files are handed over.
    pub deliver: Settings,
    /// Those of rooms, such as `audit`.
    pub(crate) tables: RoomTables,
    /// From when on something of it is an alarm, besides `[alarms]`.
    pub alarms: Option<Settings>,
}

/// The folder of a flow's state, where the flow file does not name one: beside the file, links followed, so that
/// all names of the file lead to one.
fn usual_state(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into()).with_extension("state")
}

/// A flow file as far as it can be read without knowing the kinds of nodes, or which keys the tables of rooms may have: the
/// folder of its state, its network elements.
pub(crate) fn outline(path: &Path) -> io::Result<FlowFile> {
    Ok(parse(path, plain::read_text(path, plain::TEXT_OCTETS_MAX)?, &[], None).0)
}

/// Reads the text of a flow file. What could be read is returned beside all mistakes. Where no tables of rooms are handed in,
/// any table is taken for one, whatever is in it.
pub(crate) fn parse(
    path: &Path,
    text: String,
    kinds: &[&dyn Kind],
    schemas: Option<&Schemas>,
) -> (FlowFile, Vec<Diagnostic>) {
    let source = Source::new(path.display().to_string(), text);
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let file = FlowFile {
        state: usual_state(path),
        disk_free: None,
        kept: None,
        source: Arc::clone(&source),
        folder: folder.clone(),
        modules: ModuleTable {
            source: Arc::clone(&source),
            folder: folder.clone(),
            modules: Vec::new(),
            tagging: Vec::new(),
        },
        log: None,
        log_levels: None,
        processing: None,
        alarms: None,
        tables: RoomTables::default(),
        groups: Vec::new(),
        receiver_groups: Vec::new(),
        listen: Vec::new(),
        serve: None,
        notify: Vec::new(),
        network_elements: Vec::new(),
        nodes: Vec::new(),
        post_processing_systems: Vec::new(),
        incomplete: Vec::new(),
    };
    let mut reader = Reader { file, schemas, diagnostics: Vec::new() };
    match Document::parse(source.text.as_str()) {
        Ok(document) => reader.document(document.as_table(), kinds),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim().replace('\n', "; ");
            reader.error(Span::new(span.start, span.end), message);
        }
    }
    (reader.file, reader.diagnostics)
}
