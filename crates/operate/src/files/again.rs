//! Allows files to be processed again. Their results stay in the journal, but they no longer count as duplicates.

use diagnostics::counted;
use flow::flow_journal::JournalError;
use gateway::commit::known::{Forgotten, forget_files};
use journal::audit_trail::Author;
use people::Role;
use serde::{Deserialize, Serialize};
use state::counters;
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Allows processed files to be processed again.
///
/// If such a file arrives again, it is no duplicate. The earlier outputs stay. A file has to meet all given conditions.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct AllowFilesAgain {
    /// The files of these jobs: those of the same name and network element, and those that these are duplicates of.
    pub jobs: Option<Vec<i64>>,
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files of this name.
    pub file: Option<String>,
    /// `true` for all files that were ever processed. Required if there is no other condition.
    #[serde(default)]
    pub all: bool,
    /// Whether to allow it although the flow keeps counters of subscribers. They count the records a second time.
    #[serde(default)]
    pub even_counters: bool,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of allowing files again.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllowedFiles {
    /// The number of files that may be processed again from now on.
    pub files: usize,
}

refusals! {
    /// Why files are not processed again.
    pub enum AllowFilesError {
        /// The request does not say which files.
        NothingChosen => Wrong "files-not-chosen"
            "say which files are meant: their jobs, their network element, their name, or all",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// A node keeps counters, which do not recognize duplicates.
        Counters {
            /** Its name. */
            node: String,
        } => Conflict "counters-would-count-again"
            "\"{node}\" keeps counters of subscribers, which would count the records a second time; \
             if you want that, set even-counters",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for AllowFilesAgain {
    type Response = AllowedFiles;
    type Error = AllowFilesError;

    const NAME: &'static str = "files again";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<AllowedFiles, AllowFilesError> {
        if !self.chooses() {
            return Err(AllowFilesError::NothingChosen);
        }
        reason(&self.because)?;
        let counting =
            if self.even_counters { Vec::new() } else { context.read(counters::stored_nodes)? };
        if let Some(node) = counting.into_iter().next() {
            return Err(AllowFilesError::Counters { node });
        }
        let files = context.change(Self::NAME, |db, author| self.forget(db, author))?;
        Ok(AllowedFiles { files })
    }
}

/// The most files that an entry of the audit trail names.
const NAMED_MAX: usize = 100;

impl AllowFilesAgain {
    fn chooses(&self) -> bool {
        let AllowFilesAgain { jobs, network_element, file, all, .. } = self;
        *all || jobs.is_some() || network_element.is_some() || file.is_some()
    }

    /// Returns the number of files.
    fn forget(&self, db: &Connection, author: &Author<'_>) -> QueryResult<usize> {
        let AllowFilesAgain { jobs, network_element, file, because, .. } = self;
        let jobs_json = jobs.as_ref().map(|jobs| serde_json::json!(jobs).to_string());
        let forgotten =
            forget_files(db, network_element.as_deref(), file.as_deref(), jobs_json.as_deref())?;
        let Forgotten { files, rows } = forgotten;
        if rows > 0 {
            let subject = match jobs {
                Some(_) => named(&files),
                None => self.subject(files.len()),
            };
            author.record(db, &subject, because.trim())?;
        }
        Ok(files.len())
    }

    /// Returns the text for the audit trail if files were chosen by a common property.
    fn subject(&self, files: usize) -> String {
        let of = self.network_element.as_deref().unwrap_or("all network elements");
        let named = self.file.as_ref().map_or(String::new(), |file| format!(", \"{file}\""));
        format!("{} of {of}{named}", counted(files, "file"))
    }
}

/// Returns the text for the audit trail if each file was chosen: `2 files: "msc-1/a.ber", "msc-1/b.ber"`.
fn named(files: &[(String, String)]) -> String {
    let first = files.iter().take(NAMED_MAX);
    let first: Vec<String> = first.map(|(of, name)| format!("\"{of}/{name}\"")).collect();
    let more = match files.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}: {}{more}", counted(files.len(), "file"), first.join(", "))
}

#[cfg(test)]
mod tests {
    use journal::audit_trail;

    use super::*;
    use crate::context::testing::with_journal;

    #[test]
    fn a_retry_that_alone_has_the_name_of_a_file_is_forgotten_with_an_entry() {
        with_journal(|context| {
            let insert = "INSERT INTO file (id, network_element, path, name, size, modified_ns, done_ms, records,
                    delivered, filtered, held, suspended, duplicate, marked, finished, retry_of, is_known)
                VALUES (1, 'msc-1', 'in/a', 'a', 1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, NULL, 0),
                       (2, 'msc-1', '', 'a', 1, 1, 2, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1)";
            let retried = context.change("suspense retry", |db, author| {
                db.execute(insert, [])?;
                author.record(db, "a", "")
            });
            retried.expect("a file whose records were retried");
            let again = || {
                let because = "a new receiver".to_owned();
                let request =
                    AllowFilesAgain { file: Some("a".into()), because, ..Default::default() };
                request.perform(context).expect("it is allowed").files
            };
            assert_eq!((again(), again()), (0, 0), "the file itself was allowed before");
            let entries =
                context.read(|db| audit_trail::recent(db, &(0..i64::MAX), store::Page::newest(10)));
            let entries = entries.expect("the entries");
            let [entry, _] = &entries[..] else { panic!("{entries:?}") };
            assert_eq!([&*entry.action, &entry.who], ["files again", "anna"]);
            assert_eq!(entry.reason, "a new receiver");
        });
    }
}
