//! The workers of a flow: threads of the gateway's own process, or of worker processes.

use std::iter::repeat_n;

use diagnostics::counted;
use runtime::affinity::Unit;
use runtime::time::now_ms;

use crate::execute::options::RunOptions;
use crate::plan::Plan;
use crate::schedule::autoscale::{Balance, processors};
use crate::schedule::queue::Taker;
use flow::coupling::CoupledElements;
use flow::groups::{Groups, Serves, Share};
use flow::meters::{Decision, GroupShare, GroupSize, Sizes, Threads};

const BROUGHT_DOWN: &str =
    "beside the gateway, since the last two did not end in order, and a file may have done that";

/// The workers of a flow.
pub(crate) struct WorkerPlan {
    /// The threads of this process.
    pub(crate) threads: Vec<Taker>,
    /// How many of the balanced threads take tasks at first, if neither the flow nor the options give a number.
    pub(crate) balanced: Option<usize>,
    /// The worker processes.
    pub(crate) beside: Vec<Beside>,
    /// The only process that does the tasks of a network element, because a node keeps state there.
    pub(crate) bound: Vec<Option<usize>>,
    /// The reason for the number of common threads.
    why: &'static str,
}

/// Whether files are processed in worker processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Apart {
    /// They cannot be started.
    Never,
    AsConfigured,
    /// Wherever that is possible.
    Always,
}

/// The numbers in the options of a run, which override the flow file unless they are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WantedWorkers {
    pub(crate) processes: usize,
    pub(crate) workers: usize,
}

/// A worker process.
pub(crate) struct Beside {
    pub(crate) serves: Serves,
    pub(crate) threads: usize,
    /// The place of its first thread, if threads are bound to processors.
    pub(crate) place: usize,
    /// The nodes that keep their state there.
    pub(crate) nodes: Vec<usize>,
}

impl WorkerPlan {
    /// Returns the workers of a flow, by its file and the options. The options win.
    pub(crate) fn of(plan: &Plan, options: &RunOptions) -> Self {
        let RunOptions { processes, workers, program, apart, .. } = options;
        let apart = match (program, apart) {
            (None, _) => Apart::Never,
            (Some(_), false) => Apart::AsConfigured,
            (Some(_), true) => Apart::Always,
        };
        let wanted = WantedWorkers { processes: *processes, workers: *workers };
        WorkerPlan::sized(plan, wanted, apart)
    }

    /// Returns the workers of a flow.
    pub(crate) fn sized(plan: &Plan, wanted: WantedWorkers, apart: Apart) -> Self {
        let WantedWorkers { processes, workers } = wanted;
        let can_start = apart != Apart::Never && parted(plan).is_none();
        let is_apart = apart == Apart::Always && can_start;
        let (mut threads, mut beside) = (Vec::new(), Vec::new());
        let own = plan.workload.groups.shares.iter().enumerate();
        let own = own.filter_map(|(group, share)| match share {
            Share::Own { processes, threads } => Some((Serves::Group(group), *processes, *threads)),
            Share::Common { .. } => None,
        });
        let mut own_here = 0;
        for (serves, processes, each) in own {
            own_here += if processes == 0 { each } else { 0 };
            match processes.max(usize::from(is_apart)) {
                0 => threads.extend(repeat_n(Taker::here(serves), each)),
                processes if apart != Apart::Never => {
                    beside.extend((0..processes).map(|_| Beside::new(serves, each)))
                }
                processes => threads.extend(repeat_n(Taker::here(serves), processes * each)),
            }
        }
        let (processors, mut balanced) = (processors(), None);
        let chosen =
            |option: usize, setting: Option<usize>| Some(option).filter(|n| *n > 0).or(setting);
        let processes = chosen(processes, plan.workload.groups.common.processes).unwrap_or(1);
        let wanted = chosen(workers, plan.workload.groups.common.threads);
        if can_start && (processes > 1 || is_apart) {
            // A single process has as many threads as this one would have.
            let of_groups = if processes > 1 { 0 } else { own_here };
            let each = wanted.unwrap_or(processors.div_ceil(processes));
            let each = each.saturating_sub(of_groups).max(1);
            beside.extend((0..processes).map(|_| Beside::new(Serves::Others, each)));
        } else {
            let others = wanted.unwrap_or(processors).saturating_sub(threads.len()).max(1);
            let here = Taker::here(Serves::Others);
            if wanted.is_some() {
                threads.extend(repeat_n(here, others));
            } else {
                let own = beside.iter().map(|beside: &Beside| beside.threads).sum::<usize>();
                let most = Balance::most(processors, threads.len() + own).max(others);
                threads.extend((0..most).map(|place| Taker { balanced: Some(place), ..here }));
                balanced = Some(others);
            }
        }
        let are_own = threads.iter().any(|taker| taker.serves != Serves::Others);
        let why = match (balanced, wanted) {
            _ if is_apart => BROUGHT_DOWN,
            (None, Some(_)) => "as the flow says, or who started it",
            (None, None) => "so many that all processors have something to do",
            (Some(_), _) if are_own => {
                "as many as groups leave of the processors, one at least, to begin with"
            }
            (Some(_), _) => "as many as processors, to begin with",
        };
        let bound = vec![None; plan.topology.elements.len()];
        let mut crew = WorkerPlan { threads, balanced, beside, bound, why };
        crew.seat(plan.workload.groups.common.bound);
        plan.topology.circles.iter().for_each(|circle| crew.bind(plan, circle));
        crew
    }

    /// Returns the numbers of threads at the start, by group.
    pub(crate) fn sizes(&self, plan: &Plan) -> Sizes {
        let Groups { shares, names, of_elements, .. } = &plan.workload.groups;
        let members = |place: usize| {
            let elements = plan.topology.elements.iter().zip(of_elements);
            let members = elements.filter(move |(_, of)| **of == place);
            members.map(|(element, _)| element.name.clone()).collect()
        };
        let groups = shares.iter().enumerate().map(|(place, share)| GroupSize {
            name: names.get(place).cloned(),
            members: members(place),
            share: match *share {
                Share::Own { .. } => GroupShare::Own(self.serving(Serves::Group(place))),
                Share::Common { priority, weight } => GroupShare::Common { priority, weight },
            },
        });
        Sizes {
            processors: processors(),
            groups: groups.filter(|group| !group.members.is_empty()).collect(),
            common: self.serving(Serves::Others),
            is_found: self.balanced.is_some(),
            delivering: plan.distribution.sizes(),
            ..Sizes::default()
        }
    }

    /// Returns the threads that serve a group, or all others, at the start.
    fn serving(&self, serves: Serves) -> Threads {
        let mut beside = self.beside.iter().filter(|beside| beside.serves == serves).peekable();
        if let Some(Beside { threads, .. }) = beside.peek() {
            return Threads { threads: *threads, processes: beside.count() };
        }
        let most = self.balanced.unwrap_or(usize::MAX);
        let works = |taker: &&Taker| {
            taker.serves == serves && taker.balanced.is_none_or(|place| place < most)
        };
        Threads { processes: 0, threads: self.threads.iter().filter(works).count() }
    }

    /// Returns the decision about threads at the start.
    pub(crate) fn decision(&self, plan: &Plan) -> Decision {
        let Sizes { groups, common, .. } = self.sizes(plan);
        let own = groups.iter().filter_map(|group| match (group.share, &group.name) {
            (GroupShare::Own(own), Some(name)) => {
                Some(format!(", those of \"{name}\" by {}", shown(own)))
            }
            _ => None,
        });
        let own: String = own.collect();
        let what = format!("files are processed by {}{own}", shown(common));
        Decision { at_ms: now_ms(), what, why: self.why.into() }
    }

    /// Returns the workers of a flow without worker processes.
    pub(crate) fn here(plan: &Plan, options: &RunOptions) -> Self {
        WorkerPlan::of(plan, &RunOptions { program: None, ..options.clone() })
    }

    /// Returns whether a node keeps its state, if any, in this process.
    pub(crate) fn is_here(&self, node: usize) -> bool {
        self.beside.iter().all(|beside| !beside.nodes.contains(&node))
    }

    /// Gives processes their places: a memory node for each process, or a processor for each of its threads.
    fn seat(&mut self, unit: Option<Unit>) {
        let mut place = self.threads.len();
        for beside in &mut self.beside {
            beside.place = place;
            place += if unit == Some(Unit::MemoryNode) { 1 } else { beside.threads };
        }
    }

    /// Binds a circle whose nodes keep state to one process: of those that serve it, the one with the fewest such
    /// nodes.
    fn bind(&mut self, plan: &Plan, circle: &CoupledElements) {
        let nodes = circle
            .elements
            .iter()
            .flat_map(|element| &plan.topology.elements[*element].remembering);
        // A judge works where the journal is written.
        let is_there = |node: &&usize| plan.topology.graph.nodes[**node].template.judge().is_none();
        let mut nodes: Vec<usize> = nodes.filter(is_there).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.is_empty() {
            return;
        }
        let serves = plan.workload.groups.serves(circle.elements[0]);
        let those = self.beside.iter().enumerate().filter(|(_, beside)| beside.serves == serves);
        if let Some((place, _)) = those.min_by_key(|(_, beside)| beside.nodes.len()) {
            self.beside[place].nodes.extend(nodes);
            circle.elements.iter().for_each(|element| self.bound[*element] = Some(place));
        }
    }
}

/// Returns the number of threads in words.
fn shown(Threads { processes, threads }: Threads) -> String {
    let threads = counted(threads, "thread");
    match processes {
        0 => threads,
        1 => format!("{threads} of a process"),
        processes => format!("{threads} of each of {processes} processes"),
    }
}

/// Returns two network elements whose records meet in a node, but whose threads differ because one has its own. A node
/// belongs to one process, so such a flow cannot have worker processes.
pub(crate) fn parted(plan: &Plan) -> Option<(&str, &str)> {
    plan.topology.circles.iter().find_map(|circle| {
        let first = circle.elements[0];
        let serves = |element: usize| plan.workload.groups.serves(element);
        let other = circle.elements.iter().find(|other| serves(**other) != serves(first))?;
        Some((
            plan.topology.elements[first].name.as_str(),
            plan.topology.elements[*other].name.as_str(),
        ))
    })
}

impl Beside {
    fn new(serves: Serves, threads: usize) -> Self {
        Beside { serves, threads, place: 0, nodes: Vec::new() }
    }
}
