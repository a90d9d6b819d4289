//! What a job changed of groups, as the journal gets it.

use std::collections::BTreeMap;

use node::groups::entry::{EntryRecord, GroupEntry, Released};
use node::groups::page::EntryPages;
use node::groups::{AsideRecord, EndedRecords, GroupAside, LinkedEntry};
use node::{GroupChanges, JobEntry, Release, ReleaseKind, Sum, Summed};

use super::account::{Account, GroupOfJob};
use super::groups::{Before, Came, Group, GroupPart, PartSource, Waited};

/// Collects what a job changed.
struct Changes<'s> {
    to: GroupChanges,
    pages: EntryPages,
    account: Account<'s>,
    sums: usize,
    ended: BTreeMap<(Option<JobEntry>, ReleaseKind), u64>,
}

/// Returns the changes of the groups that a job met.
pub(super) fn changes(groups: Vec<Group>, sums: &[Sum]) -> GroupChanges {
    let mut changes = Changes {
        to: GroupChanges { sums: sums.to_vec(), ..GroupChanges::default() },
        pages: EntryPages::default(),
        account: Account::new(sums),
        sums: sums.len(),
        ended: BTreeMap::new(),
    };
    groups.into_iter().for_each(|group| changes.add(group));
    changes.finish()
}

impl Changes<'_> {
    /// Adds a group, if the job changed it.
    fn add(&mut self, group: Group) {
        let Group { before, key, times, parts, released, emitted, began_late, .. } = group;
        let waited = parts.iter().take_while(|part| part.came().is_none()).count();
        if released.is_none() && waited == parts.len() {
            return;
        }
        let kind = released.as_ref().map(Release::kind);
        self.count(&parts, kind);
        let came: Vec<Summed> = self.came(&parts[waited..]);
        let sums = self.account.add(&GroupOfJob {
            waited: before.as_ref().map(|before| before.sums.as_slice()),
            came: &came,
            ended: kind,
            emitted: &emitted,
        });
        let aside = match released {
            Some(Release::Suspended(aside)) => Some((aside, aside_records(&parts))),
            _ => None,
        };
        let last = parts.len().saturating_sub(1);
        let records = parts.into_iter().enumerate().skip(waited).filter_map(|(place, part)| {
            part.entry(kind.is_none(), kind != Some(ReleaseKind::Complete) || place < last)
        });
        let entry = GroupEntry {
            group: before.as_ref().map(|before| before.id),
            key: key.into(),
            times,
            began_late,
            records: records.collect(),
            sums,
            released: kind.map(|kind| Released { kind, by: None }),
        };
        let place = self.pages.push(&entry);
        let GroupEntry { group: id, key, .. } = entry;
        if let Some((aside, records)) = aside {
            let entry = place;
            self.to.set_aside.push(GroupAside { id, entry, key, times, aside, records });
        }
        match &before {
            Some(Before { id, .. }) => {
                let first_ms = times.map(|times| times.first_ms);
                self.to.linked.push(LinkedEntry { group: *id, entry: place, first_ms });
            }
            None => self.to.opened += 1,
        }
        if kind.is_some() {
            self.to.opened -= 1;
            self.to.closed.extend(before.into_iter().flat_map(|before| before.entries));
            let last_ms = times.map_or(i64::MAX, |times| times.last_ms);
            self.to.ended_last_ms = self.to.ended_last_ms.max(Some(last_ms));
        }
    }

    /// Counts the records of a group that had to wait, and those that wait no more.
    fn count(&mut self, parts: &[GroupPart], kind: Option<ReleaseKind>) {
        // The record that makes its group complete does not wait.
        let held = parts.len() - usize::from(kind == Some(ReleaseKind::Complete));
        for part in &parts[..held.min(parts.len())] {
            let job = part.job();
            self.to.held += u64::from(job.is_none());
            if let Some(kind) = kind {
                *self.ended.entry((job, kind)).or_default() += 1;
            }
        }
    }

    /// Returns by sum what the records add that came.
    fn came(&self, parts: &[GroupPart]) -> Vec<Summed> {
        let mut sums = vec![Summed::default(); self.sums];
        for came in parts.iter().filter_map(GroupPart::came) {
            sums.iter_mut().zip(&came.values).for_each(|(sum, value)| sum.add(*value));
        }
        sums
    }

    fn finish(self) -> GroupChanges {
        let Changes { mut to, pages, account, ended, .. } = self;
        to.pages = pages.finish();
        to.amounts = account.finish();
        to.closed.sort_unstable();
        to.linked.sort_unstable_by_key(|linked| linked.group);
        to.ended = ended
            .into_iter()
            .map(|((job, kind), records)| EndedRecords { job, kind, records })
            .collect();
        to
    }
}

/// Returns the records of a group that is set aside.
fn aside_records(parts: &[GroupPart]) -> Vec<AsideRecord> {
    let record = |part: &GroupPart| {
        let (record, offset) = match &part.source {
            PartSource::Waited(Waited { record, offset, .. })
            | PartSource::Came(Came { record, offset, .. }) => (*record, *offset),
        };
        AsideRecord { job: part.job(), record, offset, octets: part.octets.clone() }
    };
    parts.iter().map(record).collect()
}

impl GroupPart {
    /// Returns what is known of it if it came with the job.
    fn came(&self) -> Option<&Came> {
        match &self.source {
            PartSource::Waited(_) => None,
            PartSource::Came(came) => Some(came),
        }
    }

    /// Returns the earlier job that brought it. None if it came with this one.
    fn job(&self) -> Option<JobEntry> {
        match &self.source {
            PartSource::Waited(Waited { job, .. }) => Some(*job),
            PartSource::Came(_) => None,
        }
    }

    /// Returns it as a record of an entry, if it came with the job.
    fn entry(self, waits: bool, is_held: bool) -> Option<EntryRecord> {
        let GroupPart { time_ms, octets, digest, source } = self;
        let PartSource::Came(Came { record, offset, .. }) = source else { return None };
        let (digest, octets) = (Some(digest), waits.then_some(octets));
        Some(EntryRecord { job: None, record, offset, time_ms, is_held, digest, octets })
    }
}
