//! What an operation works on, and for whom.

use std::fmt;
use std::path::Path;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::prepare::Parts;
use gateway::execute::options::RunOptions;
use journal::audit_trail::Author;
use runtime::shutdown::Shutdown;
use store::{Connection, QueryResult};

use crate::privacy::Rights;
use crate::scripts::language::Language;
use crate::shared::SharedReads;

/// The gateway that an operation works on, and the user that it works for.
#[derive(Clone)]
pub struct Context<'a> {
    /// The flow file of the gateway, which need not run.
    pub flow: &'a Path,
    /// The definition of the charging system, which may not be there.
    pub charging: &'a Path,
    /// The kinds of things that a flow is made of.
    pub parts: Parts<'a>,
    /// The language of its scripts.
    pub scripts: &'a dyn Language,
    /// The user or token, by the name in the audit trail.
    pub who: &'a str,
    /// What the user or token may see.
    pub rights: Rights,
    /// Set when the caller does not wait for the response any longer. An operation that waits for the gateway then
    /// returns what is done; the gateway does the rest later.
    pub stop: Shutdown,
    /// Reads of the journal that clients share.
    pub shared: &'a dyn SharedReads,
}

/// Omits the kinds, the language and the shared reads.
impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("flow", &self.flow)
            .field("who", &self.who)
            .finish_non_exhaustive()
    }
}

impl Context<'_> {
    /// Returns the options for a run that does what is requested, where no gateway runs.
    pub fn run_options(&self) -> RunOptions {
        RunOptions { stop: self.stop.clone(), ..RunOptions::once() }
    }

    /// Reads the journal.
    ///
    /// # Errors
    ///
    /// There is no journal, or it cannot be read.
    pub fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> QueryResult<T>,
    ) -> Result<T, JournalError> {
        flow_journal::read(self.flow, ask)
    }

    /// Changes the journal for an action, in a transaction with the entry of the audit trail.
    ///
    /// # Errors
    ///
    /// There is no journal, or it cannot be written.
    ///
    /// # Panics
    ///
    /// `change` changes rows and records no entry. The transaction is then rolled back.
    pub fn change<T>(
        &self,
        action: &str,
        change: impl FnOnce(&Connection, &Author<'_>) -> QueryResult<T>,
    ) -> Result<T, JournalError> {
        flow_journal::change(self.flow, |db| self.record(db, action, |author| change(db, author)))
    }

    /// Makes changes for an action within a transaction, with the entry of the audit trail.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    ///
    /// # Panics
    ///
    /// `change` changes rows and records no entry. The transaction is then rolled back.
    pub fn record<T>(
        &self,
        db: &Connection,
        action: &str,
        change: impl FnOnce(&Author<'_>) -> QueryResult<T>,
    ) -> QueryResult<T> {
        let author = Author::new(self.who, action);
        let before = db.total_changes();
        let changed = change(&author)?;
        let is_unchanged = db.total_changes() == before;
        assert!(
            is_unchanged || author.entries() > 0,
            "\"{action}\" changed the journal without an entry in the audit trail"
        );
        Ok(changed)
    }
}

/// A context for tests of operations.
#[cfg(test)]
pub(crate) mod testing {
    use ::versions::NoScripts;

    use super::*;
    use crate::shared::Unshared;

    /// Makes every further entry of the audit trail fail.
    pub(crate) fn break_trail(context: &Context<'_>) {
        let trigger =
            "CREATE TRIGGER full BEFORE INSERT ON trail BEGIN SELECT raise(ABORT, 'full'); END";
        flow_journal::change(context.flow, |db| db.execute_batch(trigger)).expect("a trigger");
    }

    /// Calls `test` with the context of an empty flow that has a journal.
    pub(crate) fn with_journal(test: impl FnOnce(&Context<'_>)) {
        let folder = tempfile::tempdir().expect("a folder");
        let flow = folder.path().join("flow.toml");
        std::fs::write(&flow, "").expect("a flow file");
        let state = folder.path().join("flow.state");
        drop(flow_journal::open(&flow, &state, std::time::SystemTime::now).expect("a journal"));
        let parts = Parts {
            kinds: &[],
            formats: &format::OperatorModules,
            language: &node::NoLanguage,
            listeners: &[],
            certificate: |_| None,
            channels: &[],
            schemes: &[],
            codes: &[],
        };
        let (stop, shared) = (Shutdown::default(), &Unshared::without_scripts(&flow));
        let (scripts, rights) = (&NoScripts, Rights::Machine);
        let charging = &folder.path().join("charging.toml");
        test(&Context { flow: &flow, charging, parts, scripts, who: "anna", rights, stop, shared });
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use journal::audit_trail;
    use store::Page;

    use super::*;
    use testing::with_journal;

    #[test]
    fn no_change_is_made_without_an_entry_in_the_audit_trail() {
        with_journal(|context| {
            let forget = |db: &Connection| db.execute("DELETE FROM trail", []).map(drop);
            let enter =
                |db: &Connection, author: &Author<'_>| author.record(db, "a thing", "").map(drop);
            context.change("thing add", enter).expect("a change with its entry");
            context.change("thing look", |_, _| Ok(())).expect("no change");
            let unrecorded = || context.change("thing drop", |db, _| forget(db));
            assert!(catch_unwind(AssertUnwindSafe(unrecorded)).is_err());
            let entries =
                context.read(|db| audit_trail::recent(db, &(0..i64::MAX), Page::newest(10)));
            assert_eq!(entries.expect("the entries").len(), 1);
        });
    }
}
