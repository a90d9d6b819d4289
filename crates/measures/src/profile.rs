//! What is known of a key: a part of octets for each measure, with its length of four octets before it.

use std::ops::Range;

use crate::definition::{Kind, Layout, Measure, Seconds, Window};
use crate::{distinct, latest, numbers};

/// An event of a key.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    /// When it happened.
    pub time: Seconds,
    /// What each measure has of it, in the order of the layout: a value or a digest, and 1 for a count. `None` if it does not
    /// count there.
    pub inputs: &'e [Option<i64>],
}

/// The octets of the length of a part.
const LENGTH_OCTETS: usize = 4;

/// Returns the parts of the measures, each with its place. A new profile has none.
fn parts<'p>(
    layout: &'p Layout,
    profile: &'p [u8],
) -> impl Iterator<Item = (Measure, Range<usize>)> + 'p {
    let mut at = 0;
    layout.measures().iter().map(move |measure| {
        let part = part_at(profile, at);
        at = part.end;
        (*measure, part)
    })
}

/// Returns the place of the part whose length is at a place.
fn part_at(profile: &[u8], at: usize) -> Range<usize> {
    let length = profile.get(at..).and_then(|rest| rest.first_chunk());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let from = (at + LENGTH_OCTETS).min(profile.len());
    from..from.saturating_add(length).min(profile.len())
}

/// Adds an event to a profile. Events before `oldest` will not come any more: what counts only for them is left out. `scratch` is
/// memory.
pub fn apply(
    layout: &Layout,
    (profile, event): (&mut Box<[u8]>, Event<'_>),
    oldest: Seconds,
    scratch: &mut Vec<u8>,
) {
    assert_eq!(event.inputs.len(), layout.measures().len(), "each measure has an input");
    if !is_applied_in_place(layout, (profile, event), oldest) {
        scratch.clear();
        rewrite(layout, (profile, event), oldest, scratch);
        match profile.len() == scratch.len() {
            true => profile.copy_from_slice(scratch),
            false => *profile = scratch.as_slice().into(),
        }
    }
}

/// Adds an event where no part becomes longer. Returns whether that was so; otherwise nothing has changed.
fn is_applied_in_place(
    layout: &Layout,
    (profile, Event { time, inputs }): (&mut [u8], Event<'_>),
    oldest: Seconds,
) -> bool {
    let has_place =
        |((Measure { kind, window }, part), input): ((Measure, Range<usize>), &Option<i64>)| {
            let part = &profile[part];
            match (kind, input) {
                (_, None) => true,
                (Kind::Distinct, Some(digest)) => {
                    distinct::is_there(part, window, (time, *digest as u32))
                }
                (Kind::First | Kind::Last, Some(_)) => latest::has_place(part),
                (_, Some(_)) => numbers::has_place(part, (kind, window), time),
            }
        };
    if profile.is_empty() || !parts(layout, profile).zip(inputs).all(has_place) {
        return false;
    }
    let mut at = 0;
    for (Measure { kind, window }, input) in layout.measures().iter().zip(inputs) {
        let part = part_at(profile, at);
        at = part.end;
        match (kind, input) {
            (_, None) | (Kind::Distinct, Some(_)) => {}
            (Kind::First | Kind::Last, Some(value)) => {
                latest::add_in_place(&mut profile[part], (*kind, *window), (time, *value), oldest);
            }
            (_, Some(number)) => {
                numbers::add_in_place(&mut profile[part], (*kind, *window), (time, *number));
            }
        }
    }
    true
}

/// Appends a profile with an event.
fn rewrite(
    layout: &Layout,
    (profile, Event { time, inputs }): (&[u8], Event<'_>),
    oldest: Seconds,
    to: &mut Vec<u8>,
) {
    for ((Measure { kind, window }, part), input) in parts(layout, profile).zip(inputs) {
        let before = &profile[part];
        let length_at = to.len();
        to.extend_from_slice(&[0; LENGTH_OCTETS]);
        let from = to.len();
        match (kind, input) {
            (_, None) => to.extend_from_slice(before),
            (Kind::Distinct, Some(digest)) => {
                distinct::add(to, before, window, (time, *digest as u32), oldest);
            }
            (Kind::First | Kind::Last, Some(value)) => {
                latest::add(to, before, (kind, window), (time, *value), oldest);
            }
            (_, Some(number)) if numbers::has_place(before, (kind, window), time) => {
                to.extend_from_slice(before);
                numbers::add_in_place(&mut to[from..], (kind, window), (time, *number));
            }
            (_, Some(number)) => {
                numbers::add(to, before, (kind, window), (time, *number), oldest);
            }
        }
        let length = u32::try_from(to.len() - from).expect("a part has less than 4 GiB");
        to[length_at..from].copy_from_slice(&length.to_le_bytes());
    }
}

fn value((kind, window): (Kind, Window), part: &[u8], time: Seconds) -> Option<i64> {
    match kind {
        Kind::Distinct => Some(distinct::value(part, window, time)),
        Kind::First | Kind::Last => latest::value(part, window, time),
        Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest => {
            numbers::value(part, (kind, window), time)
        }
    }
}

/// The values of the measures of a profile at a time, each found when it is asked for.
#[derive(Debug, Default)]
pub struct Values {
    /// Where each part of the profile ends.
    ends: Vec<u32>,
    known: Vec<Known>,
}

#[derive(Clone, Copy, Debug)]
enum Known {
    NotYet,
    Value(Option<i64>),
}

impl Values {
    /// Forgets the values of another profile.
    pub fn begin(&mut self, layout: &Layout, profile: &[u8]) {
        let ends = parts(layout, profile).map(|(_, part)| part.end as u32);
        self.ends.clear();
        self.ends.extend(ends);
        self.known.clear();
        self.known.resize(self.ends.len(), Known::NotYet);
    }

    /// Returns the value of the measure at a place. Layout and profile are those that it began with.
    #[inline]
    pub fn get(
        &mut self,
        (layout, profile): (&Layout, &[u8]),
        time: Seconds,
        place: usize,
    ) -> Option<i64> {
        if let Known::Value(value) = self.known[place] {
            return value;
        }
        let Measure { kind, window } = layout.measures()[place];
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let value = value((kind, window), &profile[part_at(profile, begin)], time);
        self.known[place] = Known::Value(value);
        value
    }
}

/// Returns when nothing of a profile counts any more: a table of profiles removes it then.
pub fn until(layout: &Layout, profile: &[u8]) -> Seconds {
    let of_part = |(Measure { kind, window }, part): (Measure, Range<usize>)| {
        let part = &profile[part];
        match kind {
            Kind::Distinct => distinct::until(part, window),
            Kind::First | Kind::Last => latest::until(part, window),
            _ => numbers::until(part, (kind, window)),
        }
    };
    parts(layout, profile).map(of_part).max().unwrap_or_default()
}
