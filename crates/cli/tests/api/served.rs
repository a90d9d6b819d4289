//! A gateway that is served, and the users who send requests to it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::wait::wait_for;

pub(crate) const PASSWORD: &str = "a quiet night of watching";

/// A gateway that is served.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) address: String,
    pub(crate) folder: TempDir,
    /// The one-time link that the gateway printed when it started.
    pub(crate) link: Option<String>,
    description: OnceLock<Value>,
}

/// The user that sends a request.
#[derive(Clone, Default)]
pub(crate) struct As {
    pub(crate) cookie: Option<String>,
    pub(crate) csrf: Option<String>,
    pub(crate) more: Vec<(&'static str, String)>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns whether an answer says that nothing was changed: it has counts, all of them zero.
fn has_done_nothing(answered: &Value) -> bool {
    let counts = answered.as_object().into_iter().flatten().filter_map(|(_, of)| of.as_u64());
    counts.max() == Some(0)
}

pub(crate) fn tollgate(folder: &TempDir, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder.path()).args(line.split(' '));
    command
}

pub(crate) fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert!(tollgate(&folder, "init .").output().unwrap().status.success());
    folder
}

impl Served {
    pub(crate) fn start(folder: TempDir) -> Self {
        let serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
        Served::by(serve, folder)
    }

    pub(crate) fn by(serve: Command, folder: TempDir) -> Self {
        let served = Served::begun(serve, folder);
        wait_for("it is ready", || {
            served.ask(&As::default(), "GET", "/readyz", None).status == 200
        });
        served
    }

    /// Returns a gateway that listens, and may not have opened its journal yet.
    pub(crate) fn begun(mut serve: Command, folder: TempDir) -> Self {
        let is_new = !folder.path().join("flow.state/people.db").exists();
        let mut process =
            serve.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let address = lines.by_ref().find_map(|line| {
            line.unwrap().split_once("listening on http://").map(|(_, address)| address.to_owned())
        });
        let link = is_new.then(|| {
            let link = lines.by_ref().find_map(|line| {
                line.unwrap().split_once("/welcome#").map(|(_, link)| link.trim().to_owned())
            });
            link.expect("a link")
        });
        std::thread::spawn(move || lines.for_each(drop));
        let address = address.expect("it says where it listens");
        Served { process, address, folder, link, description: OnceLock::new() }
    }

    /// Ends the gateway in order, and returns its folder.
    #[cfg(unix)]
    pub(crate) fn ended(mut self) -> TempDir {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.process.wait().unwrap();
        std::mem::replace(&mut self.folder, TempDir::new().unwrap())
    }

    /// Returns the live events: the name of each and its data.
    pub(crate) fn live(&self, who: &As) -> impl Iterator<Item = (String, Value)> + use<> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut request =
            format!("GET /api/live HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
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

    pub(crate) fn ask(&self, who: &As, method: &str, path: &str, body: Option<Value>) -> Answer {
        let text = body.map(|body| body.to_string());
        self.send(who, method, path, text.as_deref())
    }

    pub(crate) fn send(&self, who: &As, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        let cookie = who.cookie.iter().map(|cookie| ("Cookie", cookie.clone()));
        let csrf = who.csrf.iter().map(|csrf| ("X-CSRF-Token", csrf.clone()));
        for (name, value) in cookie.chain(csrf).chain(who.more.clone()) {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            head +=
                &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        stream.write_all(format!("{head}\r\n{}", body.unwrap_or_default()).as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A client that is refused before its request was read completely may find the connection closed.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer { status: status.expect("a status"), head: head.into(), body: body.into() }
    }

    /// Returns the answer to a request that must succeed.
    /// Sends a request that succeeds, and returns what it answers. If it changes something, the audit trail has it.
    pub(crate) fn done(&self, who: &As, method: &str, path: &str, body: Option<Value>) -> Value {
        let actions = self.actions(who, method, path);
        let is_of_charging =
            ["/api/accounts", "/api/numbers"].iter().any(|of| path.starts_with(of));
        let trail = if is_of_charging { "/api/charging/trail" } else { "/api/trail" };
        let newest = || self.newest_entries(who, trail);
        let before = if actions.is_empty() { Vec::new() } else { newest() };
        let answer = self.ask(who, method, path, body);
        assert!(
            (200..300).contains(&answer.status),
            "{method} {path}: {} {}",
            answer.status,
            answer.body
        );
        let answered = if answer.body.is_empty() { Value::Null } else { answer.json() };
        if !actions.is_empty() && !has_done_nothing(&answered) {
            let after = newest();
            let mut new = after.iter().filter(|entry| !before.contains(entry));
            let is_of_change = |entry: &Value| actions.contains(&entry["action"]);
            assert!(new.any(is_of_change), "{method} {path}: none of {actions:?} in {after:?}");
        }
        answered
    }

    /// Returns the actions that a request has in the audit trail, by the description.
    fn actions(&self, who: &As, method: &str, path: &str) -> Vec<Value> {
        if method == "GET" {
            return Vec::new();
        }
        let read = || self.ask(who, "GET", "/api/openapi.json", None).json();
        let paths = &self.description.get_or_init(read)["paths"];
        let is_path = |template: &str| {
            let parts = template.split('/').zip(path.split('/'));
            let count = |path: &str| path.split('/').count();
            (template.contains("{*") || count(template) == count(path))
                && parts.into_iter().all(|(of, part)| of.starts_with('{') || of == part)
        };
        let mut paths = paths.as_object().unwrap().iter();
        let found = paths
            .find(|(template, of)| is_path(template) && of.get(method.to_lowercase()).is_some());
        let operation = found.map(|(_, of)| &of[method.to_lowercase()]);
        operation.and_then(|of| of["x-audit-actions"].as_array().cloned()).unwrap_or_default()
    }

    fn newest_entries(&self, who: &As, path: &str) -> Vec<Value> {
        let trail = self.ask(who, "GET", &format!("{path}?limit=20"), None).json();
        trail["entries"].as_array().cloned().unwrap_or_default()
    }

    pub(crate) fn got(&self, who: &As, path: &str) -> Value {
        self.done(who, "GET", path, None)
    }

    /// Returns the user whose session an answer begins.
    pub(crate) fn session(answer: &Answer) -> As {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().map(str::to_owned);
        let csrf = answer.json()["csrf"].as_str().map(str::to_owned);
        As { cookie, csrf, more: Vec::new() }
    }

    /// Creates the first administrator.
    pub(crate) fn first(&self) -> As {
        let link = self.link.as_deref().expect("it is new");
        let welcome = json!({"link": link, "name": "anna", "password": PASSWORD});
        Self::session(&self.ask(&As::default(), "POST", "/welcome", Some(welcome)))
    }

    /// Invites another user with a role.
    pub(crate) fn invited(&self, by: &As, name: &str, role: &str) -> As {
        let invite = json!({"name": name, "role": role});
        let made = self.done(by, "POST", "/api/people", Some(invite));
        let link = made["link"].as_str().and_then(|link| link.strip_prefix("/welcome#")).unwrap();
        let welcome = json!({"link": link, "password": PASSWORD});
        Self::session(&self.ask(&As::default(), "POST", "/welcome", Some(welcome)))
    }

    /// Waits until the files of the example are processed and renamed.
    pub(crate) fn all_came(&self, who: &As) {
        wait_for("all files", || {
            let files = self.ask(who, "GET", "/api/files", None);
            files.status == 200 && files.json()["files"].as_array().map(Vec::len) == Some(4)
        });
        // A file is renamed only after its job is committed.
        wait_for("all files to be renamed", || {
            ["in/boston", "in/new-york"].iter().all(|folder| self.is_collected(folder))
        });
    }

    /// Returns whether no file in a folder waits to be collected.
    fn is_collected(&self, folder: &str) -> bool {
        let mut files = fs::read_dir(self.folder.path().join(folder)).expect("a folder");
        files.all(|file| file.expect("a file").path().extension() != Some("ber".as_ref()))
    }
}
