//! `[diameter.alarms]`: what is wrong with a peer, and where alarms are sent.

use std::time::Duration;

use diagnostics::Diagnostic;
use ledger::Millis;
use runtime::time::milliseconds;
use settings::{Setting, Settings};
use toml_edit::TableLike;
use webhook::Webhook;

use super::Reading;

const KEYS: [&str; 8] = [
    "peer-down",
    "peer-missing",
    "no-traffic",
    "orphan-usage",
    "error-percent",
    "error-window",
    "error-minimum",
    "error-classes",
];

/// For how long a peer is not connected before there is an alarm, by default: it had time to connect again.
const PEER_DOWN: Millis = 60_000;

/// For how long there is no usage of unknown sessions before the alarm about it is over, by default.
const ORPHAN_USAGE: Millis = 600_000;

/// The time within which errors are counted, by default, at least and at most.
const WINDOW: Duration = Duration::from_secs(300);
const WINDOW_MIN: Duration = Duration::from_secs(10);
const WINDOW_MAX: Duration = Duration::from_secs(86_400);

/// The answers of which a share is judged, by default.
const MINIMUM: u64 = 100;

/// The classes of results that are errors by default: those of the protocol, and lasting ones. Those of class 4 are mostly accounts
/// without money.
const CLASSES: [u8; 2] = [3, 5];

const OFF: &str = "off";

/// When there are alarms about peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerAlarmSettings {
    /// For how long a peer with a table that was connected is not, in milliseconds.
    pub peer_down: Option<Millis>,
    /// For how long after the start a peer with a table has not connected, in milliseconds.
    pub peer_missing: Option<Millis>,
    /// For how long a peer that is connected sends no request of credit control, in milliseconds.
    pub no_traffic: Option<Millis>,
    /// For how long an alarm about usage of unknown sessions stays after the last one, in milliseconds.
    pub orphan_usage: Option<Millis>,
    /// The share of errors among answers.
    pub error_rate: Option<ErrorRate>,
    /// The program to which alarms are sent.
    pub webhook: Option<Webhook>,
}

/// A share of errors among answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorRate {
    /// The share from which on there is an alarm, from 1 to 100.
    pub percent: u64,
    /// The time within which answers count, in milliseconds.
    pub window: Millis,
    /// The answers within this time below which there is no alarm.
    pub minimum: u64,
    /// The classes of results that are errors: the thousands of their codes.
    pub classes: Vec<u8>,
}

impl Default for PeerAlarmSettings {
    fn default() -> Self {
        PeerAlarmSettings {
            peer_down: Some(PEER_DOWN),
            peer_missing: None,
            no_traffic: None,
            orphan_usage: Some(ORPHAN_USAGE),
            error_rate: None,
            webhook: None,
        }
    }
}

impl Reading<'_> {
    /// Reads when there are alarms about peers.
    pub(super) fn peer_alarms(&mut self, of: &dyn TableLike) -> PeerAlarmSettings {
        let mut alarms = PeerAlarmSettings::default();
        let known = [&KEYS[..], &[webhook::ADDRESS], webhook::KEYS].concat();
        let Some(table) = self.table(of, "alarms", &known) else { return alarms };
        for (key, length) in [
            ("peer-down", &mut alarms.peer_down),
            ("peer-missing", &mut alarms.peer_missing),
            ("no-traffic", &mut alarms.no_traffic),
            ("orphan-usage", &mut alarms.orphan_usage),
        ] {
            if let Some(setting) = table.get(key) {
                *length = self.length_or_off(&table, setting);
            }
        }
        alarms.error_rate = self.error_rate(&table);
        // What belongs to a webhook needs its address.
        if [webhook::ADDRESS].iter().chain(webhook::KEYS).any(|key| table.get(key).is_some()) {
            let webhook = Webhook::read(&table);
            alarms.webhook = webhook.map_err(|mistakes| self.mistakes.extend(mistakes)).ok();
        }
        alarms
    }

    /// Reads a length of time in milliseconds. `None` for `off`.
    pub(super) fn length_or_off(&mut self, table: &Settings, setting: &Setting) -> Option<Millis> {
        match setting.value.as_str() {
            OFF => None,
            _ => self.noted(table.duration(setting)).map(milliseconds),
        }
    }

    fn error_rate(&mut self, table: &Settings) -> Option<ErrorRate> {
        let Some(percent) = table.get("error-percent") else {
            for setting in table.values.iter().filter(|of| of.key.starts_with("error-")) {
                let message = format!("\"{}\" needs \"error-percent\"", setting.key);
                self.mistakes.push(table.error(setting, message));
            }
            return None;
        };
        let percent = self.counted(table, percent, 1..=100);
        let window = match table.get("error-window") {
            Some(setting) => self.error_window(table, setting),
            None => Some(WINDOW),
        };
        let minimum = match table.get("error-minimum") {
            Some(setting) => self.counted(table, setting, 1..=1_000_000_000),
            None => Some(MINIMUM),
        };
        let classes = match table.get("error-classes") {
            Some(_) => self.error_classes(table),
            None => CLASSES.to_vec(),
        };
        Some(ErrorRate {
            percent: percent?,
            window: milliseconds(window?),
            minimum: minimum?,
            classes,
        })
    }

    fn error_window(&mut self, table: &Settings, setting: &Setting) -> Option<Duration> {
        let window = self.noted(table.duration(setting))?;
        if !(WINDOW_MIN..=WINDOW_MAX).contains(&window) {
            let message = "\"error-window\" is 10 seconds at least and a day at most";
            self.mistakes.push(Diagnostic::error(&self.source, setting.span, message));
        }
        Some(window)
    }

    fn error_classes(&mut self, table: &Settings) -> Vec<u8> {
        let mut classes = Vec::new();
        for setting in table.all("error-classes") {
            match setting.value.parse() {
                Ok(class @ 3..=5) => classes.push(class),
                _ => {
                    let message = format!("\"{}\" is no class of errors: 3, 4 or 5", setting.value);
                    self.mistakes.push(table.error(setting, message).hint("write [3, 5]"));
                }
            }
        }
        classes
    }
}
