//! Nodes that set the records of groups aside: these are put through again from their network element, as they came. What
//! went another way too would go there twice, and what another node made came from no network element.

use diagnostics::Diagnostic;

use crate::file::FlowFile;
use crate::graph::{Graph, Target};

const HINT: &str = "write \"emit\" or \"drop\"; or give the node the records of network elements, straight or by way of \
                    filters, and what else takes them the records behind it";

/// The mistakes of nodes that set groups aside and cannot.
pub(crate) fn check(file: &FlowFile, graph: &Graph) -> Vec<Diagnostic> {
    let sets_aside =
        |node: &usize| graph.nodes[*node].template.holds().is_some_and(|holds| holds.sets_aside);
    let mistake = |node: usize| {
        let reason = refused(file, graph, node)?;
        let settings = &file.nodes[node].settings;
        let message = format!(
            "\"{}\" cannot set the records of groups aside: {reason}",
            graph.nodes[node].name
        );
        Some(settings.error(settings.get("expired")?, message).hint(HINT))
    };
    (0..graph.nodes.len()).filter(sets_aside).filter_map(mistake).collect()
}

/// Why what waits in a node cannot come again from its network element, if so.
fn refused(file: &FlowFile, graph: &Graph, node: usize) -> Option<String> {
    let leads = |targets: &[Target]| {
        targets.iter().any(|target| match target {
            Target::Node(next) => {
                let next = usize::from(*next);
                next == node || graph.reached_from(next).0.contains(&node)
            }
            _ => false,
        })
    };
    for (place, element) in graph.network_elements.iter().enumerate() {
        if leads(&element.targets) && element.targets.len() > 1 {
            let name = &file.network_elements[place].name.text;
            return Some(elsewhere(name));
        }
    }
    for (place, before) in graph.nodes.iter().enumerate() {
        if place == node || !graph.reached_from(place).0.contains(&node) {
            continue;
        }
        let name = &before.name;
        let template = &before.template;
        let makes = template.outputs().iter().any(|output| output.ty.is_some());
        if template.remembers().is_some() {
            return Some(format!("they would be duplicates to \"{name}\""));
        }
        if makes || template.holds().is_some() {
            return Some(format!("behind \"{name}\" records are not as they came"));
        }
        let divides = |targets: &&Vec<Target>| leads(targets) && targets.len() > 1;
        if before.streams.iter().any(|targets| divides(&targets)) {
            return Some(elsewhere(name));
        }
    }
    None
}

fn elsewhere(name: &str) -> String {
    format!("what \"{name}\" gives goes elsewhere too, and would go there twice")
}
