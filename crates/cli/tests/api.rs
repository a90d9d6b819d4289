//! Tests the API of `tollgate serve` on the real binary: which role may do what.

mod accounts;
mod activation;
mod again;
mod counters;
mod figures;
mod finding;
mod gathering;
mod history;
mod hostile;
mod lists;
mod live;
mod matching;
mod overtaken;
mod privacy;
#[cfg(target_os = "linux")]
mod records;
mod replay;
mod rules;
mod samples;
mod scripts;
mod sequences;
pub(crate) mod served;
mod shapes;
mod suspense;
mod tables;
mod tariff_versions;
mod tariffs;
mod threads;
mod versions;
mod withheld;

use std::fs;
use std::process::{Command, Stdio};

use crate::common::python::python_with;
use crate::common::wait::wait_for;
use serde_json::{Value, json};
use served::{As, PASSWORD, Served, example, tollgate};

/// Returns whether a path requires a session.
fn is_guarded(path: &str) -> bool {
    path.starts_with("/api/")
}

/// Returns every path and method of the description that requires a session, with numbers and names filled in.
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
    // The tokens of the test are not removed by it.
    let path = path.replace("/api/tokens/{id}", "/api/tokens/999").replace("{file}", "x.dup");
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
    let unknown = served.ask(&anna, "GET", "/api/nothing", None);
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("path-unknown")));
    for (method, path) in
        [("POST", "/api/suspense"), ("DELETE", "/api/suspense"), ("POST", "/api/files")]
    {
        let answer = served.ask(&anna, method, path, Some(json!({})));
        assert_eq!(answer.json()["code"], "method-not-allowed", "{method} {path}");
        let allowed = answer.header("allow").expect("the methods");
        assert!(answer.status == 405 && allowed.contains("GET"), "{method} {path}: {allowed}");
    }
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
        ("/api/flow/versions/1/activate", json!({"because": "approved"})),
        ("/api/deliveries/retry", json!({"all": true})),
        ("/api/deliveries/discard", json!({"ids": [1], "because": "no"})),
        ("/api/tokens", json!({"name": "x", "role": "administrator"})),
    ] {
        assert_eq!(status(&vera, "POST", path, Some(body)), 403, "{path}");
    }
    let which = served.ask(&olaf, "POST", "/api/deliveries/retry", Some(json!({})));
    assert_eq!(which.status, 422, "{}", which.body);
    // Without the token that only the gateway's own page knows, or from another page, no one can change anything.
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
    // A user who logs out has no session any more; nor has a user who is removed.
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
    assert!(has("olaf", "versions save"), "{actions:?}");
}

/// The description states the role that each operation requires: lower roles are refused, and that role is admitted.
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
            // A live answer does not end.
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

/// Secrets that are never shown, by the environment variable that holds each.
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
        // A live answer does not end.
        if method == "GET" && path != "/api/live" {
            let answer = served.ask(&anna, &method, &path, None);
            is_told(answer.body.as_bytes(), &path);
            answered += usize::from(answer.status == 200);
        }
    }
    assert!(answered > 15, "{answered}");
    let (_, figures) = served.live(&anna).find(|(_, data)| data["at"].is_string()).unwrap();
    is_told(figures.to_string().as_bytes(), "/api/live");
    is_told(served.ask(&anna, "GET", "/metrics", None).body.as_bytes(), "/metrics");
    let mut folders = vec![served.folder.path().to_path_buf()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                // Sockets cannot be read as files.
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
    // Links cannot be guessed: after some attempts requests are refused.
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
    // Users with a session do not wait for those without one.
    let other = json!({"old": PASSWORD, "new": "something else altogether"});
    served.done(&anna, "PUT", "/api/password", Some(other));
}

/// Returns how many requests are answered until one is refused, and the refusal.
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
    // These reads are about nothing, and are answered fast.
    let reads = |who: &As| served.ask(who, "GET", "/api/trace?suspense=0", None);
    let (count, refused) = until_refused(|| reads(&olaf));
    assert!(count >= 300, "{count}");
    let said = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(said.starts_with("olaf asks for too much at once; ask again in "), "{said}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Another session of the same user counts as the same user; another user does not, and cheap requests are still
    // answered.
    let login = json!({"name": "olaf", "password": PASSWORD});
    let again = Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)));
    assert!(until_refused(|| reads(&again)).0 < 200);
    assert_ne!(reads(&anna).status, 429);
    assert_eq!(served.ask(&olaf, "GET", "/api/files", None).status, 200);
    wait_for("his turn", || reads(&olaf).status != 429);
    // Changes have a limit of their own, even where nothing is changed.
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
fn whatever_is_asked_by_the_description_is_no_error_of_the_server() {
    let served = Served::start(example());
    let anna = served.first();
    let address = format!("http://{}/api/openapi.json", served.address);
    let python = python_with(&["schemathesis==4.32.5"]);
    // Two callers at once: each has limits of its own.
    let runs = [["--include-method", "GET"], ["--exclude-method", "GET"]].map(|methods| {
        let made = json!({"name": methods.join(""), "role": "administrator"});
        let token = served.done(&anna, "POST", "/api/tokens", Some(made))["token"].clone();
        let authorization = format!("Authorization: Bearer {}", token.as_str().unwrap());
        Command::new(&python)
            .current_dir(served.folder.path())
            .args(["-m", "schemathesis.cli", "run", &address, "--header", &authorization])
            .args(methods)
            .args(["--max-examples", "15", "--seed", "1", "--no-color", "--checks", "all"])
            // A schema does not say which records need a reason, and the interface has pages at the same paths.
            .args(["--exclude-checks", "positive_data_acceptance,allow_header_conformance"])
            // Otherwise the tool revokes the token with which it authenticates.
            .args(["--exclude-path", "/api/tokens/{id}", "--exclude-path", "/api/live"])
            .args(["--suppress-health-check", "filter_too_much"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    for run in runs {
        let run = run.wait_with_output().unwrap();
        let report = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{report}\n{}", String::from_utf8_lossy(&run.stderr));
    }
    assert_eq!(served.ask(&As::default(), "GET", "/readyz", None).status, 200);
}
