//! Chains: consecutive nodes that are compiled into one.

use crate::{Node, Template};

/// A node of a chain.
pub struct Link<'t> {
    /// Its template.
    pub template: &'t dyn Template,
    /// For each output stream, where its records go.
    pub next: Vec<Next>,
}

/// Where the records of an output stream go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the link at this index. Each link has one predecessor.
    Link(usize),
    /// Out of the chain, through the exit with this number.
    Out(u16),
}

/// The template of nodes that do the work of several consecutive nodes.
pub trait Chain: Send + Sync {
    /// Makes a node for one worker. Its output streams are the exits of the chain. A
    /// [`Refusal`](crate::Refusal) has the index of its link.
    fn instance(&self) -> Box<dyn Node>;
}
