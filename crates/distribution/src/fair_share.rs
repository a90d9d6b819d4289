//! Decides which of the receivers that share threads gets the next one.
//!
//! As long as there are as many threads as receivers, one is reserved for each receiver that has
//! none. So a receiver that hangs until its timeout does not hold up others. Further threads go to
//! the groups of the highest priority, and among those to the group with the fewest threads for its
//! weight. A group that needs fewer leaves them to the others.

/// The receivers and their threads.
#[derive(Debug)]
pub(super) struct FairShare {
    threads: usize,
    /// The priority and weight of each group.
    shares: Vec<(i64, u64)>,
    members: Vec<Member>,
}

/// A receiver that shares threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The index of its group.
    pub(super) group: usize,
    /// The maximum number of threads for it.
    pub(super) at_once: usize,
    /// The number of threads that it has.
    pub(super) threads: usize,
    /// Whether its last task failed.
    pub(super) is_failing: bool,
}

impl FairShare {
    pub(super) fn new(threads: usize, shares: Vec<(i64, u64)>, members: Vec<Member>) -> Self {
        FairShare { threads, shares, members }
    }

    /// Returns the receivers that may have a thread now, in the order in which it is offered to
    /// them.
    pub(super) fn order(&self) -> Vec<usize> {
        let eligible = (0..self.members.len()).filter(|index| self.may_have_one_more(*index));
        let mut order: Vec<usize> = eligible.collect();
        // Receivers without a thread come first.
        order.sort_by_key(|index| {
            let Member { group, threads, .. } = self.members[*index];
            let (priority, weight) = self.shares[group];
            let with_one_more = (self.group_threads(group) as u128 + 1) << FRACTION_BITS;
            (
                threads > 0,
                std::cmp::Reverse(priority),
                with_one_more / u128::from(weight),
                group,
                threads,
                *index,
            )
        });
        order
    }

    /// Gives a thread to a receiver. Panics if none is free.
    pub(super) fn take(&mut self, index: usize) {
        assert!(self.free() > 0, "a thread is free");
        self.members[index].threads += 1;
    }

    /// Takes a thread back from a receiver.
    pub(super) fn give_back(&mut self, index: usize, is_failing: bool) {
        let member = &mut self.members[index];
        member.threads -= 1;
        member.is_failing = is_failing;
    }

    /// Returns whether no receiver has a thread.
    pub(super) fn are_all_idle(&self) -> bool {
        self.members.iter().all(|member| member.threads == 0)
    }

    fn may_have_one_more(&self, index: usize) -> bool {
        let Member { at_once, threads, is_failing, .. } = self.members[index];
        let free = self.free();
        match threads {
            0 if is_failing => free > 0 && self.may_try_failing(),
            0 => free > 0,
            // A failing receiver gets one thread.
            _ if is_failing || threads >= at_once => false,
            _ => free > self.members.iter().filter(|member| member.threads == 0).count(),
        }
    }

    /// Returns whether one more failing receiver may be tried. With fewer threads than receivers,
    /// failing receivers leave one thread to the others.
    fn may_try_failing(&self) -> bool {
        let is_tried = |member: &&Member| member.is_failing && member.threads > 0;
        let failing = self.members.iter().filter(is_tried).count();
        self.threads >= self.members.len() || self.threads < 2 || failing + 1 < self.threads
    }

    fn free(&self) -> usize {
        let used: usize = self.members.iter().map(|member| member.threads).sum();
        self.threads.saturating_sub(used)
    }

    fn group_threads(&self, group: usize) -> usize {
        let members = self.members.iter().filter(|member| member.group == group);
        members.map(|member| member.threads).sum()
    }
}

/// The fractional bits of a group's threads per weight.
const FRACTION_BITS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes receivers, each with its group and its maximum number of threads, and the weights of
    /// the groups.
    fn shared(threads: usize, weights: &[u64], members: &[(usize, usize)]) -> FairShare {
        let member = |(group, at_once): &(usize, usize)| Member {
            group: *group,
            at_once: *at_once,
            threads: 0,
            is_failing: false,
        };
        let shares = weights.iter().map(|weight| (0, *weight)).collect();
        FairShare::new(threads, shares, members.iter().map(member).collect())
    }

    /// Returns the threads of each receiver when there is more work than threads.
    fn assigned(fair: &mut FairShare, busy: &[usize]) -> Vec<usize> {
        while let Some(index) = fair.order().into_iter().find(|index| busy.contains(index)) {
            fair.take(index);
        }
        fair.members.iter().map(|member| member.threads).collect()
    }

    #[test]
    fn threads_are_assigned_by_weight_and_idle_groups_leave_theirs() {
        assert_eq!(assigned(&mut shared(8, &[3, 1], &[(0, 8), (1, 8)]), &[0, 1]), [6, 2]);
        assert_eq!(assigned(&mut shared(8, &[3, 1], &[(0, 8), (1, 8)]), &[1]), [0, 7]);
        assert_eq!(assigned(&mut shared(8, &[3, 1], &[(0, 4), (1, 8)]), &[0, 1]), [4, 4]);
        // The share of a group does not depend on the number of its members.
        let three = [(0, 8), (1, 8), (1, 8), (1, 8)];
        assert_eq!(assigned(&mut shared(12, &[1, 1], &three), &[0, 1, 2, 3]), [6, 2, 2, 2]);
    }

    #[test]
    fn a_thread_is_reserved_for_each_receiver_without_one() {
        for threads in 4..12 {
            let mut fair = shared(threads, &[1], &[(0, 32), (0, 32), (0, 32), (0, 1)]);
            assert_eq!(assigned(&mut fair, &[1, 2]).iter().sum::<usize>(), threads - 2);
            for idle in [0, 3] {
                assert!(fair.order().contains(&idle), "{threads} threads");
                fair.take(idle);
            }
            assert_eq!(fair.order(), [] as [usize; 0]);
        }
    }

    #[test]
    fn a_group_with_a_higher_priority_gets_all_threads_that_are_not_reserved() {
        let mut fair = shared(6, &[1, 1], &[(0, 8), (1, 8)]);
        fair.shares[1].0 = 1;
        assert_eq!(assigned(&mut fair, &[0, 1]), [1, 5]);
    }

    #[test]
    fn a_failing_receiver_gets_one_thread() {
        let mut fair = shared(8, &[1], &[(0, 8), (0, 8)]);
        fair.members[0].is_failing = true;
        assert_eq!(assigned(&mut fair, &[0, 1]), [1, 7]);
        fair.give_back(0, false);
        fair.give_back(1, false);
        assert_eq!(assigned(&mut fair, &[0, 1]), [2, 6]);
    }

    #[test]
    fn with_few_threads_failing_receivers_leave_one_to_the_others() {
        let mut fair = shared(3, &[1], &[(0, 8); 5]);
        // The first time, the failure is not known yet.
        assert_eq!(assigned(&mut fair, &[0, 1, 2, 3]), [1, 1, 1, 0, 0]);
        (0..3).for_each(|index| fair.give_back(index, true));
        assert_eq!(assigned(&mut fair, &[0, 1, 2]), [1, 1, 0, 0, 0]);
        assert_eq!(fair.order(), [3, 4]);
    }
}
