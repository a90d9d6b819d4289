//! One worker: takes a file and follows each of its records through the graph, depth first, to the end.
//!
//! All it needs is its own (nodes, arena, buffers), so no record meets a lock. A record is one
//! transaction: when a node or an encoder refuses it, what it had put into any output is taken back, and
//! it goes to suspense whole.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use node::{Node, Origin, Outputs, Passed};
use record::{Arena, Memory, Record};
use store::{Connection, StoreError};

use crate::duplicates::{Known, Original, Seen};
use crate::graph::{GraphNode, Target};
use crate::input::InputFile;
use crate::job::{Claim, Job, Made, MadeOutput};
use crate::journal::{Entry, Journal};
use crate::prepare::Prepared;
use crate::report::FileAccount;
use crate::sequence::Gatherer;
use crate::suspense::{Row, SetAside, Why};
use format::coding::{Read, Writer};
use transport::Staged;
use transport::{Found, Mark};

/// What a worker has for itself.
pub(crate) struct Worker<'p> {
    pub(crate) flow: &'p Prepared,
    journal: &'p Journal,
    reader: Connection,
    nodes: Vec<Stage<'p>>,
    sinks: Vec<Sink<'p>>,
    emitted: Outputs,
    arena: Arena,
    aside: SetAside<'p>,
    /// By network element, where anything is counted of it.
    gatherers: Vec<Option<Gatherer<'p>>>,
}

/// A node, and where it stands.
struct Stage<'p> {
    node: Box<dyn Node>,
    at: &'p GraphNode,
}

/// An output file for one post-processing system.
struct Sink<'p> {
    writer: Box<dyn Writer + 'p>,
    staged: Staged,
    records: u64,
    /// Of the record in hand.
    pending: u64,
}

/// Why a record went to suspense, and where: in which node or system, or while it was read.
struct Refused<'p> {
    node: &'p str,
    reason: Box<str>,
}

/// What is done for every record gives a result that fits into a register.
type Given<'p> = Result<(), Box<Refused<'p>>>;

impl<'p> Worker<'p> {
    pub(crate) fn new(flow: &'p Prepared, journal: &'p Journal) -> Result<Self, StoreError> {
        let stage = |at: &'p GraphNode| Stage { node: at.template.instance(), at };
        let sink = |system: &'p crate::prepare::System| Sink {
            writer: system.output.writer(),
            staged: Staged::default(),
            records: 0,
            pending: 0,
        };
        Ok(Worker {
            flow,
            journal,
            reader: journal.reader()?,
            nodes: flow.graph.nodes.iter().map(stage).collect(),
            sinks: flow.systems.iter().map(sink).collect(),
            emitted: Outputs::default(),
            arena: Arena::new(),
            aside: SetAside::new(journal),
            gatherers: flow.elements.iter().map(|element| element.counted.gatherer()).collect(),
        })
    }

    /// The journal's entry of a file that is done already and only not marked, and how it is to be.
    pub(crate) fn done_before(&self, found: &Found) -> Result<Option<(Entry, Mark)>, String> {
        self.journal.find(&self.reader, found).map_err(|error| format!("the journal: {error}"))
    }

    /// Processes a file: what is made of it lies under temporary names then, to be settled. Of a duplicate, the
    /// records are counted. Nothing where it was told to stop. An error is one of files and folders; the job is then
    /// as if it had never been begun.
    pub(crate) fn process(
        &mut self,
        job: Job,
        stop: &AtomicBool,
    ) -> Result<Option<Made<'p>>, String> {
        let name = &self.flow.elements[job.element].name;
        let path = job.found.path.display();
        let duplicate_of = self.original(&job)?;
        let targets = match duplicate_of {
            None => self.targets(name, &job.found),
            Some(_) => Vec::new(),
        };
        let claim = Claim::take(self.flow, targets, &job.found)?;
        self.begin(&claim.targets);
        let mut account = FileAccount {
            network_element: name.clone(),
            file: job.found.name.clone(),
            ..FileAccount::default()
        };
        let input = InputFile::new(&job.found.path);
        let processed = match duplicate_of {
            None => self.records(&job, &input, stop, &mut account),
            Some(_) => self.count(&job, &input, stop, &mut account),
        };
        let ended = match processed {
            Ok(true) => {
                self.outputs(&account).map_err(|error| format!("\"{path}\": {error}")).map(Some)
            }
            Ok(false) => Ok(None),
            Err(error) => Err(format!("could not process \"{path}\": {error}")),
        };
        self.discard();
        let aside = std::mem::replace(&mut self.aside, SetAside::new(self.journal));
        let Some(outputs) = ended? else { return Ok(None) };
        let digest =
            input.digest().map_err(|error| format!("could not read \"{path}\": {error}"))?;
        let gathered = self.gatherers[job.element].as_mut().map(Gatherer::take);
        Ok(Some(Made { job, digest, duplicate_of, account, outputs, aside, gathered, claim }))
    }

    /// The file that came before and was the same.
    fn original(&self, job: &Job) -> Result<Option<Original>, String> {
        let Job { element, found } = job;
        let element = &self.flow.elements[*element];
        let known =
            Known { network_element: &element.name, name: &found.name, size: found.version.0 };
        let seen = |digest| {
            let seen = element.duplicates.seen(&self.reader, &known, digest);
            seen.map_err(|error| format!("the journal: {error}"))
        };
        let mut sighted = seen(None)?;
        if let Seen::Perhaps = sighted {
            let digest = InputFile::new(&found.path)
                .digest()
                .map_err(|error| format!("could not read \"{}\": {error}", found.path.display()))?;
            sighted = seen(Some(digest))?;
        }
        match sighted {
            Seen::Before(original) => Ok(Some(original)),
            Seen::Never | Seen::Perhaps => Ok(None),
        }
    }

    /// The files that the records of an input may go to.
    fn targets(&self, element: &str, found: &Found) -> Vec<PathBuf> {
        let systems = self.flow.systems.iter();
        systems.map(|system| system.target(element, &found.name)).collect()
    }

    fn begin(&mut self, targets: &[PathBuf]) {
        for (sink, target) in self.sinks.iter_mut().zip(targets) {
            sink.staged.begin(target.clone());
            sink.records = 0;
        }
    }

    /// Whether it came to the end of the file.
    fn records(
        &mut self,
        job: &Job,
        input: &InputFile<'_>,
        stop: &AtomicBool,
        account: &mut FileAccount,
    ) -> io::Result<bool> {
        let mut reader = self.flow.elements[job.element].input.open(input)?;
        let targets = &self.flow.graph.network_elements[job.element].targets;
        if let Some(gatherer) = &mut self.gatherers[job.element] {
            gatherer.begin(&job.found);
        }
        loop {
            self.arena.reset();
            // Looked at where it lies: to move it costs as much as a filter.
            let next = reader.next(&mut self.arena);
            let read = match &next {
                Ok(Some(read)) => read,
                Ok(None) => {
                    if let Some(gatherer) = &mut self.gatherers[job.element] {
                        gatherer.end(reader.header(), account.records);
                    }
                    return Ok(true);
                }
                Err(_) => return next.map(|_| false),
            };
            account.records += 1;
            let origin = Origin {
                network_element: &account.network_element,
                file: &account.file,
                record: account.records,
                offset: read.offset,
            };
            match self.record(read, &origin, job.element, targets) {
                Ok(true) => account.delivered += 1,
                Ok(false) => account.filtered += 1,
                Err(refused) => {
                    account.suspended += 1;
                    self.suspend(account.records, read, *refused)?;
                }
            }
            self.keep()?;
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
        }
    }

    /// Counts the records of a duplicate; whether it came to the end of the file.
    fn count(
        &mut self,
        job: &Job,
        input: &InputFile<'_>,
        stop: &AtomicBool,
        account: &mut FileAccount,
    ) -> io::Result<bool> {
        let mut reader = self.flow.elements[job.element].input.open(input)?;
        let mut gatherer = self.gatherers[job.element].as_mut();
        if let Some(gatherer) = &mut gatherer {
            gatherer.begin(&job.found);
        }
        loop {
            self.arena.reset();
            let Some(read) = reader.next(&mut self.arena)? else {
                if let Some(gatherer) = gatherer {
                    gatherer.end(reader.header(), account.records);
                }
                return Ok(true);
            };
            if let (Some(gatherer), Ok(record)) = (&mut gatherer, &read.record) {
                gatherer.record(&mut Memory::new(read.octets, &mut self.arena), *record);
            }
            account.records += 1;
            account.duplicate += 1;
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
        }
    }

    /// Whether the record was delivered to anyone.
    fn record(
        &mut self,
        read: &Read<'_>,
        origin: &Origin<'_>,
        element: usize,
        targets: &[Target],
    ) -> Result<bool, Box<Refused<'p>>> {
        let record = match &read.record {
            Ok(record) => *record,
            Err(reason) => {
                return Err(Box::new(Refused { node: "", reason: reason.as_str().into() }));
            }
        };
        let mut memory = Memory::new(read.octets, &mut self.arena);
        if let Some(gatherer) = &mut self.gatherers[element] {
            gatherer.record(&mut memory, record);
        }
        let mut step = Step {
            flow: self.flow,
            origin,
            nodes: &mut self.nodes,
            sinks: &mut self.sinks,
            emitted: &mut self.emitted,
        };
        let given = step.give(&mut memory, record, targets);
        if let Err(refused) = given {
            self.emitted.truncate(0);
            for sink in &mut self.sinks {
                sink.staged.take_back();
                sink.pending = 0;
            }
            return Err(refused);
        }
        Ok(self.sinks.iter().any(|sink| sink.pending > 0))
    }

    fn keep(&mut self) -> io::Result<()> {
        for sink in &mut self.sinks {
            if sink.pending > 0 {
                sink.records += sink.pending;
                sink.pending = 0;
                sink.staged.keep()?;
            }
        }
        Ok(())
    }

    #[cold]
    fn suspend(&mut self, record: u64, read: &Read<'_>, refused: Refused<'_>) -> io::Result<()> {
        let row = Row {
            why: Why::Suspended,
            record,
            offset: read.offset,
            node: refused.node.into(),
            reason: refused.reason.into(),
            octets: read.octets.into(),
        };
        self.aside.put(row).map_err(io::Error::other)
    }

    /// Ends the outputs of a file.
    fn outputs(&mut self, account: &FileAccount) -> Result<Vec<MadeOutput<'p>>, String> {
        assert!(account.adds_up(), "every record is counted once");
        let mut outputs = Vec::new();
        for (sink, system) in self.sinks.iter_mut().zip(&self.flow.systems) {
            if sink.records > 0 {
                sink.writer.end(&mut sink.staged.buffer);
                outputs.push(MadeOutput::of(&mut sink.staged, &system.name, sink.records)?);
            }
        }
        Ok(outputs)
    }

    fn discard(&mut self) {
        for sink in &mut self.sinks {
            sink.staged.discard();
            sink.pending = 0;
        }
    }
}

/// The parts of a worker that a record passes.
struct Step<'w, 'p> {
    flow: &'p Prepared,
    origin: &'w Origin<'w>,
    nodes: &'w mut [Stage<'p>],
    sinks: &'w mut [Sink<'p>],
    emitted: &'w mut Outputs,
}

impl<'p> Step<'_, 'p> {
    /// Gives a record to each of its receivers, and what they make of it to theirs. The graph has no
    /// circles, so this goes no deeper than there are nodes.
    fn give(&mut self, memory: &mut Memory<'_>, record: Record, targets: &[Target]) -> Given<'p> {
        for target in targets {
            self.follow(memory, record, *target)?;
        }
        Ok(())
    }

    /// Gives a record to a receiver, and what becomes of it to the next, as long as there is one: a chain of
    /// nodes is a loop.
    fn follow(
        &mut self,
        memory: &mut Memory<'_>,
        mut record: Record,
        mut target: Target,
    ) -> Given<'p> {
        loop {
            let node = match target {
                Target::Node(node) => usize::from(node),
                Target::System(system) => return self.write(memory, record, usize::from(system)),
            };
            let Stage { node, at } = &mut self.nodes[node];
            let at: &'p GraphNode = at;
            let mark = self.emitted.mark();
            let targets = match node.process(memory, record, self.origin, self.emitted) {
                Ok(Passed::On(stream, next)) => {
                    record = next;
                    &at.streams[usize::from(stream)]
                }
                Ok(Passed::Emitted) => return self.give_emitted(memory, at, mark),
                Err(refusal) => return Err(refused(&at.name, refusal.reason)),
            };
            match targets.as_slice() {
                [next] => target = *next,
                targets => return self.give(memory, record, targets),
            }
        }
    }

    /// Gives on what a node emitted since a mark.
    fn give_emitted(
        &mut self,
        memory: &mut Memory<'_>,
        at: &'p GraphNode,
        mark: usize,
    ) -> Given<'p> {
        for place in mark..self.emitted.mark() {
            let (stream, made) = self.emitted.get(place);
            self.give(memory, made, &at.streams[stream])?;
        }
        self.emitted.truncate(mark);
        Ok(())
    }

    fn write(&mut self, memory: &mut Memory<'_>, record: Record, system: usize) -> Given<'p> {
        let sink = &mut self.sinks[system];
        if sink.records + sink.pending == 0 {
            sink.writer.begin(&mut sink.staged.buffer);
        }
        sink.writer
            .write(memory, record, &mut sink.staged.buffer)
            .map_err(|reason| refused(&self.flow.systems[system].name, reason.into()))?;
        sink.pending += 1;
        Ok(())
    }
}

#[cold]
fn refused(node: &str, reason: Box<str>) -> Box<Refused<'_>> {
    Box::new(Refused { node, reason })
}
