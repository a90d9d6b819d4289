//! What an operation works on, and for whom.

use std::path::Path;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use journal::audit_trail::Author;
use store::{Answer, Connection};

/// The gateway that an operation works on, and the user that it works for.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The flow file of the gateway, which need not run.
    pub flow: &'a Path,
    /// The user or token, by the name in the audit trail.
    pub who: &'a str,
}

impl Context<'_> {
    /// Reads the journal.
    ///
    /// # Errors
    ///
    /// There is no journal, or it cannot be read.
    pub fn read<T>(&self, ask: impl FnOnce(&Connection) -> Answer<T>) -> Result<T, JournalError> {
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
        change: impl FnOnce(&Connection, &Author<'_>) -> Answer<T>,
    ) -> Result<T, JournalError> {
        flow_journal::change(self.flow, |db| {
            let author = Author::new(self.who, action);
            let before = db.total_changes();
            let changed = change(db, &author)?;
            let is_unchanged = db.total_changes() == before;
            assert!(
                is_unchanged || author.entries() > 0,
                "\"{action}\" changed the journal without an entry in the audit trail"
            );
            Ok(changed)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use journal::audit_trail;
    use store::Page;

    use super::*;

    #[test]
    fn no_change_is_made_without_an_entry_in_the_audit_trail() {
        let folder = tempfile::tempdir().expect("a folder");
        let flow = folder.path().join("flow.toml");
        fs::write(&flow, "").expect("a flow file");
        let state = folder.path().join("flow.state");
        drop(flow_journal::open(&flow, &state, std::time::SystemTime::now).expect("a journal"));
        let context = Context { flow: &flow, who: "anna" };
        let forget = |db: &Connection| db.execute("DELETE FROM trail", []).map(drop);
        let enter =
            |db: &Connection, author: &Author<'_>| author.record(db, "a thing", "").map(drop);
        context.change("thing add", enter).expect("a change with its entry");
        context.change("thing look", |_, _| Ok(())).expect("no change");
        let unrecorded = || context.change("thing drop", |db, _| forget(db));
        assert!(catch_unwind(AssertUnwindSafe(unrecorded)).is_err());
        let entries = context.read(|db| audit_trail::recent(db, Page::newest(10)));
        assert_eq!(entries.expect("the entries").len(), 1);
    }
}
