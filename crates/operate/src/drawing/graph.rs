//! The graph of a text of the flow file.

use std::path::Path;

use ::versions::{LeftOut, VersionStore};
use diagnostics::{Diagnostic, Source, Span};
use flow::drawing::{self, Drawn, Variables};
use gateway::compile::prepare::Parts;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::mistakes::{Mistake, Mistakes};

/// The graph of the flow: each node, and the streams that it takes.
#[derive(Debug, Serialize, ToSchema)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A network element, a node, or a post-processing system.
#[derive(Debug, Serialize, ToSchema)]
pub struct Node {
    /// The name.
    pub name: String,
    /// The kind: `network-element`, `filter`, …, `post-processing-system`.
    pub kind: String,
    /// The name of its table in the flow file: `filter.isRoaming`.
    pub table: String,
    /// The streams that it takes.
    pub from: Vec<From>,
    /// The names of the streams that leave it. The name is empty if there is only one.
    pub streams: Vec<String>,
    /// The other keys of its table, each with its value.
    #[schema(value_type = HashMap<String, Value>)]
    pub settings: Value,
    /// The script, as the flow file names it, if it has one.
    pub script: Option<String>,
    /// The line of its table in the flow file, from 1.
    pub line: u32,
}

/// A stream that a node takes.
#[derive(Debug, Serialize, ToSchema)]
pub struct From {
    /// The stream, as the flow file has it: `isRoaming.false`.
    pub word: String,
    /// The node that the stream leaves.
    pub node: String,
    /// The name of the stream. Absent if the flow file names only the node.
    pub stream: Option<String>,
}

/// Draws a text of a flow file, and returns its mistakes. Files that are withheld are not read.
pub fn drawn(place: (&Path, Parts<'_>), store: &VersionStore, text: &str) -> (Graph, Mistakes) {
    let ((flow, parts), withheld) = (place, store.withheld(text));
    let drawing = match withheld.is_empty() {
        true => gateway::draw(flow, text, parts),
        false => {
            let mistakes = unread(flow, text, &withheld);
            drawing::draw_unread(flow, text, parts.kinds, mistakes)
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
fn unread(flow: &Path, text: &str, withheld: &[LeftOut]) -> Vec<Diagnostic> {
    let source = Source::new(flow.display().to_string(), text);
    let mistake = |LeftOut { name, why }: &LeftOut| {
        let quoted = format!("\"{name}\"");
        let span = text.find(&quoted).map(|at| Span::new(at + 1, at + quoted.len() - 1));
        let message = format!("{quoted} is not read here: {why}");
        Diagnostic::error(&source, span.unwrap_or_default(), message)
    };
    withheld.iter().map(mistake).collect()
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
