//! Turns news of the ledgers into alarms. An alarm of a state stands while the state lasts. An alarm of an event in a
//! file stands until a later file comes without that event.

use std::collections::BTreeMap;
use std::ops::Range;

use alarm::{AlarmKey, Kind};
use diagnostics::counted;
use store::{Connection, QueryResult};

use super::alarms::{FULL, GAP, REPEAT, RESTART};
use super::counter::Counter;
use super::ledger::{Event, GAPS_MAX};

/// The most ranges of missing numbers in an alarm. The report has all.
const STRETCHES_SHOWN_MAX: usize = 10;

/// The most files in an alarm of events. The report has all.
const FILES_SHOWN_MAX: usize = 10;

/// The alarms to raise and clear when the ledgers are up to date, by kind and subject.
#[derive(Default)]
pub(crate) struct News(BTreeMap<(&'static Kind, String), AlarmText>);

/// The text of an alarm; if it is empty, the alarm is cleared.
#[derive(Default)]
struct AlarmText {
    /// The first texts, and the number of further ones.
    texts: Vec<String>,
    more: usize,
}

impl AlarmText {
    fn add(&mut self, text: String) {
        match self.texts.len() < FILES_SHOWN_MAX {
            true => self.texts.push(text),
            false => self.more += 1,
        }
    }

    /// Returns the whole text, with its subject.
    fn text(&self, subject: &str) -> Option<String> {
        let more = (self.more > 0).then(|| format!("and {}", counted(self.more, "more file")));
        let texts: Vec<&str> = self.texts.iter().chain(&more).map(String::as_str).collect();
        (!texts.is_empty()).then(|| format!("{subject}: {}", texts.join("; ")))
    }
}

impl News {
    /// Sets the present state, which replaces the previous one.
    pub(super) fn is_so(&mut self, key: AlarmKey<'_>, text: Option<String>) {
        let what = AlarmText { texts: text.into_iter().collect(), more: 0 };
        self.0.insert((key.kind, key.subject.to_owned()), what);
    }

    /// Adds an event of a file to those of other files. The next file without such an event does not clear it at once.
    pub(super) fn happened(&mut self, key: AlarmKey<'_>, text: Option<String>) {
        let known = self.0.entry((key.kind, key.subject.to_owned())).or_default();
        text.into_iter().for_each(|text| known.add(text));
    }

    /// Sets the alarm of a counter's missing numbers that are not accepted.
    pub(crate) fn is_missing(&mut self, subject: &str, counter: &Counter, gaps: &[Range<i64>]) {
        let missing = (!gaps.is_empty()).then(|| format!("missing {}", numbers(counter, gaps)));
        self.is_so(AlarmKey { kind: GAP, subject }, missing);
    }

    /// Returns what is missing for a subject, in words.
    pub(crate) fn so(&self, subject: &str) -> String {
        let of_it = self.0.iter().filter(|((_, key), _)| key == subject);
        let texts: Vec<String> = of_it.filter_map(|(_, what)| what.text(subject)).collect();
        if texts.is_empty() { format!("{subject}: nothing is missing") } else { texts.join("; ") }
    }

    /// Sets or clears the alarm of a counter with more open gaps than are searched.
    pub(super) fn is_full(&mut self, subject: &str, is_full: bool) {
        let full = is_full.then(|| {
            format!("{GAPS_MAX} gaps are open; what is late for older ones is not seen to be")
        });
        self.is_so(AlarmKey { kind: FULL, subject }, full);
    }

    /// Adds the events that the numbers of a file caused in their counter.
    pub(super) fn add_events(
        &mut self,
        subject: &str,
        counter: &Counter,
        file: &str,
        events: &[Event],
    ) {
        let repeated = events.iter().find_map(|event| match event {
            Event::Repeated(range) => {
                let numbers = shown(counter, range);
                Some(format!("\"{file}\" has {numbers}, which came before"))
            }
            _ => None,
        });
        self.happened(AlarmKey { kind: REPEAT, subject }, repeated);
        let restarted = events.iter().find_map(|event| match event {
            Event::Restarted { expected, at } => {
                let [at, expected] = [at, expected].map(|position| counter.number(*position));
                Some(format!("begins anew at {at} with \"{file}\", where {expected} was expected"))
            }
            _ => None,
        });
        self.happened(AlarmKey { kind: RESTART, subject }, restarted);
    }

    /// Raises and clears the alarms.
    pub(crate) fn tell(&self, db: &Connection, now_ms: i64) -> QueryResult<()> {
        self.0.iter().try_for_each(|((kind, subject), what)| {
            let key = AlarmKey { kind, subject };
            match what.text(subject) {
                Some(text) => alarm::raise(db, now_ms, key, &text),
                None => alarm::clear(db, now_ms, key),
            }
        })
    }
}

/// Returns the numbers at positions: `17`, `20 to 21`.
fn shown(counter: &Counter, range: &Range<i64>) -> String {
    match (counter.number(range.start), counter.number(range.end - 1)) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    }
}

fn numbers(counter: &Counter, gaps: &[Range<i64>]) -> String {
    let first = gaps.iter().take(STRETCHES_SHOWN_MAX).map(|gap| shown(counter, gap));
    let mut text = first.collect::<Vec<_>>().join(", ");
    let more = gaps.len().saturating_sub(STRETCHES_SHOWN_MAX);
    if more > 0 {
        text.push_str(&format!(" and {more} more stretches"));
    }
    let count: i64 = gaps.iter().map(|gap| gap.end - gap.start).sum();
    format!("{text} ({count} in all)")
}
