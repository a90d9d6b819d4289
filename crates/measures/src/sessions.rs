//! Values of sessions: what counts since the first of a row of events, each no longer than a gap behind the one before.
//!
//! Octets: for each session in order, the times of its first and last event, of four octets each, the length of its value, and that:
//! a number of eight octets, or digests as those of one step.

use crate::definition::{Kind, Moment, Seconds, Window};
use crate::octets::{Reader, write_number};
use crate::{distinct, numbers};

/// A session with its value.
#[derive(Clone, Copy)]
struct Session<'o> {
    begin: Seconds,
    end: Seconds,
    value: &'o [u8],
}

fn sessions(octets: &[u8]) -> impl Iterator<Item = Session<'_>> {
    let mut reader = Reader(octets);
    std::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let (begin, end) = (reader.time(), reader.time());
        let length = reader.number() as usize;
        Some(Session { begin, end, value: reader.take(length) })
    })
}

fn write(to: &mut Vec<u8>, Session { begin, end, value }: Session<'_>) {
    to.extend_from_slice(&begin.to_le_bytes());
    to.extend_from_slice(&end.to_le_bytes());
    write_number(to, value.len() as u64);
    to.extend_from_slice(value);
}

fn number(value: &[u8]) -> i64 {
    numbers::read(value)
}

impl Session<'_> {
    /// Returns whether an event at a time is one of it.
    fn reaches(self, gap: u32, time: Seconds) -> bool {
        time.saturating_add(gap) >= self.begin && time <= self.end.saturating_add(gap)
    }
}

/// Adds a value at a moment. The sessions that it is within reach of become one. Those that end before any event that comes are left
/// out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    (kind, window): (Kind, Window),
    (moment, input): (Moment, i64),
    oldest: Moment,
) {
    let (gap, time) = (window.step, moment.time);
    let (mut begin, mut end) = (time, time);
    let mut value = match kind {
        Kind::Distinct => distinct::of_one(input as u32),
        _ => input.to_le_bytes().to_vec(),
    };
    let stays = |session: &Session<'_>| session.end.saturating_add(gap) >= oldest.time;
    let known = || sessions(octets).filter(stays);
    for session in known().filter(|session| session.reaches(gap, time)) {
        (begin, end) = (begin.min(session.begin), end.max(session.end));
        value = match kind {
            Kind::Distinct => distinct::union(&value, session.value),
            _ => numbers::combined(kind, number(&value), number(session.value))
                .to_le_bytes()
                .to_vec(),
        };
    }
    let others = || known().filter(|session| !session.reaches(gap, time));
    others().filter(|session| session.end < time).for_each(|session| write(to, session));
    write(to, Session { begin, end, value: &value });
    others().filter(|session| session.begin > time).for_each(|session| write(to, session));
}

/// Returns the value of the session that a moment is in, or behind by no more than the gap. Later events of it count, too.
pub(crate) fn value(octets: &[u8], (kind, window): (Kind, Window), moment: Moment) -> Option<i64> {
    let is_in = |session: &Session<'_>| {
        (session.begin..=session.end.saturating_add(window.step)).contains(&moment.time)
    };
    // Where one ends and the next begins within the gap, they were one.
    let session = sessions(octets).filter(is_in).last();
    match kind {
        Kind::Distinct => Some(session.map_or(0, |of| distinct::count(of.value))),
        Kind::Least | Kind::Greatest => session.map(|of| number(of.value)),
        _ => Some(session.map_or(0, |of| number(of.value))),
    }
}
