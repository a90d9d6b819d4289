//! Commits retries. They have no input to mark.

use super::{CommitError, Committer, keep, sync};

use journal::JobId;

use crate::execute::worker::Retried;
use commit_protocol::{Done, Ready};

impl<'p> Ready<Committer<'p>> for Retried<'p> {
    type Journaled = JobId;

    fn sync(settler: &Committer<'p>, jobs: &[Self]) -> Vec<Result<(), CommitError>> {
        sync(settler, jobs, |retried| &retried.results, |retried| retried.account.file.clone())
    }

    fn commit(settler: &mut Committer<'p>, jobs: &mut [Self]) -> Result<Vec<JobId>, CommitError> {
        settler.sync_traces(jobs.iter().map(|retried| &retried.results))?;
        settler.note(|journal, finished| journal.retried(jobs, finished))
    }

    fn done(self, settler: &mut Committer<'p>, entry: JobId) -> Done<Committer<'p>> {
        settler.account(entry, self.account);
        let unfinished = settler.keep(entry, self.results, self.claim);
        Done { unfinished, input: None }
    }

    fn keep_outputs(self) {
        keep(self.results);
    }
}
