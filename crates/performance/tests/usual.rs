//! What is usual: medians, distances, levels, shifts, and values as they are stored.

use performance::usual::{
    Counting, Learned, Level, Quantised, Shift, Shifted, Side, Usual, WEEKS_MAX, robust,
};
use proptest::prelude::*;

const UNKNOWN: f64 = f64::NAN;

/// The distances beyond which a number is odd in most of these tests.
const FAR: f64 = 6.0;

fn usual(weeks: &[f64], counting: Counting) -> Usual {
    Learned::of(weeks).expect("enough weeks").usual(1.0, counting)
}

/// Checks how many distances a value is away from those of the weeks before, in tenths.
fn check(weeks: &[f64], counting: Counting, value: f64, tenths: i64) {
    let away = usual(weeks, counting).away(value);
    assert_eq!((away * 10.0).round() as i64, tenths, "{value} after {weeks:?}: {away}");
}

#[test]
fn a_number_is_held_against_the_median_and_the_median_distance() {
    let weeks = [1_000.0, 1_100.0, 900.0, 1_200.0, 800.0];
    check(&weeks, Counting::Other, 1_000.0, 0);
    check(&weeks, Counting::Other, 1_148.26, 10);
    check(&weeks, Counting::Other, 703.48, -20);
    assert!(usual(&weeks, Counting::Other).away(UNKNOWN).is_nan());
    let usual = usual(&weeks, Counting::Other);
    assert_eq!(usual.at(usual.away(321.0)), 321.0);
}

#[test]
fn weeks_that_are_not_measured_are_left_out_and_four_are_enough() {
    let known = |weeks: &[f64]| Learned::of(weeks).map(|learned| learned.middle);
    assert_eq!(known(&[UNKNOWN, 4.0, f64::INFINITY, 1.0, 2.0, 9.0]), Some(3.0));
    assert_eq!(known(&[4.0, 1.0, 2.0, UNKNOWN]), None);
    assert_eq!(known(&[]), None);
    let weeks = [9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 9.0, 9.0];
    assert_eq!(known(&weeks), Some(1.0), "the first two of ten are too old");
}

#[test]
fn a_number_that_never_changes_is_not_odd_for_a_small_change() {
    let weeks = [1_000_000.0; WEEKS_MAX];
    check(&weeks, Counting::Count, 1_050_000.0, 10);
    check(&weeks, Counting::Count, 700_000.0, -60);
    check(&[-80.0; 4], Counting::Other, -76.0, 10);
    check(&[0.0; 4], Counting::Other, 0.0, 0);
    assert_eq!(usual(&[0.0; 4], Counting::Other).away(-0.1), f64::NEG_INFINITY);
}

#[test]
fn small_counts_are_quiet() {
    check(&[9.0; 8], Counting::Count, 0.0, -30);
    check(&[9.0; 8], Counting::Count, 21.0, 40);
    check(&[0.0; 8], Counting::Count, 3.0, 30);
    check(&[0.0; 8], Counting::Count, 50.0, 500);
    check(&[9.0; 8], Counting::Other, 0.0, -200);
}

#[test]
fn a_ratio_of_few_events_is_quiet() {
    // A cell drops 1 % of its calls, and now 5 % of some.
    let weeks = [0.01; 8];
    let away = |of, value| usual(&weeks, Counting::Ratio { of }).away(value);
    assert!(away(60.0, 0.05) < FAR / 2.0, "3 of 60");
    assert!(away(6_000.0, 0.05) > FAR, "300 of 6,000");
    // Where none is usual, or all are, one more or less is chance.
    let none = |of: f64, events: f64| usual(&[0.0; 8], Counting::Ratio { of }).away(events / of);
    assert!(none(50.0, 1.0) < 1.1 && none(5_000.0, 1.0) < 1.1);
    assert!(none(5_000.0, 7.0) > FAR);
    assert!(none(f64::NAN, 1.0).is_nan());
    let all = usual(&[1.0; 8], Counting::Ratio { of: 50.0 });
    assert!(all.away(0.98) > -1.1);
}

#[test]
fn one_odd_week_of_eight_moves_nothing() {
    let weeks = [100.0, 102.0, 98.0, 101.0, 99.0, 103.0, 97.0, 100.0];
    for odd in [0.0, 100_000.0] {
        for week in 0..8 {
            let mut weeks = weeks;
            weeks[week] = odd;
            let usual = usual(&weeks, Counting::Count);
            assert!((usual.middle - 100.0).abs() <= 1.0 && usual.distance < 11.0, "{usual:?}");
        }
    }
}

#[test]
fn what_happens_once_a_day_is_usual_at_its_hour_alone() {
    // A backup at 03:00, and nothing at 04:00.
    let (at_three, at_four) = ([5_000.0; 4], [0.0; 4]);
    assert!(usual(&at_three, Counting::Count).away(5_100.0) < FAR);
    assert!(usual(&at_three, Counting::Count).away(0.0) < -FAR);
    assert!(usual(&at_four, Counting::Count).away(5_100.0) > FAR);
}

#[test]
fn siblings_are_usual_of_each_other() {
    let mut cells = [2.0, UNKNOWN, 3.0, 1.0, 40.0, 2.0, UNKNOWN, 2.0];
    assert_eq!(Learned::of_peers(&mut cells.clone(), 7), None, "six are measured");
    let usual = Learned::of_peers(&mut cells, 6).unwrap().usual(1.0, Counting::Other);
    assert_eq!(usual.middle, 2.0);
    assert!(usual.away(3.0) < FAR && usual.away(40.0) > FAR);
    assert_eq!(Learned::of_peers(&mut [], 0), None);
}

fn level(values: &[f64]) -> f64 {
    let mut level = Level::default();
    for (hour, value) in (480_000..).zip(values) {
        level.add(hour, *value, 100.0);
    }
    level.now()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.003, "{found}, not {expected}");
}

#[test]
fn the_level_is_the_median_of_a_day_to_its_usual_values() {
    assert_eq!(level(&[100.0; 24]), 1.0);
    assert_near(level(&[120.0; 24]), 1.2);
    assert_eq!(level(&[120.0; 11]), 1.0, "less than half of a day");
    assert_near(level(&[120.0; 12]), 1.2);
    assert_eq!(level(&[0.0; 24]), 0.5);
    assert_eq!(level(&[900.0; 24]), 2.0);
    let odd_hours: Vec<f64> = (0..24).map(|hour| if hour < 8 { 0.0 } else { 110.0 }).collect();
    assert_near(level(&odd_hours), 1.1);
    let yesterday = [[50.0; 24], [130.0; 24]].concat();
    assert_near(level(&yesterday), 1.3);
}

#[test]
fn hours_of_the_level_that_are_missing_late_or_there_twice() {
    let mut level = Level::default();
    for hour in (1_000..1_024).filter(|hour| *hour != 1_010) {
        level.add(hour, if hour % 2 == 0 { 80.0 } else { 125.0 }, 100.0);
    }
    assert_near(level.now(), 1.25);
    level.add(1_010, 80.0, 100.0);
    assert_near(level.now(), 1.0);
    level.add(1_010, 125.0, 100.0);
    assert_near(level.now(), 1.25);
    let before = level;
    level.add(999, 80.0, 100.0);
    assert_eq!(level, before, "a day late");
    level.add(1_023, UNKNOWN, 100.0);
    level.add(1_021, 5.0, 0.0);
    level.add(1_019, 5.0, UNKNOWN);
    assert_near(level.now(), 0.8);
    level.add(1_100, 125.0, 100.0);
    assert_eq!(level.now(), 1.0, "nothing is known of the days between");
}

#[test]
fn growth_is_usual_at_its_level() {
    let learned = Learned::of(&[1_000.0; 4]).unwrap();
    assert!(learned.usual(1.0, Counting::Count).away(1_600.0) > FAR);
    assert!(learned.usual(level(&[150.0; 24]), Counting::Count).away(1_600.0) < 2.0);
}

/// Returns the shifts of these hours: `+` is above, `-` is below, and `.` is as usual.
fn shifts(hours: &str) -> (Shift, Vec<(usize, Shifted)>) {
    let (mut shift, mut found) = (Shift::default(), Vec::new());
    for (hour, side) in hours.chars().enumerate() {
        let side = match side {
            '+' => Some(Side::Above),
            '-' => Some(Side::Below),
            _ => None,
        };
        found.extend(shift.add(10_000 + hour as u32, side).map(|shifted| (hour, shifted)));
    }
    (shift, found)
}

#[test]
fn what_is_odd_to_the_same_side_for_most_of_three_days_is_a_new_level() {
    let (shift, found) = shifts(&format!("....{}", "-".repeat(80)));
    let since = 10_004;
    assert_eq!(found, [(47, Shifted { side: Side::Below, since })], "once, at its 44th hour");
    assert_eq!(shift.since(), since);
    let by_day = format!("{}{}", "+".repeat(15), ".".repeat(9)).repeat(5);
    assert_eq!(shifts(&by_day).1.len(), 1);
    let less = format!("{}{}", "+".repeat(14), ".".repeat(10)).repeat(20);
    assert_eq!(shifts(&less).1, [], "42 of 72 hours");
    assert_eq!(shifts(&"+-".repeat(500)).1, []);
    let back = format!("{}{}", "-".repeat(60), "+".repeat(60));
    let sides: Vec<Side> = shifts(&back).1.iter().map(|(_, shifted)| shifted.side).collect();
    assert_eq!(sides, [Side::Below, Side::Above], "another shift is one more");
}

#[test]
fn hours_of_a_shift_that_come_again_or_late() {
    let (mut shift, found) = shifts(&"+".repeat(43));
    assert_eq!(found, []);
    let again = shift;
    assert_eq!(shift.add(10_042, Some(Side::Above)), None);
    assert_eq!(shift, again);
    shift.add(10_042, Some(Side::Below));
    assert_eq!(shift.add(10_043, Some(Side::Above)), None, "it is below by now");
    let shifted = Some(Shifted { side: Side::Above, since: 10_000 });
    assert_eq!(shift.add(10_042, Some(Side::Above)), shifted);
    for hour in 9_900..=10_043 {
        assert_eq!(shift.add(hour, Some(Side::Above)), None, "a file that comes again");
    }
    assert_eq!(shift.since(), 10_000);
}

#[test]
fn stored_values_are_exact_where_it_matters() {
    let stored = |value: f64| Quantised::of(value).value();
    for value in [0.0, 1.0, -1.0, 2.0, 1024.0, 0.5, -0.125] {
        assert_eq!(stored(value), value);
    }
    assert!(stored(f64::NAN).is_nan() && stored(f64::NEG_INFINITY).is_nan());
    assert_eq!(stored(-0.0), 0.0);
    assert_eq!(Quantised::default(), Quantised::NOT_MEASURED);
    // The ends of the scale.
    let (least, greatest) = (stored(f64::MIN_POSITIVE), stored(f64::MAX));
    assert_eq!(least, (-40f64).exp2());
    assert!((greatest / 64f64.exp2() - 1.0).abs() < 0.02);
    assert_eq!((stored(-f64::MIN_POSITIVE), stored(f64::MIN)), (-least, -greatest));
    assert!((stored(u64::MAX as f64) / u64::MAX as f64 - 1.0).abs() < 0.002);
}

#[test]
fn each_code_is_a_value_and_the_values_are_in_order() {
    let values: Vec<f64> = (0..=u16::MAX)
        .map(|code| {
            let value = Quantised::from_code(code).value();
            assert_eq!(Quantised::of(value).code(), code);
            value
        })
        .collect();
    assert!(values[1..].windows(2).all(|pair| pair[0] < pair[1]));
    let steps = values[0x8001..].windows(2).map(|pair| pair[1] / pair[0] - 1.0);
    assert!(steps.into_iter().all(|step| step <= 0.005));
}

/// The median by its definition: as many values are not greater as are not less.
fn is_median(values: &[f64], median: f64) -> bool {
    let half = values.len().div_ceil(2);
    let count = |holds: &dyn Fn(f64) -> bool| values.iter().filter(|value| holds(**value)).count();
    count(&|value| value <= median) >= half && count(&|value| value >= median) >= half
}

proptest! {
    #[test]
    fn a_median_is_in_the_middle(values in prop::collection::vec(-1e6..1e6f64, 1..30)) {
        let median = robust::median(&mut values.clone());
        prop_assert!(is_median(&values, median));
        let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        let deviation = robust::deviation(&mut values.clone(), median);
        prop_assert_eq!(deviation, 1.482_6 * robust::median(&mut distances));
    }

    /// The order of weeks, and weeks that are not measured, do not matter; a greater unit is one of all figures.
    #[test]
    fn what_is_usual_does_not_depend_on_order_and_unit(values in prop::collection::vec(0u32..1_000, 4..8), unit in 0i32..20) {
        let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
        let learned = Learned::of(&values).unwrap();
        let mut turned: Vec<f64> = values.iter().rev().copied().collect();
        turned.insert(values.len() / 2, f64::NAN);
        prop_assert_eq!(Learned::of(&turned), Some(learned));
        let unit = f64::from(unit).exp2();
        let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
        let [usual, scaled] = [learned, Learned::of(&scaled).unwrap()].map(|learned| learned.usual(1.0, Counting::Other));
        prop_assert_eq!((usual.middle * unit, usual.distance * unit), (scaled.middle, scaled.distance));
    }

    /// Fewer than half of the weeks move the middle no further than the others are.
    #[test]
    fn odd_weeks_are_within_the_others(even in prop::collection::vec(0.0..1e6f64, 5), odd in prop::collection::vec(any::<f64>(), 0..4)) {
        let all: Vec<f64> = odd.iter().chain(&even).copied().collect();
        let middle = Learned::of(&all).unwrap().middle;
        let least = even.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = even.iter().copied().fold(0.0, f64::max);
        prop_assert!((least..=greatest).contains(&middle), "{middle} of {all:?}");
    }

    #[test]
    fn a_value_is_away_by_what_is_added(weeks in prop::collection::vec(1.0..1e9f64, 4..=8), away in -20.0..20.0f64, level in 0.5..2.0f64, of in 1.0..1e6f64) {
        for counting in [Counting::Count, Counting::Ratio { of }, Counting::Other] {
            let usual = Learned::of(&weeks).unwrap().usual(level, counting);
            prop_assert!(usual.distance >= 0.05 * usual.middle);
            prop_assert!((usual.away(usual.at(away)) - away).abs() < 1e-6);
        }
    }

    #[test]
    fn stored_values_are_near_and_in_order(one in any::<f64>(), other in -1e12..1e12f64) {
        let stored = Quantised::of(other).value();
        prop_assert!((stored - other).abs() <= other.abs() * 0.0025 || other.abs() < 1e-12);
        prop_assert_eq!(stored.signum(), other.signum());
        if one.is_finite() {
            let [low, high] = [one.min(other), one.max(other)].map(Quantised::of);
            prop_assert!(low <= high);
        }
    }

    /// Hours in any order within a day have the same level as in their order.
    #[test]
    fn a_level_does_not_depend_on_the_order_of_its_hours(hours in prop::collection::vec((0u32..24, 50.0..200.0f64), 0..60)) {
        let mut shares = [f64::NAN; 24];
        let mut level = Level::default();
        level.add(5_023, f64::NAN, 1.0);
        for (hour, value) in &hours {
            shares[*hour as usize] = *value;
            level.add(5_000 + hour, *value, 100.0);
        }
        let mut in_order = Level::default();
        (5_000..).zip(shares).for_each(|(hour, value)| in_order.add(hour, value, 100.0));
        prop_assert_eq!(level, in_order);
        prop_assert!((0.5..=2.0).contains(&level.now()));
    }
}
