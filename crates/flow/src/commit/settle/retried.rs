//! Records that were put through again: there is no input to be marked.

use super::{Settler, keep, sync};

use journal::Entry;

use crate::execute::worker::Retried;
use commit_protocol::{Done, Ready};

impl<'p> Ready<Settler<'p>> for Retried<'p> {
    type Journaled = Entry;

    fn sync(settler: &Settler<'p>, jobs: &[Self]) -> Vec<Result<(), String>> {
        sync(settler, jobs, |retried| &retried.results, |retried| retried.account.file.clone())
    }

    fn note(settler: &mut Settler<'p>, jobs: &mut [Self]) -> Result<Vec<Entry>, String> {
        settler.sync_traces(jobs.iter().map(|retried| &retried.results))?;
        settler.note(|journal, finished| journal.retried(jobs, finished))
    }

    fn done(self, settler: &mut Settler<'p>, entry: Entry) -> Done<Settler<'p>> {
        settler.account(entry, self.account);
        let unfinished = settler.keep(entry, self.results, self.claim);
        Done { unfinished, input: None }
    }

    fn keep(self) {
        keep(self.results);
    }
}
