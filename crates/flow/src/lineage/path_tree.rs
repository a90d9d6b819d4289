//! The ways of records through the graph, as a tree that learns them: a step on is one look, and to count a record by its way
//! is one addition, however many steps that has. What each step counts is found when a file is over.

/// Steps of a way that the tree has at most.
const STEPS_MAX: u32 = 64;

/// Places for what may follow where a way has come to: with more of them, the tree is crowded.
const PLACES_MAX: usize = 1 << 20;

/// All ways that records took so far, by number. That without any step is 0.
pub(crate) struct PathTree {
    /// How many different steps there are.
    steps: usize,
    /// By way and step: the way that is longer by this step; 0 where there is none yet.
    next: Vec<u32>,
    all: Vec<Taken>,
}

/// A way that was taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// Records whose way it is.
    records: u64,
    /// Its number in the open block of the trace, and 1; 0 where it has none.
    in_block: u32,
    /// The way without its last step, and this.
    last: (u32, u32),
    /// How many steps it has.
    length: u32,
}

impl PathTree {
    pub(crate) fn new(steps: usize) -> Self {
        PathTree { steps, next: vec![0; steps], all: vec![Taken::default()] }
    }

    /// It begins anew, with no way.
    pub(crate) fn clear(&mut self) {
        *self = PathTree::new(self.steps);
    }

    /// The way that is longer by a step; 0 where none was taken yet.
    #[inline(always)]
    pub(crate) fn known(&self, way: u32, step: u32) -> u32 {
        self.next[way as usize * self.steps + step as usize]
    }

    /// The way that is longer by a step.
    #[cold]
    pub(crate) fn longer(&mut self, way: u32, step: u32) -> u32 {
        let next = self.known(way, step);
        if next > 0 {
            return next;
        }
        let new = self.all.len() as u32;
        self.next[way as usize * self.steps + step as usize] = new;
        self.next.resize(self.next.len() + self.steps, 0);
        let length = self.all[way as usize].length + 1;
        self.all.push(Taken { last: (way, step), length, ..Taken::default() });
        new
    }

    /// Whether it is not to be longer.
    pub(crate) fn is_long(&self, way: u32) -> bool {
        self.all[way as usize].length >= STEPS_MAX
    }

    pub(crate) fn are_crowded(&self) -> bool {
        self.next.len() > PLACES_MAX
    }

    /// The steps of a way.
    pub(crate) fn steps_of(&self, mut way: u32) -> Vec<u32> {
        let mut steps = Vec::new();
        while way > 0 {
            let (before, step) = self.all[way as usize].last;
            steps.push(step);
            way = before;
        }
        steps.reverse();
        steps
    }

    /// A record came by this way. Returns the number of it in the open block of the trace, and 1.
    #[inline(always)]
    pub(crate) fn count(&mut self, way: u32) -> u32 {
        let taken = &mut self.all[way as usize];
        taken.records += 1;
        taken.in_block
    }

    /// Its number in the open block of the trace, and 1.
    pub(crate) fn in_block(&mut self, way: u32) -> &mut u32 {
        &mut self.all[way as usize].in_block
    }

    /// Gives, by step, how many records took it, and forgets that.
    pub(crate) fn take_counts(&mut self, mut count: impl FnMut(u32, u64)) {
        // What a way lengthens has a lower number.
        for way in (1..self.all.len()).rev() {
            let Taken { last: (before, step), ref mut records, .. } = self.all[way];
            let records = std::mem::take(records);
            if records > 0 {
                count(step, records);
                self.all[before as usize].records += records;
            }
        }
        self.all[0].records = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_counted_at_each_step_of_its_way() {
        let mut ways = PathTree::new(4);
        for (steps, records) in [(vec![0, 1], 5), (vec![0], 3), (vec![0, 2, 0], 2), (vec![], 7)] {
            let way = steps.iter().fold(0, |way, step| ways.longer(way, *step));
            assert_eq!(ways.steps_of(way), steps);
            (0..records).for_each(|_| assert_eq!(ways.count(way), 0));
        }
        for wanted in [[12, 5, 2, 0], [0; 4]] {
            let mut counts = [0; 4];
            ways.take_counts(|step, records| counts[step as usize] += records);
            assert_eq!(counts, wanted);
        }
    }
}
