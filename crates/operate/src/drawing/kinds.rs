//! The kinds of tables that a flow file can have, with their keys.

use flow::drawing;
use gateway::compile::prepare::Parts;
use serde::Serialize;
use utoipa::ToSchema;

/// A kind of network element, node or system, with its keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct Kind {
    /// The name of the kind: `filter`.
    pub kind: String,
    /// The names of the streams that leave it. Absent if they depend on the node.
    pub streams: Option<Vec<String>>,
    /// The most common keys; for nodes, all keys.
    pub settings: Vec<Setting>,
}

/// A key of a table in the flow file.
#[derive(Debug, Serialize, ToSchema)]
pub struct Setting {
    /// The name. A dot separates the name of an inner table from its key: `deliver.dir`.
    pub key: String,
    /// The type of its value.
    pub sort: SettingSort,
    /// Whether the key must be present.
    pub required: bool,
    /// The meaning of the key; may be empty.
    #[schema(value_type = String)]
    pub help: &'static str,
}

/// The type of a value: `text`, or `truth` for `true` and `false`.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingSort {
    /// A text, or another value that is written like one.
    Text,
    /// `true` or `false`.
    Truth,
}

/// A setting: its key, the type of its value, whether it is required, and its meaning.
type KnownSetting = (&'static str, SettingSort, bool, &'static str);

/// The settings of network elements, the required ones first.
const OF_ELEMENTS: &[KnownSetting] = &[
    ("collect.dir", SettingSort::Text, true, "The folder that its files are collected from"),
    (
        "collect.pattern",
        SettingSort::Text,
        false,
        "The names of the files to collect, for example \"*.ber\"",
    ),
    (
        "collect.done",
        SettingSort::Text,
        false,
        "The ending that a processed file gets, \".done\" by default",
    ),
    (
        "decode.type",
        SettingSort::Text,
        true,
        "The type of its records, for example \"MSC.CallDataRecord\"",
    ),
    (
        "decode.codec",
        SettingSort::Text,
        false,
        "The encoding of its records: \"ber\", \"csv\", \"json\", \"xml\" or \"fixed\"",
    ),
    (
        "decode.framing",
        SettingSort::Text,
        false,
        "How the records are separated in a file, for example \"length-2\"",
    ),
];

/// The settings of post-processing systems.
const OF_SYSTEMS: &[KnownSetting] = &[
    ("encode.type", SettingSort::Text, true, "The type of its records"),
    (
        "encode.codec",
        SettingSort::Text,
        false,
        "The encoding of its records: \"ber\", \"csv\", \"json\", \"xml\" or \"fixed\"",
    ),
    (
        "encode.header",
        SettingSort::Truth,
        false,
        "Whether the first line has the names of the columns",
    ),
    ("deliver.dir", SettingSort::Text, true, "The folder that its files are delivered to"),
    (
        "deliver.name",
        SettingSort::Text,
        false,
        "The names of its files, for example \"{network-element}-{stem}.csv\"",
    ),
];

/// The meanings of the keys that most kinds of nodes have.
const OF_NODES: &[(&str, &str)] = &[
    (
        "script",
        "The script, for example \"scripts/is_long.dup\". You can write a missing script in the next step",
    ),
    (
        "function",
        "The function of the script. By default, the function with the name of the node, or else the first",
    ),
];

/// Returns all kinds of nodes, with their settings.
pub fn kinds(parts: Parts<'_>) -> Vec<Kind> {
    let setting = |(key, sort, required, help): &KnownSetting| Setting {
        key: (*key).into(),
        sort: *sort,
        required: *required,
        help,
    };
    let ends = |kind: &str, settings: &[KnownSetting]| Kind {
        kind: kind.into(),
        streams: Some(if kind == drawing::NETWORK_ELEMENT {
            vec![String::new()]
        } else {
            Vec::new()
        }),
        settings: settings.iter().map(setting).collect(),
    };
    let nodes = parts.kinds.iter().map(|kind| Kind {
        kind: kind.name().into(),
        streams: None,
        settings: kind
            .keys()
            .iter()
            .map(|key| Setting {
                key: (*key).into(),
                sort: SettingSort::Text,
                required: *key == "script",
                help: OF_NODES.iter().find(|(of, _)| of == key).map_or("", |(_, help)| help),
            })
            .collect(),
    });
    let element = ends(drawing::NETWORK_ELEMENT, OF_ELEMENTS);
    let system = ends(drawing::POST_PROCESSING_SYSTEM, OF_SYSTEMS);
    std::iter::once(element).chain(nodes).chain([system]).collect()
}
