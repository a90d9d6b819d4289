//! Tests by what time groups expire and are forgotten, and in what order files reach a node.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::asked::Gateway;
use super::flow::Flow;
use super::{TWO_HOURS, check};

#[test]
fn a_clock_that_is_ahead_makes_no_other_record_late() {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = since.as_secs() - 1_700_000_000;
    let (first, last, ahead) = (now - 60, now - 50, now + 22 * 3_600);
    check(
        TWO_HOURS,
        &format!(
            "chicago: 8 first 1 @{now} +1 | \
             boston: 7 first 1 @{first} +1; 9 whole 1 @{ahead} +1; 7 last 2 @{last} +1 | \
             boston: 6 first 1 @{last} +1; 6 last 2 @{now} +1"
        ),
        &format!("6 @{last} +2 of 2, 7 @{first} +2 of 2, 9 @{ahead} +1 of 1"),
        "6 = 3 delivered, 3 held",
    );
}

#[test]
fn a_group_is_over_by_arrival_where_nothing_comes_and_not_by_a_clock_that_jumps() {
    let flow = Flow::new("wait = { arrival = \"3 days\" }");
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    let made = |off_by: &str| {
        let said = flow.run_at(off_by)?;
        let (_, alarms) = flow.command("alarms flow.toml");
        let is_doubted = alarms.contains("the gateway was last seen alive");
        assert!(said.contains("alarm: the clock says") || !is_doubted, "{said}");
        Some((flow.made(), is_doubted))
    };
    let Some(jumped) = made("+300d") else { return };
    assert_eq!(jumped, (String::new(), true));
    assert_eq!(made("+23h"), Some((String::new(), false)), "it was set, and is set back");
    // If a clock is doubted, so is the time that it has measured since then: the machine was not up for so long.
    for later in ["+4d", "+5d", "+6d"] {
        assert_eq!(made(later), Some((String::new(), true)), "{later}");
    }
    assert_eq!(made("+23h"), Some((String::new(), false)));
    flow.audit();
}

#[test]
fn a_group_that_was_released_is_remembered_by_the_time_of_records_not_by_the_clock() {
    let flow = Flow::new(&format!("{TWO_HOURS}\nhistory = \"2 hours\""));
    flow.put("chicago", "0.json", "9 whole 1 @14401 +1");
    flow.put("boston", "0.json", "7 whole 1 @0 +60");
    flow.run();
    for later in ["+20d", "+21d"] {
        if flow.run_at(later).is_none() {
            return;
        }
    }
    flow.put("boston", "1.json", "7 middle 2 @60 +5; 8 whole 1 @14400 +1");
    flow.run();
    assert_eq!(flow.account(), "4 = 3 delivered, 1 suspended");
    flow.put("boston", "2.json", "8 whole 1 @14401 +1");
    flow.run();
    // The key is forgotten by now, so the record is taken for a group that comes late as a whole.
    flow.put("boston", "3.json", "7 middle 2 @60 +5");
    flow.run();
    assert_eq!(flow.account(), "6 = 3 delivered, 1 held, 2 suspended");
    assert!(flow.made().contains("7 @60 +5 of 1"), "{}", flow.made());
    flow.audit();
}

#[test]
fn a_node_that_waits_for_the_slowest_network_element_is_warned_of() {
    let warned = |table: &str| {
        let (status, said) = Flow::new(table).command("check flow.toml");
        assert_eq!(status, 0, "{said}");
        said.contains("wait for all of 2 network elements, also for one that is silent")
    };
    assert!(warned(TWO_HOURS));
    assert!(!warned("wait = { record-time = \"2 hours\", arrival = \"1 day\" }"));
}

#[test]
fn a_key_that_is_changed_while_groups_wait_is_told() {
    let flow = Flow::new(TWO_HOURS);
    let script = std::fs::read_to_string(flow.path().join("calls.dup")).unwrap();
    let run = |from: &str, to: &str| {
        std::fs::write(flow.path().join("calls.dup"), script.replace(from, to)).unwrap();
        flow.run();
        flow.command("alarms flow.toml").1.contains("put together by another key or time")
    };
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    assert!(!run("", ""));
    assert!(!run("-- All parts", "-- Perhaps all parts"), "a comment makes no key");
    assert!(!run("call.seconds := 0", "call.seconds := 1"), "and combine none");
    flow.put("boston", "1.json", "7 middle 2 @60 +1");
    assert!(run("return part.call;", "return part.call + 1000;"));
    assert!(run("return part.time;", "return part.time + 1;"));
    flow.put("boston", "2.json", "7 last 2 @61 +1");
    assert!(run("", ""), "the second group is of another key");
    assert_eq!(flow.made(), "7 @0 +61 of 2");
    flow.put("chicago", "3.json", "8 whole 1 @90000 +1");
    flow.put("boston", "3.json", "9 whole 1 @90001 +1");
    assert!(!run("", ""), "it went on");
    assert_eq!(flow.made(), "7 @0 +61 of 2, 7 @60 +1 of 1, 8 @90000 +1 of 1, 9 @90001 +1 of 1");
    flow.audit();
}

#[test]
fn a_file_that_comes_late_has_its_records_together() {
    let (both, others) = (BOTH, MADE_OF_BOTH);
    check(
        TWO_HOURS,
        &format!("{both} | boston: 5 first 1 @0 +10; 6 first 1 @0 +1; 5 last 2 @10 +20"),
        &format!("5 @0 +30 of 2, 6 @0 +1 of 1, {others}"),
        "5 = 3 delivered, 2 held",
    );
    // In the next file it is late, whether its group was released by then or not.
    check(
        TWO_HOURS,
        &format!("{both} | boston: 5 first 1 @0 +10 | boston: 5 last 2 @10 +20"),
        &format!("5 @0 +10 of 1, {others}"),
        "4 = 2 delivered, 1 held, 1 suspended",
    );
}

#[test]
fn a_file_that_cannot_be_processed_is_not_overtaken() {
    let flow = Flow::new(TWO_HOURS);
    flow.put("chicago", "0.json", "98 whole 1 @90000 +1");
    flow.run();
    let out = flow.path().join("out");
    std::fs::write(out.join("boston-1.json.json"), "of another program\n").unwrap();
    flow.put("boston", "1.json", "5 first 1 @0 +10; 6 whole 1 @1 +1; 5 last 2 @10 +20");
    flow.put("boston", "2.json", "7 whole 1 @20000 +1");
    flow.put("boston", "3.json", "8 whole 1 @20001 +1");
    let said = flow.run();
    let behind = "the files of \"boston\" wait for \"in/boston/1.json\"";
    assert!(said.contains("could not write") && said.contains(behind), "{said}");
    assert!(flow.command("alarms flow.toml").1.contains(behind));
    std::fs::remove_file(out.join("boston-1.json.json")).unwrap();
    let first = flow.path().join("in/boston/1.json");
    // As the message suggests: without the first file, the others go on; the first comes late afterwards.
    let aside = first.with_file_name(".1.json");
    std::fs::rename(&first, &aside).unwrap();
    flow.run();
    assert_eq!(flow.command("alarms flow.toml").0, 0);
    let others = "7 @20000 +1 of 1, 8 @20001 +1 of 1, 98 @90000 +1 of 1";
    assert_eq!(flow.made(), others);
    std::fs::rename(&aside, &first).unwrap();
    flow.run();
    assert_eq!(flow.made(), format!("5 @0 +30 of 2, 6 @1 +1 of 1, {others}"));
    flow.audit();
}

/// Returns whether `groups` groups wait.
fn waits(flow: &Flow, groups: usize) -> bool {
    flow.command("matching list flow.toml").1.lines().count() == groups
}

/// Creates a flow in which the first part of a call waits, and has expired by arrival from now on.
fn over_by_arrival() -> Flow {
    let flow =
        check("wait = { arrival = \"1 day\" }", "boston: 7 first 1 @0 +60", "", "1 = 1 held");
    flow.edit("\"1 day\"", "\"1 ms\"");
    flow
}

#[test]
fn no_group_is_over_by_arrival_while_a_file_waits_that_may_have_its_last_part() {
    let flow = over_by_arrival();
    let other = flow.path().join("out/chicago-1.json.json");
    std::fs::create_dir_all(&other).unwrap();
    flow.put("chicago", "1.json", "7 last 2 @60 +1");
    let said = flow.run();
    assert!(said.contains("1.json") && waits(&flow, 1), "{said}");
    let (_, alarms) = flow.command("alarms flow.toml");
    let told = "\"calls\": groups whose time is over wait for files of \"chicago\"";
    assert!(alarms.contains(told), "{alarms}");
    let (_, listed) = flow.command("matching list flow.toml");
    let behind = ", but not before the files of \"chicago\" are processed";
    assert!(listed.contains(behind), "{listed}");
    std::fs::remove_dir(&other).unwrap();
    flow.run();
    assert_eq!(flow.made(), "7 @0 +61 of 2");
    assert_eq!(flow.command("alarms flow.toml").1, "");
    flow.audit();
    // Nor while the contents of the folder are unknown.
    let flow = over_by_arrival();
    let (folder, moved) = (flow.path().join("in/chicago"), flow.path().join("in/moved"));
    std::fs::rename(&folder, &moved).unwrap();
    flow.run();
    assert!(waits(&flow, 1) && flow.command("alarms flow.toml").1.contains(told));
    std::fs::rename(&moved, &folder).unwrap();
    flow.put("chicago", "1.json", "8 whole 1 @60 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +60 of 1, 8 @60 +1 of 1");
    flow.audit();
}

#[test]
fn no_group_waits_for_ever_for_files_that_cannot_be_processed() {
    for (files, looks) in [("", 1), (", files = \"2 days\"", 3)] {
        let flow = check(
            &format!("wait = {{ arrival = \"1 day\"{files} }}"),
            "boston: 7 first 1 @0 +60",
            "",
            "1 = 1 held",
        );
        flow.edit("\"1 day\"", "\"1 ms\"");
        flow.put("chicago", "1.json", "7 last 2 @60 +1");
        let (folder, moved) = (flow.path().join("in/chicago"), flow.path().join("in/moved"));
        std::fs::rename(&folder, &moved).unwrap();
        let alarms = || flow.command("alarms flow.toml").1;
        // However long ago the group came, the folder was not missed until now.
        for _ in 0..looks {
            flow.run();
            assert!(waits(&flow, 1) && alarms().contains("groups-waiting"), "{}", alarms());
            assert!(!alarms().contains("groups-incomplete"), "{}", alarms());
        }
        let (_, listed) = flow.command("matching list flow.toml --json");
        assert!(listed.contains("\"without_files_at\":\"20"), "{listed}");
        if !files.is_empty() {
            flow.edit("\"2 days\"", "\"1 ms\"");
        }
        flow.run();
        assert_eq!(flow.made(), "7 @0 +60 of 1");
        for _ in 0..2 {
            let told = "\"calls\": groups ended without what files of \"chicago\" may have";
            assert!(alarms().contains(told), "{}", alarms());
            assert!(!alarms().contains("groups-waiting"), "{}", alarms());
            flow.run();
        }
        std::fs::rename(&moved, &folder).unwrap();
        flow.run();
        assert!(!alarms().contains("groups-incomplete"), "{}", alarms());
        assert_eq!((flow.made().as_str(), super::ends::open(&flow)), ("7 @0 +60 of 1", 1));
        flow.audit();
    }
}

#[test]
fn what_lies_there_when_a_gateway_is_started_comes_before_groups_are_over_by_arrival() {
    let flow = over_by_arrival();
    flow.put("chicago", "1.json", "7 last 2 @60 +1");
    let gateway = Gateway::start(&flow);
    let begun = Instant::now();
    while flow.outputs().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing is made");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(gateway);
    flow.run();
    assert_eq!(flow.made(), "7 @0 +61 of 2");
    flow.audit();
}

const BOTH: &str = "chicago: 98 whole 1 @90000 +1 | boston: 99 whole 1 @90000 +1";
const MADE_OF_BOTH: &str = "98 @90000 +1 of 1, 99 @90000 +1 of 1";

#[test]
fn parts_that_come_late_in_several_files_join_each_other_where_late_ones_begin_groups() {
    let flow = check(
        &format!("{TWO_HOURS}\nlate = \"begin\""),
        &format!("boston: 7 first 1 @0 +60 | {BOTH}"),
        &format!("7 @0 +60 of 1, {MADE_OF_BOTH}"),
        "3 = 2 delivered, 1 held",
    );
    flow.put("boston", "4.json", "7 middle 3 @60 +2; 5 first 1 @0 +10");
    flow.put("boston", "5.json", "5 middle 2 @10 +1; 7 middle 2 @20 +1");
    flow.put("chicago", "6.json", "5 last 3 @11 +1");
    flow.run();
    let late = "5 @0 +12 of 3, 7 @0 +60 of 1, 7 @20 +3 of 2";
    assert_eq!(flow.made(), format!("{late}, {MADE_OF_BOTH}"));
    assert_eq!(flow.command("matching list flow.toml").1, "", "they are over behind that look");
    flow.audit();
}

#[test]
fn a_file_most_records_of_which_come_late_is_an_alarm() {
    for late in ["suspend", "pass", "begin"] {
        let flow = check(
            &format!("{TWO_HOURS}\nlate = \"{late}\""),
            &format!("boston: 7 whole 1 @0 +60 | {BOTH}"),
            &format!("7 @0 +60 of 1, {MADE_OF_BOTH}"),
            "3 = 3 delivered",
        );
        let alarms = || flow.command("alarms flow.toml").1;
        flow.put("boston", "4.json", "7 middle 2 @60 +2; 5 whole 1 @0 +1; 8 whole 1 @90000 +1");
        flow.run();
        let text = "2 of 3 records of \"boston/4.json\" came to \"calls\" late";
        assert!(alarms().contains("file-late") && alarms().contains(text), "{}", alarms());
        flow.put("boston", "5.json", "5 whole 1 @1 +1; 9 whole 1 @90000 +1");
        flow.run();
        assert_eq!(alarms(), "", "half of them are not most");
        flow.audit();
        flow.put("boston", "6.json", "4 middle 2 @60 +2");
        flow.run();
        assert!(alarms().contains("file-late"), "{}", alarms());
        flow.edit("[matching.calls]", "[matching.joined]");
        flow.edit("from = \"calls\"", "from = \"joined\"");
        flow.run();
        assert!(!alarms().contains("file-late"), "the node is no more: {}", alarms());
    }
}

#[test]
fn a_file_waits_for_room_until_groups_are_over_by_arrival() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }\ngroups-max = 2");
    flow.put("boston", "0.json", "1 first 1 @0 +60; 2 first 1 @0 +60");
    flow.run();
    let waiting = flow.path().join("in/boston/1.json");
    flow.put("boston", "1.json", "3 first 1 @0 +60; 4 first 1 @0 +60");
    let said = flow.run();
    assert!(said.contains("it waits until some are over by \"arrival\""), "{said}");
    assert!(waiting.exists() && flow.made().is_empty());
    flow.edit("\"1 day\"", "\"1 ms\"");
    flow.run();
    assert_eq!(flow.made(), "1 @0 +60 of 1, 2 @0 +60 of 1");
    flow.edit("\"1 ms\"", "\"1 day\"");
    flow.run();
    assert!(!waiting.exists() && waits(&flow, 2));
    assert_eq!(flow.command("alarms flow.toml").1, "");
    flow.audit();
}

#[test]
fn a_retry_waits_for_room_until_groups_are_over() {
    for (wait, ends) in [
        ("wait = { arrival = \"1 day\" }", ("\"1 day\"", "\"1 ms\"")),
        ("wait = { record-time = \"2 days\" }", ("\"2 days\"", "\"2 hours\"")),
    ] {
        let flow = Flow::new(&format!("{wait}\ngroups-max = 2"));
        flow.put("boston", "0.json", "7 first 1 @0 +60; 90 whole 1 @90000 +1");
        flow.put("chicago", "0.json", "91 whole 1 @90000 +1");
        flow.run();
        assert_eq!(flow.command("matching suspend flow.toml 7 --because lost").0, 0);
        flow.edit("\"calls.dup\"", "\"calls.dup\"\nlate = \"begin\"");
        flow.put("boston", "1.json", "1 first 1 @0 +60; 2 first 1 @0 +60");
        flow.run();
        assert!(waits(&flow, 2));
        let full = "2 groups are open at most";
        let (status, said) = flow.command("suspense retry flow.toml 1");
        assert!(status == 1 && said.contains(full), "{said}");
        assert!(said.contains("1 record left to be retried"), "{said}");
        flow.run();
        let (_, alarms) = flow.command("alarms flow.toml");
        let told =
            "retries-waiting\trecords that are to be retried could not be, and stay in suspense";
        assert!(alarms.contains(told) && alarms.contains(full), "{alarms}");
        let (status, said) = flow.command("suspense discard flow.toml 1 --because wrong --yes");
        let left = "0 records discarded\n1 record left, to be retried as somebody asked";
        assert!(status == 1 && said.contains(left), "{said}");
        flow.edit(ends.0, ends.1);
        flow.run();
        let both = "1 @0 +60 of 1, 2 @0 +60 of 1, 90 @90000 +1 of 1, 91 @90000 +1 of 1";
        assert_eq!(flow.made(), both);
        flow.run();
        flow.run();
        assert_eq!(flow.command("suspense list flow.toml").1, "");
        assert_eq!(flow.command("alarms flow.toml").1, "");
        assert_eq!(flow.made(), both.replace(", 90", ", 7 @0 +60 of 1, 90"));
        flow.audit();
    }
}

#[test]
fn a_retry_that_cannot_be_done_now_can_be_taken_back() {
    for runs in [false, true] {
        let flow = Flow::new("wait = { arrival = \"1 day\" }\ngroups-max = 2");
        flow.put("boston", "0.json", "7 first 1 @0 +60; 7 middle 2 @60 +1");
        flow.run();
        assert_eq!(flow.command("matching suspend flow.toml 7 --because lost").0, 0);
        flow.put("boston", "1.json", "1 first 1 @0 +60; 2 first 1 @0 +60");
        flow.run();
        let (status, said) = flow.command("suspense retry flow.toml 1");
        assert!(status == 1 && said.contains("--take-back takes that back"), "{said}");
        let gateway = runs.then(|| Gateway::start(&flow));
        let take_back = "suspense retry flow.toml 2 --take-back";
        let waiting = runs.then(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
            let command =
                command.current_dir(flow.path()).args(["suspense", "retry", "flow.toml", "1"]);
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut waiting = command.spawn().unwrap();
            // The command reports this after it has sent the request and waited for some time.
            let mut said = BufReader::new(waiting.stderr.take().unwrap()).lines();
            assert!(said.any(|line| line.unwrap().starts_with("waiting for the gateway")));
            waiting
        });
        let (status, said) = flow.command(take_back);
        let taken_back = "2 records are no longer to be retried, and open in suspense";
        assert!(status == 0 && said.contains(taken_back), "{said}");
        if let Some(waiting) = waiting {
            let output = waiting.wait_with_output().unwrap();
            let told = "2 records left in suspense: somebody has taken that back meanwhile\n";
            assert_eq!(String::from_utf8_lossy(&output.stdout), told);
            assert_eq!(output.status.code(), Some(1));
        }
        let (status, said) = flow.command(take_back);
        assert!(status == 1 && said.contains("no record that is to be retried"), "{said}");
        let (status, said) = flow.command(&format!("{take_back} --json"));
        assert!(status == 1 && said.contains("{\"taken_back\":0}"), "{said}");
        let discard = "suspense discard flow.toml 1 2 --because wrong --yes";
        let (status, said) = flow.command(discard);
        assert!(status == 0 && said.contains("2 records discarded"), "{said}");
        assert!(flow.command("trail flow.toml").1.contains("suspense retry --take-back"));
        drop(gateway);
        flow.run();
        assert_eq!(flow.command("alarms flow.toml").1, "");
        assert!(waits(&flow, 2));
        flow.audit();
    }
}

#[test]
fn what_a_file_system_keeps_for_itself_in_a_folder_holds_up_no_group() {
    let flow = over_by_arrival();
    flow.edit("dir = \"in/chicago\"", "dir = \"in/chicago\", recursive = true");
    let own = flow.path().join("in/chicago/lost+found");
    std::fs::create_dir_all(&own).unwrap();
    flow.put("chicago", "lost+found/1.json", "7 last 2 @60 +1");
    // Users other than root may not even look into the folder.
    let mode = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(&own, mode(0)).unwrap();
    flow.run();
    assert_eq!((flow.made().as_str(), flow.command("alarms flow.toml").0), ("7 @0 +60 of 1", 0));
    std::fs::set_permissions(&own, mode(0o700)).unwrap();
    flow.audit();
}

#[test]
fn what_lies_in_a_folder_that_can_be_read_again_is_waited_for() {
    let flow = Flow::new("wait = { arrival = \"3 seconds\", files = \"60 seconds\" }");
    flow.put("boston", "1.json", "7 first 1 @0 +10");
    flow.run();
    let (folder, aside) = (flow.path().join("in/boston"), flow.path().join("in/.boston"));
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(aside.join("2.json"), super::flow::line("7 last 2 @10 +20")).unwrap();
    // The group's time is over, and the missing part appears while the gateway runs.
    let back = || {
        std::thread::sleep(Duration::from_secs(6));
        std::fs::rename(&aside, &folder).unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(back);
        flow.command_for("run flow.toml", Duration::from_secs(12));
    });
    assert_eq!(flow.made(), "7 @0 +30 of 2");
    assert_eq!(flow.command("suspense list flow.toml").1, "");
}
