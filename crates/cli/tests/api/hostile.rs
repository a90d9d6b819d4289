//! Tests that users who may only look, and clients without a session, cannot bring the gateway down: by the names in a
//! text, by the number of its mistakes, by requests that take long, or by endless connections.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::api::served::{As, PASSWORD, Served, example};
use crate::common::memory::resident;
use crate::common::wait::wait_for;

/// The longest time that any request here takes on a busy machine. The defects that these tests cover took minutes, or
/// did not end.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// The octets of memory that a gateway may use in addition for the requests here.
const MEMORY_MAX: u64 = 700 << 20;

fn memory(served: &Served) -> u64 {
    resident(served.process.id())
}

/// Returns the answer to a request. Meanwhile the gateway always answers requests for its health.
fn asked(served: &Served, who: &As, path: &str, body: &Value) -> (u16, Value) {
    let (begun, before) = (Instant::now(), memory(served));
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| served.ask(who, "POST", path, Some(body.clone())));
        while !asking.is_finished() {
            let alive = Instant::now();
            assert_eq!(served.ask(&As::default(), "GET", "/healthz", None).status, 200);
            assert!(alive.elapsed() < Duration::from_secs(10), "{path}: {:?}", alive.elapsed());
            let more = memory(served).saturating_sub(before);
            assert!(more < MEMORY_MAX, "{path}: {more} octets");
            std::thread::sleep(Duration::from_millis(20));
        }
        asking.join().unwrap()
    });
    assert!(begun.elapsed() < ANSWERED_WITHIN, "{path}: {:?}", begun.elapsed());
    assert!(answer.body.len() < 4 << 20, "{path}: an answer of {} octets", answer.body.len());
    (answer.status, answer.json())
}

/// Returns paths of files that are not regular, that have no end, or that block a reader. Files in the folder of the
/// flow are named by the ending of the kind that they stand in for.
fn strange_files(served: &Served) -> (Vec<String>, UnixListener) {
    let folder = served.folder.path().join("strange");
    fs::create_dir(&folder).unwrap();
    for ending in ["dup", "csv", "asn1", "toml"] {
        let pipe = folder.join(format!("pipe.{ending}"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        File::create(folder.join(format!("large.{ending}"))).unwrap().set_len(1 << 40).unwrap();
        symlink("/dev/zero", folder.join(format!("device.{ending}"))).unwrap();
        symlink("/proc/self/pagemap", folder.join(format!("kernel.{ending}"))).unwrap();
        fs::create_dir(folder.join(format!("folder.{ending}"))).unwrap();
    }
    let listener = UnixListener::bind(folder.join("socket.dup")).unwrap();
    let within = ["pipe", "large", "device", "kernel", "folder", "socket"];
    let elsewhere =
        ["/proc/self/pagemap", "/proc/self/mem", "/proc/kmsg", "/dev/zero", "/dev/stdin"];
    let within = within.map(|name| format!("strange/{name}.ENDING"));
    (within.into_iter().chain(elsewhere.map(str::to_owned)).collect(), listener)
}

#[test]
fn whatever_a_text_names_is_read_within_bounds_and_waited_for_by_nobody() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let vera = served.invited(&anna, "vera", "viewer");
    let (names, _listener) = strange_files(&served);
    let flow = served.got(&vera, "/api/flow")["text"].as_str().unwrap().to_owned();
    let with = |what: &str| format!("{flow}\n{what}\n");
    let modules =
        flow.lines().find(|line| line.starts_with("modules")).expect("modules").to_owned();
    for name in &names {
        let of = |ending: &str| name.replace("ENDING", ending);
        let in_script = |name: String| match name.strip_prefix("strange/") {
            Some(within) => format!("../strange/{within}"),
            None => name,
        };
        let script = with(&format!(
            "[filter.strange]\nfrom = \"isRoaming.true\"\nscript = \"{}\"",
            of("dup")
        ));
        let key = with(&format!(
            "[duplicate-check.strange]\nfrom = \"isRoaming.true\"\ntype = \"MSC.CallDataRecord\"\nscript = \"{}\"\nkey = \"k\"",
            of("dup")
        ));
        let plan = with(&format!(
            "[rating.strange]\nfrom = \"isRoaming.true\"\nplan = \"{}\"\n",
            of("toml")
        ));
        let asn1 = flow.replace(&modules, &format!("modules = [\"{}\"]", of("asn1")));
        for text in [script, key, plan, asn1] {
            let (status, looked) =
                asked(&served, &vera, "/api/flow/look", &json!({ "text": text }));
            assert_eq!(status, 200, "{name}: {looked}");
            let said = looked["diagnostics"].to_string();
            assert!(said.contains("error"), "{name}: {looked}");
        }
        let declared = [
            format!("declare strange TABLE \"{}\";", in_script(of("csv"))),
            format!("declare strange TARIFF \"{}\";", in_script(of("toml"))),
            format!(
                "test \"strange\" {{ declare call CallDataRecord \"{}\"; }}",
                in_script(of("csv"))
            ),
        ];
        for text in declared {
            let path = "/api/scripts/scripts/is_roaming.dup";
            let (status, said) = asked(&served, &vera, path, &json!({ "text": text }));
            assert!(status == 200 || status == 422, "{name}: {status} {said}");
            let (status, said) = asked(
                &served,
                &anna,
                "/api/tests/scripts/is_roaming.dup",
                &json!({ "text": text }),
            );
            assert!(status == 200 || status == 422, "{name}: {status} {said}");
        }
    }
    // New users can log in now, and the gateway is ready.
    let login = json!({"name": "anna", "password": PASSWORD});
    assert_eq!(served.ask(&As::default(), "POST", "/login", Some(login)).status, 200);
    assert_eq!(served.ask(&As::default(), "GET", "/readyz", None).status, 200);
    assert!(served.got(&vera, "/api/flow")["diagnostics"].is_array());
}

#[test]
fn a_text_with_mistakes_without_end_holds_up_nobody() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let script = "/api/scripts/scripts%2Fis_billable.dup";
    let begin = "BOOLEAN isBillable(cdr CONST CallDataRecord) { ";
    for text in [
        begin.to_owned() + &"x; ".repeat(200_000),
        begin.to_owned() + &"declare vI INTEGER := I; ".repeat(20_000),
        "? ".repeat(1_000_000),
        begin.to_owned() + &"å".repeat(1_000_000) + &" x;".repeat(50_000),
        "a".repeat(3 << 20) + " b",
    ] {
        let (status, looked) = asked(&served, &vera, script, &json!({ "text": text }));
        assert!(status == 200 || status == 422, "{looked}");
        let told = looked["diagnostics"].as_array().map_or(0, Vec::len);
        assert!(told <= 200, "{told}");
    }
    let names = |count: usize| -> String {
        let name = |number: usize| format!("\"unknown-node-{number:06}\", ");
        (0..count).map(name).collect()
    };
    let flow = served.got(&vera, "/api/flow")["text"].as_str().unwrap().to_owned();
    let element = |number: usize| {
        format!(
            "[filter.node-{number}]\nfrom = \"node-of-{number}\"\nscript = \"scripts/is_roaming.dup\"\n"
        )
    };
    for text in [
        format!(
            "{flow}\n[filter.strange]\nscript = \"scripts/is_roaming.dup\"\nfrom = [{}]\n",
            names(20_000)
        ),
        (0..500).map(element).collect(),
        format!(
            "{flow}\n[filter.strange]\n{}",
            (0..50_000).map(|key| format!("k{key} = 1\n")).collect::<String>()
        ),
        format!("{flow}\n[filter.\"{}\"]\nfrom = \"x\"\n", "å".repeat(1 << 20)),
    ] {
        let (status, looked) = asked(&served, &vera, "/api/flow/look", &json!({ "text": text }));
        assert_eq!(status, 200, "{looked}");
        let told = looked["diagnostics"].as_array().expect("mistakes").len();
        assert!((1..=200).contains(&told), "{told}");
    }
    // The mistakes that are left out are counted; the count is zero where there are few mistakes.
    let many = json!({"text": format!("[filter.strange]\nfrom = [{}]\n", names(1_000))});
    let looked = served.done(&vera, "POST", "/api/flow/look", Some(many));
    assert!(
        looked["diagnostics_left_out"].as_u64() >= Some(800),
        "{}",
        looked["diagnostics_left_out"]
    );
    assert_eq!(served.got(&vera, "/api/flow")["diagnostics_left_out"], 0);
}

/// Sends a request without waiting for its answer.
fn sent(served: &Served, who: &As, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let cookie = who.cookie.as_ref().unwrap();
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", served.address);
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn what_takes_long_is_stopped_when_whoever_asked_for_it_has_gone() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let vera = served.invited(&anna, "vera", "viewer");
    // Some megabytes are computed for each of thousands of records, none of which matches.
    let long = "where=length(replace(%22AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%22%2C%22A%22%2C\
                replace(%22BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB%22%2C%22B%22%2C\
                replace(%22CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC%22%2C%22C%22%2C%22DDDDDDDDDDDDDDDDDDDDDDDD%22))))\
                %20%3D%3D%20record.callDuration";
    let path = format!("/api/trace?{long}");
    // These are more requests than one user may have at once: the first user takes all of hers.
    let begun: Vec<TcpStream> = (0..20).map(|_| sent(&served, &vera, &path)).collect();
    std::thread::sleep(Duration::from_millis(500));
    // Other users are answered meanwhile.
    served.got(&anna, "/api/audit");
    drop(begun);
    let since = Instant::now();
    served.got(&vera, "/api/audit");
    assert!(since.elapsed() < ANSWERED_WITHIN, "{:?}", since.elapsed());
    let processor = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", served.process.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    wait_for("the end of the work", || {
        let before = processor();
        std::thread::sleep(Duration::from_millis(500));
        // In hundredths of a second: an idle gateway takes some.
        processor() - before < 15
    });
}

#[test]
fn one_person_has_so_many_live_streams_and_leaves_others_theirs() {
    let served = Served::start(example());
    let anna = served.first();
    let made = json!({"name": "wall", "role": "viewer"});
    let made = served.done(&anna, "POST", "/api/tokens", Some(made));
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let wall = As { more: vec![("Authorization", bearer)], ..As::default() };
    let mut streams: Vec<_> = (0..16).map(|_| served.live(&wall)).collect();
    for stream in &mut streams {
        assert_eq!(stream.next().expect("the graph").0, "graph");
    }
    let refused = served.ask(&wall, "GET", "/api/live", None);
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert!(refused.header("retry-after").is_some() && refused.body.contains("16 live streams"));
    assert_eq!(served.live(&anna).next().expect("the graph").0, "graph");
    // Closing one stream lets the user open another.
    drop(streams.pop());
    wait_for("a stream that is free", || {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        let (_, bearer) = &wall.more[0];
        let head = format!("GET /api/live HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line.contains(" 200 ")
    });
}

#[test]
fn connections_without_a_login_keep_nobody_out() {
    let served = Served::start(example());
    let anna = served.first();
    // These connections send nothing, or only the beginning of a request.
    let strangers: Vec<TcpStream> = (0..700)
        .filter_map(|number| {
            let mut stream = TcpStream::connect(&served.address).ok()?;
            if number % 2 == 0 {
                let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n");
            }
            Some(stream)
        })
        .collect();
    assert!(strangers.len() > 600);
    served.got(&anna, "/api/session");
    let login = json!({"name": "anna", "password": PASSWORD});
    assert_eq!(served.ask(&As::default(), "POST", "/login", Some(login)).status, 200);
    assert_eq!(served.ask(&As::default(), "GET", "/healthz", None).status, 200);
}

#[test]
fn a_request_that_does_not_name_one_host_is_refused() {
    let served = Served::start(example());
    for (head, wanted) in [
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200"),
        ("GET /healthz HTTP/1.0\r\n\r\n", "200"),
        ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n", "400"),
        ("GET /api/flow HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n", "400"),
    ] {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert_eq!(status, wanted, "{head:?}: {answer}");
    }
}

#[test]
fn a_password_that_is_guessed_soon_is_none_and_a_token_has_an_end() {
    let served = Served::start(example());
    let link = served.link.clone().expect("it is new");
    for password in ["password1234", "123456789012", "qwertyuiopas", "tollgate2026", "Summer2026!!"]
    {
        let welcome = json!({"link": link, "name": "anna", "password": password});
        let answer = served.ask(&As::default(), "POST", "/welcome", Some(welcome));
        assert!(answer.status == 422 && answer.body.contains("guessed soon"), "{}", answer.body);
    }
    let anna = served.first();
    let change = json!({"old": PASSWORD, "new": "letmein12345"});
    assert_eq!(served.ask(&anna, "PUT", "/api/password", Some(change)).status, 422);
    let made = |days: Value| {
        let made = json!({"name": format!("of-{days}"), "role": "viewer", "days": days});
        served.ask(&anna, "POST", "/api/tokens", Some(made))
    };
    for days in [0, 367, 100_000] {
        assert_eq!(made(json!(days)).status, 422, "{days}");
    }
    for days in [json!(null), json!(1), json!(366)] {
        let answer = made(days.clone());
        assert_eq!(answer.status, 200, "{days}: {}", answer.body);
        let listed = served.got(&anna, "/api/tokens")["tokens"].clone();
        let last = listed.as_array().unwrap().last().unwrap().clone();
        assert_eq!((&last["until"], &last["expired"]), (&answer.json()["until"], &json!(false)));
    }
    let people = served.got(&anna, "/api/people")["people"].clone();
    assert_eq!(people[0]["sessions"], 1, "{people}");
}

#[test]
fn what_a_gateway_keeps_is_for_its_owner_alone() {
    let folder = example();
    let mut serve = Command::new("sh");
    let line = format!(
        "umask 022; exec {} serve flow.toml --listen 127.0.0.1:0",
        env!("CARGO_BIN_EXE_tollgate")
    );
    serve.current_dir(folder.path()).args(["-c", &line]);
    let served = Served::by(serve, folder);
    let anna = served.first();
    served.all_came(&anna);
    let state = served.folder.path().join("flow.state");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    let databases = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path());
    let databases: Vec<_> =
        databases.filter(|path| path.to_string_lossy().contains(".db")).collect();
    assert!(databases.len() >= 12, "with logs and what lies beside: {databases:?}");
    for database in databases {
        // Some files come and go.
        if let Ok(found) = database.metadata() {
            assert_eq!(found.permissions().mode() & 0o777, 0o600, "{}", database.display());
        }
    }
    // Permissions that an older gateway left open are restricted.
    let folder = served.ended();
    let people = folder.path().join("flow.state/people.db");
    fs::set_permissions(&people, fs::Permissions::from_mode(0o644)).unwrap();
    let served = Served::start(folder);
    assert_eq!(mode(&served.folder.path().join("flow.state/people.db")), 0o600);
}

#[test]
fn names_in_lists_and_logs_do_nothing_to_a_terminal() {
    let folder = example();
    // A file that begins like the example's files, and cannot be read.
    let name = "boston-\u{202e}reb.1\u{200b}.ber";
    fs::write(folder.path().join("in/boston").join(name), [0x30, 0x03, 0xff, 0xff, 0xff]).unwrap();
    let tollgate = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let output = command.current_dir(folder.path()).args(line.split(' ')).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8(said).expect("text")
    };
    let ran = tollgate("run flow.toml --once");
    let mut named = 0;
    let mut check = |line: &str, said: &str| {
        let is_hidden = |c: &char| diagnostics::is_hidden(*c) && *c != '\n' && *c != '\t';
        assert_eq!(said.chars().find(is_hidden), None, "{line}: {said:?}");
        named += usize::from(said.contains("\\u202ereb.1\\u200b"));
    };
    check("run", &ran);
    for line in [
        "suspense list flow.toml",
        "suspense list flow.toml --json",
        "suspense list flow.toml --count",
        "suspense show flow.toml 1",
        "suspense show flow.toml 1 --json",
        "alarms flow.toml --all",
        "trail flow.toml",
        "audit flow.toml",
        "deliveries list flow.toml --all",
        "trace flow.toml --file boston-\u{202e}reb.1\u{200b}.ber --record 1",
        "trace flow.toml --file boston-\u{202e}reb.1\u{200b}.ber --record 1 --json",
        "files list flow.toml",
        "files refused flow.toml",
        "files again flow.toml --file boston-\u{202e}reb.1\u{200b}.ber --because \u{1b}[2J",
        "trail flow.toml --json",
        "check \u{1b}[2J\u{202e}.toml",
    ] {
        check(line, &tollgate(line));
    }
    assert!(named >= 5, "{named}");
}
