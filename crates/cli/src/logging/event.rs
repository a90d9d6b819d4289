//! A log event, from the gateway or from another process.

use std::fmt::Debug;

use flow::SUBPROCESS_TARGET;
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};

/// A log event.
pub(super) struct LogEvent {
    pub(super) level: Level,
    /// The part that logs it.
    pub(super) part: String,
    /// The text.
    pub(super) message: String,
    /// The fields, such as the network element, the file and the job.
    fields: Map<String, Value>,
}

impl LogEvent {
    /// Reads an event.
    pub(super) fn by(event: &Event<'_>) -> Self {
        let metadata = event.metadata();
        let (level, part) = (*metadata.level(), metadata.target().to_owned());
        let mut log_event = LogEvent { level, part, message: String::new(), fields: Map::new() };
        event.record(&mut log_event);
        if log_event.part == SUBPROCESS_TARGET {
            log_event.unpack();
        }
        log_event
    }

    /// Restores the part and fields of an event from another process.
    fn unpack(&mut self) {
        if let Some(Value::String(part)) = self.fields.remove("part") {
            self.part = part;
        }
        if let Some(Value::String(fields)) = self.fields.remove("fields")
            && let Ok(Value::Object(fields)) = serde_json::from_str(&fields)
        {
            self.fields.extend(fields);
        }
    }

    /// Returns the fields as a JSON object.
    pub(super) fn fields(&self) -> String {
        Value::Object(self.fields.clone()).to_string()
    }

    /// Returns the event as a JSON object, with the current time.
    pub(super) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Line<'l> {
            timestamp: String,
            level: &'l str,
            message: &'l str,
            #[serde(flatten)]
            fields: &'l Map<String, Value>,
            target: &'l str,
        }
        let LogEvent { level, part, message, fields } = self;
        let line = Line { timestamp: now(), level: level.as_str(), message, fields, target: part };
        serde_json::to_string(&line).expect("texts and numbers have a form in JSON")
    }

    /// Returns the event as a line of text, with the current time.
    pub(super) fn text(&self) -> String {
        let LogEvent { level, part, message, fields } = self;
        let fields: String =
            fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        format!("{} {level:>5} {part}: {message}{fields}", now())
    }
}

fn now() -> String {
    let mut now = String::new();
    let _ = SystemTime.format_time(&mut Writer::new(&mut now));
    now
}

impl LogEvent {
    fn field(&mut self, field: &Field, value: impl Into<Value>) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for LogEvent {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.field(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            _ => self.field(field, value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
