//! Warns of streams that the flow asks for and that have no receiver: their records are filtered out.

use diagnostics::Diagnostic;
use node::Unconsumed;

use flow::file::FlowFile;
use flow::graph::{Graph, GraphNode};

/// Returns the warnings about such streams.
pub(crate) fn untaken(file: &FlowFile, graph: &Graph) -> Vec<Diagnostic> {
    let of_node = |(place, node): (usize, &GraphNode)| -> Vec<Diagnostic> {
        let settings = &file.nodes[place].settings;
        let outputs = node.template.outputs().iter().zip(&node.streams);
        let untaken = outputs.filter(|(output, targets)| {
            output.unconsumed == Unconsumed::FilteredWithWarning && targets.is_empty()
        });
        let warning = |name: &str| {
            let span = settings.get(name).map_or(settings.span, |setting| setting.span);
            let stream = format!("{}.{name}", node.name);
            let message = format!("nothing takes \"{stream}\": these records are filtered out");
            let hint = format!(
                "give them to a post-processing system with from = \"{stream}\", or write \"suspend\""
            );
            Diagnostic::warning(&file.source, span, message).hint(hint)
        };
        untaken.map(|(output, _)| warning(&output.name)).collect()
    };
    graph.nodes.iter().enumerate().flat_map(of_node).collect()
}
