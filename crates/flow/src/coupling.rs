//! Network elements that are looked at together, because their records meet in a node that remembers, holds or keeps
//! something. The end of its groups is known when the files of all of them are settled. Other network elements neither
//! wait for those nor delay them.

use node::Template;

use crate::graph::Graph;
use crate::topology::Element;

/// Network elements that are looked at together.
pub struct CoupledElements {
    /// Their places, in order; each network element is in exactly one circle.
    pub elements: Vec<usize>,
    /// The nodes in which their records wait for others.
    pub holding: Vec<usize>,
    /// The nodes with timers that their records reach.
    pub timing: Vec<usize>,
    /// Whether a node after one of those keeps counters: what an ended group becomes, or a timer emits, is then counted
    /// before the records of later files, however many files are there at once.
    pub is_stepwise: bool,
}

/// Returns the circles of a flow.
pub fn circles(elements: &[Element], graph: &Graph) -> Vec<CoupledElements> {
    // What a judge has of files goes by the order of the journal: it couples nothing.
    let couples = |node: &usize| graph.nodes[*node].template.judge().is_none();
    let remembering: Vec<Vec<usize>> = elements
        .iter()
        .map(|each| each.remembering.iter().copied().filter(couples).collect())
        .collect();
    let remembering: Vec<&[usize]> = remembering.iter().map(Vec::as_slice).collect();
    let circle = |of: Vec<usize>| {
        let reached = |node: &usize| of.iter().any(|each| remembering[*each].contains(node));
        let nodes: Vec<usize> = (0..graph.nodes.len()).filter(reached).collect();
        let those = |are: fn(&dyn Template) -> bool| {
            let nodes = nodes.iter().copied();
            nodes.filter(|node| are(&*graph.nodes[*node].template)).collect::<Vec<usize>>()
        };
        let holding = those(|template| template.group_settings().is_some());
        let timing = those(|template| template.has_timers());
        let keeps = |node: &usize| couples(node) && graph.nodes[*node].template.has_values();
        let mut emitting = holding.iter().chain(&timing);
        let is_stepwise = emitting.any(|node| graph.reached_from(*node).0.iter().any(keeps));
        CoupledElements { holding, timing, elements: of, is_stepwise }
    };
    meeting(&remembering).into_iter().map(circle).collect()
}

/// Returns the sets of elements that share nodes, directly or through others; `nodes` has the nodes of each element.
fn meeting(nodes: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut circles: Vec<Vec<usize>> = Vec::new();
    for (element, own) in nodes.iter().enumerate() {
        let meets = |circle: &Vec<usize>| {
            circle.iter().any(|other| nodes[*other].iter().any(|node| own.contains(node)))
        };
        let (met, apart): (Vec<_>, Vec<_>) = circles.into_iter().partition(meets);
        let mut circle = met.concat();
        circle.push(element);
        circles = apart;
        circles.push(circle);
    }
    circles.iter_mut().for_each(|circle| circle.sort_unstable());
    circles.sort_unstable();
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_meets_in_a_node_is_in_one_circle() {
        let apart: [&[usize]; 3] = [&[], &[1], &[]];
        assert_eq!(meeting(&apart), [vec![0], vec![1], vec![2]]);
        let by_others: [&[usize]; 5] = [&[1], &[2], &[], &[3, 2], &[1, 3]];
        assert_eq!(meeting(&by_others), [vec![0, 1, 3, 4], vec![2]]);
    }
}
