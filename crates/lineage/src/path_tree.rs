//! A tree of the paths that records take through the graph. It learns paths as they occur. A step is one look-up, and
//! counting a record is one addition, however long its path. The counts of steps are computed at the end of a file.

/// The most steps of a path in the tree.
const STEPS_MAX: u32 = 64;

/// The size of the table of next paths above which the tree is crowded.
const PLACES_MAX: usize = 1 << 20;

/// All paths so far, by number. Path 0 has no steps.
pub(crate) struct PathTree {
    /// The number of different steps.
    steps: usize,
    /// For each path and step: the path with this step added, or 0 if there is none yet.
    next: Vec<u32>,
    all: Vec<Taken>,
}

/// A path in the tree.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// The number of records that took it.
    records: u64,
    /// Its number in the open block of the trace plus 1, or 0 if it has none.
    in_block: u32,
    /// The path without its last step, and that step.
    last: (u32, u32),
    /// The number of its steps.
    length: u32,
}

impl PathTree {
    pub(crate) fn new(steps: usize) -> Self {
        PathTree { steps, next: vec![0; steps], all: vec![Taken::default()] }
    }

    /// Removes all paths.
    pub(crate) fn clear(&mut self) {
        *self = PathTree::new(self.steps);
    }

    /// Returns the path with a step added, or 0 if there is none yet.
    #[inline(always)]
    pub(crate) fn known(&self, path: u32, step: u32) -> u32 {
        self.next[path as usize * self.steps + step as usize]
    }

    /// Returns the path with a step added. Adds it to the tree if needed.
    #[cold]
    pub(crate) fn longer(&mut self, path: u32, step: u32) -> u32 {
        let next = self.known(path, step);
        if next > 0 {
            return next;
        }
        let new = self.all.len() as u32;
        self.next[path as usize * self.steps + step as usize] = new;
        self.next.resize(self.next.len() + self.steps, 0);
        let length = self.all[path as usize].length + 1;
        self.all.push(Taken { last: (path, step), length, ..Taken::default() });
        new
    }

    /// Returns whether a path has reached [`STEPS_MAX`].
    pub(crate) fn is_long(&self, path: u32) -> bool {
        self.all[path as usize].length >= STEPS_MAX
    }

    pub(crate) fn are_crowded(&self) -> bool {
        self.next.len() > PLACES_MAX
    }

    /// Returns the steps of a path.
    pub(crate) fn steps_of(&self, mut path: u32) -> Vec<u32> {
        let mut steps = Vec::new();
        while path > 0 {
            let (before, step) = self.all[path as usize].last;
            steps.push(step);
            path = before;
        }
        steps.reverse();
        steps
    }

    /// Counts a record of this path. Returns the path's number in the open block of the trace plus 1.
    #[inline(always)]
    pub(crate) fn count(&mut self, path: u32) -> u32 {
        let taken = &mut self.all[path as usize];
        taken.records += 1;
        taken.in_block
    }

    /// Returns the number of a path in the open block of the trace plus 1, for a change.
    pub(crate) fn in_block(&mut self, path: u32) -> &mut u32 {
        &mut self.all[path as usize].in_block
    }

    /// Calls `count` with the records of each step, and resets the counts.
    pub(crate) fn take_counts(&mut self, mut count: impl FnMut(u32, u64)) {
        // A path has a higher number than the path that it extends.
        for path in (1..self.all.len()).rev() {
            let Taken { last: (before, step), ref mut records, .. } = self.all[path];
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
    fn a_record_is_counted_at_each_step_of_its_path() {
        let mut paths = PathTree::new(4);
        for (steps, records) in [(vec![0, 1], 5), (vec![0], 3), (vec![0, 2, 0], 2), (vec![], 7)] {
            let path = steps.iter().fold(0, |path, step| paths.longer(path, *step));
            assert_eq!(paths.steps_of(path), steps);
            (0..records).for_each(|_| assert_eq!(paths.count(path), 0));
        }
        for wanted in [[12, 5, 2, 0], [0; 4]] {
            let mut counts = [0; 4];
            paths.take_counts(|step, records| counts[step as usize] += records);
            assert_eq!(counts, wanted);
        }
    }
}
