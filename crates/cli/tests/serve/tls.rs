//! Tests a gateway that is served over TLS, with certificates that the test makes and a third-party client.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{command, example, is_all_done};
use crate::common::wait::wait_for;
use crate::servers;

const CERTIFICATE: &str = "[serve]\ncertificate-file = \"tls/server.pem\"\n";
const KEY: &str = "key-file = \"tls/server.pem\"\n";

/// Sends a request with Python's client, which trusts one authority; prints the answer, or why the request failed.
const CLIENT: &str = "
import http.client, json, ssl, sys
authority, port, method, path, headers, body = sys.argv[1:]
try:
    known = ssl.create_default_context(cafile=authority)
    line = http.client.HTTPSConnection('localhost', int(port), context=known, timeout=60)
    line.request(method, path, body or None, json.loads(headers))
    answer = line.getresponse()
    print(json.dumps([answer.status, answer.getheaders(), answer.read().decode()]))
except OSError as error:
    print(json.dumps([0, [], str(error)]))
";

/// Creates the example with a certificate in `tls`, another in `others`, and these settings of the key in `[serve]`.
fn certified(key: &str) -> TempDir {
    let folder = example(&format!("{CERTIFICATE}{key}"));
    for made in ["tls", "others"] {
        fs::create_dir(folder.path().join(made)).unwrap();
        servers::certificate(&folder.path().join(made));
    }
    folder
}

struct Gateway {
    process: Child,
    folder: TempDir,
    said: Arc<Mutex<String>>,
    port: u16,
}

struct Answer {
    status: u64,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        all.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Gateway {
    fn start(folder: TempDir, listen: &str) -> Self {
        let mut serve = command(&folder, &format!("serve flow.toml --listen {listen}"));
        let serve = serve.stderr(Stdio::piped()).stdout(Stdio::null());
        let mut process = serve.spawn().expect("it starts");
        let said = Arc::<Mutex<String>>::default();
        let lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| *heard.lock().unwrap() += &(line + "\n"));
        });
        let mut gateway = Gateway { process, folder, said, port: 0 };
        gateway.says("/welcome#");
        let address = gateway.word("listening on", "//", "\n");
        let (_, port) = address.rsplit_once(':').unwrap();
        gateway.port = port.parse().unwrap();
        gateway
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    fn says(&self, what: &str) {
        wait_for(what, || self.said().contains(what));
    }

    /// Returns the part of the output after `before` that is between `from` and `to`.
    fn word(&self, before: &str, from: &str, to: &str) -> String {
        let said = self.said();
        let (_, behind) = said.split_once(before).unwrap_or_else(|| panic!("{before}: {said}"));
        let (_, behind) = behind.split_once(from).unwrap();
        behind.split_once(to).unwrap().0.to_owned()
    }

    fn by(&self, authority: &str, method: &str, path: &str, headers: Value, body: &str) -> Answer {
        let mut python = Command::new("python3");
        let authority = format!("{authority}/authority.pem");
        let arguments = [authority.as_str(), &self.port.to_string(), method, path];
        let python = python.current_dir(self.folder.path()).args(["-c", CLIENT]).args(arguments);
        let output = python.args([&headers.to_string(), body]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let read = serde_json::from_slice(&output.stdout);
        let (status, headers, body) = read.unwrap_or_else(|_| panic!("{said}"));
        Answer { status, headers, body }
    }

    fn get(&self, path: &str) -> Answer {
        self.by("tls", "GET", path, json!({}), "")
    }

    fn connected(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }
}

#[test]
fn who_logs_in_over_tls_has_a_cookie_that_goes_nowhere_else() {
    let gateway = Gateway::start(certified(KEY), "127.0.0.1:0");
    let said = gateway.said();
    assert!(said.contains("listening on https://127.0.0.1:") && !said.contains("unencrypted"));
    assert!(said.contains(&format!("  https://127.0.0.1:{}/welcome#", gateway.port)), "{said}");
    wait_for("it is ready", || gateway.get("/readyz").status == 200);
    let link = gateway.word("/welcome", "#", "\n");
    let password = "a quiet night of watching";
    let welcome = json!({"link": link, "name": "anna", "password": password}).to_string();
    let sent = json!({"Content-Type": "application/json"});
    let welcomed = gateway.by("tls", "POST", "/welcome", sent.clone(), &welcome);
    assert_eq!(welcomed.status, 200, "{}", welcomed.body);
    let login = |password: &str| {
        let login = json!({"name": "anna", "password": password}).to_string();
        gateway.by("tls", "POST", "/login", sent.clone(), &login)
    };
    let answer = login(password);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    // A browser accepts a cookie of such a name from this host alone, and no page of a neighbouring host can set it.
    assert!(cookie.starts_with("__Host-tollgate_session_"), "{cookie}");
    let of_neighbour = cookie.split(';').next().unwrap().replacen("__Host-", "", 1);
    let refused =
        gateway.by("tls", "GET", "/api/session", json!({"Cookie": of_neighbour}), "").status;
    assert_eq!(refused, 401);
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    let own = format!("https://localhost:{}", gateway.port);
    let cookie = cookie.split(';').next().unwrap();
    let session =
        gateway.by("tls", "GET", "/api/session", json!({"Cookie": cookie, "Origin": own}), "");
    assert!(session.status == 200 && session.body.contains("anna"), "{}", session.body);
    let out = gateway.by("tls", "POST", "/logout", json!({"Cookie": cookie}), "");
    let gone = out.header("set-cookie").expect("a cookie that is over");
    assert!(out.status == 204 && gone.ends_with("; Secure; Max-Age=0"), "{gone}");
    // The address of a failed login is known behind TLS, too.
    assert_eq!(login("another").status, 401);
    gateway.says("a login as \"anna\" from 127.0.0.1 is refused");
}

#[test]
fn who_does_not_speak_tls_is_told_to() {
    let gateway = Gateway::start(certified(KEY), "127.0.0.1:0");
    let mut plain = gateway.connected();
    plain.write_all(b"GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = String::new();
    plain.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("write https://"), "{answer}");
    assert!(!answer.to_lowercase().contains("set-cookie"), "{answer}");
    // Meaningless octets are not a request.
    for octets in [&[0; 64][..], &[22, 3, 1, 0xff, 0xff], &[22; 4096]] {
        let mut nobody = gateway.connected();
        nobody.write_all(octets).unwrap();
        let _ = nobody.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = nobody.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
    }
    assert_eq!(gateway.get("/healthz").status, 200);
}

#[test]
fn who_is_slow_to_greet_holds_up_nobody_and_is_let_go() {
    let gateway = Gateway::start(certified(KEY), "127.0.0.1:0");
    let mut slow: Vec<TcpStream> = (0..100).map(|_| gateway.connected()).collect();
    for half in slow.iter_mut().skip(50) {
        half.write_all(&[22, 3, 1, 0, 100, 1]).unwrap();
    }
    assert_eq!(gateway.get("/healthz").status, 200);
    for mut stream in slow {
        // Closed or reset, the connection does not wait for more.
        let _ = stream.read_to_end(&mut Vec::new()).map_err(|error| {
            let is_closed = error.kind() == std::io::ErrorKind::ConnectionReset;
            assert!(is_closed, "{error}");
        });
    }
}

#[test]
fn there_are_so_many_connections_and_no_more() {
    let gateway = Gateway::start(example(""), "127.0.0.1:0");
    let healthy = || {
        let mut stream = gateway.connected();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.starts_with("HTTP/1.1 200 ")
    };
    assert!(healthy());
    // Connections without a login make room for later ones.
    let silent: Vec<TcpStream> = (0..600).map(|_| gateway.connected()).collect();
    assert!(healthy());
    let open = Path::new("/proc").join(gateway.process.id().to_string()).join("fd");
    assert!(open.read_dir().is_ok_and(|files| files.count() < 700), "it has files for records");
    drop(silent);
    assert!(healthy());
}

#[test]
fn a_certificate_that_is_renewed_counts_and_one_that_is_none_does_not() {
    let gateway = Gateway::start(certified(KEY), "127.0.0.1:0");
    let asks = |authority: &str| gateway.by(authority, "GET", "/healthz", json!({}), "");
    assert_eq!(asks("tls").status, 200);
    assert!(asks("others").body.contains("CERTIFICATE_VERIFY_FAILED"));
    let write = |octets: &[u8]| {
        let part = gateway.folder.path().join("tls/part");
        fs::write(&part, octets).unwrap();
        fs::rename(part, gateway.folder.path().join("tls/server.pem")).unwrap();
    };
    write(b"nothing");
    assert_eq!(asks("tls").status, 200);
    gateway.says("the certificate stays as it was");
    write(&fs::read(gateway.folder.path().join("others/server.pem")).unwrap());
    assert_eq!(asks("others").status, 200);
    assert!(asks("tls").body.contains("CERTIFICATE_VERIFY_FAILED"));
}

#[test]
fn a_flow_is_changed_while_the_certificate_on_the_disk_is_none() {
    let gateway = Gateway::start(certified(KEY), "127.0.0.1:0");
    wait_for("it is ready", || gateway.get("/readyz").status == 200);
    let folder = gateway.folder.path();
    fs::write(folder.join("tls/server.pem"), "nothing").unwrap();
    let script = folder.join("scripts/is_roaming.dup");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("{text}\n-- as it was\n")).unwrap();
    let reloaded = command(&gateway.folder, "reload flow.toml").output().unwrap();
    let told = String::from_utf8_lossy(&reloaded.stdout).into_owned();
    assert!(reloaded.status.success(), "{told}{}", String::from_utf8_lossy(&reloaded.stderr));
    gateway.says("the certificate stays as it was: flow.toml:");
    assert!(gateway.said().contains("has no certificate in it"), "{}", gateway.said());
    assert_eq!(gateway.get("/healthz").status, 200);
    // The watch on the files finds the mistake too, and does not report it once more.
    fs::write(&script, "no script").unwrap();
    gateway.says("the flow has changed and has mistakes");
    let said = gateway.said();
    assert_eq!(said.matches("the certificate stays as it was: flow.toml:").count(), 1, "{said}");
    fs::write(&script, text).unwrap();
    // The next start reports the mistake, as `check` does.
    let check = command(&gateway.folder, "check flow.toml").output().unwrap();
    assert_eq!(check.status.code(), Some(2));
}

#[test]
fn who_serves_nobody_needs_no_certificate() {
    let folder = certified(KEY);
    fs::write(folder.path().join("tls/server.pem"), "nothing").unwrap();
    let run = command(&folder, "run flow.toml --once").output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.code() != Some(2) && !said.contains("certificate"), "{said}");
    assert!(is_all_done(&folder));
}

#[test]
fn what_is_wrong_with_a_certificate_is_said_before_anybody_listens() {
    let folder = certified("");
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(folder.path().join("empty.pem"), "").unwrap();
    for (settings, wanted) in [
        ("", "\"certificate-file\" and \"key-file\" go together"),
        ("key-file = \"others/server.pem\"\n", "is no key of"),
        ("key-file = \"tls/none.pem\"\n", "tls/none.pem\": No such file"),
        ("key-file = \"empty.pem\"\n", "empty.pem\" has no key in it"),
        ("key-files = \"tls/server.pem\"\n", "did you mean \"key-file\"?"),
    ] {
        fs::write(&flow, format!("{text}{settings}")).unwrap();
        for line in ["check flow.toml", "serve flow.toml --listen 127.0.0.1:0"] {
            let output = command(&folder, line).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(2) && said.contains(wanted), "{line}: {said}");
            assert!(said.contains("flow.toml:"), "{line} says where: {said}");
            let at = said.find(wanted).unwrap();
            assert!(!said[..at].contains("listening on"), "{said}");
        }
    }
    fs::write(&flow, format!("{text}{KEY}")).unwrap();
    assert!(command(&folder, "check flow.toml").output().unwrap().status.success());
}

/// At an address that no machine has (RFC 5737), so that no client can connect meanwhile.
#[test]
fn who_listens_for_others_without_tls_is_warned() {
    let warned = |folder: TempDir, listen: &str| {
        let serve = command(&folder, &format!("serve flow.toml --listen {listen}")).output();
        let said = String::from_utf8(serve.unwrap().stderr).unwrap();
        assert!(said.contains("cannot listen at"), "{said}");
        said.contains("passwords and records go unencrypted")
    };
    assert!(warned(example(""), "192.0.2.1:8080"));
    assert!(!warned(certified(KEY), "192.0.2.1:8443"));
}
