//! What a job sums in a matching node, for the audit: what came, plus what waited before, equals what went on, waits, or
//! was given up.
//!
//! Records are summed when they come to wait. So what a group becomes is compared with the sums of its original
//! records, even if they decode differently later or a script leaves one out.

use std::collections::BTreeMap;

use node::groups::entry::{EntrySum, WaitingSum};
use node::groups::{GroupAmount, Side};
use node::{ReleaseKind, Sum, Summed};

/// The account of a job in a node.
pub(super) struct Account<'s> {
    of: &'s [Sum],
    /// By sum of the flow and side.
    amounts: BTreeMap<(Side, usize), Summed>,
    /// Sums that the flow does not have any more, with what waited.
    gone: BTreeMap<String, Summed>,
}

/// What a job did with a group.
pub(super) struct GroupOfJob<'g> {
    /// The sums of what waited before. None if the group is new.
    pub(super) waited: Option<&'g [WaitingSum]>,
    /// By sum of the flow: what the records add that came.
    pub(super) came: &'g [Summed],
    /// How the group ended.
    pub(super) ended: Option<ReleaseKind>,
    /// By sum of the flow: what it became, if it went on.
    pub(super) emitted: &'g [Summed],
}

impl<'s> Account<'s> {
    pub(super) fn new(of: &'s [Sum]) -> Self {
        Account { of, amounts: BTreeMap::new(), gone: BTreeMap::new() }
    }

    /// Adds a group. A group that began before the flow had a sum is not checked against it. Returns the sums of the
    /// group's entry.
    pub(super) fn add(&mut self, group: &GroupOfJob<'_>) -> Vec<EntrySum> {
        let GroupOfJob { waited, came, ended, emitted } = group;
        if ended.is_some() {
            waited.iter().copied().flatten().for_each(|waited| self.end_changed(waited));
        }
        for (place, sum) in self.of.iter().enumerate() {
            let before = match waited {
                None => Summed::default(),
                Some(waited) => match waited.iter().find(|of| of.sum == *sum) {
                    None => continue,
                    Some(waited) if waited.is_whole => waited.value,
                    // Records came while the flow did not have the sum. It is not checked, but what waits is counted.
                    Some(_) if ended.is_none() => {
                        self.put(Side::Came, place, came[place]);
                        self.put(Side::Kept, place, came[place]);
                        continue;
                    }
                    Some(_) => continue,
                },
            };
            let mut all = before;
            all += came[place];
            let (side, went) = match ended {
                None => (Side::Kept, came[place]),
                Some(ReleaseKind::Complete | ReleaseKind::Expired) => {
                    (Side::Emitted, emitted[place])
                }
                Some(ReleaseKind::Dropped) => (Side::Dropped, all),
                Some(ReleaseKind::Suspended) => (Side::Aside, all),
            };
            self.put(Side::Came, place, came[place]);
            if ended.is_some() {
                self.put(Side::Waited, place, before);
            }
            self.put(side, place, went);
        }
        match ended {
            None => came.iter().copied().map(EntrySum::from).collect(),
            Some(_) => Vec::new(),
        }
    }

    fn put(&mut self, side: Side, place: usize, value: Summed) {
        *self.amounts.entry((side, place)).or_default() += value;
    }

    /// Counts a sum of a group that ended, if the flow does not have that sum any more, or defines it otherwise.
    fn end_changed(&mut self, WaitingSum { sum, value, is_whole }: &WaitingSum) {
        match self.of.iter().position(|of| of.name == sum.name) {
            Some(place) if self.of[place] == *sum && *is_whole => {}
            Some(place) => {
                self.put(Side::Waited, place, *value);
                self.put(Side::Changed, place, *value);
            }
            None => *self.gone.entry(sum.name.clone()).or_default() += *value,
        }
    }

    /// Returns the amounts that are not zero. Those of sums that are gone stand on both sides.
    pub(super) fn finish(self) -> Vec<GroupAmount> {
        let Account { of, amounts, gone } = self;
        let amounts = amounts.into_iter().filter(|(_, value)| *value != Summed::default());
        let amounts = amounts.map(|((side, place), value)| {
            let name = of[place].name.clone();
            GroupAmount { side, name, value }
        });
        let gone = gone.into_iter().flat_map(|(name, value)| {
            let amount = |side| GroupAmount { side, name: name.clone(), value };
            [amount(Side::Waited), amount(Side::Changed)]
        });
        amounts.chain(gone).collect()
    }
}
