//! The tables of a flow file, and the keys that each may have.

use diagnostics::Diagnostic;
use format::CODING_KEYS;
use node::Kind;
use settings::{Setting, Settings};
use toml_edit::{Item, Key, TableLike};
use transport::{ACCEPT, ACCEPT_KEYS, ACCESS_KEYS};

use super::reader::{Known, Reader, entries, item_span, key_span};
use super::schema::{Keys, RoomTables, TableSchema};
use super::{NetworkElement, NodeTable, PostProcessingSystem, Word};
use crate::limits::{ALARM_KEYS, OF_ELEMENT_KEYS, OF_NODE_KEYS, OF_SYSTEM_KEYS};

const NETWORK_ELEMENT: &str = "network-element";
const POST_PROCESSING_SYSTEM: &str = "post-processing-system";
const GROUP: &str = "group";
const NOTIFY: &str = "notify";
const ACTION: &str = "action";
const PROCESSING: &str = "processing";
const ALARMS: &str = "alarms";
const LISTEN: &str = "listen";
const ASN1_KEYS: [&str; 2] = ["modules", "tagging"];
const COLLECT_KEYS: [&str; 13] = [
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
    "size-limit",
    "suspense-limit",
    FILES_AT_ONCE,
];
const DELIVER_KEYS: [&str; 4] = ["dir", "name", "limit", FILES_AT_ONCE];
/// The keys for the destination of files: a folder, or a remote place.
const DELIVER_TO: [&str; 2] = ["dir", "url"];
const SERVE_KEYS: [&str; 5] =
    ["listen", "token-file", "certificate-file", "key-file", SECOND_PERSON];
const LOG_KEYS: [&str; 5] = ["file", "format", "rotate", "kept", "level"];
const GROUP_KEYS: [&str; 6] =
    [NETWORK_ELEMENTS, POST_PROCESSING_SYSTEMS, "priority", "weight", "processes", "threads"];
const PROCESSING_KEYS: [&str; 3] = ["processes", "threads", "bind"];
/// The keys for the members of a group, which has either the one or the other.
pub(crate) const NETWORK_ELEMENTS: &str = "network-elements";
/// The key for the members of a group of post-processing systems.
pub const POST_PROCESSING_SYSTEMS: &str = "post-processing-systems";
/// The key for the most files in work at once, of a network element or for a post-processing system.
pub const FILES_AT_ONCE: &str = "files-at-once";
/// The key that says whether an activation needs a second person.
pub(crate) const SECOND_PERSON: &str = "second-person";
const STATE_KEYS: [&str; 3] = ["dir", "disk-free", "keep"];

impl Reader<'_> {
    pub(super) fn document(&mut self, document: &dyn TableLike, kinds: &[&dyn Kind]) {
        let schemas = self.schemas.map_or(&[][..], |schemas| schemas.flow);
        let mut known = vec!["asn1", "state", "log", PROCESSING];
        known.extend(schemas.iter().map(|schema| schema.name));
        known.extend([
            ALARMS,
            GROUP,
            LISTEN,
            NOTIFY,
            ACTION,
            "serve",
            NETWORK_ELEMENT,
            POST_PROCESSING_SYSTEM,
        ]);
        known.extend(kinds.iter().map(|kind| kind.name()));
        for (key, item) in entries(document) {
            match key.get() {
                "asn1" => self.asn1(key, item),
                "state" => self.state(key, item),
                "log" => self.log(key, item),
                PROCESSING => self.file.processing = self.whole(key, item, &PROCESSING_KEYS),
                ALARMS => self.file.alarms = self.whole(key, item, &ALARM_KEYS),
                GROUP => self.groups(key, item),
                LISTEN => self.listen(key, item),
                NOTIFY => {
                    let named = self.named(key, item);
                    self.file.notify.extend(named);
                }
                ACTION => {
                    let named = self.named(key, item);
                    self.file.actions.extend(named);
                }
                "serve" => self.serve(key, item),
                NETWORK_ELEMENT => self.each(key, item, Self::network_element),
                POST_PROCESSING_SYSTEM => self.each(key, item, Self::post_processing_system),
                name => match kinds.iter().position(|kind| kind.name() == name) {
                    Some(place) => self.each(key, item, |reader, name, table| {
                        reader.node(name, table, place, kinds[place]);
                    }),
                    None => {
                        let name = Word { text: name.to_owned(), span: key_span(key) };
                        match self.room_table(schemas, &name, key, item) {
                            Some(table) => self.file.tables.push(key.get(), table),
                            None => self.unknown(key, "table", &known),
                        }
                    }
                },
            }
        }
    }

    /// Reads the table of a room; none if no room has a table of this name. Without schemas, every table is accepted.
    fn room_table(
        &mut self,
        schemas: &[&TableSchema],
        name: &Word,
        key: &Key,
        item: &Item,
    ) -> Option<Option<Settings>> {
        let schema = schemas.iter().find(|schema| schema.name == key.get());
        match (schema, self.schemas) {
            (Some(schema), _) => Some(match schema.keys {
                Keys::These(keys) => self.settings(name, key, item, keys, &[]),
                Keys::Chosen => self.any_settings(name, key, item),
            }),
            (None, Some(_)) => None,
            (None, None) => Some(self.read_settings(name, key, item, Known::Any, &[])),
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

    /// Reads one tagging for all modules, or a table with one for each.
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
            Some(Ok(retention)) => self.file.retention = Some(retention),
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

    /// Reads a table of the flow that has these keys.
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

    /// Reads where a network element's files come from: a folder, a remote place, or a push to the gateway.
    fn collect(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let table = self.table(key, item)?;
        let mut settings = Settings { span: key_span(key), ..self.no_settings(name) };
        let mut known = COLLECT_KEYS.to_vec();
        match table.contains_key("url") {
            true => {
                known.extend(ACCESS_KEYS);
                known.extend(self.schemas.map_or(&[][..], |schemas| schemas.fetch));
            }
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
                own if known.contains(&own) || self.schemas.is_none() => {
                    settings.values.extend(self.setting(key, item))
                }
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

    /// Reads tables with names and any keys, such as `[notify.*]`: the keys depend on the kind of each.
    fn named(&mut self, key: &Key, item: &Item) -> Vec<Settings> {
        let Some(table) = self.table(key, item) else { return Vec::new() };
        let mut named = Vec::new();
        for (name, item) in entries(table) {
            let word = Word { text: name.get().to_owned(), span: key_span(name) };
            named.extend(self.any_settings(&word, name, item));
        }
        named
    }

    fn network_element(&mut self, name: Word, table: &dyn TableLike) {
        let schemas = self.schemas.map_or(&[][..], |schemas| schemas.network_element);
        let (mut collect, mut decode, mut alarms) = (None, None, None);
        let mut tables = RoomTables::default();
        for (key, item) in entries(table) {
            match key.get() {
                "collect" => collect = self.collect(&name, key, item),
                "decode" => decode = self.decode(&name, key, item),
                ALARMS => alarms = self.settings(&name, key, item, &OF_ELEMENT_KEYS, &[]),
                _ => match self.room_table(schemas, &name, key, item) {
                    Some(table) => tables.push(key.get(), table),
                    None => {
                        let own = schemas.iter().map(|schema| schema.name);
                        let known: Vec<&str> =
                            ["collect", "decode"].into_iter().chain(own).chain([ALARMS]).collect();
                        self.unknown(key, "key", &known);
                    }
                },
            }
        }
        self.missing(&name, table, &["collect", "decode"]);
        match (collect, decode) {
            (Some(collect), Some(decode)) => {
                let element = NetworkElement { name, collect, decode, tables, alarms };
                self.file.network_elements.push(element);
            }
            _ => self.file.incomplete.push(name.text),
        }
    }

    /// Reads how records are decoded. A codec may have a type of its own.
    fn decode(&mut self, name: &Word, key: &Key, item: &Item) -> Option<Settings> {
        let mut decode = self.settings(name, key, item, &CODING_KEYS, &[])?;
        format::complete(&mut decode);
        if decode.get("type").is_none() {
            self.error(key_span(key), format!("\"{}\" has no \"type\"", key.get()));
        }
        Some(decode)
    }

    fn post_processing_system(&mut self, name: Word, table: &dyn TableLike) {
        let (mut from, mut encode, mut deliver) = (Vec::new(), None, None);
        let schemas = self.schemas.map_or(&[][..], |schemas| schemas.post_processing_system);
        let (mut tables, mut alarms) = (RoomTables::default(), None);
        for (key, item) in entries(table) {
            match key.get() {
                "from" => from = self.words(key, item),
                "encode" => encode = self.settings(&name, key, item, &CODING_KEYS, &[]),
                "deliver" => {
                    let more = self.schemas.map_or(&[][..], |schemas| schemas.deliver);
                    let known = [&DELIVER_KEYS[..], &ACCESS_KEYS, more].concat();
                    let to = DELIVER_TO.map(|to| item.get(to).is_some().then_some(to));
                    let to = to.into_iter().flatten().next().unwrap_or("dir");
                    let known = self.known(&known);
                    deliver = self.read_settings(&name, key, item, known, &[to]);
                }
                ALARMS => alarms = self.settings(&name, key, item, &OF_SYSTEM_KEYS, &[]),
                _ => match self.room_table(schemas, &name, key, item) {
                    Some(table) => tables.push(key.get(), table),
                    None => {
                        let own = schemas.iter().map(|schema| schema.name);
                        let known = ["from", "encode", "deliver"].into_iter().chain(own);
                        self.unknown(key, "key", &known.chain([ALARMS]).collect::<Vec<_>>());
                    }
                },
            }
        }
        self.missing(&name, table, &["from", "encode", "deliver"]);
        match (encode, deliver) {
            (Some(encode), Some(deliver)) => {
                let system = PostProcessingSystem { name, from, encode, deliver, tables, alarms };
                self.file.post_processing_systems.push(system);
            }
            _ => self.file.incomplete.push(name.text),
        }
    }

    fn node(&mut self, name: Word, table: &dyn TableLike, place: usize, kind: &dyn Kind) {
        let (mut from, mut alarms) = (Vec::new(), None);
        let mut settings = self.no_settings(&name);
        for (key, item) in entries(table) {
            match key.get() {
                "from" => from = self.words(key, item),
                ALARMS => alarms = self.settings(&name, key, item, &OF_NODE_KEYS, &[]),
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
                    known.extend(["from", ALARMS]);
                    self.unknown(key, "key", &known);
                }
            }
        }
        self.missing(&name, table, &["from"]);
        self.file.nodes.push(NodeTable { name, kind: place, from, alarms, settings });
    }

    /// Reads a table within a node's table: `wait = { arrival = … }` is `wait.arrival` for its kind.
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
}

/// Returns the keys that a table within a node's table may have; `*` stands for any name.
fn within(kind: &dyn Kind, table: &str) -> impl Iterator<Item = &'static str> {
    let keys = kind.keys().iter().filter_map(|key| key.split_once('.'));
    keys.filter(move |(outer, _)| *outer == table).map(|(_, inner)| inner)
}
