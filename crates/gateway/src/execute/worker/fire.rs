//! Fires timers that are due. What their nodes emit goes on from there.

use std::sync::atomic::Ordering;

use diagnostics::counted;
use node::{Aside, Origin};
use reason::Reason;
use record::Memory;
use runtime::shutdown::Shutdown;

use super::{Ended, Expired, JobFailure, NEXT_JOB, Processed, WorkError, Worker};
use crate::execute::job::{Claim, Completed, Task};
use crate::execute::pipeline::{Refused, What};
use state::timers::due::{DueTimer, TimerJob};
use state::timers::emitted::{EmittedAside, EmittedRow};

/// What a job did with timers.
#[derive(Default)]
struct Fired {
    /// What their nodes emitted and others rejected.
    rows: Vec<EmittedRow>,
    /// How many timers emitted that.
    aside: usize,
    /// The key of the first of them, and why.
    first_aside: Option<(String, Aside)>,
    /// The key of the first timer that its own node rejected, and why.
    refused: Option<(String, Box<Reason>)>,
}

impl<'p> Worker<'p> {
    /// Fires timers. If a node or system rejects what a timer emits, all that it emits is set aside. If the timer's own node
    /// rejects it, it stays as it is, and the next look finds it again.
    ///
    /// A job takes its name from its first timer, so that names are unique. If that timer does not fire, the job begins
    /// again without it.
    pub(super) fn fire(
        &mut self,
        mut job: TimerJob,
        stop: &Shutdown,
    ) -> Result<Ended<'p>, JobFailure> {
        let mut refused = None;
        while !job.timers.is_empty() {
            let done = self.fire_all(&mut job, stop, &mut refused);
            self.pipeline.end();
            if let Some(ended) = done? {
                return Ok(ended);
            }
        }
        match refused {
            Some(refused) => Err(refused.into()),
            None => Ok(Ended::Stopped),
        }
    }

    /// Returns none if the first timer did not fire; `job` then has those that did. `refused` gets why a node rejected the
    /// first of its timers.
    fn fire_all(
        &mut self,
        job: &mut TimerJob,
        stop: &Shutdown,
        refused: &mut Option<WorkError>,
    ) -> Result<Option<Ended<'p>>, JobFailure> {
        let flow = &self.plan().topology;
        let (network_element, name) = (flow.elements[job.element].name.as_str(), job.name(flow));
        let node = flow.graph.nodes[job.node].name.as_str();
        let claim = Claim::take(&self.running.in_hand, flow.targets(job.element, &name), &name)?;
        self.pipeline.begin(NEXT_JOB.fetch_add(1, Ordering::Relaxed), job.element, &claim.targets);
        let (first, mut fired) = (job.timers[0].id, Fired::default());
        match self.timers(job, &name, stop, &mut fired)? {
            Processed::Wholly => {}
            Processed::Stopped => return Ok(Some(Ended::Stopped)),
            Processed::ToBeBegunAgain => {
                return Ok(Some(Ended::ToBeBegunAgain(Task::Timers(job.clone()))));
            }
        }
        if let Some((key, reason)) = fired.refused.take() {
            refused.get_or_insert(WorkError::RefusedTimer { node: node.to_owned(), key, reason });
        }
        if job.timers.first().is_none_or(|due| due.id != first) {
            return Ok(None);
        }
        let not_written = |cause| WorkError::Outputs { job: name.clone(), cause };
        let results = self.pipeline.results().map_err(not_written)?;
        Ok(Some(Ended::Finished(Completed::Expired(Box::new(Expired {
            node,
            network_element,
            results,
            claim,
            set_aside: fired.message(node),
            emitted: fired.rows,
            refused: refused.take().map(|refused| refused.to_string()),
            name,
        })))))
    }

    /// Fires the timers, and removes from the job those that did not fire.
    fn timers(
        &mut self,
        job: &mut TimerJob,
        name: &str,
        stop: &Shutdown,
        fired: &mut Fired,
    ) -> Result<Processed, JobFailure> {
        let mut those = Vec::with_capacity(job.timers.len());
        for due in &job.timers {
            let how = match &job.aside {
                Some(aside) => self.timer_aside(job, due, aside, fired),
                None => self.timer(job, name, due, fired),
            };
            match how {
                Ok(true) => those.push(due.clone()),
                Ok(false) => {}
                Err(refused) if matches!(refused.what, What::Record(_)) => {
                    fired.refused.get_or_insert_with(|| (due.key.clone(), refused.reason));
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
        job.timers = those;
        Ok(Processed::Wholly)
    }

    /// Fires a timer. Returns whether the key still had it.
    fn timer(
        &mut self,
        job: &TimerJob,
        name: &str,
        due: &DueTimer,
        fired: &mut Fired,
    ) -> Result<bool, Box<Refused<'p>>> {
        self.arena.reset();
        let network_element = &self.plan().topology.elements[job.element].name;
        // A timer takes the place that a record has in a file.
        let origin = Origin { network_element, file: name, record: due.id as u64, offset: 0 };
        let mut memory = Memory::new(&[], &mut self.arena);
        self.pipeline.at(origin.record);
        match self.pipeline.fire(&mut memory, &origin, job.node, due) {
            Err(refused) if matches!(refused.what, What::Record(_)) => {
                let (node, reason) = (refused.node.to_owned(), refused.reason);
                self.timer_aside(job, due, &Aside { node, reason }, fired)
            }
            how => how,
        }
    }

    /// Fires a timer, and sets aside what it emits.
    fn timer_aside(
        &mut self,
        job: &TimerJob,
        due: &DueTimer,
        aside: &Aside,
        fired: &mut Fired,
    ) -> Result<bool, Box<Refused<'p>>> {
        self.arena.reset();
        let before = fired.rows.len();
        let at = &self.plan().topology.graph.nodes[job.node];
        let mut memory = Memory::new(&[], &mut self.arena);
        self.pipeline.at(due.id as u64);
        let mut to = EmittedAside { node: at, aside, rows: &mut fired.rows };
        let how = self.pipeline.fire_aside(&mut memory, job.node, due, &mut to);
        if how.is_err() {
            fired.rows.truncate(before);
        }
        if fired.rows.len() > before {
            fired.aside += 1;
            fired.first_aside.get_or_insert_with(|| (due.key.clone(), aside.clone()));
        }
        how
    }
}

impl Fired {
    /// Returns the message about what is set aside, if anything is.
    fn message(&self, node: &str) -> Option<String> {
        let (key, Aside { node: by, reason }) = self.first_aside.as_ref()?;
        let timers = counted(self.aside, "timer");
        Some(format!("\"{node}\": what {timers} emitted is in suspense; \"{key}\": {by}: {reason}"))
    }
}
