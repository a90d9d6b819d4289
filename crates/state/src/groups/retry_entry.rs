//! Retries of records that waited in a node and were set aside with their group: they go back to that node.

use format::coding::Input;
use reason::Coded;
use store::{Connection, OptionalExtension as _, QueryResult};

use super::Keepings;
use super::layout::gone;
use flow::topology::Topology;
use suspense::Waited;

/// Why a record cannot go back to the node in which it waited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("retry")]
pub enum NoEntrance {
    /// The flow has no such node, or one that holds no records.
    #[error("it waited in \"{node}\", which the flow has no more")]
    NoNode {
        /// The node.
        node: String,
    },
    /// The type of its records has lost a component.
    #[error("its type was changed since it waited in \"{node}\": \"{gone}\" is no more")]
    TypeChanged {
        /// The node.
        node: String,
        /// The component.
        gone: String,
    },
    /// No network element leads to the node.
    #[error("no network element gives \"{node}\" records any more")]
    NoElement {
        /// The node.
        node: String,
    },
}

/// Returns the node in which a record waited and the way to read it there, or why it cannot go back.
pub fn input<'p>(
    flow: &Topology,
    keepings: &'p Keepings,
    waited: &Waited,
    db: &Connection,
) -> QueryResult<Result<(usize, &'p dyn Input), NoEntrance>> {
    let Waited { node, layout } = waited;
    let place = flow.graph.nodes.iter().position(|at| at.name == *node);
    let kept = place.and_then(|place| Some((place, keepings[place].as_deref()?)));
    let Some((place, keeping)) = kept else {
        return Ok(Err(NoEntrance::NoNode { node: node.clone() }));
    };
    let select = "SELECT layout FROM kept_layout WHERE id = ?";
    let known: Option<String> = db.query_row(select, [layout], |row| row.get(0)).optional()?;
    Ok(match gone(&known.unwrap_or_default(), &keeping.layout()) {
        Some(gone) => Err(NoEntrance::TypeChanged { node: node.clone(), gone: gone.to_owned() }),
        None => Ok((place, keeping.input())),
    })
}
