//! Stored counters give the same prices as one state, whatever happens between usages: octets, other subscribers,
//! another version of the plan.

use crate::plans;
use crate::plans::plan;
use rating::{Moment, Number, Plan, State, SubscriberCounters, Usage, moment};

fn call(start: Moment, seconds: u64, subscriber: &'static str) -> Usage<'static> {
    Usage {
        service: Some("telephony"),
        served: Some(Number::unknown(b"0701234567")),
        other: Some(Number::unknown(b"0721234567")),
        subscriber: Some(subscriber),
        duration: Some(seconds),
        ..Usage::at(start)
    }
}

fn at(text: &str) -> Moment {
    moment(&format!("{text} Europe/Stockholm")).unwrap()
}

/// Writes and reads counters, as between two files.
fn again(counters: &SubscriberCounters) -> SubscriberCounters {
    let mut octets = Vec::new();
    counters.write(&mut octets);
    SubscriberCounters::read(&octets).unwrap()
}

fn shown(counters: &SubscriberCounters) -> Vec<String> {
    counters.all().map(|counter| counter.to_string()).collect()
}

fn priced(
    plan: &Plan,
    usage: &Usage<'_>,
    counters: &mut SubscriberCounters,
) -> Result<String, String> {
    let mut state = State::default();
    let priced = plan.rate_counted(usage, counters, &mut state).map_err(|none| none.to_string())?;
    counters.keep();
    Ok(priced.total.amount().to_string())
}

#[test]
fn usages_cost_what_they_cost_by_one_state() {
    let plan = plan("fjord");
    for subscriber in ["plus", "business", "consumer"] {
        let (mut state, mut work) = (State::default(), State::default());
        let mut counters = SubscriberCounters::default();
        for number in 0..400 {
            let start = at("2026-08-30 12:00") + 7_000 * number;
            let usage = call(start, 1 + (number as u64 * 977) % 4_000, subscriber);
            let one = plan.rate(&usage, &mut state).unwrap();
            state.end_usage();
            let other = plan.rate_counted(&usage, &mut counters, &mut work).unwrap();
            assert_eq!((one.total, one.free), (other.total, other.free), "{subscriber} {number}");
            counters.keep();
            counters = again(&counters);
        }
        assert_eq!(counters.all().count() > 0, subscriber != "consumer");
    }
}

#[test]
fn what_was_counted_at_two_places_adds_up() {
    let plan = plan("fjord");
    let (mut all, mut one, mut other) =
        <(SubscriberCounters, SubscriberCounters, SubscriberCounters)>::default();
    for number in 0..100 {
        let usage = call(at("2026-08-30 12:00") + 30_000 * number, 60, "plus");
        priced(&plan, &usage, &mut all).unwrap();
        priced(&plan, &usage, if number % 2 == 0 { &mut one } else { &mut other }).unwrap();
    }
    // Add a period that only one of them has.
    let usage = call(at("2026-07-30 12:00"), 60, "plus");
    for counters in [&mut all, &mut other] {
        priced(&plan, &usage, counters).unwrap();
    }
    one.add(&other);
    let sorted = |counters: &SubscriberCounters| {
        let mut shown = shown(counters);
        shown.sort();
        shown
    };
    assert_eq!(sorted(&again(&one)), sorted(&again(&all)));
}

#[test]
fn what_is_taken_back_was_not_counted() {
    let plan = plan("fjord");
    let mut counters = SubscriberCounters::default();
    let start = at("2026-06-01 12:00");
    priced(&plan, &call(start, 600, "plus"), &mut counters).unwrap();
    let before = counters.clone();
    // The half hour of summer is used up, and the month's minutes begin.
    for seconds in [1_200, 60, 5] {
        plan.rate_counted(&call(start, seconds, "plus"), &mut counters, &mut State::default())
            .unwrap();
    }
    assert_eq!(
        shown(&counters),
        ["bundle plus-summer once: 1800", "bundle plus-100 2026-06: 65"],
        "another counter was begun"
    );
    counters.take_back();
    assert_eq!(counters, before);
    let refused = call(start, 60, "gold");
    assert!(plan.rate_counted(&refused, &mut counters, &mut State::default()).is_err());
    assert_eq!(counters, before);
}

#[test]
fn a_late_usage_is_counted_in_its_own_month_as_long_as_that_is_kept() {
    let plan = plan("fjord");
    let mut counters = SubscriberCounters::default();
    for month in ["2026-09", "2026-10", "2026-11"] {
        let usage = call(at(&format!("{month}-30 23:59")), 60, "plus");
        assert_eq!(priced(&plan, &usage, &mut counters).as_deref(), Ok("0.00"), "{month}");
    }
    let late = call(at("2026-09-30 12:00"), 100 * 60, "plus");
    assert_eq!(
        priced(&plan, &late, &mut counters).as_deref(),
        Ok("0.60"),
        "a minute was used before"
    );
    assert_eq!(
        shown(&counters),
        [
            "bundle plus-100 2026-09: 6000",
            "bundle plus-100 2026-10: 60",
            "bundle plus-100 2026-11: 60",
        ]
    );
    for month in ["2026-12", "2027-01"] {
        priced(&plan, &call(at(&format!("{month}-30 12:00")), 1, "plus"), &mut counters).unwrap();
    }
    counters = again(&counters);
    assert_eq!(shown(&counters)[0], "bundle plus-100 2026-10: 60", "four months are kept");
    let forgotten = priced(&plan, &late, &mut counters).unwrap_err();
    assert_eq!(forgotten, "no tariff: bundle: the period of \"plus-100\" is over");
}

#[test]
fn another_version_of_the_plan_finds_its_counters_by_their_names() {
    let before = plan("fjord");
    let mut counters = SubscriberCounters::default();
    let start = at("2026-10-05 12:00");
    priced(&before, &call(start, 5_940, "plus"), &mut counters).unwrap();
    priced(&before, &call(start, 50_000, "business"), &mut counters).unwrap();
    let spent = shown(&counters)[1].clone();
    assert_eq!(spent, "discount business-volume 2026-10: 325");
    // Add a bundle before the others, and prices with another measure.
    let gift = "gift,1,plus,nordic,seconds,10,month,2026-01-01 Europe/Stockholm,,\nplus-summer,1,";
    let with_gift = plans::changed(&plans::folder("fjord"), "bundles.csv", |text| {
        text.replace("plus-summer,1,", gift)
    });
    let after = plans::changed(with_gift.path(), "prices.csv", |text| {
        text.replace("peak,,0.39,min", "peak,,0.39,7 s")
    });
    let after = Plan::read(after.path()).plan.unwrap();
    counters = again(&counters);
    assert_eq!(
        priced(&after, &call(start, 120, "plus"), &mut counters).as_deref(),
        Ok("0.60"),
        "a minute was left"
    );
    priced(&after, &call(start, 7, "business"), &mut counters).unwrap();
    assert_eq!(shown(&counters)[1], "discount business-volume 2026-10: 325.39");
}

#[test]
fn a_bundle_that_counts_something_else_begins_anew() {
    let before = plan("fjord");
    let mut counters = SubscriberCounters::default();
    let start = at("2026-10-05 12:00");
    priced(&before, &call(start, 6_000, "plus"), &mut counters).unwrap();
    let other = plans::changed(&plans::folder("fjord"), "bundles.csv", |text| {
        text.replace("plus-100,", "minutes,").replace("plus-data,", "plus-100,")
    });
    let after = Plan::read(other.path()).plan.unwrap();
    let session = Usage {
        service: Some("data"),
        other: None,
        subscriber: Some("plus"),
        octets: Some(1_000_000_000),
        duration: None,
        ..call(start, 1, "plus")
    };
    assert_eq!(
        priced(&after, &session, &mut again(&counters)).as_deref(),
        Ok("0.00"),
        "all of a GB"
    );
}

#[test]
fn octets_that_are_no_counters_are_refused() {
    let mut counters = SubscriberCounters::default();
    priced(&plan("fjord"), &call(at("2026-10-05 12:00"), 60, "plus"), &mut counters).unwrap();
    let mut octets = Vec::new();
    counters.write(&mut octets);
    for end in 0..octets.len() {
        let read = SubscriberCounters::read(&octets[..end]);
        assert_eq!(read.is_ok(), end == 1, "the first {end} octets");
    }
    for place in 0..octets.len() {
        for octet in [0, 7, 0x7f, 0xff] {
            let mut damaged = octets.clone();
            damaged[place] = octet;
            let _ = SubscriberCounters::read(&damaged);
        }
    }
}

#[test]
fn months_are_those_of_the_home_place() {
    let plan = plan("fjord");
    let month = |text| plan.month(moment(text).unwrap());
    let june = month("2026-06-15 12:00 Europe/Stockholm");
    assert_eq!(month("2026-05-31 22:00 UTC"), june);
    assert_eq!(month("2026-05-31 21:59 UTC"), june - 1);
    assert_eq!(month("2027-01-01 00:00 Europe/Stockholm"), june + 7);
    assert!(plan.month(i64::MIN) < june && june < plan.month(i64::MAX));
}
