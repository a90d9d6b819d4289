//! Retries of records that waited in a node and were set aside with their group: they go back to that node.

use format::coding::Input;
use store::{Answer, Connection, OptionalExtension as _};

use super::Keepings;
use super::layout::gone;
use crate::definition::topology::Topology;
use crate::suspense::Waited;

/// Returns the node in which a record waited and the way to read it there, or why it cannot go back.
pub(crate) fn input<'p>(
    flow: &Topology,
    keepings: &'p Keepings,
    waited: &Waited,
    db: &Connection,
) -> Answer<Result<(usize, &'p dyn Input), String>> {
    let Waited { node, layout } = waited;
    let place = flow.graph.nodes.iter().position(|at| at.name == *node);
    let kept = place.and_then(|place| Some((place, keepings[place].as_deref()?)));
    let Some((place, keeping)) = kept else {
        return Ok(Err(format!("it waited in \"{node}\", which the flow has no more")));
    };
    let select = "SELECT layout FROM kept_layout WHERE id = ?";
    let known: Option<String> = db.query_row(select, [layout], |row| row.get(0)).optional()?;
    Ok(match gone(&known.unwrap_or_default(), &keeping.layout()) {
        Some(gone) => Err(format!(
            "its type was changed since it waited in \"{node}\": \"{gone}\" is no more"
        )),
        None => Ok((place, keeping.input())),
    })
}
