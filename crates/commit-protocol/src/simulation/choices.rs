//! The undetermined choices of a simulation: drawn from a seed, or every possibility in turn.

/// The source of choices.
#[derive(Debug)]
pub(super) enum Choices {
    /// Random choices. The same seed gives the same choices.
    Random(u64),
    /// The path through the tree of all possibilities: at each fork, the branch taken and the number of branches.
    Every { path: Vec<(u8, u8)>, at: usize },
}

impl Choices {
    pub(super) fn every() -> Self {
        Choices::Every { path: Vec::new(), at: 0 }
    }

    /// Returns a number below `of`.
    pub(super) fn pick(&mut self, of: usize) -> usize {
        match self {
            _ if of <= 1 => 0,
            Choices::Random(state) => {
                // SplitMix64.
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut bits = *state;
                bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((u128::from(bits ^ (bits >> 31)) * of as u128) >> 64) as usize
            }
            Choices::Every { path, at } => {
                if *at == path.len() {
                    path.push((0, of as u8));
                }
                let (taken, possible) = path[*at];
                assert_eq!(possible, of as u8, "the same choices lead to the same forks");
                *at += 1;
                usize::from(taken)
            }
        }
    }

    /// Returns whether an event happens that has a chance of one in `once_in`.
    pub(super) fn happens(&mut self, once_in: usize) -> bool {
        match self {
            Choices::Random(_) => self.pick(once_in) == 0,
            Choices::Every { .. } => self.pick(2) == 1,
        }
    }

    /// Moves on to the next possibility. Returns whether there is one.
    pub(super) fn next(&mut self) -> bool {
        let Choices::Every { path, at } = self else { return false };
        *at = 0;
        while let Some((taken, of)) = path.pop() {
            if taken + 1 < of {
                path.push((taken + 1, of));
                return true;
            }
        }
        false
    }
}
