//! The groups that the records of a file in hand came to: as they were on the shelf, and what the file changes of them.
//!
//! What a record changed is taken back where somebody refuses the record on its way.

use std::collections::HashMap;

use node::{
    CamePart, ChangedGroup, FileNumber, GroupId, JobEntry, KeptPart, KeyDigest, MissingPart,
    OpenGroup, Origin, Part, PartDigest, RecordEnd, Release, Summed, Times, key_digest,
};

/// The groups of a file in hand.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// By key: the places of its groups, and those that were released before.
    keys: HashMap<KeyDigest, OfKey>,
    /// What the record in hand changed.
    undo: Vec<Undo>,
    /// The records that were refused, here or behind: they belong to groups all the same. Not those that came before, or
    /// too late for their group.
    missing: Vec<MissingPart>,
    /// How many groups are open that were not before; fewer where it is negative.
    pub(super) opened: i64,
}

#[derive(Debug, Default)]
struct OfKey {
    places: Vec<usize>,
    released: Vec<Option<Times>>,
    /// The records of those that were released, sorted, once anybody has asked for them.
    history: Option<Box<[PartDigest]>>,
}

/// A group.
#[derive(Debug)]
pub(super) struct Group {
    id: Option<GroupId>,
    digest: KeyDigest,
    key: Box<str>,
    pub(super) times: Option<Times>,
    pub(super) parts: Vec<GroupPart>,
    released: Option<Release>,
    /// What it became then, by sum.
    emitted: Vec<Summed>,
    /// Whether its time was over when it began, in the file in hand, or before, where late records begin groups: until it
    /// is released, what comes late belongs to it.
    pub(super) began_late: bool,
}

/// What the memory of a record takes besides its octets, and that of a key with its groups and its place among the keys of
/// all files: lists and tables that grow have room for twice as much, and so much goes with each allocation.
pub(super) const PART_OCTETS: usize = 2 * size_of::<GroupPart>() + ALLOCATION_OCTETS;
pub(super) const KEY_OCTETS: usize = 2 * size_of::<Group>()
    + 2 * size_of::<(KeyDigest, OfKey)>()
    + 3 * size_of::<(KeyDigest, FileNumber)>()
    + 4 * ALLOCATION_OCTETS;
const ALLOCATION_OCTETS: usize = 24;

/// A record of a group.
#[derive(Debug)]
pub(super) struct GroupPart {
    pub(super) time_ms: Option<i64>,
    pub(super) octets: Vec<u8>,
    digest: PartDigest,
    source: PartSource,
}

/// Where a record of a group comes from.
#[derive(Debug)]
enum PartSource {
    /// It waited when the file began: the job that brought it.
    Waited(JobEntry),
    /// It is the file's.
    Came(Came),
}

/// A record that came in the file in hand.
#[derive(Debug)]
pub(super) struct Came {
    pub(super) record: u64,
    pub(super) offset: u64,
    pub(super) values: Box<[Option<i64>]>,
}

/// The octets of a record that waits are not those that were put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the octets of a record that waits were damaged in the journal")]
pub(super) struct DamagedPart;

/// What a group was like.
#[derive(Debug)]
struct Undo {
    place: usize,
    /// None: there was no such group.
    was: Option<(usize, Option<Times>, Option<Release>)>,
    opened: i64,
}

impl Groups {
    /// Whether the groups of a key are here.
    pub(super) fn knows(&self, key: &KeyDigest) -> bool {
        self.keys.contains_key(key)
    }

    /// Takes the groups of a key as they lie on the shelf.
    pub(super) fn take(
        &mut self,
        digest: KeyDigest,
        key: &str,
        open: Vec<OpenGroup>,
        released: Vec<Option<Times>>,
    ) -> Result<(), DamagedPart> {
        let taken = open.into_iter().map(|OpenGroup { id, began_late, parts }| {
            let times = parts.iter().filter_map(|kept| kept.part.time_ms);
            let times = times.fold(None, |times: Option<Times>, time| match times {
                Some(times) => Some(times.with(time)),
                None => Some(Times::of(time)),
            });
            let parts = parts.into_iter().map(GroupPart::sound).collect::<Result<_, _>>()?;
            let (id, released, emitted) = (Some(id), None, Vec::new());
            Ok(Group { id, digest, key: key.into(), times, parts, released, emitted, began_late })
        });
        let taken: Vec<Group> = taken.collect::<Result<_, DamagedPart>>()?;
        let first = self.groups.len();
        self.groups.extend(taken);
        let places = (first..self.groups.len()).collect();
        self.keys.insert(digest, OfKey { places, released, history: None });
        Ok(())
    }

    /// The places of a key's groups that are open.
    pub(super) fn open(&self, key: &KeyDigest) -> impl Iterator<Item = usize> {
        let places = self.keys.get(key).map_or(&[][..], |of| &of.places);
        places.iter().copied().filter(|place| self.groups[*place].released.is_none())
    }

    /// The times of a key's groups that were released. Those that were set aside do not count.
    pub(super) fn released(&self, key: &KeyDigest) -> impl Iterator<Item = Option<Times>> {
        let (places, before) =
            self.keys.get(key).map_or((&[][..], &[][..]), |of| (&of.places, &of.released));
        let groups = places.iter().map(|place| &self.groups[*place]);
        let counts = |group: &&Group| !matches!(group.released, None | Some(Release::Suspended(_)));
        let now = groups.filter(counts).map(|group| group.times);
        before.iter().copied().chain(now)
    }

    /// Whether a record is one of a group of its key, open or released.
    pub(super) fn has(&self, key: &KeyDigest, record: &PartDigest) -> bool {
        let places = self.keys.get(key).map_or(&[][..], |of| &of.places);
        let groups = places.iter().map(|place| &self.groups[*place]);
        let mut counting =
            groups.filter(|group| !matches!(group.released, Some(Release::Suspended(_))));
        counting.any(|group| group.parts.iter().any(|part| part.digest == *record))
    }

    /// Whether groups of a key were released before the file in hand, and it is not known yet which records they had.
    pub(super) fn lacks_history(&self, key: &KeyDigest) -> bool {
        self.keys.get(key).is_some_and(|of| !of.released.is_empty() && of.history.is_none())
    }

    /// Takes the records that groups of a key had which were released before the file in hand.
    pub(super) fn take_history(&mut self, key: &KeyDigest, mut records: Vec<PartDigest>) {
        records.sort_unstable();
        if let Some(of) = self.keys.get_mut(key) {
            of.history = Some(records.into());
        }
    }

    /// Whether a record is one of those.
    pub(super) fn is_history(&self, key: &KeyDigest, record: &PartDigest) -> bool {
        let history = self.keys.get(key).and_then(|of| of.history.as_deref());
        history.is_some_and(|records| records.binary_search(record).is_ok())
    }

    /// The place of an open group of this number.
    pub(super) fn numbered(&self, key: &KeyDigest, id: GroupId) -> Option<usize> {
        self.open(key).find(|place| self.groups[*place].id == Some(id))
    }

    pub(super) fn get(&self, place: usize) -> &Group {
        &self.groups[place]
    }

    /// A group begins, of a key that is here.
    pub(super) fn begin(&mut self, digest: KeyDigest, key: &str, began_late: bool) -> usize {
        let place = self.groups.len();
        self.undo.push(Undo { place, was: None, opened: self.opened });
        self.opened += 1;
        let (id, times, released) = (None, None, None);
        let (key, parts, emitted) = (key.into(), Vec::new(), Vec::new());
        self.groups.push(Group { id, digest, key, times, parts, released, emitted, began_late });
        let places = &mut self.keys.entry(digest).or_default().places;
        // Most keys have one group, and most groups one record: a list makes room for four otherwise.
        places.reserve_exact(usize::from(places.is_empty()));
        places.push(place);
        place
    }

    /// A record comes to a group.
    pub(super) fn add(&mut self, place: usize, part: Part, digest: PartDigest, came: Came) {
        self.note(place);
        let group = &mut self.groups[place];
        if let Some(time) = part.time_ms {
            group.times = Some(group.times.map_or(Times::of(time), |times| times.with(time)));
        }
        let Part { time_ms, octets } = part;
        group.parts.reserve_exact(usize::from(group.parts.is_empty()));
        group.parts.push(GroupPart { time_ms, octets, digest, source: PartSource::Came(came) });
    }

    /// A record of a key is refused before it came to any group.
    pub(super) fn miss(&mut self, key: &str, time_ms: Option<i64>, origin: &Origin<'_>) {
        let Origin { record, offset, .. } = *origin;
        let key = key.into();
        self.missing.push(MissingPart { key, time_ms, record, offset, is_awaited: true });
    }

    /// A group is released; by sum, what it became.
    pub(super) fn release(&mut self, place: usize, why: Release, emitted: &[Summed]) {
        self.note(place);
        self.opened -= 1;
        let group = &mut self.groups[place];
        (group.released, group.emitted) = (Some(why), emitted.to_vec());
    }

    fn note(&mut self, place: usize) {
        let group = &self.groups[place];
        let was = Some((group.parts.len(), group.times, group.released.clone()));
        self.undo.push(Undo { place, was, opened: self.opened });
    }

    /// The record in hand is kept, or it is as if it had never come.
    pub(super) fn end_record(&mut self, end: RecordEnd) {
        if end.is_kept() {
            for Undo { place, .. } in self.undo.drain(..) {
                let group = &mut self.groups[place];
                if group.released.is_some() {
                    // Only who they were is asked for from now on.
                    group.parts.iter_mut().for_each(|part| part.octets = Vec::new());
                }
            }
            return;
        }
        let is_awaited = end != RecordEnd::NotAwaited;
        while let Some(Undo { place, was, opened }) = self.undo.pop() {
            self.opened = opened;
            match was {
                Some((parts, times, released)) => {
                    let group = &mut self.groups[place];
                    let missing = group.parts.drain(parts..).filter_map(|part| {
                        let (key, time_ms) = (group.key.to_string(), part.time_ms);
                        let PartSource::Came(Came { record, offset, .. }) = part.source else {
                            return None;
                        };
                        Some(MissingPart { key, time_ms, record, offset, is_awaited })
                    });
                    self.missing.extend(missing);
                    (group.times, group.released) = (times, released);
                }
                // Its place stays, and nothing is in it.
                None => {
                    let Group { digest, parts, released, .. } = &mut self.groups[place];
                    (*parts, *released) = (Vec::new(), None);
                    if let Some(of) = self.keys.get_mut(digest) {
                        of.places.retain(|other| *other != place);
                    }
                }
            }
        }
    }

    /// The groups that the file changed, and the records that were refused.
    pub(super) fn changes(self) -> (Vec<ChangedGroup>, Vec<MissingPart>) {
        (self.groups.into_iter().filter_map(Group::change).collect(), self.missing)
    }
}

impl GroupPart {
    /// A record as it lay on the shelf, if it is the one that was put there.
    fn sound(kept: KeptPart) -> Result<Self, DamagedPart> {
        let KeptPart { part: Part { time_ms, octets }, digest: known, job } = kept;
        let digest = key_digest(&octets);
        match known.is_none_or(|known| known == digest) {
            true => Ok(GroupPart { time_ms, octets, digest, source: PartSource::Waited(job) }),
            false => Err(DamagedPart),
        }
    }
}

impl Group {
    fn change(self) -> Option<ChangedGroup> {
        let Group { id, key, times, began_late, parts, released, emitted, .. } = self;
        let last = parts.len().saturating_sub(1);
        let (mut waited, mut came) = (Vec::new(), Vec::new());
        for (place, GroupPart { time_ms, octets, digest, source }) in parts.into_iter().enumerate()
        {
            match source {
                PartSource::Waited(job) => waited.push(job),
                PartSource::Came(Came { record, offset, values }) => {
                    let is_held = released != Some(Release::Complete) || place < last;
                    let part = Part { time_ms, octets };
                    came.push(CamePart { record, offset, part, digest, is_held, values });
                }
            }
        }
        let is_changed = released.is_some() || !came.is_empty();
        let key = key.into();
        is_changed.then_some(ChangedGroup {
            id,
            key,
            times,
            began_late,
            waited,
            came,
            released,
            emitted,
        })
    }
}
