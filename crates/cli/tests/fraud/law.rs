//! What the law asks for: a report of what is stored about a subject, and that it is erased.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{alerts, flow_with, put, run};
use crate::api::served::Served;
use crate::common::tollgate::{tollgate, tollgate_words};

const BUSY: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 60\n\
                    evidence = 5\nonly = \"hot\"\nactions = \"note\"\n";

const PAIRS: &str =
    "about = \"pair\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 10\n";

const SUBJECT: &str = "46701234567";
const OTHER: &str = "46709876543";

/// Creates a flow in which both numbers have a case, an action and an entry of a list.
fn found(approve: &str) -> TempDir {
    let folder = flow_with("lists = \"lists\"\n", &[("busy", BUSY), ("pairs", PAIRS)]);
    let here = folder.path();
    fs::create_dir(here.join("lists")).unwrap();
    let hot = format!("key,because\n{SUBJECT},a false name\n{OTHER},x\n");
    fs::write(here.join("lists/hot.csv"), hot).unwrap();
    let path = here.join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    let action = "[action.note]\ncommand = [\"sh\", \"-c\", \"echo $0 >> noted\", \"{key}\"]\n\
                  undo = [\"sh\", \"-c\", \"echo undo $0 >> noted\", \"{key}\"]\n";
    fs::write(&path, format!("{text}\n{action}approve = \"{approve}\"\nmax-age = \"9999 days\"\n"))
        .unwrap();
    let calls =
        [(0, SUBJECT, "1", 1), (1, SUBJECT, "1", 1), (2, OTHER, "2", 1), (3, OTHER, "2", 1)];
    put(here, "1.csv", &calls);
    run(here);
    folder
}

/// Decides the case of the subject.
fn decide(here: &Path) {
    let because = format!("{SUBJECT} has a false name");
    expect(here, &["fraud", "remark", "flow.toml", "1", "--text", &format!("called {SUBJECT}")]);
    expect(here, &["fraud", "decide", "flow.toml", "1", "--fraud", "--because", &because]);
}

/// Creates a flow in which the case of the subject was assigned and decided.
fn investigated() -> TempDir {
    let folder = found("no one");
    expect(folder.path(), &["fraud", "assign", "flow.toml", "1", "--to", "nora"]);
    decide(folder.path());
    folder
}

fn expect(folder: &Path, words: &[&str]) -> String {
    let (status, said) = tollgate_words(folder, words);
    assert_eq!(status, 0, "{words:?}: {said}");
    said
}

fn figures(folder: &Path) -> String {
    expect(folder, &["fraud", "rules", "flow.toml", "--json"])
}

fn about(folder: &Path, key: &str) -> Value {
    serde_json::from_str(&expect(folder, &["fraud", "about", "flow.toml", key, "--json"])).unwrap()
}

fn forget(folder: &Path, key: &str, because: &str) -> (i32, String) {
    tollgate_words(folder, &["fraud", "forget", "flow.toml", key, "--because", because])
}

#[test]
fn a_report_has_all_that_is_stored_about_a_subject() {
    let folder = investigated();
    let subject = about(folder.path(), SUBJECT);
    let count = |of: &str| subject[of].as_array().unwrap().len();
    assert_eq!((count("alerts"), count("cases"), count("actions"), count("lists")), (1, 1, 1, 1));
    assert_eq!(subject["alerts"][0]["evidence"].as_array().unwrap().len(), 2);
    assert_eq!(subject["cases"][0]["decision"], "fraud");
    let steps = subject["cases"][0]["steps"].as_array().unwrap();
    let steps: Vec<_> = steps.iter().map(|of| of["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["assigned", "remark", "fraud"]);
    assert_eq!(
        (&subject["lists"][0]["list"], &subject["lists"][0]["hits"]),
        (&json!("hot"), &json!(1))
    );
    assert_eq!(subject["actions"][0]["state"], "done");
    assert_eq!(subject["other_keys"], json!([format!("{SUBJECT}>1")]));
    let text = expect(folder.path(), &["fraud", "about", "flow.toml", SUBJECT]);
    for expected in
        ["alerts: 1", "case 1: fraud", "called 4670", "note: done", "hot: 4670", "a false name"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains(OTHER), "{text}");
    let none = about(folder.path(), "4671");
    assert_eq!(
        (&none["alerts"], &none["cases"], &none["views"]),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[test]
fn an_erased_subject_is_nowhere_and_figures_of_rules_stay() {
    let folder = investigated();
    let here = folder.path();
    let (before, others) = (figures(here), about(here, OTHER));
    let (status, said) = forget(here, SUBJECT, "the request 2026-17");
    assert_eq!(status, 0, "{said}");
    for expected in [
        "1 alert, 2 records, 1 case, 2 steps, 1 action",
        "goes when the windows of their measures are over",
        "still in the lists hot",
        "Other keys have it as a part",
        "still name it, in words of users",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(figures(here), before);
    assert_eq!(about(here, OTHER), others, "others stay as they are");
    let subject = about(here, SUBJECT);
    let is_empty = |of: &str| subject[of] == json!([]);
    assert!(is_empty("alerts") && is_empty("cases") && is_empty("actions"), "{subject}");
    let case: Value =
        serde_json::from_str(&expect(here, &["fraud", "case", "flow.toml", "1", "--json"]))
            .unwrap();
    assert!(!case.to_string().contains(SUBJECT), "{case}");
    assert!(case["key"].as_str().unwrap().starts_with("erased-"), "{case}");
    assert_eq!((&case["decision"], &case["reason"]), (&json!("fraud"), &json!("erased")));
    let steps = case["steps"].as_array().unwrap();
    let steps: Vec<_> = steps.iter().map(|of| of["remark"].as_str().unwrap()).collect();
    assert_eq!(steps, ["nora", "erased", "erased"], "who works on it is no secret of the subject");
    let alert = &case["found"][0];
    assert_eq!((&alert["score"], &alert["rule"]), (&json!(60), &json!("busy")));
    assert_eq!((&alert["condition"], &alert["evidence"]), (&json!("erased"), &json!([])));
    assert_eq!((&alert["digest"], &alert["record"]), (&Value::Null, &json!(0)));
    assert_eq!(case["actions"].as_array().unwrap().len(), 1, "what belonged together still does");
    let (_, trail) = tollgate(here, "trail flow.toml --json");
    let entries: Vec<Value> =
        trail.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entry = entries.iter().find(|of| of["action"] == "fraud forget").unwrap();
    assert_eq!(entry["reason"], "the request 2026-17");
    let digest = entry["subject"].as_str().unwrap().strip_prefix("subject ").unwrap();
    assert!(digest.len() == 16 && digest.bytes().all(|octet| octet.is_ascii_hexdigit()), "{entry}");
    let (status, said) = forget(here, SUBJECT, "again");
    assert!(status != 0 && said.contains("nothing is stored about this key"), "{said}");
}

#[test]
fn nothing_is_done_about_an_erased_subject_and_new_alerts_open_a_new_case() {
    let folder = investigated();
    let here = folder.path();
    assert_eq!(forget(here, SUBJECT, "so").0, 0);
    let noted = || fs::read_to_string(here.join("noted")).unwrap();
    let before = noted();
    let (status, said) =
        tollgate_words(here, &["action", "undo", "flow.toml", "1", "--because", "so"]);
    assert!(status != 0 && said.contains("0 actions"), "{said}");
    expect(here, &["fraud", "reopen", "flow.toml", "1", "--because", "look again"]);
    let request = ["action", "request", "flow.toml", "1", "--action", "note", "--because", "so"];
    let (status, said) = tollgate_words(here, &request);
    assert!(status != 0 && said.contains("was erased"), "{said}");
    run(here);
    assert_eq!(noted(), before);
    put(here, "2.csv", &[(4, SUBJECT, "1", 1), (5, SUBJECT, "1", 1)]);
    run(here);
    let new = about(here, SUBJECT);
    assert!(!new["alerts"].as_array().unwrap().is_empty(), "{new}");
    assert_eq!(
        new["cases"][0]["alerts"],
        new["alerts"].as_array().unwrap().len(),
        "a case of its own"
    );
}

#[test]
fn a_subject_with_open_actions_is_not_erased() {
    let folder = found("one person");
    let here = folder.path();
    decide(here);
    let before = about(here, SUBJECT);
    let (status, said) = forget(here, SUBJECT, "the request 2026-17");
    assert!(
        status != 0 && said.contains("action 1 about the key wait or are being sent"),
        "{said}"
    );
    assert_eq!(about(here, SUBJECT), before);
    let (status, said) = forget(here, SUBJECT, &format!("{SUBJECT} wrote"));
    assert!(status != 0 && said.contains("the reason names the key"), "{said}");
    let (status, said) = forget(here, SUBJECT, " ");
    assert!(status != 0 && said.contains("give a reason"), "{said}");
    expect(here, &["action", "refuse", "flow.toml", "1", "--because", "they left"]);
    assert_eq!(forget(here, SUBJECT, "the request 2026-17").0, 0);
    assert!(alerts(here, &format!("--key {SUBJECT}")).is_empty());
}

#[test]
fn who_looked_at_a_subject_is_in_its_report_until_it_is_erased() {
    let served = Served::start({
        let folder = found("no one");
        decide(folder.path());
        folder
    });
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let otto = served.invited(&anna, "otto", "operator");
    let about = format!("/api/fraud/about?key={SUBJECT}");
    assert_eq!(served.ask(&vera, "GET", &about, None).json()["code"], "subscriber-data-hidden");
    served.got(&vera, "/api/fraud/cases/1");
    served.got(&otto, "/api/fraud/cases/1");
    served.got(&otto, "/api/fraud/cases/2");
    served.got(&otto, &format!("/api/fraud/alerts?key={SUBJECT}"));
    let views = |of: &Value| -> Vec<(String, String)> {
        let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
        let views = of["views"].as_array().unwrap().iter();
        views.map(|of| (text(of, "who"), text(of, "action"))).collect()
    };
    let found = views(&served.got(&anna, &about));
    let expected = [("anna", "fraud about"), ("otto", "fraud alerts"), ("otto", "fraud case")];
    assert_eq!(found, expected.map(|(who, action)| (who.to_owned(), action.to_owned())));
    let forget = json!({"key": SUBJECT, "because": "the request 2026-17"});
    let refused = served.ask(&otto, "POST", "/api/fraud/forget", Some(forget.clone()));
    assert_eq!(refused.status, 403, "{}", refused.body);
    let forgotten = served.done(&anna, "POST", "/api/fraud/forget", Some(forget));
    assert_eq!((&forgotten["alerts"], &forgotten["trail"]), (&json!(1), &json!(2)));
    let trail = served.got(&otto, "/api/trail?limit=100");
    let entries = trail["entries"].as_array().unwrap().iter();
    let named = entries.filter(|of| of.to_string().contains(SUBJECT)).map(|of| &of["action"]);
    assert_eq!(named.collect::<Vec<_>>(), ["fraud decide", "fraud remark"], "words of users stay");
}

#[test]
fn a_case_is_unmasked_for_a_reason_in_the_trail_where_the_flow_file_lets_the_role() {
    let served = Served::start(found("no one"));
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let otto = served.invited(&anna, "otto", "operator");
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    let with_privacy =
        |table: &str| fs::write(&flow, format!("{text}\n[privacy]\n{table}")).unwrap();
    let unmask = |who, because: &str| {
        let because = json!({"because": because});
        served.ask(who, "POST", "/api/fraud/cases/1/unmask", Some(because))
    };
    let expect_code = |who, because: &str, code: &str| {
        let answer = unmask(who, because);
        assert!(answer.json()["code"] == code && !answer.body.contains(SUBJECT), "{}", answer.body);
    };
    let case = |who| served.got(who, "/api/fraud/cases/1");
    let is_hidden = |case: &Value| case["masked"] == true && !case.to_string().contains(SUBJECT);
    let unmaskings = || -> Vec<(String, String)> {
        let trail = served.got(&anna, "/api/trail?limit=100");
        let entries = trail["entries"].as_array().unwrap().iter();
        let of = entries.filter(|of| of["action"] == "fraud unmask" && of["subject"] == "case 1");
        let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
        of.map(|of| (text(of, "who"), text(of, "reason"))).collect()
    };
    assert_eq!(case(&vera)["unmaskable"], false);
    expect_code(&vera, "a court asks", "unmask-not-allowed");
    with_privacy("unmask = \"viewer\"\n");
    assert!(is_hidden(&case(&vera)) && case(&vera)["unmaskable"] == true);
    expect_code(&vera, " ", "reason-missing");
    assert!(unmaskings().is_empty());
    let whole = unmask(&vera, "a court asks").json();
    assert_eq!((&whole["key"], &whole["masked"]), (&json!(SUBJECT), &Value::Null));
    assert_eq!(whole["found"][0]["key"], SUBJECT);
    assert!(is_hidden(&case(&vera)), "it was one view");
    unmask(&vera, "they ask again");
    let expected = ["they ask again", "a court asks"].map(|of| ("vera".to_owned(), of.to_owned()));
    assert_eq!(unmaskings(), expected, "each has its entry");
    let about = format!("/api/fraud/about?key={SUBJECT}");
    assert_eq!(served.ask(&vera, "GET", &about, None).json()["code"], "subscriber-data-hidden");
    let views = served.got(&anna, &about)["views"].to_string();
    assert!(views.contains("fraud unmask") && views.contains("a court asks"), "{views}");
    with_privacy("role = \"administrator\"\nunmask = \"operator\"\n");
    expect_code(&vera, "a court asks", "unmask-not-allowed");
    assert!(is_hidden(&case(&otto)) && case(&otto)["unmaskable"] == true);
    assert_eq!(unmask(&otto, "a police officer rang").json()["key"], SUBJECT);
    let full = "CREATE TRIGGER full BEFORE INSERT ON trail BEGIN SELECT RAISE(ABORT, 'full'); END";
    flow::flow_journal::change(&flow, |db| db.execute_batch(full)).expect("a full disk");
    expect_code(&otto, "a court asks", "view-not-recorded");
}
