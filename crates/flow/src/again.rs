//! Files that are to be processed again: what was done of them stays in the journal, but they are no duplicates of it.

use std::path::Path;

use diagnostics::counted;
use store::params;

use crate::journal::{self, JournalError};
use crate::kept;
use crate::trail::Deed;

/// Which files somebody wants to be processed again.
#[derive(Clone, Debug, Default)]
pub struct AgainQuery {
    /// Those of this network element alone.
    pub network_element: Option<String>,
    /// Those of this name alone.
    pub file: Option<String>,
    /// Also where counters of subscribers are kept, which count what comes again once more.
    pub even_counters: bool,
}

/// Lets files come again, for a reason, which goes to the trail; returns how many. Where counters of subscribers are kept
/// they are refused, unless it is asked for even so: none of their records is a duplicate to these.
pub fn again(
    flow: &Path,
    query: &AgainQuery,
    who: &str,
    reason: &str,
) -> Result<usize, JournalError> {
    let AgainQuery { network_element, file, even_counters } = query;
    let counting = if *even_counters { Vec::new() } else { kept::keeping_nodes(flow)? };
    if let [node, ..] = counting.as_slice() {
        return Err(JournalError::CountsAgain(node.clone()));
    }
    journal::change(flow, |db| {
        let forgotten = db.execute(
            "UPDATE file SET is_known = 0
             WHERE is_known AND (?1 IS NULL OR network_element = ?1) AND (?2 IS NULL OR name = ?2)",
            params![network_element, file],
        )?;
        if forgotten > 0 {
            let all = "all network elements".to_owned();
            let of = network_element.as_ref().unwrap_or(&all);
            let named = file.as_ref().map_or(String::new(), |file| format!(", \"{file}\""));
            let subject = format!("{} of {of}{named}", counted(forgotten, "file"));
            let deed = Deed { who, action: "again", subject: &subject, reason, change: None };
            deed.note(db)?;
        }
        Ok(forgotten)
    })
}
