//! The answers of S3 stores other than Amazon's.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;
use transport::RemoteConnection;

use crate::kit::{place, told};
use crate::scripted::{Reply, http};

fn serve(
    answers: impl Fn(&str, &str) -> Reply + Send + Sync + 'static,
) -> (TempDir, Box<dyn RemoteConnection>) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("secret"), "geheim").unwrap();
    let endpoint = format!("http://127.0.0.1:{}", http(answers));
    let settings = [
        ("url", "s3://cdr/in"),
        ("endpoint", endpoint.as_str()),
        ("access-key", "cdr"),
        ("secret-key-file", "secret"),
    ];
    let far = place(folder.path(), &settings).unwrap().connect().unwrap();
    (folder, far)
}

fn reply(status: u16, body: &str) -> Reply {
    (status, format!("Content-Length: {}\r\n", body.len()), body.to_owned())
}

fn error(status: u16, code: &str) -> Reply {
    reply(status, &format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>"))
}

fn page(truncated: bool, token: &str, keys: &[&str]) -> Reply {
    let key = |key: &&str| format!("<Contents><Key>in/{key}</Key></Contents>");
    let keys: String = keys.iter().map(key).collect();
    reply(
        200,
        &format!(
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <IsTruncated>{truncated}</IsTruncated>{token}{keys}</ListBucketResult>"
        ),
    )
}

fn token(token: &str) -> String {
    format!("<NextContinuationToken>{token}</NextContinuationToken>")
}

#[test]
fn each_answer_is_about_the_object_or_about_the_store() {
    for (status, code, expected) in [
        (403, "InvalidObjectState", "unavailable: "),
        (403, "AccessDenied", "forbidden: "),
        (403, "SomethingElse", "forbidden: "),
        (403, "InvalidAccessKeyId", "shut: "),
        (403, "SignatureDoesNotMatch", "shut: "),
        (403, "RequestTimeTooSkewed", "shut: "),
        (400, "ExpiredToken", "shut: "),
        (404, "NoSuchKey", "\"a.csv\" is not there"),
        (404, "NoSuchBucket", "shut: "),
        (405, "MethodNotAllowed", "forbidden: "),
        (416, "InvalidRange", "unavailable: "),
        (500, "InternalError", "unavailable: "),
        (503, "SlowDown", "unavailable: "),
    ] {
        let (_folder, mut far) = serve(move |_, _| error(status, code));
        let said = told(far.fetch("a.csv", &mut Vec::new()));
        assert!(said.starts_with(expected), "{status} {code}: {said}");
    }
}

#[test]
fn a_store_that_is_busy_is_asked_again_in_place() {
    for code in [(503, "SlowDown"), (500, "InternalError"), (429, "TooManyRequests")] {
        let asked = AtomicUsize::new(0);
        let (_folder, mut far) =
            serve(move |_, path| match asked.fetch_add(1, Ordering::Relaxed) % 3 {
                2 if path.contains("list-type") => page(false, "", &["a.csv"]),
                2 => reply(200, "money"),
                _ => error(code.0, code.1),
            });
        assert_eq!(far.list("").unwrap().files.len(), 1);
        let mut fetched = Vec::new();
        assert_eq!(told(far.fetch("a.csv", &mut fetched)), "done", "{code:?}");
        assert_eq!(fetched, b"money");
        assert_eq!(told(far.stat("a.csv")), "done", "{code:?}");
    }
}

#[test]
fn a_list_that_does_not_end_has_an_end() {
    let numbers = AtomicUsize::new(0);
    let next = move || numbers.fetch_add(1, Ordering::Relaxed).to_string();
    let (_folder, mut same) = serve(|_, _| page(true, &token("T"), &[]));
    let (_folder, mut repeating) = serve(move |_, _| page(true, &token(&next()), &["a.csv"]));
    for far in [&mut same, &mut repeating] {
        let said = told(far.list(""));
        assert!(
            said.starts_with("shut: ") && said.contains("\"cdr/in/\": the list does not end"),
            "{said}"
        );
    }
    let (_folder, mut old) =
        serve(|_, _| page(true, "<NextMarker>in/a.csv</NextMarker>", &["a.csv"]));
    let said = told(old.list(""));
    assert!(said.starts_with("shut: ") && said.contains("NextContinuationToken"), "{said}");
    let (_folder, mut empty) = serve(|_, path| match path.contains("continuation-token") {
        false => page(true, &token("T"), &[]),
        true => page(false, "", &["a.csv"]),
    });
    assert_eq!(empty.list("").unwrap().files.len(), 1, "a page may have nothing in it");
}

#[test]
fn a_size_that_is_not_told_is_unknown() {
    let (_folder, mut far) = serve(|method, _| match method {
        "HEAD" => (200, String::new(), String::new()),
        _ => page(false, "", &["a.csv"]),
    });
    assert_eq!(far.list("").unwrap().files[0].octets, None);
    assert_eq!(far.stat("a.csv").unwrap().octets, None);
}
