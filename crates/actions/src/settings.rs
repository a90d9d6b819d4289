//! The tables of actions in a flow file.

use std::sync::Arc;
use std::time::Duration;

use ::settings::{Setting, Settings};
use diagnostics::{Diagnostic, did_you_mean};

use crate::kinds::{self, Carrier, KINDS};

/// The keys that every action may have.
const KEYS: [&str; 6] = ["approve", "most", "each", "again", "max-age", "timeout"];

/// After an action about a key, there is none of its name for so long, by default.
const AGAIN: Duration = Duration::from_secs(24 * 3_600);

/// How long a command or another machine may take, by default.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many people approve an action before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// A rule acts alone.
    NoOne,
    /// A person looks at it first.
    OnePerson,
    /// Two people do, who are not the same.
    TwoPeople,
}

impl Approval {
    const NAMES: [(&'static str, Approval); 3] = [
        ("no one", Approval::NoOne),
        ("one person", Approval::OnePerson),
        ("two people", Approval::TwoPeople),
    ];

    /// Reads a setting.
    ///
    /// # Errors
    ///
    /// It is none of the names.
    pub fn read(settings: &Settings, setting: &Setting) -> Result<Self, Diagnostic> {
        settings.choice(setting, &Self::NAMES)
    }

    /// Returns how many people it needs.
    pub fn people(self) -> u8 {
        self as u8
    }
}

/// An action that rules and people may request.
#[derive(Clone)]
pub struct ActionSettings {
    /// Its name.
    pub name: String,
    pub(crate) carrier: Arc<dyn Carrier>,
    pub(crate) approval: Approval,
    /// At most so many within a time; more wait for a person.
    pub(crate) limit: Option<(u32, Duration)>,
    /// How long it is not sent again for the same key.
    pub(crate) again: Duration,
    /// How old an alert may be for which it is sent without a person, if there is a limit.
    pub(crate) max_age: Option<Duration>,
}

impl std::fmt::Debug for ActionSettings {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("ActionSettings").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Reads the tables `[action.*]`. Returns all mistakes, not only the first.
///
/// # Errors
///
/// Some tables have mistakes.
pub fn read(tables: &[Settings]) -> Result<Vec<ActionSettings>, Vec<Diagnostic>> {
    let (mut actions, mut mistakes) = (Vec::new(), Vec::new());
    for table in tables {
        match action(table) {
            Ok(action) => actions.push(action),
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() { Ok(actions) } else { Err(mistakes) }
}

fn action(table: &Settings) -> Result<ActionSettings, Vec<Diagnostic>> {
    let mut of_table = KINDS.iter().filter(|kind| table.get(kind.key).is_some());
    let (Some(kind), None) = (of_table.next(), of_table.next()) else {
        let keys: Vec<_> = KINDS.iter().map(|kind| format!("\"{}\"", kind.key)).collect();
        let message = format!("\"{}\" has one of {}", table.name, keys.join(", "));
        return Err(vec![Diagnostic::error(&table.source, table.span, message)]);
    };
    let mut mistakes = unknown_keys(table, kind);
    let mut noted = |mistake| mistakes.push(mistake);
    let approval = match table.get("approve") {
        Some(setting) => Approval::read(table, setting).map_err(&mut noted).ok(),
        None => Some(kind.approval),
    };
    let max_age = match table.get("max-age") {
        Some(setting) => table.duration(setting).map(Some).map_err(&mut noted).ok(),
        None => Some(kind.max_age),
    };
    let mut duration = |key, default| match table.get(key) {
        Some(setting) => table.duration(setting).map_err(&mut noted).ok(),
        None => Some(default),
    };
    let again = duration("again", kind.again.unwrap_or(AGAIN));
    let (each, timeout) = (duration("each", Duration::ZERO), duration("timeout", TIMEOUT));
    let most = table.get("most").map(|most| table.count(most)).transpose();
    let most = most.map_err(&mut noted).ok().flatten();
    let limit = match (most, each, table.get("most").or(table.get("each"))) {
        (Some(most), Some(each), _) if !each.is_zero() => {
            Some((u32::try_from(most).unwrap_or(u32::MAX), each))
        }
        (_, _, Some(setting)) => {
            let mistake = table.error(setting, "\"most\" and \"each\" go together");
            noted(mistake.hint("write most = 20 and each = \"1 hour\""));
            None
        }
        _ => None,
    };
    let carrier = (kind.carrier)(table, timeout.unwrap_or(TIMEOUT));
    let carrier = carrier.map_err(|found| mistakes.extend(found)).ok();
    match (carrier, approval, again, max_age, &mistakes[..]) {
        (Some(carrier), Some(approval), Some(again), Some(max_age), []) => {
            let name = table.name.clone();
            Ok(ActionSettings { name, carrier, approval, limit, again, max_age })
        }
        _ => Err(mistakes),
    }
}

fn unknown_keys(table: &Settings, kind: &kinds::Kind) -> Vec<Diagnostic> {
    let known: Vec<&str> = [&[kind.key], kind.keys, &KEYS].concat();
    let unknown = table.values.iter().filter(|setting| !known.contains(&setting.key.as_str()));
    let mistake = |setting: &Setting| {
        let hint = did_you_mean(&setting.key, known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        table.error(setting, format!("no key is named \"{}\"", setting.key)).hint(hint)
    };
    unknown.map(mistake).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use diagnostics::{Source, Span};

    use super::*;

    /// Returns an action that needs no approval.
    pub(crate) fn action(name: &str) -> ActionSettings {
        let set = |key: &str, value: &str| Setting {
            key: key.into(),
            value: value.into(),
            span: Span::default(),
        };
        let table = Settings {
            name: name.into(),
            values: vec![set("command", "true"), set("approve", "no one")],
            source: Source::new("flow.toml", ""),
            span: Span::default(),
            folder: ".".into(),
        };
        super::action(&table).expect("an action")
    }
}
