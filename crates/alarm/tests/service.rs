//! A service that is no gateway has alarms: it opens a journal in a folder, raises and clears an alarm that a webhook is sent,
//! and has what people do in its audit trail.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::SystemTime;

use alarm::notification::{self, Source};
use alarm::{AlarmKey, EventType, Kind, Registry, Severity};
use journal::audit_trail::{self, Author};
use journal::{Folders, Journal, Schema};
use runtime::shutdown::Shutdown;
use serde_json::Value;
use settings::{Setting, Settings};

const PEER_DOWN: &Kind =
    &Kind::new("peer-down", Severity::Critical, EventType::Communications, "lossOfSignal");
const ALARMS: Registry = Registry::of(&[&[PEER_DOWN], notification::ALARMS]);
const SCHEMA: &Schema = &Schema {
    versions: store::Versions::new(&[journal::TABLES, alarm::TABLES]),
    newest_ms: |_| Ok(None),
    trusts_pauses: false,
};
const PEER: AlarmKey<'_> = AlarmKey { kind: PEER_DOWN, subject: "ocs-2" };

/// The settings of a webhook that may reach this machine.
fn webhook(address: &str) -> Settings {
    let value = |(key, value): (&str, String)| Setting {
        key: key.to_owned(),
        value,
        span: Default::default(),
    };
    Settings {
        name: "operations".to_owned(),
        span: Default::default(),
        source: diagnostics::Source::new("charging.toml", ""),
        folder: "".into(),
        values: [("url", format!("http://{address}/")), ("allow", "127.0.0.1".to_owned())]
            .map(value)
            .into(),
    }
}

/// Takes the next request, an event, and answers that it is taken.
fn next_event(listener: &TcpListener) -> Value {
    let (connection, _) = listener.accept().unwrap();
    let mut request = BufReader::new(&connection);
    let (mut line, mut length) = (String::new(), 0);
    while request.read_line(&mut line).unwrap() > "\r\n".len() {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    request.read_exact(&mut body).unwrap();
    (&connection).write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_service_raises_an_alarm_that_a_webhook_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders { state: &folder.path().join("state"), base: folder.path() };
    let journal = Journal::open(folders, SCHEMA, SystemTime::now).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tables = [webhook(&listener.local_addr().unwrap().to_string())];
    let channels = notification::read(&tables, notify::KINDS, ALARMS).unwrap();
    let shutdown = Shutdown::default();

    thread::scope(|scope| {
        let _stop = shutdown.set_on_drop();
        let source = Source { service: "charging", registry: ALARMS, journal: &journal };
        notification::run(scope, source, &channels, &shutdown);

        let now_ms = journal.machine_ms();
        journal.commit(move |db| alarm::raise(db, now_ms, PEER, "ocs-2 does not answer")).unwrap();
        let event = next_event(&listener);
        assert_eq!([&event["event"], &event["severity"]], ["raised", "critical"]);
        assert_eq!([&event["subject"], &event["text"]], ["ocs-2", "ocs-2 does not answer"]);

        let cleared = journal.commit(move |db| {
            Author::new("anna", "peers reset").record(db, "ocs-2", "it hung")?;
            alarm::clear(db, now_ms, PEER)
        });
        cleared.unwrap();
        assert_eq!(next_event(&listener)["event"], "cleared");
    });

    let reader = journal.reader().unwrap();
    assert_eq!(
        audit_trail::recent(&reader, &(0..i64::MAX), store::Page::newest(10)).unwrap()[0].action,
        "peers reset"
    );
    assert_eq!(alarm::all_raised(&reader, ALARMS).unwrap(), []);
    assert_eq!(
        alarm::recent(&reader, ALARMS, &(0..i64::MAX), store::Page::newest(10)).unwrap().len(),
        1
    );
}
