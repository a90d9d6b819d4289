//! Layouts of the records that wait in nodes. A changed layout would decode their octets wrongly or not at all. Such a
//! node stops, and its files wait, until its type is as it was.

use std::collections::HashSet;

use alarm::{Condition, EventType, Kind, Severity};
use node::TypeChanged;
use store::{Connection, OptionalExtension as _, QueryResult, params};

use super::Keepings;
use flow::topology::Topology;

/// The alarm for waiting records that a node cannot read, since their type has changed.
pub const UNREADABLE: &Kind = &Kind::new(
    "groups-unreadable",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The layouts of a flow's nodes at the start.
#[derive(Debug, Default)]
pub struct Forms {
    /// The nodes that stop because what waits in them is unreadable.
    pub unreadable: Vec<Condition>,
    /// New layouts, each with its node.
    new: Vec<(String, String)>,
}

impl Forms {
    /// Compares the layout of each node with the one in the journal. A layout that lacks components makes the groups
    /// that wait in the node unreadable; any other change is a new layout.
    pub fn look(flow: &Topology, keepings: &Keepings, db: &Connection) -> QueryResult<Self> {
        let mut forms = Forms::default();
        for (place, node) in flow.graph.nodes.iter().enumerate() {
            let Some(layout) = layout(keepings, place) else { continue };
            let known = known(db, &node.name)?;
            match unreadable(known.as_deref(), &node.name, &layout, db)? {
                Some(changed) => {
                    let (subject, text) = (node.name.clone(), changed.to_string());
                    forms.unreadable.push(Condition { kind: UNREADABLE, subject, text });
                }
                None if known.as_ref() != Some(&layout) => {
                    forms.new.push((node.name.clone(), layout));
                }
                None => {}
            }
        }
        Ok(forms)
    }

    /// Returns the change that notes the new layouts, if there are any.
    pub(crate) fn take_new(
        &mut self,
    ) -> Option<impl FnOnce(&Connection) -> QueryResult<()> + use<>> {
        let new = std::mem::take(&mut self.new);
        (!new.is_empty()).then_some(move |db: &Connection| {
            let insert = "INSERT INTO held_form (node, layout) VALUES (?, ?)
                          ON CONFLICT DO UPDATE SET layout = excluded.layout";
            let mut insert = db.prepare(insert)?;
            new.iter()
                .try_for_each(|(node, layout)| insert.execute(params![node, layout]).map(drop))
        })
    }
}

/// Returns why the records that wait in a node cannot be read, if so.
pub(super) fn refusal(
    flow: &Topology,
    keepings: &Keepings,
    node: usize,
    db: &Connection,
) -> QueryResult<Option<TypeChanged>> {
    let Some(layout) = layout(keepings, node) else { return Ok(None) };
    let name = &flow.graph.nodes[node].name;
    unreadable(known(db, name)?.as_deref(), name, &layout, db)
}

/// Returns the first line of a known layout that the current one lacks; without it, octets cannot be read. Components
/// may be added, but those that existed must stay where they were.
pub fn gone<'k>(known: &'k str, now: &str) -> Option<&'k str> {
    let now: HashSet<&str> = now.lines().collect();
    known.lines().find(|line| !now.contains(line))
}

fn unreadable(
    known: Option<&str>,
    node: &str,
    layout: &str,
    db: &Connection,
) -> QueryResult<Option<TypeChanged>> {
    let Some(gone) = known.and_then(|known| gone(known, layout)) else { return Ok(None) };
    let select = "SELECT open FROM held_node WHERE node = ? AND open > 0";
    let open: Option<i64> = db.query_row(select, [node], |row| row.get(0)).optional()?;
    Ok(open.map(|_| TypeChanged { node: node.into(), gone: gone.into() }))
}

fn layout(keepings: &Keepings, node: usize) -> Option<String> {
    Some(keepings[node].as_ref()?.layout())
}

fn known(db: &Connection, node: &str) -> QueryResult<Option<String>> {
    let select = "SELECT layout FROM held_form WHERE node = ?";
    db.query_row(select, [node], |row| row.get(0)).optional()
}
