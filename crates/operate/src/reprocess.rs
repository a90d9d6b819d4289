//! Lets files be processed again. Their results stay in the journal, but they no longer count as duplicates.

use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::commit::known::forget_files;
use state::counters;

/// The files to process again.
#[derive(Clone, Debug, Default)]
pub struct AgainQuery {
    /// Only those of this network element.
    pub network_element: Option<String>,
    /// Only those of this name.
    pub file: Option<String>,
    /// Only those with the names of these jobs, and those that the jobs duplicate.
    pub jobs: Option<Vec<i64>>,
    /// Whether to allow it if the flow keeps counters of subscribers, which then count the records once more.
    pub even_counters: bool,
}

/// Lets files come again, for a reason, which goes to the audit trail. Returns how many. If the flow keeps counters of
/// subscribers, it fails unless `even_counters` is set: counters do not recognize duplicates.
pub fn again(
    flow: &Path,
    query: &AgainQuery,
    who: &str,
    reason: &str,
) -> Result<usize, JournalError> {
    let AgainQuery { network_element, file, jobs, even_counters } = query;
    let counting = if *even_counters { Vec::new() } else { counters::counter_nodes(flow)? };
    if let [node, ..] = counting.as_slice() {
        return Err(JournalError::CountsAgain(node.clone()));
    }
    let chosen = jobs.as_ref().map(|jobs| serde_json::to_string(jobs).expect("numbers"));
    flow_journal::change(flow, |db| {
        let forgotten =
            forget_files(db, network_element.as_deref(), file.as_deref(), chosen.as_deref())?;
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

/// The most files that an entry of the audit trail names.
const NAMED_MAX: usize = 100;

impl AgainQuery {
    /// Returns the text for the audit trail if files were chosen by a common property.
    fn subject(&self, forgotten: usize) -> String {
        let of = self.network_element.as_deref().unwrap_or("all network elements");
        let named = self.file.as_ref().map_or(String::new(), |file| format!(", \"{file}\""));
        format!("{} of {of}{named}", counted(forgotten, "file"))
    }
}

/// Returns the text for the audit trail if each file was chosen: `2 files: "msc-1/a.ber", "msc-1/b.ber"`.
fn named(forgotten: &[(String, String)]) -> String {
    let first = forgotten.iter().take(NAMED_MAX);
    let first: Vec<String> = first.map(|(of, name)| format!("\"{of}/{name}\"")).collect();
    let more = match forgotten.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}: {}{more}", counted(forgotten.len(), "file"), first.join(", "))
}
