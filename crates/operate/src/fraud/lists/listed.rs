//! Which lists have a key.

use flow::flow_journal::JournalError;
use runtime::time::now_ms;
use serde::Serialize;
use utoipa::ToSchema;

use super::place::folders;
use super::show::{FraudListEntry, hits};
use crate::context::Context;

/// An entry of a list that is for a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListedKey {
    /// The list.
    pub list: String,
    /// The fraud nodes that read it.
    pub nodes: Vec<String>,
    /// The entry.
    #[serde(flatten)]
    pub entry: FraudListEntry,
}

/// The lists that have a key.
#[derive(Debug, Default)]
pub(in super::super) struct Listed {
    /// The entries that are for it, by folder and list.
    pub(in super::super) found: Vec<ListedKey>,
    /// The lists that cannot be read.
    pub(in super::super) unread: Vec<String>,
}

/// Finds a key in the lists of all fraud nodes.
pub(in super::super) fn listed(context: &Context<'_>, key: &str) -> Result<Listed, JournalError> {
    let now_s = now_ms().div_euclid(1_000);
    let mut listed = Listed::default();
    for (folder, nodes) in folders(context)? {
        let Ok(names) = lists::names(&folder) else {
            listed.unread.push(folder.display().to_string());
            continue;
        };
        for list in names {
            let Ok(table) = lists::read(&lists::path(&folder, &list)) else {
                listed.unread.push(list);
                continue;
            };
            let hits = hits(context, &list)?;
            let rows = table.rows().iter().filter(|row| row.entry.is_for(key));
            listed.found.extend(rows.map(|row| ListedKey {
                list: list.clone(),
                nodes: nodes.clone(),
                entry: FraudListEntry::of(row, &hits, now_s),
            }));
        }
    }
    Ok(listed)
}
