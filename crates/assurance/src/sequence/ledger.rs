//! The ledger of one counter: which of its numbers came, and which are missing. It uses neither clock nor disk.
//!
//! A counter counts from `from` to `to` and then from `from` again, so a number alone does not say in which round it
//! is. The ledger therefore counts in *positions*, which never start over, and takes a number to be at the position
//! nearest to the expected one:
//!
//! ```text
//!   restart │◀── reach: late or repeated ──│ expected │── reach: a gap before it ──▶│ restart
//! ```
//!
//! A number outside the reach on both sides does not belong to this round: it closes an earlier gap, or the network
//! element was restarted, and the ledger starts over with it. Earlier gaps stay open.

use std::ops::Range;

use super::counter::{Counter, POSITION_MAX, Run};

/// The most open gaps of a counter that are searched for a late number. Beyond it the oldest are no longer closed and
/// stay missing, and an alarm says so. More gaps mean that the settings of the counter are wrong.
pub(crate) const GAPS_MAX: usize = 1_000;

/// What happened to numbers, by positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// They came for the first time, outside any gap.
    Taken(Range<i64>),
    /// They are missing, since later ones came.
    Missing(Range<i64>),
    /// They were missing, and came.
    Closed(Range<i64>),
    /// They came before.
    Repeated(Range<i64>),
    /// The counter restarted at a position other than the expected one.
    Restarted { expected: i64, at: i64 },
    /// The count of numbers that are ignored because no positions are left for them.
    LeftOut(i64),
}

impl Event {
    /// Returns how many numbers were ignored.
    pub(crate) fn left_out(&self) -> i64 {
        match self {
            Event::LeftOut(count) => *count,
            _ => 0,
        }
    }
}

/// What is known of a counter.
///
/// All positions `began..next` came, but for those in gaps; gaps are in order, not empty, and below `next`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ledger {
    counter: Counter,
    began: i64,
    next: i64,
    gaps: Vec<Range<i64>>,
}

/// The place of a number.
enum Place {
    /// At or after the expected position.
    Ahead(i64),
    /// Before it, in this round.
    Behind(i64),
    /// In an earlier gap, with the rest of that gap.
    Left(Range<i64>),
    /// Nowhere: the counter restarted.
    Anew,
}

impl Ledger {
    /// Begins a ledger with the first number of a counter.
    pub(crate) fn begin(counter: Counter, number: i64) -> Self {
        let position = number - counter.from;
        Ledger { counter, began: position, next: position, gaps: Vec::new() }
    }

    /// Restores a ledger from its `began`, `next` and open gaps in order.
    pub(crate) fn resume(counter: Counter, began: i64, next: i64, gaps: Vec<Range<i64>>) -> Self {
        assert!(began <= next && gaps.iter().all(|gap| gap.start < gap.end && gap.end < next));
        let mut ledger = Ledger { counter, began, next, gaps };
        ledger.forget_oldest();
        ledger
    }

    /// Returns the first position since the counter last began.
    pub(crate) fn began(&self) -> i64 {
        self.began
    }

    /// Returns the expected position.
    pub(crate) fn next(&self) -> i64 {
        self.next
    }

    /// Returns the counter.
    pub(crate) fn counter(&self) -> &Counter {
        &self.counter
    }

    /// Returns the open gaps, in order.
    pub(crate) fn gaps(&self) -> &[Range<i64>] {
        &self.gaps
    }

    /// Takes numbers.
    ///
    /// # Panics
    ///
    /// If the counter does not have them.
    pub(super) fn take(&mut self, numbers: Run, events: &mut Vec<Event>) {
        assert!(numbers.first <= numbers.last && self.counter.has(numbers.first));
        assert!(self.counter.has(numbers.last));
        let mut first = numbers.first;
        while first <= numbers.last {
            let left = numbers.last - first + 1;
            if self.next > POSITION_MAX {
                events.push(Event::LeftOut(left));
                return;
            }
            first += match self.place(first) {
                Place::Ahead(position) => self.ahead(position..position + left, events),
                Place::Behind(position) => {
                    self.behind(position..(position + left).min(self.next), events)
                }
                Place::Left(rest) => {
                    let end = rest.end.min(rest.start + left);
                    self.close(rest.start..end, events)
                }
                Place::Anew => {
                    self.restart(first, events);
                    0
                }
            };
        }
    }

    fn place(&self, number: i64) -> Place {
        let round = self.counter.round();
        let index = number - self.counter.from;
        let ahead = (index - self.next).rem_euclid(round);
        if ahead <= self.counter.reach {
            return Place::Ahead(self.next + ahead);
        }
        let position = self.next + ahead - round;
        let is_behind = round - ahead <= self.counter.reach;
        let is_missing = self.gaps.iter().any(|gap| gap.contains(&position));
        let restarts = self.counter.restarts && index == 0;
        if is_behind && (is_missing || !restarts) {
            return Place::Behind(position);
        }
        let left = self.gaps.iter().rev().find_map(|gap| {
            let position = gap.start + (index - gap.start).rem_euclid(round);
            (position < gap.end).then_some(position..gap.end)
        });
        left.map_or(Place::Anew, Place::Left)
    }

    /// Takes numbers at the expected position or after it. Returns how many.
    fn ahead(&mut self, received: Range<i64>, events: &mut Vec<Event>) -> i64 {
        if received.start > self.next {
            self.miss(self.next..received.start, events);
        }
        self.next = received.end;
        let count = received.end - received.start;
        events.push(Event::Taken(received));
        count
    }

    /// Takes numbers before the expected position: late, repeated, or before the first that came.
    fn behind(&mut self, received: Range<i64>, events: &mut Vec<Event>) -> i64 {
        let mut at = received.start;
        if at < self.began {
            let end = received.end.min(self.began);
            let began = std::mem::replace(&mut self.began, at);
            if end < began {
                self.miss(end..began, events);
            }
            events.push(Event::Taken(at..end));
            at = end;
        }
        while at < received.end {
            let gap = self.gaps.iter().find(|gap| gap.end > at);
            let (start, end) = gap.map_or((received.end, received.end), |gap| (gap.start, gap.end));
            let end = match start <= at {
                true => {
                    let end = end.min(received.end);
                    self.close(at..end, events);
                    end
                }
                false => {
                    let end = start.min(received.end);
                    events.push(Event::Repeated(at..end));
                    end
                }
            };
            at = end;
        }
        received.end - received.start
    }

    /// Begins the counter again, at a position that is not near any earlier one.
    fn restart(&mut self, number: i64, events: &mut Vec<Event>) {
        let round = self.counter.round();
        let at = (self.next.div_euclid(round) + 2) * round + number - self.counter.from;
        events.push(Event::Restarted { expected: self.next, at });
        (self.began, self.next) = (at, at);
    }

    fn miss(&mut self, gap: Range<i64>, events: &mut Vec<Event>) {
        let place = self.gaps.partition_point(|known| known.start < gap.start);
        self.gaps.insert(place, gap.clone());
        self.forget_oldest();
        events.push(Event::Missing(gap));
    }

    /// Takes numbers out of the gap that has them.
    fn close(&mut self, received: Range<i64>, events: &mut Vec<Event>) -> i64 {
        let place = self.gaps.partition_point(|gap| gap.end <= received.start);
        let gap = self.gaps[place].clone();
        assert!(gap.start <= received.start && received.end <= gap.end, "it lies within the gap");
        let rest = [gap.start..received.start, received.end..gap.end];
        self.gaps.splice(place..=place, rest.into_iter().filter(|rest| !rest.is_empty()));
        self.forget_oldest();
        let count = received.end - received.start;
        events.push(Event::Closed(received));
        count
    }

    fn forget_oldest(&mut self) {
        let beyond = self.gaps.len().saturating_sub(GAPS_MAX);
        self.gaps.drain(..beyond);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Checks the result of numbers that come in this order ("7-9" is a run), for a counter of 1 to 99 with a reach of
    /// 30.
    fn check(received: &str, expected: &[&str]) {
        check_counter(Counter::new(1, 99, 30).unwrap(), received, expected);
    }

    fn check_counter(counter: Counter, received: &str, expected: &[&str]) {
        let (ledger, events) = taken(counter, received);
        let mut lines: Vec<String> = events.iter().map(|event| describe(&counter, event)).collect();
        if !ledger.gaps.is_empty() {
            let gaps: Vec<_> = ledger.gaps.iter().map(|gap| shown(&counter, gap)).collect();
            lines.push(format!("open {}", gaps.join(" ")));
        }
        assert_eq!(lines, expected, "{received}");
    }

    fn taken(counter: Counter, received: &str) -> (Ledger, Vec<Event>) {
        let runs: Vec<Run> = received
            .split(' ')
            .map(|run| {
                let (first, last) = run.split_once('-').unwrap_or((run, run));
                Run { first: first.parse().unwrap(), last: last.parse().unwrap() }
            })
            .collect();
        let mut ledger = Ledger::begin(counter, runs[0].first);
        let mut events = Vec::new();
        runs.iter().for_each(|run| ledger.take(*run, &mut events));
        (ledger, events)
    }

    fn describe(counter: &Counter, event: &Event) -> String {
        match event {
            Event::Taken(range) => shown(counter, range),
            Event::Missing(range) => format!("missing {}", shown(counter, range)),
            Event::Closed(range) => format!("closed {}", shown(counter, range)),
            Event::Repeated(range) => format!("repeated {}", shown(counter, range)),
            Event::Restarted { expected, at } => {
                format!("restarted {} for {}", counter.number(*at), counter.number(*expected))
            }
            Event::LeftOut(count) => format!("left out {count}"),
        }
    }

    fn shown(counter: &Counter, range: &Range<i64>) -> String {
        match (counter.number(range.start), counter.number(range.end - 1)) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        }
    }

    #[test]
    fn numbers_in_order_are_taken() {
        check("5 6 7-9 10", &["5", "6", "7-9", "10"]);
    }

    #[test]
    fn what_is_left_out_is_missing_until_it_comes() {
        check("5 8", &["5", "missing 6-7", "8", "open 6-7"]);
        check("5 8 6 7", &["5", "missing 6-7", "8", "closed 6", "closed 7"]);
        check("5 10 7", &["5", "missing 6-9", "10", "closed 7", "open 6 8-9"]);
    }

    #[test]
    fn what_came_before_is_repeated() {
        check("5-9 7", &["5-9", "repeated 7"]);
        check("5 8 5-9", &["5", "missing 6-7", "8", "repeated 5", "closed 6-7", "repeated 8", "9"]);
    }

    #[test]
    fn what_was_before_the_first_that_came_moves_the_beginning() {
        check("5 4", &["5", "4"]);
        check("5 2", &["5", "missing 3-4", "2", "open 3-4"]);
        check("5 2-6", &["5", "2-4", "repeated 5", "6"]);
    }

    #[test]
    fn behind_the_last_number_comes_the_first() {
        check("98 99 1 2", &["98", "99", "1", "2"]);
        check("98 2", &["98", "missing 99-1", "2", "open 99-1"]);
        check("98 2 99 1", &["98", "missing 99-1", "2", "closed 99", "closed 1"]);
        check("97-99 1-2 98", &["97-99", "1-2", "repeated 98"]);
    }

    #[test]
    fn what_is_far_from_the_expected_number_is_a_restart() {
        check("50 1 2", &["50", "restarted 1 for 51", "1", "2"]);
        check("50 81", &["50", "missing 51-80", "81", "open 51-80"]);
        check("50 82", &["50", "restarted 82 for 51", "82"]);
        check("50 21", &["50", "missing 22-49", "21", "open 22-49"]);
        check("50 20", &["50", "restarted 20 for 51", "20"]);
    }

    #[test]
    fn gaps_of_before_a_restart_stay_and_are_closed_late() {
        let missing = ["50", "missing 51", "52", "restarted 1 for 53", "1-3"];
        check("50 52 1-3", &[&missing[..], &["open 51"]].concat());
        check("50 52 1-3 51 4", &[&missing[..], &["closed 51", "4"]].concat());
    }

    #[test]
    fn an_element_that_begins_anew_is_known_by_its_first_number() {
        let counter = Counter::new(1, 99, 30).unwrap();
        check_counter(counter, "1-9 1 2", &["1-9", "repeated 1", "repeated 2"]);
        let restarts = counter.that_restarts(true);
        check_counter(restarts, "1-9 1 2", &["1-9", "restarted 1 for 10", "1", "2"]);
        check_counter(restarts, "98-99 2 1", &["98-99", "missing 1", "2", "closed 1"]);
    }

    #[test]
    fn the_oldest_of_too_many_gaps_is_no_longer_closed() {
        let counter = Counter::new(1, 9_999, 4_000).unwrap();
        let mut ledger = Ledger::begin(counter, 1);
        let mut events = Vec::new();
        let odd = (1..).step_by(2).take(GAPS_MAX + 2);
        odd.for_each(|number| ledger.take(Run { first: number, last: number }, &mut events));
        assert_eq!(ledger.gaps.len(), GAPS_MAX);
        let mut received = |number| {
            events.clear();
            ledger.take(Run { first: number, last: number }, &mut events);
            describe(&counter, &events[0])
        };
        assert_eq!((received(2), received(4)), ("repeated 2".into(), "closed 4".into()));
    }

    #[test]
    fn a_counter_whose_positions_are_used_up_takes_nothing_more() {
        let counter = Counter::new(1, 9, 2).unwrap();
        let near = POSITION_MAX - POSITION_MAX % 9 - 9;
        let mut ledger = Ledger::resume(counter, near, near, Vec::new());
        let mut events = Vec::new();
        for (first, last) in [(1, 5), (9, 9), (3, 3)] {
            ledger.take(Run { first, last }, &mut events);
        }
        let lines: Vec<String> = events.iter().map(|event| describe(&counter, event)).collect();
        assert_eq!(lines, ["1-5", "restarted 9 for 6", "left out 1", "left out 1"]);
    }

    /// The expected state of the ledger: all positions that came.
    #[derive(Default)]
    struct Model {
        numbers: BTreeSet<i64>,
    }

    impl Model {
        fn missing(&self) -> BTreeSet<i64> {
            let (first, last) = (self.numbers.first().unwrap(), self.numbers.last().unwrap());
            (*first..=*last).filter(|position| !self.numbers.contains(position)).collect()
        }
    }

    /// Positions from 0 on, some left out, some late or twice, none farther from its place than the reach.
    fn arrivals() -> impl Strategy<Value = (i64, i64, Vec<i64>)> {
        let fates = prop::collection::vec((0..10_u8, 0..1_000_i64), 1..300);
        (4..60_i64, 0..60_i64, fates).prop_map(|(half, start, fates)| {
            let late_max = (half / 2).max(1);
            let mut timed: Vec<(i64, i64)> = Vec::new();
            let mut left_out = 0;
            for (position, (fate, number)) in fates.into_iter().enumerate() {
                let position = position as i64;
                let late = number % late_max;
                // Never so many in a row that the next one is out of reach.
                let leave_out = fate == 0 && left_out + 1 < half / 2;
                left_out = if leave_out { left_out + 1 } else { 0 };
                match fate {
                    _ if leave_out => {}
                    1 | 2 => timed.push((position + late, position)),
                    3 => timed.extend([(position, position), (position + late, position)]),
                    _ => timed.push((position, position)),
                }
            }
            timed.sort_by_key(|(time, _)| *time);
            let positions = timed.into_iter().map(|(_, position)| position).collect();
            (half, start, positions)
        })
    }

    proptest! {
        #[test]
        fn it_knows_what_a_set_of_all_numbers_knows((half, start, positions) in arrivals()) {
            prop_assume!(!positions.is_empty());
            let counter = Counter::new(7, 7 + 2 * half, half).unwrap();
            let number = |position: i64| counter.number(position + start);
            let mut ledger = Ledger::begin(counter, number(positions[0]));
            // The ledger does not know how many rounds came before.
            let shift = ledger.next() - positions[0];
            let mut model = Model::default();
            let mut at = 0;
            while at < positions.len() {
                let mut end = at + 1;
                while end < positions.len()
                    && positions[end] == positions[end - 1] + 1
                    && number(positions[end]) != counter.from
                    && positions[end] % 3 != 0
                {
                    end += 1;
                }
                let received = &positions[at..end];
                let run = Run { first: number(received[0]), last: number(received[received.len() - 1]) };
                let mut events = Vec::new();
                ledger.take(run, &mut events);
                let (mut new, mut repeated) = (BTreeSet::new(), BTreeSet::new());
                for event in events {
                    match event {
                        Event::Taken(range) | Event::Closed(range) => new.extend(range),
                        Event::Repeated(range) => repeated.extend(range),
                        Event::Missing(_) => {}
                        other => prop_assert!(false, "{other:?}"),
                    }
                }
                for position in received {
                    let known = if model.numbers.insert(*position) { &new } else { &repeated };
                    prop_assert!(known.contains(&(position + shift)), "{position}");
                }
                let missing: BTreeSet<i64> = ledger.gaps().iter().cloned().flatten().collect();
                let expected = model.missing().iter().map(|position| position + shift).collect();
                prop_assert_eq!(missing, expected);
                at = end;
            }
        }

        #[test]
        fn any_numbers_at_all_are_accounted_for(
            to in 2..200_i64,
            share in 1..100_i64,
            restarts in any::<bool>(),
            numbers in prop::collection::vec((0..200_i64, 0..20_i64), 1..200),
        ) {
            let reach = ((to - 1) / 2 * share / 100).max(1);
            let counter = Counter::new(1, to, reach).unwrap().that_restarts(restarts);
            let runs = numbers.iter().map(|(first, more)| {
                let first = 1 + first % to;
                Run { first, last: (first + more).min(to) }
            });
            let runs: Vec<Run> = runs.collect();
            let mut ledger = Ledger::begin(counter, runs[0].first);
            let (mut received, mut missing, mut taken) = (0, 0, 0);
            for run in runs {
                let mut events = Vec::new();
                ledger.take(run, &mut events);
                let mut of_run = Vec::new();
                for event in events {
                    let length = |range: &Range<i64>| range.end - range.start;
                    match &event {
                        Event::Missing(range) => missing += length(range),
                        Event::Closed(range) => (received, missing) = (received + length(range), missing - length(range)),
                        Event::Taken(range) | Event::Repeated(range) => received += length(range),
                        Event::Restarted { .. } => {}
                        Event::LeftOut(_) => prop_assert!(false, "there are positions"),
                    }
                    if let Event::Taken(range) | Event::Closed(range) | Event::Repeated(range) = event {
                        of_run.extend(range.map(|position| counter.number(position)));
                    }
                }
                taken += run.last - run.first + 1;
                of_run.sort();
                prop_assert_eq!(of_run, (run.first..=run.last).collect::<Vec<_>>());
                prop_assert_eq!(received, taken);
                let open: i64 = ledger.gaps().iter().map(|gap| gap.end - gap.start).sum();
                prop_assert_eq!(open, missing);
                let again = Ledger::resume(counter, ledger.began(), ledger.next(), ledger.gaps().to_vec());
                prop_assert_eq!(&again, &ledger);
            }
        }
    }
}
