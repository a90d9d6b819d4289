//! Groups that were released since their time is over: there is no input to be marked.

use super::{Settler, keep, sync};

use journal::Entry;

use crate::execute::worker::Expired;
use commit_protocol::{Done, Ready};

impl<'p> Ready<Settler<'p>> for Expired<'p> {
    type Journaled = Entry;

    fn sync(settler: &Settler<'p>, jobs: &[Self]) -> Vec<Result<(), String>> {
        sync(settler, jobs, |expired| &expired.results, |expired| expired.name.clone())
    }

    fn note(settler: &mut Settler<'p>, jobs: &mut [Self]) -> Result<Vec<Entry>, String> {
        settler.sync_traces(jobs.iter().map(|expired| &expired.results))?;
        let limits = &settler.running.plan.limits;
        settler.note(|journal, finished| journal.expired(limits, jobs, finished))
    }

    fn done(self, settler: &mut Settler<'p>, entry: Entry) -> Done<Settler<'p>> {
        if let Some(told) = &self.set_aside {
            settler.set_aside(self.network_element, &self.name, entry, told.clone());
        }
        let unfinished = settler.keep(entry, self.results, self.claim);
        Done { unfinished, input: None }
    }

    fn keep(self) {
        keep(self.results);
    }
}
