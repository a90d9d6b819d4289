//! Commits jobs that ended groups, or in which timers fired. They have no input to mark.

use super::{CommitError, Committer, keep, sync};

use journal::JobId;

use crate::execute::worker::Expired;
use commit_protocol::{Done, Ready};

impl<'p> Ready<Committer<'p>> for Expired<'p> {
    type Journaled = JobId;

    fn sync(settler: &Committer<'p>, jobs: &[Self]) -> Vec<Result<(), CommitError>> {
        sync(settler, jobs, |expired| &expired.results, |expired| expired.name.clone())
    }

    fn commit(settler: &mut Committer<'p>, jobs: &mut [Self]) -> Result<Vec<JobId>, CommitError> {
        settler.sync_traces(jobs.iter().map(|expired| &expired.results))?;
        let limits = &settler.running.plan.limits;
        settler.note(|journal, finished| journal.expired(limits, jobs, finished))
    }

    fn done(self, settler: &mut Committer<'p>, entry: JobId) -> Done<Committer<'p>> {
        if let Some(message) = &self.set_aside {
            settler.set_aside(self.network_element, &self.name, entry, message.clone());
        }
        if let Some(refused) = &self.refused {
            settler.waits(self.network_element, &self.name, refused);
        }
        let unfinished = settler.keep(entry, self.results, self.claim);
        Done { unfinished, input: None }
    }

    fn keep_outputs(self) {
        keep(self.results);
    }
}
