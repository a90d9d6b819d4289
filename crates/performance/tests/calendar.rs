//! The calendar: slots of the week in local time, holidays, and planned works.

use clocks::Clock;
use diagnostics::{Diagnostic, Source};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use performance::calendar::{Calendar, Holidays, Slot, Step, Works};
use proptest::prelude::*;

const HOLIDAYS: &str = "\
country,date,name
SE,2026-06-19,Midsummer Eve
SE,2026-01-01,New Year's Day
NO,2026-05-17,
";

fn clock(zone: &str) -> Clock {
    Clock::new(&TimeZone::get(zone).unwrap())
}

fn moment(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

fn stockholm() -> Calendar {
    let holidays = Holidays::read(&Source::new("holidays.csv", HOLIDAYS)).unwrap();
    Calendar::new(clock("Europe/Stockholm"), holidays.of("SE"))
}

fn lines(mistakes: Vec<Diagnostic>) -> Vec<String> {
    let line = |mistake: &Diagnostic| {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}{hint}", mistake.line().split_once(".csv:").unwrap().1)
    };
    mistakes.iter().map(line).collect()
}

#[test]
fn a_slot_is_the_hour_of_the_week_by_the_clock() {
    let calendar = stockholm();
    for (text, hour, quarter) in [
        // A Monday, in winter and in summer.
        ("2026-01-05T00:00:00+01:00", Slot::Week(0), Slot::Week(0)),
        ("2026-07-06T00:00:00+02:00", Slot::Week(0), Slot::Week(0)),
        ("2026-07-06T08:44:59+02:00", Slot::Week(8), Slot::Week(34)),
        ("2026-07-05T23:59:59+02:00", Slot::Week(167), Slot::Week(671)),
        ("2026-07-01T12:15:00+02:00", Slot::Week(60), Slot::Week(241)),
        // A holiday is one by the clock, from midnight to midnight.
        ("2026-06-18T23:59:59+02:00", Slot::Week(95), Slot::Week(383)),
        ("2026-06-19T00:00:00+02:00", Slot::Holiday(0), Slot::Holiday(0)),
        ("2026-06-19T23:59:59+02:00", Slot::Holiday(23), Slot::Holiday(95)),
        ("2026-06-20T00:00:00+02:00", Slot::Week(120), Slot::Week(480)),
        // The 17th of May is one of another country: a Sunday.
        ("2026-05-17T10:00:00+02:00", Slot::Week(154), Slot::Week(616)),
    ] {
        let at = moment(text);
        assert_eq!(calendar.slot(at, Step::Hour), hour, "{text}");
        assert_eq!(calendar.slot(at, Step::Quarter), quarter, "{text}");
    }
}

#[test]
fn the_morning_is_the_same_slot_on_both_sides_of_a_change_of_clocks() {
    let calendar = stockholm();
    let hour = |text: &str| calendar.slot(moment(text), Step::Hour);
    // The Saturdays before and after the change in spring, at 8:00.
    assert_eq!(hour("2026-03-28T07:00:00Z"), hour("2026-04-04T06:00:00Z"));
    // On that Sunday, the hour from 2:00 is passed over; in autumn, it comes twice.
    let two = Slot::Week(6 * 24 + 2);
    assert_eq!(hour("2026-03-29T00:59:59Z"), Slot::Week(6 * 24 + 1));
    assert_eq!(hour("2026-03-29T01:00:00Z"), Slot::Week(6 * 24 + 3));
    assert_eq!([hour("2026-10-25T00:30:00Z"), hour("2026-10-25T01:30:00Z")], [two; 2]);
    assert_eq!(hour("2026-10-25T02:00:00Z"), Slot::Week(6 * 24 + 3));
    // Zones are not ahead by whole hours everywhere.
    let kathmandu = Calendar::new(clock("Asia/Kathmandu"), &[]);
    assert_eq!(kathmandu.slot(moment("2026-01-04T18:15:00Z"), Step::Quarter), Slot::Week(0));
    let honolulu = Calendar::new(clock("Pacific/Honolulu"), &[]);
    assert_eq!(honolulu.slot(0, Step::Hour), Slot::Week(2 * 24 + 14), "a Wednesday, there");
}

#[test]
fn each_slot_has_a_place_of_its_own() {
    for step in [Step::Hour, Step::Quarter] {
        let week = (0..step.of_day() * 7).map(Slot::Week);
        let slots = week.chain((0..step.of_day()).map(Slot::Holiday));
        let places: Vec<usize> = slots.map(|slot| slot.place(step)).collect();
        assert_eq!(places, (0..step.slots()).collect::<Vec<_>>());
    }
    assert_eq!((Step::Hour.slots(), Step::Quarter.slots()), (192, 768));
}

#[test]
fn holidays_are_of_countries_and_mistakes_have_their_places() {
    let holidays = Holidays::read(&Source::new("holidays.csv", HOLIDAYS)).unwrap();
    assert_eq!(holidays.countries().collect::<Vec<_>>(), ["NO", "SE"]);
    assert_eq!(holidays.of("SE"), [20_454, 20_623]);
    assert_eq!(holidays.of("DK"), [] as [i64; 0]);
    let text = "country,date\nSE,2026-02-30\n,2026-01-01\nSE,2026-01-02\nSE,2026-01-02\nSE,1969-12-31\nSE,2026-01-01T00:00\n";
    let mistakes = Holidays::read(&Source::new("holidays.csv", text)).unwrap_err();
    assert_eq!(
        lines(mistakes),
        [
            "2:4: \"2026-02-30\" is no date (write 2026-06-19)",
            "3:1: a holiday has a country",
            "5:4: this day is a holiday of this country already",
            "6:4: \"1969-12-31\" is no date (write 2026-06-19)",
            "7:4: \"2026-01-01T00:00\" is no date (write 2026-06-19)",
        ]
    );
}

#[test]
fn works_on_an_object_last_from_a_time_until_another_one() {
    let text = "\
object,from,until,because
site-1,2026-06-01 22:00,2026-06-02 04:00,new software
site-1,2026-05-01,2026-05-02,
\"ManagedElement=1,Cell=2\",2026-06-01T22:00:30,2026-06-01 23:00,antenna
";
    let works = Works::read(&Source::new("works.csv", text), &clock("Europe/Stockholm")).unwrap();
    let because = |object: &str, from: &str, until: &str| {
        let work = works.during(object, moment(from)..moment(until));
        work.map(|work| work.because.as_str())
    };
    assert_eq!(
        because("site-1", "2026-06-01T20:00:00Z", "2026-06-01T20:15:00Z"),
        Some("new software")
    );
    assert_eq!(because("site-1", "2026-06-01T19:45:00Z", "2026-06-01T20:00:00Z"), None);
    assert_eq!(
        because("site-1", "2026-06-02T01:59:59Z", "2026-06-02T02:15:00Z"),
        Some("new software")
    );
    assert_eq!(because("site-1", "2026-06-02T02:00:00Z", "2026-06-02T02:15:00Z"), None);
    assert_eq!(because("site-1", "2026-04-30T22:00:00Z", "2026-04-30T22:15:00Z"), Some(""));
    assert_eq!(because("site-1", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), Some(""));
    assert_eq!(
        because("ManagedElement=1,Cell=2", "2026-06-01T20:00:30Z", "2026-06-01T20:01:00Z"),
        Some("antenna")
    );
    assert_eq!(because("site-2", "2026-06-01T20:00:00Z", "2026-06-01T20:15:00Z"), None);
    assert_eq!(works.all().count(), 3);
}

#[test]
fn a_work_over_a_change_of_clocks_has_all_of_its_time() {
    let read = |row: &str| {
        let text = format!("object,from,until\nx,{row}\n");
        let works =
            Works::read(&Source::new("works.csv", text), &clock("Europe/Stockholm")).unwrap();
        let when = works.all().next().unwrap().1.when.clone();
        [when.start, when.end]
    };
    for (row, from, until) in [
        // These times come twice in autumn.
        ("2026-10-25 02:15,2026-10-25 02:30", "2026-10-25T00:15:00Z", "2026-10-25T01:30:00Z"),
        ("2026-10-25 02:00,2026-10-25 03:00", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"),
        ("2026-10-25 01:00,2026-10-25 01:30", "2026-10-24T23:00:00Z", "2026-10-24T23:30:00Z"),
        // These are passed over in spring.
        ("2026-03-29 02:15,2026-03-29 03:30", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"),
        ("2026-03-29 01:30,2026-03-29 02:30", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
        ("1970-01-01,2099-12-31", "1969-12-31T23:00:00Z", "2099-12-30T23:00:00Z"),
    ] {
        assert_eq!(read(row), [moment(from), moment(until)], "{row}");
    }
}

#[test]
fn mistakes_of_works_have_their_places() {
    let text = "object,from,until\n,2026-01-01,2026-01-02\nx,tomorrow,2026-01-02T04:00Z\nx,2026-01-02,2026-01-02\n\
                x,2026-01-02 25:00,2100-01-01\nx,2026-03-29 02:00,2026-03-29 02:30\n";
    let mistakes =
        Works::read(&Source::new("works.csv", text), &clock("Europe/Stockholm")).unwrap_err();
    let hint = "(write 2026-12-31 or 2026-12-31 22:00, which is local time)";
    let empty = "this is not after the begin of the work (a day is its 00:00: write the day after it, or a time)";
    assert_eq!(
        lines(mistakes),
        [
            "2:1: a work has an object".to_owned(),
            format!("3:3: \"tomorrow\" is no time in 1970 to 2099 {hint}"),
            format!("3:12: \"2026-01-02T04:00Z\" is no time in 1970 to 2099 {hint}"),
            format!("4:14: {empty}"),
            format!("5:3: \"2026-01-02 25:00\" is no time in 1970 to 2099 {hint}"),
            format!("5:20: \"2100-01-01\" is no time in 1970 to 2099 {hint}"),
            // The clocks pass over all of it.
            format!("6:20: {empty}"),
        ]
    );
}

proptest! {
    #[test]
    fn a_slot_is_what_the_zone_says(
        moment in 0i64..4_000_000_000,
        name in prop::sample::select(vec!["Europe/Stockholm", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"]),
    ) {
        let zone = TimeZone::get(name).unwrap();
        let shown = zone.to_datetime(Timestamp::from_second(moment).unwrap());
        let day = i64::from(shown.weekday().to_monday_zero_offset());
        let hour = day * 24 + i64::from(shown.hour());
        let calendar = Calendar::new(Clock::new(&zone), &[]);
        prop_assert_eq!(calendar.slot(moment, Step::Hour), Slot::Week(hour as u16));
        let quarter = hour * 4 + i64::from(shown.minute()) / 15;
        prop_assert_eq!(calendar.slot(moment, Step::Quarter), Slot::Week(quarter as u16));
    }
}
