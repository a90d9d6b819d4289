//! What is known of each key: a table in parts, whose last changes can be undone.

use std::collections::hash_map::Entry;

use measures::{Event, Layout, Moment, Octets, Seconds};
use node::{DigestMap, KeyDigest, PARTS};

use crate::alerted::Alerted;
use crate::definition::Rules;
use crate::form::{SubjectTranslation, Translation};
use crate::octets::{Cut, Reader, write_number, write_sized};
use crate::stored::Mark;

/// The memory of a key with a short profile, in octets: its place in a table that is two thirds full.
const KEY_OCTETS: usize = 3 * size_of::<(KeyDigest, Profile)>() / 2;

/// What the allocator needs for each piece of memory.
const HEAP_OCTETS: usize = 16;

/// The memory of a key's text besides its octets.
const NAME_OCTETS: usize = 60;

/// A part with fewer keys is not looked through for those that are over.
const SWEPT_FROM: usize = 64;

/// What is known of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// The place of its subject.
    pub(crate) subject: u32,
    /// The rules that were alerted, by their numbers, and until when they are not again.
    pub(crate) alerted: Alerted,
    /// The time of its last event.
    last: Seconds,
    /// Its measures.
    pub(crate) measures: Octets,
    /// The number of the changes, since they were last accepted or undone, that it is among.
    changed_in: u32,
}

impl Profile {
    /// Adds an event.
    pub(crate) fn apply(
        &mut self,
        (layout, event): (&Layout, Event<'_>),
        oldest: Moment,
        scratch: &mut Vec<u8>,
    ) {
        self.last = self.last.max(event.at.time);
        measures::apply(layout, (&mut self.measures, event), oldest, scratch);
    }

    /// Returns the time of its last event.
    pub(crate) fn last(&self) -> Seconds {
        self.last
    }

    /// Returns whether something of it counts after a time. `longest` has the longest window of each subject.
    fn counts_after(&self, longest: &[Seconds], time: Seconds) -> bool {
        let longest = longest.get(self.subject as usize).copied().unwrap_or_default();
        self.measures_until(longest) >= time
            || self.alerted.rules().iter().any(|(_, until)| *until >= time)
    }

    /// Returns until when something of its measures counts, whose longest window is so long.
    pub(crate) fn measures_until(&self, longest: Seconds) -> Seconds {
        self.last.saturating_add(longest)
    }

    /// Returns a copy with an event, which is among changes with a number.
    fn changed(
        &self,
        (layout, event): (&Layout, Event<'_>),
        (oldest, scratch): (Moment, &mut Vec<u8>),
        changed_in: u32,
    ) -> Self {
        Profile {
            subject: self.subject,
            alerted: self.alerted.clone(),
            last: self.last.max(event.at.time),
            measures: measures::applied(layout, (&self.measures, event), oldest, scratch),
            changed_in,
        }
    }

    /// Returns it with its measures as they are now, without those that are gone; `None` if nothing is left.
    fn translated(self, measures: &[u8], translation: &Translation) -> Option<Self> {
        let SubjectTranslation { place, measures: old, from } =
            translation.subjects().get(self.subject as usize)?;
        let subject = u32::try_from((*place)?).ok()?;
        let measures = measures::rearranged(measures, old.len(), from);
        let is_left = !measures.is_empty() || !self.alerted.rules().is_empty();
        is_left.then_some(Profile { subject, measures, ..self })
    }

    fn octets(&self) -> usize {
        let of_measures =
            if self.measures.spilled() { HEAP_OCTETS + self.measures.len() } else { 0 };
        KEY_OCTETS + of_measures + self.alerted.octets()
    }
}

#[derive(Debug)]
struct Part {
    keys: DigestMap<Profile>,
    /// The keys themselves, of subjects whose rules are judged without a record.
    names: DigestMap<Box<[u8]>>,
    /// With how many keys it is looked through for those that are over.
    sweeps_with: usize,
}

/// The profiles of all keys.
#[derive(Debug)]
pub(crate) struct Profiles {
    parts: Vec<Part>,
    /// What the changes that may be undone have changed: the profiles of before, each once, and the keys that were not there.
    before: Vec<(KeyDigest, Profile)>,
    added: Vec<KeyDigest>,
    /// The number of these changes.
    changes: u32,
    /// Whether keys were read that were stored without their texts: there may have been no rules that need these.
    lacks_names: bool,
    keys: usize,
    octets: usize,
}

impl Default for Profiles {
    fn default() -> Self {
        let part = || Part {
            keys: DigestMap::default(),
            names: DigestMap::default(),
            sweeps_with: SWEPT_FROM,
        };
        Profiles {
            parts: std::iter::repeat_with(part).take(PARTS).collect(),
            before: Vec::new(),
            added: Vec::new(),
            changes: 1,
            lacks_names: false,
            keys: 0,
            octets: 0,
        }
    }
}

/// Returns the longest window of each subject.
fn longest(rules: &Rules) -> Vec<Seconds> {
    rules.subjects.iter().map(|subject| subject.layout.longest()).collect()
}

/// Returns the part of a key.
pub(crate) fn part_of(key: &KeyDigest) -> usize {
    usize::from(key[15]) % PARTS
}

/// Removes the text of a key, and returns the octets that it had.
fn removed(names: &mut DigestMap<Box<[u8]>>, key: &KeyDigest) -> usize {
    names.remove(key).map_or(0, |name| name_octets(&name))
}

fn name_octets(name: &[u8]) -> usize {
    NAME_OCTETS + name.len()
}

impl Profiles {
    /// Adds an event to the profile of a key, which is made if it is not there, and calls `then` with it. A new key has its text noted
    /// if that is given.
    pub(crate) fn apply<T>(
        &mut self,
        (key, subject, name): (KeyDigest, usize, Option<&[u8]>),
        of: (&Layout, Event<'_>),
        (oldest, scratch): (Moment, &mut Vec<u8>),
        then: impl FnOnce(&mut Profile) -> T,
    ) -> T {
        let part = &mut self.parts[part_of(&key)];
        let place = part.keys.entry(key);
        let (profile, old) = match place {
            Entry::Occupied(place) => {
                let profile = place.into_mut();
                let old = profile.octets();
                if let Some(name) = name.filter(|_| self.lacks_names)
                    && !part.names.contains_key(&key)
                {
                    self.octets += name_octets(name);
                    part.names.insert(key, name.into());
                }
                if profile.changed_in == self.changes {
                    profile.apply(of, oldest, scratch);
                } else {
                    // What was there stays as it is: the event makes a copy of it.
                    let changed = profile.changed(of, (oldest, scratch), self.changes);
                    self.before.push((key, std::mem::replace(profile, changed)));
                }
                (profile, old)
            }
            Entry::Vacant(place) => {
                self.added.push(key);
                self.keys += 1;
                let (subject, changed_in) = (subject as u32, self.changes);
                let profile = place.insert(Profile { subject, changed_in, ..Profile::default() });
                profile.apply(of, oldest, scratch);
                if let Some(name) = name {
                    self.octets += name_octets(name);
                    part.names.insert(key, name.into());
                }
                (profile, 0)
            }
        };
        let result = then(profile);
        self.octets = self.octets + profile.octets() - old;
        result
    }

    /// Notes that a rule was alerted about a key, if the key is there.
    pub(crate) fn mark(&mut self, Mark { key, rule, until }: Mark) {
        if let Some(profile) = self.parts[part_of(&key)].keys.get_mut(&key) {
            let before = profile.octets();
            if profile.changed_in != self.changes {
                self.before.push((key, profile.clone()));
                profile.changed_in = self.changes;
            }
            profile.alerted.note(rule, until);
            self.octets = self.octets + profile.octets() - before;
        }
    }

    /// Returns the keys whose texts are noted, with their profiles.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&KeyDigest, &[u8], &Profile)> {
        self.parts.iter().flat_map(|Part { keys, names, .. }| {
            names.iter().filter_map(|(key, name)| Some((key, &**name, keys.get(key)?)))
        })
    }

    /// Removes the keys of which nothing counts from a time on.
    pub(crate) fn expire(&mut self, rules: &Rules, oldest: Seconds) {
        let longest = longest(rules);
        for part in 0..self.parts.len() {
            self.sweep(part, &longest, oldest);
        }
    }

    fn sweep(&mut self, part: usize, longest: &[Seconds], oldest: Seconds) {
        let part = &mut self.parts[part];
        part.keys.retain(|key, profile| {
            let stays = profile.counts_after(longest, oldest);
            if !stays {
                self.keys -= 1;
                self.octets -= profile.octets();
                self.octets -= removed(&mut part.names, key);
            }
            stays
        });
        part.sweeps_with = (2 * part.keys.len()).max(SWEPT_FROM);
        part.keys.shrink_to(part.sweeps_with);
    }

    /// Makes the changes final, and removes keys of which nothing counts from a time on, now and then.
    pub(crate) fn accept(&mut self, rules: &Rules, oldest: Seconds) {
        let longest = longest(rules);
        self.before.clear();
        self.changes = self.changes.wrapping_add(1).max(1);
        let mut added = std::mem::take(&mut self.added);
        for key in added.drain(..) {
            let part = &self.parts[part_of(&key)];
            if part.keys.len() >= part.sweeps_with {
                self.sweep(part_of(&key), &longest, oldest);
            }
        }
        self.added = added;
    }

    /// Undoes the changes since they were last accepted.
    pub(crate) fn undo(&mut self) {
        self.changes = self.changes.wrapping_add(1).max(1);
        for key in self.added.drain(..) {
            let part = &mut self.parts[part_of(&key)];
            self.octets -= removed(&mut part.names, &key);
            let profile = part.keys.remove(&key);
            self.octets -= profile.map_or(0, |profile| profile.octets());
            self.keys -= 1;
        }
        for (key, profile) in self.before.drain(..) {
            self.octets += profile.octets();
            let changed = self.parts[part_of(&key)].keys.insert(key, profile);
            self.octets -= changed.map_or(0, |profile| profile.octets());
        }
    }

    pub(crate) fn keys(&self) -> usize {
        self.keys
    }

    /// Returns the octets of memory that it uses, about.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// Appends the keys of a part.
    pub(crate) fn write(&self, part: usize, to: &mut Vec<u8>) {
        let Part { keys, names, .. } = &self.parts[part];
        for (key, Profile { subject, alerted, last, measures, .. }) in keys {
            to.extend_from_slice(key);
            write_sized(to, names.get(key).map_or(&[], |name| name));
            write_number(to, (*subject).into());
            write_number(to, alerted.rules().len() as u64);
            for (rule, until) in alerted.rules() {
                write_number(to, (*rule).into());
                write_number(to, (*until).into());
            }
            write_number(to, (*last).into());
            write_sized(to, measures);
        }
    }

    /// Reads the keys of a part, in place of those that it has. By a translation, they become those of the form of now, and keys of
    /// which nothing is left are left out.
    pub(crate) fn read(
        &mut self,
        (part, octets): (usize, &[u8]),
        translation: Option<&Translation>,
    ) -> Result<(), Cut> {
        let old = std::mem::take(&mut self.parts[part].keys);
        self.keys -= old.len();
        self.octets -= old.values().map(Profile::octets).sum::<usize>();
        let old = std::mem::take(&mut self.parts[part].names);
        self.octets -= old.values().map(|name| name_octets(name)).sum::<usize>();
        let mut reader = Reader(octets);
        while !reader.is_empty() {
            let key: KeyDigest = reader.array()?;
            let name = reader.sized()?;
            let mut number = || u32::try_from(reader.number()?).map_err(|_| Cut);
            let (subject, count) = (number()?, number()?);
            let alerted =
                (0..count).map(|_| Ok((number()?, number()?))).collect::<Result<_, Cut>>()?;
            let last = number()?;
            let measures = reader.sized()?;
            let profile =
                Profile { subject, alerted, last, measures: Octets::new(), changed_in: 0 };
            let profile = match translation {
                None => Profile { measures: measures.into(), ..profile },
                Some(translation) => match profile.translated(measures, translation) {
                    Some(profile) => profile,
                    None => continue,
                },
            };
            self.lacks_names |= name.is_empty();
            if !name.is_empty() {
                self.octets += name_octets(name);
                let old = self.parts[part].names.insert(key, name.into());
                self.octets -= old.map_or(0, |name| name_octets(&name));
            }
            self.octets += profile.octets();
            self.keys += usize::from(self.parts[part].keys.insert(key, profile).is_none());
        }
        let keys = self.parts[part].keys.len();
        self.parts[part].sweeps_with = (2 * keys).max(SWEPT_FROM);
        Ok(())
    }
}
