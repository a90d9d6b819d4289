//! How many events are at once, such as calls.
//!
//! Octets: for each event, when it begins and when it ends, of four octets each, in this order. Nothing is counted up and down: an end
//! that is lost, or comes twice, makes no count wrong for ever.

use crate::definition::{Moment, Seconds, Window};

/// The most events that are known of a key: the last ones.
const MOST: usize = 100;
const EVENT_OCTETS: usize = 8;

type Event = (Seconds, Seconds);

fn events(octets: &[u8]) -> impl DoubleEndedIterator<Item = Event> + Clone {
    octets.chunks_exact(EVENT_OCTETS).map(|event| {
        let (begin, end) = event.split_at(4);
        let time = |octets: &[u8]| octets.first_chunk().map_or(0, |of| Seconds::from_le_bytes(*of));
        (time(begin), time(end))
    })
}

/// Adds an event of a moment that lasts some seconds, one at least. Those that began before the window of any event that comes are
/// left out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    window: Window,
    (moment, seconds): (Moment, i64),
    oldest: Moment,
) {
    let lasts = u32::try_from(seconds.max(1)).unwrap_or(u32::MAX);
    let event = (moment.time, moment.time.saturating_add(lasts));
    let counts = |(begin, _): &Event| begin.saturating_add(window.seconds()) >= oldest.time;
    let known = || events(octets).filter(counts);
    let before = known().take_while(|known| *known < event);
    let behind = known().skip_while(|known| *known < event);
    let all = before.chain([event]).chain(behind);
    let over = (known().count() + 1).saturating_sub(MOST);
    for (begin, end) in all.skip(over) {
        to.extend_from_slice(&begin.to_le_bytes());
        to.extend_from_slice(&end.to_le_bytes());
    }
}

/// Returns how many events are at once, at most, from a moment until the last one ends that begins then.
pub(crate) fn value(octets: &[u8], window: Window, moment: Moment) -> i64 {
    let time = moment.time;
    let first = time.saturating_sub(window.seconds());
    let counted = events(octets).filter(|(begin, _)| *begin >= first);
    let until = counted
        .clone()
        .filter(|(begin, _)| *begin == time)
        .map(|(_, end)| end)
        .max()
        .unwrap_or(time);
    let at =
        |at: Seconds| counted.clone().filter(|(begin, end)| (*begin..*end).contains(&at)).count();
    // There are most when one begins.
    let begins =
        counted.clone().map(|(begin, _)| begin).filter(|begin| (time..until).contains(begin));
    begins.chain([time]).map(at).max().unwrap_or_default() as i64
}

/// Appends the times of the events that begin while one of a moment lasts: there may be more at once then.
pub(crate) fn later_ends(octets: &[u8], moment: Moment, to: &mut Vec<Seconds>) {
    let time = moment.time;
    let until = events(octets).filter(|(begin, _)| *begin == time).map(|(_, end)| end).max();
    let until = until.unwrap_or(time);
    to.extend(
        events(octets).map(|(begin, _)| begin).filter(|begin| *begin > time && *begin < until),
    );
}
