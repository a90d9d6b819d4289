//! `tollgate serve`: its API, by who may do what, on the real binary.

#[path = "api/activation.rs"]
mod activation;
#[path = "api/again.rs"]
mod again;
#[path = "api/counters.rs"]
mod counters;
#[path = "api/finding.rs"]
mod finding;
#[path = "api/gathering.rs"]
mod gathering;
#[path = "api/history.rs"]
mod history;
#[path = "api/lists.rs"]
mod lists;
#[path = "api/matching.rs"]
mod matching;
#[path = "api/overtaken.rs"]
mod overtaken;
#[cfg(target_os = "linux")]
#[path = "common/preload.rs"]
mod preload;
#[path = "common/python.rs"]
mod python;
#[path = "api/records.rs"]
mod records;
#[path = "api/replay.rs"]
mod replay;
#[path = "api/samples.rs"]
mod samples;
#[path = "api/sequences.rs"]
mod sequences;
#[path = "api/served.rs"]
mod served;
#[path = "api/shapes.rs"]
mod shapes;
#[path = "api/tables.rs"]
mod tables;
#[path = "api/tariff_versions.rs"]
mod tariff_versions;
#[path = "api/tariffs.rs"]
mod tariffs;
#[path = "common/wait.rs"]
mod wait;
#[path = "api/withheld.rs"]
mod withheld;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use python::python_with;
use serde_json::{Value, json};
use served::{As, PASSWORD, Served, example, tollgate};
use tempfile::TempDir;
use wait::wait_for;

/// Whether it is for who is in.
fn is_guarded(path: &str) -> bool {
    path.starts_with("/api/")
}

/// Every path and method of the description that is for who is in, with numbers and names filled in.
fn paths(description: &Value) -> Vec<(String, String)> {
    let paths = description["paths"].as_object().expect("paths");
    let mut all = Vec::new();
    for (path, methods) in paths.iter().filter(|(path, _)| is_guarded(path)) {
        let path = filled_in(path);
        for method in methods.as_object().expect("methods").keys() {
            all.push((method.to_uppercase(), path.clone()));
        }
    }
    assert!(all.len() > 30, "{all:?}");
    all
}

fn filled_in(path: &str) -> String {
    let path = path.replace("{file}", "x.dup");
    path.replace("{id}", "1").replace("{version}", "1").replace("{name}", "x")
}

/// A browser has one cookie of a name for all ports of a machine.
#[test]
fn who_is_in_at_two_gateways_on_one_machine_is_in_at_both() {
    let (one, other) = (Served::start(example()), Served::start(example()));
    let name = |who: &As| who.cookie.clone().unwrap().split_once('=').unwrap().0.to_owned();
    let (at_one, at_other) = (one.first(), other.first());
    assert_ne!(name(&at_one), name(&at_other));
    let both = [&at_other, &at_one].map(|who| who.cookie.clone().unwrap()).join("; ");
    for (served, csrf) in [(&one, &at_one.csrf), (&other, &at_other.csrf)] {
        let who = As { cookie: Some(both.clone()), csrf: csrf.clone(), more: Vec::new() };
        assert_eq!(served.ask(&who, "GET", "/api/session", None).status, 200);
    }
}

#[test]
fn without_a_login_nothing_of_the_api_is_answered() {
    let served = Served::start(example());
    let nobody = As::default();
    let anna = served.first();
    let description = served.got(&anna, "/api/openapi.json");
    for (method, path) in paths(&description) {
        let answer = served.ask(&nobody, &method, &path, Some(json!({})));
        assert_eq!(answer.status, 401, "{method} {path}: {}", answer.body);
        let stranger = As {
            cookie: anna.cookie.as_ref().map(|cookie| format!("{cookie}0")),
            csrf: anna.csrf.clone(),
            ..nobody.clone()
        };
        assert_eq!(served.ask(&stranger, &method, &path, Some(json!({}))).status, 401);
    }
    for path in ["/api", "/api/", "/api/nothing", "/api/openapi.json", "/api/flow/../flow"] {
        assert_eq!(served.ask(&nobody, "GET", path, None).status, 401, "{path}");
    }
    assert_eq!(served.ask(&nobody, "GET", "/healthz", None).status, 200);
    assert_eq!(served.ask(&anna, "GET", "/api/nothing", None).status, 404);
    for path in ["/", "/login", "/welcome", "/graph", "/suspense/17"] {
        assert_eq!(served.ask(&nobody, "GET", path, None).status, 200, "{path}");
    }
    let page = served.ask(&nobody, "GET", "/graph", None);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn a_role_may_do_what_it_may_and_a_change_is_not_made_by_another_site() {
    let served = Served::start(example());
    let anna = served.first();
    let (olaf, vera) =
        (served.invited(&anna, "olaf", "operator"), served.invited(&anna, "vera", "viewer"));
    let text = served.got(&vera, "/api/flow")["text"].clone();
    let save = || Some(json!({"text": text, "remark": "as it is"}));
    let status = |who: &As, method: &str, path: &str, body: Option<Value>| {
        served.ask(who, method, path, body).status
    };
    assert_eq!(status(&vera, "POST", "/api/flow/versions", save()), 403);
    assert_eq!(status(&olaf, "POST", "/api/flow/versions", save()), 200);
    assert_eq!(status(&olaf, "GET", "/api/people", None), 403);
    assert_eq!(status(&anna, "GET", "/api/people", None), 200);
    for (path, body) in [
        ("/api/suspense/discard", json!({"ids": [1], "because": "no"})),
        ("/api/suspense/retry", json!({"ids": [1]})),
        ("/api/matching/end", json!({"end": "drop", "ids": [1], "because": "no"})),
        ("/api/alarms/acknowledge", json!({"numbers": [1]})),
        ("/api/counters/change", json!({"deed": "forget", "node": "x", "because": "no"})),
        ("/api/flow/versions/1/activate", json!({})),
        ("/api/deliveries/retry", json!({"all": true})),
        ("/api/deliveries/discard", json!({"ids": [1], "because": "no"})),
        ("/api/tokens", json!({"name": "x", "role": "administrator"})),
    ] {
        assert_eq!(status(&vera, "POST", path, Some(body)), 403, "{path}");
    }
    let which = served.ask(&olaf, "POST", "/api/deliveries/retry", Some(json!({})));
    assert_eq!(which.status, 422, "{}", which.body);
    // Without what only its own page knows, or from another page, nobody changes anything.
    let forged = As { csrf: None, ..olaf.clone() };
    assert_eq!(status(&forged, "POST", "/api/flow/versions", save()), 403);
    let other = As { csrf: anna.csrf.clone(), ..olaf.clone() };
    assert_eq!(status(&other, "POST", "/api/flow/versions", save()), 403);
    for header in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
        let elsewhere = As { more: vec![(header.0, header.1.into())], ..olaf.clone() };
        assert_eq!(status(&elsewhere, "POST", "/api/flow/versions", save()), 403, "{header:?}");
        assert_eq!(status(&elsewhere, "GET", "/api/flow", None), 403, "{header:?}");
        let login = json!({"name": "anna", "password": PASSWORD});
        assert_eq!(status(&elsewhere, "POST", "/login", Some(login)), 403, "{header:?}");
    }
    let own = As { more: vec![("Origin", format!("http://{}", served.address))], ..olaf.clone() };
    assert_eq!(status(&own, "POST", "/api/flow/versions", save()), 200);
    // Who goes out is out; who is removed too.
    assert_eq!(status(&olaf, "POST", "/logout", None), 204);
    assert_eq!(status(&olaf, "GET", "/api/flow", None), 401);
    assert_eq!(status(&anna, "DELETE", "/api/people/vera", None), 204);
    assert_eq!(status(&vera, "GET", "/api/flow", None), 401);
    assert_eq!(status(&anna, "DELETE", "/api/people/anna", None), 409, "the last administrator");
    let actions: Vec<Value> =
        served.got(&anna, "/api/trail")["entries"].as_array().unwrap().clone();
    let has = |who: &str, action: &str| {
        actions.iter().any(|entry| entry["who"] == who && entry["action"] == action)
    };
    assert!(has("anna", "people invite") && has("anna", "people remove"), "{actions:?}");
    assert!(has("olaf", "flow save"), "{actions:?}");
}

/// The description says of each operation whom it is for: nobody below is let in, and that role is.
#[test]
fn each_operation_is_for_the_role_that_the_description_says() {
    let served = Served::start(example());
    let anna = served.first();
    let made = |role: &str| {
        let made = json!({"name": role, "role": role});
        let made = served.done(&anna, "POST", "/api/tokens", Some(made));
        let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
        As { more: vec![("Authorization", bearer)], ..As::default() }
    };
    let roles = ["viewer", "operator", "administrator"].map(|role| (role, made(role)));
    let description = served.got(&anna, "/api/openapi.json");
    let mut seen = [0; 3];
    let paths = description["paths"].as_object().expect("paths").iter();
    for (path, methods) in paths.filter(|(path, _)| is_guarded(path)) {
        for (method, operation) in methods.as_object().expect("methods") {
            let needs = operation["security"][0]["token"][0].as_str().expect("a role");
            let needed = roles.iter().position(|(role, _)| *role == needs).expect("a known role");
            seen[needed] += 1;
            // A live answer has no end.
            if path == "/api/live" {
                continue;
            }
            let (method, path) = (method.to_uppercase(), filled_in(path));
            for (place, (role, who)) in roles.iter().enumerate() {
                let status = served.ask(who, &method, &path, Some(json!({}))).status;
                let is_refused = status == 403;
                assert_eq!(is_refused, place < needed, "{method} {path} as {role}: {status}");
                assert!(status < 500, "{method} {path} as {role}: {status}");
            }
        }
    }
    assert!(seen.iter().all(|operations| *operations > 5), "{seen:?}");
}

/// What nobody is shown, by the variable of the environment that has it.
const SECRETS: [(&str, &str); 3] = [
    ("FAR_PASSWORD", "geheim-4711"),
    ("PUSH_TOKEN", "sesame-0123456789"),
    ("HOOK", "hush-hush-0815"),
];

#[test]
fn no_secret_is_in_an_answer_or_in_what_is_written() {
    let folder = example();
    let path = folder.path().join("flow.toml");
    let mut flow = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("[asn1]", "[listen.http]\naddress = \"127.0.0.1:0\"\n\n[asn1]"),
        ("dir = \"in/boston\"", "accept = { token = \"${PUSH_TOKEN}\" }"),
        (
            "dir = \"out/roaming\"",
            "url = \"sftp://cdr@127.0.0.1:1/in\", password = \"${FAR_PASSWORD}\", \
             host-key = \"SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE\"",
        ),
    ] {
        assert!(flow.contains(from), "{from}");
        flow = flow.replacen(from, to, 1);
    }
    flow += "\n[notify.operations]\nurl = \"http://127.0.0.1:1/${HOOK}\"\nallow = [\"127.0.0.1\"]\n\
             failing-after = \"1 second\"\n[log]\nfile = \"log/gateway.log\"\nlevel = \"trace\"\n";
    fs::write(path, flow).unwrap();
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    let served = Served::by(
        {
            serve.envs(SECRETS);
            serve
        },
        folder,
    );
    let anna = served.first();
    let is_told = |text: &[u8], of: &str| {
        for (name, secret) in SECRETS {
            let is_there = text.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "{of} has {name}");
        }
    };
    wait_for("all that fails", || {
        let alarms = served.ask(&anna, "GET", "/api/alarms", None).body;
        ["delivery-failing", "notify-failing"].iter().all(|kind| alarms.contains(kind))
    });
    let description = served.got(&anna, "/api/openapi.json");
    let mut answered = 0;
    for (method, path) in paths(&description) {
        // A live answer has no end.
        if method == "GET" && path != "/api/live" {
            let answer = served.ask(&anna, &method, &path, None);
            is_told(answer.body.as_bytes(), &path);
            answered += usize::from(answer.status == 200);
        }
    }
    assert!(answered > 15, "{answered}");
    let (_, figures) = live(&served, &anna).find(|(_, data)| data["at"].is_string()).unwrap();
    is_told(figures.to_string().as_bytes(), "/api/live");
    is_told(served.ask(&anna, "GET", "/metrics", None).body.as_bytes(), "/metrics");
    let mut folders = vec![served.folder.path().to_path_buf()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                // A socket is none.
                false => {
                    if let Ok(octets) = fs::read(&path) {
                        is_told(&octets, &path.display().to_string());
                        files += 1;
                    }
                }
            }
        }
    }
    assert!(files > 20, "{files}");
    let log = fs::read_dir(served.folder.path().join("log")).unwrap().count();
    assert!(log > 0, "there is a log");
}

#[test]
fn who_is_in_is_told_why_the_gateway_is_ready_or_not() {
    let served = Served::start(example());
    let anna = served.first();
    let texts = |who: &As| {
        let said = served.ask(who, "GET", "/readyz", None).json();
        let checks = said["checks"].as_array().unwrap().clone();
        assert!(checks.iter().all(|check| check["name"].is_string() && check["is_ok"] == true));
        checks.iter().filter(|check| check["text"].is_string()).count()
    };
    assert_eq!(texts(&anna), 3);
    assert_eq!(texts(&As::default()), 0);
    let stranger = As { more: vec![("Authorization", "Bearer x".into())], ..As::default() };
    assert_eq!(texts(&stranger), 0);
}

#[test]
fn a_flow_is_served_once() {
    let served = Served::start(example());
    let second = tollgate(&served.folder, "serve flow.toml --listen 127.0.0.1:0").output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(
        !second.status.success() && said.contains("another gateway serves this flow"),
        "{said}"
    );
    assert_eq!(served.ask(&As::default(), "GET", "/readyz", None).status, 200);
}

#[test]
fn a_link_that_does_not_hold_is_told_before_a_password_is_chosen() {
    let served = Served::start(example());
    let look = |link: &str| {
        let answer =
            served.ask(&As::default(), "POST", "/welcome/look", Some(json!({ "link": link })));
        (answer.status, answer.body)
    };
    let link = served.link.clone().expect("it is new");
    for _ in 0..2 {
        let held = (200, r#"{"name":null}"#.to_owned());
        assert_eq!(look(&link), held, "to look at it does not use it, and nobody has it yet");
    }
    let anna = served.first();
    for link in [&link, "0123", ""] {
        let (status, said) = look(link);
        assert!(status == 401 && said.contains("this link was used, or is too old"), "{said}");
    }
    let invite = json!({"name": "vera", "role": "viewer"});
    let made = served.done(&anna, "POST", "/api/people", Some(invite));
    let first = made["link"].as_str().unwrap().trim_start_matches("/welcome#").to_owned();
    assert_eq!(look(&first), (200, r#"{"name":"vera"}"#.to_owned()));
    served.done(&anna, "POST", "/api/people/vera/link", None);
    assert_eq!(look(&first).0, 401, "another one took its place");
    // Links are not guessed: what is asked so often is answered by nobody.
    let (asked, refused) = until_refused(|| {
        served.ask(&As::default(), "POST", "/welcome/look", Some(json!({"link": "0123"})))
    });
    assert!(asked <= 30 && refused.status == 429, "{asked}");
}

#[test]
fn who_comes_in_first_is_in_the_trail_even_if_there_was_no_journal_yet() {
    let folder = example();
    let serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    let served = Served::begun(serve, folder);
    let anna = served.first();
    let welcomed = || {
        let trail = served.ask(&anna, "GET", "/api/trail", None);
        trail.status == 200
            && trail.json()["entries"].as_array().unwrap().iter().any(|entry| {
                (&entry["who"], &entry["action"]) == (&json!("anna"), &json!("people welcome"))
            })
    };
    wait_for("the trail says who came in", welcomed);
}

#[test]
fn tokens_are_told_apart_in_the_trail() {
    let served = Served::start(example());
    let anna = served.first();
    let make = || {
        let made = json!({"name": "grafana", "role": "viewer"});
        served.ask(&anna, "POST", "/api/tokens", Some(made))
    };
    let id = make().json()["id"].clone();
    let second = make();
    assert_eq!(second.status, 409, "{}", second.body);
    served.done(&anna, "DELETE", &format!("/api/tokens/{id}"), None);
    let trail = served.got(&anna, "/api/trail?limit=2");
    let told = format!("grafana, token {id}");
    for (place, action) in ["token remove", "token make"].into_iter().enumerate() {
        let entry = &trail["entries"][place];
        assert_eq!((&entry["action"], &entry["subject"]), (&json!(action), &json!(told)));
    }
    assert_eq!(make().status, 200, "its name is free");
}

#[test]
fn a_token_does_what_its_role_may_until_it_is_removed() {
    let served = Served::start(example());
    let anna = served.first();
    let made = json!({"name": "grafana", "role": "viewer"});
    let made = served.done(&anna, "POST", "/api/tokens", Some(made));
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let grafana = As { more: vec![("Authorization", bearer)], ..As::default() };
    assert_eq!(served.got(&grafana, "/api/session")["name"], "grafana (token)");
    let discard = || Some(json!({"ids": [1], "because": "no"}));
    assert_eq!(served.ask(&grafana, "POST", "/api/suspense/discard", discard()).status, 403);
    let path = format!("/api/tokens/{}", made["id"]);
    served.done(&anna, "DELETE", &path, None);
    assert_eq!(served.ask(&grafana, "GET", "/api/session", None).status, 401);
}

#[test]
fn passwords_that_are_tried_again_and_again_are_not_answered() {
    let served = Served::start(example());
    let anna = served.first();
    let login = |name: &str, password: &str| {
        let body = json!({"name": name, "password": password});
        served.ask(&As::default(), "POST", "/login", Some(body))
    };
    assert_eq!(login("anna", PASSWORD).status, 200);
    let answers: Vec<u16> = (0..8).map(|_| login("anna", "not this one, no").status).collect();
    assert_eq!(answers[..5], [401; 5]);
    assert!(answers.contains(&429), "{answers:?}");
    let late = login("anna", PASSWORD);
    assert_eq!(late.status, 429, "not even the right one from there, for a while");
    assert!(late.header("retry-after").is_some());
    assert_eq!(login("nobody", PASSWORD).status, 401);
    // Who is in waits for no stranger.
    let other = json!({"old": PASSWORD, "new": "something else altogether"});
    served.done(&anna, "PUT", "/api/password", Some(other));
}

/// How many are answered until one is not, and that one.
fn until_refused(asks: impl Fn() -> served::Answer) -> (usize, served::Answer) {
    for count in 0..100_000 {
        let answer = asks();
        if answer.status == 429 {
            return (count, answer);
        }
        assert!(answer.status < 500, "{}", answer.body);
    }
    panic!("nobody is ever refused");
}

#[test]
fn who_asks_too_often_is_told_when_to_ask_again_and_others_go_on() {
    let served = Served::start(example());
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    // Of nothing, which is answered fast.
    let reads = |who: &As| served.ask(who, "GET", "/api/trace?suspense=0", None);
    let (count, refused) = until_refused(|| reads(&olaf));
    assert!(count >= 300, "{count}");
    let said = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(said.starts_with("olaf asks for too much at once; ask again in "), "{said}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Another session of his is he; somebody else is not, and what costs little he still gets.
    let login = json!({"name": "olaf", "password": PASSWORD});
    let again = Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)));
    assert!(until_refused(|| reads(&again)).0 < 200);
    assert_ne!(reads(&anna).status, 429);
    assert_eq!(served.ask(&olaf, "GET", "/api/files", None).status, 200);
    wait_for("his turn", || reads(&olaf).status != 429);
    // Changes have a bound of their own, also where nothing is changed.
    let hears =
        || served.ask(&olaf, "POST", "/api/alarms/acknowledge", Some(json!({"numbers": []})));
    let (count, _) = until_refused(hears);
    assert!(count >= 600, "{count}");
    wait_for("its turn", || hears().status != 429);
}

#[test]
fn requests_that_are_too_large_or_no_requests_are_refused_by_name() {
    let served = Served::start(example());
    let anna = served.first();
    let large = json!({"text": "x".repeat(5 << 20)});
    assert_eq!(served.ask(&anna, "POST", "/api/flow/look", Some(large)).status, 413);
    for body in ["", "{", "[]", "{\"text\": 1}", "{\"text\": \"\", \"more\": 1}"] {
        let answer = served.send(&anna, "POST", "/api/flow/look", Some(body));
        assert!((400..500).contains(&answer.status), "{body}: {}", answer.status);
        assert!(answer.json()["error"].is_string(), "{}", answer.body);
    }
    for path in ["/api/suspense/x", "/api/files?limit=x", "/api/audit?from=yesterday"] {
        let answer = served.ask(&anna, "GET", path, None);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(answer.json()["error"].is_string(), "{}", answer.body);
    }
}

#[test]
fn the_flow_is_changed_saved_activated_and_brought_back_while_it_runs() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let flow = served.got(&anna, "/api/flow");
    let names: Vec<&str> = flow["graph"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|n| n["name"].as_str())
        .collect();
    assert!(names.contains(&"isRoaming") && names.contains(&"msc-boston"), "{names:?}");
    assert_eq!(flow["diagnostics"], json!([]));
    // A mistake is said where it is.
    let edits = json!([{"do": "connect", "from": "isRoamin.false", "to": "home-billing"}]);
    let edit = |text: &Value, edits: Value| {
        served.done(&anna, "POST", "/api/flow/edit", Some(json!({"text": text, "edits": edits})))
    };
    let wrong = edit(&flow["text"], edits);
    let mistake = &wrong["diagnostics"][0];
    assert_eq!((&mistake["node"], &mistake["severity"]), (&json!("home-billing"), &json!("error")));
    assert!(mistake["hint"].as_str().unwrap().contains("isRoaming"), "{mistake}");
    // What has mistakes may be kept, and is not activated: all is as it was.
    let save = |text: &Value, remark: &str| {
        let body = json!({"text": text, "remark": remark});
        served.done(&anna, "POST", "/api/flow/versions", Some(body))["version"].as_i64().unwrap()
    };
    let activate = |version: i64, based_on: &Value| {
        let path = format!("/api/flow/versions/{version}/activate");
        served.ask(&anna, "POST", &path, Some(json!({"based_on": based_on})))
    };
    let on_disk = || fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let before = on_disk();
    let version = save(&wrong["text"], "wrong");
    let answer = activate(version, &flow["digest"]).json();
    assert_eq!(answer["answer"], "mistakes", "{answer}");
    assert_eq!(on_disk(), before);
    // One more receiver, beside a comment that stays.
    let first_comment = before.lines().find(|line| line.starts_with('#')).expect("a comment");
    let settings = json!({"encode.type": "MSC.CallDataRecord", "deliver.dir": "out/all"});
    let edits = json!([{
        "do": "add", "kind": "post-processing-system", "name": "everything", "from": ["msc-boston"],
        "settings": settings
    }]);
    let right = edit(&flow["text"], edits);
    let errors = right["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|d| d["severity"] == "error")
        .count();
    assert_eq!(errors, 0, "{}", right["diagnostics"]);
    let version = save(&right["text"], "a receiver of all");
    assert_eq!(on_disk(), before, "kept is not activated");
    let answer = activate(version, &flow["digest"]).json();
    assert!(answer["answer"] == "active" || answer["answer"] == "pending", "{answer}");
    assert!(
        on_disk().contains(first_comment)
            && on_disk().contains("[post-processing-system.everything]")
    );
    // Who looked at the file as it was before may not replace what he has not seen.
    assert_eq!(activate(version, &flow["digest"]).status, 409);
    // What comes now goes there.
    let came = served.folder.path().join("in/boston/boston-00002.ber.done");
    fs::copy(&came, served.folder.path().join("in/boston/late.ber.part")).unwrap();
    let again = served.folder.path().join("in/boston/late.ber.part");
    let mut octets = fs::read(&again).unwrap();
    octets.truncate(octets.len() / 2);
    fs::write(&again, &octets).unwrap();
    fs::rename(&again, served.folder.path().join("in/boston/late.ber")).unwrap();
    wait_for("the new receiver's file", || {
        fs::read_dir(served.folder.path().join("out/all")).is_ok_and(|folder| folder.count() > 0)
    });
    // And back: the first version is what was found.
    let versions = served.got(&anna, "/api/flow/versions");
    let versions = versions["versions"].as_array().unwrap();
    let find = |remark: &str| versions.iter().find(|v| v["remark"] == remark).expect("a version");
    assert_eq!(find("a receiver of all")["active"], true);
    assert_eq!(find("a receiver of all")["activated"][0]["who"], "anna");
    let found = find("as it was found")["version"].as_i64().unwrap();
    let now = served.got(&anna, "/api/flow")["digest"].clone();
    assert_eq!(activate(found, &now).status, 200);
    assert_eq!(on_disk(), before);
}

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
        served.ask(&anna, "PUT", &path, Some(json!({"text": text, "based_on": based_on})))
    };
    let answer = put(&broken, &script["digest"]).json();
    assert_eq!(answer["answer"], "mistakes", "{answer}");
    // There is a version of it, and whose that is stands in the trail.
    let version = &served.got(&anna, "/api/flow/versions")["versions"][0];
    let told = format!("{file}, version {}", version["version"]);
    let entry = &served.got(&anna, "/api/trail?limit=1")["entries"][0];
    assert_eq!((&entry["action"], &entry["subject"]), (&json!("flow save"), &json!(told)));
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
    // What is wrong with it is told before there is a file, too.
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
    assert_eq!(served.got(&anna, "/api/trail")["entries"][0]["action"], "script begin");
    // Nothing of the flow, of its state or of elsewhere is written by that.
    assert_eq!(begin("scripts/is_roaming.dup", &text, Value::Null).status, 409);
    for outside in
        ["flow.toml", "../other.dup", "/tmp/other.dup", "in/.hidden.dup", ".dup", "a/../b.dup", ""]
    {
        let answer = begin(outside, &text, Value::Null);
        assert_eq!(answer.status, 422, "{outside}: {}", answer.body);
    }
    // It is put in its place only where a node runs it.
    let put = served.ask(&anna, "PUT", &path, Some(json!({"text": text})));
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
fn who_edits_a_script_is_told_what_can_be_written_and_what_a_name_is() {
    let served = Served::start(example());
    let anna = served.first();
    let file = "scripts/is_roaming.dup";
    let text = fs::read_to_string(served.folder.path().join(file)).unwrap();
    let places: Vec<&str> = text.lines().collect();
    let line = places.iter().position(|line| line.contains("recordType")).expect("it is read") + 1;
    let column = places[line - 1].find("recordType").expect("it is there") + 1;
    let ask = |what: &str, column: usize, text: &str| {
        let asked = json!({"text": text, "line": line, "column": column});
        served.done(&anna, "POST", &format!("/api/{what}/{file}"), Some(asked))
    };

    // As somebody has begun to write it: the rest of the script is not there yet.
    let begun = text.split("recordType").next().unwrap().to_owned() + "recor";
    let found = ask("completion", column + "recor".len(), &begun);
    assert_eq!((&found["line"], &found["column"]), (&json!(line), &json!(column)), "{found}");
    let candidates = found["candidates"].as_array().unwrap();
    let field = candidates.iter().find(|each| each["name"] == "recordType").expect("a field");
    assert_eq!(field["sort"], "field", "{field}");
    assert!(candidates.iter().all(|each| each["sort"] == "field"), "{found}");
    let words = ask("completion", 3, &text);
    let has = |name: &str, sort: &str| {
        let mut all = words["candidates"].as_array().unwrap().iter();
        all.any(|each| each["name"] == name && each["sort"] == sort)
    };
    assert!(has("cdr", "variable") && has("isRoaming", "function") && has("if", "word"), "{words}");

    let name = &ask("hover", column + 2, &text)["name"];
    assert_eq!((&name["line"], &name["column"]), (&json!(line), &json!(column)), "{name}");
    assert_eq!(name["end_column"], column + "recordType".len(), "{name}");
    assert_eq!(name["code"], field["code"], "{name}");
    assert_eq!(name["definitions"][0]["file"], "asn1/msc.asn1", "{name}");
    let defined = name["definitions"][0]["text"].as_str().unwrap();
    assert!(defined.starts_with("recordType"), "{name}");
    assert_eq!(ask("hover", 1, &text)["name"], Value::Null);

    // A place that is not there is the nearest; a script that is not the flow's is none.
    assert_eq!(ask("hover", 9_999, "\u{e5}")["name"], Value::Null);
    for what in ["completion", "hover"] {
        let asked = json!({"text": "", "line": 1, "column": 1});
        let answer = served.ask(&anna, "POST", &format!("/api/{what}/flow.toml"), Some(asked));
        assert_eq!(answer.status, 404, "{what}: {}", answer.body);
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

#[test]
fn a_record_that_cannot_be_read_is_mended_by_its_octets_and_retried() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    assert_eq!(served.got(&anna, &path)["json"], Value::Null);
    let file = "/api/records?network_element=msc-boston&file=boston-00002.ber";
    let sound = served.got(&anna, file)["records"][0]["octets"].as_str().unwrap().to_owned();
    let put = |said: Value| served.ask(&anna, "PUT", &path, Some(said));
    for (octets, because) in
        [("6", "odd"), ("6g", "no digit"), ("\u{e5}", "no digit"), (sound.as_str(), " ")]
    {
        let answer = put(json!({"octets": octets, "because": because}));
        assert_eq!(answer.status, 422, "{octets}: {}", answer.body);
    }
    assert_eq!(put(json!({"because": "nothing"})).status, 422);
    let both = put(json!({"json": {"callDuration": 1}, "octets": sound, "because": "both"}));
    assert_eq!(both.status, 422, "{}", both.body);
    let cut = put(json!({"octets": "6a 81", "because": "a part"})).json();
    assert!(cut["problem"].is_string(), "{cut}");
    let (upper, lower) = sound.split_at(2);
    let written = format!("{}\n {lower}", upper.to_uppercase());
    let whole = put(json!({"octets": written, "because": "as the switch has it"})).json();
    assert_eq!(whole, json!({"octets": sound, "problem": null}));
    let retried = served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [id]})));
    assert_eq!((&retried["asked"], &retried["delivered"]), (&json!(1), &json!(1)), "{retried}");
}

#[test]
fn a_record_that_was_damaged_in_the_journal_is_shown_as_none_and_mended_by_its_octets() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    let file = served.got(&anna, "/api/records?network_element=msc-boston&file=boston-00002.ber");
    let [one, other] = [0, 1].map(|place| file["records"][place]["octets"].as_str().unwrap());
    let mend = || {
        let octets = json!({"octets": one, "because": "as its file has it"});
        served.done(&anna, "PUT", &path, Some(octets));
        assert_eq!(served.got(&anna, &path)["problem"], Value::Null);
    };
    mend();
    let journal = served.folder.path().join("flow.state/journal.db");
    let journal = rusqlite::Connection::open(journal).unwrap();
    let update = "UPDATE suspense SET octets = unhex(?) WHERE id = ?";
    assert_eq!(journal.execute(update, (other, id.as_i64())).unwrap(), 1);
    drop(journal);
    let shown = served.got(&anna, &path);
    let problem = shown["problem"].as_str().expect("it is said");
    assert!(shown["json"].is_null() && problem.contains("damaged in the journal"), "{shown}");
    let retry = || served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [id]})));
    assert_eq!(retry()["damaged"], json!([id]));
    mend();
    let retried = retry();
    assert_eq!((&retried["delivered"], &retried["damaged"]), (&json!(1), &json!([])), "{retried}");
}

#[test]
fn a_suspended_record_is_mended_and_retried() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let groups = served.got(&anna, "/api/suspense/alike");
    let records: u64 =
        groups["groups"].as_array().unwrap().iter().filter_map(|g| g["records"].as_u64()).sum();
    assert_eq!(records, 84);
    let page = served.got(&anna, "/api/suspense?limit=10");
    let ids: Vec<i64> =
        page["records"].as_array().unwrap().iter().filter_map(|r| r["id"].as_i64()).collect();
    assert!(ids.is_sorted_by(|a, b| a > b) && ids.len() == 10 && page["more"] == true, "{ids:?}");
    let next = served.got(&anna, &format!("/api/suspense?limit=1000&before={}", ids[9]));
    assert_eq!((next["records"].as_array().unwrap().len(), &next["more"]), (74, &json!(false)));
    let readable = ids.iter().chain(&[]).find_map(|id| {
        let shown = served.got(&anna, &format!("/api/suspense/{id}"));
        (!shown["json"].is_null()).then_some((*id, shown))
    });
    if let Some((id, shown)) = readable {
        let same = json!({"json": shown["json"], "because": "as it is"});
        assert_eq!(
            served.ask(&anna, "PUT", &format!("/api/suspense/{id}"), Some(same)).status,
            409
        );
        let none = json!({"json": {"nothing": 1}, "because": "wrong"});
        assert_eq!(
            served.ask(&anna, "PUT", &format!("/api/suspense/{id}"), Some(none)).status,
            422
        );
    }
    let retried = served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [ids[0]]})));
    assert_eq!((&retried["asked"], &retried["suspended"]), (&json!(1), &json!(1)), "{retried}");
    let discard = |body: Value| served.ask(&anna, "POST", "/api/suspense/discard", Some(body));
    assert_eq!(
        discard(json!({"ids": [ids[0]], "because": " "})).status,
        422,
        "a reason is asked for"
    );
    assert_eq!(
        discard(json!({"because": "all"})).status,
        422,
        "all are not meant by saying nothing"
    );
    assert_eq!(discard(json!({"ids": [ids[0]], "because": "a test call"})).json()["records"], 1);
    let open = served.got(&anna, "/api/suspense?limit=1000");
    assert_eq!(open["records"].as_array().unwrap().len(), 83);
    let trail = served.got(&anna, "/api/trail?limit=1");
    let entry = &trail["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["reason"]),
        (&json!("suspense discard"), &json!("a test call"))
    );
}

#[test]
fn who_asks_for_a_retry_is_answered_while_it_is_in_work_or_where_nobody_could_do_it() {
    let folder = example();
    let filter = folder.path().join("scripts/is_billable.dup");
    let passes = |statement: &str| {
        let text = format!("BOOLEAN isBillable(cdr CONST CallDataRecord) {{ {statement} }}");
        fs::write(&filter, text).unwrap();
    };
    passes("assert FALSE; return TRUE;");
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let all = Some(json!({"filter": {"node": "isBillable"}}));
    let retry = || served.ask(&anna, "POST", "/api/suspense/retry", all.clone());
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read(&flow).unwrap();
    fs::write(&flow, "").unwrap();
    let nobody = retry();
    let problem = nobody.json()["error"].to_string();
    assert!(nobody.status == 409 && problem.contains("has no network elements"), "{problem}");
    fs::write(&flow, text).unwrap();
    // Some hundredths of a second for each of twenty thousand records.
    passes("declare i INTEGER; for (i := 0; i < 9000000; i += 1) { } assert FALSE; return i > 0;");
    let answer = retry();
    let waiting = answer.json()["waiting"].as_u64().unwrap();
    assert!(answer.status == 200 && waiting > 1_000, "{}", answer.body);
}

/// What a gateway says of itself as it happens: each event and its data.
fn live(served: &Served, who: &As) -> impl Iterator<Item = (String, Value)> {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let mut request =
        format!("GET /api/live HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", served.address);
    let cookie = who.cookie.iter().map(|cookie| ("Cookie", cookie.clone()));
    for (name, value) in cookie.chain(who.more.clone()) {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(|line| line.unwrap());
    std::iter::from_fn(move || {
        let event = lines.find_map(|line| line.strip_prefix("event: ").map(str::to_owned))?;
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned))?;
        Some((event, serde_json::from_str(&data).expect("JSON")))
    })
}

#[test]
fn what_changes_before_the_first_figures_come_is_told_too() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let text = served.got(&anna, "/api/flow")["text"].clone();
    // The figures of a second may come between the graph and the change; hardly each time.
    for time in 0..3 {
        let mut events = live(&served, &anna);
        assert_eq!(events.next().expect("the graph").0, "graph");
        let version = json!({"text": text, "remark": time.to_string()});
        served.done(&anna, "POST", "/api/flow/versions", Some(version));
        let told =
            events.take(5).any(|(event, data)| event == "changed" && data["what"] == "versions");
        assert!(told, "version {time}");
    }
}

#[test]
fn figures_end_for_who_is_removed_or_goes_out_and_for_a_token_that_is_no_more() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let olaf = served.invited(&anna, "olaf", "viewer");
    let made = json!({"name": "wall", "role": "viewer"});
    let made = served.done(&anna, "POST", "/api/tokens", Some(made));
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let wall = As { more: vec![("Authorization", bearer)], ..As::default() };
    let mut looks = [&vera, &olaf, &wall, &anna].map(|who| live(&served, who));
    for look in &mut looks {
        assert_eq!(look.next().expect("the graph").0, "graph");
    }
    served.done(&anna, "DELETE", "/api/people/vera", None);
    served.done(&olaf, "POST", "/logout", None);
    served.done(&anna, "DELETE", &format!("/api/tokens/{}", made["id"]), None);
    let [vera, olaf, wall, anna] = looks;
    // Far fewer than without an end, and more than what was on the way.
    let ends = |look: &mut dyn Iterator<Item = (String, Value)>| look.take(60).count() < 60;
    for mut look in [vera, olaf, wall] {
        assert!(ends(&mut look), "who is out still looks");
    }
    let figures = anna.filter(|(event, _)| event == "figures");
    assert_eq!(figures.take(10).count(), 10, "who is in goes on");
}

#[test]
fn an_edge_that_is_new_counts_from_when_it_runs() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let figures = |is_meant: &dyn Fn(&Value) -> bool| {
        let mut events = live(&served, &anna).filter(|(event, _)| event == "figures");
        events.find(|(_, data)| is_meant(data)).expect("figures").1
    };
    let before = figures(&|data| data["nodes"]["isRoaming"]["streams"]["true"].is_u64());
    assert_eq!(before["edges"], json!([]), "all were there from the start");
    let also = r#"
[post-processing-system.also]
from = "isRoaming.true"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/also" }
"#;
    let text = served.got(&anna, "/api/flow")["text"].as_str().unwrap().to_owned() + also;
    let body = Some(json!({"text": text, "remark": "one more"}));
    let version = served.done(&anna, "POST", "/api/flow/versions", body)["version"].clone();
    let path = format!("/api/flow/versions/{version}/activate");
    served.done(&anna, "POST", &path, Some(json!({})));
    let after = figures(&|data| data["edges"] != json!([]));
    let gone = &after["nodes"]["isRoaming"]["streams"]["true"];
    let edge = json!({"from": "isRoaming", "stream": "true", "to": "also", "before": gone});
    assert_eq!(after["edges"], json!([edge]));
}

/// A check of what comes from Boston.
const CHECK: &str = r#"
[duplicate-check.calls]
from = "msc-boston"
type = "MSC.CallDataRecord"
key = ["record.sequenceNumber", "record.servedIMSI", "record.answerTime", "record.callDuration"]
[post-processing-system.checked]
from = "calls"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/checked" }
"#;

#[test]
fn figures_come_each_second_and_what_is_reported_agrees_with_them() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text + CHECK).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let mut events = live(&served, &anna);
    let (event, graph) = events.next().expect("the graph");
    assert!(event == "graph" && graph["nodes"].as_array().unwrap().len() > 5, "{graph}");
    // Each record that came to it and was not refused.
    let keys = |data: &Value| {
        let refused = data["elements"]["msc-boston"]["outcomes"]["suspended"].as_u64()?;
        Some(data["nodes"]["calls"]["keys"].as_u64()? + refused)
    };
    let (_, figures) = events
        // What the journal says is looked at now and then.
        .find(|(_, data)| {
            data["elements"]["msc-boston"]["files"] == 2
                && data["suspense_open"] == 84
                && keys(data) == Some(10_000)
        })
        .expect("figures");
    assert_eq!(figures["nodes"]["isRoaming"].get("keys"), None, "it knows none");
    assert_eq!(figures["elements"]["msc-boston"]["records"], 10_000);
    let node = &figures["nodes"]["isRoaming"];
    let streams = node["streams"].as_object().unwrap();
    let sum: u64 = streams.values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(sum), node["records"].as_u64(), "each record goes on by one stream: {node}");
    let audit = served.got(&anna, "/api/audit");
    let counts = audit["counts"].as_array().unwrap();
    let of = counts.iter().filter(|count| count["node"] == "isRoaming");
    assert_eq!(
        Some(of.filter_map(|count| count["records"].as_u64()).sum()),
        node["records"].as_u64()
    );
    assert_eq!(audit["differences"], json!([]));
    let history = served.got(&anna, "/api/history");
    assert_eq!(
        history["at"].as_array().map(Vec::len),
        history["records"].as_array().map(Vec::len),
        "{history}"
    );
    let traced = served.got(&anna, "/api/trace?file=boston-00002.ber&record=1");
    assert_eq!(traced["traced"][0]["network_element"], "msc-boston", "{traced}");
    let none = served.ask(&anna, "GET", "/api/sequences", None);
    assert_eq!(none.status, 404, "nothing is numbered: {}", none.body);
    for path in ["/api/deliveries", "/api/alarms?all=true", "/api/files?name=new-york"] {
        served.got(&anna, path);
    }
}

/// Where outputs go to the receivers' folders, where they are carried there, and where they are merged on the way.
#[test]
fn a_plot_of_delays_tells_how_long_the_slowest_file_took_whatever_its_date() {
    for way in [
        "name = \"{network-element}-{stem}.x\"",
        "name = \"{network-element}-{stem}.x\", checksum = \"sha256\"",
        "name = \"M{number}.x\", merge = { within = \"1 second\", files-max = 2 }",
    ] {
        let folder = example();
        let flow = folder.path().join("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        let line =
            |line: &str| match line.split_once("name =").filter(|_| line.starts_with("deliver")) {
                Some((before, _)) => format!("{before}{way} }}\n"),
                None => format!("{line}\n"),
            };
        fs::write(&flow, text.lines().map(line).collect::<String>()).unwrap();
        let dated = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for element in ["in/boston", "in/new-york"] {
            for file in fs::read_dir(folder.path().join(element)).unwrap() {
                let file = fs::File::options().write(true).open(file.unwrap().path()).unwrap();
                file.set_modified(dated).unwrap();
            }
        }
        let served = Served::start(folder);
        let anna = served.first();
        let mut delays: Vec<f64> = Vec::new();
        wait_for("a delay", || {
            let history = served.got(&anna, "/api/history");
            let told = history["delay_seconds"].as_array().expect("delays").clone();
            assert_eq!(told.len(), history["at"].as_array().unwrap().len(), "{history}");
            delays = told.iter().filter_map(Value::as_f64).collect();
            !delays.is_empty()
        });
        let is_of_today = |delay: &f64| *delay > 0.0 && *delay < 3_600.0;
        assert!(delays.iter().all(is_of_today), "{way}: {delays:?}");
    }
}

/// A flow of two network elements, of which one has a thread of its own, and many files of the other.
#[cfg(target_os = "linux")]
fn shared(files: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut flow = "[asn1]\nmodules = [\"calls.asn1\"]\n".to_owned();
    for name in ["many", "own"] {
        fs::create_dir_all(here.join("in").join(name)).unwrap();
        flow += &format!(
            "[network-element.{name}]\ncollect = {{ dir = \"in/{name}\" }}\n\
             decode = {{ type = \"CALLS.Call\", codec = \"json\" }}\n"
        );
    }
    flow += "[post-processing-system.all]\nfrom = [\"many\", \"own\"]\nencode = { codec = \"json\" }\n\
             deliver = { dir = \"out\" }\n[group.calls]\nnetwork-elements = [\"own\"]\nthreads = 1\n\
             [log]\nfile = \"log\"\nrotate = \"never\"\nformat = \"text\"\n";
    fs::write(here.join("flow.toml"), flow).unwrap();
    let module = "CALLS DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER }\nEND\n";
    fs::write(here.join("calls.asn1"), module).unwrap();
    for number in 0..files {
        let file = here.join(format!("in/many/far-{number}.json"));
        fs::write(file, format!("{{\"number\":{number}}}\n")).unwrap();
    }
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn who_asks_hears_how_many_threads_work_for_whom_and_why() {
    let folder = shared(1_500);
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    serve.env("LD_PRELOAD", preload::library("far"));
    let served = Served::by(serve, folder);
    let anna = served.first();
    let balance = || served.got(&anna, "/api/balance");
    let decisions = |of: &Value| of["decisions"].as_array().unwrap().clone();
    let begun = balance();
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!((&begun["processors"], &begun["is_found"]), (&json!(processors), &json!(true)));
    let groups = json!([
        {"name": "calls", "network_elements": ["own"], "own": {"processes": 0, "threads": 1}, "priority": null, "weight": null},
        {"name": null, "network_elements": ["many"], "own": null, "priority": 0, "weight": 1},
    ]);
    assert_eq!(begun["groups"], groups);
    let first = decisions(&begun).last().cloned().expect("one to begin with");
    assert!(first["why"].as_str().unwrap().contains("groups leave of the processors"), "{first}");
    let threads = processors.saturating_sub(1).max(1);
    assert!(first["what"].as_str().unwrap().contains(&format!(" {threads} thread")), "{first}");
    // They wait for a disk that is far away.
    let is_new = || decisions(&balance()).len() > 1;
    wait_for("a decision", is_new);
    let now = balance();
    let second = &decisions(&now)[decisions(&now).len() - 2];
    let why = second["why"].as_str().unwrap();
    assert!(why.contains("perhaps the rest waits for disks"), "{second}");
    let last = decisions(&now)[0]["what"].as_str().unwrap().to_owned();
    assert!(last.contains(&format!(" {} thread", now["common"]["threads"])), "{now}");
    let log = fs::read_to_string(served.folder.path().join("log")).unwrap();
    for decision in [&first, second] {
        let word = |key: &str| decision[key].as_str().unwrap();
        let text = format!("{}: {}", word("what"), word("why"));
        assert!(log.contains(&text), "{text}: {log}");
        assert!(decision["at"].as_str().unwrap().ends_with('Z'), "{decision}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_of_processes_are_told_as_the_flow_has_them() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let flow = flow.replace("threads = 1", "processes = 1\nthreads = 2");
    fs::write(&path, flow + "[processing]\nprocesses = 2\nthreads = 3\n").unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let balance = served.got(&anna, "/api/balance");
    assert_eq!(balance["common"], json!({"processes": 2, "threads": 3}));
    assert_eq!(balance["groups"][0]["own"], json!({"processes": 1, "threads": 2}));
    assert_eq!(balance["is_found"], false);
    let decision = &balance["decisions"][0];
    let what = "files are processed by 3 threads of each of 2 processes, those of \"calls\" by 2 threads of a process";
    assert_eq!(decision["what"], what);
    assert!(decision["why"].as_str().unwrap().starts_with("as the flow says"), "{decision}");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_the_flow_does_not_say_are_not_told_as_its_own() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow + "[processing]\nprocesses = 2\n").unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let balance = served.got(&anna, "/api/balance");
    let decision = &balance["decisions"][0];
    let what = decision["what"].as_str().unwrap();
    assert!(what.contains(" of each of 2 processes, those of \"calls\" by 1 thread"), "{decision}");
    assert_eq!(decision["why"], "so many that all processors have something to do");
    // What another flow has of it is told when it runs.
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow.replace("\nthreads = 1", "\nthreads = 2")).unwrap();
    let last = || served.got(&anna, "/api/balance")["decisions"][0]["what"].clone();
    wait_for("the change", || last().as_str().unwrap().ends_with("\"calls\" by 2 threads"));
}

#[cfg(target_os = "linux")]
#[test]
fn who_asks_hears_how_many_threads_carry_to_whom() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let mut flow = fs::read_to_string(&path).unwrap();
    for name in ["partner", "report", "other"] {
        flow += &format!(
            "[post-processing-system.{name}]\nfrom = \"many\"\nencode = {{ codec = \"json\" }}\n\
             deliver = {{ dir = \"far/{name}\", at-once = 2 }}\n"
        );
    }
    flow += "[group.partners]\npost-processing-systems = [\"partner\"]\nthreads = 2\n\
             [group.reports]\npost-processing-systems = [\"report\"]\nweight = 3\n\
             [delivering]\nthreads = 3\n";
    fs::write(&path, &flow).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let delivering = || served.got(&anna, "/api/balance")["delivering"].clone();
    let groups = json!([
        {"name": "partners", "post_processing_systems": ["partner"], "threads": 2, "priority": null, "weight": null},
        {"name": "reports", "post_processing_systems": ["report"], "threads": null, "priority": 0, "weight": 3},
        {"name": null, "post_processing_systems": ["other"], "threads": null, "priority": 0, "weight": 1},
    ]);
    // Nobody carries to the receiver in whose folder files get their names.
    assert_eq!(delivering(), json!({"threads": 3, "groups": groups}));
    fs::write(&path, flow.replace("threads = 3", "threads = 4")).unwrap();
    wait_for("the change", || delivering() == json!({"threads": 4, "groups": groups}));
}

#[test]
fn whatever_is_asked_by_the_description_is_no_error_of_the_server() {
    let served = Served::start(example());
    let anna = served.first();
    let made = json!({"name": "anything", "role": "administrator"});
    let token = served.done(&anna, "POST", "/api/tokens", Some(made))["token"].clone();
    let authorization = format!("Authorization: Bearer {}", token.as_str().unwrap());
    let address = format!("http://{}/api/openapi.json", served.address);
    let asked = Command::new(python_with(&["schemathesis==4.32.5"]))
        .current_dir(served.folder.path())
        .args(["-m", "schemathesis.cli", "run", &address, "--header", &authorization])
        .args([
            "--checks",
            "not_a_server_error,response_schema_conformance",
            "--max-examples",
            "15",
            "--seed",
            "1",
        ])
        // Else it takes the token away by which it asks.
        .args([
            "--exclude-path",
            "/api/tokens/{id}",
            "--exclude-path",
            "/api/live",
            "--no-color",
            "--suppress-health-check",
            "filter_too_much",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&asked.stdout);
    assert!(asked.status.success(), "{said}\n{}", String::from_utf8_lossy(&asked.stderr));
    assert_eq!(served.ask(&As::default(), "GET", "/readyz", None).status, 200);
}
