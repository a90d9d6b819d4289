//! Peers over TLS, which begins before their capabilities, or after them.

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use diameter::frame::{Frame, MESSAGE_OCTETS};
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{CAPABILITIES, Ccr, Client, NUMBER, capabilities, code, message, packets};
use super::peers::{assert_is_let_out, change};
use super::{TABLES, charging_in, reserved};
use crate::common::wait::wait_for;

/// A client of TLS: it sends the lines that it reads, and writes what comes back to each, all in hexadecimal; nothing where the
/// connection ends. TLS begins before the line with a number.
const CLIENT: &str = "
import socket, ssl, sys
port, begins_at, authority, *own = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
if own:
    context.load_cert_chain(*own)
try:
    stream = socket.create_connection(('127.0.0.1', int(port)), 10)
    for at, line in enumerate(sys.stdin):
        if at == int(begins_at):
            stream = context.wrap_socket(stream, server_hostname='charging.example.net')
        stream.sendall(bytes.fromhex(line))
        print(stream.recv(65536).hex(), flush=True)
except (ssl.SSLError, ConnectionError):
    pass
";

fn openssl(folder: &Path, line: &str) {
    let output = Command::new("openssl").current_dir(folder).args(line.split(' ')).output();
    let output = output.expect("openssl");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes an authority, and the certificates of hosts by it: `HOST.pem` and `HOST.key`.
fn certificates(folder: &Path, hosts: &[&str]) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
        folder,
        &format!("req -x509 -days 2 -subj /CN=authority {key} -keyout ca.key -out ca.pem"),
    );
    for host in hosts {
        let name = format!("-addext subjectAltName=DNS:{host}");
        openssl(
            folder,
            &format!("req -subj /CN={host} {name} {key} -keyout {host}.key -out {host}.csr"),
        );
        let by = "-CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy";
        openssl(folder, &format!("x509 -req -days 2 {by} -in {host}.csr -out {host}.pem"));
    }
}

/// Sends messages with the certificate of a host, and returns the results until the connection ends. TLS begins before the
/// message at a place.
fn results_of(
    folder: &Path,
    (address, begins_at): (SocketAddr, usize),
    own: Option<&str>,
    messages: &[Vec<u8>],
) -> Vec<u32> {
    let mut python = Command::new("python3");
    let (port, begins_at) = (address.port().to_string(), begins_at.to_string());
    python.current_dir(folder).args(["-c", CLIENT, &port, &begins_at, "ca.pem"]);
    if let Some(own) = own {
        python.args([format!("{own}.pem"), format!("{own}.key")]);
    }
    let mut python = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let hex = |message: &Vec<u8>| message.iter().map(|octet| format!("{octet:02x}")).collect();
    let lines: Vec<String> = messages.iter().map(hex).collect();
    // It may have ended before it reads all of them.
    let _ = python.stdin.take().unwrap().write_all(lines.join("\n").as_bytes());
    let output = String::from_utf8(python.wait_with_output().unwrap().stdout).unwrap();
    output.lines().map_while(result_in).collect()
}

/// Returns the result in a message, which is in hexadecimal.
fn result_in(line: &str) -> Option<u32> {
    let octets: Vec<u8> = (0..line.len() / 2)
        .map(|at| u8::from_str_radix(&line[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let Ok(Frame::Message(message)) = Frame::read(&octets, MESSAGE_OCTETS) else { return None };
    let mut avps = message.avps().map(Result::unwrap);
    avps.find(|avp| avp.code == code::RESULT).map(|avp| avp.u32().unwrap())
}

/// Sends the capabilities of a host by the certificate of another one, and returns the result; `None` if TLS fails.
fn result_of(folder: &Path, address: SocketAddr, (host, own): (&str, Option<&str>)) -> Option<u32> {
    let capabilities = Client::capabilities_of(host);
    results_of(folder, (address, 0), own, &[capabilities]).first().copied()
}

#[test]
fn a_peer_proves_by_its_certificate_who_it_is() {
    let (smf, pgw) = ("smf.example.net", "pgw.example.net");
    let tables = format!(
        "{TABLES}[diameter.tls]\nlisten = \"127.0.0.1:0\"\ncertificate-file = \"charging.example.net.pem\"\n\
         key-file = \"charging.example.net.key\"\nauthority-file = \"ca.pem\"\n"
    );
    let charging = charging_in(&tables, |folder| {
        certificates(folder, &["charging.example.net", smf, pgw]);
    });
    let folder = charging.folder();
    let address = charging.diameter_tls_address();
    assert_eq!(result_of(folder, address, (smf, None)), None, "it needs a certificate");
    assert_eq!(result_of(folder, address, (smf, Some(smf))), Some(2001));
    assert_eq!(result_of(folder, address, (smf, Some(pgw))), Some(3010), "it is that of another");
    let list = charging.json("charge peers list");
    assert_eq!(list["refused"][0]["why"], "the certificate is not that of \"smf.example.net\"");
    assert_eq!(list["refused"][0]["unknown"], false, "its name alone does not let it in");
    let checked = charging.run("charge check");
    assert!(checked.contains("127.0.0.1:0 (TLS)"), "{checked}");
    // Without TLS, it is closed without an answer.
    let mut clear = Client::silent(address, smf);
    let capabilities = clear.capabilities();
    clear.send(&capabilities);
    assert!(clear.ends());
    charging.expect_logged("does not speak TLS as this node does");
    // The key of another certificate is found before anything starts.
    let path = folder.join("charging.toml");
    let wrong = fs::read_to_string(&path).unwrap().replace("example.net.key", "example.org.key");
    fs::write(folder.join("wrong.toml"), wrong.replace("charging.example.org", pgw)).unwrap();
    let refused = charging.command("charge check wrong.toml").output().unwrap();
    assert!(!refused.status.success());
}

/// Returns the capabilities of a host that offers ways of security.
fn offering(host: &str, offered: &[u32]) -> Vec<u8> {
    message((CAPABILITIES, 0, flags::REQUEST), (1, 1), |to| {
        capabilities(to, host);
        offered.iter().for_each(|of| to.u32(code::INBAND_SECURITY, *of));
    })
}

#[test]
fn an_old_peer_begins_tls_after_its_capabilities() {
    let (old, other) = ("old.example.net", "pgw.example.net");
    let tables = format!(
        "{TABLES}[diameter.tls]\ncertificate-file = \"charging.example.net.pem\"\n\
         key-file = \"charging.example.net.key\"\nauthority-file = \"ca.pem\"\n\
         [diameter.peers.\"{old}\"]\ninband-tls = true\n[diameter.peers.\"{other}\"]\n"
    );
    let charging = charging_in(&tables, |folder| {
        certificates(folder, &["charging.example.net", old, other]);
    });
    let (folder, address) = (charging.folder(), charging.diameter_address());
    let mut client = Client::silent(address, old);
    let event = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000_000), None));
    let begins = client.ccr(&Ccr::default(), event);
    let messages = |host, offered| [offering(host, offered), begins.clone()];
    // What is charged comes over TLS, by the certificate of the peer.
    let came = results_of(folder, (address, 1), Some(old), &messages(old, &[1]));
    assert_eq!(came, [2001, 2001]);
    assert_eq!(reserved(&charging, NUMBER), "0.10");
    // A trace has the answer to the capabilities, too.
    charging.run(&format!("charge traces start --peer {old} --because test"));
    results_of(folder, (address, 1), Some(old), &messages(old, &[1]));
    charging.run("charge traces end 1 --because test");
    charging.run("charge traces export 1 trace.xml --xml");
    let trace = std::fs::read_to_string(folder.join("trace.xml")).unwrap();
    assert_eq!(trace.matches("Inband-Security-Id").count(), 2, "{trace}");
    let came = results_of(folder, (address, 1), Some(old), &messages(old, &[0, 1]));
    assert_eq!(came, [2001, 2001], "it may offer to do without");
    // Its capabilities alone let nothing in.
    for own in [None, Some(other)] {
        let came = results_of(folder, (address, 1), own, &messages(old, &[1]));
        assert_eq!(came, [2001], "{own:?}");
    }
    let why = "the certificate is not that of \"old.example.net\"";
    wait_for("the refusal", || charging.json("charge peers list")["refused"][0]["why"] == why);
    let came = results_of(folder, (address, 9), None, &messages(old, &[1]));
    assert_eq!(came, [2001], "a request without TLS is not read");
    for offered in [&[0][..], &[]] {
        let came = results_of(folder, (address, 9), None, &messages(old, offered));
        assert_eq!(came, [5017], "{offered:?}");
    }
    // What comes together with the capabilities does not count as protected.
    let both = messages(old, &[1]).concat();
    let came = results_of(folder, (address, 9), None, &[both]);
    assert_eq!(came, [0; 0]);
    charging.expect_logged("something came between the capabilities and TLS");
    // Others go on as before.
    let came = results_of(folder, (address, 9), None, &[offering(other, &[1])]);
    assert_eq!(came, [5017]);
    let came = results_of(folder, (address, 9), None, &[offering(other, &[0, 1])]);
    assert_eq!(came, [2001]);
    // One that is connected without, and must have it from now on, is let out.
    let mut clear = Client::connect(address, other);
    change(&charging, &format!("\"{other}\"]\n"), &format!("\"{other}\"]\ninband-tls = true\n"));
    assert_is_let_out(&mut clear);
    // The request of the last connection has two, and its answer one, which the log has too.
    let messages = charging.run(&format!("charge messages --peer {old} --avps"));
    assert_eq!(messages.matches("Inband-Security-Id").count(), 3, "{messages}");
}
