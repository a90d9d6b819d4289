use std::path::Path;

use rating::{Length, Plan, moment};

fn check(start: &str, length: &str, count: u32, end: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
    let plan = Plan::read(Path::new(folder)).plan.expect("the example is a plan");
    let [start, end] = [start, end].map(|text| moment(text).expect("a moment") * 1_000);
    let length = Length::read(length).expect("a length");
    assert_eq!(plan.after(start, length, count), end, "{start} + {count} {length:?}");
}

#[test]
fn a_length_ends_at_the_same_time_by_the_clock_of_the_plans_home() {
    // The clocks of Stockholm go forward on March 28, 2027.
    check("2027-03-27T12:00:00+01:00", "1 day", 1, "2027-03-28T12:00:00+02:00");
    check("2027-01-31T00:00:00+01:00", "1 month", 1, "2027-02-28T00:00:00+01:00");
    check("2027-01-31T00:00:00+01:00", "1 month", 2, "2027-03-31T00:00:00+02:00");
    check("2027-01-31T00:00:00+01:00", "3 months", 0, "2027-01-31T00:00:00+01:00");
}

#[test]
fn a_length_beyond_the_calendar_never_ends() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
    let plan = Plan::read(Path::new(folder)).plan.expect("the example is a plan");
    assert_eq!(plan.after(0, Length::Months(40_000), u32::MAX), i64::MAX);
    assert_eq!(plan.after(i64::MAX, Length::Days(1), 1), i64::MAX);
}
