//! Warns of parallel matching nodes: a record that is late for one of them is set aside whole, so it does not reach the
//! others, which may wait longer.

use diagnostics::Diagnostic;

use flow::file::FlowFile;
use flow::graph::Graph;

/// Returns the warnings about nodes that set aside records that parallel nodes could still use.
pub(crate) fn late_beside(file: &FlowFile, graph: &Graph) -> Vec<Diagnostic> {
    let has_groups = |place: &usize| graph.nodes[*place].template.group_settings().is_some();
    let is_behind = |one: usize, other: usize| graph.reached_from(one).0.contains(&other);
    let elements = 0..graph.network_elements.len();
    let reached: Vec<Vec<usize>> = elements
        .map(|element| graph.reached(element).0.into_iter().filter(has_groups).collect())
        .collect();
    let warning = |node: usize| {
        let settings = &file.nodes[node].settings;
        let late = settings.get("late");
        if late.is_some_and(|late| late.value != "suspend") {
            return None;
        }
        let given_too = reached.iter().filter(|nodes| nodes.contains(&node)).flatten();
        let is_beside = |other: &&usize| !is_behind(node, **other) && !is_behind(**other, node);
        let other = *given_too.filter(|other| **other != node).find(is_beside)?;
        let (name, other) = (&graph.nodes[node].name, &graph.nodes[other].name);
        let span = late.map_or(settings.span, |late| late.span);
        let message = format!(
            "a record that comes late to \"{name}\" goes to suspense, and not to \"{other}\" either"
        );
        let hint =
            format!("give \"{name}\" late = \"pass\" or \"begin\" where \"{other}\" is to have it");
        Some(Diagnostic::warning(&file.source, span, message).hint(hint))
    };
    let nodes = (0..graph.nodes.len()).filter(has_groups);
    nodes.filter_map(warning).collect()
}
