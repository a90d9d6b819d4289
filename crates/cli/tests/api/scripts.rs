//! Tests creating, editing and testing scripts.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{Answer, Served, example};

#[test]
fn a_script_is_put_while_records_flow_and_one_with_mistakes_is_not() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let scripts = served.got(&anna, "/api/scripts");
    let of = |node: &str| {
        let scripts = scripts["scripts"].as_array().unwrap();
        let has = |script: &&Value| script["nodes"].as_array().unwrap().contains(&json!(node));
        scripts.iter().find(has).expect("a script")["file"].as_str().unwrap().to_owned()
    };
    let file = of("isRoaming");
    let path = format!("/api/scripts/{file}");
    let script = served.got(&anna, &path);
    let text = script["text"].as_str().unwrap();
    let broken = text.replacen("return", "retrun", 1);
    assert_ne!(broken, text);
    let looked = served.done(&anna, "POST", &path, Some(json!({"text": broken})));
    assert_eq!(looked["diagnostics"][0]["severity"], "error", "{looked}");
    let put = |text: &str, based_on: &Value| {
        let body = json!({"text": text, "based_on": based_on, "remark": "clearer"});
        served.ask(&anna, "PUT", &path, Some(body))
    };
    let unreasoned = Some(json!({"text": text, "remark": " "}));
    let unreasoned = served.ask(&anna, "PUT", &path, unreasoned);
    assert_eq!((unreasoned.status, &unreasoned.json()["code"]), (422, &json!("reason-missing")));
    let answer = put(&broken, &script["digest"]).json();
    assert_eq!(answer["answer"], "mistakes", "{answer}");
    // The flow has a version with the script, and the audit trail names its author.
    let version = &served.got(&anna, "/api/flow/versions")["versions"][0];
    let told = format!("{file}, version {}", version["version"]);
    let trail = served.got(&anna, "/api/trail?limit=3");
    let entry = |place: usize, of: &str| trail["entries"][place][of].as_str().unwrap().to_owned();
    let actions = ["scripts put", "scripts put", "versions save"];
    assert_eq!([0, 1, 2].map(|place| entry(place, "action")), actions);
    assert!((0..3).all(|place| entry(place, "subject") == told), "{trail}");
    assert_eq!(entry(0, "reason"), "not active: the flow has mistakes");
    let on_disk = || fs::read_to_string(served.folder.path().join(&file)).unwrap();
    assert_eq!(on_disk(), text);
    let other = format!("{text}\n-- Looked at.\n");
    let answer = put(&other, &script["digest"]).json();
    assert_ne!(answer["answer"], "mistakes", "{answer}");
    assert_eq!(on_disk(), other);
    assert_eq!(put(text, &script["digest"]).status, 409);
    for outside in ["../../etc/passwd", "/etc/passwd", "flow.toml", "asn1/none.dup"] {
        let answer = served.ask(&anna, "GET", &format!("/api/scripts/{outside}"), None);
        assert_eq!(answer.status, 404, "{outside}: {}", answer.body);
    }
}

#[test]
fn a_script_is_begun_for_a_node_to_come_and_is_part_of_the_version_that_has_the_node() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let begin = |file: &str, text: &str, based_on: Value| {
        let asked = json!({"file": file, "text": text, "based_on": based_on});
        served.ask(&anna, "POST", "/api/scripts", Some(asked))
    };
    let (file, all) = ("scripts/new/is_long.dup", "BOOLEAN isLong(cdr CONST CallDataRecord)\n{\n");
    let text = format!("{all}  return cdr.callDuration > 60;\n}}\n");
    let path = format!("/api/scripts/{file}");
    assert_eq!(served.ask(&anna, "GET", &path, None).status, 404);
    // Mistakes are reported before the file exists, too.
    let looked = served.done(&anna, "POST", &path, Some(json!({"text": "BOOLEAN ?"})));
    assert_eq!(looked["diagnostics"][0]["severity"], "error", "{looked}");
    let first = begin(file, all, Value::Null);
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(begin(file, &text, Value::Null).status, 409, "somebody has begun it");
    let digest = served.got(&anna, &path)["digest"].clone();
    assert_eq!(first.json()["digest"], digest);
    assert_eq!(begin(file, &text, digest).status, 200);
    assert_eq!(served.got(&anna, &path)["text"], text);
    assert!(served.got(&anna, "/api/scripts")["scripts"].to_string().find(file).is_none());
    assert_eq!(served.got(&anna, "/api/trail")["entries"][0]["action"], "scripts begin");
    // This writes no file of the flow, of its state or outside of it.
    assert_eq!(begin("scripts/is_roaming.dup", &text, Value::Null).status, 409);
    for outside in
        ["flow.toml", "../other.dup", "/tmp/other.dup", "in/.hidden.dup", ".dup", "a/../b.dup", ""]
    {
        let answer = begin(outside, &text, Value::Null);
        assert_eq!(answer.status, 422, "{outside}: {}", answer.body);
    }
    // A script is put only where a node runs it.
    let put = served.ask(&anna, "PUT", &path, Some(json!({"text": text, "remark": "x"})));
    assert_eq!(put.status, 404, "{}", put.body);

    let flow = served.got(&anna, "/api/flow");
    let node = format!("\n[filter.isLong]\nfrom = \"isRoaming.true\"\nscript = \"{file}\"\n");
    let with_node = flow["text"].as_str().unwrap().to_owned() + &node;
    let asked = json!({"text": with_node});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(asked))["version"].clone();
    let whole = served.got(&anna, &format!("/api/flow/versions/{version}"));
    let of_it = whole["files"].as_array().unwrap().iter().find(|found| found["name"] == file);
    assert_eq!(of_it.expect("the version has it")["text"], text);
}

#[test]
fn an_edited_script_is_analysed_by_the_language_server() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let file = "scripts/is_roaming.dup";
    let uri = format!("flow:{file}");
    let text = fs::read_to_string(served.folder.path().join(file)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let line = lines.iter().position(|line| line.contains("recordType")).expect("it is read");
    let column = lines[line].find("recordType").expect("it is there");
    let request = |method: &str, text: &str, params: Value| {
        let asked = json!({"text": text, "method": method, "params": params});
        served.ask(&vera, "POST", &format!("/api/analysis/{file}"), Some(asked))
    };
    let at = |method: &str, character: usize, text: &str| {
        let position = json!({"line": line, "character": character});
        let mut params = json!({"textDocument": {"uri": uri}, "position": position});
        params["newName"] = json!("isAbroad");
        params["context"] = json!({"includeDeclaration": true, "triggerKind": 1});
        request(&format!("textDocument/{method}"), text, params)
    };
    let result = |answer: Answer| {
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["result"].clone()
    };

    let capabilities = result(request("initialize", &text, json!({})))["capabilities"].clone();
    assert_eq!(capabilities["positionEncoding"], "utf-16", "{capabilities}");

    // An unfinished text: the rest of the script is not there yet.
    let begun = text.split("recordType").next().unwrap().to_owned() + "recor";
    let found = result(at("completion", column + "recor".len(), &begun));
    let field = found.as_array().unwrap().iter().find(|item| item["label"] == "recordType");
    let field = field.expect("a field");
    assert_eq!(field["textEdit"]["range"]["start"], json!({"line": line, "character": column}));
    assert!(found.as_array().unwrap().iter().all(|item| item["kind"] == field["kind"]), "{found}");

    let hover = result(at("hover", column + 2, &text));
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains(field["detail"].as_str().unwrap()), "{shown}");
    assert!(shown.contains("](flow:asn1/msc.asn1#L"), "a module has its name in the flow: {shown}");
    assert_eq!(result(at("hover", 0, &text)), Value::Null);
    // A position outside the text is taken as the nearest inside.
    assert_eq!(result(at("hover", 9_999, "\u{e5}")), Value::Null);

    let defined = result(at("definition", column + 2, &text));
    assert_eq!(defined["uri"], "flow:asn1/msc.asn1", "{defined}");
    let module = served.got(&vera, "/api/module?file=asn1/msc.asn1");
    let at_line = defined["range"]["start"]["line"].as_u64().unwrap() as usize;
    let definition = module["text"].as_str().unwrap().lines().nth(at_line).unwrap();
    assert!(definition.trim_start().starts_with("recordType "), "{definition}");

    let uses = result(at("references", column + 2, &text));
    assert_eq!(uses[0]["uri"], json!(uri), "{uses}");
    let untidy = text.replace("  ", " ");
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let whole = json!({"textDocument": {"uri": uri}, "options": options});
    let edits = result(request("textDocument/formatting", &untidy, whole));
    assert!(!edits.as_array().unwrap().is_empty(), "{edits}");
    let refused = at("rename", column + 2, &text);
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert_eq!(refused.json()["code"], "script-request-refused", "{}", refused.body);
    let unknown = request("workspace/symbol", &text, json!({}));
    assert_eq!(unknown.json()["error"], "this server knows no \"workspace/symbol\"");

    // A file that is not the flow's is no script, and no module.
    let asked = json!({"text": "", "method": "initialize", "params": {}});
    let answer = served.ask(&vera, "POST", "/api/analysis/flow.toml", Some(asked));
    assert_eq!(answer.status, 404, "{}", answer.body);
    for other in ["flow.toml", file, "../asn1/msc.asn1", "asn1/other.asn1"] {
        let answer = served.ask(&vera, "GET", &format!("/api/module?file={other}"), None);
        assert_eq!(answer.status, 404, "{other}: {}", answer.body);
    }
}

#[test]
fn the_tests_of_a_script_run_while_it_is_edited_and_say_which_lines_they_run() {
    let served = Served::start(example());
    let anna = served.first();
    let path = "/api/tests/scripts/is_roaming.dup";
    let text = "BOOLEAN isRoaming(cdr CONST CallDataRecord)\n{\n  if (cdr.recordType == 2)\n    return TRUE;\n  \
                return FALSE;\n}\n\nBOOLEAN forever()\n{\n  while (TRUE) {}\n  return TRUE;\n}\n\n\
                test \"at home\" { declare cdr CallDataRecord; cdr.recordType := 0; assert !isRoaming(cdr); }\n\
                test \"wrong\" { assert 1 == 2; }\ntest \"no end\" { assert forever(); }\n";
    let test = |text: &str| served.ask(&anna, "POST", path, Some(json!({"text": text})));
    let tested = test(text).json();
    let of = |place: usize, key: &str| tested["tests"][place][key].clone();
    assert_eq!((of(0, "name"), of(0, "result")), (json!("at home"), json!("passed")), "{tested}");
    assert_eq!((of(1, "line"), of(1, "result")), (json!(15), json!("failed")), "{tested}");
    assert!(of(1, "reason").as_str().unwrap().contains("assert 1 == 2"), "{tested}");
    assert_eq!(of(2, "result"), "failed", "a script that has no end is ended: {tested}");
    assert_eq!(tested["lines_not_run"], json!([4, 11]), "{tested}");
    assert_eq!(test("retrun").status, 422);
    let many = text.to_owned() + &"test \"more\" { assert forever(); }\n".repeat(1_000);
    let tested = test(&many).json();
    let tests = tested["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 1_003);
    assert_eq!(tests[1_002]["result"], "not-run", "{}", tests[1_002]);
}
