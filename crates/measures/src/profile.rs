//! What is known of a key, as octets: where the part of each measure ends, counted from the first part, in four octets each; then the
//! parts. An event reads and changes the parts of the measures that it counts for alone. A new profile has no octets.

use std::ops::Range;

use smallvec::SmallVec;

use crate::definition::{Form, Kind, Layout, Measure, Moment, Seconds};
use crate::{concurrent, distinct, latest, numbers, recent, sessions, unanswered, usual};

/// The octets of a profile. Most keys come once and have few: those have no memory of their own.
pub type Octets = SmallVec<[u8; 24]>;

/// An event of a key.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    /// When it happened.
    pub at: Moment,
    /// The measures that it counts for, by their places in the layout, in this order; each with a value or a digest, and 1 for a
    /// count.
    pub inputs: &'e [(usize, i64)],
}

/// The octets of where a part ends.
const END_OCTETS: usize = 4;

/// Returns where a part ends, counted from the first one.
fn end_of(profile: &[u8], place: usize) -> usize {
    let end = profile.get(END_OCTETS * place..).and_then(|rest| rest.first_chunk());
    end.map_or(0, |end| u32::from_le_bytes(*end) as usize)
}

/// Returns the place of the part of a measure.
fn part_of(layout: &Layout, profile: &[u8], place: usize) -> Range<usize> {
    part_among(layout.measures().len(), profile, place)
}

/// Returns the place of the part of a measure among so many.
fn part_among(measures: usize, profile: &[u8], place: usize) -> Range<usize> {
    let first = END_OCTETS * measures;
    let begin = place.checked_sub(1).map_or(0, |before| end_of(profile, before));
    let end = first.saturating_add(end_of(profile, place)).min(profile.len());
    first.saturating_add(begin).min(end)..end
}

/// Adds an event to a profile. Events before `oldest` will not come any more: what counts only for them is left out. `scratch` is
/// memory.
///
/// # Panics
///
/// The layout has no such measure.
pub fn apply(
    layout: &Layout,
    (profile, event): (&mut Octets, Event<'_>),
    oldest: Moment,
    scratch: &mut Vec<u8>,
) {
    if is_applied_in_place(layout, (profile, event), oldest) {
        return;
    }
    scratch.clear();
    rewrite(layout, (profile, event), oldest, scratch);
    match profile.len() == scratch.len() {
        true => profile.copy_from_slice(scratch),
        false => *profile = Octets::from_slice(scratch),
    }
}

/// Returns a profile with an event, as [`apply`] makes it of a copy.
pub fn applied(
    layout: &Layout,
    (profile, event): (&[u8], Event<'_>),
    oldest: Moment,
    scratch: &mut Vec<u8>,
) -> Octets {
    scratch.clear();
    rewrite(layout, (profile, event), oldest, scratch);
    Octets::from_slice(scratch)
}

/// Returns a profile of a layout with so many measures as one of another layout: for each of its measures, `from` has the place of the
/// part that it takes over, if there is one. It is empty if it takes over nothing.
pub fn rearranged(profile: &[u8], measures: usize, from: &[Option<usize>]) -> Octets {
    let count = from.len();
    let mut to = vec![0; END_OCTETS * count];
    for (place, from) in from.iter().enumerate() {
        let part = from.filter(|from| *from < measures);
        let part = part.and_then(|from| profile.get(part_among(measures, profile, from)));
        to.extend_from_slice(part.unwrap_or_default());
        let end = to.len() - END_OCTETS * count;
        note_end(&mut to, place, end);
    }
    if to.len() == END_OCTETS * count { Octets::new() } else { Octets::from_slice(&to) }
}

/// Adds an event where no part becomes longer. Returns whether that was so; otherwise nothing has changed.
fn is_applied_in_place(
    layout: &Layout,
    (profile, Event { at, inputs }): (&mut [u8], Event<'_>),
    oldest: Moment,
) -> bool {
    let has_place = |(place, input): &(usize, i64)| {
        let (part, Measure { kind, window }) =
            (&profile[part_of(layout, profile, *place)], layout.measures()[*place]);
        match kind {
            _ if window.form == Form::Session => false,
            Kind::Concurrent | Kind::Unanswered { .. } => false,
            Kind::Distinct => distinct::is_there(part, window, (at, *input as u32)),
            Kind::First | Kind::Last => latest::has_place(part),
            Kind::Recent(most) => recent::has_place(part, most),
            _ => numbers::has_place(part, (kind, window), (at, *input)),
        }
    };
    if profile.is_empty() || !inputs.iter().all(has_place) {
        return false;
    }
    for (place, input) in inputs {
        let Measure { kind, window } = layout.measures()[*place];
        let part = part_of(layout, profile, *place);
        let part = &mut profile[part];
        match kind {
            Kind::Distinct => {}
            Kind::First | Kind::Last => {
                latest::add_in_place(part, (kind, window), (at.time, *input), oldest.time);
            }
            Kind::Recent(_) => recent::add_in_place(part, (at.time, *input)),
            _ => numbers::add_in_place(part, (kind, window), (at, *input)),
        }
    }
    true
}

/// Appends a profile with an event.
fn rewrite(
    layout: &Layout,
    (profile, Event { at, inputs }): (&[u8], Event<'_>),
    oldest: Moment,
    to: &mut Vec<u8>,
) {
    let count = layout.measures().len();
    to.resize(END_OCTETS * count, 0);
    let mut inputs = inputs.iter().peekable();
    let mut place = 0;
    while place < count {
        // Parts that do not change are copied together.
        let changed = inputs.peek().map_or(count, |(changed, _)| *changed);
        if place < changed {
            let of_run =
                part_of(layout, profile, place).start..part_of(layout, profile, changed - 1).end;
            let moved_to = to.len() - END_OCTETS * count;
            to.extend_from_slice(profile.get(of_run.clone()).unwrap_or_default());
            for place in place..changed {
                let end = part_of(layout, profile, place).end.max(of_run.start) - of_run.start;
                note_end(to, place, moved_to + end);
            }
            place = changed;
            continue;
        }
        let Some((_, input)) = inputs.next() else { break };
        let measure = layout.measures()[place];
        let part = part_of(layout, profile, place);
        add(to, &profile[part], measure, (at, *input), oldest);
        let end = to.len() - END_OCTETS * count;
        note_end(to, place, end);
        place += 1;
    }
}

fn note_end(to: &mut [u8], place: usize, end: usize) {
    let end = u32::try_from(end).expect("a profile has less than 4 GiB");
    to[END_OCTETS * place..][..END_OCTETS].copy_from_slice(&end.to_le_bytes());
}

/// Appends the part of a measure with an input.
fn add(
    to: &mut Vec<u8>,
    before: &[u8],
    Measure { kind, window }: Measure,
    (at, input): (Moment, i64),
    oldest: Moment,
) {
    let from = to.len();
    let (time, oldest_time) = (at.time, oldest.time);
    match kind {
        _ if window.form == Form::Session => {
            sessions::add(to, before, (kind, window), (at, input), oldest);
        }
        Kind::Distinct => distinct::add(to, before, window, (at, input as u32), oldest),
        Kind::First | Kind::Last => {
            latest::add(to, before, (kind, window), (time, input), oldest_time);
        }
        Kind::Recent(most) if recent::has_place(before, most) => {
            to.extend_from_slice(before);
            recent::add_in_place(&mut to[from..], (time, input));
        }
        Kind::Recent(_) => recent::add(to, before, window, (time, input), oldest_time),
        Kind::Concurrent => concurrent::add(to, before, window, (at, input), oldest),
        Kind::Unanswered { within, .. } => {
            unanswered::add(to, before, (window, within), (at, input), oldest);
        }
        Kind::Deviation => {}
        Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest | Kind::Usual => {
            numbers::add(to, before, (kind, window), (at, input), oldest);
        }
    }
}

/// Returns the value of the measure at a place.
fn value((layout, profile): (&Layout, &[u8]), at: Moment, place: usize) -> Option<i64> {
    let Measure { kind, window } = layout.measures()[place];
    let part_at = |place| &profile[part_of(layout, profile, place)];
    let part = part_at(place);
    match kind {
        _ if window.form == Form::Session => sessions::value(part, (kind, window), at),
        Kind::Distinct => Some(distinct::value(part, window, at)),
        Kind::First | Kind::Last => latest::value(part, window, at.time),
        Kind::Recent(_) => None,
        Kind::Concurrent => Some(concurrent::value(part, window, at)),
        Kind::Unanswered { missing, .. } => Some(unanswered::value(part, (window, missing), at)),
        Kind::Usual => usual::value(part, at),
        Kind::Deviation => usual::deviation(part_at(place - 1), at),
        Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest => {
            numbers::value(part, (kind, window), at)
        }
    }
}

/// Appends the later times at which the measure at a place has other values because of an event at a moment: the ends of the steps that
/// have something, in whose windows it is.
pub fn later_ends(
    (layout, profile): (&Layout, &[u8]),
    (place, at): (usize, Moment),
    to: &mut Vec<Seconds>,
) {
    let Measure { kind, window } = layout.measures()[place];
    let part = &profile[part_of(layout, profile, place)];
    match kind {
        // The whole of a session or hour counts at each of its moments.
        _ if window.form != Form::Sliding => {}
        Kind::Distinct => distinct::later_ends(part, window, at, to),
        Kind::First | Kind::Last => to.extend(latest::later_end(part, at.time)),
        Kind::Concurrent => concurrent::later_ends(part, at, to),
        Kind::Recent(_) | Kind::Unanswered { .. } | Kind::Usual | Kind::Deviation => {}
        Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest => {
            numbers::later_ends(part, window, at, to);
        }
    }
}

/// Returns from which time on the value of a measure is known, if it is that of one event, the first or the last.
pub fn known_from((layout, profile): (&Layout, &[u8]), place: usize) -> Option<Seconds> {
    let is_of_one = matches!(layout.measures()[place].kind, Kind::First | Kind::Last);
    let part = &profile[part_of(layout, profile, place)];
    is_of_one.then(|| latest::known_from(part)).flatten()
}

/// Returns the events of a measure of [recent](Kind::Recent) ones within its window at a time: their times and values.
pub fn recent_events<'p>(
    (layout, profile): (&Layout, &'p [u8]),
    (place, time): (usize, Seconds),
) -> impl Iterator<Item = (Seconds, i64)> + use<'p> {
    let Measure { window, .. } = layout.measures()[place];
    let within = time.saturating_sub(window.seconds())..=time;
    let events = recent::events(&profile[part_of(layout, profile, place)]);
    events.filter(move |(at, _)| within.contains(at))
}

/// The values of the measures of a profile at a moment, each found when it is needed.
#[derive(Debug, Default)]
pub struct Values(Vec<Known>);

#[derive(Clone, Copy, Debug)]
enum Known {
    NotYet,
    Value(Option<i64>),
}

impl Values {
    /// Forgets the values of another profile.
    pub fn begin(&mut self, layout: &Layout) {
        self.0.clear();
        self.0.resize(layout.measures().len(), Known::NotYet);
    }

    /// Returns the value of the measure at a place. All calls since the begin have the same profile and moment.
    #[inline]
    pub fn get(
        &mut self,
        (layout, profile): (&Layout, &[u8]),
        at: Moment,
        place: usize,
    ) -> Option<i64> {
        if let Known::Value(value) = self.0[place] {
            return value;
        }
        let value = value((layout, profile), at, place);
        self.0[place] = Known::Value(value);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;

    fn layout(kinds: &[Kind]) -> Layout {
        let window = Window::sliding(10, 6);
        Layout::new(kinds.iter().map(|kind| Measure { kind: *kind, window }).collect()).unwrap()
    }

    fn values(layout: &Layout, profile: &[u8]) -> Vec<Option<i64>> {
        let count = layout.measures().len();
        (0..count).map(|place| value((layout, profile), Moment::utc(1_005), place)).collect()
    }

    #[test]
    fn a_profile_has_its_parts_in_the_order_of_another_layout() {
        let old = layout(&[Kind::Count, Kind::Sum, Kind::Greatest]);
        let (mut profile, mut scratch) = (Octets::new(), Vec::new());
        for number in [5, 7] {
            let event =
                Event { at: Moment::utc(1_000), inputs: &[(0, 1), (1, number), (2, number)] };
            apply(&old, (&mut profile, event), Moment::utc(900), &mut scratch);
        }
        assert_eq!(values(&old, &profile), [Some(2), Some(12), Some(7)]);
        let new = layout(&[Kind::Greatest, Kind::Distinct, Kind::Count]);
        let from = [Some(2), None, Some(0)];
        let mut moved = rearranged(&profile, 3, &from);
        assert_eq!(values(&new, &moved), [Some(7), Some(0), Some(2)]);
        let event = Event { at: Moment::utc(1_001), inputs: &[(0, 9), (1, 3), (2, 1)] };
        apply(&new, (&mut moved, event), Moment::utc(900), &mut scratch);
        assert_eq!(values(&new, &moved), [Some(9), Some(1), Some(3)]);
        assert!(rearranged(&profile, 3, &[None, None]).is_empty());
        assert!(rearranged(&profile, 3, &[]).is_empty());
        // Octets that are no profile are none.
        assert!(rearranged(&profile[..7], 3, &from).is_empty());
        assert!(rearranged(&[255; 12], 3, &from).is_empty());
    }
}
