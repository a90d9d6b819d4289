//! The current file of a matching node: the groups that it has met, whether its records are late for them, and the time
//! of its network element.

use std::time::Duration;

use node::{
    Contested, FileClaims, FileNumber, GroupChanges, GroupReader, KeyDigest, KeyGroups, Part,
    PartDigest, RecordEnd, Refusal, Refused, StateRefusal, Sum, Times, WaitingRecord, Watermark,
    key_digest,
};

use super::changes::changes;
use super::groups::{Came, Groups, KEY_OCTETS, PART_OCTETS};
use super::refusal::{GroupRefusal, Tardy};
use super::{Late, Rules};

/// The most octets of a group's records, which are in memory together when the group is combined.
const GROUP_OCTETS_MAX: usize = 16 << 20;

/// The current file.
pub(super) struct FileInHand {
    claimed: FileClaims,
    pub(super) groups: Groups,
    network_element: Box<str>,
    /// The number of open groups before the file began its first one.
    open_before: Option<u64>,
    /// The latest time that it may have been when the file began: the gateway may not trust its clock.
    latest_ms: i64,
    watermark: Watermark,
    /// Whether its records are retried from suspense.
    is_retry: bool,
    /// The number of records, and of late ones.
    came: u64,
    late: u64,
}

/// Where a record belongs.
pub(super) enum Place {
    Open(usize),
    New,
    Late(Tardy),
}

impl FileInHand {
    pub(super) fn new(claimed: FileClaims, network_element: &str, latest_ms: i64) -> Self {
        FileInHand {
            claimed,
            groups: Groups::default(),
            network_element: network_element.into(),
            open_before: None,
            latest_ms,
            watermark: Watermark::default(),
            is_retry: false,
            came: 0,
            late: 0,
        }
    }

    /// Notes that the file is a retry of records in suspense.
    pub(super) fn begin_retry(&mut self) {
        self.is_retry = true;
    }

    /// Counts the current record.
    pub(super) fn count(&mut self, is_late: bool) {
        self.came += 1;
        self.late += u64::from(is_late);
    }

    /// Adds a record to a group.
    pub(super) fn add(&mut self, place: usize, part: Part, of_record: PartDigest, came: Came) {
        self.claimed.grow(PART_OCTETS + part.octets.len());
        self.groups.add(place, part, of_record, came);
    }

    /// Ends the current record: its changes are kept, or undone as if it had never come.
    pub(super) fn end_record(&mut self, end: RecordEnd) {
        self.groups.end_record(end);
        self.watermark.end_record(end);
    }

    /// Returns the changes of the file to the groups, and its claim to their keys.
    pub(super) fn end(self, sums: &[Sum]) -> (GroupChanges, FileClaims) {
        let FileInHand { claimed, groups, watermark, is_retry, came, late, .. } = self;
        let (groups, missing) = groups.finish();
        let watermark_ms = watermark.advanced_ms();
        // Records from suspense are late only because a user had to handle them.
        let (came, late) = if is_retry { (0, 0) } else { (came, late) };
        (GroupChanges { watermark_ms, came, late, missing, ..changes(groups, sums) }, claimed)
    }

    /// Claims a key for the file and takes its groups from the journal. Returns the key's digest.
    pub(super) fn take(
        &mut self,
        key: &str,
        rules: &Rules,
        reader: &mut dyn GroupReader,
        after: &mut Option<FileNumber>,
    ) -> Result<KeyDigest, Refusal> {
        let digest = key_digest(key.as_bytes());
        if let Err(Contested(other)) = self.claimed.take(digest) {
            *after = Some(other);
            return Err(Refusal::of(
                Refused::FileBegunAgain,
                &StateRefusal::Contested { what: "group" },
            ));
        }
        if !self.groups.knows(&digest) {
            reader.advance(self.claimed.settled()).map_err(|error| Refusal::of_file(&error))?;
            let KeyGroups { mut open, released } =
                reader.groups(key).map_err(|error| Refusal::of_file(&error))?;
            // If the rules have changed, the next file treats late records as if the group had been released.
            open.iter_mut().for_each(|group| group.began_late &= rules.late == Late::Begin);
            let octets = |record: &WaitingRecord| PART_OCTETS + record.part.octets.len();
            let records = open.iter().flat_map(|group| &group.records).map(octets);
            self.claimed.grow(KEY_OCTETS + records.sum::<usize>());
            self.groups.take(digest, key, open, released);
        }
        Ok(digest)
    }

    /// Notes the time at which the current record was made.
    pub(super) fn advance_time(
        &mut self,
        time_ms: Option<i64>,
        reader: &mut dyn GroupReader,
    ) -> Result<(), Refusal> {
        let Some(time_ms) = time_ms else { return Ok(()) };
        let network_element = &self.network_element;
        self.watermark.advance(time_ms, self.latest_ms, || reader.watermark(network_element))
    }

    /// Returns where a record that was made at `time_ms` belongs: to the group that began nearest to it.
    ///
    /// Two things decide whether it is late: the records of its own network element, which come in order, and whether
    /// its group was released. So the result is the same when records come again, whenever overdue groups were ended in
    /// between. A record that is retried from suspense is late only if its own group was released. A file that comes
    /// late as a whole has its groups together: such a group is over when the file is done, not before its second
    /// record. Where late records begin groups, those of several files join each other: such a group takes more records
    /// until it is released.
    pub(super) fn place(&self, rules: &Rules, digest: &KeyDigest, time_ms: Option<i64>) -> Place {
        let began_late = |place: &usize| self.groups.get(*place).began_late;
        let belongs = |place: &usize| self.belongs(rules, *place, time_ms);
        match self.nearest(rules, digest, time_ms) {
            Place::Late(why) if rules.late == Late::Begin => {
                let mut begun = self.groups.open(digest).filter(began_late);
                begun.find(belongs).map_or(Place::Late(why), Place::Open)
            }
            found => found,
        }
    }

    /// Returns the same, without the groups that late records began.
    fn nearest(&self, rules: &Rules, digest: &KeyDigest, time_ms: Option<i64>) -> Place {
        let Some(time) = time_ms else {
            return match self.groups.open(digest).next() {
                Some(place) => Place::Open(place),
                None if self.groups.released(digest).next().is_some() => RELEASED,
                None => Place::New,
            };
        };
        let belongs =
            |times: Times| rules.within.is_none_or(|within| times.with(time).span() <= within);
        let open = self
            .groups
            .open(digest)
            .map(|place| (self.groups.get(place).times.unwrap_or(Times::of(time)), Some(place)));
        let released = self.groups.released(digest).flatten().map(|times| (times, None));
        // If two began at the same time, the open one wins.
        let nearest = open
            .chain(released)
            .filter(|(times, _)| belongs(*times))
            .min_by_key(|(times, _)| (times.first_ms.abs_diff(time), times.first_ms));
        match nearest {
            Some((times, Some(place)))
                if self.is_over(rules, times) && !self.groups.get(place).began_late =>
            {
                Place::Late(Tardy::Over)
            }
            Some((_, Some(place))) => Place::Open(place),
            Some((_, None)) => RELEASED,
            None => Place::New,
        }
    }

    /// Returns whether a record that was made at `time_ms` may belong to a group.
    fn belongs(&self, rules: &Rules, place: usize, time_ms: Option<i64>) -> bool {
        let Some((times, time)) = self.groups.get(place).times.zip(time_ms) else { return true };
        rules.within.is_none_or(|within| times.with(time).span() <= within)
    }

    /// Returns whether a record that was made at `time_ms` is late, wherever it goes.
    pub(super) fn is_late(&self, rules: &Rules, found: &Place, time_ms: Option<i64>) -> bool {
        let is_over = time_ms.is_some_and(|time| self.is_over(rules, Times::of(time)));
        is_over
            || match found {
                Place::Open(place) => self.groups.get(*place).began_late,
                Place::New => false,
                Place::Late(_) => true,
            }
    }

    /// Returns whether a record came before, in a group of its key that waits or was released. The digests of released
    /// groups are read from the journal once per key: a key may have many, and each record of the file is looked up.
    pub(super) fn is_repeated(
        &mut self,
        key: &str,
        of_key: &KeyDigest,
        of_record: &PartDigest,
        reader: &mut dyn GroupReader,
    ) -> Result<bool, Refusal> {
        if self.groups.has(of_key, of_record) {
            return Ok(true);
        }
        if self.groups.lacks_history(of_key) {
            let records = reader.digests(key).map_err(|error| Refusal::of_file(&error))?;
            self.claimed.grow(records.len() * size_of::<PartDigest>());
            self.groups.take_history(of_key, records);
        }
        Ok(self.groups.is_history(of_key, of_record))
    }

    /// Returns whether the time of a group is over for the records of the current file.
    fn is_over(&self, rules: &Rules, times: Times) -> bool {
        match (rules.record_time, self.watermark.before_ms()) {
            (Some(limit), Some(now)) if !self.is_retry => is_past(times, limit, now),
            _ => false,
        }
    }

    /// Returns a refusal if a record of `octets` does not fit into a group.
    pub(super) fn has_room(
        &self,
        rules: &Rules,
        place: usize,
        octets: usize,
    ) -> Result<(), Refusal> {
        let parts = &self.groups.get(place).parts;
        if parts.len() >= rules.group_max {
            return Err(Refusal::new(&GroupRefusal::Full { records: rules.group_max }));
        }
        let before: usize = parts.iter().map(|part| part.octets.len()).sum();
        if before + octets > GROUP_OCTETS_MAX {
            return Err(Refusal::new(&GroupRefusal::TooLarge));
        }
        Ok(())
    }

    pub(super) fn begin_group(
        &mut self,
        digest: KeyDigest,
        key: &str,
        began_late: bool,
        rules: &Rules,
        reader: &mut dyn GroupReader,
    ) -> Result<usize, Refusal> {
        let before = match self.open_before {
            Some(before) => before,
            None => {
                *self.open_before.insert(reader.count().map_err(|error| Refusal::of_file(&error))?)
            }
        };
        if before.saturating_add_signed(self.groups.opened) >= rules.groups_max {
            let max = rules.groups_max;
            // The time of records does not advance while files wait.
            let refusal = match rules.arrival {
                None => GroupRefusal::NoRoom { max },
                Some(_) => GroupRefusal::NoRoomYet { max },
            };
            return Err(Refusal::of(Refused::FileUntilRoom, &refusal));
        }
        Ok(self.groups.begin(digest, key, began_late))
    }
}

const RELEASED: Place = Place::Late(Tardy::Released);

/// Returns whether a group's time is over when the time of records is `now_ms`.
fn is_past(times: Times, limit: Duration, now_ms: i64) -> bool {
    let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
    times.first_ms.saturating_add(limit) < now_ms
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use node::{Claims, StateError};

    use super::*;
    use crate::matching::{Expired, Repeated};

    /// A reader of released groups of one key, of 2,500 records each. It counts the calls.
    #[derive(Default)]
    struct Hours {
        groups: usize,
        calls: usize,
    }

    impl GroupReader for Hours {
        fn advance(&mut self, _: u64) -> Result<(), StateError> {
            Ok(())
        }

        fn release(&mut self) {}

        fn groups(&mut self, _: &str) -> Result<KeyGroups, StateError> {
            self.calls += 1;
            Ok(KeyGroups { open: Vec::new(), released: vec![None; self.groups] })
        }

        fn count(&mut self) -> Result<u64, StateError> {
            self.calls += 1;
            Ok(0)
        }

        fn digests(&mut self, _: &str) -> Result<Vec<PartDigest>, StateError> {
            self.calls += 1;
            let records = 0..2_500 * self.groups;
            Ok(records.map(|record| key_digest(&record.to_le_bytes())).collect())
        }

        fn watermark(&mut self, _: &str) -> Result<Option<i64>, StateError> {
            self.calls += 1;
            Ok(None)
        }
    }

    #[test]
    fn a_file_asks_once_for_what_a_key_had_before() {
        let rules = Rules {
            record_time: None,
            arrival: Some(Duration::ZERO),
            files: Duration::ZERO,
            within: None,
            expired: Expired::Emit,
            late: Late::Suspend,
            duplicate: Repeated::Suspend,
            group_max: 1,
            groups_max: 1,
            history: Duration::ZERO,
            memory_octets: 0,
        };
        let claims = Arc::new(Claims::new(1));
        for (groups, calls) in [(0, 1), (1, 2), (11, 2)] {
            let mut reader = Hours { groups, calls: 0 };
            let mut file = FileInHand::new(Claims::begin(&claims, 1, None), "boston", 0);
            for record in 2_000..4_000_usize {
                let of_key = file.take("key", &rules, &mut reader, &mut None).unwrap();
                let of_record = key_digest(&record.to_le_bytes());
                let found = file.is_repeated("key", &of_key, &of_record, &mut reader).unwrap();
                assert_eq!(found, record < 2_500 * groups, "{record}");
            }
            assert_eq!(reader.calls, calls, "{groups} groups");
        }
    }
}
