//! The order in which a pass lists the folders of a remote place, where there may be more than one pass can list.
//!
//! Folders are mostly named by the time of their files (`2026/11/26/15`), so the names that sort last are the newest.
//! The first half of a pass lists those, depth first. The second half continues where the pass before ended, so every
//! folder gets its turn, whatever its name. Where all folders fit into half a pass, the order makes no difference.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use transport::by_name;

/// A folder at the remote place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) depth: usize,
}

/// The folders that were found and not listed yet.
#[derive(Debug)]
pub(super) struct Folders {
    pending: BTreeSet<Folder>,
    /// Where the second half continues: where the pass before ended, and later the folder that was listed last.
    from: Option<Folder>,
}

/// The half of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Newest,
    GoingOn,
}

impl Folder {
    /// Returns a folder within this one.
    pub(super) fn within(&self, name: String) -> Self {
        Folder { name, depth: self.depth + 1 }
    }

    /// Returns whether this is the other folder or lies within it.
    fn is_in(&self, other: &Folder) -> bool {
        let rest = self.name.strip_prefix(other.name.as_str());
        other.name.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Ord for Folder {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut own, mut others) = (self.name.split('/'), other.name.split('/'));
        loop {
            let order = match (own.next(), others.next()) {
                (None, None) => return Ordering::Equal,
                (Some(own), Some(other)) => by_name(own, other),
                (own, other) => own.is_some().cmp(&other.is_some()),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }
}

impl PartialOrd for Folder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Folders {
    /// Starts a pass. `from` is where the pass before ended, if it did not list all folders.
    pub(super) fn new(from: Option<Folder>) -> Self {
        Folders { pending: BTreeSet::from([Folder::default()]), from }
    }

    pub(super) fn add(&mut self, folder: Folder) {
        self.pending.insert(folder);
    }

    /// Returns the folder to list next.
    pub(super) fn next(&mut self, half: Half) -> Option<Folder> {
        if half == Half::GoingOn {
            if let Some(next) = self.first_going_on().cloned() {
                let leads_there = self.from.as_ref().is_some_and(|from| from.is_in(&next));
                if !leads_there {
                    self.from = Some(next.clone());
                }
                return self.pending.take(&next);
            }
            // All folders after it were listed. Continue from the newest.
            self.from = None;
        }
        self.pending.pop_last()
    }

    /// Returns where the next pass continues if this one ends now.
    pub(super) fn left(self) -> Option<Folder> {
        let next = self.first_going_on().or(self.pending.last())?;
        // The folder where this pass was to continue may not have been listed yet.
        let is_due = self.from.as_ref().filter(|from| from.is_in(next));
        Some(is_due.unwrap_or(next).clone())
    }

    /// Returns the next folder that lies within `from` or comes after it, or one on the way to it.
    fn first_going_on(&self) -> Option<&Folder> {
        let from = self.from.as_ref()?;
        let within = self.pending.range(from..).take_while(|folder| folder.is_in(from)).last();
        within.or_else(|| self.pending.range(..from).next_back())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place with folders for every hour of some years, of which one pass lists only some.
    struct Place {
        years: u32,
        at_a_time: usize,
    }

    impl Place {
        fn within(&self, folder: &Folder) -> Vec<String> {
            let names = match folder.depth {
                0 => 2020..2020 + self.years,
                1 => 1..13,
                2 => 1..29,
                3 => 0..24,
                _ => 0..0,
            };
            let path = |name| match folder.depth {
                0 => format!("{name}"),
                // Without leading zeros.
                _ => format!("{}/{name}", folder.name),
            };
            names.map(path).collect()
        }

        /// Returns the folders that a pass lists, and where the next continues.
        fn look(&self, from: Option<Folder>) -> (Vec<String>, Option<Folder>) {
            let (mut folders, mut looked) = (Folders::new(from), Vec::new());
            loop {
                let is_newest = looked.len() * 2 < self.at_a_time;
                if looked.len() == self.at_a_time {
                    return (looked, folders.left());
                }
                let half = if is_newest { Half::Newest } else { Half::GoingOn };
                let Some(folder) = folders.next(half) else { return (looked, None) };
                self.within(&folder).into_iter().for_each(|name| folders.add(folder.within(name)));
                looked.push(folder.name);
            }
        }
    }

    #[test]
    fn each_look_goes_into_the_newest_and_all_have_their_turn() {
        let place = Place { years: 3, at_a_time: 2_000 };
        let (mut from, mut all) = (None, BTreeSet::new());
        let mut looks = 0;
        loop {
            let (looked, left) = place.look(from);
            let newest = ["", "2022", "2022/12", "2022/12/28", "2022/12/28/23", "2022/12/28/22"];
            assert_eq!(looked[..6], newest, "look {looks}");
            all.extend(looked);
            looks += 1;
            from = left;
            if all.len() == 1 + 3 + 3 * 12 + 3 * 12 * 28 * 25 {
                break;
            }
            assert!(from.is_some() && looks < 40, "{} after {looks} looks", all.len());
        }
        assert!((13..=30).contains(&looks), "{looks} looks");
        // The order starts again.
        let mut again = 0;
        while from.is_some() && again < 2 * looks {
            from = place.look(from).1;
            again += 1;
        }
        assert_eq!(again, 2 * looks);
    }

    #[test]
    fn a_place_that_fits_into_a_look_is_looked_into_once() {
        let (looked, left) = Place { years: 1, at_a_time: 20_000 }.look(None);
        let all: BTreeSet<&String> = looked.iter().collect();
        assert_eq!((all.len(), looked.len(), left), (8_414, 8_414, None));
    }
}
