//! Performs a task, up to the commit.

use std::any::Any;

use reason::Reason;
use runtime::shutdown::Shutdown;

use super::{Ended, FileRefusal, JobFailure, WorkError, Worker};
use crate::execute::job::{Completed, Task};
use crate::execute::job_view::DoneBefore;
use collection::decompress::{NotUnpacked, Packed, UnpackFault};
use collection::input::InputFile;
use collection::sources::FileJob;
use diagnostics::octets;
use flow::flow_journal::AccessError;

impl<'p> Worker<'p> {
    /// Performs a task up to the commit, if there is anything to commit. A task that must begin again is repeated,
    /// until it need not or `is_over` returns true.
    pub(crate) fn perform(
        &mut self,
        mut task: Task,
        stop: &Shutdown,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<Completed<'p>>, JobFailure> {
        while !is_over() {
            let done = match task {
                Task::File(job) => self.file(job, stop),
                Task::Retry(job) => self.retry(job, stop),
                Task::Expiry(job) => self.expire(job, stop),
                Task::Timers(job) => self.fire(job, stop),
            };
            match done? {
                Ended::Finished(settle) => return Ok(Some(settle)),
                Ended::Stopped => return Ok(None),
                Ended::ToBeBegunAgain(again) => task = again,
            }
        }
        Ok(None)
    }

    /// Processes a file. If it is done already and only not marked, returns that it is to be marked.
    fn file(&mut self, job: FileJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let done_before = self.view.find(&self.reader, &job.found).map_err(AccessError::from)?;
        if let Some(done) = done_before
            && self.is_of(&job, &done)?
        {
            return Ok(Ended::Finished(Completed::Mark(job, done.entry, done.mark)));
        }
        self.is_of_size(&job)?;
        self.packed = self.unpacked(&job)?;
        self.process(job, stop)
    }

    /// Returns whether this is the file that is done: another with its name, size and time may have replaced it. This
    /// reads the file once, and not again until it changes.
    fn is_of(&self, job: &FileJob, done: &DoneBefore) -> Result<bool, JobFailure> {
        let path = &job.found.path;
        let arrived_at = job.found.arrived_at();
        if done.digest.is_none() || self.view.is_compared(done.entry, arrived_at) {
            return Ok(true);
        }
        let packed = self.plan().collection.sources[job.element].packed.map(|packed| (packed, 0));
        let digest = InputFile::new(path, true).packed(packed).digest();
        let digest = digest.map_err(|cause| WorkError::Read { path: path.clone(), cause })?;
        let is_it = Some(digest) == done.digest;
        if is_it {
            self.view.compared(done.entry, arrived_at);
        }
        Ok(is_it)
    }

    /// Fails if the file is larger than `size-limit` allows.
    fn is_of_size(&self, job: &FileJob) -> Result<(), JobFailure> {
        let (size, most) =
            (job.found.version.0, self.plan().collection.sources[job.element].collect.size_max());
        if size <= most {
            return Ok(());
        }
        let (size, limit) = (octets(size).to_string(), octets(most).to_string());
        let reason = Reason::of(&FileRefusal::TooLarge { size, limit });
        let problem = format!("\"{}\": {reason}", job.found.path.display());
        Err(JobFailure::SetAside { reason, problem })
    }

    /// Returns how a file is compressed, if it is, and its unpacked size, before anything is made of it.
    fn unpacked(&self, job: &FileJob) -> Result<Option<(Packed, u64)>, JobFailure> {
        let source = &self.plan().collection.sources[job.element];
        let Some(packed) = source.packed else { return Ok(None) };
        let path = &job.found.path;
        packed.size(&job.found.path).map(|size| Some((packed, size))).map_err(|not| {
            // A file in an in buffer came whole: no more of it will come.
            let fault = match not {
                NotUnpacked::ForGood(fault) => fault,
                NotUnpacked::Half if source.collect.is_buffer() => UnpackFault::EndsTooEarly,
                cause => return WorkError::Unpack { path: path.clone(), cause }.into(),
            };
            let problem = format!("\"{}\": {fault}", path.display());
            JobFailure::SetAside { reason: Reason::of(&fault), problem }
        })
    }
}

/// Returns the message of a panic.
pub(crate) fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}
