//! The flow file: its drawing, the drawing of an edited text, and edits of a text.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use diagnostics::{Diagnostic, Source, Span};
use flow::drawing::{self, Drawn, Edit, Variables};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, blocking};
use super::guard::{Operator, Viewer};
use super::mirrors;
use crate::served::{Drawing, Served};
use crate::versions::{LeftOut, digest};

/// The maximum number of edits in one request.
const EDITS_MAX: usize = 1_000;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(flow)).routes(routes!(look)).routes(routes!(edit))
}

/// The flow file as it lies on the disk.
#[derive(Serialize, ToSchema)]
struct Flow {
    name: String,
    text: String,
    /// Tells the text from another one.
    digest: String,
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
    kinds: Vec<Kind>,
}

/// Who gives records to whom.
#[derive(Serialize, ToSchema)]
pub(super) struct Graph {
    nodes: Vec<Node>,
}

/// A network element, a node, or a post-processing system.
#[derive(Serialize, ToSchema)]
struct Node {
    name: String,
    /// `network-element`, `filter`, …, `post-processing-system`.
    kind: String,
    /// As the flow file has it: `filter.isRoaming`.
    table: String,
    from: Vec<From>,
    /// The names of its streams; one without a name is the only one.
    streams: Vec<String>,
    /// The keys of its table, each with what the flow file says.
    #[schema(value_type = HashMap<String, Value>)]
    settings: Value,
    script: Option<String>,
    /// Where it stands.
    line: u32,
}

/// A stream that is taken.
#[derive(Serialize, ToSchema)]
struct From {
    /// As it is written: `isRoaming.false`.
    word: String,
    node: String,
    stream: Option<String>,
}

/// A kind of node, and what may be said of one.
#[derive(Serialize, ToSchema)]
struct Kind {
    kind: String,
    /// The names of its streams, where they are always the same.
    streams: Option<Vec<String>>,
    settings: Vec<Setting>,
}

/// A key of a table.
#[derive(Serialize, ToSchema)]
struct Setting {
    /// Behind a dot where it is in a table within: `deliver.dir`.
    key: String,
    #[schema(value_type = String)]
    sort: &'static str,
    required: bool,
    #[schema(value_type = String)]
    help: &'static str,
}

/// A mistake, or a warning.
#[derive(Serialize, ToSchema)]
struct Mistake {
    /// `error` or `warning`.
    #[schema(value_type = String)]
    severity: &'static str,
    file: String,
    line: usize,
    column: usize,
    message: String,
    hint: Option<String>,
    /// Whose it is, where that is known.
    node: Option<String>,
    /// As the command line shows it.
    text: String,
}

/// What a text is.
#[derive(Serialize, ToSchema)]
struct Looked {
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// A text that was changed, and what it is.
#[derive(Serialize, ToSchema)]
struct Edited {
    text: String,
    graph: Graph,
    #[serde(flatten)]
    mistakes: Mistakes,
}

impl Mistake {
    /// Returns the mistake without a node.
    fn of(diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.place();
        Mistake {
            severity: if diagnostic.is_error() { "error" } else { "warning" },
            file: diagnostic.source.name.clone(),
            line: place.line,
            column: place.column,
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
            node: None,
            text: diagnostic.to_string(),
        }
    }
}

impl Mistake {
    /// Replaces the values of the flow's environment variables by their names.
    fn without(self, variables: &Variables) -> Self {
        let without = |said: String| variables.hidden_in(said);
        Mistake {
            file: without(self.file),
            message: without(self.message),
            hint: self.hint.map(without),
            text: without(self.text),
            ..self
        }
    }
}

/// The maximum number of diagnostics in an answer. A text may have one per word, and more are of no use before some are
/// corrected.
const MISTAKES_MAX: usize = 200;

/// Mistakes and warnings of a text, as many as are told.
#[derive(Serialize, ToSchema)]
pub(super) struct Mistakes {
    diagnostics: Vec<Mistake>,
    /// How many more there are that are not told, warnings before mistakes.
    diagnostics_left_out: usize,
}

impl Mistakes {
    pub(super) fn of(diagnostics: &[Diagnostic]) -> Self {
        Self::limited(diagnostics, Mistake::of)
    }

    fn limited(diagnostics: &[Diagnostic], tell: impl Fn(&Diagnostic) -> Mistake) -> Self {
        let (shown, left_out) = match diagnostics.len() > MISTAKES_MAX {
            true => diagnostics::first(diagnostics, MISTAKES_MAX),
            false => (diagnostics.iter().collect(), 0),
        };
        let diagnostics = shown.into_iter().map(tell).collect();
        Mistakes { diagnostics, diagnostics_left_out: left_out }
    }
}

/// Draws a text of the served flow file.
pub(super) fn looked(served: &Served, text: &str) -> (Graph, Mistakes) {
    let withheld = served.versions.withheld(text);
    let drawing = match withheld.is_empty() {
        true => flow::draw(&served.flow, text, served.parts),
        false => {
            let mistakes = unread(served, text, &withheld);
            drawing::draw_unread(&served.flow, text, served.parts.kinds, mistakes)
        }
    };
    let (source, variables) = (Source::new("", text), Variables::of(text));
    let mistakes = Mistakes::limited(&drawing.diagnostics, |diagnostic| Mistake {
        node: drawing.owner(diagnostic).map(str::to_owned),
        ..Mistake::of(diagnostic).without(&variables)
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

/// The flow file that is served, as it lies on the disk; what is said of the scripts, tables and modules that it names is as
/// it was a moment ago.
#[utoipa::path(get, path = "/api/flow", tag = "flow", responses((status = 200, body = Flow)))]
async fn flow(State(served): State<Arc<Served>>, _: Viewer) -> Result<impl IntoResponse, Failure> {
    let drawn = blocking(move || drawn(&served, &served.text()?));
    Ok(([(CONTENT_TYPE, "application/json")], drawn.await?.flow.clone()))
}

/// Returns the flow with this text as the interface shows it.
pub(super) fn drawn(served: &Served, text: &str) -> Result<Arc<Drawing>, Failure> {
    let draw = || {
        let (graph, mistakes) = looked(served, text);
        let drawn = serde_json::to_string(&graph)?;
        let (name, text, kinds) = (served.name(), text.to_owned(), kinds(served));
        let flow = Flow { name, digest: digest(&text), text, graph, mistakes, kinds };
        Ok(Drawing { graph: drawn, flow: serde_json::to_vec(&flow)?.into() })
    };
    served.drawn(text, draw).map_err(|error| Failure::internal(&error))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    pub(super) text: String,
}

/// What `tollgate check` would say of another text in its place.
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
    text: String,
    /// One after the other, all or none: `{"do": "connect", "from": "isRoaming.false", "to": "home"}`; `add`, `remove`,
    /// `rename`, `connect`, `disconnect`, `set`, `unset`.
    #[schema(value_type = Vec<mirrors::FlowEdit>)]
    edits: Vec<Edit>,
}

/// Changes a text; comments and order stay. Nothing is kept.
#[utoipa::path(post, path = "/api/flow/edit", tag = "flow", request_body = Edits,
    responses((status = 200, body = Edited), (status = 422, description = "A change cannot be made")))]
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

/// The settings of network elements, the required ones first.
const OF_ELEMENTS: &[(&str, &str, bool, &str)] = &[
    ("collect.dir", "text", true, "The folder its files are collected from"),
    ("collect.pattern", "text", false, "Which files, as \"*.ber\""),
    (
        "collect.done",
        "text",
        false,
        "What becomes of files that are done: \"rename\", \"move\" or \"delete\"",
    ),
    ("decode.type", "text", true, "The type of its records, as \"MSC.CallDataRecord\""),
    (
        "decode.codec",
        "text",
        false,
        "How they are written: \"ber\", \"csv\", \"json\", \"xml\" or \"fixed\"",
    ),
    ("decode.framing", "text", false, "How a file holds its records"),
];

/// The settings of post-processing systems.
const OF_SYSTEMS: &[(&str, &str, bool, &str)] = &[
    ("encode.type", "text", true, "The type of its records"),
    (
        "encode.codec",
        "text",
        false,
        "How they are written: \"ber\", \"csv\", \"json\", \"xml\" or \"fixed\"",
    ),
    ("encode.header", "truth", false, "Whether the names of the columns stand in the first line"),
    ("deliver.dir", "text", true, "The folder its files go to"),
    (
        "deliver.name",
        "text",
        false,
        "How its files are called, as \"{network-element}-{stem}.csv\"",
    ),
];

/// The meanings of the keys that most kinds of nodes have.
const OF_NODES: &[(&str, &str)] = &[
    (
        "script",
        "Its script, as \"scripts/is_long.dup\"; one that is not there yet can be written next",
    ),
    (
        "function",
        "Which function of the script, where it is not the one of the node's name, or the first",
    ),
];

/// Returns all kinds of nodes, with their settings.
fn kinds(served: &Served) -> Vec<Kind> {
    let setting = |(key, sort, required, help): &(&str, &'static str, bool, &'static str)| {
        Setting { key: (*key).into(), sort, required: *required, help }
    };
    let ends = |kind: &str, settings: &[(&str, &'static str, bool, &'static str)]| Kind {
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
                sort: "text",
                required: *key == "script",
                help: OF_NODES.iter().find(|(of, _)| of == key).map_or("", |(_, help)| help),
            })
            .collect(),
    });
    let element = ends(drawing::NETWORK_ELEMENT, OF_ELEMENTS);
    let system = ends(drawing::POST_PROCESSING_SYSTEM, OF_SYSTEMS);
    std::iter::once(element).chain(nodes).chain([system]).collect()
}
