//! The groups that the records of the current file came to: as the journal had them, with the file's changes.
//!
//! The changes of a record are undone if a later node refuses the record.

use node::groups::entry::WaitingSum;
use node::{
    DigestMap, EntryNumber, FileNumber, GroupId, JobEntry, KeyDigest, MissingPart, OpenGroup,
    Origin, Part, PartDigest, RecordEnd, Release, Summed, Times, WaitingRecord,
};

/// The groups of the current file.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// The places of each key's groups, and its released groups, by key.
    keys: DigestMap<OfKey>,
    /// The changes of the current record.
    undo: Vec<Undo>,
    /// The records that were refused, here or in a later node: they still belong to groups. This leaves out records
    /// that came before, or too late for their group.
    missing: Vec<MissingPart>,
    /// How many more groups are open than before; negative if there are fewer.
    pub(super) opened: i64,
}

#[derive(Debug, Default)]
struct OfKey {
    places: Vec<usize>,
    released: Vec<Option<Times>>,
    /// The records of the released groups, sorted; read when they are first needed.
    history: Option<Box<[PartDigest]>>,
}

/// A group.
#[derive(Debug)]
pub(super) struct Group {
    /// What earlier jobs wrote of it, unless it is new.
    pub(super) before: Option<Before>,
    digest: KeyDigest,
    pub(super) key: Box<str>,
    pub(super) times: Option<Times>,
    pub(super) parts: Vec<GroupPart>,
    pub(super) released: Option<Release>,
    /// The sums of what it became.
    pub(super) emitted: Vec<Summed>,
    /// Whether its time was over when it began, in this file or an earlier one, where late records begin groups. Until
    /// it is released, late records belong to it.
    pub(super) began_late: bool,
}

/// What earlier jobs wrote of a group.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) id: GroupId,
    pub(super) entries: Vec<EntryNumber>,
    pub(super) sums: Vec<WaitingSum>,
}

/// The memory of a record besides its octets, and the memory of a key: its groups, and its entry in the table of the
/// keys of all files. Lists and tables that grow have room for twice as much, and each allocation has this overhead.
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
    pub(super) digest: PartDigest,
    pub(super) source: PartSource,
}

/// The source of a record.
#[derive(Debug)]
pub(super) enum PartSource {
    /// It waited when the file began.
    Waited(Waited),
    /// It is in the current file.
    Came(Came),
}

/// Where a record comes from that waited when the file began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waited {
    pub(super) job: JobEntry,
    pub(super) record: u64,
    pub(super) offset: u64,
}

/// A record of the current file.
#[derive(Debug)]
pub(super) struct Came {
    pub(super) record: u64,
    pub(super) offset: u64,
    pub(super) values: Box<[Option<i64>]>,
}

/// The state of a group before a change.
#[derive(Debug)]
struct Undo {
    place: usize,
    /// `None` if there was no such group.
    was: Option<(usize, Option<Times>, Option<Release>)>,
    opened: i64,
}

impl Groups {
    /// Returns whether the groups of a key were taken.
    pub(super) fn knows(&self, key: &KeyDigest) -> bool {
        self.keys.contains_key(key)
    }

    /// Takes the groups of a key from the journal.
    pub(super) fn take(
        &mut self,
        digest: KeyDigest,
        key: &str,
        open: Vec<OpenGroup>,
        released: Vec<Option<Times>>,
    ) {
        let first = self.groups.len();
        self.groups.extend(open.into_iter().map(|group| Group::open(digest, key, group)));
        let places = (first..self.groups.len()).collect();
        self.keys.insert(digest, OfKey { places, released, history: None });
    }

    /// Returns the places of a key's open groups.
    pub(super) fn open(&self, key: &KeyDigest) -> impl Iterator<Item = usize> {
        let places = self.keys.get(key).map_or(&[][..], |of| &of.places);
        places.iter().copied().filter(|place| self.groups[*place].released.is_none())
    }

    /// Returns the times of a key's released groups, without those that were set aside.
    pub(super) fn released(&self, key: &KeyDigest) -> impl Iterator<Item = Option<Times>> {
        let (places, before) =
            self.keys.get(key).map_or((&[][..], &[][..]), |of| (&of.places, &of.released));
        let groups = places.iter().map(|place| &self.groups[*place]);
        let counts = |group: &&Group| !matches!(group.released, None | Some(Release::Suspended(_)));
        let now = groups.filter(counts).map(|group| group.times);
        before.iter().copied().chain(now)
    }

    /// Returns whether a record is in a group of its key, open or released.
    pub(super) fn has(&self, key: &KeyDigest, record: &PartDigest) -> bool {
        let places = self.keys.get(key).map_or(&[][..], |of| &of.places);
        let groups = places.iter().map(|place| &self.groups[*place]);
        let mut counting =
            groups.filter(|group| !matches!(group.released, Some(Release::Suspended(_))));
        counting.any(|group| group.parts.iter().any(|part| part.digest == *record))
    }

    /// Returns whether groups of a key were released before the current file, and their records were not read yet.
    pub(super) fn lacks_history(&self, key: &KeyDigest) -> bool {
        self.keys.get(key).is_some_and(|of| !of.released.is_empty() && of.history.is_none())
    }

    /// Takes the records of a key's groups that were released before the current file.
    pub(super) fn take_history(&mut self, key: &KeyDigest, mut records: Vec<PartDigest>) {
        records.sort_unstable();
        if let Some(of) = self.keys.get_mut(key) {
            of.history = Some(records.into());
        }
    }

    /// Returns whether a record is among those.
    pub(super) fn is_history(&self, key: &KeyDigest, record: &PartDigest) -> bool {
        let history = self.keys.get(key).and_then(|of| of.history.as_deref());
        history.is_some_and(|records| records.binary_search(record).is_ok())
    }

    /// Returns the place of the open group of this number.
    pub(super) fn numbered(&self, key: &KeyDigest, id: GroupId) -> Option<usize> {
        let is_it = |place: &usize| {
            self.groups[*place].before.as_ref().is_some_and(|before| before.id == id)
        };
        self.open(key).find(is_it)
    }

    pub(super) fn get(&self, place: usize) -> &Group {
        &self.groups[place]
    }

    /// Begins a group of a key whose groups were taken. Returns its place.
    pub(super) fn begin(&mut self, digest: KeyDigest, key: &str, began_late: bool) -> usize {
        let place = self.groups.len();
        self.undo.push(Undo { place, was: None, opened: self.opened });
        self.opened += 1;
        self.groups.push(Group {
            before: None,
            digest,
            key: key.into(),
            times: None,
            parts: Vec::new(),
            released: None,
            emitted: Vec::new(),
            began_late,
        });
        let places = &mut self.keys.entry(digest).or_default().places;
        // Most keys have one group, and most groups one record. Without this, a list makes room for four.
        places.reserve_exact(usize::from(places.is_empty()));
        places.push(place);
        place
    }

    /// Adds a record to a group.
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

    /// Notes a record of a key that was refused before it came to a group.
    pub(super) fn miss(&mut self, key: &str, time_ms: Option<i64>, origin: &Origin<'_>) {
        let Origin { record, offset, .. } = *origin;
        let key = key.into();
        self.missing.push(MissingPart { key, time_ms, record, offset, is_awaited: true });
    }

    /// Releases a group. `emitted` are the sums of what it became.
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

    /// Ends the current record: its changes are kept, or undone as if it had never come.
    pub(super) fn end_record(&mut self, end: RecordEnd) {
        if end.is_accepted() {
            for Undo { place, .. } in self.undo.drain(..) {
                let group = &mut self.groups[place];
                if !matches!(group.released, None | Some(Release::Suspended(_))) {
                    // From now on only the digests of the records are needed.
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
                // The group's place stays, with nothing in it.
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

    /// Returns the groups that the file met, in the order in which it met them, and the records that were refused.
    pub(super) fn finish(self) -> (Vec<Group>, Vec<MissingPart>) {
        (self.groups, self.missing)
    }
}

impl Group {
    /// Returns a group that waits in the journal.
    fn open(digest: KeyDigest, key: &str, group: OpenGroup) -> Self {
        let OpenGroup { id, began_late, entries, records, sums } = group;
        let times = records.iter().filter_map(|record| record.part.time_ms);
        let times = times.fold(None, |times: Option<Times>, time| match times {
            Some(times) => Some(times.with(time)),
            None => Some(Times::of(time)),
        });
        Group {
            before: Some(Before { id, entries, sums }),
            digest,
            key: key.into(),
            times,
            parts: records.into_iter().map(GroupPart::waiting).collect(),
            released: None,
            emitted: Vec::new(),
            began_late,
        }
    }
}

impl GroupPart {
    fn waiting(waiting: WaitingRecord) -> Self {
        let WaitingRecord { part: Part { time_ms, octets }, digest, job, record, offset } = waiting;
        let source = PartSource::Waited(Waited { job, record, offset });
        GroupPart { time_ms, octets, digest, source }
    }
}
