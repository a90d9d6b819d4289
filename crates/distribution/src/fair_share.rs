//! Decides which of the receivers that share threads gets the next one.
//!
//! As long as there are as many threads as receivers, one is reserved for each receiver that has none. So a receiver
//! that hangs until its timeout does not hold up others. Further threads go to the groups of the highest priority, and
//! among those to the group with the fewest threads for its weight. A group that needs fewer leaves them to the others.

/// The receivers and their threads.
#[derive(Debug)]
pub(super) struct Turns {
    threads: usize,
    /// The priority and weight of each group.
    parts: Vec<(i64, u64)>,
    seats: Vec<Seat>,
}

/// A receiver that shares threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    /// The place of its group in the list.
    pub(super) group: usize,
    /// The most threads that it may have.
    pub(super) at_once: usize,
    /// The threads that it has.
    pub(super) has: usize,
    /// Whether its last task failed.
    pub(super) is_doubtful: bool,
}

impl Turns {
    pub(super) fn new(threads: usize, parts: Vec<(i64, u64)>, seats: Vec<Seat>) -> Self {
        Turns { threads, parts, seats }
    }

    /// Returns the receivers that may have a thread now, in the order in which they are offered it.
    pub(super) fn order(&self) -> Vec<usize> {
        let may_have = (0..self.seats.len()).filter(|place| self.may_have_one_more(*place));
        let mut order: Vec<usize> = may_have.collect();
        // Receivers without a thread come first.
        order.sort_by_key(|place| {
            let Seat { group, has, .. } = self.seats[*place];
            let (priority, weight) = self.parts[group];
            let would_have = (self.had_by_group(group) as u128 + 1) << FINE;
            (
                has > 0,
                std::cmp::Reverse(priority),
                would_have / u128::from(weight),
                group,
                has,
                *place,
            )
        });
        order
    }

    /// Gives a thread to a receiver. Panics if none is free.
    pub(super) fn take(&mut self, place: usize) {
        assert!(self.free() > 0, "no more threads are had than there are");
        self.seats[place].has += 1;
    }

    /// Takes a thread back from a receiver.
    pub(super) fn give_back(&mut self, place: usize, is_doubtful: bool) {
        let seat = &mut self.seats[place];
        seat.has -= 1;
        seat.is_doubtful = is_doubtful;
    }

    /// Returns whether no receiver has a thread.
    pub(super) fn are_all_free(&self) -> bool {
        self.seats.iter().all(|seat| seat.has == 0)
    }

    fn may_have_one_more(&self, place: usize) -> bool {
        let Seat { at_once, has, is_doubtful, .. } = self.seats[place];
        let free = self.free();
        match has {
            0 if is_doubtful => free > 0 && self.has_room_for_doubt(),
            0 => free > 0,
            // A receiver that failed gets one thread.
            _ if is_doubtful || has >= at_once => false,
            _ => free > self.seats.iter().filter(|seat| seat.has == 0).count(),
        }
    }

    /// Returns whether one more failing receiver may be tried. With fewer threads than receivers, failing receivers
    /// leave one thread to the others.
    fn has_room_for_doubt(&self) -> bool {
        let doubtful = self.seats.iter().filter(|seat| seat.is_doubtful && seat.has > 0).count();
        self.threads >= self.seats.len() || self.threads < 2 || doubtful + 1 < self.threads
    }

    fn free(&self) -> usize {
        let had: usize = self.seats.iter().map(|seat| seat.has).sum();
        self.threads.saturating_sub(had)
    }

    fn had_by_group(&self, group: usize) -> usize {
        self.seats.iter().filter(|seat| seat.group == group).map(|seat| seat.has).sum()
    }
}

/// The fractional bits of a group's threads per weight.
const FINE: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes receivers, each with its group and most threads, and the weights of the groups.
    fn turns(threads: usize, weights: &[u64], seats: &[(usize, usize)]) -> Turns {
        let seat = |(group, at_once): &(usize, usize)| Seat {
            group: *group,
            at_once: *at_once,
            has: 0,
            is_doubtful: false,
        };
        let parts = weights.iter().map(|weight| (0, *weight)).collect();
        Turns::new(threads, parts, seats.iter().map(seat).collect())
    }

    /// Returns the threads of each receiver when there is more work than threads.
    fn had(turns: &mut Turns, busy: &[usize]) -> Vec<usize> {
        while let Some(place) = turns.order().into_iter().find(|place| busy.contains(place)) {
            turns.take(place);
        }
        turns.seats.iter().map(|seat| seat.has).collect()
    }

    #[test]
    fn threads_go_by_weight_and_those_of_who_is_idle_help() {
        assert_eq!(had(&mut turns(8, &[3, 1], &[(0, 8), (1, 8)]), &[0, 1]), [6, 2]);
        assert_eq!(had(&mut turns(8, &[3, 1], &[(0, 8), (1, 8)]), &[1]), [0, 7]);
        assert_eq!(had(&mut turns(8, &[3, 1], &[(0, 4), (1, 8)]), &[0, 1]), [4, 4]);
        // A group gets its part, however many members it has.
        let three = [(0, 8), (1, 8), (1, 8), (1, 8)];
        assert_eq!(had(&mut turns(12, &[1, 1], &three), &[0, 1, 2, 3]), [6, 2, 2, 2]);
    }

    #[test]
    fn who_has_none_finds_one_free_whatever_others_do() {
        for threads in 4..12 {
            let mut turns = turns(threads, &[1], &[(0, 32), (0, 32), (0, 32), (0, 1)]);
            assert_eq!(had(&mut turns, &[1, 2]).iter().sum::<usize>(), threads - 2);
            for idle in [0, 3] {
                assert!(turns.order().contains(&idle), "{threads} threads");
                turns.take(idle);
            }
            assert_eq!(turns.order(), [] as [usize; 0]);
        }
    }

    #[test]
    fn a_group_of_a_higher_priority_has_what_there_is_beyond_one_for_each() {
        let mut turns = turns(6, &[1, 1], &[(0, 8), (1, 8)]);
        turns.parts[1].0 = 1;
        assert_eq!(had(&mut turns, &[0, 1]), [1, 5]);
    }

    #[test]
    fn who_could_not_be_reached_is_tried_with_one_thread() {
        let mut turns = turns(8, &[1], &[(0, 8), (0, 8)]);
        turns.seats[0].is_doubtful = true;
        assert_eq!(had(&mut turns, &[0, 1]), [1, 7]);
        turns.give_back(0, false);
        turns.give_back(1, false);
        assert_eq!(had(&mut turns, &[0, 1]), [2, 6]);
    }

    #[test]
    fn where_threads_are_few_those_who_hang_leave_one() {
        let seats = [(0, 8); 5];
        let mut turns = turns(3, &[1], &seats);
        // The first time, the failure is not known yet.
        assert_eq!(had(&mut turns, &[0, 1, 2, 3]), [1, 1, 1, 0, 0]);
        (0..3).for_each(|place| turns.give_back(place, true));
        assert_eq!(had(&mut turns, &[0, 1, 2]), [1, 1, 0, 0, 0]);
        assert_eq!(turns.order(), [3, 4]);
    }
}
