//! Tasks that panic or kill their process. They are tried twice, by workers that share nothing, and then put aside: a
//! file under another name, retried records and groups in suspense.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use journal::Journal;
use node::{Aside, GroupEnd};
use reason::{Coded, Reason};
use runtime::durable::sync_folder;
use store::StoreError;

use crate::execute::job::{About, Task};
use crate::execute::worker::{JobFailure, Worker, words};
use crate::plan::Plan;
use collection::refused;
use collection::sources::{Collection, FileJob};
use state::groups::expiry::ExpiryJob;
use state::timers::due::TimerJob;

/// How often a task is tried.
const ATTEMPTS: usize = 2;

/// A task panicked, or killed its process, twice. It is a fault of a script's limits or of the gateway.
#[derive(Debug, thiserror::Error, Coded)]
#[code("worker-broke-off")]
#[error("its worker broke off twice")]
pub(crate) struct BrokeOff;

/// Runs `act` with a worker, made if there is none. If it panics, that worker is dropped and a new one tries again.
/// Returns none if that panics too.
pub(crate) fn survived<'p, T>(
    made: &mut Option<Worker<'p>>,
    About { network_element, file, job }: &About,
    make: impl Fn() -> Result<Worker<'p>, StoreError>,
    act: impl Fn(&mut Worker<'p>) -> Result<T, JobFailure>,
) -> Option<Result<T, JobFailure>> {
    for _ in 0..ATTEMPTS {
        let mut worker = match made.take().map_or_else(&make, Ok) {
            Ok(worker) => worker,
            Err(error) => return Some(Err(error.into())),
        };
        match catch_unwind(AssertUnwindSafe(|| act(&mut worker))) {
            Ok(done) => {
                *made = Some(worker);
                return Some(done);
            }
            Err(panic) => {
                let why = words(&*panic);
                tracing::error!(target: "flow::poison", network_element, file, job, "a worker broke off: {why}");
                worker.break_off();
            }
        }
    }
    None
}

/// The outcome of a task that panics or kills its process.
pub(crate) enum PutAside {
    /// The file has another name now.
    File { element: usize, path: PathBuf, reason: Reason, message: String },
    /// The records stay in suspense.
    Records { message: String },
    /// The task is done in another way, without the scripts that it met.
    Otherwise(Task),
}

/// Why a task is not put aside.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PutAsideError {
    /// A file keeps its name.
    #[error("could not set \"{}\" aside, though {reason}: {cause}", path.display())]
    File { path: PathBuf, reason: Reason, cause: io::Error },
    /// The journal does not take it.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// Groups kill workers even where they are only set aside.
    #[error("groups could not be set aside: {BrokeOff}")]
    Groups,
    /// Timers kill workers even where what they emit is only set aside.
    #[error("timers could not fire: {BrokeOff}")]
    Timers,
}

/// Sets a file aside where it lies.
pub(crate) fn file_aside(
    collection: &Collection,
    FileJob { element, found }: FileJob,
    reason: Reason,
) -> Result<PutAside, PutAsideError> {
    let path = found.path.display();
    let not = |cause| {
        let (path, reason) = (found.path.clone(), reason.clone());
        PutAsideError::File { path, reason, cause }
    };
    let target = collection.sources[element].collect.set_aside(&found).map_err(not)?;
    sync_folder(target.parent().unwrap_or(Path::new("."))).map_err(not)?;
    let message = format!("\"{path}\": {reason}; it is set aside as \"{}\"", target.display());
    Ok(PutAside::File { element, path: target, reason, message })
}

/// Notes the new name of a file of a network element that was set aside, and the reason.
pub(crate) fn note(
    journal: &Journal,
    network_element: &str,
    path: &Path,
    reason: Reason,
) -> Result<(), StoreError> {
    let (path, now_ms) = (journal.view.noted(path), journal.now_ms());
    let network_element = network_element.to_owned();
    journal
        .commit(move |db| refused::note_set_aside(db, &network_element, &path, (&reason, now_ms)))
}

/// Puts a task aside.
pub(crate) fn put_aside(
    plan: &Plan,
    journal: &Journal,
    task: Task,
) -> Result<PutAside, PutAsideError> {
    match task {
        Task::File(job) => file_aside(&plan.collection, job, Reason::of(&BrokeOff)),
        Task::Retry(job) => {
            let message = format!(
                "records of \"{}\" could not be retried, and stay in suspense: {BrokeOff}",
                job.network_element
            );
            journal.commit(move |db| job.withdraw(db))?;
            Ok(PutAside::Records { message })
        }
        Task::Expiry(ExpiryJob { end: GroupEnd::SetAside(_), .. }) => Err(PutAsideError::Groups),
        Task::Expiry(job) => {
            let node = plan.topology.graph.nodes[job.node].name.clone();
            let end = GroupEnd::SetAside(Aside { node, reason: Box::new(Reason::of(&BrokeOff)) });
            Ok(PutAside::Otherwise(Task::Expiry(ExpiryJob { end, ..job })))
        }
        Task::Timers(TimerJob { aside: Some(_), .. }) => Err(PutAsideError::Timers),
        Task::Timers(job) => {
            let node = plan.topology.graph.nodes[job.node].name.clone();
            let aside = Some(Aside { node, reason: Box::new(Reason::of(&BrokeOff)) });
            Ok(PutAside::Otherwise(Task::Timers(TimerJob { aside, ..job })))
        }
    }
}
