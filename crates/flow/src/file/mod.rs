//! The flow file: from TOML text to tables whose words know their places.
//!
//! This module checks the shape only: tables, keys, and types of values. The [graph](crate::graph) resolves
//! names, and each kind of node reads its own settings.

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

pub use at_once::{AT_ONCE, at_once};
pub use reader::{NAME_OCTETS_MAX, filled_in};
pub use schema::{Keys, RoomTables, Schemas, TableSchema};
pub(crate) use secrets::SecretFile;
pub use secrets::{CERTIFICATE, secrets};
pub use tables::{FILES_AT_ONCE, POST_PROCESSING_SYSTEMS};
pub(crate) use tables::{NETWORK_ELEMENTS, SECOND_PERSON};

/// A word of the file and its place, without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, with environment variables filled in.
    pub text: String,
    /// Its place in the file.
    pub span: Span,
}

/// The tables of a flow file.
#[derive(Clone, Debug)]
pub struct FlowFile {
    /// Its text.
    pub source: Arc<Source>,
    /// The folder it is in.
    pub folder: PathBuf,
    /// `[asn1]`.
    pub modules: ModuleTable,
    /// The folder of `state.dir`; by default beside the file, named after it: `flow.state`.
    pub state: PathBuf,
    /// `state.disk-free`.
    pub disk_free: Option<u64>,
    /// `state.keep`.
    pub retention: Option<Duration>,
    /// `[log]`, without its levels of parts.
    pub log: Option<Settings>,
    /// `log.levels`.
    pub log_levels: Option<Settings>,
    /// `[processing]`.
    pub processing: Option<Settings>,
    /// `[alarms]`.
    pub alarms: Option<Settings>,
    /// The tables of rooms, such as `[archive]`.
    pub tables: RoomTables,
    /// `[group.*]` of network elements.
    pub groups: Vec<Settings>,
    /// `[group.*]` of post-processing systems.
    pub receiver_groups: Vec<Settings>,
    /// `[listen.*]`, with unchecked keys.
    pub listen: Vec<Settings>,
    /// `[serve]`.
    pub serve: Option<Settings>,
    /// `[notify.*]`.
    pub notify: Vec<Settings>,
    /// `[action.*]`.
    pub actions: Vec<Settings>,
    /// `[network-element.*]`.
    pub network_elements: Vec<NetworkElement>,
    /// The tables of the given node kinds.
    pub nodes: Vec<NodeTable>,
    /// `[post-processing-system.*]`.
    pub post_processing_systems: Vec<PostProcessingSystem>,
    /// The names of tables that have too many mistakes to be in a list.
    pub incomplete: Vec<String>,
}

/// A network element.
#[derive(Clone, Debug)]
pub struct NetworkElement {
    /// Its name.
    pub name: Word,
    /// How its files are collected.
    pub collect: Settings,
    /// How its files are decoded.
    pub decode: Settings,
    /// The tables of rooms, such as `duplicates`.
    pub tables: RoomTables,
    /// Its own limits of alarms, which override `[alarms]`.
    pub alarms: Option<Settings>,
}

/// A filter, a formatter, or a node of any other kind.
#[derive(Clone, Debug)]
pub struct NodeTable {
    /// Its name.
    pub name: Word,
    /// The place of its kind in the given list.
    pub kind: usize,
    /// The streams that it takes.
    pub from: Vec<Word>,
    /// Its own limits of alarms, which override `[alarms]`.
    pub alarms: Option<Settings>,
    /// The rest of its table.
    pub settings: Settings,
}

/// A post-processing system.
#[derive(Clone, Debug)]
pub struct PostProcessingSystem {
    /// Its name.
    pub name: Word,
    /// The streams that it takes.
    pub from: Vec<Word>,
    /// How its files are encoded.
    pub encode: Settings,
    /// How its files are delivered.
    pub deliver: Settings,
    /// The tables of rooms, such as `audit`.
    pub tables: RoomTables,
    /// Its own limits of alarms, which override `[alarms]`.
    pub alarms: Option<Settings>,
}

/// Returns the default folder of a flow's state: beside the file, after following links, so that all paths to the file
/// give the same folder.
fn usual_state(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into()).with_extension("state")
}

/// Reads a flow file without the kinds of nodes and the keys of rooms' tables. This finds, for example, the folder of
/// its state and its network elements.
pub fn outline(path: &Path) -> io::Result<FlowFile> {
    Ok(parse(path, plain::read_text(path, plain::TEXT_OCTETS_MAX)?, &[], None).0)
}

/// Reads the text of a flow file. Returns all that could be read, and all mistakes. Without `schemas`, any unknown
/// table is accepted as the table of a room.
pub fn parse(
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
        retention: None,
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
        actions: Vec::new(),
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
