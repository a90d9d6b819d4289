//! Tests a flow with a rating node: records go on with their price, and those without a tariff are set aside with the
//! step that has none.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::wait::wait_for;
use tempfile::TempDir;

const HEADER: &str = "service,served,other,partner,start,duration,octets\n";

/// Returns a command in a folder.
fn tollgate(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

/// Returns the status of a command and its output.
fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder, line).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Creates the flow, with the example's plan in `tariff` and a file of these records.
fn flow(records: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::write(here.join("flow.toml"), include_str!("flows/rating.toml")).unwrap();
    fs::write(here.join("rating.asn1"), include_str!("flows/rating.asn1")).unwrap();
    for made in ["in", "tariff"] {
        fs::create_dir(here.join(made)).unwrap();
    }
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    for entry in fs::read_dir(plan).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), here.join("tariff").join(entry.file_name())).unwrap();
    }
    fs::write(here.join("in/calls.csv"), HEADER.to_owned() + records).unwrap();
    folder
}

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

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
fn a_record_is_priced_by_the_version_that_was_valid_when_it_started() {
    let call = "telephony,0701234567,0721234567,";
    let records = ["20251231230000Z", "20260601120000Z", "20990601120000Z", "20251231225959Z"]
        .map(|start| format!("{call},{start},60,\n"));
    let folder = flow(&records.concat());
    let here = folder.path();
    let load = |from: &str| {
        let line =
            ["tariff", "load", "tariff", "tariffs.db", "--valid-from", from, "--because", "test"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        assert!(command.current_dir(here).args(line).status().unwrap().success());
    };
    load("2026-01-01 Europe/Stockholm");
    let peak = "mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min,1/1,0.49,,";
    change(&here.join("tariff/prices.csv"), peak, &peak.replace("0.49", "0.59"));
    load("2099-01-01 Europe/Stockholm");
    change(&here.join("flow.toml"), "plan     = \"tariff\"", "plan = \"tariffs.db\"");
    let (status, said) = run(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    // A record that begins in the future has no price yet.
    let prices: Vec<String> = billed(here, "calls")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().to_owned())
        .collect();
    assert_eq!(prices, ["79", "109"], "at night, and by day");
    let explain = [
        "tariff",
        "explain",
        "tariffs.db",
        "--service",
        "telephony",
        "--from",
        "0701234567",
        "--to",
        "0721234567",
        "--start",
        "20990601120000Z",
        "--duration",
        "60",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(here).args(explain).output().unwrap();
    let explained = String::from_utf8(output.stdout).unwrap();
    assert!(explained.contains("1.19 SEK"), "by day in the next version: {explained}");
    let output = tollgate(here, "suspense list flow.toml --json").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(listed.contains("no version of the plan was valid when this started"), "{listed}");
    assert!(
        listed.contains("it was made in the future: it started at 2099-06-01T12:00:00Z"),
        "{listed}"
    );
}

/// Returns the reasons for which records are in suspense, in order.
fn reasons(folder: &Path) -> Vec<String> {
    let output = tollgate(folder, "suspense list flow.toml --json").output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let reason = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["reason"].as_str().unwrap().to_owned()
    };
    lines.lines().map(reason).collect()
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
fn a_replay_shows_what_another_price_would_change() {
    let folder = flow(
        "telephony,0701234567,0721234567,,20260601120000Z,60,\n\
         telephony,0701234567,0721234567,,20260601230000Z,60,\n\
         telephony,0701234567,0721234567,,20260601120100Z,120,\n",
    );
    let here = folder.path();
    change(&here.join("flow.toml"), "[asn1]", "[archive]\n\n[asn1]");
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let before = billed(here, "calls");
    fs::create_dir(here.join("new")).unwrap();
    fs::copy(here.join("tariff/prices.csv"), here.join("new/prices.csv")).unwrap();
    let replay = "replay flow.toml --json --with new/prices.csv";
    assert_eq!(run(here, replay).0, 0, "it is the same");
    let peak = "mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min";
    change(&here.join("new/prices.csv"), peak, &peak.replace("0.60", "0.90"));
    let output = tollgate(here, replay).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let totals: Vec<(u64, String, String)> = lines
        .filter_map(|line| Some(line.get("record")?.clone()))
        .map(|record| {
            let fields = record["receivers"][0]["fields"].as_array().unwrap().iter();
            let total = fields.clone().find(|field| field["field"] == "charge.total").unwrap();
            let text = |of: &str| total[of].to_string().replace('"', "");
            (record["record"].as_u64().unwrap(), text("before"), text("after"))
        })
        .collect();
    // The second call is at night.
    let totals: Vec<(u64, &str, &str)> =
        totals.iter().map(|(record, before, after)| (*record, &**before, &**after)).collect();
    assert_eq!(totals, [(1, "109", "139"), (3, "169", "229")]);
    assert_eq!(billed(here, "calls"), before, "nothing is delivered");
    // A complete plan.
    let plans = [here.join("tariff"), here.join("other")];
    fs::create_dir(&plans[1]).unwrap();
    for entry in fs::read_dir(&plans[0]).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), plans[1].join(entry.file_name())).unwrap();
    }
    fs::write(plans[1].join("notes.txt"), "of nobody's concern").unwrap();
    let names = |plan: &Path| {
        let names = fs::read_dir(plan).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let had = plans.each_ref().map(|plan| names(plan));
    assert_eq!(run(here, "replay flow.toml --with tariff=other").0, 0);
    fs::copy(here.join("new/prices.csv"), plans[1].join("prices.csv")).unwrap();
    assert_eq!(run(here, "replay flow.toml --with tariff=other").0, 1);
    let (status, said) = run(here, "replay flow.toml --with tariff=other new/prices.csv");
    assert!(status == 2 && said.contains("whose place something else takes"), "{said}");
    assert_eq!(plans.each_ref().map(|plan| names(plan)), had, "nothing is put into either");
}

#[test]
fn functions_of_a_script_decide_what_special_records_are() {
    let folder = flow(
        "ip,0701234567,,,20260601120000Z,,250000000\ntelephony,0701234567,112,,20260601120000Z,9,0\n",
    );
    let page = page("rate-records.md");
    let block = |language: &str| blocks(&page, language).remove(0);
    let node = block("toml");
    let all = include_str!("flows/rating.toml");
    assert!(all.contains(&node), "the page shows the node of this test");
    let script = block("dup")
        + "UTF8String startOf(r CONST Record) { return r.start; }\n"
        + "UTF8String served(r CONST Record) { return r.served; }\n"
        + "UTF8String other(r CONST Record) { if (present(r.other)) { return r.other; } return \"\"; }\n"
        + "INTEGER octets(r CONST Record) { return r.octets; }\n"
        + "INTEGER duration(r CONST Record) { if (present(r.duration)) { return r.duration; } return 0; }\n";
    fs::write(folder.path().join("usage.dup"), script).unwrap();
    let path = folder.path().join("flow.toml");
    change(
        &path,
        "service  = \"record.service\"",
        "script = \"usage.dup\"\nservice = \"serviceOf\"",
    );
    change(&path, "partner  = \"record.partner\"\n", "");
    change(&path, "\"record.start\"", "\"startOf\"");
    for field in ["served", "other", "duration", "octets"] {
        change(&path, &format!("\"record.{field}\""), &format!("\"{field}\""));
    }
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    let billed = billed(folder.path(), "calls");
    assert!(billed.contains("data-home,2250") && billed.contains("free,0"), "{billed}");
}

/// Creates the flow with a formatter of this script after the rating node.
fn flow_with_script(records: &str, script: &str) -> TempDir {
    let folder = flow(records);
    fs::write(folder.path().join("special.dup"), script).unwrap();
    let system = "[post-processing-system.billing]\nfrom    = ";
    let formatter = "[formatter.special]\nfrom = \"price\"\nscript = \"special.dup\"\n\n";
    let with = format!("{formatter}{system}\"special\"");
    change(&folder.path().join("flow.toml"), &format!("{system}\"price\""), &with);
    folder
}

#[test]
fn a_script_compares_prices() {
    let script = &blocks(&page("rate-records.md"), "dup")[1];
    let folder = flow_with_script(
        "telephony,0701234567,+4930123456,DEUD1,20260601120000+0000,600,\n\
         telephony,0701234567,+4930123456,USAW6,20260601120000+0000,600,\n",
        script,
    );
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    let billed = billed(folder.path(), "calls");
    assert!(billed.contains("roam-eu,550,") && billed.contains("roam-world,2469,"), "{billed}");
}

#[test]
fn what_a_script_finds_no_tariff_for_is_set_aside_with_the_step() {
    let script = "declare fjord TARIFF \"tariffs.db\" WITHOUT COUNTERS;

NULL special(record Record)
{
  declare usage TariffUsage;
  usage.service := record.service;
  usage.served := record.served;
  usage.other := replace(record.other, \"112\", \"000999\");
  usage.start := parseTime(record.start, \"%Y%m%d%H%M%S%z\");
  usage.duration := record.duration;
  record.charge.total := rate(fjord, usage, \"0.001\").total;
}
";
    let folder = flow_with_script(
        "telephony,0701234567,0721234567,,20260601120000+0000,60,\n\
         telephony,0701234567,112,,20260601120000+0000,60,\n\
         telephony,0701234567,0721234567,,20260301120000+0000,60,\n",
        script,
    );
    let load = ["tariff", "load", "tariff", "tariffs.db", "--because", "test", "--valid-from"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let command = command.current_dir(folder.path()).args(load).arg("2026-06-01 Europe/Stockholm");
    assert!(command.status().unwrap().success());
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    let billed = billed(folder.path(), "calls");
    assert!(billed.contains("mobile,1090,") && billed.lines().count() == 2, "{billed}");
    let output = tollgate(folder.path(), "suspense list flow.toml --json").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    for reason in [
        "special.dup:11:26: no tariff: number analysis: other number \\\"000999\\\": it is to begin with a country code",
        "special.dup:11:26: no tariff: time: no version of the plan was valid when this started",
    ] {
        assert!(listed.contains(reason), "{reason} is not in {listed}");
    }
}

/// Creates a flow that keeps counters, with 100 minutes a month for each subscriber.
fn counting(records: &str) -> TempDir {
    let folder = flow(records);
    change(&folder.path().join("flow.toml"), "counters = \"ignored\"", "counters = \"kept\"");
    let tariff = folder.path().join("tariff");
    change(&tariff.join("tariff.toml"), "subscriber = \"consumer\"", "subscriber = \"plus\"");
    folder
}

/// Returns a call of `seconds` seconds, on a day.
fn call_of(seconds: u32, served: &str, day: &str) -> String {
    format!("telephony,{served},0721234567,,{day}120000Z,{seconds},\n")
}

fn put(folder: &Path, name: &str, records: &str) {
    fs::write(folder.join("in").join(name), HEADER.to_owned() + records).unwrap();
}

/// Returns the prices of the calls in a file, in the order of its records.
fn prices(folder: &Path, stem: &str) -> Vec<String> {
    let text = billed(folder, stem);
    text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().to_owned()).collect()
}

fn counters(folder: &Path, line: &str) -> String {
    let output = tollgate(folder, &format!("tariff counters flow.toml {line}")).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn counters_of_subscribers_go_on_from_file_to_file() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    // The same subscriber, dialled in another form; another subscriber; and the month before.
    put(
        here,
        "two.csv",
        &[
            call_of(1_060, "+46701234567", "20261006"),
            call_of(60, "0701234567", "20261006"),
            call_of(60, "0707654321", "20261006"),
            call_of(60, "0701234567", "20260930"),
        ]
        .concat(),
    );
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert_eq!(
        (prices(here, "calls"), prices(here, "two")),
        (
            vec!["0".to_owned()],
            // The bundle has 1000 seconds left: a minute is paid; then a whole call with its set-up charge.
            ["60", "109", "0", "0"].map(str::to_owned).to_vec(),
        )
    );
    assert_eq!(
        counters(here, "46701234567"),
        "price  bundle plus-100             2026-10     6000 seconds used, last by two.csv\n\
         price  bundle plus-100             2026-09     60 seconds used, last by two.csv\n"
    );
    assert!(counters(here, "46707654321 --json").contains("\"used\":\"60\""));
    assert!(counters(here, "46700000000").contains("no counters of \"46700000000\" are kept"));
}

#[test]
fn a_record_that_is_set_aside_was_not_counted_and_is_when_it_is_retried() {
    let script = "declare wrong TABLE \"wrong.csv\";
NULL special(record Record)
{ if (present(lookup(wrong, toString(record.duration)))) { reject(\"not yet\"); } }
";
    let calls = [call_of(5_970, "0701234567", "20261005"), call_of(60, "0701234567", "20261005")];
    let folder = flow_with_script(&calls.concat(), script);
    let here = folder.path();
    change(&here.join("flow.toml"), "counters = \"ignored\"", "counters = \"kept\"");
    change(&here.join("tariff/tariff.toml"), "subscriber = \"consumer\"", "subscriber = \"plus\"");
    fs::write(here.join("wrong.csv"), "seconds,why\n5970,test\n").unwrap();
    assert_eq!(run(here, "run flow.toml --once").0, 1);
    assert!(counters(here, "46701234567").contains("2026-10     60 seconds used"));
    fs::write(here.join("wrong.csv"), "seconds,why\n1,test\n").unwrap();
    assert_eq!(run(here, "suspense retry flow.toml --all").0, 0);
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert!(counters(here, "46701234567").contains("2026-10     6000 seconds used"));
    let retried: Vec<String> = fs::read_dir(here.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| stem.contains("retry"))
        .collect();
    assert_eq!(prices(here, &retried[0]), ["30"], "half a minute was used up");
}

/// Returns the alarms of a flow; none if none are raised.
fn alarms(folder: &Path) -> String {
    let output = tollgate(folder, "alarms flow.toml").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!listed.is_empty())), "{listed}");
    listed
}

/// Renames the rating node.
fn rename(folder: &Path, from: &str, to: &str) {
    let path = folder.join("flow.toml");
    change(&path, &format!("[rating.{from}]"), &format!("[rating.{to}]"));
    change(&path, &format!("from    = \"{from}\""), &format!("from    = \"{to}\""));
}

#[test]
fn counters_of_a_node_that_has_another_name_are_missed_and_moved() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    rename(here, "price", "cost");
    // A subscriber that both names have counted, and one that only the new name has.
    let calls = [call_of(900, "0701234567", "20261006"), call_of(60, "0707654321", "20261006")];
    put(here, "two.csv", &calls.concat());
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("no rating node \"price\" of the flow keeps counters any more"));
    let command = |line: &str| run(here, &format!("tariff counters flow.toml {line}"));
    for (line, said) in [
        (
            "--move prise cost --because renamed",
            "no counters of \"prise\"; there are some of \"cost\", \"price\"",
        ),
        (
            "--move price csot --because renamed",
            "the flow has no node \"csot\" that keeps counters",
        ),
        (
            "--move cost price --because renamed",
            "\"cost\" is a node of the flow, and its counters count",
        ),
        (
            "--forget cost --because mistake",
            "\"cost\" is a node of the flow, and its counters count",
        ),
        ("--accept cost --because equal", "there is nothing to accept"),
        ("--move price cost", "--because"),
        ("46701234567 --move price cost --because renamed", "cannot be used with"),
    ] {
        let (status, told) = command(line);
        assert!(status == 2 && told.contains(said), "{line}: {told}");
    }
    let mut moves = tollgate(here, "tariff counters flow.toml --move price cost --because renamed");
    assert_eq!(
        String::from_utf8_lossy(&moves.output().unwrap().stdout),
        "the counters of 1 subscriber go from \"price\" to \"cost\"; 1 had been counted under both names: that is \
         added up\n"
    );
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("2026-10     5900 seconds used"));
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert!(trail.contains("counters move") && trail.contains("renamed"), "{trail}");
    put(here, "three.csv", &call_of(160, "0701234567", "20261007"));
    run(here, "run flow.toml --once");
    assert_eq!(prices(here, "three"), ["60"], "100 seconds were left");
    // The old name again, and the counters forgotten.
    rename(here, "cost", "price");
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("\"cost\""));
    assert_eq!(command("--forget cost --because test").0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("no counters of \"46701234567\" are kept"));
}

#[test]
fn a_node_that_says_otherwise_whose_counters_count_a_record_is_an_alarm() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    let path = here.join("flow.toml");
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let kept = "counters = \"kept\"";
    let account = format!("{kept}\naccount  = 'concat(\"+\", record.served)'");
    change(&path, kept, &account);
    run(here, "run flow.toml --once");
    let told =
        "\"price\" has counters that were counted when it said otherwise whose counters count";
    assert!(alarms(here).contains(told), "{}", alarms(here));
    let accept = "tariff counters flow.toml --accept price --because alike";
    let forget = "tariff counters flow.toml --forget price --because other";
    change(&path, &account, kept);
    run(here, "run flow.toml --once");
    assert_eq!(alarms(here), "", "it is as it was");
    assert_eq!(run(here, accept).0, 2, "there is nothing to accept");
    change(&path, kept, &account);
    run(here, "run flow.toml --once");
    assert!(!alarms(here).is_empty());
    assert_eq!(run(here, accept).0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("5000 seconds used"), "they count on");
    change(&path, &account, kept);
    run(here, "run flow.toml --once");
    assert_eq!(run(here, forget).0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("no counters of"));
}

#[test]
fn what_was_counted_for_one_account_is_told_from_what_was_for_another() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    let path = here.join("flow.toml");
    let account = |of: &str| format!("counters = \"kept\"\naccount  = '{of}'");
    let [served, other, alike] = [
        "counters = \"kept\"".to_owned(),
        account("concat(\"x\", record.served)"),
        account("concat(\"x\", concat(record.served, \"\"))"),
    ];
    let count = |file: &str, calls: &[(u32, &str)]| {
        let calls = calls.iter().map(|(seconds, served)| call_of(*seconds, served, "20261006"));
        put(here, file, &calls.collect::<String>());
        run(here, "run flow.toml --once");
    };
    let forget = || {
        let line = "tariff counters flow.toml --forget price --because other";
        let output = tollgate(here, line).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let used = |whose: &str| {
        let counted = counters(here, whose);
        counted.split_whitespace().nth(4).unwrap_or_default().parse().unwrap_or(0)
    };
    run(here, "run flow.toml --once");
    // Another account for a while: it has a bundle of its own, which must not be overlooked.
    change(&path, &served, &other);
    count("two.csv", &[(1_000, "0701234567"), (1_000, "0707654321")]);
    change(&path, &other, &served);
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("counters-keyed-otherwise"), "{}", alarms(here));
    assert_eq!((used("46701234567"), used("x0701234567")), (5_000, 1_000));
    assert_eq!(forget(), "the counters of 2 subscribers in \"price\" are forgotten\n");
    assert_eq!((used("46701234567"), used("x0701234567")), (5_000, 0));
    assert_eq!(alarms(here), "");
    // Another account for good: what it has counted meanwhile stays.
    change(&path, &served, &other);
    count("three.csv", &[(900, "0701234567")]);
    assert_eq!(forget(), "the counters of 1 subscriber in \"price\" are forgotten\n");
    assert_eq!((used("46701234567"), used("x0701234567")), (0, 900));
    assert_eq!(alarms(here), "");
    // Counters that both accounts have used are not forgotten for one of them.
    change(&path, &other, &alike);
    count("four.csv", &[(100, "0701234567"), (100, "0707654321")]);
    change(&path, &alike, &other);
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("counters-keyed-otherwise"), "{}", alarms(here));
    assert_eq!(
        forget(),
        "the counters of 1 subscriber in \"price\" are forgotten; those of 1 subscriber stay, which were counted by \
         what the node says now too\n"
    );
    assert_eq!((used("x0701234567"), used("x0707654321")), (1_000, 0));
    assert_eq!(alarms(here), "");
    assert_eq!(run(here, "tariff counters flow.toml --accept price --because alike").0, 2);
}

#[test]
fn what_was_counted_comes_again_only_if_that_is_said() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let again = "again flow.toml --all --because mistake";
    let (status, said) = run(here, again);
    assert_eq!(status, 2);
    assert!(said.contains("would count what comes again once more"), "{said}");
    assert_eq!(run(here, &format!("{again} --even-counters")).0, 0);
}

#[test]
fn what_a_clock_that_is_ahead_wrote_is_not_counted() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    put(here, "ahead.csv", &call_of(60, "0701234567", "20980101"));
    assert_eq!(run(here, "run flow.toml --once").0, 1);
    let listed = tollgate(here, "suspense list flow.toml").output().unwrap().stdout;
    let listed = String::from_utf8(listed).unwrap();
    assert!(listed.contains("it was made in the future"), "{listed}");
    assert!(listed.contains("switch/ahead.csv  record 1 at octet "), "{listed}");
    assert!(!counters(here, "46701234567").contains("2098"));
}

/// Returns a page of the how-to guides.
fn page(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to");
    fs::read_to_string(Path::new(folder).join(name)).unwrap()
}

/// Returns the blocks of a page that are in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn delivered_records_are_rated_again_and_the_differences_are_records() {
    let folder = flow("");
    let (here, page) = (folder.path(), page("rate-again.md"));
    let files = ["again.asn1", "again.toml", "is_changed.dup", "difference.dup"];
    let texts = ["asn1", "toml", "dup"].map(|language| blocks(&page, language)).concat();
    for (file, text) in files.iter().zip(&texts) {
        fs::write(here.join(file), text).unwrap();
    }
    fs::create_dir(here.join("billed")).unwrap();
    fs::write(
        here.join("billed/may.csv"),
        "service,served,other,start,duration,octets,class,total\n\
         telephony,0701234567,0721234567,20260601120000Z,60,,mobile,109\n\
         telephony,0701234567,0721234567,20260601120000Z,60,,mobile,99\n\
         data,0701234567,,20260601120000Z,,250000000,data-abroad,2250\n\
         telephony,0701234567,000999,20260601120000Z,60,,special,500\n",
    )
    .unwrap();
    let (status, said) = run(here, "run again.toml --once");
    assert_eq!(status, 1, "one has no tariff: {said}");
    assert_eq!(
        fs::read_to_string(here.join("differences/may.csv")).unwrap(),
        "served,start,classBefore,class,before,after,difference\r\n\
         0701234567,20260601120000Z,mobile,mobile,99,109,10\r\n\
         0701234567,20260601120000Z,data-abroad,data-home,2250,2250,0\r\n"
    );
    let output = tollgate(here, "audit again.toml").output().unwrap();
    let audit = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{audit}");
    for line in
        ["delivered                    2349 of 2 records", "filtered                      109 of 1"]
    {
        assert!(audit.contains(line), "{line} is not in {audit}");
    }
}

/// Returns the output of a file; empty if it does not exist yet.
fn billed(folder: &Path, stem: &str) -> String {
    fs::read_to_string(folder.join("out").join(stem).with_extension("csv")).unwrap_or_default()
}

/// A gateway that ends with the test.
#[cfg(unix)]
struct Gateway(std::process::Child);

#[cfg(unix)]
impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn counters_are_changed_between_two_files_of_a_gateway_that_counts() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    run(here, "run flow.toml --once");
    rename(here, "price", "cost");
    let mut command = tollgate(here, "run flow.toml");
    let quiet = std::process::Stdio::null;
    let gateway = Gateway(command.stdout(quiet()).stderr(quiet()).spawn().unwrap());
    wait_for("the alarm", || !alarms(here).is_empty());
    let (status, said) = run(here, "tariff counters flow.toml --move price cots --because renamed");
    assert!(status == 2 && said.contains("no node \"cots\" that keeps counters"), "{said}");
    let moves = "tariff counters flow.toml --move price cost --because renamed";
    let (status, said) = run(here, moves);
    assert_eq!((status, alarms(here).as_str()), (0, ""), "{said}");
    let (status, said) = run(here, moves);
    assert!(status == 2 && said.contains("no counters of \"price\""), "{said}");
    // The node goes on counting from the value that it was given.
    put(here, "two.csv", &call_of(2_000, "0701234567", "20261006"));
    wait_for("the next file", || !billed(here, "two").is_empty());
    assert_eq!(prices(here, "two"), ["1000"], "1,000 seconds of the bundle were left");
    drop(gateway);
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert_eq!(trail.matches("counters move").count(), 1, "{trail}");
}

#[test]
fn what_is_asked_of_counters_is_done_once_by_whoever_runs_the_flow_next() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    run(here, "run flow.toml --once");
    rename(here, "price", "cost");
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    let ask = |deed: &str, now_by: &str| {
        let insert = "INSERT INTO kept_asked (who, reason, deed) VALUES ('olaf', 'renamed', ?)";
        let wish = format!("{{\"deed\":{deed},\"now-by\":{now_by}}}");
        journal.execute(insert, [wish]).unwrap();
    };
    // These requests were interrupted before they were done. A request that is refused, or of another version, does not
    // block others. The third was made while the node existed and had a key; it does not decide about the counters now
    // that the node is gone.
    ask("{\"forget\":\"prise\"}", "null");
    ask("{\"halve\":\"price\"}", "null");
    ask("{\"forget\":\"price\"}", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]");
    ask("{\"move\":{\"from\":\"price\",\"to\":\"cost\"}}", "null");
    run(here, "run flow.toml --once");
    assert_eq!(alarms(here), "");
    let answers = "SELECT group_concat(answer, ' ') FROM kept_asked WHERE is_over = 1 ORDER BY id";
    let answers: String = journal.query_row(answers, [], |row| row.get(0)).unwrap();
    assert_eq!((answers.matches("refused").count(), answers.matches("done").count()), (3, 1));
    assert!(counters(here, "46701234567").starts_with("cost "));
    // The gateway was killed after the request was done and before that was reported: it is not done again.
    journal.execute("UPDATE kept_asked SET is_over = 0", []).unwrap();
    run(here, "run flow.toml --once");
    let open = "SELECT count(*) FROM kept_asked WHERE is_over = 0";
    assert_eq!(journal.query_row(open, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert_eq!(
        (trail.matches("counters move").count(), trail.contains("olaf")),
        (1, true),
        "{trail}"
    );
}

#[cfg(unix)]
#[test]
fn a_new_plan_runs_and_one_with_mistakes_does_not() {
    let call = "telephony,0701234567,0721234567,,20260601120000Z,60,\n";
    let folder = flow(call);
    let here = folder.path();
    let mut command = tollgate(here, "run flow.toml");
    let quiet = std::process::Stdio::null;
    let _gateway = Gateway(command.stdout(quiet()).stderr(quiet()).spawn().unwrap());
    wait_for("the first file", || billed(here, "calls").contains("mobile,109,"));
    let next = |stem: &str, expected: &str| {
        fs::write(here.join("part"), HEADER.to_owned() + call + &"\n".repeat(stem.len())).unwrap();
        fs::rename(here.join("part"), here.join("in").join(stem).with_extension("csv")).unwrap();
        wait_for(stem, || billed(here, stem).contains(expected));
    };
    let prices = here.join("tariff/prices.csv");
    change(&prices, "peak,,0.60", "peak,,0.80");
    assert_eq!(run(here, "reload flow.toml").0, 0);
    next("two", "mobile,129,");
    change(&prices, "peak,,0.80", "peak,,0,70");
    let (status, said) = run(here, "reload flow.toml");
    assert_eq!(status, 1, "{said}");
    next("three", "mobile,129,");
}

#[cfg(unix)]
#[test]
fn a_plan_with_a_file_of_a_wrong_name_does_not_run_until_that_is_away() {
    let call = "telephony,0701234567,0721234567,,20260601120000Z,60,\n";
    let folder = flow(call);
    let here = folder.path();
    let mut command = tollgate(here, "run flow.toml");
    let said = fs::File::create(here.join("said")).unwrap();
    let _gateway =
        Gateway(command.stdout(std::process::Stdio::null()).stderr(said).spawn().unwrap());
    wait_for("the first file", || billed(here, "calls").contains("mobile,109,"));
    let told = "tariff/price.csv:1:1: \"price.csv\" is no table of a plan";
    let stray = here.join("tariff/price.csv");
    fs::write(&stray, "").unwrap();
    // There is no request: the gateway looks at the folder by itself.
    let says = |text: &str| fs::read_to_string(here.join("said")).unwrap().contains(text);
    wait_for("the mistake", || says(told));
    change(&here.join("tariff/prices.csv"), "peak,,0.60", "peak,,0.80");
    for line in ["reload flow.toml", "check flow.toml", "tariff check tariff"] {
        let (status, said) = run(here, line);
        assert!(status != 0 && said.contains(told), "{line}: {said}");
    }
    let next = |stem: &str, expected: &str| {
        fs::write(here.join("part"), HEADER.to_owned() + call + &"\n".repeat(stem.len())).unwrap();
        fs::rename(here.join("part"), here.join("in").join(stem).with_extension("csv")).unwrap();
        wait_for(stem, || billed(here, stem).contains(expected));
    };
    next("two", "mobile,109,");
    fs::remove_file(&stray).unwrap();
    wait_for("the new plan", || says("from now on it runs as it is now"));
    next("three", "mobile,129,");
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

/// Calls of 5,000 seconds wait three hours for a part that never comes; then they are rated as they are.
const JOINED: &str = "[matching.calls]
from    = \"switch\"
script  = \"calls.dup\"
wait    = { record-time = \"3 hours\" }

[rating.price]
from     = \"calls\"";

const CALLS: &str = "INTEGER key(part CONST Usage.Record) { return toInteger(part.other); }
INTEGER time(part CONST Usage.Record) { return parseTime(part.start, \"%Y%m%d%H%M%SZ\", \"UTC\"); }
BOOLEAN complete(parts CONST SEQUENCE OF Usage.Record) { return parts[0].duration != 5000; }
NULL combine(parts CONST SEQUENCE OF Usage.Record, call Usage.Record) { call := parts[0]; }
";

#[test]
fn what_waited_is_counted_before_what_came_when_it_was_over_however_many_files_are_there() {
    let call = |served: &str, other: &str, hour: u32, seconds: u32| {
        format!("telephony,{served},{other},,20261005{hour}0000Z,{seconds},\n")
    };
    let files = [
        // The call waits until 12 o'clock is over.
        call("0701234567", "0721234567", 10, 5_000),
        // It is over by this time.
        call("0707654321", "0721234568", 14, 60),
        // The bundle has 1,000 seconds left.
        call("0701234567", "0721234569", 15, 2_000),
        call("0701234567", "0721234570", 16, 2_000),
    ];
    let priced = |at_once: bool| {
        let folder = counting("");
        let here = folder.path();
        fs::remove_file(here.join("in/calls.csv")).unwrap();
        change(&here.join("flow.toml"), "[rating.price]\nfrom     = \"switch\"", JOINED);
        fs::write(here.join("calls.dup"), CALLS).unwrap();
        for (number, records) in files.iter().enumerate() {
            put(here, &format!("{number}.csv"), records);
            if !at_once {
                let (status, said) = run(here, "run flow.toml --once");
                assert_eq!(status, 0, "{said}");
            }
        }
        let (status, said) = run(here, "run flow.toml --once --workers 2");
        assert_eq!(status, 0, "{said}");
        let mut lines: Vec<String> = fs::read_dir(here.join("out"))
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        lines.sort();
        lines
    };
    let one_by_one = priced(false);
    assert_eq!(one_by_one.len(), files.len());
    assert!(one_by_one[0].starts_with("0721234567,5000,mobile,0,"), "{one_by_one:?}");
    assert_eq!(priced(true), one_by_one);
}

#[test]
fn a_file_that_waits_is_not_overtaken_where_what_waited_is_counted_before() {
    let folder = counting("");
    let here = folder.path();
    fs::remove_file(here.join("in/calls.csv")).unwrap();
    change(&here.join("flow.toml"), "[rating.price]\nfrom     = \"switch\"", JOINED);
    fs::write(here.join("calls.dup"), CALLS).unwrap();
    fs::create_dir(here.join("out")).unwrap();
    fs::write(here.join("out/1.csv"), "of somebody else\n").unwrap();
    put(here, "1.csv", "telephony,0701234567,0721234569,,20261005150000Z,6000,\n");
    put(here, "2.csv", "telephony,0701234567,0721234570,,20261005160000Z,6000,\n");
    let (status, said) = run(here, "run flow.toml --once");
    assert!(
        status == 1 && said.contains("the files of \"switch\" wait for \"in/1.csv\""),
        "{said}"
    );
    assert!(here.join("in/2.csv").exists() && !here.join("out/2.csv").exists());
    fs::remove_file(here.join("out/1.csv")).unwrap();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert_eq!(prices(here, "1"), ["0"], "the first has the bundle");
    assert_ne!(prices(here, "2"), ["0"]);
}
