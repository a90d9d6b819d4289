//! A matching node in one worker.

use std::sync::Arc;

use node::{
    Claims, Committed, Equipment, Expiry, FileClaims, FileNumber, GroupChanges, GroupEnd, GroupId,
    JobNumber, Node, Origin, Outputs, Part, Passed, RecordEnd, Refusal, Refused, Release,
    StateChanges, StateRefusal, Sum, key_digest,
};
use record::{Memory, Record};

use super::file::{FileInHand, Place};
use super::groups::Came;
use super::refusal::{GroupRefusal, Tardy};
use super::scripts::Scripts;
use super::{DUPLICATE, Expired, LATE, Late, Repeated, Rules};

pub(super) struct MatchingNode {
    pub(super) scripts: Scripts,
    pub(super) rules: Rules,
    /// The sums of the node.
    pub(super) sums: Vec<Sum>,
    pub(super) claims: Arc<Claims>,
    pub(super) equipment: Option<Equipment>,
    pub(super) file: Option<FileInHand>,
    /// The file that goes first, after the last file was refused for it.
    pub(super) after: Option<FileNumber>,
    /// The key of the current record, as users see it.
    pub(super) key: String,
    /// The octets of the current record.
    pub(super) octets: Vec<u8>,
}

/// The outcome of a record that has no error.
enum Joined {
    Waits,
    /// Its group is complete.
    Completes,
    /// It is in its group already.
    Repeated,
    /// Its group has ended, or is over.
    Late(Tardy),
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
            Ok(Joined::Waits) => Ok(Passed::Waiting),
            Ok(Joined::Completes) => Ok(Passed::Emitted),
            Ok(Joined::Repeated) => match self.rules.duplicate {
                Repeated::Pass => Ok(Passed::On(DUPLICATE, record)),
                Repeated::Suspend => Err(Refusal::new(&GroupRefusal::Repeated)),
            },
            Ok(Joined::Late(why)) => match self.rules.late {
                Late::Pass => Ok(Passed::On(LATE, record)),
                Late::Suspend | Late::Begin => Err(Refusal::of(Refused::LateRecord, &why)),
            },
            Err(refusal) => {
                if let (Refused::Record, Some(file)) = (&refusal.refused, &mut self.file) {
                    file.groups.miss(&self.key, made_ms, origin);
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
        let (Some(Equipment { reader, codec, .. }), Some(file)) = (equipment, file) else {
            return Err(Refusal::new(&StateRefusal::NoFile));
        };
        let digest = file.take(key, rules, reader.as_mut(), after)?;
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
            file.begin_retry();
        }
    }

    fn end_record(&mut self, end: RecordEnd) {
        if let Some(file) = &mut self.file {
            file.end_record(end);
        }
    }

    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        if let Some(equipment) = &mut self.equipment {
            equipment.reader.release();
        }
        let (changes, claimed) = self.file.take()?.end(&self.sums);
        Some(Box::new(ChangedGroups { changes: Some(changes), _claimed: claimed }))
    }
}

impl MatchingNode {
    /// Adds the current record to the group of its key. Sets `made_ms` as soon as the time is known.
    fn join(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        made_ms: &mut Option<i64>,
        out: &mut Outputs,
    ) -> Result<Joined, Refusal> {
        let Self { scripts, rules, equipment, file, after, key, octets, .. } = self;
        let (Some(Equipment { reader, codec, .. }), Some(file)) = (equipment, file) else {
            return Err(Refusal::new(&StateRefusal::NoFile));
        };
        let time_ms = scripts.time_ms(memory, record)?;
        let digest = file.take(key, rules, reader.as_mut(), after)?;
        file.advance_time(time_ms, reader.as_mut())?;
        *made_ms = time_ms;
        octets.clear();
        let kept = codec.write(memory, record, octets);
        kept.map_err(|error| Refusal::new(&GroupRefusal::NotStored(error)))?;
        let of_record = key_digest(octets);
        if file.is_repeated(key, &digest, &of_record, reader.as_mut())? {
            return Ok(Joined::Repeated);
        }
        let found = file.place(rules, &digest, time_ms);
        let is_late = file.is_late(rules, &found, time_ms);
        file.count(is_late);
        let place = match (found, rules.late) {
            (Place::Open(place), _) => place,
            (Place::Late(why), Late::Suspend | Late::Pass) => return Ok(Joined::Late(why)),
            (Place::Late(_), Late::Begin) | (Place::New, _) => {
                file.begin_group(digest, key, is_late, rules, reader.as_mut())?
            }
        };
        file.has_room(rules, place, octets.len())?;
        let values = scripts.summing.came(memory, record);
        let came = Came { record: origin.record, offset: origin.offset, values };
        file.add(place, Part { time_ms, octets: octets.clone() }, of_record, came);
        let parts = file.groups.get(place).parts.as_slice();
        if !scripts.complete(memory, codec.as_mut(), parts, record, out)? {
            return Ok(Joined::Waits);
        }
        file.groups.release(place, Release::Complete, &scripts.summing.emitted);
        Ok(Joined::Completes)
    }
}

/// The changes of a file. Its keys are free again when this is dropped.
struct ChangedGroups {
    changes: Option<GroupChanges>,
    _claimed: FileClaims,
}

impl StateChanges for ChangedGroups {
    fn groups(&mut self) -> Option<GroupChanges> {
        self.changes.take()
    }

    fn committed(self: Box<Self>, _: Committed) {}
}
