//! Checks the names in a filter. An unknown name is probably mistyped, and an empty result would hide that.

use std::path::Path;

use diagnostics::plain;
use store::{OptionalExtension as _, QueryResult};
use toml_edit::{Document, Item};

use super::Filter;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::names;

/// Refuses names that neither the flow nor the journal has. A node that was removed from the flow may still have
/// records.
pub fn known(flow: &Path, filter: &Filter) -> Result<(), JournalError> {
    names::known(flow, filter.network_element.as_deref())?;
    if let Some(file) = &filter.file {
        has_one(flow, ("file", file), "SELECT 1 FROM file WHERE name = ?")?;
    }
    // Records that could not be read reached no node, and have the empty name.
    match filter.node.as_deref().filter(|node| !node.is_empty()) {
        Some(node) if !is_named(flow, node)? => {
            has_one(flow, ("node", node), "SELECT 1 FROM set_aside WHERE node = ?")
        }
        _ => Ok(()),
    }
}

fn has_one(
    flow: &Path,
    (what, name): (&'static str, &str),
    select: &str,
) -> Result<(), JournalError> {
    let found = flow_journal::read(flow, |db| -> QueryResult<Option<i64>> {
        db.query_row(select, [name], |row| row.get(0)).optional()
    })?;
    let unknown = || JournalError::UnknownName { what, name: name.into(), flow: flow.into() };
    found.map(drop).ok_or_else(unknown)
}

/// Returns whether the flow file has a table of this name that takes records from others: `[filter.NAME]`.
fn is_named(flow: &Path, name: &str) -> Result<bool, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let text = plain::read_text(flow, plain::TEXT_OCTETS_MAX).map_err(cause)?;
    // The gateway that runs the flow reports mistakes in its text.
    let Ok(document) = Document::parse(text.as_str()) else { return Ok(false) };
    let has_it = |kind: &Item| {
        let named = kind.as_table_like().and_then(|kind| kind.get(name));
        named.and_then(Item::as_table_like).is_some_and(|table| table.contains_key("from"))
    };
    Ok(document.as_table().iter().any(|(_, kind)| has_it(kind)))
}
