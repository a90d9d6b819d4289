//! Tests the rules of fraud nodes in the browser's API: a rule is checked, tried on files of the archive, proposed, and activated by a
//! second person.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served};
use crate::common::wait::wait_for;
use crate::fraud::{flow, put, run};

const RULE: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 hour\"\nscore = 60\n";
const FILE: &str = "rules/busy.toml";
const PATH: &str = "/api/fraud/rule-files/rules/busy.toml";

/// Serves a flow that has found a caller, who was decided to be no fraud.
fn served() -> Served {
    let folder = flow(&[("busy", RULE)]);
    let here = folder.path();
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    let more = "\n[archive]\ndir = \"archive\"\n\n[serve]\nsecond-person = true\n\n\
                [notify.hook]\nurl = \"http://127.0.0.1:9/\"\ntoken-file = \"token\"\n";
    fs::write(here.join("flow.toml"), format!("{text}{more}")).unwrap();
    fs::write(here.join("token"), "a secret,of the gateway\n").unwrap();
    put(here, "1.csv", &[(0, "4670", "1", 1), (1, "4671", "1", 1)]);
    put(here, "2.csv", &[(10, "4670", "2", 1), (11, "4671", "2", 1), (12, "4670", "3", 1)]);
    run(here);
    Served::start(folder)
}

fn on_disk(served: &Served) -> String {
    fs::read_to_string(served.folder.path().join(FILE)).unwrap()
}

fn refused(served: &Served, who: &As, (method, path): (&str, &str), body: Value) -> String {
    let answer = served.ask(who, method, path, Some(body));
    assert!((400..500).contains(&answer.status), "{}", answer.body);
    answer.json()["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_rule_is_tried_proposed_and_activated_by_a_second_person() {
    let served = served();
    let anna = served.first();
    let bo = served.invited(&anna, "bo", "operator");
    let open = served.got(&anna, "/api/fraud/cases")["cases"].clone();
    let case = open.as_array().unwrap().iter().find(|case| case["key"] == "4671").unwrap();
    let body = json!({"cases": [case["id"]], "decision": "not-fraud", "reason": "an office"});
    served.done(&anna, "POST", "/api/fraud/cases/decide", Some(body));

    let listed = served.got(&anna, "/api/fraud/rule-files");
    assert_eq!(
        (&listed["folders"], &listed["files"][0]["file"]),
        (&json!(["rules"]), &json!(FILE))
    );
    let shown = served.got(&anna, PATH);
    assert_eq!(shown["text"], RULE);

    // A draft is checked: its mistakes have their places, by the names of the flow.
    let wrong = json!({"text": RULE.replace("caller", "caler")});
    let found = served.done(&anna, "POST", PATH, Some(wrong));
    let mistake = &found["diagnostics"][0];
    assert_eq!((&mistake["file"], &mistake["line"]), (&json!(FILE), &json!(1)), "{found}");
    assert!(mistake["text"].as_str().unwrap().starts_with("rules/busy.toml:1:10: "), "{found}");
    let stricter = RULE.replace("at-least = 2", "at-least = 3");
    let found = served.done(&anna, "POST", PATH, Some(json!({"text": stricter})));
    assert_eq!(found["diagnostics"], json!([]), "{found}");

    // It is tried on the files that came.
    let files = json!([{"name": FILE, "text": stricter}]);
    served.done(&anna, "POST", "/api/replay", Some(json!({"files": files})));
    wait_for("the replay", || served.got(&anna, "/api/replay")["replay"]["state"] == "done");
    let report = served.got(&anna, "/api/replay")["replay"]["report"].clone();
    assert_eq!(
        (&report["alerts"][0]["before"], &report["alerts"][0]["after"]),
        (&json!(2), &json!(1))
    );
    let lost = &report["alert_keys"][0];
    assert_eq!(
        (&lost["key"], &lost["decision"]),
        (&json!("4671"), &json!("not-fraud")),
        "{report}"
    );

    // One proposes it, another one activates it.
    let body = json!({"text": stricter, "based_on": shown["digest"], "remark": "offices"});
    let put = served.done(&anna, "PUT", PATH, Some(body.clone()));
    assert_eq!((&put["answer"], &on_disk(&served)), (&json!("proposed"), &RULE.to_owned()));
    let versions = served.got(&bo, "/api/flow/versions")["versions"].clone();
    let version = versions.as_array().unwrap().iter().find(|of| of["proposal"].is_object());
    let path = format!("/api/flow/versions/{}/activate", version.unwrap()["version"]);
    let activated = served.done(&bo, "POST", &path, Some(json!({"because": "looked at it"})));
    assert_ne!(activated["answer"], "proposed");
    assert_eq!(on_disk(&served), stricter);
    assert_eq!(refused(&served, &anna, ("PUT", PATH), body), "rule-file-changed");
    wait_for("the rule", || {
        let rules = served.got(&anna, "/api/fraud/rules");
        rules["rules"][0]["running"]["version"] != Value::Null
            && rules["rules"][0]["rule"] == "busy"
    });
}

#[test]
fn a_new_rule_is_a_new_file_and_nothing_else_is_written_or_read() {
    let served = served();
    let anna = served.first();
    let bo = served.invited(&anna, "bo", "operator");
    let vera = served.invited(&anna, "vera", "viewer");
    let body = json!({"text": RULE, "remark": "new"});
    let new = "/api/fraud/rule-files/rules/new.toml";
    assert_eq!(served.ask(&vera, "PUT", new, Some(body.clone())).status, 403);
    assert_eq!(served.done(&anna, "PUT", new, Some(body.clone()))["answer"], "proposed");
    // The same text by another user is what was proposed.
    assert_ne!(served.done(&bo, "PUT", new, Some(body.clone()))["answer"], "proposed");
    assert!(served.folder.path().join("rules/new.toml").exists());
    for outside in [
        "flow.toml",
        "rules/../flow.toml",
        "out/1.csv",
        "flow.state/journal.db",
        "rules/.hidden.toml",
        "rules/deep/a.toml",
    ] {
        let path = format!("/api/fraud/rule-files/{outside}");
        assert_eq!(served.ask(&anna, "GET", &path, None).status, 404, "{outside}");
        refused(&served, &anna, ("PUT", &path), body.clone());
        refused(&served, &anna, ("POST", &path), json!({"text": RULE}));
    }
    // A rule reads no file that users may not see, and its script does not either.
    for named in ["../token", "../flow.toml", "/etc/passwd", "../flow.state/people.db"] {
        let script = format!(
            "declare t TABLE \"{named}\";\nBOOLEAN isAny(record CONST Event) {{ return TRUE; }}\n"
        );
        let beside = "/api/fraud/rule-files/rules/x.dup";
        for (method, body) in [
            ("POST", json!({"text": script})),
            ("PUT", json!({"text": script, "remark": "a table"})),
        ] {
            let answer = served.ask(&anna, method, beside, Some(body));
            let code = answer.json()["code"].clone();
            assert_eq!(code, "flow-file-withheld", "{method} {named}: {}", answer.body);
        }
        for key in ["limits", "script"] {
            let text =
                format!("about = \"caller\"\n{key} = \"{named}\"\nlimits-by = \"record.called\"\n");
            let answer = served.ask(&anna, "POST", PATH, Some(json!({"text": text})));
            assert!(
                answer.status != 200 && !answer.body.contains("of the gateway"),
                "{named}: {}",
                answer.body
            );
        }
    }
}
