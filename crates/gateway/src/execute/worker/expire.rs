//! Ends groups whose time is over. Their records go on from the node in which they waited.

use std::sync::atomic::Ordering;

use diagnostics::counted;
use node::{Aside, Expiry, GroupEnd, GroupId, Origin};
use record::Memory;
use runtime::shutdown::Shutdown;

use super::{Ended, JobFailure, NEXT_JOB, Processed, WorkError, Worker};
use crate::execute::job::{Claim, Completed, Results, Task};
use crate::execute::pipeline::{Refused, What};
use state::groups::expiry::ExpiryJob;
use state::timers::emitted::EmittedRow;

/// A job that is done but for the commit. Its outputs lie under temporary names and are removed on drop, unless the
/// journal has them.
pub(crate) struct Expired<'p> {
    pub(crate) node: &'p str,
    pub(crate) network_element: &'p str,
    /// The name that its outputs derive from.
    pub(crate) name: String,
    pub(crate) results: Results<'p>,
    pub(crate) claim: Claim<'p>,
    /// The message that groups, or what timers emitted, were set aside, and why.
    pub(crate) set_aside: Option<String>,
    /// What timers emitted and others rejected.
    pub(crate) emitted: Vec<EmittedRow>,
    /// Why timers of the job did not fire, if some did not.
    pub(crate) refused: Option<String>,
}

/// The groups of a job whose records were set aside.
#[derive(Default)]
struct SetAside {
    groups: usize,
    /// The key and the reason of the first group that a node rejected.
    refused: Option<(String, Aside)>,
}

impl<'p> Worker<'p> {
    /// Ends groups. If a node or system rejects the result of a group, all its records are set aside.
    ///
    /// A job takes its name from the first group that it ends, so that names are unique. If that group has ended
    /// meanwhile, the job begins again without it.
    pub(super) fn expire(
        &mut self,
        mut job: ExpiryJob,
        stop: &Shutdown,
    ) -> Result<Ended<'p>, JobFailure> {
        while !job.groups.is_empty() {
            let done = self.expire_all(&mut job, stop);
            self.pipeline.end();
            if let Some(ended) = done? {
                return Ok(ended);
            }
        }
        Ok(Ended::Stopped)
    }

    /// Returns none if the first group had ended already; `job` then has the others.
    fn expire_all(
        &mut self,
        job: &mut ExpiryJob,
        stop: &Shutdown,
    ) -> Result<Option<Ended<'p>>, JobFailure> {
        let flow = &self.plan().topology;
        let (element, name) = (&flow.elements[job.element], job.name(flow));
        let claim = Claim::take(&self.running.in_hand, flow.targets(job.element, &name), &name)?;
        self.pipeline.begin(NEXT_JOB.fetch_add(1, Ordering::Relaxed), job.element, &claim.targets);
        let first = job.groups[0].0;
        let mut set_aside = SetAside::default();
        match self.groups(job, &name, stop, &mut set_aside)? {
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
        let set_aside = set_aside.message(node, &job.end);
        let not_written = |cause| WorkError::Outputs { job: name.clone(), cause };
        let results = self.pipeline.results().map_err(not_written)?;
        let network_element = element.name.as_str();
        let (emitted, refused) = (Vec::new(), None);
        let expired =
            Expired { node, network_element, name, results, claim, set_aside, emitted, refused };
        Ok(Some(Ended::Finished(Completed::Expired(Box::new(expired)))))
    }

    /// Ends the groups, and removes from the job those that had ended already.
    fn groups(
        &mut self,
        job: &mut ExpiryJob,
        name: &str,
        stop: &Shutdown,
        set_aside: &mut SetAside,
    ) -> Result<Processed, JobFailure> {
        let mut ended = Vec::with_capacity(job.groups.len());
        for group in &job.groups {
            let how = match self.group(job, name, group, &job.end) {
                Err(refused) if matches!(refused.what, What::Record(_)) => {
                    let (node, reason) = (refused.node.to_owned(), refused.reason);
                    let aside = Aside { node, reason };
                    set_aside.refused.get_or_insert_with(|| (group.1.clone(), aside.clone()));
                    self.group(job, name, group, &GroupEnd::SetAside(aside))
                }
                how => how,
            };
            match how {
                Ok(Expiry::Gone) => {}
                Ok(how) => {
                    set_aside.groups += usize::from(how == Expiry::Suspended);
                    ended.push(group.clone());
                }
                Err(refused) if refused.what == What::FileBegunAgain => {
                    return Ok(Processed::ToBeBegunAgain);
                }
                Err(refused) => {
                    let (job, reason) = (name.to_owned(), refused.reason.to_string());
                    return Err(WorkError::Refused { job, reason }.into());
                }
            }
            let not_put = |cause| WorkError::PutAway { job: name.to_owned(), cause };
            self.pipeline.keep().map_err(not_put)?;
            if stop.is_set() {
                return Ok(Processed::Stopped);
            }
        }
        job.groups = ended;
        Ok(Processed::Wholly)
    }

    /// Ends a group.
    fn group(
        &mut self,
        job: &ExpiryJob,
        name: &str,
        group: &(GroupId, String),
        end: &GroupEnd,
    ) -> Result<Expiry, Box<Refused<'p>>> {
        self.arena.reset();
        let network_element = &self.plan().topology.elements[job.element].name;
        // A group takes the place that a record has in a file.
        let origin = Origin { network_element, file: name, record: group.0 as u64, offset: 0 };
        let mut memory = Memory::new(&[], &mut self.arena);
        self.pipeline.at(origin.record);
        self.pipeline.release(&mut memory, &origin, job.node, group, end)
    }
}

impl SetAside {
    /// Returns the message about them. None if no group was set aside, or if a user asked for exactly this.
    fn message(&self, node: &str, end: &GroupEnd) -> Option<String> {
        let is_any = self.refused.is_some() || (self.groups > 0 && *end == GroupEnd::Over);
        let groups = is_any.then(|| counted(self.groups, "group"))?;
        let why = self.refused.as_ref().map_or(String::new(), |(key, aside)| {
            let Aside { node, reason } = aside;
            format!("; \"{key}\": {node}: {reason}")
        });
        Some(format!("\"{node}\": the records of {groups} are in suspense{why}"))
    }
}
