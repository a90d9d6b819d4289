//! The flow file: its drawing, the drawing of an edited text, and edits of a text.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use diagnostics::{Diagnostic, Source, Span};
use flow::{drawing, drawing::Drawn, drawing::Edit, drawing::Variables};
use operate::mistakes::{Mistake, Mistakes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, blocking};
use super::guard::{Operator, Viewer};
use crate::live::LiveEvent;
use crate::served::{Drawing, Served};
use versions::{LeftOut, digest};

/// The maximum number of edits in one request.
const EDITS_MAX: usize = 1_000;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(flow)).routes(routes!(look)).routes(routes!(edit))
}

/// The flow file as it is on the disk, with its graph and its mistakes.
#[derive(Serialize, ToSchema)]
struct Flow {
    /// The name of the flow: that of its file, or that of its folder if the file is called `flow.toml`.
    name: String,
    /// The text of the flow file.
    text: String,
    /// The digest of the text. It changes when the text does.
    digest: String,
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
    /// The kinds of tables that a flow file can have, with their keys.
    kinds: Vec<Kind>,
}

/// The graph of the flow: each node, and the streams that it takes.
#[derive(Serialize, ToSchema)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
}

/// A network element, a node, or a post-processing system.
#[derive(Serialize, ToSchema)]
struct Node {
    name: String,
    /// `network-element`, `filter`, …, `post-processing-system`.
    kind: String,
    /// The name of its table in the flow file: `filter.isRoaming`.
    table: String,
    /// The streams that it takes.
    from: Vec<From>,
    /// The names of the streams that leave it. The name is empty if there is only one.
    streams: Vec<String>,
    /// The other keys of its table, each with its value.
    #[schema(value_type = HashMap<String, Value>)]
    settings: Value,
    /// The script, as the flow file names it, if it has one.
    script: Option<String>,
    /// The line of its table in the flow file, from 1.
    line: u32,
}

/// A stream that a node takes.
#[derive(Serialize, ToSchema)]
struct From {
    /// The stream, as the flow file has it: `isRoaming.false`.
    word: String,
    /// The node that the stream leaves.
    node: String,
    /// The name of the stream. Absent if the flow file names only the node.
    stream: Option<String>,
}

/// A kind of network element, node or system, with its keys.
#[derive(Serialize, ToSchema)]
struct Kind {
    /// The name of the kind: `filter`.
    kind: String,
    /// The names of the streams that leave it. Absent if they depend on the node.
    streams: Option<Vec<String>>,
    /// The most common keys; for nodes, all keys.
    settings: Vec<Setting>,
}

/// A key of a table in the flow file.
#[derive(Serialize, ToSchema)]
struct Setting {
    /// The name. A dot separates the name of an inner table from its key: `deliver.dir`.
    key: String,
    sort: SettingSort,
    /// Whether the key must be present.
    required: bool,
    /// The meaning of the key; may be empty.
    #[schema(value_type = String)]
    help: &'static str,
}

/// The type of a value: `text`, or `truth` for `true` and `false`.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum SettingSort {
    Text,
    Truth,
}

/// The graph and the mistakes of a text.
#[derive(Serialize, ToSchema)]
struct Looked {
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// The edited text, with its graph and its mistakes.
#[derive(Serialize, ToSchema)]
struct Edited {
    /// The text after all edits.
    text: String,
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// Returns a mistake with the names of the flow's environment variables in place of their values.
fn without_values(mistake: Mistake, variables: &Variables) -> Mistake {
    let without = |message: String| variables.hidden_in(message);
    Mistake {
        file: without(mistake.file),
        message: without(mistake.message),
        hint: mistake.hint.map(without),
        text: without(mistake.text),
        ..mistake
    }
}

/// Draws a text of the served flow file.
pub(super) fn looked(served: &Served, text: &str) -> (Graph, Mistakes) {
    let withheld = served.versions.withheld(text);
    let drawing = match withheld.is_empty() {
        true => gateway::draw(&served.flow, text, served.parts),
        false => {
            let mistakes = unread(served, text, &withheld);
            drawing::draw_unread(&served.flow, text, served.parts.kinds, mistakes)
        }
    };
    let (source, variables) = (Source::new("", text), Variables::of(text));
    let mistakes = Mistakes::with(&drawing.diagnostics, |diagnostic| Mistake {
        node: drawing.owner(diagnostic).map(str::to_owned),
        ..without_values(Mistake::of(diagnostic), &variables)
    });
    let node = |node: &Drawn| Node {
        name: node.name.clone(),
        kind: node.kind.clone(),
        table: format!("{}.{}", node.kind, node.name),
        from: node
            .from
            .iter()
            .map(|taken| From {
                word: taken.word.clone(),
                node: taken.node.clone(),
                stream: taken.stream.clone(),
            })
            .collect(),
        streams: { node.streams.iter().cloned() }
            .map(|stream| variables.hidden_in(stream))
            .collect(),
        settings: Value::Object(node.settings.clone()),
        script: node.settings.get("script").and_then(Value::as_str).map(str::to_owned),
        line: u32::try_from(source.line_of(node.span.start)).unwrap_or(u32::MAX),
    };
    (Graph { nodes: drawing.nodes.iter().map(node).collect() }, mistakes)
}

/// Returns the diagnostics of a text that names withheld files. The files are not read, since a mistake in one would
/// show its content.
fn unread(served: &Served, text: &str, withheld: &[LeftOut]) -> Vec<Diagnostic> {
    let source = Source::new(served.flow.display().to_string(), text);
    let mistake = |LeftOut { name, why }: &LeftOut| {
        let quoted = format!("\"{name}\"");
        let span = text.find(&quoted).map(|at| Span::new(at + 1, at + quoted.len() - 1));
        let message = format!("{quoted} is not read here: {why}");
        Diagnostic::error(&source, span.unwrap_or_default(), message)
    };
    withheld.iter().map(mistake).collect()
}

/// Returns the flow file as it is on the disk, with its graph and its mistakes.
///
/// Mistakes in the scripts, tables and modules that it names may be a few seconds old.
#[utoipa::path(get, path = "/api/flow", tag = "flow", responses((status = 200, body = Flow)))]
async fn flow(State(served): State<Arc<Served>>, _: Viewer) -> Result<impl IntoResponse, Failure> {
    let drawn = blocking(move || drawn(&served, &served.text()?));
    Ok(([(CONTENT_TYPE, "application/json")], drawn.await?.flow.clone()))
}

/// Returns the flow with this text as the interface shows it.
pub(super) fn drawn(served: &Served, text: &str) -> Result<Arc<Drawing>, Failure> {
    let draw = || {
        let (graph, mistakes) = looked(served, text);
        let drawn = LiveEvent::Graph(&graph).data();
        let (name, text, kinds) = (served.name(), text.to_owned(), kinds(served));
        let flow = Flow { name, digest: digest(&text), text, graph, mistakes, kinds };
        Ok(Drawing { graph: drawn, flow: serde_json::to_vec(&flow)?.into() })
    };
    served.drawn(text, draw).map_err(|error| Failure::internal(&error))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// The edited text.
    pub(super) text: String,
}

/// Checks an edited text of the flow file.
///
/// The answer has the mistakes that `tollgate check` would find. Nothing is saved.
#[utoipa::path(post, path = "/api/flow/look", tag = "flow", request_body = Text,
    responses((status = 200, body = Looked)))]
async fn look(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Body(Text { text }): Body<Text>,
) -> Answered<Looked> {
    let looked = blocking(move || Ok(looked(&served, &text)));
    let (graph, mistakes) = looked.await?;
    Ok(Json(Looked { graph, mistakes }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Edits {
    /// The text to edit.
    text: String,
    /// The edits, in order; 1000 at most. If one fails, none is made. An edit is `add`, `remove`, `rename`, `connect`,
    /// `disconnect`, `set` or `unset`: `{"do": "connect", "from": "isRoaming.false", "to": "home"}`.
    edits: Vec<Edit>,
}

/// Edits a text of the flow file.
///
/// Comments and the order of tables stay. Nothing is saved.
#[utoipa::path(post, path = "/api/flow/edit", tag = "flow", request_body = Edits,
    responses((status = 200, body = Edited), (status = 422, description = "An edit cannot be made")))]
async fn edit(
    State(served): State<Arc<Served>>,
    _: Operator,
    Body(Edits { text, edits }): Body<Edits>,
) -> Answered<Edited> {
    if edits.len() > EDITS_MAX {
        return Err(Failure::wrong(format!("these are more than {EDITS_MAX} changes")));
    }
    let edited = blocking(move || {
        let text = drawing::edit(&text, &edits, served.parts.kinds)?;
        let (graph, mistakes) = looked(&served, &text);
        Ok(Edited { text, graph, mistakes })
    });
    Ok(Json(edited.await?))
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
fn kinds(served: &Served) -> Vec<Kind> {
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
    let nodes = served.parts.kinds.iter().map(|kind| Kind {
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
