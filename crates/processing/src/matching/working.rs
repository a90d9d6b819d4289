//! A matching node in one worker.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use node::{
    Equipment, Expiry, GroupEnd, GroupId, HeldChanges, JobNumber, Node, Noted, OnShelf, Origin,
    Outputs, Part, PartDigest, Passed, Refusal, Refused, Release, Shelf, Sum, Times,
};
use record::{Memory, Record};

use super::groups::{Came, Groups, KEY_OCTETS, PART_OCTETS, digest_of};
use super::scripts::Scripts;
use super::{DUPLICATE, Expired, LATE, Late, Repeated, Rules};
use crate::claims::{Claimed, Claims, KeyDigest};
use crate::in_hand::{Contested, FileNumber};

/// Most octets of a group's records, which lie in memory together when it becomes others.
const GROUP_OCTETS_MAX: usize = 16 << 20;

/// How far a network element's clock may be ahead of ours, its zone mistaken; what is farther is no time of a record.
const AHEAD_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) struct MatchingNode {
    pub(super) scripts: Scripts,
    pub(super) rules: Rules,
    /// What is summed.
    pub(super) sums: Vec<Sum>,
    pub(super) claims: Arc<Claims>,
    pub(super) equipment: Option<Equipment>,
    pub(super) file: Option<FileInHand>,
    /// The file that goes first, where the one before gave up.
    pub(super) after: Option<FileNumber>,
    /// The key of the record in hand, as people see it.
    pub(super) key: String,
    /// The octets of the record in hand.
    pub(super) octets: Vec<u8>,
}

/// The file in hand.
pub(super) struct FileInHand {
    claimed: Claimed,
    groups: Groups,
    network_element: Box<str>,
    /// How many groups were open when it began the first.
    open_before: Option<u64>,
    /// The latest time that it may have been when it began: our clock may be doubted.
    latest_ms: i64,
    watermark: Watermark,
    /// Whether its records were set aside and come again.
    is_retry: bool,
    /// How many records came, and how many of them late.
    came: u64,
    late: u64,
}

/// How far the time of a network element's records is.
#[derive(Clone, Copy, Debug, Default)]
struct Watermark {
    is_known: bool,
    /// With the records before the one in hand.
    before_ms: Option<i64>,
    /// With it too.
    ms: Option<i64>,
    /// Whether the file has brought it.
    is_new: bool,
}

/// Where a record belongs.
enum Place {
    Open(usize),
    New,
    Late(&'static str),
}

/// What becomes of a record that nothing is wrong with.
enum Joined {
    Waits,
    /// Its group is complete.
    Completes,
    /// It is in its group already.
    Repeated,
    /// Its group has ended, or is over.
    Late(&'static str),
}

impl Node for MatchingNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        out: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        self.scripts.key(memory, record, &mut self.key)?;
        let mut made_ms = None;
        match self.join(memory, record, origin, &mut made_ms, out) {
            Ok(Joined::Waits) => Ok(Passed::Held),
            Ok(Joined::Completes) => Ok(Passed::Emitted),
            Ok(Joined::Repeated) => match self.rules.duplicate {
                Repeated::Pass => Ok(Passed::On(DUPLICATE, record)),
                Repeated::Suspend => {
                    Err(Refusal::new("its group has a record already that is the same"))
                }
            },
            Ok(Joined::Late(why)) => match self.rules.late {
                Late::Pass => Ok(Passed::On(LATE, record)),
                Late::Suspend | Late::Begin => Err(Refusal::new(why)),
            },
            Err(refusal) => {
                if let (Refused::Record, Some(file)) = (&refusal.refused, &mut self.file) {
                    file.groups.miss(&self.key, made_ms, origin.record);
                }
                Err(refusal)
            }
        }
    }

    fn equip(&mut self, equipment: Equipment) {
        self.equipment = Some(equipment);
    }

    fn end_group(
        &mut self,
        memory: &mut Memory<'_>,
        (group, key): (GroupId, &str),
        end: &GroupEnd,
        out: &mut Outputs,
    ) -> Result<Expiry, Refusal> {
        let Self { scripts, rules, equipment, file, after, .. } = self;
        let (Some(Equipment { shelf, codec, .. }), Some(file)) = (equipment, file) else {
            return Err(Refusal::new("no file has begun"));
        };
        let digest = file.take(key, rules, shelf.as_mut(), after)?;
        let Some(place) = file.groups.numbered(&digest, group) else { return Ok(Expiry::Gone) };
        match (end, rules.expired) {
            (GroupEnd::Over, Expired::Emit) | (GroupEnd::Released, _) => {
                let parts = file.groups.get(place).parts.as_slice();
                let list = scripts.order.list(memory, codec.as_mut(), parts, None)?;
                scripts.combine(memory, list, out)?;
                file.groups.release(place, Release::Expired, &scripts.summing.emitted);
                Ok(Expiry::Emitted)
            }
            (GroupEnd::Over, Expired::Drop) | (GroupEnd::Dropped, _) => {
                file.groups.release(place, Release::Dropped, &[]);
                Ok(Expiry::Dropped)
            }
            (GroupEnd::Over, Expired::Suspend) => {
                file.groups.release(place, Release::Suspended(None), &[]);
                Ok(Expiry::Suspended)
            }
            (GroupEnd::SetAside(aside), _) => {
                file.groups.release(place, Release::Suspended(Some(aside.clone())), &[]);
                Ok(Expiry::Suspended)
            }
        }
    }

    fn begin_file(&mut self, job: JobNumber, network_element: &str) {
        let latest_ms = self.equipment.as_ref().map_or(i64::MIN, |of| (of.latest_ms)());
        let claimed = Claims::begin(&self.claims, job, self.after.take());
        self.file = Some(FileInHand::new(claimed, network_element, latest_ms));
    }

    fn begin_retry(&mut self) {
        if let Some(file) = &mut self.file {
            file.is_retry = true;
        }
    }

    fn end_record(&mut self, kept: bool) {
        if let Some(file) = &mut self.file {
            file.groups.end_record(kept);
            let Watermark { before_ms, ms, is_new, .. } = &mut file.watermark;
            match kept {
                true => {
                    *is_new |= ms != before_ms;
                    *before_ms = *ms;
                }
                false => *ms = *before_ms,
            }
        }
    }

    fn end_file(&mut self) -> Option<Box<dyn Noted>> {
        let FileInHand { claimed, groups, watermark, is_retry, came, late, .. } =
            self.file.take()?;
        let (groups, missing) = groups.changes();
        let watermark_ms = watermark.ms.filter(|_| watermark.is_new);
        // What was in suspense is late since somebody had to see to it.
        let (came, late) = if is_retry { (0, 0) } else { (came, late) };
        let sums = self.sums.clone();
        let changes = HeldChanges { groups, watermark_ms, came, late, missing, sums };
        Some(Box::new(HeldByFile { changes: Some(changes), _claimed: claimed }))
    }
}

impl MatchingNode {
    /// Gives the record in hand, of which the key is known, to its group. Notes when it was made, as soon as that is known.
    fn join(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        made_ms: &mut Option<i64>,
        out: &mut Outputs,
    ) -> Result<Joined, Refusal> {
        let Self { scripts, rules, equipment, file, after, key, octets, .. } = self;
        let (Some(Equipment { shelf, codec, .. }), Some(file)) = (equipment, file) else {
            return Err(Refusal::new("no file has begun"));
        };
        let time_ms = scripts.time_ms(memory, record)?;
        let digest = file.take(key, rules, shelf.as_mut(), after)?;
        file.pass_time(time_ms, shelf.as_mut())?;
        *made_ms = time_ms;
        octets.clear();
        let kept = codec.write(memory, record, octets);
        kept.map_err(|reason| Refusal::new(format!("it cannot be kept: {reason}")))?;
        let of_record = digest_of(octets);
        if file.is_repeated(key, &digest, &of_record, shelf.as_mut())? {
            return Ok(Joined::Repeated);
        }
        let found = file.place(rules, &digest, time_ms);
        let is_late = file.is_late(rules, &found, time_ms);
        file.came += 1;
        file.late += u64::from(is_late);
        let place = match (found, rules.late) {
            (Place::Open(place), _) => place,
            (Place::Late(why), Late::Suspend | Late::Pass) => return Ok(Joined::Late(why)),
            (Place::Late(_), Late::Begin) | (Place::New, _) => {
                file.begin_group(digest, key, is_late, rules, shelf.as_mut())?
            }
        };
        file.has_room(rules, place, octets.len())?;
        file.claimed.grow(PART_OCTETS + octets.len());
        let values = scripts.summing.came(memory, record);
        let came = Came { record: origin.record, offset: origin.offset, values };
        file.groups.add(place, Part { time_ms, octets: octets.clone() }, of_record, came);
        let parts = file.groups.get(place).parts.as_slice();
        if !scripts.complete(memory, codec.as_mut(), parts, record, out)? {
            return Ok(Joined::Waits);
        }
        file.groups.release(place, Release::Complete, &scripts.summing.emitted);
        Ok(Joined::Completes)
    }
}

impl FileInHand {
    fn new(claimed: Claimed, network_element: &str, latest_ms: i64) -> Self {
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

    /// Takes a key for the file, and its groups from the shelf; returns the key's digest.
    fn take(
        &mut self,
        key: &str,
        rules: &Rules,
        shelf: &mut dyn Shelf,
        after: &mut Option<FileNumber>,
    ) -> Result<KeyDigest, Refusal> {
        let digest = digest_of(key.as_bytes());
        if let Err(Contested(other)) = self.claimed.take(digest) {
            *after = Some(other);
            let reason = "a file that was begun later has a record of the same group";
            return Err(Refusal::of(Refused::FileBegunAgain, reason));
        }
        if !self.groups.knows(&digest) {
            let OnShelf { mut open, released } = shelf.groups(key).map_err(not_now)?;
            // By other rules it is as late in the next file as if its group had been released by then.
            open.iter_mut().for_each(|group| group.began_late &= rules.late == Late::Begin);
            let octets = |part: &Part| PART_OCTETS + part.octets.len();
            let parts = open.iter().flat_map(|group| &group.parts).map(octets);
            self.claimed.grow(KEY_OCTETS + parts.sum::<usize>());
            self.groups.take(digest, key, open, released);
        }
        Ok(digest)
    }

    /// The record in hand was made then.
    fn pass_time(&mut self, time_ms: Option<i64>, shelf: &mut dyn Shelf) -> Result<(), Refusal> {
        if time_ms.is_some_and(|time| time > self.latest_ms.saturating_add(AHEAD_MS)) {
            return Err(Refusal::new("it was made in the future"));
        }
        let watermark = &mut self.watermark;
        if time_ms.is_some() && !watermark.is_known {
            let ms = shelf.watermark(&self.network_element).map_err(not_now)?;
            *watermark = Watermark { is_known: true, before_ms: ms, ms, is_new: false };
        }
        // A clock that is ahead takes the others' time no farther than ours: what they write now is not late for it.
        watermark.ms = watermark.ms.max(time_ms.map(|time| time.min(self.latest_ms)));
        Ok(())
    }

    /// Where a record belongs that was made at a time: to the group that began nearest to it.
    ///
    /// Whether it is late the records of its own network element decide, which come in their order; and a group that was
    /// released is one that is over. So it is the same when they come again, whenever groups were looked through then for
    /// those whose time is over. One that comes again from suspense is late by nothing but its own group's release. A file
    /// that comes late as a whole has its groups together: such a group is over when the file is done, not before its
    /// second record. Where late records begin groups, those of several files join each other: such a group takes more
    /// until it is released.
    fn place(&self, rules: &Rules, digest: &KeyDigest, time_ms: Option<i64>) -> Place {
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

    /// The same, but for what such groups take.
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
        // Of two that began at the same time, the one that is open.
        let nearest = open
            .chain(released)
            .filter(|(times, _)| belongs(*times))
            .min_by_key(|(times, _)| (times.first_ms.abs_diff(time), times.first_ms));
        match nearest {
            Some((times, Some(place)))
                if self.is_over(rules, times) && !self.groups.get(place).began_late =>
            {
                Place::Late("it came late: its group's time is over")
            }
            Some((_, Some(place))) => Place::Open(place),
            Some((_, None)) => RELEASED,
            None => Place::New,
        }
    }

    /// Whether a record that was made at a time may belong to a group.
    fn belongs(&self, rules: &Rules, place: usize, time_ms: Option<i64>) -> bool {
        let Some((times, time)) = self.groups.get(place).times.zip(time_ms) else { return true };
        rules.within.is_none_or(|within| times.with(time).span() <= within)
    }

    /// Whether a record comes late that was made at a time, wherever it goes.
    fn is_late(&self, rules: &Rules, found: &Place, time_ms: Option<i64>) -> bool {
        let is_over = time_ms.is_some_and(|time| self.is_over(rules, Times::of(time)));
        is_over
            || match found {
                Place::Open(place) => self.groups.get(*place).began_late,
                Place::New => false,
                Place::Late(_) => true,
            }
    }

    /// Whether a record came before, in a group of its key that waits or was released. What those had that were released is
    /// taken from the shelf once: a key may have many, and each record of the file is looked for.
    fn is_repeated(
        &mut self,
        key: &str,
        of_key: &KeyDigest,
        of_record: &PartDigest,
        shelf: &mut dyn Shelf,
    ) -> Result<bool, Refusal> {
        if self.groups.has(of_key, of_record) {
            return Ok(true);
        }
        if self.groups.lacks_history(of_key) {
            let records = shelf.digests(key).map_err(not_now)?;
            self.claimed.grow(records.len() * size_of::<PartDigest>());
            self.groups.take_history(of_key, records);
        }
        Ok(self.groups.is_history(of_key, of_record))
    }

    /// Whether the time of a group is over to the records of the file in hand.
    fn is_over(&self, rules: &Rules, times: Times) -> bool {
        match (rules.record_time, self.watermark.before_ms) {
            (Some(limit), Some(now)) if !self.is_retry => is_past(times, limit, now),
            _ => false,
        }
    }

    /// Whether a record of so many octets may come to a group.
    fn has_room(&self, rules: &Rules, place: usize, octets: usize) -> Result<(), Refusal> {
        let parts = &self.groups.get(place).parts;
        if parts.len() >= rules.group_max {
            let reason =
                format!("its group has {} records already: \"group-max\"", rules.group_max);
            return Err(Refusal::new(reason));
        }
        let before: usize = parts.iter().map(|part| part.octets.len()).sum();
        if before + octets > GROUP_OCTETS_MAX {
            return Err(Refusal::new("its group would have more than 16 MB"));
        }
        Ok(())
    }

    fn begin_group(
        &mut self,
        digest: KeyDigest,
        key: &str,
        began_late: bool,
        rules: &Rules,
        shelf: &mut dyn Shelf,
    ) -> Result<usize, Refusal> {
        let before = match self.open_before {
            Some(before) => before,
            None => *self.open_before.insert(shelf.count().map_err(not_now)?),
        };
        if before.saturating_add_signed(self.groups.opened) >= rules.groups_max {
            let max = rules.groups_max;
            // The time of records stands still while files wait.
            let or = match rules.arrival {
                None => {
                    ", or give \"wait\" an \"arrival\": while files wait, none of them is over by its records' time"
                }
                Some(_) => "",
            };
            return Err(not_now(format!(
                "{max} groups are open at most: allow more \"groups-max\"{or}"
            )));
        }
        Ok(self.groups.begin(digest, key, began_late))
    }
}

const RELEASED: Place = Place::Late("it came late: its group was released");

/// Whether a group's time is over when the time of records is `now`.
fn is_past(times: Times, limit: Duration, now_ms: i64) -> bool {
    let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
    times.first_ms.saturating_add(limit) < now_ms
}

/// The file is tried again later.
#[cold]
fn not_now(reason: String) -> Refusal {
    Refusal::of(Refused::File, reason)
}

/// What a file changed. Its keys are others' again when this goes away.
struct HeldByFile {
    changes: Option<HeldChanges>,
    _claimed: Claimed,
}

impl Noted for HeldByFile {
    fn held(&mut self) -> Option<HeldChanges> {
        self.changes.take()
    }

    fn keep(self: Box<Self>, _: SystemTime) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of one key, of 2,500 records each, and how often somebody has asked for anything.
    #[derive(Default)]
    struct Hours {
        groups: usize,
        asked: usize,
    }

    impl Shelf for Hours {
        fn groups(&mut self, _: &str) -> Result<OnShelf, String> {
            self.asked += 1;
            Ok(OnShelf { open: Vec::new(), released: vec![None; self.groups] })
        }

        fn count(&mut self) -> Result<u64, String> {
            self.asked += 1;
            Ok(0)
        }

        fn digests(&mut self, _: &str) -> Result<Vec<PartDigest>, String> {
            self.asked += 1;
            let records = 0..2_500 * self.groups;
            Ok(records.map(|record| digest_of(&record.to_le_bytes())).collect())
        }

        fn watermark(&mut self, _: &str) -> Result<Option<i64>, String> {
            self.asked += 1;
            Ok(None)
        }
    }

    #[test]
    fn a_file_asks_once_for_what_a_key_had_before() {
        let rules = Rules {
            record_time: None,
            arrival: Some(Duration::ZERO),
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
        for (groups, asked) in [(0, 1), (1, 2), (11, 2)] {
            let mut shelf = Hours { groups, asked: 0 };
            let mut file = FileInHand::new(Claims::begin(&claims, 1, None), "boston", 0);
            for record in 2_000..4_000_usize {
                let of_key = file.take("key", &rules, &mut shelf, &mut None).unwrap();
                let of_record = digest_of(&record.to_le_bytes());
                let found = file.is_repeated("key", &of_key, &of_record, &mut shelf).unwrap();
                assert_eq!(found, record < 2_500 * groups, "{record}");
            }
            assert_eq!(shelf.asked, asked, "{groups} groups");
        }
    }
}
