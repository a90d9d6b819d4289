//! Tests a flow with a rating node: records go on with their price, and those without a tariff are set aside with the
//! step that has none.

mod again;
mod counters;
mod doubted;
mod plans;
mod scripts;
mod site;
mod waiting;

use std::fs;

use site::{billed, change, flow, reasons, run, tollgate};
use tempfile::TempDir;

#[test]
fn a_record_goes_on_with_its_price_or_is_set_aside_with_the_step() {
    let folder = flow(
        "telephony,0701234567,0721234567,,20260601185930+0200,60,\n\
         telephony,0701234567,+4930123456,DEUD1,2026-06-01T12:00:00Z,31,\n\
         data,0701234567,,,20260601120000Z,,250000000\n\
         telephony,0701234567,000999,,20260601120000Z,60,\n\
         telephony,0701234567,0721234567,,20260601120000,60,\n\
         telephony,0701234567,0721234567,,20260601120000Z,-5,\n\
         telephony,0701234567,0721234567,,20260601120000Z,,\n",
    );
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    assert_eq!(
        fs::read_to_string(folder.path().join("out/calls.csv")).unwrap(),
        "other,duration,charge.class,charge.total,charge.tax,charge.currency\r\n\
         0721234567,60,mobile,94,0.19,SEK\r\n\
         +4930123456,31,roam-eu,28,0.06,SEK\r\n\
         ,,data-home,2250,4.50,SEK\r\n"
    );
    let output = tollgate(folder.path(), "suspense list flow.toml --json").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    for reason in [
        "no tariff: number analysis: other number \\\"000999\\\": it is to begin with a country code",
        "no tariff: time: start \\\"20260601120000\\\": this time has no zone",
        "no tariff: quantity: the duration is negative: -5",
        "no tariff: quantity: class \\\"mobile\\\" counts seconds, and the usage has none",
    ] {
        assert!(listed.contains(reason), "{reason} is not in {listed}");
    }
}

#[test]
fn mistakes_of_a_rating_node_are_shown_where_they_are() {
    for (from, to, told) in [
        (
            "counters = \"ignored\"\n",
            "",
            "this plan has bundles or discounts, which need counters of subscribers",
        ),
        ("counters = \"ignored\"", "counters = \"keep\"", "\"keep\" is no way with counters"),
        (
            "counters = \"ignored\"",
            "counters = \"ignored\"\naccount = \"record.served\"",
            "\"account\" is about counters, and none are kept",
        ),
        (
            "plan     = \"tariff\"",
            "plan     = \"tarif\"",
            "tarif/tariff.toml:1:1: this file is missing",
        ),
        ("charge.class", "charge.clas", "\"Usage.Charge\" has no field \"clas\""),
        (
            "total    = \"record.charge.total\"",
            "total    = \"charge.total\"",
            "\"charge.total\" is no field of the record",
        ),
        (
            "class    = \"record.charge.class\"",
            "class    = \"record.charge.total\"",
            "\"record.charge.total\" cannot hold this",
        ),
        ("start    = \"record.start\"\n", "", "\"price\" has no \"start\""),
        (
            "from     = \"switch\"",
            "from     = \"switch\"\nunit = \"cent\"",
            "\"cent\" is no unit of money",
        ),
        (
            "from     = \"switch\"",
            "from     = \"switch\"\nnumbers = \"bcd\"",
            "\"bcd\" is no form of numbers",
        ),
        (
            "from     = \"switch\"",
            "from     = \"switch\"\ntime-zone = \"Europe\"",
            "there is no time zone of this name",
        ),
    ] {
        let folder = flow("");
        change(&folder.path().join("flow.toml"), from, to);
        let (status, said) = run(folder.path(), "check flow.toml");
        assert!(status == 2 && said.contains(told), "{told} is not in {said}");
    }
}

#[test]
fn times_without_a_zone_have_that_of_the_node() {
    let folder = flow("telephony,0701234567,0721234567,,20260601185930,60,\n");
    change(
        &folder.path().join("flow.toml"),
        "start    =",
        "time-zone = \"Europe/Stockholm\"\nstart =",
    );
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    assert!(billed(folder.path(), "calls").contains("mobile,94"));
}

#[test]
fn what_is_no_time_or_no_number_is_priced_by_nothing() {
    let (sound, start) = ("0721234567", "20260601120000Z");
    let cases = [
        (sound, "201211211859Z", "time: start \"201211211859Z\": these digits are two times"),
        (
            sound,
            "2012-1-1 18:59:30Z",
            "time: start \"2012-1-1 18:59:30Z\": this is no time; a record has 2026",
        ),
        (sound, "202606-01T12:00:00Z", "this is no time"),
        (sound, "20260601120061Z", "this is no time"),
        (sound, "20260601120000+2359", "an offset is written +02:00"),
        (sound, "2026-06-01 12:00 Europe/Stockholm", "this is no time"),
        (sound, "20260601120000", "this time has no zone"),
        (sound, "20990601120000Z", "time: it was made in the future: it started at 2099"),
        (
            "+460721234567",
            start,
            "other number \"+460721234567\": the national prefix stands behind",
        ),
        ("00460721234567", start, "the national prefix stands behind"),
        ("+1", start, "other number \"+1\": it has fewer than 7 digits"),
        ("0721234567#", start, "other number \"0721234567#\": it has *, #, a or b"),
        ("-46721234567", start, "other number \"-46721234567\": a hyphen stands before its digits"),
    ];
    let record = |(other, start, _): &(&str, &str, &str)| {
        format!("telephony,0701234567,{other},,{start},60,\n")
    };
    let folder = flow(&cases.iter().map(record).collect::<String>());
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!((status, billed(folder.path(), "calls").as_str()), (1, ""), "{said}");
    let found = reasons(folder.path());
    assert_eq!(found.len(), cases.len(), "{found:?}");
    for ((other, start, expected), found) in cases.iter().zip(&found) {
        assert!(found.contains(expected), "{other} {start}: {found}");
    }
}

#[test]
fn a_time_stamp_that_is_none_is_shown_in_hexadecimal() {
    let stamps = ["2606011859302B0200", "2606011859302B0A00", "2606012400002B0000", "260601185930"];
    let record = |stamp: &&str| format!("telephony,0701234567,0721234567,,{stamp},60,\n");
    let folder = flow(&stamps.iter().map(record).collect::<String>());
    let here = folder.path();
    change(&here.join("rating.asn1"), "start    UTF8String", "start    OCTET STRING");
    change(&here.join("flow.toml"), "\"start\", \"duration\"", "\"start as hex\", \"duration\"");
    let (status, said) = run(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    assert!(
        billed(here, "calls").contains("0721234567,60,mobile,94,"),
        "{}",
        billed(here, "calls")
    );
    let found = reasons(here);
    assert_eq!(found.len(), 3, "{found:?}");
    for (stamp, found) in stamps[1..].iter().zip(&found) {
        let expected = format!("no tariff: time: start '{stamp}'H: this is no time; a record has ");
        assert!(
            found.contains(&expected) && found.contains("the nine octets of a TimeStamp"),
            "{found}"
        );
    }
}

#[test]
fn fields_that_a_price_needs_and_that_may_be_absent_are_warned_of() {
    let folder = flow("");
    let here = folder.path();
    let check = || {
        let (status, told) = run(here, "check flow.toml");
        assert_eq!(status, 0, "{told}");
        told
    };
    let told = check();
    assert!(!told.contains("OPTIONAL"), "what is absent is not said: {told}");
    change(&here.join("rating.asn1"), "start    UTF8String,", "start    UTF8String OPTIONAL,");
    let told = check();
    assert!(told.contains("warning: \"start\" is OPTIONAL"), "{told}");
    assert!(told.contains("start    = \"record.start\""), "{told}");
    let path = here.join("flow.toml");
    change(&path, "\"record.other\"", "'concat(record.other, \"\")'");
    assert!(check().contains("warning: \"other\" is OPTIONAL"), "{}", check());
    change(&path, "counters = \"ignored\"", "counters = \"kept\"");
    assert!(check().contains("warning: \"served\" is OPTIONAL"), "{}", check());
    assert!(!check().contains("\"duration\" is OPTIONAL"), "messages have none: {}", check());
    // Where all prices are per second, a record without duration has no price.
    fs::create_dir(here.join("seconds")).unwrap();
    for (name, text) in [
        (
            "tariff.toml",
            "name = \"seconds\"\ncurrency = \"SEK\"\ntime-zone = \"UTC\"\n[rounding]\nunit = \"0.01\"\nmode = \"up\"\n",
        ),
        ("classes.csv", "class,unit\ncall,seconds\n"),
        ("analysis.csv", "class\ncall\n"),
        ("prices.csv", "class,valid-from,price\ncall,2020-01-01 UTC,1\n"),
    ] {
        fs::write(here.join("seconds").join(name), text).unwrap();
    }
    change(&path, "plan     = \"tariff\"", "plan     = \"seconds\"");
    assert!(check().contains("\"duration\" is OPTIONAL"), "{}", check());
}

#[test]
fn records_of_a_switching_centre_are_rated_as_they_are() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msc-billing/asn1/msc.asn1");
    fs::copy(module, here.join("msc.asn1")).unwrap();
    fs::create_dir(here.join("plan")).unwrap();
    let everywhere: String = (0..10).map(|digit| format!("{digit},anywhere\n")).collect();
    for (name, text) in [
        ("flow.toml", include_str!("flows/switch-rating.toml")),
        (
            "plan/tariff.toml",
            "name = \"p\"\ncurrency = \"SEK\"\ntime-zone = \"UTC\"\n[rounding]\nunit = \"0.01\"\nmode = \"up\"\n",
        ),
        ("plan/prefixes.csv", &format!("prefix,zone\n{everywhere}")),
        ("plan/classes.csv", "class,unit\ncall,seconds\n"),
        ("plan/analysis.csv", "to,class\nanywhere,call\n-,call\n"),
        ("plan/prices.csv", "class,valid-from,price\ncall,2000-01-01 UTC,0.01\n"),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
    let simulate = "simulate cdr --count 200 --files 1 --centre boston:8 made";
    assert_eq!(run(here, simulate).0, 0);
    // Some of the simulated numbers begin with 0, which no international number does.
    let (_, said) = run(here, "run flow.toml --once");
    let suspended = tollgate(here, "suspense list flow.toml").output().unwrap();
    let suspended = String::from_utf8(suspended.stdout).unwrap();
    let no_numbers = suspended.matches("country code, and none begins with 0").count();
    let text = fs::read_to_string(here.join("out/boston-00001.csv")).expect(&said);
    let mut lines = 0;
    for line in text.lines().skip(1) {
        let (seconds, price) = line.split_once(',').unwrap();
        let seconds: u64 = seconds.parse().unwrap();
        assert_eq!(price, format!("{}.{:02}", seconds / 100, seconds % 100));
        lines += 1;
    }
    assert_eq!(lines + no_numbers, 200, "{suspended}");
    assert!(no_numbers < 50, "{suspended}");
}
