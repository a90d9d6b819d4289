//! Who does the tasks of a flow: threads of the gateway's own process, or of processing processes beside it.

use std::iter::repeat_n;

use crate::balance::{Balance, processors};
use crate::circle::Circle;
use crate::groups::Share;
use crate::placement::Bound;
use crate::prepare::Prepared;
use crate::queue::{Serves, Taker};
use crate::run::RunOptions;

/// Those who do tasks.
pub(crate) struct Crew {
    /// The threads of this process.
    pub(crate) threads: Vec<Taker>,
    /// How many of those take tasks at first that balance themselves, if nobody has said how many.
    pub(crate) balanced: Option<usize>,
    /// The processes beside it.
    pub(crate) beside: Vec<Beside>,
    /// By network element: the place of the process that alone does its tasks, since a node remembers there what came.
    pub(crate) bound: Vec<Option<usize>>,
}

/// A processing process.
pub(crate) struct Beside {
    pub(crate) serves: Serves,
    pub(crate) threads: usize,
    /// Where the first of them has its place, if they are bound to places.
    pub(crate) place: usize,
    /// The places of the nodes that remember what comes there.
    pub(crate) nodes: Vec<usize>,
}

impl Crew {
    /// That of a flow: as its file says, and the options where they do.
    pub(crate) fn of(flow: &Prepared, options: &RunOptions) -> Self {
        let (mut threads, mut beside) = (Vec::new(), Vec::new());
        let own = flow.groups.shares.iter().enumerate();
        let own = own.filter_map(|(group, share)| match share {
            Share::Own { processes, threads } => Some((Serves::Group(group), *processes, *threads)),
            Share::Common { .. } => None,
        });
        let can_start = options.program.is_some();
        for (serves, processes, each) in own {
            match processes {
                0 => threads.extend(repeat_n(Taker::here(serves), each)),
                processes if can_start => {
                    beside.extend((0..processes).map(|_| Beside::new(serves, each)))
                }
                processes => threads.extend(repeat_n(Taker::here(serves), processes * each)),
            }
        }
        let (processors, mut balanced) = (processors(), None);
        let said =
            |option: usize, setting: Option<usize>| Some(option).filter(|n| *n > 0).or(setting);
        let processes = said(options.processes, flow.groups.common.processes).unwrap_or(1);
        let wanted = said(options.workers, flow.groups.common.threads);
        if processes > 1 && can_start && parted(flow).is_none() {
            let each = wanted.unwrap_or(processors.div_ceil(processes));
            beside.extend((0..processes).map(|_| Beside::new(Serves::Others, each)));
        } else {
            let others = wanted.unwrap_or(processors).saturating_sub(threads.len()).max(1);
            let here = Taker::here(Serves::Others);
            if wanted.is_some() {
                threads.extend(repeat_n(here, others));
            } else {
                let most = Balance::most(processors).max(others);
                threads.extend((0..most).map(|place| Taker { balanced: Some(place), ..here }));
                balanced = Some(others);
            }
        }
        let mut crew = Crew { threads, balanced, beside, bound: vec![None; flow.elements.len()] };
        crew.seat(flow.groups.common.bound);
        flow.circles.iter().for_each(|circle| crew.bind(flow, circle));
        crew
    }

    /// One without processes.
    pub(crate) fn here(flow: &Prepared, options: &RunOptions) -> Self {
        Crew::of(flow, &RunOptions { program: None, ..options.clone() })
    }

    /// Whether a node remembers in this process, if it does.
    pub(crate) fn is_here(&self, node: usize) -> bool {
        self.beside.iter().all(|beside| !beside.nodes.contains(&node))
    }

    /// Gives processes their places: each a memory node, or each of its threads a processor.
    fn seat(&mut self, bound: Option<Bound>) {
        let mut place = self.threads.len();
        for beside in &mut self.beside {
            beside.place = place;
            place += if bound == Some(Bound::Nodes) { 1 } else { beside.threads };
        }
    }

    /// Gives a circle whose nodes remember to the process that has the fewest of those that serve it.
    fn bind(&mut self, flow: &Prepared, circle: &Circle) {
        let nodes = circle.elements.iter().flat_map(|element| &flow.elements[*element].remembering);
        let mut nodes: Vec<usize> = nodes.copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.is_empty() {
            return;
        }
        let serves = flow.groups.serves(circle.elements[0]);
        let those = self.beside.iter().enumerate().filter(|(_, beside)| beside.serves == serves);
        if let Some((place, _)) = those.min_by_key(|(_, beside)| beside.nodes.len()) {
            self.beside[place].nodes.extend(nodes);
            circle.elements.iter().for_each(|element| self.bound[*element] = Some(place));
        }
    }
}

/// Two network elements whose records meet in a node, which one process has, of which one alone has threads of its own,
/// or each others: those of a flow that has no processes cannot be given any.
pub(crate) fn parted(flow: &Prepared) -> Option<(&str, &str)> {
    flow.circles.iter().find_map(|circle| {
        let first = circle.elements[0];
        let serves = |element: usize| flow.groups.serves(element);
        let other = circle.elements.iter().find(|other| serves(**other) != serves(first))?;
        Some((flow.elements[first].name.as_str(), flow.elements[*other].name.as_str()))
    })
}

impl Beside {
    fn new(serves: Serves, threads: usize) -> Self {
        Beside { serves, threads, place: 0, nodes: Vec::new() }
    }
}
