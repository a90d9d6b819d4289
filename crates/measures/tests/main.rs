//! Measures against all events: each value is found once more by looking at every event.

use std::collections::BTreeSet;

use measures::{Event, Form, Kind, Layout, Measure, Moment, Octets, Seconds, USUAL, Window};
use proptest::prelude::*;

const KINDS: [Kind; 7] =
    [Kind::Count, Kind::Sum, Kind::Least, Kind::Greatest, Kind::Distinct, Kind::First, Kind::Last];

/// Times begin here, so that all windows are of times that are there.
const BEGIN: Seconds = 1_780_000_000;

/// The clock is so many seconds ahead of UTC.
const AHEAD: Seconds = 1_800;

fn window(step: u32, steps: u32) -> Window {
    Window::sliding(step, steps)
}

fn moment(time: Seconds) -> Moment {
    Moment { time, local: time + AHEAD }
}

const UNANSWERED: Kind = Kind::Unanswered { within: 100, missing: 120 };

/// Numbers are stored in one to eight octets.
const MAGNITUDES: [i64; 7] = [1, -1, 40, 900, -3_000, 60_000_000, -1 << 40];

/// A layout with each kind, in windows of other lengths.
fn layout() -> Layout {
    let of = |(place, kind): (usize, Kind)| {
        let steps = if kind == Kind::Distinct { 6 } else { 10 };
        [window(1, steps), window(60, steps), window(7 + place as u32, 3)]
            .map(|window| Measure { kind, window })
    };
    let mut measures: Vec<_> = KINDS.into_iter().enumerate().flat_map(of).collect();
    for kind in &KINDS[..5] {
        measures.push(Measure { kind: *kind, window: Window::session(25) });
        measures.push(Measure { kind: *kind, window: Window::calendar(3_600, 1) });
    }
    for length in [20, 300] {
        measures.push(Measure { kind: Kind::Concurrent, window: window(length, 1) });
        measures.push(Measure { kind: UNANSWERED, window: window(length, 1) });
    }
    Layout::new(measures).unwrap()
}

/// An event, with a value for each measure that counts it.
#[derive(Clone, Debug)]
struct Happened {
    time: Seconds,
    inputs: Vec<(usize, i64)>,
}

impl Happened {
    fn event(&self) -> Event<'_> {
        Event { at: moment(self.time), inputs: &self.inputs }
    }

    fn input(&self, place: usize) -> Option<i64> {
        self.inputs.iter().find(|(of, _)| *of == place).map(|(_, input)| *input)
    }
}

/// Returns the value of a measure at a time by all events up to now.
fn expected(
    Measure { kind, window }: Measure,
    place: usize,
    all: &[Happened],
    at: Seconds,
) -> Option<i64> {
    let counted = all.iter().filter_map(|of| Some((of.time, of.input(place)?)));
    if let Kind::First | Kind::Last = kind {
        let last = counted.clone().map(|(time, _)| time).max()?;
        let lasts = last + window.seconds() >= at;
        let chosen = if kind == Kind::First { counted.min() } else { counted.max() };
        return chosen.map(|(_, value)| value).filter(|_| lasts);
    }
    let mut all: Vec<(Seconds, i64)> = counted.collect();
    let first = at.saturating_sub(window.seconds());
    match kind {
        Kind::Concurrent => return Some(at_once(&all, first, at)),
        Kind::Unanswered { .. } => return Some(unanswered(&all, first, at)),
        _ => {}
    }
    let numbers = match window.form {
        Form::Session => session(all, window.step, at),
        Form::Sliding | Form::Calendar => {
            let ahead = if window.form == Form::Calendar { AHEAD } else { 0 };
            let step = |time| (time + ahead) / window.step;
            let within = step(at) + 1 - window.steps..=step(at);
            all.retain(|(time, _)| within.contains(&step(*time)));
            all
        }
    };
    let numbers: Vec<i64> = numbers.into_iter().map(|(_, value)| value).collect();
    match kind {
        Kind::Least => numbers.into_iter().min(),
        Kind::Greatest => numbers.into_iter().max(),
        Kind::Distinct => Some(numbers.into_iter().collect::<BTreeSet<i64>>().len() as i64),
        _ => Some(numbers.into_iter().sum()),
    }
}

/// Returns the events of the session at a time.
fn session(mut all: Vec<(Seconds, i64)>, gap: u32, at: Seconds) -> Vec<(Seconds, i64)> {
    all.sort_unstable();
    let mut sessions = all.chunk_by(|(one, _), (other, _)| other - one <= gap);
    let has_it = |of: &&[(Seconds, i64)]| of[0].0 <= at && at <= of[of.len() - 1].0 + gap;
    sessions.rfind(has_it).unwrap_or_default().to_vec()
}

/// Returns how many events are at once while the last one that begins at a time lasts: at each second.
fn at_once(all: &[(Seconds, i64)], first: Seconds, at: Seconds) -> i64 {
    let last = |(begin, seconds): &(Seconds, i64)| begin + (*seconds).max(1) as Seconds - 1;
    let until = all.iter().filter(|event| event.0 == at).map(last).max().unwrap_or(at);
    let count = |second: Seconds| {
        let is_then =
            |event: &&(Seconds, i64)| event.0 >= first && (event.0..=last(event)).contains(&second);
        all.iter().filter(is_then).count() as i64
    };
    (at..=until).map(count).max().unwrap_or_default()
}

/// Returns how many events have no answer.
fn unanswered(all: &[(Seconds, i64)], first: Seconds, at: Seconds) -> i64 {
    let has_none = |(time, value): &&(Seconds, i64)| {
        let answers = |(when, answer): &(Seconds, i64)| {
            *answer == value + 1 && (*time..=time + 100).contains(when)
        };
        value % 2 == 0 && *time >= first && time + 120 < at && !all.iter().any(answers)
    };
    all.iter().filter(has_none).count() as i64
}

fn events() -> impl Strategy<Value = Vec<Happened>> {
    let count = layout().measures().len();
    let input = prop_oneof![1 => Just(None), 4 => (0..40_i64).prop_map(Some)];
    let event =
        (0..900_u32, proptest::collection::vec(input, count)).prop_map(|(after, inputs)| {
            let layout = layout();
            let of_kind = |place: usize, input: i64| match layout.measures()[place].kind {
                Kind::Count => 1,
                Kind::Sum | Kind::Least | Kind::Greatest => {
                    input * MAGNITUDES[place % MAGNITUDES.len()]
                }
                _ => input,
            };
            let inputs = inputs.into_iter().enumerate();
            let inputs = inputs.filter_map(|(place, input)| Some((place, input?)));
            let inputs = inputs.map(|(place, input)| (place, of_kind(place, input)));
            let inputs = inputs.collect();
            Happened { time: BEGIN + after, inputs }
        });
    proptest::collection::vec(event, 1..60)
}

/// Adds an event, and returns the value of each measure at its time.
fn apply(
    layout: &Layout,
    (profile, event): (&mut Octets, Event<'_>),
    oldest: u32,
) -> Vec<Option<i64>> {
    measures::apply(layout, (profile, event), moment(oldest), &mut Vec::new());
    values(layout, profile, event.at.time)
}

/// Returns the value of each measure at a time. The last one is asked for first, and each twice.
fn values(layout: &Layout, profile: &[u8], time: u32) -> Vec<Option<i64>> {
    let mut values = measures::Values::default();
    values.begin(layout);
    let mut get = |place| values.get((layout, profile), moment(time), place);
    let places = 0..layout.measures().len();
    places.clone().rev().for_each(|place| assert_eq!(get(place), get(place)));
    places.map(get).collect()
}

proptest! {
    #[test]
    fn each_value_is_that_of_all_events_of_its_window(events in events()) {
        let layout = layout();
        let mut profile = Box::default();
        for (count, event) in events.iter().enumerate() {
            let came = apply(&layout, (&mut profile, event.event()), BEGIN);
            for (place, measure) in layout.measures().iter().enumerate() {
                let of = expected(*measure, place, &events[..=count], event.time);
                prop_assert_eq!(came[place], of, "{:?} at {}", measure, event.time);
            }
        }
        // At the end of each window, too.
        for at in [0, 30, 60, 600, 900, 2_000].map(|after| BEGIN + after) {
            let came = values(&layout, &profile, at);
            for (place, measure) in layout.measures().iter().enumerate() {
                prop_assert_eq!(came[place], expected(*measure, place, &events, at));
            }
        }
    }

    #[test]
    fn the_order_of_events_does_not_matter(events in events(), seed in any::<u64>()) {
        let layout = layout();
        let profile_of = |events: &[Happened]| {
            events.iter().fold(Box::default(), |mut profile, event| {
                apply(&layout, (&mut profile, event.event()), BEGIN);
                profile
            })
        };
        let mut other = events.clone();
        let mut state = seed;
        other.sort_by_cached_key(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state
        });
        // A number that was once long may have more octets than it needs, but it is the same.
        let (one, other) = (profile_of(&events), profile_of(&other));
        for at in events.iter().map(|event| event.time).chain([BEGIN, BEGIN + 1_000]) {
            prop_assert_eq!(values(&layout, &one, at), values(&layout, &other, at));
        }
    }

    #[test]
    fn what_is_left_out_counts_for_no_event_that_comes(events in events()) {
        let layout = layout();
        let mut in_order = events;
        in_order.sort_by_key(|event| event.time);
        let (mut whole, mut pruned) = (Box::default(), Box::default());
        for event in &in_order {
            let all = apply(&layout, (&mut whole, event.event()), BEGIN);
            let few = apply(&layout, (&mut pruned, event.event()), event.time);
            for (place, measure) in layout.measures().iter().enumerate() {
                // The first one of a time without events is another one.
                if measure.kind != Kind::First {
                    prop_assert_eq!(all[place], few[place], "{:?}", measure);
                }
            }
        }
        prop_assert!(pruned.len() <= whole.len());
    }

    #[test]
    fn a_copy_with_an_event_is_what_the_event_makes_of_it(events in events()) {
        let layout = layout();
        let mut profile = Octets::new();
        for event in &events {
            let oldest = event.time.saturating_sub(100);
            let copy = measures::applied(&layout, (&profile, event.event()), moment(oldest), &mut Vec::new());
            apply(&layout, (&mut profile, event.event()), oldest);
            prop_assert_eq!(&copy, &profile);
        }
    }

    #[test]
    fn no_octets_end_the_program(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
        let layout = layout();
        values(&layout, &octets, BEGIN);
        let inputs: Vec<_> = (0..layout.measures().len()).map(|place| (place, 1)).collect();
        let event = Event { at: moment(BEGIN), inputs: &inputs };
        let mut profile = Octets::from_vec(octets);
        apply(&layout, (&mut profile, event), BEGIN);
    }
}

/// Returns a digest of a number (the last steps of MurmurHash3).
fn digest(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

#[test]
fn many_different_values_are_estimated() {
    let measure = Measure { kind: Kind::Distinct, window: window(60, 2) };
    let layout = Layout::new(vec![measure]).unwrap();
    let begin = BEGIN / 60 * 60;
    for count in [64_u32, 65, 300, 5_000, 200_000] {
        let mut profile = Box::default();
        for number in 0..count {
            let digest = i64::from(digest(number));
            let event = Event { at: moment(begin + number % 120), inputs: &[(0, digest)] };
            measures::apply(&layout, (&mut profile, event), moment(begin), &mut Vec::new());
        }
        let came = values(&layout, &profile, begin + 119)[0].unwrap() as f64;
        let error = (came / f64::from(count) - 1.0).abs();
        assert!(error < if count <= 64 { 1e-9 } else { 0.2 }, "{count}: {came}");
        assert!(profile.len() < 600, "{}", profile.len());
    }
}

#[test]
fn nothing_counts_any_more_after_the_longest_window() {
    let measures = [(Kind::Count, 10), (Kind::Distinct, 3), (Kind::Last, 7), (Kind::First, 12)];
    let measures = measures.map(|(kind, steps)| Measure { kind, window: window(60, steps) });
    let layout = Layout::new(measures.into()).unwrap();
    assert_eq!(layout.longest(), 720);
    for after in [0, 30, 59] {
        let time = BEGIN / 60 * 60 + after;
        let event = Event { at: moment(time), inputs: &[(0, 1), (1, 1), (2, 1), (3, 1)] };
        let mut profile = Box::default();
        apply(&layout, (&mut profile, event), time);
        let nothing = [Some(0), Some(0), None, None];
        assert_ne!(values(&layout, &profile, time + layout.longest()), nothing);
        assert_eq!(values(&layout, &profile, time + layout.longest() + 1), nothing);
    }
}

proptest! {
    #[test]
    fn the_last_events_are_known(times in proptest::collection::vec(0..300_u32, 0..30), most in 1..8_u8) {
        let measure = Measure { kind: Kind::Recent(most), window: window(100, 1) };
        let layout = Layout::new(vec![measure]).unwrap();
        let mut profile = Box::default();
        let mut all = Vec::new();
        for (number, after) in times.iter().enumerate() {
            let event = (BEGIN + after, number as i64);
            all.push(event);
            apply(&layout, (&mut profile, Event { at: moment(event.0), inputs: &[(0, event.1)] }), BEGIN);
        }
        all.sort_unstable();
        let last = &all[all.len().saturating_sub(usize::from(most))..];
        for at in [BEGIN + 50, BEGIN + 150, BEGIN + 299] {
            let expected: Vec<_> =
                last.iter().copied().filter(|(time, _)| *time <= at && time + 100 >= at).collect();
            let recent: Vec<_> = measures::recent_events((&layout, &*profile), (0, at)).collect();
            prop_assert_eq!(recent, expected);
        }
    }
}

#[test]
fn a_key_of_many_events_has_the_octets_of_its_window() {
    let measure = Measure { kind: Kind::Count, window: window(1, 60) };
    let layout = Layout::new(vec![measure]).unwrap();
    let mut profile = Box::default();
    for after in 0..10_000 {
        let time = BEGIN + after;
        let event = Event { at: moment(time), inputs: &[(0, 1)] };
        let came = apply(&layout, (&mut profile, event), time);
        assert_eq!(came, [Some(i64::from(after + 1).min(60))]);
    }
    assert!(profile.len() <= 60 * 8 + 4, "{}", profile.len());
}

#[test]
fn a_window_that_cannot_be_is_refused() {
    let refused = |kind, window| Layout::new(vec![Measure { kind, window }]).unwrap_err();
    for (kind, step, steps, why) in [
        (Kind::Count, 0, 5, "one step at least"),
        (Kind::Count, 5, 0, "one step at least"),
        (Kind::Count, u32::MAX, 2, "100 years"),
        (Kind::Count, 1, 10_001, "10000 steps at most"),
        (Kind::Distinct, 10, 7, "6 steps at most"),
        (Kind::Deviation, 3_600, 1, "behind what is usual"),
    ] {
        let (place, error) = refused(kind, window(step, steps));
        assert!(place == 0 && error.to_string().contains(why), "{error}");
    }
    let (_, error) = refused(Kind::Last, Window::session(60));
    assert!(error.to_string().contains("have sessions"), "{error}");
}

/// A week, and the hour in it.
const WEEK: Seconds = 168 * 3_600;

/// Returns the usual sum of an hour and its deviation, by sums of that hour in the weeks before.
fn usual(sums: &[i64]) -> [Option<i64>; 2] {
    let measures = [Kind::Usual, Kind::Deviation].map(|kind| Measure { kind, window: USUAL });
    let layout = Layout::new(measures.into()).unwrap();
    let (mut profile, mut time) = (Box::default(), BEGIN);
    for sum in sums {
        // In two parts, and something in another hour.
        for (after, part) in [(0, sum / 2), (60, sum - sum / 2), (7_200, 1_000)] {
            let event = Event { at: moment(time + after), inputs: &[(0, part)] };
            apply(&layout, (&mut profile, event), time);
        }
        time += WEEK;
    }
    values(&layout, &profile, time).try_into().unwrap()
}

#[test]
fn what_is_usual_is_that_of_the_same_hour_of_the_week() {
    assert_eq!(usual(&[100, 100]), [None, None], "two weeks say little");
    assert_eq!(usual(&[0, 0, 0]), [Some(0), Some(1)]);
    assert_eq!(usual(&[100, 104, 98, 101]), [Some(100), Some(10)], "the root of the sum");
    assert_eq!(usual(&[100, 9_000, 130, 160, 100, 130, 160]), [Some(130), Some(44)]);
    let of_eight = usual(&[9_000, 9_000, 9_000, 9_000, 10, 10, 10, 10, 10, 10, 10, 10]);
    assert_eq!(of_eight, [Some(10), Some(3)], "weeks before the last eight do not count");
}
