//! Tests groups that users end early, and what is shown of groups that wait.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::ends::{joined_twice, open, refusing};
use super::flow::Flow;
use super::{TWO_HOURS, check};

/// Begins a call of two parts whose last part never comes, and a call that another matching node could have too.
fn waiting() -> Flow {
    check(
        TWO_HOURS,
        "boston: 7 first 1 @0 +60; 7 middle 2 @60 +5; 8 first 1 @0 +1",
        "",
        "3 = 3 held",
    )
}

/// Runs a command, which must end with `status` and print `said`.
fn ask(flow: &Flow, command: &str, status: i32, said: &str) {
    let (found, text) = flow.command(command);
    assert!(found == status && text.contains(said), "{command}: {found}: {text}");
}

/// A gateway that runs until this value is dropped.
pub(super) struct Gateway(Child);

impl Gateway {
    pub(super) fn start(flow: &Flow) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let command = command.current_dir(flow.path()).args(["run", "flow.toml"]);
        let gateway = Gateway(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let begun = Instant::now();
        while !flow.path().join("flow.state/socket").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the gateway does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        gateway
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn groups_end_as_somebody_asks_whether_a_gateway_runs_or_not() {
    for (deed, said, made, in_suspense) in [
        ("release", "7: 2 records, released", "7 @0 +65 of 2", 0),
        ("suspend", "set its group aside: lost", "", 2),
        ("drop", "7: 2 records, dropped", "", 0),
    ] {
        for runs in [false, true] {
            let flow = waiting();
            let gateway = runs.then(|| Gateway::start(&flow));
            ask(&flow, &format!("matching {deed} flow.toml 7 --because lost"), 0, said);
            drop(gateway);
            // Outputs that the journal has from before the gateway ended get their names.
            flow.run();
            assert_eq!((flow.made().as_str(), open(&flow)), (made, in_suspense), "{deed}");
            ask(&flow, "matching show flow.toml 7", 0, &format!("asked to {deed} it: lost"));
            ask(&flow, "trail flow.toml", 0, &format!("matching {deed}"));
            assert_eq!(flow.command("matching list flow.toml").1.lines().count(), 1);
            assert_eq!(flow.account(), "3 = 3 held");
            flow.audit();
            let (_, report) = flow.command("audit flow.toml --json");
            let dropped = if deed == "drop" { 2 } else { 0 };
            assert!(report.contains(&format!("\"dropped\":{dropped},")), "{deed}: {report}");
        }
    }
}

#[test]
fn what_somebody_set_aside_waits_again_when_it_is_retried() {
    let flow = waiting();
    ask(&flow, "matching suspend flow.toml 7 --because lost", 0, "suspended");
    ask(
        &flow,
        "suspense retry flow.toml 1",
        0,
        "2 records retried: 0 delivered, 0 filtered, 2 held",
    );
    flow.put("chicago", "1.json", "7 last 3 @65 +2");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +67 of 3");
    flow.audit();
}

#[test]
fn what_is_refused_when_it_is_released_is_set_aside() {
    let flow = refusing(TWO_HOURS, 7);
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    ask(&flow, "matching release flow.toml 7 --because lost", 1, "1 record, suspended: priced: ");
    assert_eq!(open(&flow), 1);
    flow.audit();
}

#[test]
fn who_ends_groups_says_which_and_why() {
    let flow = joined_twice();
    flow.edit("wait = { arrival = \"1 ms\" }", "wait = { arrival = \"1 day\" }");
    // Call 65 waits for its last part, and another call of 65 seconds waits for a second.
    flow.put("boston", "0.json", "65 first 1 @0 +60; 9 whole 1 @0 +65");
    flow.run();
    let end = "matching drop flow.toml 65";
    ask(&flow, end, 2, "--because");
    ask(&flow, &format!("{end} --because lost"), 2, "in which of \"calls\", \"sums\"");
    ask(&flow, "matching release flow.toml 66 --because lost", 2, "no such group \"66\" waits");
    ask(&flow, &format!("{end} --because lost --group 9"), 2, "no such group");
    ask(&flow, &format!("{end} --because lost --node sums"), 0, "sums  65: 1 record, dropped");
    flow.edit("[matching.calls]", "[matching.joined]");
    flow.edit("from = \"calls\"", "from = \"joined\"");
    ask(&flow, &format!("{end} --because lost"), 2, "the flow has no node \"calls\" any more");
    flow.audit();
}

#[test]
fn it_is_told_when_a_group_will_be_over_and_for_whom_it_waits() {
    let both = "wait = { record-time = \"2 hours\", arrival = \"1 day\" }";
    let flow = check(both, "boston: 7 first 1 @0 +60", "", "1 = 1 held");
    let past = "past 2023-11-15T00:13:20Z or at 20";
    let boston = "boston (now at 2023-11-14T22:13:20Z)";
    let list = "matching list flow.toml";
    ask(&flow, list, 0, &format!("\twhen {boston} and chicago (nothing came) are {past}"));
    flow.put("boston", "1.json", "9 whole 1 @7201 +1");
    flow.run();
    ask(&flow, list, 0, &format!("\twhen chicago (nothing came) is {past}"));
    let json = "\"waits_for\":[{\"network_element\":\"chicago\",\"at\":null}]";
    ask(&flow, &format!("{list} --json"), 0, json);
    let flow = refusing(TWO_HOURS, 7);
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 last 2 @60 +1");
    flow.run();
    ask(&flow, list, 0, ", but not before record 1 in suspense is retried or discarded");
}

#[test]
fn groups_are_given_up_or_set_aside_whatever_the_flow_file_is_like_by_then() {
    for (deed, said) in
        [("drop", "7: 2 records, dropped"), ("suspend", "set its group aside: lost")]
    {
        let flow = waiting();
        let gateway = Gateway::start(&flow);
        flow.edit("from = \"calls\"\nencode", "from = \"call\"\nencode");
        ask(&flow, &format!("matching {deed} flow.toml 7 --because lost"), 0, said);
        // A released group goes through the flow, and so by the flow file as it was just edited.
        ask(&flow, "matching release flow.toml 8 --because lost", 2, "no node named");
        drop(gateway);
        // Without a gateway, no process can do it with this flow file.
        ask(&flow, &format!("matching {deed} flow.toml 8 --because lost"), 2, "no node named");
        flow.edit("from = \"call\"\nencode", "from = \"calls\"\nencode");
        ask(&flow, &format!("matching {deed} flow.toml 8 --because lost"), 0, "8: 1 record");
        flow.audit();
    }
}

#[test]
fn a_key_may_be_less_than_zero() {
    let flow = check(TWO_HOURS, "boston: -5 first 1 @0 +60", "", "1 = 1 held");
    ask(&flow, "matching show flow.toml -5", 0, "-5: 1 record");
    ask(&flow, "matching drop flow.toml -5 --because lost", 0, "-5: 1 record, dropped");
    flow.audit();
}

#[test]
fn a_key_is_typed_as_it_is_listed_or_as_it_reads() {
    let flow = Flow::new(TWO_HOURS);
    let script = fs::read_to_string(flow.path().join("calls.dup")).unwrap();
    let key = "UTF8String key(part CONST Part) { return concat(\"é/\", toString(part.call)); }";
    let script = script.replace("INTEGER key(part CONST Part) { return part.call; }", key);
    fs::write(flow.path().join("calls.dup"), script).unwrap();
    flow.put("boston", "1", "7 first 1 @0 +60");
    flow.run();
    ask(&flow, "matching list flow.toml", 0, "\\xc3\\xa9\\/7\t1\t");
    ask(&flow, "matching show flow.toml \\xc3\\xa9\\/7", 0, "7: 1 record");
    ask(&flow, "matching show flow.toml é\\/7", 0, "7: 1 record");
    ask(&flow, "matching drop flow.toml é\\/7 --because lost", 0, "7: 1 record, dropped");
    flow.audit();
}
