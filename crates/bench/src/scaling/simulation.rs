//! Simulates machines with more processors: a discrete event simulation from measured times, with the same result each
//! time.
//!
//! It follows the queue's rule: a free thread takes a file of that network element in its group of which the fewest
//! files were taken. Ready threads share the processors evenly, and one thread settles the finished files, one by one.
//! It does not model memory, caches and context switches, which all threads of a machine share: its result is the most
//! that the rule and the one thread allow.

/// A network element. All its files are there from the start and have the same size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The group whose threads take its files.
    pub(super) group: usize,
    pub(super) files: usize,
}

/// The processor times, in seconds.
#[derive(Clone, Debug)]
pub(super) struct Times {
    /// Those of measured files, used in order and then again from the first.
    pub(super) files: Vec<f64>,
    /// That of settling a file.
    pub(super) settle: f64,
}

/// The simulated machine and its work.
#[derive(Clone, Debug)]
pub(super) struct SimulatedMachine<'s> {
    pub(super) processors: usize,
    /// The threads of each group.
    pub(super) threads: &'s [usize],
    pub(super) elements: &'s [Element],
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SimulationResult {
    pub(super) files: usize,
    /// The time until all files were settled.
    pub(super) seconds: f64,
    /// The average number of ready threads.
    pub(super) load: f64,
}

/// Runs until all files are settled.
pub(super) fn simulate(site: &SimulatedMachine<'_>, times: &Times) -> SimulationResult {
    let mut state = MachineState::new(site);
    let (mut seconds, mut ready_seconds) = (0.0, 0.0);
    loop {
        state.begin(times);
        let in_hand = state.in_hand();
        let Some(next) = in_hand.iter().copied().reduce(f64::min) else { break };
        let ready = in_hand.len() as f64;
        let speed = (site.processors as f64 / ready).min(1.0);
        let elapsed = next / speed;
        seconds += elapsed;
        ready_seconds += elapsed * ready;
        state.pass(next);
    }
    SimulationResult { files: state.begun, seconds, load: ready_seconds / seconds }
}

struct MachineState<'s> {
    elements: &'s [Element],
    /// The files taken, by network element.
    taken: Vec<usize>,
    workers: Vec<Worker>,
    /// The files begun in all.
    begun: usize,
    /// The files that wait to be settled.
    made: usize,
    /// The time left for the file that is being settled.
    settling: Option<f64>,
}

/// A thread that processes files.
struct Worker {
    group: usize,
    /// The time left for its file.
    in_hand: Option<f64>,
}

impl<'s> MachineState<'s> {
    fn new(site: &SimulatedMachine<'s>) -> Self {
        let groups = site.threads.iter().enumerate();
        let worker = |group| Worker { group, in_hand: None };
        MachineState {
            elements: site.elements,
            taken: vec![0; site.elements.len()],
            workers: groups
                .flat_map(|(group, threads)| (0..*threads).map(move |_| worker(group)))
                .collect(),
            begun: 0,
            made: 0,
            settling: None,
        }
    }

    /// Gives work to free threads.
    fn begin(&mut self, times: &Times) {
        let MachineState { elements, taken, workers, begun, made, settling } = self;
        for worker in workers.iter_mut().filter(|worker| worker.in_hand.is_none()) {
            let Some(element) = next(elements, taken, worker.group) else { continue };
            taken[element] += 1;
            worker.in_hand = Some(times.files[*begun % times.files.len()]);
            *begun += 1;
        }
        if settling.is_none() && *made > 0 {
            *made -= 1;
            *settling = Some(times.settle);
        }
    }

    /// Returns the time left for each file in progress.
    fn in_hand(&self) -> Vec<f64> {
        self.workers.iter().filter_map(|worker| worker.in_hand).chain(self.settling).collect()
    }

    /// Advances each file in progress by so many seconds of processor time, at most the least time left.
    fn pass(&mut self, seconds: f64) {
        let left = |of: f64| Some(of - seconds).filter(|left| *left > 0.0);
        self.settling = self.settling.and_then(left);
        for worker in &mut self.workers {
            let had = worker.in_hand.is_some();
            worker.in_hand = worker.in_hand.and_then(left);
            self.made += usize::from(had && worker.in_hand.is_none());
        }
    }
}

/// Returns the network element of a group with the fewest files taken, of those with files left.
fn next(elements: &[Element], taken: &[usize], group: usize) -> Option<usize> {
    let left = elements.iter().zip(taken).enumerate();
    let left =
        left.filter(|(_, (element, taken))| element.group == group && **taken < element.files);
    left.min_by_key(|(_, (_, taken))| **taken).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The threads of a group, and the files of its network elements, which take a second each.
    type GroupWork = (usize, &'static [usize]);

    fn run(processors: usize, groups: &[GroupWork], settle: f64) -> SimulationResult {
        let threads: Vec<usize> = groups.iter().map(|(threads, _)| *threads).collect();
        let mut elements = Vec::new();
        for (group, (_, files)) in groups.iter().enumerate() {
            elements.extend(files.iter().map(|files| Element { group, files: *files }));
        }
        let site = SimulatedMachine { processors, threads: &threads, elements: &elements };
        simulate(&site, &Times { files: vec![1.0], settle })
    }

    /// Checks seconds and load.
    fn check(processors: usize, groups: &[GroupWork], settle: f64, wanted: (f64, f64)) {
        let SimulationResult { seconds, load, .. } = run(processors, groups, settle);
        let differs = |is: f64, wanted: f64| (is - wanted).abs() > 1e-9;
        assert!(
            !differs(seconds, wanted.0) && !differs(load, wanted.1),
            "{groups:?}: {seconds} s, load {load}, and not {wanted:?}"
        );
    }

    #[test]
    fn threads_share_processors_and_what_they_make_is_settled_by_one() {
        check(1, &[(1, &[3])], 0.0, (3.0, 1.0));
        check(2, &[(2, &[3, 1])], 0.0, (2.0, 2.0));
        check(2, &[(1, &[3, 1])], 0.0, (4.0, 1.0));
        check(2, &[(8, &[8])], 0.0, (4.0, 8.0));
        // While a file is settled, another is processed.
        check(2, &[(1, &[4])], 1.0, (5.0, 8.0 / 5.0));
        // Then five are ready, and four have a processor; in the end only one is ready.
        check(4, &[(4, &[8])], 1.0, (9.25, (4.0 + 5.0 * 1.25 + 7.0) / 9.25));
    }

    #[test]
    fn threads_of_a_group_leave_the_files_of_others_alone() {
        check(2, &[(1, &[1]), (1, &[5])], 0.0, (5.0, 6.0 / 5.0));
        check(2, &[(2, &[1, 5])], 0.0, (3.0, 2.0));
    }

    #[test]
    fn the_paper_s_three_ways_of_grouping_come_in_its_order() {
        let evenly = run(4, &[(2, &[24]), (2, &[24]), (2, &[48]), (2, &[12])], 0.0).seconds;
        let by_load = run(4, &[(2, &[24]), (2, &[24]), (3, &[48]), (1, &[12])], 0.0).seconds;
        let combined = run(4, &[(2, &[24]), (2, &[24]), (4, &[48, 12])], 0.0).seconds;
        let together = run(4, &[(8, &[24, 24, 48, 12])], 0.0).seconds;
        assert_eq!((evenly, by_load, combined, together), (33.0, 28.0, 27.0, 27.0));
    }

    #[test]
    fn all_files_are_processed_and_the_same_comes_of_the_same() {
        let site = SimulatedMachine {
            processors: 3,
            threads: &[5],
            elements: &[Element { group: 0, files: 40 }, Element { group: 0, files: 2 }],
        };
        let times = Times { files: vec![0.3, 0.1, 0.7], settle: 0.01 };
        let found = simulate(&site, &times);
        assert_eq!(found.files, 42);
        assert_eq!(found, simulate(&site, &times));
        let work = 42.0 * (0.3 + 0.1 + 0.7) / 3.0 + 42.0 * 0.01;
        assert!(found.seconds >= work / 3.0, "no processor is faster than it is: {found:?}");
    }
}
