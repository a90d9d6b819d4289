//! Tests what no answer contains, under whatever name it is requested: files that a flow reads as secrets, and the
//! gateway's own files.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, example, tollgate};

/// Not valid as a script or a module, but valid as a table: it has a comma.
const SECRET: &str = "hush-hush,0815";

const SCRIPT: &str = "scripts/is_roaming.dup";

/// A secret that the flow names, and paths to it by other names.
const NAMES: [&str; 7] = [
    "secrets/hook.token",
    "./secrets/hook.token",
    "scripts/../secrets/hook.token",
    "secrets/link.dup",
    "secrets/same.dup",
    "elsewhere/hook.token",
    "elsewhere/link.csv",
];

/// The same with variables, which a flow file may use and a script may not. The last one is named like a script, and is
/// read without the text after the brace.
const FILLED_IN: [&str; 3] =
    ["${NOPE}secrets/hook.token", "${FOLDER_OF_SECRETS}/hook.token", "secrets/hook.token${.dup"];

/// Creates the example with a notification that uses a token, and a secret that no flow names.
fn with_secrets() -> TempDir {
    let folder = example();
    let here = folder.path();
    fs::create_dir(here.join("secrets")).unwrap();
    fs::write(here.join("secrets/hook.token"), format!("{SECRET}\n")).unwrap();
    fs::write(here.join("secrets/of-nobody.txt"), "hush-hush-4711\n").unwrap();
    symlink("hook.token", here.join("secrets/link.dup")).unwrap();
    symlink("hook.token", here.join("secrets/link.csv")).unwrap();
    symlink("secrets", here.join("elsewhere")).unwrap();
    fs::hard_link(here.join("secrets/hook.token"), here.join("secrets/same.dup")).unwrap();
    let flow = here.join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    let told = "\n[notify.operations]\nurl = \"http://127.0.0.1:1/\"\nallow = [\"127.0.0.1\"]\n\
                token-file = \"secrets/hook.token\"\n";
    fs::write(flow, text + told).unwrap();
    folder
}

/// Returns the flow with one name replaced by another: complete, and without the part that states which file is a
/// secret.
fn flows(served: &Served, of: &str, name: &str) -> [String; 2] {
    let text = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let whole = text.replacen(of, name, 1);
    assert_ne!(whole, text);
    let silent = whole.split("[notify").next().unwrap().to_owned();
    [whole, silent]
}

/// Returns an answer, which must contain no secret.
fn asked(served: &Served, who: &As, (method, path): (&str, &str), body: Option<Value>) -> Value {
    let shown = body.as_ref().map(Value::to_string).unwrap_or_default();
    let answer = served.ask(who, method, path, body);
    assert!(!answer.body.contains("hush"), "{method} {path} {shown}: {}", answer.body);
    assert!(answer.status < 500, "{method} {path} {shown}: {}", answer.body);
    answer.json()
}

/// Sends a text of the flow to every part of the API that takes one; returns the answer of `/api/flow/look`.
fn all_is_asked(served: &Served, anna: &As, vera: &As, text: &str) -> Value {
    let looked = asked(served, vera, ("POST", "/api/flow/look"), Some(json!({"text": text})));
    asked(served, anna, ("POST", "/api/flow/edit"), Some(json!({"text": text, "edits": []})));
    let save = json!({"text": text, "remark": "to see it"});
    let version =
        asked(served, anna, ("POST", "/api/flow/versions"), Some(save))["version"].clone();
    let path = format!("/api/flow/versions/{version}");
    let kept = asked(served, vera, ("GET", &path), None);
    assert_eq!(kept["text"], text);
    let activate = format!("{path}/activate");
    let answer = asked(served, anna, ("POST", &activate), Some(json!({"because": "approved"})));
    assert!(answer["error"].as_str().unwrap().contains("is not read here"), "{answer}");
    asked(served, anna, ("POST", "/api/replay"), Some(json!({"version": version})));
    asked(served, anna, ("POST", "/api/replay"), Some(json!({"text": text})));
    looked
}

fn first_mistake(looked: &Value) -> &str {
    let mistake = &looked["diagnostics"][0];
    assert_eq!(mistake["severity"], "error", "{looked}");
    mistake["message"].as_str().unwrap()
}

#[test]
fn a_secret_of_the_flow_is_in_no_answer_whatever_it_is_named_as() {
    let folder = with_secrets();
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    serve.env("FOLDER_OF_SECRETS", folder.path().join("secrets"));
    let served = Served::by(serve, folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let absolute = served.folder.path().join("secrets/hook.token");
    let names = NAMES.into_iter().chain(FILLED_IN).chain([absolute.to_str().unwrap()]);
    for name in names.filter(|name| !name.ends_with("csv")) {
        for of in [SCRIPT, "asn1/billing.asn1"] {
            for text in flows(&served, of, name) {
                let looked = all_is_asked(&served, &anna, &vera, &text);
                let wanted = format!("\"{name}\" is not read here: a flow reads it as a secret");
                assert_eq!(first_mistake(&looked), wanted);
                assert!(looked["graph"]["nodes"].as_array().unwrap().len() > 5, "it is drawn");
            }
        }
    }
    // A new script would be the file that its name leads to.
    for name in ["secrets/link.dup", "secrets/same.dup"] {
        let path = format!("/api/scripts/{name}");
        assert_eq!(served.ask(&vera, "GET", &path, None).status, 404);
        let begin = json!({"file": name, "text": "-- mine", "based_on": null});
        asked(&served, &anna, ("POST", "/api/scripts"), Some(begin));
    }
    assert_eq!(fs::read_to_string(absolute).unwrap(), format!("{SECRET}\n"));
}

#[test]
fn a_flow_file_that_is_a_link_names_files_from_where_the_link_lies() {
    let folder = with_secrets();
    let here = folder.path();
    fs::create_dir(here.join("kept")).unwrap();
    fs::rename(here.join("flow.toml"), here.join("kept/flow.toml")).unwrap();
    symlink("kept/flow.toml", here.join("flow.toml")).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    for text in flows(&served, SCRIPT, NAMES[0]) {
        let looked = all_is_asked(&served, &anna, &vera, &text);
        assert!(first_mistake(&looked).ends_with("a flow reads it as a secret"), "{looked}");
    }
    // A script is written to the file it is read from.
    let script = served.folder.path().join(SCRIPT);
    let now = served.ask(&anna, "GET", &format!("/api/scripts/{SCRIPT}"), None).json();
    let text = format!("{}\n-- seen\n", fs::read_to_string(&script).unwrap());
    let put = json!({"text": text, "based_on": now["digest"], "remark": "seen"});
    let answer = served.ask(&anna, "PUT", &format!("/api/scripts/{SCRIPT}"), Some(put));
    assert_eq!(answer.json()["answer"], "active", "{}", answer.body);
    assert_eq!(fs::read_to_string(script).unwrap(), text);
}

/// A request to the language server about a name in the first line of a script.
fn hover(text: &str) -> Value {
    let position = json!({"line": 0, "character": 9});
    let params = json!({"textDocument": {"uri": "flow:draft"}, "position": position});
    json!({"text": text, "method": "textDocument/hover", "params": params})
}

#[test]
fn a_script_that_is_edited_reads_no_secret() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let text = fs::read_to_string(served.folder.path().join(SCRIPT)).unwrap();
    let absolute = served.folder.path().join("secrets/hook.token");
    let named = NAMES.iter().map(|name| format!("../{name}"));
    let named = named.chain([absolute.display().to_string(), "/proc/self/environ".into()]);
    for name in named {
        let table = format!("declare seen TABLE \"{name}\";\n{text}");
        let tariff = format!("declare seen TARIFF \"{name}\";\n{text}");
        let record = format!("{text}\ntest \"seen\" {{ declare cdr CallDataRecord \"{name}\"; }}");
        for (sort, text) in [("table", table), ("tariff", tariff), ("record", record)] {
            let ask = |who, what: &str, body| {
                asked(&served, who, ("POST", &format!("/api/{what}/{SCRIPT}")), Some(body))
            };
            let at = hover(&text);
            let answers = [
                ask(&vera, "scripts", json!({"text": text})),
                ask(&vera, "analysis", at),
                ask(&anna, "tests", json!({"text": text})),
                ask(&anna, "samples", json!({"text": text, "node": "isRoaming", "from": "stream"})),
            ];
            if name.starts_with("/proc") && sort != "table" {
                continue;
            }
            for answer in answers {
                let error = answer["error"].as_str().unwrap_or_else(|| panic!("{sort} {answer}"));
                assert!(error.starts_with(&format!("\"{name}\" is not read here")), "{error}");
            }
        }
    }
}

#[test]
fn what_somebody_makes_a_secret_with_an_editor_is_one_at_once() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let late = served.folder.path().join("secrets/late.csv");
    fs::write(late, format!("{SECRET}\n")).unwrap();
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, text + "\n[serve]\ntoken-file = \"secrets/late.csv\"\n").unwrap();
    let script = "declare seen TABLE \"../secrets/late.csv\";";
    let at = hover(script);
    let path = format!("/api/analysis/{SCRIPT}");
    let error = asked(&served, &anna, ("POST", &path), Some(at))["error"].clone();
    assert!(error.as_str().unwrap().ends_with("a flow reads it as a secret"), "{error}");
}

#[test]
fn what_a_variable_has_is_not_shown_by_a_mistake_in_a_text_that_names_it() {
    let folder = with_secrets();
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    serve.env("FAR_PASSWORD", "hush-hush-0815");
    let served = Served::by(serve, folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let text = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    for (from, to) in [
        ("MSC.CallDataRecord", "MSC.${FAR_PASSWORD}"),
        ("scripts/is_roaming.dup", "${FAR_PASSWORD}/is_roaming.dup"),
        ("asn1/msc.asn1", "${FAR_PASSWORD}"),
        ("in/boston", "${FAR_PASSWORD}\", quiet = \"${FAR_PASSWORD}"),
        ("isBillable.false", "${FAR_PASSWORD}.false"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text);
        let looked =
            asked(&served, &vera, ("POST", "/api/flow/look"), Some(json!({"text": wrong})));
        assert!(looked.to_string().contains("${FAR_PASSWORD}"), "{looked}");
    }
}

#[test]
fn what_another_flow_names_as_a_secret_is_one_and_so_is_what_is_none_of_a_flow() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    // The flow that runs names no secret any more, and no flow has since the gateway was restarted.
    let text = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let silent = text.split("[notify").next().unwrap();
    let save = json!({"text": silent, "remark": "tells nobody"});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(save))["version"].clone();
    let path = format!("/api/flow/versions/{version}/activate");
    let answer = served.done(&anna, "POST", &path, Some(json!({"because": "approved"})));
    assert_ne!(answer["answer"], "mistakes");
    let served = Served::start(served.ended());
    for name in ["secrets/hook.token", "secrets/link.dup"] {
        let [text, _] = flows(&served, SCRIPT, name);
        let looked = all_is_asked(&served, &anna, &vera, &text);
        assert!(first_mistake(&looked).ends_with("a flow reads it as a secret"), "{looked}");
    }
    // A file that no flow names is not shown as the kind it is named as.
    for (of, why) in [(SCRIPT, "it is no script"), ("asn1/billing.asn1", "it is no ASN.1 module")] {
        for name in ["secrets/of-nobody.txt", "flow.toml", "secrets/of-nobody.txt${.dup"] {
            let [text, _] = flows(&served, of, name);
            let looked = all_is_asked(&served, &anna, &vera, &text);
            assert!(first_mistake(&looked).ends_with(why), "{looked}");
        }
    }
    // The gateway's own files.
    for name in [
        "flow.state/people.db",
        "flow.state/own.dup",
        "scripts/../flow.state/own.dup",
        "${NOPE}flow.state/own.dup",
    ] {
        fs::write(served.folder.path().join("flow.state/own.dup"), "-- hush").unwrap();
        let [text, _] = flows(&served, SCRIPT, name);
        let looked = all_is_asked(&served, &anna, &vera, &text);
        assert!(first_mistake(&looked).ends_with("it is the gateway's own"), "{looked}");
    }
    assert_eq!(served.ask(&vera, "GET", "/api/scripts/flow.state/own.dup", None).status, 404);
    let begin = json!({"file": "flow.state/in/mine.dup", "text": "-- mine", "based_on": null});
    let answer = served.ask(&anna, "POST", "/api/scripts", Some(begin));
    assert_eq!(answer.status, 422, "{}", answer.body);
    assert!(!served.folder.path().join("flow.state/in/mine.dup").exists());
}

#[test]
fn a_version_that_has_a_file_from_before_it_was_a_secret_shows_it_no_more() {
    let folder = example();
    let notes = folder.path().join("tables/notes.csv");
    fs::create_dir(notes.parent().unwrap()).unwrap();
    fs::write(&notes, format!("{SECRET}\n")).unwrap();
    let script = folder.path().join(SCRIPT);
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("declare notes TABLE \"../tables/notes.csv\";\n{text}")).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let flow = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let save = |text: &str| {
        let save = json!({"text": text, "remark": "kept"});
        served.done(&anna, "POST", "/api/flow/versions", Some(save))["version"].clone()
    };
    let path = format!("/api/flow/versions/{}", save(&flow));
    assert!(served.got(&anna, &path).to_string().contains(SECRET));
    save(&(flow + "\n[serve]\ntoken-file = \"tables/notes.csv\"\n"));
    let kept = asked(&served, &anna, ("GET", &path), None);
    let left_out = json!([{"name": "tables/notes.csv", "why": "a flow reads it as a secret"}]);
    assert_eq!(kept["left_out"], left_out);
    let activate = format!("{path}/activate");
    let answer = served.ask(&anna, "POST", &activate, Some(json!({"because": "approved"})));
    assert_eq!(answer.status, 422, "half of a version: {}", answer.body);
}

#[test]
fn a_key_that_is_none_is_not_shown_by_its_mistake() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let text = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let accept = "accept = { user = \"bos\", authorized-keys = \"secrets/hook.token\" }";
    let text = text.replacen("dir = \"in/boston\"", accept, 1);
    let text = format!("[listen.sftp]\naddress = \"127.0.0.1:0\"\n{text}");
    let looked = asked(&served, &anna, ("POST", "/api/flow/look"), Some(json!({"text": text})));
    let mistakes = looked["diagnostics"].as_array().unwrap();
    let is_told =
        |mistake: &Value| mistake["message"].as_str().unwrap().contains("key 1 of its file");
    assert!(mistakes.iter().any(is_told), "{looked}");
    // The command line shows no more either.
    fs::write(served.folder.path().join("flow.toml"), text).unwrap();
    let said = tollgate(&served.folder, "check flow.toml").output().unwrap();
    assert!(!String::from_utf8_lossy(&said.stderr).contains("hush"));
}

#[test]
fn a_draft_that_calls_a_script_of_the_flow_a_secret_makes_it_none() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let text = fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    for (key, of) in
        [("script-file", SCRIPT), ("token-file", SCRIPT), ("token-file", "asn1/msc.asn1")]
    {
        let draft = format!("{text}\n[serve]\n{key} = \"{of}\"\n");
        let save = json!({"text": draft, "remark": "a slip"});
        served.done(&anna, "POST", "/api/flow/versions", Some(save));
    }
    let save = json!({"text": text, "remark": "without it"});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(save))["version"].clone();
    let path = format!("/api/flow/versions/{version}");
    let kept = served.got(&anna, &path);
    assert_eq!(kept["left_out"], json!([]), "{kept}");
    let activate = format!("{path}/activate");
    assert_ne!(
        served.done(&anna, "POST", &activate, Some(json!({"because": "approved"})))["answer"],
        "mistakes"
    );
}

#[test]
fn a_script_of_the_flow_that_is_broken_is_seen_and_mended() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap().replace(SCRIPT, "scripts/roaming.txt");
    fs::write(&flow, &text).unwrap();
    fs::rename(folder.path().join(SCRIPT), folder.path().join("scripts/roaming.txt")).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let script = served.folder.path().join("scripts/roaming.txt");
    let whole = fs::read_to_string(&script).unwrap();
    let broken = "function isRoaming( {";
    let versions = "/api/flow/versions";
    let save = || {
        let save = json!({"text": text, "remark": "as it is"});
        served.done(&anna, "POST", versions, Some(save))["version"].clone()
    };
    fs::write(&script, broken).unwrap();
    let version = save();
    fs::write(&script, &whole).unwrap();
    let kept = served.got(&anna, &format!("{versions}/{version}"));
    assert_eq!(kept["left_out"], json!([]), "{kept}");
    // The version is not taken for active while the old text stays.
    let activate = format!("{versions}/{version}/activate");
    let answer = served.ask(&anna, "POST", &activate, Some(json!({"because": "approved"}))).json();
    assert_eq!(answer["answer"], "mistakes", "{answer}");
    assert_eq!(fs::read_to_string(&script).unwrap(), whole);
    // Diagnostics about the broken script are reported while it is there.
    fs::write(&script, broken).unwrap();
    let look = json!({"text": text});
    let looked = served.done(&anna, "POST", "/api/flow/look", Some(look));
    assert!(!first_mistake(&looked).contains("is not read here"), "{looked}");
}

#[test]
fn a_table_has_its_columns_in_the_first_line_that_has_something() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let notes = served.folder.path().join("notes.txt");
    let path = format!("/api/analysis/{SCRIPT}");
    let text = "declare notes TABLE \"../notes.txt\";";
    for (notes_text, may) in
        [("\n\r\na,b\n1,2\n", true), ("\n\nhush\na,b\n", false), ("\rhush\ra,b", false)]
    {
        fs::write(&notes, notes_text).unwrap();
        let answer = asked(&served, &anna, ("POST", &path), Some(hover(text)));
        assert_eq!(answer["error"].is_null(), may, "{notes_text:?}: {answer}");
    }
}

#[test]
fn a_state_in_the_folder_of_the_flow_withholds_no_more_than_its_own() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, format!("[state]\ndir = \".\"\n{text}")).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let text = fs::read_to_string(&flow).unwrap();
    let look =
        |text: &str| asked(&served, &anna, ("POST", "/api/flow/look"), Some(json!({"text": text})));
    assert_eq!(look(&text)["diagnostics"], json!([]));
    for own in ["people.db", "versions.db-wal", "serve.lock", "in/boston/any.dup"] {
        let looked = look(&text.replacen(SCRIPT, own, 1));
        assert!(first_mistake(&looked).ends_with("it is the gateway's own"), "{own}: {looked}");
    }
}

#[test]
fn nobody_learns_by_the_name_of_a_plan_what_there_is() {
    let served = Served::start(with_secrets());
    let anna = served.first();
    let said = |plan: &str| {
        let draft = json!({"plan": plan, "draft": {"based_on": null, "files": {}}});
        let answer = served.ask(&anna, "POST", "/api/tariff-versions/check", Some(draft));
        assert_eq!(answer.status, 404, "{}", answer.body);
        answer.json()["error"].as_str().unwrap().replace(plan, "")
    };
    assert_eq!(said("secrets/hook.token"), said("secrets/none.token"));
    assert_eq!(said("/etc/passwd"), said("/etc/none"));
}

#[test]
fn no_script_that_is_begun_replaces_one_that_runs_or_lies_among_records() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    // The same file by other names.
    let text = text.replacen("scripts/is_billable.dup", "./scripts/is_billable.dup", 1);
    let text = text.replacen("scripts/home_v8.dup", "${SCRIPTS}/home_v8.dup", 1);
    fs::write(&flow, text).unwrap();
    symlink("scripts", folder.path().join("elsewhere")).unwrap();
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    serve.env("SCRIPTS", "scripts");
    let served = Served::by(serve, folder);
    let anna = served.first();
    served.all_came(&anna);
    let here = served.folder.path();
    let runs = ["scripts/is_billable.dup", "scripts/home_v8.dup", SCRIPT];
    let running = || runs.map(|file| fs::read_to_string(here.join(file)).unwrap());
    let before = running();
    let begin = |file: &str, based_on: Option<String>| {
        let body = json!({"file": file, "text": "-- mine\n", "based_on": based_on});
        let answer = served.ask(&anna, "POST", "/api/scripts", Some(body));
        (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    for (place, file) in runs.iter().enumerate() {
        for name in [(*file).to_owned(), file.replacen("scripts", "elsewhere", 1)] {
            let code = begin(&name, Some(versions::digest(&before[place])));
            assert_eq!(code, (409, "script-in-flow".into()), "{name}");
        }
        for name in [file.replacen('/', "//", 1), file.replacen('/', "/./", 1)] {
            let code = begin(&name, Some(versions::digest(&before[place])));
            assert_eq!(code, (422, "script-name-wrong".into()), "{name}");
        }
    }
    assert_eq!(running(), before);
    for file in ["in/boston/fake.dup", "out/roaming/fake.dup", "out/roaming/deep/fake.dup"] {
        assert_eq!(begin(file, None).0, 422, "{file}");
        assert!(!here.join(file).exists(), "{file}");
    }
    assert_eq!(begin("scripts/mine.dup", None).0, 200);
}

#[test]
fn a_draft_reads_no_records_of_the_flow_as_a_table() {
    let folder = example();
    let here = folder.path();
    let secret = "number,name\n12025550147,hush-hush\n";
    for file in ["in/boston/old.csv", "done/old.csv", "kept/old.csv", "out/home/old.csv"] {
        fs::create_dir_all(here.join(file).parent().unwrap()).unwrap();
        fs::write(here.join(file), secret).unwrap();
    }
    symlink("../in/boston/old.csv", here.join("scripts/link.csv")).unwrap();
    let flow = here.join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    let text = text.replacen("dir = \"in/new-york\"", "dir = \"in/new-york\", move = \"done\"", 1);
    fs::write(&flow, format!("{text}\n[archive]\ndir = \"kept\"\n")).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let here = served.folder.path();
    let script = fs::read_to_string(here.join(SCRIPT)).unwrap();
    for name in [
        "../in/boston/old.csv",
        "../done/old.csv",
        "../kept/old.csv",
        "../out/home/old.csv",
        "link.csv",
    ] {
        let table = format!("declare t TABLE \"{name}\";\n{script}");
        let record = format!("{script}\ntest \"t\" {{ declare cdr CallDataRecord \"{name}\"; }}");
        for text in [table, record] {
            for (who, what) in [(&vera, "scripts"), (&anna, "tests")] {
                let (path, body) = (format!("/api/{what}/{SCRIPT}"), json!({"text": text}));
                let answer = asked(&served, who, ("POST", &path), Some(body));
                let error = answer["error"].as_str().unwrap_or_else(|| panic!("{what} {answer}"));
                assert!(error.contains("it lies in a folder of records"), "{error}");
            }
        }
    }
    // Nor does a version contain them, as the table of a script or of a plan.
    let begun = json!({"file": "scripts/mine.dup", "text": "declare t TABLE \"link.csv\";\n"});
    asked(&served, &anna, ("POST", "/api/scripts"), Some(begun));
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    for node in [
        "[filter.mine]\nfrom = \"isBillable.true\"\nscript = \"scripts/mine.dup\"\n",
        "[rating.mine]\nfrom = \"isBillable.true\"\nplan = \"in/boston\"\n",
    ] {
        // The folder of the plan is one of records, even if the draft does not collect from it.
        let text = format!("{}\n{node}", text.replacen("in/boston", "in/nowhere", 1));
        let looked = all_is_asked(&served, &anna, &vera, &text);
        let why = looked["diagnostics"].to_string();
        assert!(why.contains("it lies in a folder of records"), "{why}");
    }
}
