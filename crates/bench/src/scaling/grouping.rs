//! Ways to group four network elements of uneven load: the three of the paper's section 5.4, and one group for all.

use super::simulation::{SimulatedMachine, SimulationResult, Times, simulate};
use super::work::{Group, ScalingWork};

/// A way to group them.
pub(super) struct Grouping {
    /// Its number, from 1. It stays the same if earlier ways are not possible.
    pub(super) number: usize,
    pub(super) name: &'static str,
    pub(super) groups: Vec<Group>,
}

/// Returns the possible ways with two single-threaded processes per processor, as in the paper: four for each network
/// element on eight processors, and one on two.
pub(super) fn groupings(processors: usize) -> Vec<Grouping> {
    let each = (2 * processors / 4).max(1);
    let group = |elements: &[usize], processes| Group { elements: elements.into(), processes };
    let evenly =
        || vec![group(&[0], each), group(&[1], each), group(&[2], each), group(&[3], each)];
    let moved = (each / 2).max(1);
    let mut by_load = evenly();
    by_load[2].processes += moved;
    by_load[3].processes -= moved;
    let combined = vec![group(&[0], each), group(&[1], each), group(&[2, 3], 2 * each)];
    let grouping = |number, name, groups| Grouping { number, name, groups };
    let all = [
        grouping(1, "4 groups, evenly", evenly()),
        grouping(2, "4 groups, by load", by_load),
        grouping(3, "3 groups, third and fourth together", combined),
        grouping(4, "1 group", vec![group(&[0, 1, 2, 3], 4 * each)]),
    ];
    // A group needs a process.
    let can_be = |grouping: &Grouping| grouping.groups.iter().all(|group| group.processes > 0);
    all.into_iter().filter(can_be).collect()
}

impl Grouping {
    /// Simulates this way on a machine with so many processors.
    pub(super) fn simulated(
        &self,
        processors: usize,
        work: &ScalingWork,
        times: &Times,
    ) -> SimulationResult {
        let threads: Vec<usize> = self.groups.iter().map(|group| group.processes).collect();
        let group_of = |element| {
            self.groups.iter().position(|group| group.elements.contains(&element)).unwrap_or(0)
        };
        let elements = work.elements(processors, group_of);
        simulate(&SimulatedMachine { processors, threads: &threads, elements: &elements }, times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(processors: usize, wanted: &[(&str, &[usize])]) {
        let processes =
            |grouping: &Grouping| grouping.groups.iter().map(|group| group.processes).collect();
        let found: Vec<(&str, Vec<usize>)> = groupings(processors)
            .iter()
            .map(|grouping| (grouping.name, processes(grouping)))
            .collect();
        let wanted: Vec<(&str, Vec<usize>)> =
            wanted.iter().map(|(name, processes)| (*name, processes.to_vec())).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn four_processors_have_the_groups_of_the_paper_and_two_have_no_process_to_move() {
        check(
            4,
            &[
                ("4 groups, evenly", &[2, 2, 2, 2]),
                ("4 groups, by load", &[2, 2, 3, 1]),
                ("3 groups, third and fourth together", &[2, 2, 4]),
                ("1 group", &[8]),
            ],
        );
        check(
            2,
            &[
                ("4 groups, evenly", &[1, 1, 1, 1]),
                ("3 groups, third and fourth together", &[1, 1, 2]),
                ("1 group", &[4]),
            ],
        );
    }
}
