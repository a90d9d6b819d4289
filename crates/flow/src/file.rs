//! The flow file: from TOML text to tables whose every word knows its place.
//!
//! Reads the shape only: which tables and keys there are, and of what sort their values. What names mean
//! is the [graph](crate::graph)'s subject, what a kind's settings mean the kind's own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::delivery;
use crate::drift::DRIFT_KEYS;
use crate::duplicates;
use crate::sequence::{FILE_KEYS, RECORD_KEYS, TOTAL_KEYS, Tables};
use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use format::ModuleTable;
use node::{Kind, Setting, Settings};
use toml_edit::{ImDocument, Item, Key, TableLike, Value};
use transport::{ACCEPT, ACCEPT_KEYS, ACCESS_KEYS};

const NETWORK_ELEMENT: &str = "network-element";
const POST_PROCESSING_SYSTEM: &str = "post-processing-system";
const GROUP: &str = "group";
const NOTIFY: &str = "notify";
const PROCESSING: &str = "processing";
const DELIVERING: &str = "delivering";
const TRACE: &str = "trace";
const ARCHIVE: &str = "archive";
const LISTEN: &str = "listen";
const FILE_SEQUENCE: &str = "file-sequence";
const RECORD_SEQUENCE: &str = "record-sequence";
const TOTALS: &str = "totals";
const NETWORK_ELEMENT_KEYS: [&str; 8] =
    ["collect", "decode", "duplicates", FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS, "audit", "drift"];
const ASN1_KEYS: [&str; 2] = ["modules", "tagging"];
const COLLECT_KEYS: [&str; 11] = [
    "dir",
    ACCEPT,
    "limit",
    "pattern",
    "recursive",
    "done",
    "move",
    "quiet",
    "compression",
    "unpacked-limit",
    FILES_AT_ONCE,
];
/// Where files are fetched from a far place, besides how it is reached.
const FETCH_KEYS: [&str; 2] = ["after", "every"];
const DELIVER_KEYS: [&str; 4] = ["dir", "name", "limit", FILES_AT_ONCE];
/// What is carried on has a place here, or there.
const DELIVER_TO: [&str; 2] = ["dir", "url"];
const SERVE_KEYS: [&str; 4] = ["listen", "token-file", "certificate-file", "key-file"];
const LOG_KEYS: [&str; 5] = ["file", "format", "rotate", "kept", "level"];
const GROUP_KEYS: [&str; 6] =
    [NETWORK_ELEMENTS, POST_PROCESSING_SYSTEMS, "priority", "weight", "processes", "threads"];
const PROCESSING_KEYS: [&str; 3] = ["processes", "threads", "bind"];
const DELIVERING_KEYS: [&str; 1] = ["threads"];
const TRACE_KEYS: [&str; 2] = ["enabled", "keep"];
const ARCHIVE_KEYS: [&str; 4] = ["dir", "keep", "limit", "source"];
/// Of a group: who is in it, one or the other.
pub(crate) const NETWORK_ELEMENTS: &str = "network-elements";
pub(crate) const POST_PROCESSING_SYSTEMS: &str = "post-processing-systems";
/// How many files may be in work, of a network element or for a post-processing system.
pub(crate) const FILES_AT_ONCE: &str = "files-at-once";
const STATE_KEYS: [&str; 3] = ["dir", "disk-free", "keep"];
const CODING_KEYS: [&str; 10] = [
    "type",
    "codec",
    "framing",
    "skip",
    "gap",
    "list",
    "columns",
    "separator",
    "header",
    "tbcd-as-digits",
];

/// Keys whose values are no texts. A text with an environment variable in it will do for all.
const LISTS: [&str; 11] = [
    "modules",
    "columns",
    "from",
    "sums",
    "key",
    NETWORK_ELEMENTS,
    POST_PROCESSING_SYSTEMS,
    "severities",
    "kinds",
    "allow",
    "to",
];
const NUMBERS: [&str; 17] = [
    delivery::AT_ONCE,
    "records-max",
    "files-max",
    "skip",
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
    "processes",
    "threads",
    FILES_AT_ONCE,
];
const TRUTHS: [&str; 7] =
    ["order", "recursive", "header", "tbcd-as-digits", "restarts", "changes", "enabled"];

/// What a value is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text,
    TextOrList,
    Number,
    Truth,
}

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
    /// `[trace]`.
    pub trace: Option<Settings>,
    /// `[archive]`.
    pub archive: Option<Settings>,
    /// `[delivering]`.
    pub delivering: Option<Settings>,
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
    /// What makes one the same as another.
    pub duplicates: Option<Settings>,
    /// What is counted of them.
    pub(crate) counted: Tables,
    /// What is summed of its records.
    pub audit: Option<Settings>,
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
    /// What is summed of its records.
    pub audit: Option<Settings>,
}

/// The folder of a flow's state, where the flow file does not name one: beside the file, links followed, so that
/// all names of the file lead to one.
fn usual_state(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into()).with_extension("state")
}

/// A flow file as far as it can be read without knowing the kinds of nodes: the folder of its state, its network elements.
pub(crate) fn outline(path: &Path) -> io::Result<FlowFile> {
    Ok(parse(path, std::fs::read_to_string(path)?, &[]).0)
}

/// Reads the text of a flow file. What could be read is returned beside all mistakes.
pub fn parse(path: &Path, text: String, kinds: &[&dyn Kind]) -> (FlowFile, Vec<Diagnostic>) {
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
        trace: None,
        archive: None,
        delivering: None,
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
    let mut reader = Reader { file, diagnostics: Vec::new() };
    match ImDocument::parse(source.text.as_str()) {
        Ok(document) => reader.document(document.as_table(), kinds),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim().replace('\n', "; ");
            reader.error(Span::new(span.start, span.end), message);
        }
    }
    (reader.file, reader.diagnostics)
}

struct Reader {
    file: FlowFile,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(&self.file.source, span, message));
    }

    fn document(&mut self, document: &dyn TableLike, kinds: &[&dyn Kind]) {
        let mut known = vec![
            "asn1",
            "state",
            "log",
            PROCESSING,
            DELIVERING,
            TRACE,
            ARCHIVE,
            GROUP,
            LISTEN,
            NOTIFY,
            "serve",
            NETWORK_ELEMENT,
            POST_PROCESSING_SYSTEM,
        ];
        known.extend(kinds.iter().map(|kind| kind.name()));
        for (key, item) in entries(document) {
            match key.get() {
                "asn1" => self.asn1(key, item),
                "state" => self.state(key, item),
                "log" => self.log(key, item),
                PROCESSING => self.file.processing = self.whole(key, item, &PROCESSING_KEYS),
                DELIVERING => self.file.delivering = self.whole(key, item, &DELIVERING_KEYS),
                TRACE => self.file.trace = self.whole(key, item, &TRACE_KEYS),
                ARCHIVE => self.file.archive = self.whole(key, item, &ARCHIVE_KEYS),
                GROUP => self.groups(key, item),
                LISTEN => self.listen(key, item),
                NOTIFY => self.notify(key, item),
                "serve" => self.serve(key, item),
                NETWORK_ELEMENT => self.each(key, item, Self::network_element),
                POST_PROCESSING_SYSTEM => self.each(key, item, Self::post_processing_system),
                name => match kinds.iter().position(|kind| kind.name() == name) {
                    Some(place) => self.each(key, item, |reader, name, table| {
                        reader.node(name, table, place, kinds[place]);
                    }),
                    None => self.unknown(key, "table", &known),
                },
            }
        }
    }

    fn unknown(&mut self, key: &Key, what: &str, known: &[&str]) {
        let hint = did_you_mean(key.get(), known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        let message = format!("no {what} is named \"{}\"", key.get());
        self.diagnostics
            .push(Diagnostic::error(&self.file.source, key_span(key), message).hint(hint));
    }

    fn table<'i>(&mut self, key: &Key, item: &'i Item) -> Option<&'i dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            let found = item.type_name();
            self.error(item_span(item), format!("\"{}\" is a table, not a {found}", key.get()));
        }
        table
    }

    fn each(
        &mut self,
        key: &Key,
        item: &Item,
        mut read: impl FnMut(&mut Self, Word, &dyn TableLike),
    ) {
        let Some(table) = self.table(key, item) else { return };
        for (name, item) in entries(table) {
            if let Some(table) = self.table(name, item) {
                let name = Word { text: name.get().to_owned(), span: key_span(name) };
                read(self, name, table);
            }
        }
    }

    fn asn1(&mut self, key: &Key, item: &Item) {
        let Some(table) = self.table(key, item) else { return };
        for (key, item) in entries(table) {
            match key.get() {
                "modules" => self.file.modules.modules = self.setting(key, item),
                "tagging" => self.file.modules.tagging = self.tagging(key, item),
                _ => self.unknown(key, "key", &ASN1_KEYS),
            }
        }
    }

    /// One tagging for all modules, or a table with one for each.
    fn tagging(&mut self, key: &Key, item: &Item) -> Vec<Setting> {
        match item.as_table_like() {
            None => self.setting(key, item),
            Some(table) => {
                let entries: Vec<_> = entries(table).collect();
                entries.into_iter().flat_map(|(key, item)| self.setting(key, item)).collect()
            }
        }
    }

    fn state(&mut self, key: &Key, item: &Item) {
        let name = Word { text: key.get().to_owned(), span: key_span(key) };
        let Some(settings) = self.settings(&name, key, item, &STATE_KEYS, &[]) else { return };
        if let Some(dir) = settings.get("dir") {
            self.file.state = settings.path(dir);
        }
        match settings.get("disk-free").map(|free| settings.octets(free)) {
            Some(Ok(free)) => self.file.disk_free = Some(free),
            Some(Err(mistake)) => self.diagnostics.push(mistake),
            None => {}
        }
        match settings.get("keep").map(|keep| settings.duration(keep)) {
            Some(Ok(kept)) => self.file.kept = Some(kept),
            Some(Err(mistake)) => self.diagnostics.push(mistake),
            None => {}
        }
    }

    fn log(&mut self, key: &Key, item: &Item) {
        let Some(table) = self.table(key, item) else { return };
        let name = Word { text: key.get().to_owned(), span: key_span(key) };
        let mut settings = Settings { span: name.span, ..self.no_settings(&name) };
        for (key, item) in entries(table) {
            match key.get() {
                "levels" => self.file.log_levels = self.texts(&name, key, item),
                known if LOG_KEYS.contains(&known) => {
                    settings.values.extend(self.setting(key, item))
                }
                _ => self.unknown(key, "key", &[LOG_KEYS.as_slice(), &["levels"]].concat()),
            }
        }
        self.missing(&name, table, &["file"]);
        self.file.log = Some(settings);
    }

    /// A table that there is once, with these keys.
    fn whole(&mut self, key: &Key, item: &Item, known: &[&str]) -> Option<Settings> {
        let name = Word { text: key.get().to_owned(), span: key_span(key) };
        self.settings(&name, key, item, known, &[])
    }

    fn groups(&mut self, key: &Key, item: &Item) {
        let Some(table) = self.table(key, item) else { return };
        for (name, item) in entries(table) {
            let word = Word { text: name.get().to_owned(), span: key_span(name) };
            let has = |key| item.get(key).is_some();
            let (elements, systems) = (has(NETWORK_ELEMENTS), has(POST_PROCESSING_SYSTEMS));
            let required = if systems { POST_PROCESSING_SYSTEMS } else { NETWORK_ELEMENTS };
            let group = self.settings(&word, name, item, &GROUP_KEYS, &[required]);
            if elements && systems {
                let message = format!("the group \"{}\" has members of two kinds", word.text);
                let hint = "files are processed by other threads than they are delivered by: write two groups";
                let mistake = Diagnostic::error(&self.file.source, word.span, message).hint(hint);
                self.diagnostics.push(mistake);
            }
            match systems {
                true => self.file.receiver_groups.extend(group),
                false => self.file.groups.extend(group),
            }
        }
    }

    fn listen(&mut self, key: &Key, item: &Item) {
        let Some(table) = self.table(key, item) else { return };
        for (name, item) in entries(table) {
            let word = Word { text: name.get().to_owned(), span: key_span(name) };
            let listen = self.any_settings(&word, name, item);
            self.file.listen.extend(listen);
        }
    }

    /// Where a network element's files come from: a folder, or the in buffer of what it pushes.
    fn collect(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        let mut known = COLLECT_KEYS.to_vec();
        match table.contains_key("url") {
            true => known.extend(ACCESS_KEYS.into_iter().chain(FETCH_KEYS)),
            false => known.push("url"),
        }
        for (key, item) in entries(table) {
            match key.get() {
                ACCEPT => {
                    let accept = self.settings(name, key, item, &ACCEPT_KEYS, &[])?;
                    let within =
                        |of: Setting| Setting { key: format!("{ACCEPT}.{}", of.key), ..of };
                    settings.values.extend(accept.values.into_iter().map(within));
                }
                own if known.contains(&own) => settings.values.extend(self.setting(key, item)),
                _ => self.unknown(key, "key", &known),
            }
        }
        let whole = Word { text: key.get().to_owned(), span: key_span(key) };
        let from: Vec<_> = ["dir", "url", ACCEPT].iter().filter_map(|key| table.get(key)).collect();
        match from[..] {
            [] => {
                let message = format!("\"{}\" has no \"dir\"", whole.text);
                let hint = "write dir = \"FOLDER\", url = \"sftp://…\" for files that are fetched, or accept = { … } \
                            for files that are pushed";
                let missing = Diagnostic::error(&self.file.source, whole.span, message);
                self.diagnostics.push(missing.hint(hint));
            }
            [_] => {}
            [_, other, ..] => {
                let message = "files are either collected from a folder, or fetched, or pushed";
                self.error(item_span(other), message);
            }
        }
        Some(settings)
    }

    fn serve(&mut self, key: &Key, item: &Item) {
        let name = Word { text: key.get().to_owned(), span: key_span(key) };
        self.file.serve = self.settings(&name, key, item, &SERVE_KEYS, &[]);
    }

    /// What keys its tables may have is known by what they are.
    fn notify(&mut self, key: &Key, item: &Item) {
        let Some(table) = self.table(key, item) else { return };
        for (name, item) in entries(table) {
            let word = Word { text: name.get().to_owned(), span: key_span(name) };
            let channel = self.any_settings(&word, name, item);
            self.file.notify.extend(channel);
        }
    }

    fn network_element(&mut self, name: Word, table: &dyn TableLike) {
        let (mut collect, mut decode, mut duplicates) = (None, None, None);
        let (mut counted, mut audit) = (Tables::default(), None);
        for (key, item) in entries(table) {
            match key.get() {
                FILE_SEQUENCE => counted.files = self.settings(&name, key, item, &FILE_KEYS, &[]),
                RECORD_SEQUENCE => {
                    counted.records = self.settings(&name, key, item, &RECORD_KEYS, &[]);
                }
                "drift" => counted.drift = self.settings(&name, key, item, &DRIFT_KEYS, &[]),
                TOTALS => counted.totals = self.settings(&name, key, item, &TOTAL_KEYS, &[]),
                "collect" => collect = self.collect(&name, key, item),
                "decode" => decode = self.settings(&name, key, item, &CODING_KEYS, &["type"]),
                "duplicates" => {
                    duplicates = self.settings(&name, key, item, &duplicates::KEYS, &[]);
                }
                "audit" => audit = self.any_settings(&name, key, item),
                _ => self.unknown(key, "key", &NETWORK_ELEMENT_KEYS),
            }
        }
        self.missing(&name, table, &["collect", "decode"]);
        match (collect, decode) {
            (Some(collect), Some(decode)) => {
                let element = NetworkElement { name, collect, decode, duplicates, counted, audit };
                self.file.network_elements.push(element);
            }
            _ => self.file.incomplete.push(name.text),
        }
    }

    fn post_processing_system(&mut self, name: Word, table: &dyn TableLike) {
        let (mut from, mut encode, mut deliver, mut audit) = (Vec::new(), None, None, None);
        for (key, item) in entries(table) {
            match key.get() {
                "from" => from = self.words(key, item),
                "encode" => encode = self.settings(&name, key, item, &CODING_KEYS, &[]),
                "deliver" => {
                    let known = [&DELIVER_KEYS[..], &ACCESS_KEYS, &delivery::KEYS].concat();
                    let to = DELIVER_TO.map(|to| item.get(to).is_some().then_some(to));
                    let to = to.into_iter().flatten().next().unwrap_or("dir");
                    deliver = self.settings(&name, key, item, &known, &[to]);
                }
                "audit" => audit = self.any_settings(&name, key, item),
                _ => self.unknown(key, "key", &["from", "encode", "deliver", "audit"]),
            }
        }
        self.missing(&name, table, &["from", "encode", "deliver"]);
        match (encode, deliver) {
            (Some(encode), Some(deliver)) => {
                let system = PostProcessingSystem { name, from, encode, deliver, audit };
                self.file.post_processing_systems.push(system);
            }
            _ => self.file.incomplete.push(name.text),
        }
    }

    fn node(&mut self, name: Word, table: &dyn TableLike, place: usize, kind: &dyn Kind) {
        let mut from = Vec::new();
        let mut settings = self.no_settings(&name);
        for (key, item) in entries(table) {
            match key.get() {
                "from" => from = self.words(key, item),
                known if kind.keys().contains(&known) => {
                    settings.values.extend(self.setting(key, item));
                }
                known if within(kind, known).next().is_some() => {
                    settings.values.extend(self.settings_within(kind, key, item));
                }
                _ => {
                    let outer = |known: &'static str| known.split('.').next().unwrap_or(known);
                    let mut known: Vec<&str> =
                        kind.keys().iter().map(|known| outer(known)).collect();
                    known.dedup();
                    known.push("from");
                    self.unknown(key, "key", &known);
                }
            }
        }
        self.missing(&name, table, &["from"]);
        self.file.nodes.push(NodeTable { name, kind: place, from, settings });
    }

    /// The settings of a table within one: `retry = { longest = … }` is `retry.longest`.
    fn inner_settings(&mut self, known: &[&str], key: &Key, item: &Item) -> Vec<Setting> {
        let Some(table) = self.table(key, item) else { return Vec::new() };
        let mut settings = Vec::new();
        for (inner, item) in entries(table) {
            if known.contains(&inner.get()) {
                let key = format!("{}.{}", key.get(), inner.get());
                let found = self.setting(inner, item).into_iter();
                settings.extend(found.map(|found| Setting { key: key.clone(), ..found }));
            } else {
                self.unknown(inner, "key", known);
            }
        }
        settings
    }

    /// The settings of a table within a node's: `wait = { arrival = … }` is `wait.arrival` to its kind.
    fn settings_within(&mut self, kind: &dyn Kind, key: &Key, item: &Item) -> Vec<Setting> {
        let Some(table) = self.table(key, item) else { return Vec::new() };
        let mut settings = Vec::new();
        for (inner, item) in entries(table) {
            if within(kind, key.get()).any(|known| known == inner.get() || known == "*") {
                let key = format!("{}.{}", key.get(), inner.get());
                let found = self.setting(inner, item).into_iter();
                settings.extend(found.map(|found| Setting { key: key.clone(), ..found }));
            } else {
                self.unknown(inner, "key", &within(kind, key.get()).collect::<Vec<_>>());
            }
        }
        settings
    }

    fn missing(&mut self, name: &Word, table: &dyn TableLike, keys: &[&str]) {
        for key in keys.iter().filter(|key| !table.contains_key(key)) {
            self.error(name.span, format!("\"{}\" has no \"{key}\"", name.text));
        }
    }

    fn no_settings(&self, name: &Word) -> Settings {
        Settings {
            name: name.text.clone(),
            span: name.span,
            source: Arc::clone(&self.file.source),
            folder: self.file.folder.clone(),
            values: Vec::new(),
        }
    }

    fn settings(
        &mut self,
        name: &Word,
        key: &Key,
        item: &Item,
        known: &[&str],
        required: &[&str],
    ) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        for (key, item) in entries(table) {
            if known.contains(&key.get()) {
                settings.values.extend(self.setting(key, item));
            } else if let within = keys_within(known, key.get())
                && !within.is_empty()
            {
                settings.values.extend(self.inner_settings(&within, key, item));
            } else {
                self.unknown(key, "key", known);
            }
        }
        let whole = Word { text: key.get().to_owned(), span: key_span(key) };
        self.missing(&whole, table, required);
        Some(settings)
    }

    /// A table whose keys are names.
    fn any_settings(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        for (key, item) in entries(table) {
            settings.values.extend(self.setting(key, item));
        }
        Some(settings)
    }

    /// A table of texts, whose keys are names: also one by which a number goes elsewhere.
    fn texts(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
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

    /// A value as text; of a list, each element.
    fn setting(&mut self, key: &Key, item: &Item) -> Vec<Setting> {
        let words = self.words(key, item).into_iter();
        let key = key.get().to_owned();
        words.map(|Word { text, span }| Setting { key: key.clone(), value: text, span }).collect()
    }

    /// A value, or each value of a list.
    fn words(&mut self, key: &Key, item: &Item) -> Vec<Word> {
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

    /// Puts environment variables in place of their `${NAME}`.
    fn fill_in(&mut self, text: &str, span: Span) -> String {
        fill_in(text, |mistake| self.error(span, mistake))
    }
}

/// A text with environment variables in place of their `${NAME}`, as far as there are such.
pub(crate) fn filled_in(text: &str) -> String {
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

/// The keys that a table within a node's may have; `*` where they are names.
fn within(kind: &dyn Kind, table: &str) -> impl Iterator<Item = &'static str> {
    let keys = kind.keys().iter().filter_map(|key| key.split_once('.'));
    keys.filter(move |(outer, _)| *outer == table).map(|(_, inner)| inner)
}

/// The keys that a table within one may have.
fn keys_within<'k>(known: &[&'k str], table: &str) -> Vec<&'k str> {
    let keys = known.iter().filter_map(|key| key.split_once('.'));
    keys.filter(|(outer, _)| *outer == table).map(|(_, inner)| inner).collect()
}

fn entries(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}

fn key_span(key: &Key) -> Span {
    key.span().map_or(Span::default(), |span| Span::new(span.start, span.end))
}

fn item_span(item: &Item) -> Span {
    item.span().map_or(Span::default(), |span| Span::new(span.start, span.end))
}
