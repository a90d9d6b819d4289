//! What is known of a key, as octets: where the part of each measure ends, counted from the first part, in four octets each; then the
//! parts. An event reads and changes the parts of the measures that it counts for alone. A new profile has no octets.

use std::ops::Range;

use crate::definition::{Kind, Layout, Measure, Seconds, Window};
use crate::{distinct, latest, numbers, recent};

/// An event of a key.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    /// When it happened.
    pub time: Seconds,
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
    let first = END_OCTETS * layout.measures().len();
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
    (profile, event): (&mut Box<[u8]>, Event<'_>),
    oldest: Seconds,
    scratch: &mut Vec<u8>,
) {
    if is_applied_in_place(layout, (profile, event), oldest) {
        return;
    }
    scratch.clear();
    rewrite(layout, (profile, event), oldest, scratch);
    match profile.len() == scratch.len() {
        true => profile.copy_from_slice(scratch),
        false => *profile = scratch.as_slice().into(),
    }
}

/// Returns a profile with an event, as [`apply`] makes it of a copy.
pub fn applied(
    layout: &Layout,
    (profile, event): (&[u8], Event<'_>),
    oldest: Seconds,
    scratch: &mut Vec<u8>,
) -> Box<[u8]> {
    scratch.clear();
    rewrite(layout, (profile, event), oldest, scratch);
    scratch.as_slice().into()
}

/// Adds an event where no part becomes longer. Returns whether that was so; otherwise nothing has changed.
fn is_applied_in_place(
    layout: &Layout,
    (profile, Event { time, inputs }): (&mut [u8], Event<'_>),
    oldest: Seconds,
) -> bool {
    let has_place = |(place, input): &(usize, i64)| {
        let (part, Measure { kind, window }) =
            (&profile[part_of(layout, profile, *place)], layout.measures()[*place]);
        match kind {
            Kind::Distinct => distinct::is_there(part, window, (time, *input as u32)),
            Kind::First | Kind::Last => latest::has_place(part),
            Kind::Recent(most) => recent::has_place(part, most),
            _ => numbers::has_place(part, (kind, window), time),
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
                latest::add_in_place(part, (kind, window), (time, *input), oldest);
            }
            Kind::Recent(_) => recent::add_in_place(part, (time, *input)),
            _ => numbers::add_in_place(part, (kind, window), (time, *input)),
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
        add(to, &profile[part], measure, (time, *input), oldest);
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
    (time, input): (Seconds, i64),
    oldest: Seconds,
) {
    let from = to.len();
    match kind {
        Kind::Distinct => distinct::add(to, before, window, (time, input as u32), oldest),
        Kind::First | Kind::Last => latest::add(to, before, (kind, window), (time, input), oldest),
        Kind::Recent(most) if recent::has_place(before, most) => {
            to.extend_from_slice(before);
            recent::add_in_place(&mut to[from..], (time, input));
        }
        Kind::Recent(_) => recent::add(to, before, window, (time, input), oldest),
        _ if numbers::has_place(before, (kind, window), time) => {
            to.extend_from_slice(before);
            numbers::add_in_place(&mut to[from..], (kind, window), (time, input));
        }
        _ => numbers::add(to, before, (kind, window), (time, input), oldest),
    }
}

fn value((kind, window): (Kind, Window), part: &[u8], time: Seconds) -> Option<i64> {
    match kind {
        Kind::Distinct => Some(distinct::value(part, window, time)),
        Kind::First | Kind::Last => latest::value(part, window, time),
        Kind::Recent(_) => None,
        Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest => {
            numbers::value(part, (kind, window), time)
        }
    }
}

/// Appends the later times at which the measure at a place has other values because of an event at a time: the ends of the steps that
/// have something, in whose windows it is.
pub fn later_ends(
    (layout, profile): (&Layout, &[u8]),
    (place, time): (usize, Seconds),
    to: &mut Vec<Seconds>,
) {
    let Measure { kind, window } = layout.measures()[place];
    let part = &profile[part_of(layout, profile, place)];
    match kind {
        Kind::Distinct => distinct::later_ends(part, window, time, to),
        Kind::First | Kind::Last => to.extend(latest::later_end(part, time)),
        Kind::Recent(_) => {}
        _ => numbers::later_ends(part, (kind, window), time, to),
    }
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

/// The values of the measures of a profile at a time, each found when it is needed.
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

    /// Returns the value of the measure at a place. All calls since the begin have the same profile and time.
    #[inline]
    pub fn get(
        &mut self,
        (layout, profile): (&Layout, &[u8]),
        time: Seconds,
        place: usize,
    ) -> Option<i64> {
        if let Known::Value(value) = self.0[place] {
            return value;
        }
        let Measure { kind, window } = layout.measures()[place];
        let value = value((kind, window), &profile[part_of(layout, profile, place)], time);
        self.0[place] = Known::Value(value);
        value
    }
}
