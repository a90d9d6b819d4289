//! Raw requests to our HTTP listener that our own clients never send.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::own::{LIMIT, Own, PushProtocol};
use crate::servers::PASSWORD;

/// Returns the status line of the answer to a request, after which the server closes the connection.
fn answer(own: &Own, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(own.address()).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

fn put(own: &Own, version: &str, headers: &str, body: &str) -> String {
    let token = format!("Authorization: Bearer {PASSWORD}\r\nConnection: close\r\n");
    let head = format!("PUT /a.csv {version}\r\n{token}{headers}\r\n{body}");
    answer(own, head.as_bytes())
}

#[test]
fn a_file_is_taken_only_where_it_is_said_how_long_it_is_and_for_whom() {
    const LENGTH: &str = "Content-Length: 5\r\n";
    let chunked = "Host: a\r\nTransfer-Encoding: chunked\r\n";
    for (version, headers, body, status) in [
        ("HTTP/1.1", format!("Host: a\r\n{LENGTH}"), "hello", "201"),
        ("HTTP/1.0", LENGTH.to_owned(), "hello", "201"),
        ("HTTP/1.1", chunked.to_owned(), "5\r\nhello\r\n0\r\n\r\n", "201"),
        ("HTTP/1.1", "Host: a\r\nContent-Length: 0\r\n".to_owned(), "", "201"),
        // Without a length, nothing tells whether the file is complete.
        ("HTTP/1.0", String::new(), "hello", "411"),
        ("HTTP/1.1", "Host: a\r\n".to_owned(), "", "411"),
        ("HTTP/1.0", "Content-Type: text/csv\r\n".to_owned(), "hello", "411"),
        // There must be exactly one host.
        ("HTTP/1.1", LENGTH.to_owned(), "hello", "400"),
        ("HTTP/1.1", format!("Host: a\r\nHost: a\r\n{LENGTH}"), "hello", "400"),
        ("HTTP/1.1", format!("Host: a\r\nHost: b\r\n{LENGTH}"), "hello", "400"),
        // A part of a form is not a file.
        (
            "HTTP/1.1",
            format!("Host: a\r\nContent-Type: multipart/form-data; boundary=x\r\n{LENGTH}"),
            "hello",
            "415",
        ),
    ] {
        let own = Own::serve(PushProtocol::Http);
        let said = put(&own, version, &headers, body);
        assert_eq!(said.split(' ').nth(1), Some(status), "{version} {headers:?}: {said}");
        let is_there = own.buffer().join("a.csv").exists();
        assert_eq!(is_there, status == "201", "{version} {headers:?}");
    }
}

#[test]
fn a_file_that_is_larger_than_the_buffer_is_refused_for_good_however_it_comes() {
    let own = Own::serve(PushProtocol::Http);
    let body = "0".repeat(LIMIT + 1);
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for (headers, body) in [
        (format!("Host: a\r\nContent-Length: {}\r\n", body.len()), &body),
        ("Host: a\r\nTransfer-Encoding: chunked\r\n".to_owned(), &chunked),
    ] {
        let said = put(&own, "HTTP/1.1", &headers, body);
        assert!(said.starts_with("HTTP/1.1 413 "), "{headers}: {said}");
        assert_eq!(own.names(), [""; 0]);
    }
}

#[test]
fn octets_that_are_not_those_that_are_meant_are_refused() {
    const SHA256: &str = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";
    let own = Own::serve(PushProtocol::Http);
    for (header, body, status) in [
        ("Content-MD5: XUFAKrxLKna5cZ2REBfFkg==".to_owned(), "hallo", "400"),
        (format!("Repr-Digest: sha-256=:{SHA256}:"), "hallo", "400"),
        (format!("Content-Digest: sha-256=:{SHA256}:"), "hallo", "400"),
        ("Content-MD5: XUFAKrxLKna5cZ2REBfFkg==".to_owned(), "hello", "201"),
        (format!("Repr-Digest: sha-256=:{SHA256}:"), "hello", "200"),
    ] {
        let headers = format!("Host: a\r\nContent-Length: 5\r\n{header}\r\n");
        let said = put(&own, "HTTP/1.1", &headers, body);
        assert_eq!(said.split(' ').nth(1), Some(status), "{header}: {said}");
    }
    assert_eq!(fs::read(own.buffer().join("a.csv")).unwrap(), b"hello");
}
