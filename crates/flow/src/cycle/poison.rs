//! Tasks that panic or kill their process. They are tried twice, by workers that share nothing, and then put aside: a
//! file under another name, retried records and groups in suspense.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use journal::Journal;
use node::{Aside, GroupEnd};
use runtime::durable::sync_folder;
use store::{StoreError, params};

use crate::collection::sources::{Collection, FileJob};
use crate::execute::job::{About, Task};
use crate::execute::worker::{JobFailure, Worker, words};
use crate::plan::Plan;
use crate::state::groups::expiry::ExpiryJob;

/// How often a task is tried.
const ATTEMPTS: usize = 2;

const REASON: &str = "its worker broke off twice";

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
            Err(error) => return Some(Err(error.to_string().into())),
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
    File { element: usize, path: PathBuf, reason: String, told: String },
    /// The records stay in suspense.
    Records { told: String },
    /// The task is done in another way, without the scripts that it met.
    Otherwise(Task),
}

/// Sets a file aside where it lies. An error says why it stays as it is.
pub(crate) fn file_aside(
    collection: &Collection,
    FileJob { element, found }: FileJob,
    reason: &str,
) -> Result<PutAside, String> {
    let path = found.path.display();
    let not = |error| format!("could not set \"{path}\" aside, though {reason}: {error}");
    let target = collection.sources[element].collect.set_aside(&found).map_err(not)?;
    sync_folder(target.parent().unwrap_or(Path::new("."))).map_err(not)?;
    let told = format!("\"{path}\": {reason}; it is set aside as \"{}\"", target.display());
    Ok(PutAside::File { element, path: target, reason: reason.to_owned(), told })
}

/// Notes the new name of a file that was set aside, and the reason.
pub(crate) fn note(journal: &Journal, path: &Path, reason: String) -> Result<(), StoreError> {
    let (path, now_ms) = (journal.view.noted(path), journal.now_ms());
    journal.commit(move |db| {
        db.prepare_cached("INSERT OR REPLACE INTO poison VALUES (?, ?, ?)")?
            .execute(params![path, reason, now_ms])
            .map(drop)
    })
}

/// Puts a task aside. An error says why it stays as it is.
pub(crate) fn put_aside(plan: &Plan, journal: &Journal, task: Task) -> Result<PutAside, String> {
    match task {
        Task::File(job) => file_aside(&plan.collection, job, REASON),
        Task::Retry(job) => {
            let told = format!(
                "records of \"{}\" could not be retried, and stay in suspense: {REASON}",
                job.network_element
            );
            let withdrawn = journal.commit(move |db| job.withdraw(db));
            withdrawn.map(|()| PutAside::Records { told }).map_err(|error| error.to_string())
        }
        Task::Expiry(ExpiryJob { end: GroupEnd::SetAside(_), .. }) => {
            Err(format!("groups could not be set aside: {REASON}"))
        }
        Task::Expiry(job) => {
            let node = plan.topology.graph.nodes[job.node].name.clone();
            let end = GroupEnd::SetAside(Aside { node, reason: REASON.into() });
            Ok(PutAside::Otherwise(Task::Expiry(ExpiryJob { end, ..job })))
        }
    }
}
