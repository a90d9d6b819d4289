//! Tests network elements that put files by HTTP: each file is stored when its request is answered, and once.

use crate::common::changed;
use crate::common::listening;
use crate::servers;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::common::buffer::{buffer, names};
use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;

const LISTEN: &str = "[listen.http]\naddress = \"127.0.0.1:0\"\n\n[asn1]";
const TOKEN: &str = "sesame-0123456789";

/// Creates the example with Boston putting its files, and additional settings in its `collect` table.
fn example(more: &str) -> TempDir {
    let accept = format!("accept = {{ token-file = \"boston.token\" }}{more}");
    let folder = changed::example(&[("[asn1]", LISTEN), ("dir = \"in/boston\"", &accept)]);
    fs::write(folder.path().join("boston.token"), format!("{TOKEN}\n")).unwrap();
    folder
}

/// Sends a request; returns its answer.
fn answer(port: u16, head: &str, octets: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = octets.len();
    let head =
        format!("{head}\r\nHost: gateway\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    // A server that refuses may not read all of it.
    let _ = stream.write_all(&[head.as_bytes(), octets].concat());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Sends a request; returns the status of its answer.
fn ask(port: u16, head: &str, octets: &[u8]) -> u16 {
    let answer = answer(port, head, octets);
    answer.split(' ').nth(1).unwrap_or_else(|| panic!("{answer}")).parse().unwrap()
}

fn put(port: u16, name: &str, octets: &[u8]) -> u16 {
    ask(port, &format!("PUT {name} HTTP/1.1\r\nAuthorization: Bearer {TOKEN}"), octets)
}

#[test]
fn a_file_that_is_put_is_processed() {
    let folder = example("");
    let folder = folder.path();
    let octets = fs::read(folder.join("in/boston/boston-00002.ber")).unwrap();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTP");
    assert_eq!(put(port, "/new%2D1.ber", &octets), 201);
    wait_for("the file", || names(&buffer(folder)).is_empty());
    let account = || tollgate(folder, "audit flow.toml --file new-1.ber").1;
    wait_for("its account", || account().contains("All records are accounted for"));
    let said = gateway.said();
    assert!(said.contains("was pushed over HTTP") && !said.contains(TOKEN), "{said}");
}

#[test]
fn each_request_is_answered_as_it_deserves() {
    // Nothing is collected while the test runs.
    let folder = example(", limit = \"50 kB\", quiet = \"1 hour\"");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTP");
    let name = "/a.ber HTTP/1.1\r\nAuthorization: ";
    for (head, octets, status) in [
        (format!("PUT {name}Bearer {TOKEN}"), "one", 201),
        (format!("PUT {name}bearer {TOKEN}"), "one", 200),
        (format!("POST {name}Bearer {TOKEN}"), "one", 200),
        (format!("PUT {name}Bearer {TOKEN}"), "two", 409),
        (format!("PUT {name}Bearer wrong"), "one", 401),
        (format!("PUT {name}Bearer "), "one", 401),
        (format!("PUT {name}Basic {TOKEN}"), "one", 401),
        ("PUT /b.ber HTTP/1.1\r\nX: y".into(), "one", 401),
        (format!("GET {name}Bearer {TOKEN}"), "", 405),
        (format!("DELETE {name}Bearer {TOKEN}"), "", 405),
        (format!("PUT {name}Bearer {TOKEN}\r\nContent-Range: bytes 0-2/9"), "one", 400),
        (format!("PUT {name}Bearer {TOKEN}\r\nContent-Encoding: gzip"), "one", 400),
    ] {
        assert_eq!(ask(port, &head, octets.as_bytes()), status, "{head}");
    }
    for (path, status) in [
        ("/../b.ber", 400),
        ("/%2e%2e/b.ber", 400),
        ("/x/%2e%2e/%2e%2e/b.ber", 400),
        ("/..%5cb.ber", 400),
        ("/.hidden.ber", 400),
        ("/a%00b.ber", 400),
        ("/a%0ab.ber", 400),
        ("/%ff.ber", 400),
        ("/b.txt", 400),
        ("/b.ber.tmp", 400),
        ("/", 400),
        ("/etc/b.ber", 404),
    ] {
        assert_eq!(put(port, path, b"x"), status, "{path}");
    }
    assert_eq!(put(port, "/large.ber", &[0; 50_001]), 413);
    assert_eq!(put(port, "/fits.ber", &[0; 50_000]), 201);
    assert_eq!(put(port, "/more.ber", b"x"), 507);
    assert_eq!(names(&buffer(folder)), ["a.ber", "fits.ber"]);
    assert_eq!(fs::read(buffer(folder).join("a.ber")).unwrap(), b"one");
    let said = gateway.said();
    for code in ["push-too-large", "push-no-room", "push-path"] {
        assert!(said.contains(&format!("({code})")), "{code}: {said}");
    }
    let head = format!("PUT /large.ber HTTP/1.1\r\nAuthorization: Bearer {TOKEN}");
    let answer = answer(port, &head, &[0; 50_001]);
    assert!(answer.contains("tollgate-code: push-too-large\r\n"), "{answer}");
    assert!(!gateway.said().contains(TOKEN));
}

#[test]
fn half_a_file_is_no_file() {
    let folder = example("");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTP");
    let head = format!("PUT /a.ber HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n");
    for body in
        ["Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"]
    {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        wait_for("the beginning", || names(&buffer(folder)) == [".a.ber.part"]);
        stream.shutdown(Shutdown::Both).unwrap();
        wait_for("the end", || names(&buffer(folder)).is_empty());
    }
}

#[test]
fn half_a_compressed_file_that_was_put_whole_is_set_aside_and_keeps_nobody_from_its_name() {
    let folder = example(", compression = \"gzip\"");
    let folder = folder.path();
    let octets = fs::read(folder.join("in/boston/boston-00002.ber")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&octets).unwrap();
    let packed = packed.finish().unwrap();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTP");
    assert_eq!(put(port, "/new-1.ber", &packed[..packed.len() / 2]), 201);
    wait_for("it is set aside", || names(&buffer(folder)) == ["new-1.ber.poison"]);
    let alarms = || tollgate(folder, "alarms flow.toml").1;
    wait_for("the alarm", || alarms().contains("poison-files"));
    assert_eq!(put(port, "/new-1.ber", &packed), 201);
    wait_for("the file", || names(&buffer(folder)) == ["new-1.ber.poison"]);
    let account = || tollgate(folder, "audit flow.toml --file new-1.ber").1;
    wait_for("its account", || account().contains("All records are accounted for"));
}

#[test]
fn who_sends_a_file_again_that_is_still_being_sent_is_asked_to_come_later() {
    // Nothing is collected while the test runs.
    let folder = example(", quiet = \"1 hour\"");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTP");
    let head = format!("PUT /a.ber HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n");
    let mut hangs = TcpStream::connect(("127.0.0.1", port)).unwrap();
    hangs.write_all(format!("{head}Content-Length: 5\r\n\r\nha").as_bytes()).unwrap();
    wait_for("the beginning", || names(&buffer(folder)) == [".a.ber.part"]);
    assert_eq!(put(port, "/a.ber", b"whole"), 503, "and not 409: no such file is there");
    hangs.shutdown(Shutdown::Both).unwrap();
    wait_for("the end", || names(&buffer(folder)).is_empty());
    assert_eq!(put(port, "/a.ber", b"whole"), 201);
}

/// Puts a file over HTTPS with Python's client, which trusts a certificate or one that is signed by it, and prints the
/// answer or why the file was not sent.
const OVER_TLS: &str = "
import ssl, sys, urllib.request
authority, address, token, file = sys.argv[1:]
request = urllib.request.Request(address, open(file, 'rb').read(), method='PUT')
request.add_header('Authorization', 'Bearer ' + token)
try:
    known = ssl.create_default_context(cafile=authority or None)
    print(urllib.request.urlopen(request, context=known).status)
except Exception as error:
    print(error)
";

#[test]
fn a_file_is_put_over_tls_to_whom_is_believed_also_when_the_certificate_is_renewed() {
    let folder = example(", quiet = \"1 hour\"");
    let folder = folder.path();
    let change = |from: &str, to: &str| {
        let flow = fs::read_to_string(folder.join("flow.toml")).unwrap();
        assert!(flow.contains(from));
        fs::write(folder.join("flow.toml"), flow.replacen(from, to, 1)).unwrap();
    };
    let address = "address = \"127.0.0.1:0\"\n";
    let tls = |key: &str| {
        format!("{address}certificate-file = \"tls/server.pem\"\nkey-file = \"{key}\"\n")
    };
    for made in ["tls", "others"] {
        fs::create_dir(folder.join(made)).unwrap();
        servers::certificate(&folder.join(made));
    }
    change(address, &tls("others/server.pem"));
    let (status, said) = tollgate(folder, "check flow.toml");
    assert!(status != 0 && said.contains("is no key of"), "{said}");
    change(&tls("others/server.pem"), &tls("tls/server.pem"));

    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "HTTPS");
    let put = |authority: &str, name: &str| {
        let file = folder.join("in/boston/boston-00002.ber");
        let url = format!("https://localhost:{port}/{name}");
        let mut python = Command::new("python3");
        python.current_dir(folder).args(["-c", OVER_TLS, authority, &url, TOKEN]).arg(file);
        String::from_utf8(python.output().unwrap().stdout).unwrap()
    };
    for authority in ["", "others/authority.pem"] {
        let said = put(authority, "a.ber");
        assert!(said.contains("CERTIFICATE_VERIFY_FAILED"), "{said}");
    }
    assert_eq!(put("tls/authority.pem", "a.ber").trim(), "201");
    assert_eq!(names(&buffer(folder)), ["a.ber"]);
    // A client that does not use TLS is refused.
    let mut plain = TcpStream::connect(("127.0.0.1", port)).unwrap();
    plain.write_all(b"PUT /b.ber HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));

    // A file that is not a certificate changes nothing, and the next one counts.
    let write = |octets: &[u8]| {
        let part = folder.join("tls/part");
        fs::write(&part, octets).unwrap();
        fs::rename(part, folder.join("tls/server.pem")).unwrap();
    };
    write(b"nothing");
    assert_eq!(put("tls/authority.pem", "b.ber").trim(), "201");
    gateway.says("the certificate stays as it was");
    write(&fs::read(folder.join("others/server.pem")).unwrap());
    assert_eq!(put("others/authority.pem", "c.ber").trim(), "201");
    assert_eq!(names(&buffer(folder)), ["a.ber", "b.ber", "c.ber"]);
    assert!(!gateway.said().contains(TOKEN));
}
