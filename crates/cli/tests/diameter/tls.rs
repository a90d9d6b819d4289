//! Peers over TLS, which begins before their capabilities.

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use diameter::frame::{Frame, MESSAGE_OCTETS};

use super::client::{Client, code};
use super::{TABLES, charging_in};
use crate::common::wait::wait_for;

/// A client of TLS: it sends what it reads, and writes what comes back, both in hexadecimal; nothing if TLS fails.
const CLIENT: &str = "
import socket, ssl, sys
port, authority, *own = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
if own:
    context.load_cert_chain(*own)
try:
    stream = socket.create_connection(('127.0.0.1', int(port)), 10)
    stream = context.wrap_socket(stream, server_hostname='charging.example.net')
    stream.sendall(bytes.fromhex(sys.stdin.read()))
    print(stream.recv(65536).hex())
except ssl.SSLError:
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

/// Sends the capabilities of a host by the certificate of another one, and returns the result; `None` if TLS fails.
fn result_of(folder: &Path, address: SocketAddr, (host, own): (&str, Option<&str>)) -> Option<u32> {
    let mut python = Command::new("python3");
    python.current_dir(folder).args(["-c", CLIENT, &address.port().to_string(), "ca.pem"]);
    if let Some(own) = own {
        python.args([format!("{own}.pem"), format!("{own}.key")]);
    }
    let mut python = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let hex: String =
        Client::capabilities_of(host).iter().map(|octet| format!("{octet:02x}")).collect();
    python.stdin.take().unwrap().write_all(hex.as_bytes()).unwrap();
    let output = String::from_utf8(python.wait_with_output().unwrap().stdout).unwrap();
    let octets: Vec<u8> = (0..output.trim().len() / 2)
        .map(|at| u8::from_str_radix(&output[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let Ok(Frame::Message(message)) = Frame::read(&octets, MESSAGE_OCTETS) else { return None };
    let avps = message.avps().map(Result::unwrap);
    avps.filter(|avp| avp.code == code::RESULT).map(|avp| avp.u32().unwrap()).next()
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
    wait_for("the log", || charging.has_logged("does not speak TLS as this node does"));
    // The key of another certificate is found before anything starts.
    let path = folder.join("charging.toml");
    let wrong = fs::read_to_string(&path).unwrap().replace("example.net.key", "example.org.key");
    fs::write(folder.join("wrong.toml"), wrong.replace("charging.example.org", pgw)).unwrap();
    let refused = charging.command("charge check wrong.toml").output().unwrap();
    assert!(!refused.status.success());
}
