//! Checks of names in queries: a name must be in the flow file, or in the journal from before. An unknown name is
//! probably mistyped, and an empty answer would hide that.

use std::collections::BTreeSet;
use std::path::Path;

use store::QueryResult;

use crate::file;
use crate::file::{FlowFile, NetworkElement};
use crate::flow_journal::{JournalError, read};

/// The most network elements that an error message lists.
const NAMED_MAX: usize = 20;

/// Refuses the name of an unknown network element.
pub fn known(flow: &Path, name: Option<&str>) -> Result<(), JournalError> {
    let Some(name) = name else { return Ok(()) };
    let noted: Vec<String> = read(flow, |db| {
        let elements = "SELECT network_element FROM file UNION SELECT network_element FROM counter";
        db.prepare(elements)?.query_map([], |row| row.get(0))?.collect::<QueryResult<_>>()
    })?;
    let elements = elements(flow)?.into_iter().map(|element| element.name.text);
    let known: BTreeSet<String> = elements.chain(noted).collect();
    match known.contains(name) {
        true => Ok(()),
        false => {
            let known = named(&known);
            Err(JournalError::UnknownElement { name: name.into(), flow: flow.into(), known })
        }
    }
}

/// Refuses the name of an unknown post-processing system.
pub fn known_system(flow: &Path, name: Option<&str>) -> Result<(), JournalError> {
    let Some(name) = name else { return Ok(()) };
    let is_noted = read(flow, |db| {
        let systems = "SELECT 1 FROM delivery WHERE post_processing_system = ?1
             UNION ALL SELECT 1 FROM slice WHERE post_processing_system = ?1";
        db.prepare(systems)?.exists([name])
    })?;
    let mut systems = outline(flow)?.post_processing_systems.into_iter();
    match is_noted || systems.any(|system| system.name.text == name) {
        true => Ok(()),
        false => {
            let what = "post-processing system";
            Err(JournalError::UnknownName { what, name: name.into(), flow: flow.into() })
        }
    }
}

fn named(known: &BTreeSet<String>) -> String {
    let names: Vec<&str> = known.iter().map(String::as_str).take(NAMED_MAX).collect();
    match (names.as_slice(), known.len() - names.len()) {
        ([], _) => "there is none".into(),
        (names, 0) => format!("there are {}", names.join(", ")),
        (names, more) => format!("there are {} and {more} more", names.join(", ")),
    }
}

/// Returns the network elements of a flow file.
pub fn elements(flow: &Path) -> Result<Vec<NetworkElement>, JournalError> {
    Ok(outline(flow)?.network_elements)
}

fn outline(flow: &Path) -> Result<FlowFile, JournalError> {
    file::outline(flow).map_err(|cause| JournalError::Flow { flow: flow.into(), cause })
}
