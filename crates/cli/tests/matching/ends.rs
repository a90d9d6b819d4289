//! Tests groups that do not go out as they should: parts that are set aside go back to where they waited, and go out
//! once.

use std::time::Duration;

use super::flow::{Flow, line};
use super::{TWO_HOURS, check};

/// Returns an additional post-processing system, which gets its records unchanged.
fn receiver(name: &str, from: &str) -> String {
    format!(
        "[post-processing-system.{name}]\nfrom = \"{from}\"\nencode = {{ codec = \"json\" }}\n\
         deliver = {{ dir = \"{name}\" }}\n"
    )
}

const BILLING: &str = "[post-processing-system.billing]";

/// Returns the number of lines in all files that a system was given.
fn given(flow: &Flow, system: &str) -> usize {
    let Ok(files) = std::fs::read_dir(flow.path().join(system)) else { return 0 };
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    texts.map(|text| text.lines().count()).sum()
}

/// Returns the number of open records in suspense.
pub(super) fn open(flow: &Flow) -> usize {
    flow.command("suspense list flow.toml").1.lines().count()
}

#[test]
fn what_went_elsewhere_too_goes_there_once() {
    let flow = Flow::new(&format!("{TWO_HOURS}\nexpired = \"suspend\""));
    flow.edit(BILLING, &format!("{}{BILLING}", receiver("raw", "boston")));
    flow.put("chicago", "0.json", "8 whole 1 @9000 +1");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 middle 2 @60 +5; 9 whole 1 @9000 +1");
    flow.run();
    assert_eq!((open(&flow), given(&flow, "raw")), (2, 3));
    flow.put("chicago", "1.json", "7 last 3 @65 +2");
    flow.run();
    let (status, said) = flow.command("suspense retry flow.toml --all");
    assert_eq!(status, 0, "{said}");
    assert_eq!(flow.made(), "7 @0 +67 of 3, 8 @9000 +1 of 1, 9 @9000 +1 of 1");
    assert_eq!((open(&flow), given(&flow, "raw")), (0, 3));
    flow.audit();
}

/// Creates a flow with a second node, which joins two calls of the same seconds. One of the two never comes.
pub(super) fn joined_twice() -> Flow {
    let flow = Flow::new(TWO_HOURS);
    let sums = "
INTEGER key(call CONST Call) { return call.seconds; }
BOOLEAN complete(calls CONST SEQUENCE OF Call) { return count(calls) == 2; }
NULL combine(calls CONST SEQUENCE OF Call, sum Call)
{
  sum := calls[0];
  sum.parts := calls[0].parts + calls[1].parts;
}
";
    std::fs::write(flow.path().join("sums.dup"), sums).unwrap();
    let table = "[matching.sums]\nfrom = \"calls\"\nscript = \"sums.dup\"\nexpired = \"suspend\"\n\
                 wait = { arrival = \"1 ms\" }\n";
    flow.edit(BILLING, &format!("{table}{BILLING}"));
    flow.edit("from = \"calls\"\nencode", "from = \"sums\"\nencode");
    flow
}

#[test]
fn what_was_joined_and_set_aside_is_whole() {
    let flow = joined_twice();
    // One call is complete when its last part comes, the other when its time is over.
    flow.put("chicago", "0.json", "1 whole 1 @9000 +90");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 last 2 @60 +5; 8 first 1 @0 +70");
    flow.put("boston", "1.json", "2 whole 1 @9000 +90");
    flow.run();
    flow.run();
    assert_eq!(open(&flow), 2, "{}", flow.command("suspense list flow.toml").1);
    for (number, call) in [(1, "\"seconds\": 65"), (2, "\"seconds\": 70")] {
        let (_, shown) = flow.command(&format!("suspense show flow.toml {number}"));
        assert!(shown.contains(call) && shown.contains("\"parts\": "), "{shown}");
    }
    // After its seconds are corrected to those of the other, it is the other half.
    let json = flow.path().join("call.json");
    std::fs::write(&json, "{\"call\":8,\"time\":1700000000,\"seconds\":65,\"parts\":1}").unwrap();
    let (status, said) = flow.command("suspense edit flow.toml 2 --json call.json");
    assert_eq!(status, 0, "{said}");
    let (status, said) = flow.command("suspense retry flow.toml --all");
    assert_eq!(status, 0, "{said}");
    // In either order: the two are of two files.
    assert!(flow.made().contains("@0 +65 of 3"), "{}", flow.made());
    flow.audit();
}

#[test]
fn what_was_set_aside_is_not_read_as_something_else() {
    let files = "chicago: 8 whole 1 @9000 +1 | boston: 7 first 1 @0 +60; 9 whole 1 @9000 +1";
    let others = "8 @9000 +1 of 1, 9 @9000 +1 of 1";
    let flow = check(
        &format!("{TWO_HOURS}\nexpired = \"suspend\""),
        files,
        others,
        "3 = 2 delivered, 1 held",
    );
    let path = flow.path().join("calls.asn1");
    let module = std::fs::read_to_string(&path).unwrap();
    let swapped = "number INTEGER, seconds INTEGER, time INTEGER";
    std::fs::write(&path, module.replace("number INTEGER, time INTEGER, seconds INTEGER", swapped))
        .unwrap();
    let reason = "its type was changed since it waited in \"calls\"";
    for command in ["show flow.toml 1", "retry flow.toml 1", "list flow.toml"] {
        let (_, said) = flow.command(&format!("suspense {command}"));
        assert!(said.contains(reason), "{command}: {said}");
    }
    std::fs::write(&path, module).unwrap();
    assert_eq!(flow.command("suspense retry flow.toml 1").0, 0);
    assert_eq!((open(&flow), flow.made().as_str()), (0, others), "it waits again");
    flow.audit();
}

/// Creates a flow with a filter that refuses the calls of a number, like a plan without a prefix for it.
pub(super) fn refusing(table: &str, call: u32) -> Flow {
    let flow = Flow::new(table);
    refuse(&flow, call);
    let filter = "[filter.priced]\nfrom = \"calls\"\nscript = \"priced.dup\"\n";
    flow.edit(BILLING, &format!("{filter}{BILLING}"));
    flow.edit("from = \"calls\"\nencode", "from = \"priced\"\nencode");
    flow
}

pub(super) fn refuse(flow: &Flow, call: u32) {
    let script = format!(
        "BOOLEAN priced(call CONST Call)
         {{ if (call.call == {call}) {{ reject(\"no tariff\"); }} return TRUE; }}"
    );
    std::fs::write(flow.path().join("priced.dup"), script).unwrap();
}

pub(super) fn mend(flow: &Flow) {
    let script = "BOOLEAN priced(call CONST Call) { return TRUE; }";
    std::fs::write(flow.path().join("priced.dup"), script).unwrap();
}

#[test]
fn a_group_that_somebody_refuses_when_its_time_is_over_is_set_aside_with_the_reason() {
    let flow = refusing(TWO_HOURS, 5);
    flow.put("chicago", "0.json", "5 first 1 @0 +1; 90 whole 1 @90000 +1");
    flow.put("boston", "0.json", "5 middle 2 @1 +2; 6 first 1 @0 +1; 10 whole 1 @9000 +1");
    let said = flow.run();
    assert!(said.contains("1 group are in suspense; \"5\": priced: "), "{said}");
    let others = "10 @9000 +1 of 1, 6 @0 +1 of 1, 90 @90000 +1 of 1";
    assert_eq!(flow.made(), others);
    let (_, counted) = flow.command("suspense list flow.toml --count");
    assert!(counted.contains("priced") && counted.contains("no tariff"), "{counted}");
    assert_eq!(open(&flow), 2);
    assert_eq!(flow.command("matching list flow.toml").1, "");
    flow.audit();
    // The group does not block others.
    flow.put("boston", "1.json", "7 first 1 @9000 +1; 11 whole 1 @18000 +1");
    flow.run();
    let others = format!("10 @9000 +1 of 1, 11 @18000 +1 of 1, {}", &others[18..]);
    assert_eq!(flow.made(), others.replace(", 90", ", 7 @9000 +1 of 1, 90"));
    // As long as the group is refused, it comes back; a retry of one part is a retry of all of them.
    assert_eq!(flow.command("suspense retry flow.toml 1").0, 0);
    flow.run();
    assert_eq!(open(&flow), 2);
    mend(&flow);
    let (_, listed) = flow.command("suspense list flow.toml --json --limit 1");
    let number = listed.split(&[':', ','][..]).nth(1).unwrap();
    let (status, said) = flow.command(&format!("suspense retry flow.toml {number}"));
    assert!(status == 0 && said.contains("2 records retried"), "{said}");
    flow.run();
    assert!(flow.made().contains(", 5 @0 +3 of 2, "), "{}", flow.made());
    assert_eq!(open(&flow), 0);
    flow.audit();
}

#[test]
fn what_is_set_aside_and_retried_goes_out_once_however_often_somebody_is_killed() {
    const CALLS: usize = 30;
    let flow = refusing(TWO_HOURS, 0);
    let refusing_all = "BOOLEAN priced(call CONST Call) { if (call.call < 900) { reject(\"no tariff\"); } return TRUE; }";
    std::fs::write(flow.path().join("priced.dup"), refusing_all).unwrap();
    for (element, kind, number) in [("boston", "first", 1), ("chicago", "middle", 2)] {
        let part = |call: usize| format!("{} {kind} {number} @{number} +1", 100 + call);
        let parts: Vec<String> = (0..CALLS).map(part).collect();
        flow.put(element, "0.json", &parts.join("; "));
        flow.put(element, "1.json", &format!("90{number} whole 1 @9000 +1"));
    }
    let mut kills = 0;
    let killed = |command: &str, kills: &mut u64| {
        // The time grows, so that a busy machine makes progress too.
        let milliseconds = 15 + *kills % 9 * 10 + *kills / 2;
        flow.command_for(command, Duration::from_millis(milliseconds));
        *kills += 1;
        assert!(*kills < 500, "it gets on");
    };
    let is_done = |at: usize| flow.command("suspense list flow.toml").1.lines().count() == at;
    while !is_done(2 * CALLS) {
        killed("run flow.toml --once", &mut kills);
    }
    mend(&flow);
    while !is_done(0) || !flow.command("matching list flow.toml").1.is_empty() {
        killed("suspense retry flow.toml --all", &mut kills);
        killed("run flow.toml --once", &mut kills);
    }
    flow.run();
    let made = |call: usize| format!("{} @1 +2 of 2", 100 + call);
    let wanted: Vec<String> = (0..CALLS).map(made).collect();
    assert_eq!(flow.made(), format!("{}, 901 @9000 +1 of 1, 902 @9000 +1 of 1", wanted.join(", ")));
    flow.audit();
}

#[test]
fn what_comes_when_its_group_is_set_aside_waits_for_it() {
    let flow = refusing(TWO_HOURS, 5);
    flow.put("boston", "0.json", "5 first 1 @0 +1; 9 whole 1 @9000 +1");
    flow.put("chicago", "0.json", "8 whole 1 @90000 +1");
    flow.run();
    assert_eq!(open(&flow), 1);
    mend(&flow);
    // A part of the same call, and a call of the same number much later.
    flow.put("boston", "1.json", "5 middle 2 @1 +2; 5 first 1 @20000 +7; 7 whole 1 @90000 +1");
    flow.run();
    flow.run();
    let others = "7 @90000 +1 of 1, 8 @90000 +1 of 1, 9 @9000 +1 of 1";
    assert_eq!(flow.made(), format!("5 @20000 +7 of 1, {others}"));
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    flow.run();
    assert_eq!(flow.made(), format!("5 @0 +3 of 2, 5 @20000 +7 of 1, {others}"));
    flow.audit();
}

#[test]
fn a_group_is_not_over_while_its_last_record_is_in_suspense() {
    let files = ["7 first 1 @0 +60; 8 whole 1 @1 +1", "7 last 2 @60 +1"];
    let begun = |wait: &str| {
        let flow = refusing(wait, 7);
        flow.put("boston", "0.json", &files.join("; "));
        flow.run();
        flow.put("chicago", "2.json", "9 whole 1 @90000 +1");
        flow.put("boston", "2.json", "10 whole 1 @90000 +1");
        flow.run();
        flow.run();
        assert_eq!(
            (open(&flow), flow.command("matching list flow.toml").1.lines().count()),
            (1, 1)
        );
        flow
    };
    let others = "10 @90000 +1 of 1, 8 @1 +1 of 1, 9 @90000 +1 of 1";
    for wait in [TWO_HOURS, "wait = { arrival = \"1 ms\" }"] {
        let flow = begun(wait);
        assert_eq!(flow.made(), others);
        // If the part is discarded and reopened at once, the group waits for it as before.
        let gone = flow.command("suspense discard flow.toml 1 --yes --because wrong");
        let back = flow.command("suspense reopen flow.toml 1 --because right");
        assert_eq!((gone.0, back.0), (0, 0), "{} {}", gone.1, back.1);
        flow.run();
        assert_eq!(flow.made(), others);
        // The part is refused again, and accepted later.
        assert_eq!(flow.command("suspense retry flow.toml --all").0, 1);
        flow.run();
        assert_eq!(flow.made(), others);
        mend(&flow);
        assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
        flow.run();
        assert_eq!(flow.made(), others.replace(", 8", ", 7 @0 +61 of 2, 8"));
        flow.audit();
    }
    // If the part is discarded, the group ends without it.
    let flow = begun(TWO_HOURS);
    mend(&flow);
    let (status, said) = flow.command("suspense discard flow.toml --all --yes --because wrong");
    assert_eq!(status, 0, "{said}");
    flow.run();
    assert_eq!(flow.made(), others.replace(", 8", ", 7 @0 +60 of 1, 8"));
    flow.audit();
}

#[test]
fn a_group_of_joined_records_is_not_over_while_one_of_them_is_in_suspense() {
    let flow = joined_twice();
    let text = std::fs::read_to_string(flow.path().join("sums.dup")).unwrap();
    let refusing = text.replace("sum.parts", "reject(\"not now\"); sum.parts");
    std::fs::write(flow.path().join("sums.dup"), refusing).unwrap();
    // The first call of the sum waits; the other is released, completes the sum, and is refused.
    flow.edit("wait = { arrival = \"1 ms\" }", "wait = { arrival = \"1 hour\" }");
    flow.put("boston", "0.json", "7 whole 1 @0 +65; 8 first 1 @0 +65");
    flow.run();
    flow.put("boston", "1.json", "2 whole 1 @9000 +90");
    flow.put("chicago", "1.json", "1 whole 1 @9000 +91");
    flow.run();
    flow.edit("wait = { arrival = \"1 hour\" }", "wait = { arrival = \"1 ms\" }");
    flow.run();
    flow.run();
    assert!(flow.command("matching list flow.toml").1.contains("sums\t65\t1\t"));
    flow.edit("wait = { arrival = \"1 ms\" }", "wait = { arrival = \"1 hour\" }");
    std::fs::write(flow.path().join("sums.dup"), text).unwrap();
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    flow.run();
    assert!(flow.made().contains("7 @0 +65 of 2"), "{}", flow.made());
    flow.audit();
}

#[test]
fn groups_that_wait_though_their_time_is_over_are_an_alarm_of_their_own() {
    let flow = refusing(TWO_HOURS, 7);
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 last 2 @60 +1; 8 first 1 @0 +9");
    flow.run();
    let alarms = || flow.command("alarms flow.toml").1;
    assert_eq!(alarms(), "", "its time is not over");
    flow.put("boston", "1.json", "10 whole 1 @9000 +1");
    flow.put("chicago", "1.json", "9 whole 1 @9000 +1");
    // There is something else in the place of the group's output.
    std::fs::create_dir_all(flow.path().join("out/boston-calls~expired-2.json")).unwrap();
    flow.run();
    let missing = "\"calls\": groups whose time is over wait for records in suspense";
    let held_up = "groups whose time is over could not be ended, and wait: ";
    for wanted in [missing, held_up, "groups-waiting"] {
        assert!(alarms().contains(wanted), "{}", alarms());
    }
    assert!(!alarms().contains("files could not"), "{}", alarms());
    std::fs::remove_dir(flow.path().join("out/boston-calls~expired-2.json")).unwrap();
    assert_eq!(flow.command("suspense discard flow.toml --all --yes --because wrong").0, 0);
    mend(&flow);
    flow.run();
    assert_eq!(alarms(), "");
    flow.audit();
}

#[test]
fn what_is_found_in_a_record_that_waited_goes_back_there_too() {
    let flow = check(TWO_HOURS, "boston: 7 first 1 @0 +60", "", "1 = 1 held");
    assert_eq!(flow.command("matching suspend flow.toml 7 --because lost").0, 0);
    let (_, listed) = flow.command("suspense list flow.toml --json");
    let (_, octets) = listed.split_once("\"octets\":\"").unwrap();
    let octets = octets.split('"').next().unwrap();
    flow.command(&format!("suspense edit flow.toml 1 --octets {octets}{octets}"));
    let (_, said) = flow.command("suspense retry flow.toml 1");
    assert!(said.contains("in which 2 records were found") && said.contains("1 held"), "{said}");
    let (_, shown) = flow.command("suspense show flow.toml 2");
    assert!(shown.contains("\"seconds\": 60"), "{shown}");
    flow.audit();
}

#[test]
fn a_group_is_not_over_while_a_record_is_in_suspense_that_the_node_itself_refused() {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let ahead = since.as_secs() - 1_700_000_000 + 48 * 3_600;
    let last = "7 last 2 @60 +1";
    let is_made_ahead = last.replace("@60", &format!("@{ahead}"));
    for (last, reason) in [
        (last, "\"group-max\""),
        (is_made_ahead.as_str(), "it was made in the future"),
        ("7 last 2 @60 -", "it cannot be kept"),
    ] {
        let group_max = if reason.contains("group-max") { 1 } else { 2 };
        let flow = Flow::new(&format!("{TWO_HOURS}\ngroup-max = {group_max}"));
        flow.put("boston", "0.json", &format!("7 first 1 @0 +60; {last}"));
        flow.put("boston", "1.json", "10 whole 1 @90000 +1");
        flow.put("chicago", "1.json", "9 whole 1 @90000 +1");
        flow.run();
        flow.run();
        let others = "10 @90000 +1 of 1, 9 @90000 +1 of 1";
        assert_eq!((flow.made().as_str(), open(&flow)), (others, 1), "{reason}");
        let (_, listed) = flow.command("suspense list flow.toml");
        assert!(listed.contains(reason), "{listed}");
        let (_, waiting) = flow.command("matching list flow.toml");
        assert!(waiting.contains("but not before record 1 in suspense"), "{waiting}");
        flow.edit(&format!("group-max = {group_max}"), "group-max = 2");
        let json = "{\"call\":7,\"kind\":\"last\",\"number\":2,\"time\":1700000060,\"seconds\":1}";
        std::fs::write(flow.path().join("part.json"), json).unwrap();
        if group_max == 2 {
            let (status, said) = flow.command("suspense edit flow.toml 1 --json part.json");
            assert_eq!(status, 0, "{said}");
        }
        let (status, said) = flow.command("suspense retry flow.toml --all");
        assert_eq!(status, 0, "{said}");
        flow.run();
        assert_eq!(flow.made(), others.replace(", 9", ", 7 @0 +61 of 2, 9"));
        flow.audit();
    }
}

#[test]
fn what_is_refused_before_the_node_joins_its_group_as_long_as_that_waits() {
    const REFUSED: &str =
        "BOOLEAN sound(part CONST Part) { assert(part.number == 1); return TRUE; }";
    const SOUND: &str = "BOOLEAN sound(part CONST Part) { return TRUE; }";
    let refused = |late: &str| {
        let flow = Flow::new(&format!("{TWO_HOURS}\nlate = \"{late}\""));
        let from = "from = [\"boston\", \"chicago\"]";
        let filter = format!("[filter.sound]\n{from}\nscript = \"sound.dup\"\n");
        flow.edit(from, "from = \"sound\"");
        flow.edit("[matching.calls]", &format!("{filter}[matching.calls]"));
        std::fs::write(flow.path().join("sound.dup"), REFUSED).unwrap();
        let parts = "7 first 1 @0 +60; 7 middle 2 @60 +5; damaged; 7 last 3 @65 +1";
        flow.put("boston", "0.json", parts);
        flow.run();
        std::fs::write(flow.path().join("sound.dup"), SOUND).unwrap();
        flow
    };
    let pass = |flow: &Flow| {
        flow.put("boston", "1.json", "9 whole 1 @90000 +1");
        flow.put("chicago", "1.json", "10 whole 1 @90000 +1");
        flow.run();
    };
    let retry = |flow: &Flow, left: usize| {
        flow.command("suspense retry flow.toml --all");
        flow.run();
        assert_eq!(open(flow), left, "{}", flow.command("suspense list flow.toml").1);
        flow.audit();
    };
    let others = "10 @90000 +1 of 1, 9 @90000 +1 of 1";
    let flow = refused("suspend");
    retry(&flow, 1);
    pass(&flow);
    assert_eq!(flow.made(), others.replace(", 9", ", 7 @0 +66 of 3, 9"));
    // A part that cannot be read holds back no group; parts that are retried later are late, together.
    for (late, left, made) in [("suspend", 3, ""), ("begin", 1, ", 7 @60 +6 of 2")] {
        let flow = refused(late);
        pass(&flow);
        assert_eq!(flow.made(), others.replace(", 9", ", 7 @0 +60 of 1, 9"));
        retry(&flow, left);
        assert_eq!(flow.made(), others.replace(", 9", &format!(", 7 @0 +60 of 1{made}, 9")));
    }
}

/// Adds a duplicate check before the system that takes the calls.
fn checked(flow: &Flow, from: &str, ty: &str, key: &str) {
    let check =
        format!("[duplicate-check.once]\nfrom = {from}\ntype = \"CALLS.{ty}\"\nkey = {key}\n");
    flow.edit(BILLING, &format!("{check}{BILLING}"));
}

#[test]
fn nothing_waits_for_a_duplicate_that_another_branch_has_found() {
    let flow = Flow::new(TWO_HOURS);
    let key = "[\"record.call\", \"record.number\"]";
    checked(&flow, "[\"boston\", \"chicago\"]", "Part", key);
    flow.edit(BILLING, &format!("{}{BILLING}", receiver("raw", "once")));
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 first 1 @0 +61");
    flow.put("boston", "1.json", "10 whole 1 @90000 +1");
    flow.put("chicago", "1.json", "9 whole 1 @90000 +1");
    flow.run();
    assert_eq!(flow.made(), "10 @90000 +1 of 1, 7 @0 +60 of 1, 9 @90000 +1 of 1");
    assert_eq!(open(&flow), 1);
    flow.audit();
}

#[test]
fn nothing_waits_for_a_record_that_is_late_for_another_matching_node() {
    for is_refused_first in [false, true] {
        let flow = Flow::new("wait = { record-time = \"1 day\" }");
        let both = "from = [\"boston\", \"chicago\"]";
        let table =
            "script = \"calls.dup\"\nwait = { record-time = \"2 hours\" }\nlate = \"suspend\"\n";
        let fraud = format!("[matching.fraud]\n{both}\n{table}{}", receiver("seen", "fraud"));
        flow.edit(BILLING, &format!("{fraud}{BILLING}"));
        let (_, said) = flow.command("check flow.toml");
        let warned =
            "a record that comes late to \"fraud\" goes to suspense, and not to \"calls\" either";
        assert!(said.contains(warned), "{said}");
        let script = std::fs::read_to_string(flow.path().join("calls.dup")).unwrap();
        let with = |text: &str| std::fs::write(flow.path().join("calls.dup"), text).unwrap();
        let past = |time: usize| {
            flow.put("boston", &format!("{time}.json"), &format!("{time} whole 1 @{time} +1"));
            flow.put("chicago", &format!("{time}.json"), &format!("1{time} whole 1 @{time} +1"));
            flow.run();
        };
        flow.put("boston", "0.json", "7 first 1 @0 +60");
        flow.run();
        if is_refused_first {
            with(&script.replace("call.seconds := 0;", "reject(\"not now\");"));
            flow.put("boston", "1.json", "7 last 2 @60 +1");
            flow.run();
            let (_, listed) = flow.command("matching list flow.toml --node calls");
            assert!(listed.contains("not before record 1 in suspense"), "{listed}");
            with(&script);
            let release = "matching release flow.toml 7 --node fraud --because old";
            assert_eq!(flow.command(release).0, 0);
            flow.command("suspense retry flow.toml 1");
            past(20_000);
        } else {
            past(20_000);
            flow.put("boston", "20001.json", "7 last 2 @60 +1");
            flow.run();
        }
        let (_, listed) = flow.command("suspense list flow.toml");
        assert!(listed.contains("fraud") && listed.contains("it came late"), "{listed}");
        past(90_000);
        past(100_000);
        assert!(flow.made().contains("7 @0 +60 of 1"), "{is_refused_first} {}", flow.made());
        assert_eq!(open(&flow), 1);
        flow.audit();
    }
}

#[test]
fn a_group_waits_for_its_last_part_where_what_it_became_is_a_duplicate() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    checked(&flow, "\"calls\"", "Call", "\"record.seconds\"");
    flow.edit("from = \"calls\"\nencode", "from = \"once\"\nencode");
    flow.put("boston", "0.json", "7 whole 1 @0 +61; 8 first 1 @0 +60; 8 last 2 @60 +1");
    flow.run();
    flow.edit("\"1 day\"", "\"1 ms\"");
    flow.run();
    assert_eq!((flow.made().as_str(), open(&flow)), ("7 @0 +61 of 1", 1));
    assert!(flow.command("matching list flow.toml").1.contains("not before record 1 in suspense"));
    flow.audit();
}

#[test]
fn a_group_waits_for_records_in_suspense_however_long_ago_they_were_set_aside() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    flow.edit("[asn1]", "[state]\nkeep = \"1 ms\"\n[asn1]");
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    assert_eq!(flow.command("matching suspend flow.toml 7 --because lost").0, 0);
    flow.run();
    flow.run();
    flow.edit("\"1 day\"", "\"1 ms\"");
    flow.put("boston", "1.json", "7 middle 2 @60 +1");
    flow.run();
    flow.run();
    assert_eq!(flow.made(), "");
    assert!(flow.command("matching list flow.toml").1.contains("not before record 1 in suspense"));
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    flow.run();
    assert_eq!(flow.made(), "7 @0 +61 of 2");
}

/// Returns octets in hexadecimal, as `suspense edit` takes them.
fn hexadecimal(text: &str) -> String {
    text.bytes().map(|octet| format!("{octet:02X}")).collect()
}

#[test]
fn a_group_waits_for_its_own_of_the_records_that_were_found_in_one_unreadable_piece() {
    let flow = refusing(TWO_HOURS, 7);
    let refusing_all = "BOOLEAN priced(call CONST Call) { if (call.call < 9) { reject(\"no tariff\"); } return TRUE; }";
    std::fs::write(flow.path().join("priced.dup"), refusing_all).unwrap();
    flow.put("boston", "0.json", "7 first 1 @0 +60; damaged; 8 first 1 @1 +60");
    flow.run();
    let found = ["7 last 2 @60 +1", "8 last 2 @61 +1"].map(line).join("\n");
    flow.command(&format!("suspense edit flow.toml 1 --octets {}", hexadecimal(&found)));
    let (_, said) = flow.command("suspense retry flow.toml 1");
    assert!(said.contains("in which 2 records were found"), "{said}");
    let (_, listed) = flow.command("matching list flow.toml");
    for (group, record) in [(7, 2), (8, 3)] {
        let mut groups = listed.lines();
        let of_group = groups.find(|line| line.contains(&format!("\t{group}\t1\t"))).unwrap();
        let waits = format!("not before record {record} in suspense is retried");
        assert!(of_group.contains(&waits), "{listed}");
    }
    flow.put("boston", "1.json", "10 whole 1 @90000 +1");
    flow.put("chicago", "1.json", "9 whole 1 @90000 +1");
    mend(&flow);
    assert_eq!(flow.command("suspense discard flow.toml 2 --yes --because wrong").0, 0);
    flow.run();
    let others = "10 @90000 +1 of 1, 9 @90000 +1 of 1";
    assert_eq!(flow.made(), others.replace(", 9", ", 7 @0 +60 of 1, 9"));
    assert_eq!(flow.command("suspense reopen flow.toml 2 --because right").0, 0);
    assert_eq!(flow.command("suspense retry flow.toml 3").0, 0);
    flow.run();
    assert_eq!(flow.made(), others.replace(", 9", ", 7 @0 +60 of 1, 8 @1 +61 of 2, 9"));
    assert_eq!(flow.command("matching list flow.toml").1, "");
    flow.audit();
}
