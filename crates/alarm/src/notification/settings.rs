//! The tables of channels in a settings file.

use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, did_you_mean};
use settings::Settings;

use super::{Channel, ChannelKind};
use crate::{Registry, Severity};

/// The keys that every channel may have.
const KEYS: [&str; 4] = ["severities", "kinds", "changes", "failing-after"];

/// The default of `failing-after`.
const FAILING_AFTER: Duration = Duration::from_secs(10 * 60);

/// A channel, and what is sent over it.
#[derive(Clone)]
pub struct ChannelSettings {
    pub(super) name: String,
    pub(super) channel: Arc<dyn Channel>,
    /// Only alarms with these severities; with all if empty.
    severities: Vec<Severity>,
    /// Only alarms of these kinds; of all if empty.
    kinds: Vec<String>,
    /// Whether it is sent an event if only the text of an alarm changes.
    pub(super) changes: bool,
    /// How long it may fail before an alarm is raised.
    pub(super) failing_after: Duration,
}

impl ChannelSettings {
    /// Makes the settings of a channel over which all alarms are sent. Its name is unique in the service.
    pub fn new(name: String, channel: Arc<dyn Channel>) -> Self {
        ChannelSettings {
            name,
            channel,
            severities: Vec::new(),
            kinds: Vec::new(),
            changes: false,
            failing_after: FAILING_AFTER,
        }
    }

    /// Returns whether alarms of a kind are sent over it.
    pub(super) fn wants(&self, kind: &str, severity: Severity) -> bool {
        let ChannelSettings { severities, kinds, .. } = self;
        (severities.is_empty() || severities.contains(&severity))
            && (kinds.is_empty() || kinds.iter().any(|wanted| wanted == kind))
    }
}

/// Reads the tables of channels, one for each channel. `known` are the kinds of channels that there are, `registry` has the
/// kinds of alarms. Returns all mistakes, not only the first.
pub fn read(
    tables: &[Settings],
    known: &[&dyn ChannelKind],
    registry: Registry,
) -> Result<Vec<ChannelSettings>, Vec<Diagnostic>> {
    let (mut channels, mut mistakes) = (Vec::new(), Vec::new());
    for table in tables {
        match channel(table, known, registry) {
            Ok(channel) => channels.push(channel),
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() { Ok(channels) } else { Err(mistakes) }
}

fn channel(
    table: &Settings,
    known: &[&dyn ChannelKind],
    registry: Registry,
) -> Result<ChannelSettings, Vec<Diagnostic>> {
    let mut of_table = known.iter().filter(|kind| table.get(kind.key()).is_some());
    let kind = match (of_table.next(), of_table.next()) {
        (Some(kind), None) => kind,
        _ => {
            let keys: Vec<_> = known.iter().map(|kind| format!("\"{}\"", kind.key())).collect();
            let message = format!("\"{}\" has one of {}", table.name, keys.join(" and "));
            return Err(vec![Diagnostic::error(&table.source, table.span, message)]);
        }
    };
    let mut mistakes = unknown_keys(table, *kind);
    let severities = all(table, "severities", &mut mistakes, |setting| {
        table.choice(setting, &Severity::ALL[..Severity::ALL.len() - 1])
    });
    let kinds = all(table, "kinds", &mut mistakes, |setting| {
        let names: Vec<_> = registry.kinds().map(|kind| (kind.name, kind.name)).collect();
        table.choice(setting, &names).map(str::to_owned)
    });
    let changes = table.get("changes").is_some_and(|changes| changes.value == "true");
    let failing_after = table.get("failing-after").map(|after| table.duration(after)).transpose();
    let failing_after = failing_after.map_err(|mistake| mistakes.push(mistake)).ok().flatten();
    let channel = kind.channel(table).map_err(|found| mistakes.extend(found)).ok();
    match channel.filter(|_| mistakes.is_empty()) {
        Some(channel) => Ok(ChannelSettings {
            severities,
            kinds,
            changes,
            failing_after: failing_after.unwrap_or(FAILING_AFTER),
            ..ChannelSettings::new(table.name.clone(), channel.into())
        }),
        None => Err(mistakes),
    }
}

/// Reads each value of a list.
fn all<T>(
    table: &Settings,
    key: &str,
    mistakes: &mut Vec<Diagnostic>,
    read: impl Fn(&settings::Setting) -> Result<T, Diagnostic>,
) -> Vec<T> {
    let read = table.all(key).map(read);
    read.filter_map(|read| read.map_err(|mistake| mistakes.push(mistake)).ok()).collect()
}

fn unknown_keys(table: &Settings, kind: &dyn ChannelKind) -> Vec<Diagnostic> {
    let known: Vec<&str> = [&[kind.key()], kind.keys(), &KEYS].concat();
    let unknown = table.values.iter().filter(|setting| !known.contains(&setting.key.as_str()));
    let mistake = |setting: &settings::Setting| {
        let hint = did_you_mean(&setting.key, known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        table.error(setting, format!("no key is named \"{}\"", setting.key)).hint(hint)
    };
    unknown.map(mistake).collect()
}
