//! Warnings of nodes whose groups wait for the slowest of several network elements, even for a silent one.

use diagnostics::Diagnostic;

use flow::file::FlowFile;
use flow::graph::Graph;

/// Returns a warning for each node with several network elements whose groups wait by record time alone.
pub fn warnings(file: &FlowFile, graph: &Graph) -> Vec<Diagnostic> {
    let reached: Vec<Vec<usize>> =
        (0..graph.network_elements.len()).map(|element| graph.reached(element).0).collect();
    let warning = |(place, node): (usize, &flow::graph::GraphNode)| {
        let groups = node.template.group_settings()?;
        let giving = reached.iter().filter(|nodes| nodes.contains(&place)).count();
        if groups.arrival.is_some() || giving < 2 {
            return None;
        }
        let span = file.nodes[place].settings.get("wait.record-time")?.span;
        let message = format!(
            "the groups of \"{}\" wait for all of {giving} network elements, also for one that is silent",
            node.name
        );
        let hint = "give \"wait\" an \"arrival\" too: so long after its first record came a group is over anyway";
        Some(Diagnostic::warning(&file.source, span, message).hint(hint))
    };
    graph.nodes.iter().enumerate().filter_map(warning).collect()
}
