//! The path of a record through the graph, depth first, to the end. A record is one transaction: if a node or an
//! encoder rejects it, its part of every output is taken back, and nodes forget what they noted of it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use node::{
    Expiry, GroupEnd, GroupId, JobNumber, Node, Origin, Outputs, Passed, RecordEnd, Refusal,
    StateError, Summed,
};
use reason::{Coded, Reason};
use record::{Memory, Record};
use store::StoreError;

use crate::execute::hangs::Pulse;
use crate::execute::job::{MadeOutput, OutputError, Results};
use crate::execute::job_view::JobView;
use crate::execute::running::Running;
use crate::plan::Plan;
use assurance::control_totals::{AmountRow, Amounts, Compared};
use distribution::{Cutter, Route};
use flow::fusion::{Joined, Role};
use flow::graph::{GraphNode, Target};
use flow::outcome::Class;
use flow::outcome::Why;
use flow::report::NodeAccount;
use flow::topology::{Element, System};
use format::coding::Writer;
use lineage::{Counted, Passages, Recorder, SetAside, TraceRow};
use state::changes::NodeChanges;
use state::counters;
use state::groups;
use state::timers;
use state::timers::due::DueTimer;
use state::timers::emitted::EmittedAside;
use transport::Staged;

/// A worker's nodes and outputs.
pub(crate) struct Pipeline<'p> {
    plan: &'p Plan,
    nodes: Vec<Stage<'p>>,
    sinks: Vec<Sink<'p>>,
    emitted: Outputs,
    /// The nodes with state that records of the current file may reach.
    remembering: &'p [usize],
    passages: Passages,
    /// Whether the current record waits in a node.
    is_held: bool,
    /// Whether duplicate records pass, because a user asked to retry them.
    pub(crate) passes_duplicates: bool,
    /// The sums over the current file's records, if the flow has any.
    amounts: Option<Amounts<'p>>,
    /// The amounts by network element, except that of the current file.
    others: Vec<Option<Amounts<'p>>>,
    /// The network element of the current file.
    element: usize,
    /// Whether the worker processes a stretch of a file.
    is_in_stretch: bool,
    /// The recorder, if the flow is traced.
    trace: Option<Recorder>,
    /// Shows whether the worker makes progress.
    pulse: Pulse,
}

/// The results of a stretch of a file, in memory. The buffers are reused from stretch to stretch.
pub(crate) struct Part {
    /// The outputs by system.
    outputs: Vec<OfSystem>,
    counted: Counted,
    sums: Vec<Summed>,
    trace: Vec<u8>,
}

/// The output of a stretch for a system.
struct OfSystem {
    staged: Staged,
    records: u64,
    /// The lengths of the records, if they decide where an output is cut.
    lengths: Vec<u32>,
}

impl Part {
    pub(crate) fn new(running: &Running) -> Self {
        let flow = &running.plan.topology;
        let of_system =
            |_| OfSystem { staged: Staged::in_memory(), records: 0, lengths: Vec::new() };
        let outputs = flow.systems.iter().map(of_system).collect();
        Part {
            outputs,
            counted: Counted::new(flow, running.roles()),
            sums: Vec::new(),
            trace: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        for OfSystem { staged, records, lengths } in &mut self.outputs {
            staged.discard();
            *records = 0;
            lengths.clear();
        }
        self.counted.clear();
        self.sums.clear();
        self.trace.clear();
    }
}

/// A node, or a chain that begins with it, and its place in the graph.
struct Stage<'p> {
    /// None if records reach the node only within chains.
    node: Option<Box<dyn Node>>,
    at: &'p GraphNode,
    /// The receivers, by stream or exit.
    streams: &'p [Vec<Target>],
    /// The node of each link of the chain.
    links: &'p [usize],
    /// The index of its first count in the passages.
    first: u32,
}

impl Stage<'_> {
    #[inline(always)]
    fn node(&mut self) -> &mut dyn Node {
        self.node.as_deref_mut().expect("a node within a chain gets its records from the chain")
    }
}

/// An output file for one post-processing system.
struct Sink<'p> {
    writer: Box<dyn Writer + 'p>,
    staged: Staged,
    records: u64,
    /// How many records the current input record has added.
    pending: u64,
    /// Set if distribution splits or merges its files.
    cutter: Option<Cutter>,
}

/// A duplicate check found the key of a record in its window.
#[derive(Debug, thiserror::Error, Coded)]
#[code("duplicate")]
#[error("a record with this key came before")]
pub(crate) struct Duplicate;

/// Why a record or its whole file was refused, and where.
pub(crate) struct Refused<'p> {
    pub(crate) what: What,
    /// The node or system. Empty if the record could not be read.
    pub(crate) node: &'p str,
    pub(crate) reason: Box<Reason>,
    /// Whether the record came too late for the node.
    is_late: bool,
    /// The node's or system's place in the accounts.
    place: Option<usize>,
    /// If it is within a chain: the first node of the chain, and the link.
    link: Option<(usize, usize)>,
}

/// The thing that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The record. It is set aside.
    Record(Why),
    /// The file, for now.
    File,
    /// The file, until groups of this node have ended.
    FileUntilRoom { node: usize },
    /// The file. It begins again.
    FileBegunAgain,
}

/// The result of a step that runs for every record. It fits into a register.
pub(crate) type Given<'p> = Result<(), Box<Refused<'p>>>;

impl<'p> Pipeline<'p> {
    pub(crate) fn new(running: &'p Running, view: &JobView) -> Result<Self, StoreError> {
        let (plan, roles) = (&running.plan, running.roles());
        let flow = &plan.topology;
        let is_traced = view.is_written && plan.trace.is_on;
        let trace = is_traced.then(|| Recorder::new(flow, roles, Arc::clone(&view.shelf)));
        let passages = Passages::new(flow, roles, trace.as_ref().map(Recorder::steps));
        let stage = |(place, at): (usize, &'p GraphNode)| {
            let (streams, first) = (at.streams.as_slice(), passages.first(place));
            let stage = |node| Stage { node, at, streams, links: &[], first };
            let mut node = match &roles[place] {
                Role::Alone => at.template.instance(),
                Role::First(Joined { chain, nodes, targets, .. }) => {
                    let node = Some(chain.instance());
                    return Ok(Stage { streams: targets, links: nodes, ..stage(node) });
                }
                Role::Within => return Ok(stage(None)),
            };
            let group_index = (&**view, &view.group_index);
            if let Some(equipment) = groups::equipment(flow, &plan.keepings, place, group_index)? {
                node.equip(equipment);
            }
            if let Some(reader) = counters::reader(flow, place, view)? {
                node.attach(reader);
            }
            if let Some(equipment) = timers::equipment(flow, place, view)? {
                node.equip_timers(equipment);
            }
            let clock = Arc::clone(&view.clock);
            node.take_clock(Box::new(move || clock.latest_ms()));
            Ok(stage(Some(node)))
        };
        let nodes = flow.graph.nodes.iter().enumerate().map(stage);
        let nodes = nodes.collect::<Result<_, StoreError>>()?;
        let sink = |(system, route): (&'p System, &Option<Arc<Route>>)| {
            let mut writer = system.output.writer();
            let split = route.as_ref().and_then(|route| route.split());
            let cutter = split.map(|limits| Cutter::new(limits, &mut *writer));
            Sink { writer, staged: Staged::default(), records: 0, pending: 0, cutter }
        };
        let elements = 0..flow.elements.len();
        let mut others: Vec<_> = elements.map(|element| amounts(plan, element)).collect();
        Ok(Pipeline {
            plan,
            nodes,
            sinks: flow.systems.iter().zip(&plan.distribution.routes).map(sink).collect(),
            emitted: Outputs::default(),
            remembering: &[],
            passages,
            is_held: false,
            passes_duplicates: false,
            amounts: others.first_mut().and_then(Option::take),
            others,
            element: 0,
            is_in_stretch: false,
            trace,
            pulse: Pulse::default(),
        })
    }

    /// Returns the pulse that shows whether the worker makes progress.
    pub(crate) fn pulse(&self) -> &Pulse {
        &self.pulse
    }

    /// Begins a file.
    pub(crate) fn begin(&mut self, job: JobNumber, element: usize, targets: &[PathBuf]) {
        self.end();
        self.passes_duplicates = false;
        for (sink, target) in self.sinks.iter_mut().zip(targets) {
            sink.staged.begin(target.clone());
            sink.records = 0;
            sink.cutter.iter_mut().for_each(Cutter::clear);
        }
        // The trace goes first. It knows paths by their numbers, and the tree of paths may be emptied.
        if let Some(trace) = &mut self.trace {
            trace.clear(&mut self.passages);
        }
        self.passages.clear();
        std::mem::swap(&mut self.amounts, &mut self.others[self.element]);
        self.element = element;
        std::mem::swap(&mut self.amounts, &mut self.others[element]);
        if let Some(amounts) = &mut self.amounts {
            amounts.clear();
        }
        let Element { name, remembering, .. } = &self.plan.topology.elements[element];
        self.remembering = remembering;
        for node in self.remembering {
            self.nodes[*node].node().begin_file(job, name);
        }
    }

    /// Swaps the current results with those of a stretch: call it before the stretch and again after it.
    pub(crate) fn swap(&mut self, part: &mut Part) {
        self.is_in_stretch ^= true;
        for (sink, of_system) in self.sinks.iter_mut().zip(&mut part.outputs) {
            std::mem::swap(&mut sink.staged, &mut of_system.staged);
            std::mem::swap(&mut sink.records, &mut of_system.records);
            if let Some(cutter) = &mut sink.cutter {
                cutter.swap(&mut of_system.lengths);
            }
        }
        self.passages.swap(&mut part.counted);
        if let Some(amounts) = &mut self.amounts {
            amounts.swap(&mut part.sums);
        }
        if let Some(trace) = &mut self.trace {
            trace.swap(&mut self.passages, &mut part.trace);
        }
    }

    /// Returns how many octets of output the current stretch has.
    pub(crate) fn octets(&self) -> usize {
        self.sinks.iter().map(|sink| sink.staged.buffer.len()).sum()
    }

    /// Adds the results of the next stretch of the file.
    pub(crate) fn add(&mut self, part: &Part) -> io::Result<()> {
        for (place, of_system) in part.outputs.iter().enumerate() {
            let OfSystem { staged: made, records, lengths } = of_system;
            let sink = &mut self.sinks[place];
            if *records > 0 {
                if sink.records == 0 {
                    sink.writer.begin(&mut sink.staged.buffer);
                    if let Some(trace) = &mut self.trace {
                        trace.begun(place, sink.staged.buffer.len());
                    }
                }
                sink.records += records;
                if let Some(cutter) = &mut sink.cutter {
                    cutter.add(lengths);
                }
                let added = sink.staged.append(&made.buffer);
                added.map_err(|error| not_written(&sink.staged, error))?;
            }
        }
        self.passages.add(&part.counted);
        if let Some(amounts) = &mut self.amounts {
            amounts.add(&part.sums);
        }
        match &mut self.trace {
            Some(trace) => trace.add(&mut self.passages, &part.trace),
            None => Ok(()),
        }
    }

    /// Notes the position of the next record in its file, or the number of the next group.
    #[inline(always)]
    pub(crate) fn at(&mut self, position: u64) {
        self.pulse.begin();
        if let Some(trace) = &mut self.trace {
            trace.at(&mut self.passages, position);
        }
    }

    /// Tells the nodes that the job retries records.
    pub(crate) fn begin_retry(&mut self) {
        for node in self.remembering {
            self.nodes[*node].node().begin_retry();
        }
    }

    /// Gives a record to its receivers. If it is refused, takes its outputs back.
    #[inline(always)]
    pub(crate) fn give(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        targets: &[Target],
    ) -> Given<'p> {
        if let Some(amounts) = &mut self.amounts {
            amounts.record(memory, record);
        }
        let given = self.give_each(memory, record, origin, targets);
        if let Err(refused) = &given {
            self.take_back(refused);
        }
        given
    }

    /// Gives a record back to the node in which it waited. If it is refused, takes its outputs back.
    pub(crate) fn give_back(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        node: usize,
    ) -> Given<'p> {
        // The record has the form of that node, not that of its network element.
        if let Some(amounts) = &mut self.amounts {
            amounts.forget_record();
        }
        self.passages.entered(Target::Node(node as u16));
        let given = self.follow(memory, record, origin, Target::Node(node as u16));
        if let Err(refused) = &given {
            self.take_back(refused);
        }
        given
    }

    /// Gives a record that a timer emitted to the receivers of the node's stream. If it is refused, takes its outputs back.
    pub(crate) fn give_from(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        (node, stream): (usize, usize),
    ) -> Given<'p> {
        if let Some(amounts) = &mut self.amounts {
            amounts.forget_record();
        }
        let at: &'p GraphNode = self.nodes[node].at;
        at.streams[stream].iter().for_each(|target| self.passages.entered(*target));
        let given = self.give_each(memory, record, origin, &at.streams[stream]);
        if let Err(refused) = &given {
            self.take_back(refused);
        }
        given
    }

    /// Ends a group, and sends its result on. If that is refused, takes the outputs back, and the group still waits.
    pub(crate) fn release(
        &mut self,
        memory: &mut Memory<'_>,
        origin: &Origin<'_>,
        place: usize,
        (group, key): &(GroupId, String),
        end: &GroupEnd,
    ) -> Result<Expiry, Box<Refused<'p>>> {
        self.act(memory, |pipeline, memory| {
            let (stage, emitted) = (&mut pipeline.nodes[place], &mut pipeline.emitted);
            let (at, first): (&'p GraphNode, u32) = (stage.at, stage.first);
            match stage.node().end_group(memory, (*group, key), end, emitted) {
                Ok(Expiry::Emitted) => {
                    pipeline.released(first, at);
                    pipeline.give_emitted(memory, origin, at, 0).map(|()| Expiry::Emitted)
                }
                Ok(ended) => Ok(ended),
                Err(refusal) => Err(pipeline.refused(place, refusal)),
            }
        })
    }

    /// Fires a timer, and sends on what its node emits. If that is refused, takes the outputs back, and the key still has
    /// the timer. Returns whether it has fired; not if the key has another timer now, or none.
    pub(crate) fn fire(
        &mut self,
        memory: &mut Memory<'_>,
        origin: &Origin<'_>,
        place: usize,
        due: &DueTimer,
    ) -> Result<bool, Box<Refused<'p>>> {
        self.act(memory, |pipeline, memory| {
            let has_fired = pipeline.fire_at(memory, place, due)?;
            let stage = &pipeline.nodes[place];
            let (at, first): (&'p GraphNode, u32) = (stage.at, stage.first);
            if has_fired {
                pipeline.released(first, at);
            }
            pipeline.give_emitted(memory, origin, at, 0).map(|()| has_fired)
        })
    }

    /// Counts the records that a node emitted without a record.
    fn released(&mut self, first: u32, at: &GraphNode) {
        let streams = (0..self.emitted.mark()).map(|emitted| self.emitted.get(emitted).0);
        self.passages.released(first, at.streams.len(), streams);
    }

    /// Fires a timer, and sets aside what its node emits.
    pub(crate) fn fire_aside(
        &mut self,
        memory: &mut Memory<'_>,
        place: usize,
        due: &DueTimer,
        aside: &mut EmittedAside<'_>,
    ) -> Result<bool, Box<Refused<'p>>> {
        self.act(memory, |pipeline, memory| {
            let has_fired = pipeline.fire_at(memory, place, due)?;
            let written = (0..pipeline.emitted.mark()).try_for_each(|emitted| {
                let (stream, record) = pipeline.emitted.get(emitted);
                let keeping = pipeline.plan.emitted_formats[place][stream].as_deref();
                aside.put((due.id, stream), keeping, memory, record)
            });
            pipeline.emitted.truncate(0);
            let refused = |error: StateError| pipeline.refused(place, Refusal::new(&error));
            written.map_err(refused).map(|()| has_fired)
        })
    }

    /// Fires a timer. What its node emits lies in `emitted` then.
    fn fire_at(
        &mut self,
        memory: &mut Memory<'_>,
        place: usize,
        DueTimer { key, timer, .. }: &DueTimer,
    ) -> Result<bool, Box<Refused<'p>>> {
        let (node, emitted) = (self.nodes[place].node(), &mut self.emitted);
        let fired = node.take_timer(key, *timer).and_then(|is_set| match is_set {
            true => node.fire_timer(memory, (key, *timer), emitted).map(|()| true),
            false => Ok(false),
        });
        fired.map_err(|refusal| self.refused(place, refusal))
    }

    /// Does what nodes do without a record. If it is refused, takes the outputs back.
    fn act<T>(
        &mut self,
        memory: &mut Memory<'_>,
        act: impl FnOnce(&mut Self, &mut Memory<'_>) -> Result<T, Box<Refused<'p>>>,
    ) -> Result<T, Box<Refused<'p>>> {
        if let Some(amounts) = &mut self.amounts {
            amounts.forget_record();
        }
        let done = act(self, memory);
        if let Err(refused) = &done {
            // The nodes never received it as a record, so they do not count it.
            self.take_back(&Refused { place: None, reason: Box::default(), ..**refused });
        }
        done
    }

    /// Returns the refusal of a record that could not be read. `node` is the node in which it waited, or empty if it
    /// came from a file.
    #[cold]
    pub(crate) fn unreadable<'r>(&mut self, node: &'r str, error: &impl Coded) -> Box<Refused<'r>> {
        if let Some(amounts) = &mut self.amounts {
            amounts.forget_record();
        }
        if let Some(trace) = &mut self.trace {
            trace.unreadable(&mut self.passages);
        }
        let what = What::Record(Why::Suspended);
        let reason = Box::new(Reason::of(error));
        Box::new(Refused { what, node, reason, is_late: false, place: None, link: None })
    }

    /// OnDisk the outputs of the current record. Returns whether it was delivered, held or filtered.
    pub(crate) fn keep(&mut self) -> io::Result<Class> {
        self.pulse.end();
        if self.passages.is_any_beside() {
            self.keep_beside();
        }
        let path = self.passages.keep();
        if let Some(trace) = &mut self.trace
            && trace.keep(&mut self.passages, path)
        {
            self.put_trace_away()?;
        }
        for node in self.remembering {
            self.nodes[*node].node().end_record(RecordEnd::Accepted);
        }
        let mut class = if self.is_held { Class::Held } else { Class::Filtered };
        self.is_held = false;
        for sink in &mut self.sinks {
            if sink.pending > 0 {
                class = Class::Delivered;
                sink.records += sink.pending;
                sink.pending = 0;
                if let Some(cutter) = sink.cutter.as_mut().filter(|_| !self.is_in_stretch) {
                    cutter.commit();
                }
                sink.staged.commit().map_err(|error| not_written(&sink.staged, error))?;
            }
        }
        if let Some(amounts) = &mut self.amounts {
            amounts.end_record(class);
        }
        Ok(class)
    }

    #[cold]
    #[inline(never)]
    fn keep_beside(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.beyond(&mut self.passages);
        }
        self.passages.keep_beside();
    }

    #[cold]
    fn take_back(&mut self, refused: &Refused<'_>) {
        self.pulse.end();
        let set_aside = match (refused.what, refused.place) {
            (What::Record(why), Some(place)) => Some(SetAside { place, why, link: refused.link }),
            _ => None,
        };
        self.emitted.truncate(0);
        self.is_held = false;
        for (system, sink) in self.sinks.iter_mut().enumerate() {
            sink.staged.roll_back();
            if let (1.., Some(amounts)) = (sink.pending, &mut self.amounts) {
                amounts.take_back(system);
            }
            if let Some(trace) = &mut self.trace {
                trace.take_back(system, sink.pending);
            }
            if let Some(cutter) = &mut sink.cutter {
                cutter.roll_back(sink.pending);
            }
            sink.pending = 0;
        }
        if let Some(set_aside) = set_aside {
            self.passages.count_refused(set_aside);
            if let Some(trace) = &mut self.trace {
                trace.set_aside(&mut self.passages, (set_aside.place, set_aside.why));
            }
        }
        self.passages.forget();
        for node in self.remembering {
            let is_for_good = refused.is_late || refused.what == What::Record(Why::Duplicate);
            let end = match is_for_good && !self.is_behind(*node, refused.place) {
                true => RecordEnd::NotAwaited,
                false => RecordEnd::Refused,
            };
            self.nodes[*node].node().end_record(end);
        }
        if let (Some(set_aside), Some(amounts)) = (set_aside, &mut self.amounts) {
            amounts.end_record(Class::SetAside(set_aside.why));
        }
    }

    /// Returns whether records from a node may reach a place. True if the place is unknown.
    fn is_behind(&self, node: usize, place: Option<usize>) -> bool {
        place.is_none_or(|place| self.plan.topology.graph.reached_from(node).0.contains(&place))
    }

    /// Ends a job and returns its results.
    pub(crate) fn results(&mut self) -> Result<Results<'p>, OutputError> {
        self.pulse.end();
        Ok(Results {
            outputs: self.outputs()?,
            accounts: self.accounts(),
            amounts: self.amounts(),
            noted: self.noted(),
            trace: self.trace(),
        })
    }

    /// Ends the outputs of a file.
    fn outputs(&mut self) -> Result<Vec<MadeOutput<'p>>, OutputError> {
        let mut outputs = Vec::new();
        for (sink, system) in self.sinks.iter_mut().zip(&self.plan.topology.systems) {
            if sink.records > 0 {
                sink.writer.end(&mut sink.staged.buffer);
                let cuts = sink.cutter.as_mut().map(Cutter::cuts);
                outputs.push(MadeOutput::of(&mut sink.staged, &system.name, sink.records, cuts)?);
            } else {
                // An interrupted run may have begun one, when more went there.
                sink.staged.forget_interrupted();
            }
        }
        Ok(outputs)
    }

    /// Returns the counts of the nodes and systems that records of the file reached.
    fn accounts(&mut self) -> Vec<NodeAccount> {
        for (system, sink) in self.sinks.iter().enumerate() {
            self.passages.given(system, sink.records);
        }
        let Element { name, .. } = &self.plan.topology.elements[self.element];
        self.passages.accounts(&self.plan.topology.graph.nodes, name)
    }

    /// Returns the sums over the file's records.
    fn amounts(&mut self) -> Vec<AmountRow> {
        self.amounts.as_mut().map_or_else(Vec::new, Amounts::rows)
    }

    /// Moves the trace out of memory if it is large.
    pub(crate) fn put_trace_away(&mut self) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) if !self.is_in_stretch => trace.put_away(),
            _ => Ok(()),
        }
    }

    /// Returns the trace of the file's records.
    fn trace(&mut self) -> TraceRow {
        match &mut self.trace {
            Some(trace) => trace.take(&mut self.passages),
            None => TraceRow::default(),
        }
    }

    /// Returns the state changes of nodes from the file's records.
    fn noted(&mut self) -> Vec<NodeChanges<'p>> {
        let mut noted = Vec::new();
        for node in std::mem::take(&mut self.remembering) {
            let stage = &mut self.nodes[*node];
            let at = stage.at;
            let form = at.template.in_memory().map(|state| state.form());
            if let Some(changes) = stage.node().end_file() {
                let keyed_by =
                    at.template.on_disk().map(|state| state.keyed_by).unwrap_or_default();
                let (node, form) = (at.name.as_str(), form.unwrap_or_default());
                let judge = at.template.judge();
                noted.push(NodeChanges { node, form, keyed_by, changes, judge });
            }
        }
        noted
    }

    /// Discards the results of a file that were not taken.
    pub(crate) fn end(&mut self) {
        self.pulse.end();
        for sink in &mut self.sinks {
            sink.staged.discard();
            sink.records = 0;
            sink.pending = 0;
            sink.cutter.iter_mut().for_each(Cutter::clear);
        }
        self.noted();
    }

    /// Gives a record to each target. The graph has no cycles, so the recursion is no deeper than the graph has nodes.
    fn give_each(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        targets: &[Target],
    ) -> Given<'p> {
        for target in targets {
            self.follow(memory, record, origin, *target)?;
        }
        Ok(())
    }

    /// Gives a record to a receiver, and the result to the next, as long as there is one. A chain of nodes is a loop
    /// here, not a recursion.
    fn follow(
        &mut self,
        memory: &mut Memory<'_>,
        mut record: Record,
        origin: &Origin<'_>,
        mut target: Target,
    ) -> Given<'p> {
        loop {
            let place = match target {
                Target::Node(node) => node,
                Target::System(system) => return self.write(memory, record, usize::from(system)),
                Target::Duplicate(node) if self.passes_duplicates => {
                    let at: &'p GraphNode = self.nodes[usize::from(node)].at;
                    return self.give_each(memory, record, origin, at.first_time());
                }
                Target::Duplicate(node) => return Err(self.duplicate(usize::from(node))),
            };
            let stage = &mut self.nodes[usize::from(place)];
            let (at, first): (&'p GraphNode, u32) = (stage.at, stage.first);
            let streams: &'p [Vec<Target>] = stage.streams;
            let mark = self.emitted.mark();
            match stage.node().process(memory, record, origin, &mut self.emitted) {
                Ok(Passed::On(stream, next)) => {
                    record = next;
                    let targets = streams[usize::from(stream)].as_slice();
                    self.passages.went_on(first, stream);
                    match targets {
                        [next] => target = *next,
                        targets => return self.give_each(memory, record, origin, targets),
                    }
                }
                Ok(Passed::Emitted) => {
                    let made = (mark..self.emitted.mark()).map(|made| self.emitted.get(made).0);
                    self.passages.made(first, at.streams.len(), made);
                    return self.give_emitted(memory, origin, at, mark);
                }
                Ok(Passed::Waiting) => {
                    self.passages.held(first, at.streams.len());
                    self.is_held = true;
                    return Ok(());
                }
                Err(refusal) => return Err(self.refused(usize::from(place), refusal)),
            }
        }
    }

    /// Sends on the records that a node emitted since a mark.
    fn give_emitted(
        &mut self,
        memory: &mut Memory<'_>,
        origin: &Origin<'_>,
        at: &'p GraphNode,
        mark: usize,
    ) -> Given<'p> {
        for place in mark..self.emitted.mark() {
            let (stream, made) = self.emitted.get(place);
            self.give_each(memory, made, origin, &at.streams[stream])?;
        }
        self.emitted.truncate(mark);
        Ok(())
    }

    fn write(&mut self, memory: &mut Memory<'_>, record: Record, system: usize) -> Given<'p> {
        let sink = &mut self.sinks[system];
        if sink.records + sink.pending == 0 && !self.is_in_stretch {
            sink.writer.begin(&mut sink.staged.buffer);
            if let Some(trace) = &mut self.trace {
                trace.begun(system, sink.staged.buffer.len());
            }
        }
        let start = sink.staged.buffer.len();
        match sink.writer.write(memory, record, &mut sink.staged.buffer) {
            Ok(()) => {
                sink.pending += 1;
                let octets = sink.staged.buffer.len() - start;
                if let Some(cutter) = &mut sink.cutter {
                    cutter.written(octets);
                }
                if let Some(trace) = &mut self.trace {
                    trace.written(&mut self.passages, system, octets);
                }
                if let Some(amounts) = &mut self.amounts {
                    amounts.written(memory, record, system, sink.pending == 1);
                }
                Ok(())
            }
            Err(error) => {
                let refusal = Refusal::new(&error);
                Err(self.refused(self.nodes.len() + system, refusal))
            }
        }
    }

    #[cold]
    fn refused(&self, place: usize, refusal: Refusal) -> Box<Refused<'p>> {
        let link = usize::from(refusal.link);
        let in_chain = |stage: &Stage<'_>| stage.links.get(link).copied();
        let (place, link) = match self.nodes.get(place).and_then(in_chain) {
            Some(node) => (node, Some((place, link))),
            None => (place, None),
        };
        let node = match self.nodes.get(place) {
            Some(stage) => &stage.at.name,
            None => &self.plan.topology.systems[place - self.nodes.len()].name,
        };
        let what = match refusal.refused {
            node::Refused::Record | node::Refused::LateRecord => What::Record(Why::Suspended),
            node::Refused::File => What::File,
            node::Refused::FileUntilRoom => What::FileUntilRoom { node: place },
            node::Refused::FileBegunAgain => What::FileBegunAgain,
        };
        let is_late = refusal.refused == node::Refused::LateRecord;
        Box::new(Refused { what, node, reason: refusal.reason, is_late, place: Some(place), link })
    }

    #[cold]
    fn duplicate(&self, node: usize) -> Box<Refused<'p>> {
        let refusal = Refusal::new(&Duplicate);
        Box::new(Refused { what: What::Record(Why::Duplicate), ..*self.refused(node, refusal) })
    }
}

#[cold]
fn not_written(staged: &Staged, cause: io::Error) -> io::Error {
    io::Error::new(cause.kind(), OutputError::new(staged.target(), cause))
}

fn amounts(plan: &Plan, element: usize) -> Option<Amounts<'_>> {
    let Plan { topology, assurance, .. } = plan;
    let systems = topology.systems.iter().zip(&assurance.systems).enumerate();
    let systems = systems.map(|(place, (system, audited))| {
        let compared = match topology.is_behind_held(element, place) {
            true => Compared::No,
            false => Compared::Yes,
        };
        (system.name.as_str(), audited, compared)
    });
    Amounts::new(&assurance.elements[element], systems)
}
