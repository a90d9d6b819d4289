//! Files that are to be processed again: what was done of them stays in the journal, but they are no duplicates of it.

use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use store::{Answer, params};

use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;
use crate::state::counters;

/// Which files somebody wants to be processed again.
#[derive(Clone, Debug, Default)]
pub struct AgainQuery {
    /// Those of this network element alone.
    pub network_element: Option<String>,
    /// Those of this name alone.
    pub file: Option<String>,
    /// Those that had the names of these jobs alone, and those that these were found to be again.
    pub jobs: Option<Vec<i64>>,
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
    let AgainQuery { network_element, file, jobs, even_counters } = query;
    let counting = if *even_counters { Vec::new() } else { counters::keeping_nodes(flow)? };
    if let [node, ..] = counting.as_slice() {
        return Err(JournalError::CountsAgain(node.clone()));
    }
    let chosen = jobs.as_ref().map(|jobs| serde_json::to_string(jobs).expect("numbers"));
    flow_journal::change(flow, |db| {
        let mut update = db.prepare(
            "UPDATE file SET is_known = 0
             WHERE is_known AND (?1 IS NULL OR network_element = ?1) AND (?2 IS NULL OR name = ?2)
               AND (?3 IS NULL
                 OR (network_element, name) IN
                     (SELECT network_element, name FROM file WHERE id IN (SELECT value FROM json_each(?3)))
                 OR id IN (SELECT duplicate_of FROM file WHERE id IN (SELECT value FROM json_each(?3))))
             RETURNING network_element, name, retry_of IS NULL AND expired_in IS NULL",
        )?;
        let wanted = params![network_element, file, chosen];
        let forgotten = update
            .query_map(wanted, |row| Ok(((row.get(0)?, row.get(1)?), row.get::<_, bool>(2)?)))?;
        // What was done again of a file's records is no file, though it has the name of one.
        let forgotten: Vec<((String, String), bool)> = forgotten.collect::<Answer<_>>()?;
        let files = forgotten.into_iter().filter_map(|(file, is_file)| is_file.then_some(file));
        let forgotten: Vec<(String, String)> = files.collect();
        if !forgotten.is_empty() {
            let subject = match jobs {
                Some(_) => named(&forgotten),
                None => query.subject(forgotten.len()),
            };
            let deed = Action { who, action: "again", subject: &subject, reason, change: None };
            deed.record(db)?;
        }
        Ok(forgotten.len())
    })
}

/// Most files that an entry of the trail names.
const NAMED_MAX: usize = 100;

impl AgainQuery {
    /// As the trail says it, where files were chosen by what they have in common.
    fn subject(&self, forgotten: usize) -> String {
        let of = self.network_element.as_deref().unwrap_or("all network elements");
        let named = self.file.as_ref().map_or(String::new(), |file| format!(", \"{file}\""));
        format!("{} of {of}{named}", counted(forgotten, "file"))
    }
}

/// The same, where each was chosen: `2 files: "msc-1/a.ber", "msc-1/b.ber"`.
fn named(forgotten: &[(String, String)]) -> String {
    let first = forgotten.iter().take(NAMED_MAX);
    let first: Vec<String> = first.map(|(of, name)| format!("\"{of}/{name}\"")).collect();
    let more = match forgotten.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}: {}{more}", counted(forgotten.len(), "file"), first.join(", "))
}
