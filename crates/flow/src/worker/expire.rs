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
    ///
    /// A job is named by its first group, and so that none has another's name, that is one it releases: where it does
    /// not, the job begins again without it.
    pub(crate) fn expire(
        &mut self,
        mut job: ExpiryJob,
        stop: &AtomicBool,
    ) -> Result<Ended<'p>, String> {
        let mut not_gone = NotGone::default();
        while !job.groups.is_empty() {
            let done = self.expire_all(&mut job, stop, &mut not_gone);
            self.way.end();
            if let Some(ended) = done? {
                return Ok(ended);
            }
        }
        not_gone.waiting(&self.flow.graph.nodes[job.node].name).map_or(Ok(Ended::Stopped), Err)
    }

    /// None: the first group was not released, and the job has those left that may be.
    fn expire_all(
        &mut self,
        job: &mut ExpiryJob,
        stop: &AtomicBool,
        not_gone: &mut NotGone,
    ) -> Result<Option<Ended<'p>>, String> {
        let flow = self.flow;
        let (element, name) = (&flow.elements[job.element], job.name(flow));
        let targets: Vec<PathBuf> =
            flow.systems.iter().map(|system| system.target(&element.name, &name)).collect();
        let claim = Claim::take(flow, targets, &name)?;
        self.way.begin(JOBS.fetch_add(1, Ordering::Relaxed), job.element, &claim.targets);
        not_gone.suspended = 0;
        let first = job.groups[0].0;
        match self.groups(job, &name, stop, not_gone)? {
            Processed::Wholly => {}
            Processed::Stopped => return Ok(Some(Ended::Stopped)),
            Processed::ToBeBegunAgain => {
                return Ok(Some(Ended::ToBeBegunAgain(Task::Expiry(job.clone()))));
            }
        }
        if job.groups.first().is_none_or(|(group, _)| *group != first) {
            return Ok(None);
        }
        let node = flow.graph.nodes[job.node].name.as_str();
        let (suspended, waiting) = (not_gone.suspended, not_gone.waiting(node));
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
        Ok(Some(Ended::Through(Settle::Expired(Box::new(expired)))))
    }

    /// Those that are not released are the job's no more.
    fn groups(
        &mut self,
        job: &mut ExpiryJob,
        name: &str,
        stop: &AtomicBool,
        not_gone: &mut NotGone,
    ) -> Result<Processed, String> {
        let network_element = &self.flow.elements[job.element].name;
        let node = job.node;
        let mut released = Vec::with_capacity(job.groups.len());
        for (record, group) in job.groups.iter().enumerate() {
            self.arena.reset();
            let origin =
                Origin { network_element, file: name, record: record as u64 + 1, offset: 0 };
            let mut memory = Memory::new(&[], &mut self.arena);
            match self.way.release(&mut memory, &origin, node, group) {
                Ok(ended) => {
                    self.way.keep().map_err(|error| format!("\"{name}\": {error}"))?;
                    not_gone.suspended += usize::from(ended == Expiry::Suspended);
                    if ended != Expiry::Gone {
                        released.push(group.clone());
                    }
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
        job.groups = released;
        Ok(Processed::Wholly)
    }
}

impl NotGone {
    /// What is told of those that wait on.
    fn waiting(&self, node: &str) -> Option<String> {
        let (key, reason) = self.first.as_ref()?;
        let groups = counted(self.refused, "group");
        Some(format!(
            "\"{node}\": {groups} whose time is over cannot be released; \"{key}\": {reason}"
        ))
    }
}
