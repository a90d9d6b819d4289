//! Joins nodes to chains, so that one call takes a record through several nodes.

use node::{Chain, Link, Next};

use crate::graph::{Graph, Target};

/// The most links of a chain. A node with several givers is in it several times.
const LINKS_MAX: usize = 32;

/// The role of a node for the records that come to it.
pub enum Role {
    /// The node is called alone.
    Alone,
    /// The node is the first of a chain, which is called.
    First(Joined),
    /// Records reach it only within chains.
    Within,
}

/// A chain of nodes.
pub struct Joined {
    /// What the node of each worker is made of. It does the work of all links in one call.
    pub chain: Box<dyn Chain>,
    /// The node of each link.
    pub nodes: Vec<usize>,
    /// The receivers of each exit.
    pub targets: Vec<Vec<Target>>,
    /// The nodes on the way to each exit, each with the stream by which records leave it.
    pub passed: Vec<Vec<(usize, usize)>>,
    /// The nodes on the way to each link, in the same form.
    pub before: Vec<Vec<(usize, usize)>>,
}

/// Returns the role of each node.
pub fn roles(graph: &Graph) -> Vec<Role> {
    let mut roles: Vec<Role> = graph.nodes.iter().map(|_| Role::Within).collect();
    let entries = graph.network_elements.iter();
    let mut ahead: Vec<Target> = entries.flat_map(|entry| &entry.targets).copied().collect();
    while let Some(target) = ahead.pop() {
        let Target::Node(node) = target else { continue };
        let node = usize::from(node);
        if !matches!(roles[node], Role::Within) {
            continue;
        }
        match OpenChain::of(graph, node).join(graph) {
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
struct OpenChain {
    nodes: Vec<usize>,
    /// The next step for each link and stream.
    next: Vec<Vec<Next>>,
    targets: Vec<Vec<Target>>,
    passed: Vec<Vec<(usize, usize)>>,
    before: Vec<Vec<(usize, usize)>>,
}

impl OpenChain {
    fn of(graph: &Graph, first: usize) -> Self {
        let mut open_chain = OpenChain::default();
        if graph.nodes[first].template.is_chainable() {
            open_chain.draw(graph, first, &[]);
        }
        open_chain
    }

    /// Adds a node and those after it, up to the most links of a chain.
    fn draw(&mut self, graph: &Graph, node: usize, before: &[(usize, usize)]) -> usize {
        let link = self.nodes.len();
        self.nodes.push(node);
        self.before.push(before.to_vec());
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
        self.nodes.len() < LINKS_MAX && graph.nodes[node].template.is_chainable()
    }

    /// Returns none for a single node, or if the exits exceed their numbers of two octets.
    fn join(self, graph: &Graph) -> Option<Joined> {
        let OpenChain { nodes, next, targets, passed, before } = self;
        if nodes.len() < 2 || targets.len() > usize::from(u16::MAX) {
            return None;
        }
        let template = |node: usize| &*graph.nodes[node].template;
        let links = nodes.iter().zip(next);
        let links = links.map(|(node, next)| Link { template: template(*node), next });
        let links: Vec<Link<'_>> = links.collect();
        let chain = template(nodes[0]).join(&links)?;
        Some(Joined { chain, nodes, targets, passed, before })
    }
}
