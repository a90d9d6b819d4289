//! Actions: what rules and people want done, in the transaction that it is about.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{alerts, expect_mistake, flow_with, put, run};
use crate::common::gateway::Gateway;
use crate::common::tollgate::{tollgate, tollgate_words};
use crate::common::wait::wait_for;

const BUSY: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 60\nactions = \"bar\"\n";

/// Creates a flow with a rule that acts, and its actions.
fn acting(of_node: &str, actions: &str) -> TempDir {
    let folder = flow_with(of_node, &[("busy", BUSY)]);
    let path = folder.path().join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\n{actions}")).unwrap();
    folder
}

/// An action that adds what it gets to a file.
fn command(more: &str) -> String {
    format!(
        "[action.bar]\ncommand = [\"sh\", \"-c\", \"echo $0 >> barred\", \"{{key}}\"]\n\
         undo = [\"sh\", \"-c\", \"echo undo $0 >> barred\", \"{{key}}\"]\n{more}\n"
    )
}

fn barred(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("barred")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn actions(folder: &Path) -> Vec<Value> {
    let (status, listed) = tollgate(folder, "action list flow.toml --all --json");
    assert_eq!(status, 0, "{listed}");
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn states(folder: &Path) -> Vec<(String, String)> {
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    actions(folder).iter().map(|of| (text(of, "key"), text(of, "state"))).collect()
}

fn expect_states(folder: &Path, expected: &[(&str, &str)]) {
    let states = states(folder);
    let states: Vec<_> = states.iter().map(|(key, state)| (key.as_str(), state.as_str())).collect();
    assert_eq!(states, expected);
}

/// Processes two calls of each caller as a file, whose name says when they are.
fn call(folder: &Path, file: &str, callers: &[&'static str]) {
    let at = 10 * file[..1].parse::<i64>().unwrap();
    let of_caller = |caller: &&'static str| [(at, *caller, "1", 1), (at + 1, *caller, "1", 1)];
    let calls: Vec<_> = callers.iter().flat_map(of_caller).collect();
    put(folder, file, &calls);
    run(folder);
}

fn change(folder: &Path, words: &[&str]) {
    let (status, said) = tollgate_words(folder, &[&["action"], words].concat());
    assert_eq!(status, 0, "{words:?}: {said}");
}

#[test]
fn a_rule_acts_once_about_a_key_and_a_person_undoes_it() {
    let folder = acting("", &command("approve = \"no one\"\nmax-age = \"9999 days\""));
    let here = folder.path();
    call(here, "1.csv", &["4670", "4671"]);
    assert_eq!(barred(here), ["4670", "4671"]);
    call(here, "2.csv", &["4670"]);
    assert_eq!(barred(here).len(), 2, "it is barred");
    expect_states(
        here,
        &[("4670", "done"), ("4671", "done"), ("4670", "repeated"), ("4670", "repeated")],
    );
    let first = &actions(here)[0];
    assert_eq!((&first["rule"], &first["because"]), (&json!("busy"), &json!("events 2 >= 2")));
    change(here, &["undo", "flow.toml", "1", "--because", "it was no fraud"]);
    call(here, "3.csv", &["46"]);
    assert_eq!(barred(here)[2..], ["undo 4670", "46"]);
    call(here, "4.csv", &["4670"]);
    assert_eq!(barred(here).last().unwrap(), "4670", "it may be barred again");
    let (_, trail) = tollgate(here, "trail flow.toml");
    assert!(trail.contains("it was no fraud"), "{trail}");
}

#[test]
fn what_has_no_undo_stays_done_and_says_so() {
    let folder = acting(
        "",
        "[action.bar]\ncommand = [\"true\"]\napprove = \"no one\"\nmax-age = \"9999 days\"\n",
    );
    let here = folder.path();
    call(here, "1.csv", &["4670"]);
    change(here, &["undo", "flow.toml", "1", "--because", "it was no fraud"]);
    run(here);
    expect_states(here, &[("4670", "done")]);
    assert!(actions(here)[0]["problem"].as_str().unwrap().contains("cannot be undone"));
}

#[test]
fn a_person_looks_at_it_first_unless_the_flow_says_otherwise() {
    let folder = acting("", &command(""));
    let here = folder.path();
    call(here, "1.csv", &["4670", "4671"]);
    expect_states(here, &[("4670", "waiting"), ("4671", "waiting")]);
    let (_, alarms) = tollgate(here, "alarms flow.toml");
    assert!(alarms.contains("2 of the action \"bar\" wait for a person"), "{alarms}");
    change(here, &["approve", "flow.toml", "1"]);
    change(here, &["refuse", "flow.toml", "2", "--because", "the customer is known"]);
    run(here);
    assert_eq!(barred(here), ["4670"]);
    expect_states(here, &[("4670", "done"), ("4671", "refused")]);
    let (_, alarms) = tollgate(here, "alarms flow.toml");
    assert!(!alarms.contains("wait for a person"), "{alarms}");
}

#[test]
fn two_people_are_not_the_same() {
    let folder = acting("", &command("approve = \"two people\""));
    let here = folder.path();
    call(here, "1.csv", &["4670"]);
    change(here, &["approve", "flow.toml", "1"]);
    run(here);
    let (status, said) = tollgate(here, "action approve flow.toml 1");
    assert_eq!((status, said.trim()), (1, "0 actions approved"));
    expect_states(here, &[("4670", "waiting")]);
    assert_eq!(actions(here)[0]["approved_by"].as_array().unwrap().len(), 1);
}

#[test]
fn more_than_the_limit_wait_for_a_person() {
    let folder = acting(
        "",
        &command("approve = \"no one\"\nmax-age = \"9999 days\"\nmost = 2\neach = \"1 hour\""),
    );
    let here = folder.path();
    call(here, "1.csv", &["1", "2", "3"]);
    expect_states(here, &[("1", "done"), ("2", "done"), ("3", "held")]);
    change(here, &["approve", "flow.toml", "3"]);
    run(here);
    assert_eq!(barred(here), ["1", "2", "3"]);
}

#[test]
fn about_what_is_long_over_nothing_is_done_without_a_person() {
    let folder = acting("", &command("approve = \"no one\""));
    let here = folder.path();
    // These calls are of June.
    call(here, "1.csv", &["4669"]);
    expect_states(here, &[("4669", "held")]);
    assert_eq!(actions(here)[0]["problem"], "its alert is too old");
    change(here, &["approve", "flow.toml", "1"]);
    run(here);
    expect_states(here, &[("4669", "done")]);
    assert_eq!(barred(here), ["4669"]);
    assert_eq!(actions(here)[0]["problem"], Value::Null);
}

#[test]
fn a_stop_holds_all_until_it_is_lifted() {
    let folder = acting("", &command("approve = \"no one\"\nmax-age = \"9999 days\""));
    let here = folder.path();
    call(here, "1.csv", &["4669"]);
    change(here, &["stop", "flow.toml", "--because", "wrong numbers"]);
    call(here, "2.csv", &["4670"]);
    assert_eq!(barred(here), ["4669"]);
    let (_, listed) = tollgate(here, "action list flow.toml");
    assert!(
        listed.contains("all actions are stopped") && listed.contains("wrong numbers"),
        "{listed}"
    );
    change(here, &["resume", "flow.toml", "--because", "mended"]);
    run(here);
    assert_eq!(barred(here), ["4669", "4670"]);
}

#[test]
fn what_fails_is_tried_again_with_the_same_identifier() {
    let failing = "[action.bar]\ncommand = [\"sh\", \"-c\", \"echo $TOLLGATE_ACTION_ID >> ids; test -e ready\"]\napprove = \"no one\"\nmax-age = \"9999 days\"\n";
    let folder = acting("", failing);
    let here = folder.path();
    call(here, "1.csv", &["4670"]);
    let failed = &actions(here)[0];
    assert_eq!(failed["state"], "sending");
    assert!(failed["problem"].as_str().unwrap().contains("ends with exit status: 1"), "{failed}");
    fs::write(here.join("ready"), "").unwrap();
    wait_for("the action", || {
        run(here);
        actions(here)[0]["state"] == "done"
    });
    let ids = fs::read_to_string(here.join("ids")).unwrap();
    let ids: Vec<&str> = ids.lines().collect();
    assert!(
        ids.len() >= 2 && ids.iter().all(|id| *id == ids[0] && id.starts_with("bar-")),
        "{ids:?}"
    );
}

#[test]
fn a_kill_while_it_is_sent_sends_it_again_with_the_same_identifier() {
    let slow = "[action.bar]\ncommand = [\"sh\", \"-c\", \"echo $TOLLGATE_ACTION_ID >> ids; test -e ready || sleep 60\"]\napprove = \"no one\"\nmax-age = \"9999 days\"\n";
    let folder = acting("", slow);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 1), (1, "4670", "1", 1)]);
    let ids = || fs::read_to_string(here.join("ids")).unwrap_or_default();
    let mut gateway = Gateway::start(here);
    wait_for("the command", || !ids().is_empty());
    gateway.kill();
    assert_eq!(actions(here)[0]["state"], "sending");
    fs::write(here.join("ready"), "").unwrap();
    run(here);
    assert_eq!(actions(here)[0]["state"], "done");
    let ids = ids();
    let ids: Vec<&str> = ids.lines().collect();
    assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
}

#[test]
fn a_rule_acts_once_two_people_have_approved_its_version() {
    let folder = acting(
        "rules-approved-by = \"two people\"\n",
        &command("approve = \"no one\"\nmax-age = \"9999 days\""),
    );
    let here = folder.path();
    call(here, "1.csv", &["4670"]);
    expect_states(here, &[("4670", "waiting")]);
    let (_, rules) = tollgate(here, "fraud rules flow.toml --json");
    let rule: Value = serde_json::from_str(rules.lines().next().unwrap()).unwrap();
    let version = rule["running"]["version"].as_str().unwrap();
    assert_eq!(rule["running"]["approvals_needed"], 2);
    let activate = |version: &str| {
        let words = ["fraud", "activate", "flow.toml", "--node", "calls", "--rule", "busy"];
        tollgate_words(here, &[&words[..], &["--version", version, "--because", "tested"]].concat())
    };
    let (status, said) = activate(version);
    assert!(status == 0 && said.contains("once another person approves it"), "{said}");
    let (status, said) = activate(version);
    assert!(status != 0 && said.contains("another person must"), "{said}");
    let (status, said) = activate("0123456789abcdef");
    assert!(status != 0 && said.contains("does not run as version"), "{said}");
    run(here);
    assert_eq!(barred(here), [] as [String; 0]);
    // A script that changes is another version.
    let scripted = BUSY.replace("within", "script = \"calls.dup\"\nwhere = \"isAny\"\nwithin");
    fs::write(here.join("rules/busy.toml"), scripted).unwrap();
    let version_of = |script: &str| {
        fs::write(here.join("rules/calls.dup"), script).unwrap();
        run(here);
        let (_, rules) = tollgate(here, "fraud rules flow.toml --json");
        let rule: Value = serde_json::from_str(rules.lines().next().unwrap()).unwrap();
        rule["running"]["version"].clone()
    };
    let [one, other] = ["TRUE", "record.seconds > 0"]
        .map(|of| version_of(&format!("BOOLEAN isAny(record CONST Event) {{ return {of}; }}\n")));
    assert_ne!(one, other);
}

#[test]
fn a_rule_that_is_tried_out_requests_nothing_and_no_fraud_withdraws_what_waits() {
    let folder = acting("", &command(""));
    let here = folder.path();
    fs::write(here.join("rules/tried.toml"), format!("{BUSY}mode = \"shadow\"\n")).unwrap();
    call(here, "1.csv", &["4670"]);
    assert_eq!(alerts(here, "").len(), 2);
    expect_states(here, &[("4670", "waiting")]);
    let words = ["fraud", "decide", "flow.toml", "1", "--not-fraud", "--because", "a call centre"];
    let (status, said) = tollgate_words(here, &words);
    assert_eq!(status, 0, "{said}");
    expect_states(here, &[("4670", "refused")]);
    assert_eq!(actions(here)[0]["problem"], "case 1 is no fraud");
}

#[test]
fn a_person_requests_an_action_about_a_case() {
    let folder = acting("", &command("").replace("[action.bar]", "[action.quarantine]"));
    let here = folder.path();
    let acting = fs::read_to_string(here.join("rules/busy.toml")).unwrap();
    fs::write(here.join("rules/busy.toml"), acting.replace("actions = \"bar\"\n", "")).unwrap();
    call(here, "1.csv", &["4670"]);
    let request = |action: &str| {
        let words = ["action", "request", "flow.toml", "1", "--action", action];
        tollgate_words(here, &[&words[..], &["--because", "a SIM box"]].concat())
    };
    let (status, said) = request("bar");
    assert!(status != 0 && said.contains("the flow has no action \"bar\""), "{said}");
    assert_eq!(request("quarantine").0, 0);
    run(here);
    expect_states(here, &[("4670", "done")]);
    assert_eq!(barred(here), ["4670"], "the person who requests it has approved it");
    let (_, case) = tollgate(here, "fraud case flow.toml 1 --json");
    let case: Value = serde_json::from_str(&case).unwrap();
    assert_eq!(case["actions"][0]["because"], "a SIM box");
    assert_eq!(case["steps"][0]["remark"], "quarantine: a SIM box");
}

#[test]
fn an_action_adds_to_a_list_that_rules_read_and_makes_lines_and_records() {
    let actions = "[action.bar]\nlist = \"lists/hot.csv\"\napprove = \"no one\"\nmax-age = \"9999 days\"\n\
                   [action.console]\nline = \"console.txt\"\n\
                   [action.order]\nrecord = \"orders\"\napprove = \"no one\"\nmax-age = \"9999 days\"\n";
    let folder = acting("lists = \"lists\"\n", actions);
    let here = folder.path();
    fs::create_dir(here.join("lists")).unwrap();
    fs::write(here.join("lists/hot.csv"), "key,source\n").unwrap();
    let of_all = BUSY.replace("\"bar\"", "[\"bar\", \"console\", \"order\"]");
    fs::write(here.join("rules/busy.toml"), of_all).unwrap();
    let hot = "about = \"caller\"\nat-least = 1\nwithin = \"1 minute\"\nonly = \"hot\"\n";
    fs::write(here.join("rules/hot.toml"), hot).unwrap();
    call(here, "1.csv", &["4670"]);
    let list = fs::read_to_string(here.join("lists/hot.csv")).unwrap();
    assert!(list.contains("\n4670,action bar-"), "{list}");
    let console = fs::read_to_string(here.join("console.txt")).unwrap();
    assert!(
        console.contains("2026-06-01T12:00:11Z console caller=4670")
            && console.contains("events 2 >= 2"),
        "{console}"
    );
    let order = fs::read_dir(here.join("orders")).unwrap().next().unwrap().unwrap();
    let order = fs::read_to_string(order.path()).unwrap();
    assert!(
        order.contains(",order,false,calls,caller,4670,2026-06-01T12:00:11Z,busy,60,warning,"),
        "{order}"
    );
    call(here, "2.csv", &["4669", "4670"]);
    assert_eq!(alerts(here, "--rule hot").len(), 1, "the list took effect");
}

#[test]
fn mistakes_of_actions_have_their_places() {
    let folder = acting("", "");
    expect_mistake(folder.path(), "busy.toml", ("6:12", "there is no action \"bar\""));
    for (action, place, message) in [
        ("", "20:9", "has one of \"command\", \"url\""),
        ("command = [\"bar\", \"{kee}\"]", "21:20", "there is no \"{kee}\" in an action"),
        ("line = \"tcp://console\"", "21:9", "the port is missing"),
        ("list = \"a.csv\"\nmost = 3", "22:8", "\"most\" and \"each\" go together"),
        ("list = \"a.csv\"\napprove = \"anna\"", "22:12", "no one, one person, two people"),
        ("list = \"a.csv\"\nundo = \"x\"", "22:9", "no key is named \"undo\""),
    ] {
        let folder = acting("", &format!("[action.bar]\n{action}\n"));
        expect_mistake(folder.path(), "flow.toml", (place, message));
    }
}
