//! Groups whose time is over: what becomes of them goes on from the node in which they waited.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use diagnostics::counted;
use node::{Expiry, Origin};
use record::Memory;

use super::{Ended, JOBS, Processed, Worker};
use crate::audit::AmountRow;
use crate::held::ExpiryJob;
use crate::job::{Claim, MadeOutput, Task};
use crate::memory::NotedBy;
use crate::report::NodeAccount;
use crate::settle::Settle;
use crate::way::What;

/// A job that is done but for the journal: what was made lies under temporary names, which go away with this unless
/// the journal has it.
pub(crate) struct Expired<'p> {
    pub(crate) node: &'p str,
    pub(crate) network_element: &'p str,
    /// What its outputs are named by.
    pub(crate) name: String,
    /// Of the nodes and systems.
    pub(crate) accounts: Vec<NodeAccount>,
    pub(crate) amounts: Vec<AmountRow>,
    pub(crate) outputs: Vec<MadeOutput<'p>>,
    /// What nodes noted.
    pub(crate) noted: Vec<NotedBy<'p>>,
    pub(crate) claim: Claim<'p>,
    /// What is to be told: that groups are set aside, and why some wait on.
    pub(crate) problems: Vec<String>,
}

/// The groups of a job that did not go on.
#[derive(Default)]
struct NotGone {
    /// Those whose records are set aside.
    suspended: usize,
    /// Those that could not be released.
    refused: usize,
    /// The key and the reason of the first.
    first: Option<(String, Box<str>)>,
}

impl<'p> Worker<'p> {
    /// Releases groups. One that somebody refuses waits on, which is told: it is released when he does not any more.
    pub(crate) fn expire(
        &mut self,
        job: ExpiryJob,
        stop: &AtomicBool,
    ) -> Result<Ended<'p>, String> {
        let ended = self.expire_all(job, stop);
        self.way.end();
        ended
    }

    fn expire_all(&mut self, job: ExpiryJob, stop: &AtomicBool) -> Result<Ended<'p>, String> {
        let flow = self.flow;
        let (element, name) = (&flow.elements[job.element], job.name(flow));
        let targets: Vec<PathBuf> =
            flow.systems.iter().map(|system| system.target(&element.name, &name)).collect();
        let claim = Claim::take(flow, targets, &name)?;
        self.way.begin(JOBS.fetch_add(1, Ordering::Relaxed), job.element, &claim.targets);
        let mut not_gone = NotGone::default();
        match self.groups(&job, &name, stop, &mut not_gone)? {
            Processed::Wholly => {}
            Processed::Stopped => return Ok(Ended::Stopped),
            Processed::ToBeBegunAgain => return Ok(Ended::ToBeBegunAgain(Task::Expiry(job))),
        }
        let node = flow.graph.nodes[job.node].name.as_str();
        let NotGone { suspended, refused, first } = not_gone;
        let waiting = first.map(|(key, reason)| {
            let groups = counted(refused, "group");
            format!(
                "\"{node}\": {groups} whose time is over cannot be released; \"{key}\": {reason}"
            )
        });
        if refused == job.groups.len() {
            return waiting.map_or(Ok(Ended::Stopped), Err);
        }
        let aside = || {
            let groups = counted(suspended, "group");
            format!("\"{node}\": the records of {groups} whose time is over are in suspense")
        };
        let problems = (suspended > 0).then(aside).into_iter().chain(waiting).collect();
        let outputs = self.way.outputs().map_err(|error| format!("\"{name}\": {error}"))?;
        let (amounts, accounts, noted) =
            (self.way.amounts(), self.way.accounts(), self.way.noted());
        let network_element = element.name.as_str();
        let expired = Expired {
            node,
            network_element,
            name,
            accounts,
            amounts,
            outputs,
            noted,
            claim,
            problems,
        };
        Ok(Ended::Through(Settle::Expired(Box::new(expired))))
    }

    fn groups(
        &mut self,
        job: &ExpiryJob,
        name: &str,
        stop: &AtomicBool,
        not_gone: &mut NotGone,
    ) -> Result<Processed, String> {
        let network_element = &self.flow.elements[job.element].name;
        for (record, group) in job.groups.iter().enumerate() {
            self.arena.reset();
            let origin =
                Origin { network_element, file: name, record: record as u64 + 1, offset: 0 };
            let mut memory = Memory::new(&[], &mut self.arena);
            match self.way.release(&mut memory, &origin, job.node, group) {
                Ok(ended) => {
                    self.way.keep().map_err(|error| format!("\"{name}\": {error}"))?;
                    not_gone.suspended += usize::from(ended == Expiry::Suspended);
                }
                Err(refused) => match refused.what {
                    What::Record(_) => {
                        not_gone.refused += 1;
                        let first = || (group.1.clone(), refused.reason);
                        not_gone.first.get_or_insert_with(first);
                    }
                    What::File => return Err(format!("\"{name}\": {}", refused.reason)),
                    What::FileBegunAgain => return Ok(Processed::ToBeBegunAgain),
                },
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Processed::Stopped);
            }
        }
        Ok(Processed::Wholly)
    }
}
