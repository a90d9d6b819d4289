//! Mistakes of plans, and usages without a tariff: the messages for them.

use crate::plans::{changed, folder, plan};
use rating::{Number, Plan, State, TypeOfNumber, Usage, moment};

/// Returns the messages for the example after `text` in a file becomes `becomes`. If the file lacks `text`, `becomes`
/// is appended.
fn told(file: &str, text: &str, becomes: &str) -> String {
    let copy =
        changed(&folder("fjord"), file, |whole| match whole.contains(text) && !text.is_empty() {
            true => whole.replacen(text, becomes, 1),
            false => whole.to_owned() + becomes,
        });
    let read = Plan::read(copy.path());
    assert_eq!(read.plan.is_none(), diagnostics::has_errors(&read.diagnostics));
    let folder = copy.path().display().to_string() + "/";
    let all: Vec<String> =
        read.diagnostics.iter().map(|told| told.to_string().replace(&folder, "")).collect();
    all.join("\n")
}

fn check(file: &str, text: &str, becomes: &str, expected: &str) {
    let all = told(file, text, becomes);
    assert!(all.contains(expected), "{file}: \"{text}\" becomes \"{becomes}\" is told:\n{all}");
}

#[test]
fn a_mistake_is_shown_where_it_is_with_what_was_meant() {
    check(
        "prices.csv",
        "on-net,2026",
        "onnet,2026",
        "prices.csv:2:1: there is no class \"onnet\"\n    \
         2 | onnet,2026-01-01 Europe/Stockholm,,*,,0.10,min,1/1,0.49,,\n      \
           | ^^^^^ did you mean \"on-net\"?",
    );
}

#[test]
fn settings_are_checked() {
    for (text, becomes, expected) in [
        ("currency = \"SEK\"", "currency = \"SEKK\"", "3:13: \"SEKK\" is no code of ISO 4217"),
        ("currency = \"SEK\"\n", "", "1:1: \"currency\" is missing"),
        ("Europe/Stockholm", "Europe/Stokholm", "4:14: there is no time zone of this name"),
        ("tax-included = true", "tax-included = \"yes\"", "6:16: this is to be true or false"),
        ("tax-included", "tax-include", "there is no setting \"tax-include\""),
        ("= \"consumer\"", "= \"consumers\"", "\"subscribers\" has no \"consumers\""),
        ("\"monday\", ", "", "no day type has monday"),
        ("\"monday\", ", "\"monday\", \"moonday\", ", "\"moonday\" is no day"),
        ("\"saturday\", ", "\"saturday\", \"monday\", ", "\"monday\" has a day type already"),
        ("\"half-up\"", "\"halfup\"", "\"halfup\" is no way to round"),
        ("unit = \"0.01\"", "unit = \"0,01\"", "this has a comma; write a decimal point: 0.49"),
        ("unit = \"0.01\"", "unit = \"0\"", "this is 0 or more than a million"),
        ("[rounding]", "[roundings]", "\"rounding\" is missing"),
        ("\"46\"", "\"4x6\"", "\"4x6\" are no digits"),
        ("name = ", "name ", "tariff.toml:2:6:"),
    ] {
        check("tariff.toml", text, becomes, expected);
    }
}

/// Puts an unclosed quote, or text after a closing quote, into each table of a plan: the error points to the quote.
#[test]
fn a_quote_that_is_not_closed_is_a_mistake_in_every_table() {
    let entries =
        std::fs::read_dir(folder("fjord")).unwrap().map(|entry| entry.unwrap().file_name());
    let tables: Vec<String> = entries.filter_map(|name| name.into_string().ok()).collect();
    let tables = tables.iter().filter(|name| name.ends_with(".csv"));
    for table in tables.inspect(|table| assert!(!table.is_empty())) {
        let text = std::fs::read_to_string(folder("fjord").join(table)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let row = lines.skip(1).find(|row| !row.contains('"')).expect("it has rows");
        let place = |line: usize, column: usize| format!("{table}:{line}:{column}: ");
        let line = 1 + text.lines().position(|found| found == row).expect("it is there");
        for (quoted, told) in [
            (format!("\"{row}"), "this quote is not closed"),
            (format!("\"x\"{row}"), "characters stand behind the quote that closes this one"),
        ] {
            let expected = place(line, 1) + told;
            check(table, &format!("{row}\n"), &format!("{quoted}\n"), &expected);
        }
        check(table, &format!("{row}\n"), "\u{e9}\0\n", "has NULs in it");
    }
}

#[test]
fn tables_are_checked() {
    for (file, text, becomes, expected) in [
        ("prefixes.csv", "4672,SE", "4672123456789,SE", "this has more than 12 digits"),
        ("prefixes.csv", "4672,SE", "4672x,SE", "prefixes.csv:3:1: \"4672x\" is no number"),
        ("prefixes.csv", "4672,SE", "4.67E+03,SE", "a spreadsheet made this of it"),
        (
            "prefixes.csv",
            "4673,SE",
            "4672,SE",
            "prefixes.csv:4:1: \"4672\" stands in line 3 already",
        ),
        ("prefixes.csv", "4672,SE-mobile", "4672,", "prefixes.csv:3:6: this line has no zone"),
        ("prefixes.csv", "4672,SE-mobile", "4672", "this line has 1 cell, the first line has 2"),
        ("ported.csv", "46705550100", "46731234567", "stands in line 2 already"),
        ("ported.csv", "46705550100", "0705550100", "this is as somebody dials it"),
        ("prefixes.csv", "4672,SE", "*4672,SE", "a prefix is of digits"),
        ("subscribers.csv", "467000", "46700b", "a prefix is of digits"),
        ("ported.csv", "46705550100", "-46705550100", "a hyphen stands before its digits"),
        (
            "tariff.toml",
            "country-code = \"46\"\n",
            "",
            "\"national-prefix\" is of numbers of the country, and there is no country code",
        ),
        (
            "tariff.toml",
            "[numbers]",
            "[numbers]\ndigits-min = 16",
            "this is to be a number from 1 to 15",
        ),
        ("prefixes.csv", "4672,SE", "004672,SE", "this is as somebody dials it"),
        (
            "tariff.toml",
            "[numbers]",
            "[numbers]\nwithout-prefix = \"any\"",
            "write international, national or refused",
        ),
        ("tariff.toml", "\"ported.csv\"", "\"portd.csv\"", "did you mean \"ported.csv\"?"),
        ("subscribers.csv", "plus", "pluss", "there is no subscriber type \"pluss\""),
        ("holidays.csv", "2025-01-06", "2025-02-30", "\"2025-02-30\" is no date"),
        ("holidays.csv", "2025-01-06", "2025-01-01", "is a holiday of this country already"),
        (
            "bands.csv",
            "07:00,19:00",
            "07:30,19:00",
            "a gap: no band has the time before this (07:00 of \"workday\")",
        ),
        (
            "bands.csv",
            "07:00,19:00",
            "06:30,19:00",
            "an overlap: another band has a part of this (06:30 of \"workday\")",
        ),
        ("bands.csv", "19:00,24:00", "19:00,23:00", "a gap: \"workday\" has no band from 23:00 on"),
        ("bands.csv", "19:00,24:00", "19:00,07:00", "the times are in the wrong order"),
        ("bands.csv", "07:00,19:00", "7,19:00", "\"7\" is no time of day"),
        ("bands.csv", "weekend", "weekends", "did you mean \"weekend\"?"),
        ("partners.csv", "Europe/Berlin", "Europe/Bern", "there is no time zone of this name"),
        ("partners.csv", "NORTM", "DEUD1", "\"DEUD1\" stands there twice"),
        ("classes.csv", "on-net,seconds", "on-net,second", "\"second\" is no unit"),
        (
            "classes.csv",
            "mobile-business,seconds,start",
            "mobile-business,seconds,begin",
            "write split, start",
        ),
        (
            "classes.csv",
            "fixed,seconds,split,vat",
            "fixed,seconds,split,vatt",
            "there is no tax \"vatt\"",
        ),
        ("classes.csv", "", "new,seconds,,\n", "classes.csv:21:1: class \"new\" has no price"),
        ("classes.csv", "", "new,seconds,,\n", "warning: no line leads to class \"new\""),
        ("analysis.csv", "Fjord,nordic", "Fjord,nordics", "did you mean \"nordic\"?"),
        (
            "analysis.csv",
            "telephony,*,Fjord,eu,eu",
            "telephony,*,Fjord,nordic,eu",
            "an overlap: usages are for line 5 as well",
        ),
        ("analysis.csv", "sms,*,roam-eu,*", "sms,*,*,nordic", "an overlap"),
        (
            "prefixes.csv",
            "",
            "999,nowhere\n",
            "warning: no line has a class from \"Fjord\" to zone \"nowhere\"",
        ),
        (
            "tariff.toml",
            "\"data\"]",
            "\"data\", \"video\"]",
            "warning: no line has a class for service \"video\"",
        ),
        (
            "prices.csv",
            "on-net,2026-01-01 Europe/Stockholm",
            "on-net,2026-01-01",
            "prices.csv:2:8: this time has no zone",
        ),
        ("prices.csv", "0.10,min,1/1", "-0.10,min,1/1", "this is negative"),
        ("prices.csv", "0.10,min,1/1", "0.10,minn,1/1", "\"minn\" is no number of seconds"),
        ("prices.csv", "0.10,min,1/1", "0.10,0,1/1", "this is 0"),
        ("prices.csv", "0.10,min,1/1", "0.10,min,1", "\"1\" is no pair of intervals"),
        ("prices.csv", "0.10,min,1/1", "0.10,min,60/0", "\"60/0\" is no pair of intervals"),
        (
            "prices.csv",
            "Stockholm,,peak,,0.60",
            "Stockholm,,peek,,0.60",
            "there is no band \"peek\"",
        ),
        (
            "prices.csv",
            "mobile,2026-01-01 Europe/Stockholm,,low,",
            "mobile,2025-01-01 Europe/Stockholm,,low,",
            "there is no price in band \"low\"",
        ),
        (
            "prices.csv",
            "fixed,2025-01-01 Europe/Stockholm,,",
            "fixed,2025-01-01 Europe/Stockholm,2024-01-01 UTC,",
            "the dates are in the wrong order",
        ),
        (
            "prices.csv",
            "fixed,2025-01-01 Europe/Stockholm,,",
            "fixed,2025-01-01 Europe/Stockholm,2026-02-01 UTC,",
            "an overlap: the next prices",
        ),
        (
            "prices.csv",
            "fixed,2025-01-01 Europe/Stockholm,,",
            "fixed,2025-01-01 Europe/Stockholm,2025-12-01 UTC,",
            "warning: a gap: the next prices",
        ),
        (
            "prices.csv",
            "peak,,4.90",
            "peak,1 min,4.90",
            "this stands in the line that is from 0 on",
        ),
        (
            "prices.csv",
            "peak,10 min,3.90",
            "peak,,3.90",
            "an overlap: line 11 has a price for the same",
        ),
        ("prices.csv", "30.00,300.00", "30.00,3.00", "the maximum is less than the minimum"),
        ("bundles.csv", "seconds,100 min", "octets,100 MB", "does not count octets"),
        ("bundles.csv", "plus-100", "plus-summer", "\"plus-summer\" stands there twice"),
        ("bundles.csv", "100 min,month", "100 min,year", "\"year\" is no period"),
        (
            "bundles.csv",
            "on-net fixed mobile",
            "on-net fixd mobile",
            "bundles.csv:2:27: there is no class \"fixd\"",
        ),
        ("discounts.csv", "2000.00,20", "400.00,20", "in the order of their amounts"),
        ("discounts.csv", "500.00,10", "500.00,101", "these are too many percent"),
        (
            "discounts.csv",
            "",
            "other,business,mobile,month,1.00,5\n",
            "an overlap: \"business-volume\" is for the same",
        ),
        ("taxes.csv", "", "vat,20,2019-01-01 UTC\n", "the dates are in the wrong order"),
    ] {
        check(file, text, becomes, expected);
    }
}

#[test]
fn a_gap_among_prefixes_is_a_warning() {
    let block: String = (0..9).map(|digit| format!("39{digit},eu\n")).collect();
    check(
        "prefixes.csv",
        "39,eu\n",
        &block,
        "warning: a gap: numbers that begin with 399 have no zone",
    );
    assert_eq!(told("prefixes.csv", "39,eu\n", "391,eu\n392,eu\n"), "", "two are no block");
}

#[test]
fn a_table_that_a_plan_says_it_has_must_be_there_with_something_in_it() {
    let said = changed(&folder("fjord"), "tariff.toml", str::to_owned);
    assert!(Plan::read(said.path()).plan.is_some());
    for (file, text, expected) in [
        ("ported.csv", "number,zone\n", "this file has no lines"),
        ("short.csv", "", "this file has no lines"),
    ] {
        let copy = changed(said.path(), file, |_| text.to_owned());
        let read = Plan::read(copy.path());
        assert!(read.plan.is_none(), "{file}");
        assert!(read.diagnostics[0].to_string().contains(expected), "{}", read.diagnostics[0]);
    }
    std::fs::remove_file(said.path().join("ported.csv")).unwrap();
    let gone = Plan::read(said.path()).diagnostics.remove(0).to_string();
    assert!(gone.contains("ported.csv:1:1: this file is missing, and tariff.toml says"), "{gone}");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let copy = changed(&folder("fjord"), "prices.csv", |text| text.replace("min,", "mni,"));
    assert!(Plan::read(copy.path()).diagnostics.len() > 10);
}

#[test]
fn what_is_missing_is_told() {
    for (file, expected) in [
        ("tariff.toml", "tariff.toml:1:1: this file is missing"),
        ("prices.csv", "prices.csv:1:1: this file is missing"),
        ("classes.csv", "classes.csv:1:1: this file is missing"),
        ("analysis.csv", "analysis.csv:1:1: this file is missing"),
    ] {
        let copy = changed(&folder("fjord"), file, str::to_owned);
        std::fs::remove_file(copy.path().join(file)).unwrap();
        let told =
            Plan::read(copy.path()).diagnostics.iter().map(ToString::to_string).collect::<String>();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn prices_that_cannot_be_added_exactly_are_refused() {
    let primes = ["1000003", "1000033", "1000037"];
    let lines: String = primes
        .iter()
        .enumerate()
        .map(|(n, prime)| {
            format!("on-net,2026-01-01 Europe/Stockholm,,*,{n},0.10,{prime},,,,\n")
                .replace("*,0,", "*,,")
        })
        .collect();
    let line = "on-net,2026-01-01 Europe/Stockholm,,*,,0.10,min,1/1,0.49,,\n";
    check("prices.csv", line, &lines, "prices of this plan cannot be added exactly");
}

/// A call that has a tariff.
fn call() -> Usage<'static> {
    Usage {
        service: Some("telephony"),
        served: Some(Number::unknown(b"0701234567")),
        other: Some(Number::unknown(b"0721234567")),
        duration: Some(60),
        ..Usage::at(moment("2026-06-01 12:00 Europe/Stockholm").unwrap())
    }
}

#[test]
fn a_usage_without_tariff_names_the_step_that_found_nothing() {
    let plan = plan("fjord");
    let number = |digits: &'static [u8]| Some(Number::unknown(digits));
    for (usage, expected) in [
        (
            Usage { service: Some("telefony"), ..call() },
            "service: analysis.csv does not know \"telefony\"; did you mean \"telephony\"?",
        ),
        (
            Usage { service: Some("voice"), ..call() },
            "service: analysis.csv does not know \"voice\"; known there: telephony, sms, ",
        ),
        (
            Usage { service: None, ..call() },
            "charging analysis: no line of analysis.csv is for no service, subscriber \"consumer\", from \"Fjord\", to \"SE-mobile\"",
        ),
        (
            Usage { service: Some("data"), other: None, partner: Some("XXXXX"), ..call() },
            "roaming partner: partners.csv does not know \"XXXXX\"; known there: ",
        ),
        (
            Usage { other: number(b"000999123"), ..call() },
            "number analysis: other number \"000999123\": it is to begin with a country code, and none begins with 0",
        ),
        (
            Usage { other: number(b"12345678901234567"), ..call() },
            "number analysis: other number \"12345678901234567\": it has more than 16 digits",
        ),
        (
            Usage { other: number(b"alice"), ..call() },
            "number analysis: other number \"alice\": it has another character",
        ),
        (
            Usage { other: None, ..call() },
            "charging analysis: no line of analysis.csv is for service \"telephony\", subscriber \"consumer\", from \"Fjord\", no to",
        ),
        (Usage { served: number(b"0812345678"), ..call() }, "from \"SE-fixed\", to \"SE-mobile\""),
        (
            Usage { subscriber: Some("gold"), ..call() },
            "subscriber type: the plan does not know \"gold\"; known there: consumer, plus, business",
        ),
        (
            Usage { start: moment("2024-01-01 UTC").unwrap(), ..call() },
            "price: class \"mobile\" has no price in prices.csv that is valid at 2024-01-01T00:00:00Z",
        ),
        (
            Usage { duration: None, ..call() },
            "quantity: class \"mobile\" counts seconds, and the usage has none",
        ),
        (
            Usage { duration: Some(400 * 86_400), ..call() },
            "quantity: 34560000 seconds are more than 31622400",
        ),
        (Usage { start: -1, ..call() }, "time: the start is before 1970 or after 2099"),
        (
            Usage {
                start: moment("2099-12-31 23:00 UTC").unwrap() - 1,
                duration: Some(7200),
                ..call()
            },
            "time: the end is after 2099",
        ),
        (
            Usage { service: Some("sms"), events: Some(1 << 59), ..call() },
            "cost more than can be counted",
        ),
    ] {
        let mut state = State::default();
        let told = plan.rate(&usage, &mut state).unwrap_err().to_string();
        assert!(told.starts_with("no tariff: ") && told.contains(expected), "{told}");
        assert_eq!(state, State::default(), "an error leaves the state as it was");
    }
}

#[test]
fn a_month_that_is_over_is_not_counted_any_more() {
    let plan = plan("fjord");
    let plus = Usage { subscriber: Some("plus"), ..call() };
    let mut state = State::default();
    plan.rate(&plus, &mut state).unwrap();
    state.end_usage();
    let may = moment("2026-05-31 23:59 Europe/Stockholm").unwrap();
    let told = plan.rate(&Usage { start: may, ..plus }, &mut state).unwrap_err().to_string();
    assert_eq!(told, "no tariff: bundle: the period of \"plus-100\" is over");
}

#[test]
fn a_part_does_not_start_before_its_usage() {
    let plan = plan("fjord");
    let mut state = State::default();
    plan.rate(&call(), &mut state).unwrap();
    let told = plan.rate(&Usage { start: call().start - 1, ..call() }, &mut state).unwrap_err();
    assert_eq!(told.to_string(), "no tariff: time: this part starts before its usage");
}

#[test]
fn numbers_are_what_their_record_says_they_are() {
    let plan = plan("fjord");
    for (digits, kind, class) in [
        ("721234567", TypeOfNumber::National, Some("mobile")),
        ("4915112345678", TypeOfNumber::International, Some("eu")),
        ("112", TypeOfNumber::Unknown, Some("free")),
        // As an international number it looks like the start of a number in the United States, but is too short.
        ("112", TypeOfNumber::International, None),
        ("12025550143", TypeOfNumber::International, Some("world-1")),
        ("", TypeOfNumber::Unknown, None),
    ] {
        let usage = Usage { other: Some(Number { digits: digits.as_bytes(), kind }), ..call() };
        assert_eq!(plan.tariff_class(&usage).ok(), class, "{digits} {kind:?}");
    }
}
