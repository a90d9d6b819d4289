//! Tests scripts after a rating node, and scripts that rate themselves.

use std::fs;
use std::process::Command;

use super::site::{billed, blocks, change, flow, flow_with_script, page, run, tollgate};

#[test]
fn functions_of_a_script_decide_what_special_records_are() {
    let folder = flow(
        "ip,0701234567,,,20260601120000Z,,250000000\ntelephony,0701234567,112,,20260601120000Z,9,0\n",
    );
    let page = page("rate-records.md");
    let block = |language: &str| blocks(&page, language).remove(0);
    let node = block("toml");
    let all = include_str!("../flows/rating.toml");
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
