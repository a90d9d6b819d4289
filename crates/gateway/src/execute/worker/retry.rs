//! Retries records from suspense as if they had just come.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use format::coding::{Excerpt, Input, Read};
use node::Origin;
use reason::{Coded, Reason};
use record::Memory;
use runtime::shutdown::Shutdown;

use super::{Ended, JobFailure, NEXT_JOB, Processed, WorkError, Worker};
use crate::execute::job::{Claim, Completed, Results, Task};
use crate::execute::pipeline::{Refused, What};
use assurance::sequence::{Gathered, Gatherer};
use flow::flow_journal::AccessError;
use flow::outcome::Class;
use flow::outcome::Why;
use flow::report::FileAccount;
use state::groups;
use state::groups::NoEntrance;
use state::timers::emitted;
use suspense::{End, Ends, Loaded, Piece, RequestedRecords, RetryJob, Row, Stretch};

/// A job that is done but for the commit. Its outputs lie under temporary names and are removed on drop, unless the
/// journal has them.
pub(crate) struct Retried<'p> {
    pub(crate) job: RetryJob,
    pub(crate) account: FileAccount,
    pub(crate) results: Results<'p>,
    /// The findings of assurance for records that only now can be read, and the file they came in.
    pub(crate) gathered: Option<(String, Box<Gathered>)>,
    pub(crate) ends: Ends,
    pub(crate) claim: Claim<'p>,
}

/// Where the records of a job enter the graph.
struct Entrance<'p> {
    /// The network element that the job is for.
    element: usize,
    input: &'p dyn Input,
    at: Place,
}

/// The place of the graph at which records enter.
#[derive(Clone, Copy)]
enum Place {
    /// Their network element: they enter as they first came.
    Element,
    /// The node in which they waited.
    Node(usize),
    /// The node whose timers emitted them, and the output stream.
    Stream(usize, usize),
}

impl<'p> Worker<'p> {
    /// Retries the records of a job. Returns [`Ended::Stopped`] if the job is done already.
    pub(super) fn retry(
        &mut self,
        job: RetryJob,
        stop: &Shutdown,
    ) -> Result<Ended<'p>, JobFailure> {
        let ended = self.retry_all(job, stop);
        self.pipeline.end();
        ended
    }

    fn retry_all(&mut self, job: RetryJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let requested = match job.load(&self.reader).map_err(AccessError::from)? {
            Loaded::Requested(requested) => requested,
            Loaded::Done => return Ok(Ended::Stopped),
            Loaded::Damaged => {
                let problem = format!(
                    "{} cannot be retried: their octets were damaged in the journal; \"tollgate suspense edit --octets\" \
                     puts those of their file in their place",
                    job.shown()
                );
                return Err(JobFailure::Never { problem });
            }
        };
        let entrance = self.entrance(&job)?;
        let element = entrance.as_ref().map_or(0, |entrance| entrance.element);
        let name = job.name(&requested.file);
        let systems = self.plan().topology.systems.iter();
        let targets: Vec<PathBuf> =
            systems.map(|system| system.target(&job.network_element, &name)).collect();
        let claim = Claim::take(&self.running.in_hand, targets, &name)?;
        self.pipeline.begin(NEXT_JOB.fetch_add(1, Ordering::Relaxed), element, &claim.targets);
        self.pipeline.begin_retry();
        let mut ends = Ends::default();
        if let Some(gatherer) = &mut self.gatherers[element] {
            gatherer.begin_retry();
        }
        let file = requested.file.clone();
        let processed = self.stretches(&entrance, &job, requested, stop, &mut ends);
        match processed.map_err(|cause| WorkError::Retry { job: name.clone(), cause })? {
            Processed::Wholly => {}
            Processed::Stopped => return Ok(Ended::Stopped),
            Processed::ToBeBegunAgain => return Ok(Ended::ToBeBegunAgain(Task::Retry(job))),
        }
        let not_written = |cause| WorkError::RetryOutputs { job: name.clone(), cause };
        let results = self.pipeline.results().map_err(not_written)?;
        let account = ends.account(&job.network_element, &name);
        let gathered = self.gatherers[element].as_mut().and_then(Gatherer::take_retried);
        let gathered = gathered.map(|gathered| (file, gathered));
        let retried = Retried { job, account, results, gathered, ends, claim };
        Ok(Ended::Finished(Completed::Retried(Box::new(retried))))
    }

    /// Returns where the records of a job enter; or why records that waited in a node cannot.
    fn entrance(&self, job: &RetryJob) -> Result<Result<Entrance<'p>, NoEntrance>, JobFailure> {
        let (plan, name) = (self.plan(), &job.network_element);
        let Some(waited) = &job.waited else {
            let Some(element) =
                plan.topology.elements.iter().position(|element| element.name == *name)
            else {
                let problem = format!(
                    "records of \"{name}\" cannot be retried: the flow has no such network element"
                );
                return Err(JobFailure::Never { problem });
            };
            let input = &*plan.topology.elements[element].input;
            return Ok(Ok(Entrance { element, input, at: Place::Element }));
        };
        let found = match emitted::stream(&plan.topology, waited) {
            Some(of) => emitted::input(&plan.emitted_formats, of, waited, &self.reader)
                .map(|found| found.map(|input| (of.0, Place::Stream(of.0, of.1), input))),
            None => groups::input(&plan.topology, &plan.keepings, waited, &self.reader)
                .map(|found| found.map(|(node, input)| (node, Place::Node(node), input))),
        };
        Ok(found.map_err(AccessError::from)?.and_then(|(node, at, input)| {
            match state::groups::expiry::element_for(&plan.topology, node, name) {
                Some(element) => Ok(Entrance { element, input, at }),
                None => Err(NoEntrance::NoElement { node: waited.node.clone() }),
            }
        }))
    }

    fn stretches(
        &mut self,
        entrance: &Result<Entrance<'p>, NoEntrance>,
        job: &RetryJob,
        mut requested: RequestedRecords,
        stop: &Shutdown,
        ends: &mut Ends,
    ) -> io::Result<Processed> {
        while let Some(stretch) = requested.next() {
            self.pipeline.passes_duplicates = stretch.why == Why::Duplicate;
            let mut pieces = Vec::new();
            let entrance = match entrance {
                Ok(entrance) => entrance,
                Err(reason) => {
                    ends.add(&stretch, vec![stretch.refused(job.waited_in(), Reason::of(reason))]);
                    continue;
                }
            };
            match self.stretch(entrance, job, &requested, &stretch, &mut pieces)? {
                Processed::Wholly => ends.add(&stretch, pieces),
                broken_off => return Ok(broken_off),
            }
            if stop.is_set() {
                return Ok(Processed::Stopped);
            }
        }
        Ok(Processed::Wholly)
    }

    fn stretch(
        &mut self,
        entrance: &Entrance<'p>,
        job: &RetryJob,
        requested: &RequestedRecords,
        stretch: &Stretch,
        pieces: &mut Vec<Piece>,
    ) -> io::Result<Processed> {
        let Entrance { element, input, at } = *entrance;
        let excerpt = Excerpt { context: &requested.context, octets: &stretch.octets };
        let mut reader = input.reopen(&excerpt)?;
        let targets = &self.plan().topology.graph.network_elements[element].targets;
        loop {
            self.arena.reset();
            let Some(read) = reader.next(&mut self.arena)? else { break };
            // Scripts see where the record first came from.
            let origin = Origin {
                network_element: &job.network_element,
                file: &requested.file,
                record: stretch.record(read.offset, pieces),
                offset: if pieces.is_empty() {
                    stretch.offset
                } else {
                    stretch.offset + read.offset
                },
            };
            self.pipeline.at(origin.offset);
            let passed = match &read.record {
                Ok(record) => {
                    let mut memory = Memory::new(read.octets, &mut self.arena);
                    if let Some(gatherer) = &mut self.gatherers[element]
                        && stretch.was_unread
                    {
                        gatherer.numbers(&mut memory, *record);
                    }
                    let (pipeline, record) = (&mut self.pipeline, *record);
                    match at {
                        Place::Element => pipeline.give(&mut memory, record, &origin, targets),
                        Place::Node(node) => pipeline.give_back(&mut memory, record, &origin, node),
                        Place::Stream(node, stream) => {
                            pipeline.give_from(&mut memory, record, &origin, (node, stream))
                        }
                    }
                }
                Err(error) => Err(self.pipeline.unreadable(job.waited_in(), error)),
            };
            let end = match passed {
                Ok(()) => match self.pipeline.keep()? {
                    Class::Delivered => End::Delivered,
                    Class::Held => End::Held,
                    _ => End::Filtered,
                },
                Err(refused) => match refused.what {
                    What::Record(why) => End::SetAside(again(why, &origin, &read, *refused)),
                    What::File | What::FileUntilRoom { .. } => {
                        return Err(io::Error::other(refused.reason.to_string()));
                    }
                    What::FileBegunAgain => return Ok(Processed::ToBeBegunAgain),
                },
            };
            pieces.push(Piece { at: read.offset, length: read.octets.len(), end });
        }
        if pieces.is_empty() {
            pieces.push(stretch.refused(job.waited_in(), Reason::of(&NoRecord)));
        }
        Ok(Processed::Wholly)
    }
}

/// The octets of a retried record have no record in them.
#[derive(Debug, thiserror::Error, Coded)]
#[code("no-record")]
#[error("there is no record in these octets")]
pub(crate) struct NoRecord;

#[cold]
fn again(why: Why, origin: &Origin<'_>, read: &Read<'_>, refused: Refused<'_>) -> Box<Row> {
    Box::new(Row {
        why,
        record: origin.record,
        offset: origin.offset,
        node: refused.node.into(),
        reason: *refused.reason,
        octets: read.octets.into(),
    })
}
