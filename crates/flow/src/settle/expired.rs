//! Groups that were released since their time is over: there is no input to be marked.

use std::path::PathBuf;
use std::time::SystemTime;

use super::{Settler, sync, targets};
use crate::journal::Entry;
use crate::protocol::{Done, Ready, Unfinished, World as _};
use crate::worker::Expired;

impl<'p, 't> Ready<Settler<'p, 't>> for Expired<'p> {
    type Noted = Entry;

    fn outputs<'s>(&'s self) -> impl Iterator<Item = &'s PathBuf>
    where
        PathBuf: 's,
    {
        targets(&self.outputs)
    }

    fn sync(jobs: &[Self]) -> Vec<Result<(), String>> {
        sync(jobs, |expired| &expired.outputs, |expired| expired.name.clone())
    }

    fn note(settler: &mut Settler<'p, '_>, jobs: &mut [Self]) -> Result<Vec<Entry>, String> {
        let noted = settler.journal.expired(jobs, &settler.finished);
        let noted = noted.map_err(|error| error.to_string())?;
        settler.has_finished();
        Ok(noted)
    }

    fn done(self, settler: &mut Settler<'p, 't>, entry: Entry) -> Done<Settler<'p, 't>> {
        let noted_at = SystemTime::now();
        self.problem.into_iter().for_each(|problem| settler.problem(problem));
        self.noted.into_iter().for_each(|by| by.noted.keep(noted_at));
        settler.claims.push((entry, self.claim));
        Done { unfinished: Unfinished { entry, outputs: settler.keep(self.outputs) }, input: None }
    }

    fn keep(self) {
        self.outputs.into_iter().for_each(|output| drop(output.written.keep()));
    }
}
