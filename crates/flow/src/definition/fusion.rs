//! Which nodes are joined to chains, so that a record passes several of them in one call.

use node::{Chain, Link, Next};

use crate::definition::graph::{Graph, Target};

/// Most nodes of a chain. One to which several others lead stands in it several times.
const LINKS_MAX: usize = 32;

/// What a node is to the records that come to it.
pub(crate) enum Role {
    /// It is called for them.
    Alone,
    /// A chain that begins with it is.
    First(Joined),
    /// They come to it within chains alone.
    Within,
}

/// Nodes that were joined.
pub(crate) struct Joined {
    pub(crate) chain: Box<dyn Chain>,
    /// By link: the node.
    pub(crate) nodes: Vec<usize>,
    /// By way out: who is given the records.
    pub(crate) targets: Vec<Vec<Target>>,
    /// By way out: the nodes that lead there, each with the stream on which records go on from it.
    pub(crate) passed: Vec<Vec<(usize, usize)>>,
}

/// By node.
pub(crate) fn roles(graph: &Graph) -> Vec<Role> {
    let mut roles: Vec<Role> = graph.nodes.iter().map(|_| Role::Within).collect();
    let entries = graph.network_elements.iter();
    let mut ahead: Vec<Target> = entries.flat_map(|entry| &entry.targets).copied().collect();
    while let Some(target) = ahead.pop() {
        let Target::Node(node) = target else { continue };
        let node = usize::from(node);
        if !matches!(roles[node], Role::Within) {
            continue;
        }
        match Drawn::of(graph, node).join(graph) {
            Some(joined) => {
                ahead.extend(joined.targets.iter().flatten());
                roles[node] = Role::First(joined);
            }
            None => {
                ahead.extend(graph.nodes[node].streams.iter().flatten());
                roles[node] = Role::Alone;
            }
        }
    }
    roles
}

/// A chain that is not joined yet.
#[derive(Default)]
struct Drawn {
    nodes: Vec<usize>,
    /// By link and stream.
    next: Vec<Vec<Next>>,
    targets: Vec<Vec<Target>>,
    passed: Vec<Vec<(usize, usize)>>,
}

impl Drawn {
    fn of(graph: &Graph, first: usize) -> Self {
        let mut drawn = Drawn::default();
        if graph.nodes[first].template.links() {
            drawn.draw(graph, first, &[]);
        }
        drawn
    }

    /// Draws a node and what is behind it; goes no deeper than there may be links.
    fn draw(&mut self, graph: &Graph, node: usize, before: &[(usize, usize)]) -> usize {
        let link = self.nodes.len();
        self.nodes.push(node);
        self.next.push(Vec::new());
        for (stream, targets) in graph.nodes[node].streams.iter().enumerate() {
            let passed = [before, &[(node, stream)]].concat();
            let next = match targets.as_slice() {
                [Target::Node(next)] if self.takes(graph, usize::from(*next)) => {
                    Next::Link(self.draw(graph, usize::from(*next), &passed))
                }
                _ => {
                    self.targets.push(targets.clone());
                    self.passed.push(passed);
                    Next::Out((self.targets.len() - 1) as u16)
                }
            };
            self.next[link].push(next);
        }
        link
    }

    fn takes(&self, graph: &Graph, node: usize) -> bool {
        self.nodes.len() < LINKS_MAX && graph.nodes[node].template.links()
    }

    /// Nothing is to be joined to a node alone; and ways out have numbers of two octets.
    fn join(self, graph: &Graph) -> Option<Joined> {
        let Drawn { nodes, next, targets, passed } = self;
        if nodes.len() < 2 || targets.len() > usize::from(u16::MAX) {
            return None;
        }
        let template = |node: usize| &*graph.nodes[node].template;
        let links = nodes.iter().zip(next);
        let links = links.map(|(node, next)| Link { template: template(*node), next });
        let links: Vec<Link<'_>> = links.collect();
        let chain = template(nodes[0]).join(&links)?;
        Some(Joined { chain, nodes, targets, passed })
    }
}
