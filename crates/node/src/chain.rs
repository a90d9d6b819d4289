//! Chains: nodes behind each other that do their work in one piece.

use crate::{Node, Template};

/// A node that others stand behind, or that stands behind another.
pub struct Link<'t> {
    /// What it is made from.
    pub template: &'t dyn Template,
    /// By stream: where a record goes on.
    pub next: Vec<Next>,
}

/// Where a record goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the link of this place, to which no other leads.
    Link(usize),
    /// Out of the chain, by the way of this number.
    Out(u16),
}

/// What nodes are made from that do at once what those of several templates do one after the other.
pub trait Chain: Send + Sync {
    /// A node for one worker. The stream on which a record goes on is the number of its way out. A
    /// [`Refusal`](crate::Refusal) says which link's it is.
    fn instance(&self) -> Box<dyn Node>;
}
