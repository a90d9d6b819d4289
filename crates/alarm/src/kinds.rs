//! Kinds of alarms, in the terms of ITU-T X.733 and X.736.
//!
//! The severity of a kind says how much of the service's work is in danger: `critical` if none continues, `major` if some
//! waits or may be lost, `minor` if something needs a look during the day, `warning` if it may be nothing.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// How severe an alarm is (X.733, 8.1.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Severity {
    Cleared,
    Indeterminate,
    Warning,
    Minor,
    Major,
    Critical,
}

impl Severity {
    /// All severities with their words, the worst first.
    pub const ALL: [(&'static str, Severity); 6] = [
        ("critical", Severity::Critical),
        ("major", Severity::Major),
        ("minor", Severity::Minor),
        ("warning", Severity::Warning),
        ("indeterminate", Severity::Indeterminate),
        ("cleared", Severity::Cleared),
    ];

    /// Returns its word in X.733.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, severity)| *severity == self).expect("all are in the list").0
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// Describes the words that [`Serialize`] writes.
impl PartialSchema for Severity {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The severity of an alarm; `cleared` once it is over."))
            .enum_values(Some(Self::ALL.map(|(word, _)| word)))
            .into()
    }
}

impl ToSchema for Severity {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("AlarmSeverity")
    }
}

/// The type of the event that an alarm is about (X.733, 8.1.1; X.736, 8.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum EventType {
    Communications,
    Environment,
    Equipment,
    Integrity,
    Processing,
    Quality,
    Time,
}

impl EventType {
    /// All event types with their words.
    const ALL: [(&'static str, EventType); 7] = [
        ("communicationsAlarm", EventType::Communications),
        ("environmentalAlarm", EventType::Environment),
        ("equipmentAlarm", EventType::Equipment),
        ("integrityViolation", EventType::Integrity),
        ("processingErrorAlarm", EventType::Processing),
        ("qualityOfServiceAlarm", EventType::Quality),
        ("timeDomainViolation", EventType::Time),
    ];

    /// Returns its word in the standards.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).expect("all are in the list").0
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// Describes the words that [`Serialize`] writes.
impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The type of the event that an alarm is about (X.733, X.736)."))
            .enum_values(Some(Self::ALL.map(|(word, _)| word)))
            .into()
    }
}

impl ToSchema for EventType {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("AlarmEventType")
    }
}

/// A kind of alarm. A part that raises alarms has a constant for each of its kinds, so no alarm is raised without a severity. The
/// journal has only the name; a [`Registry`] knows the kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Its name, `disk-low`.
    pub name: &'static str,
    /// The severity of an alarm of this kind.
    pub severity: Severity,
    /// The type of event that causes it.
    pub event_type: EventType,
    /// The probable cause (X.733, 8.1.2.1; X.736, 8.1.2.1).
    pub probable_cause: &'static str,
}

impl Kind {
    /// Makes a kind, for a constant.
    pub const fn new(
        name: &'static str,
        severity: Severity,
        event_type: EventType,
        probable_cause: &'static str,
    ) -> Self {
        Kind { name, severity, event_type, probable_cause }
    }
}

/// The kind of a name that a registry does not have: another version of the program raised the alarm.
const UNKNOWN: Kind =
    Kind::new("", Severity::Indeterminate, EventType::Processing, "indeterminate");

/// All kinds of alarms of a service, as the parts that raise them list them.
#[derive(Clone, Copy, Debug)]
pub struct Registry(&'static [&'static [&'static Kind]]);

impl Registry {
    /// Makes a registry of the lists of all parts. Make it a constant: what is wrong with it is found when it is compiled.
    ///
    /// # Panics
    ///
    /// Panics if a kind has no name or the name of another, or a severity that is not one of a kind.
    pub const fn of(lists: &'static [&'static [&'static Kind]]) -> Self {
        let mut list = 0;
        while list < lists.len() {
            let mut place = 0;
            while place < lists[list].len() {
                let Kind { name, severity, .. } = lists[list][place];
                assert!(!name.is_empty(), "a kind of alarms has no name");
                assert!(count(lists, name) == 1, "two kinds of alarms have the same name");
                assert!(
                    !matches!(severity, Severity::Cleared | Severity::Indeterminate),
                    "a kind of alarms has no severity"
                );
                place += 1;
            }
            list += 1;
        }
        Registry(lists)
    }

    /// Returns all kinds.
    pub fn kinds(self) -> impl Iterator<Item = &'static Kind> {
        self.0.iter().copied().flatten().copied()
    }

    /// Returns the kind with this name. The journal may have alarms of kinds that only another version of the program knows:
    /// these are indeterminate.
    pub fn kind(self, name: &str) -> Kind {
        self.kinds().find(|kind| kind.name == name).copied().unwrap_or(UNKNOWN)
    }
}

/// How many kinds have a name.
const fn count(lists: &[&[&Kind]], name: &str) -> usize {
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        let mut place = 0;
        while place < lists[list].len() {
            if is_same(lists[list][place].name.as_bytes(), name.as_bytes()) {
                count += 1;
            }
            place += 1;
        }
        list += 1;
    }
    count
}

/// Texts cannot be compared in a constant.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &Kind = &Kind::new("one", Severity::Minor, EventType::Time, "timingProblem");
    const OTHER: &Kind = &Kind { name: "one-more", ..*ONE };

    #[test]
    fn a_registry_knows_the_kinds_of_all_lists_and_no_other() {
        const ALL: Registry = Registry::of(&[&[ONE], &[], &[OTHER]]);
        assert_eq!(ALL.kinds().collect::<Vec<_>>(), [ONE, OTHER]);
        assert_eq!(ALL.kind("one-more"), *OTHER);
        assert_eq!(ALL.kind("one-les").severity, Severity::Indeterminate);
    }

    #[test]
    #[should_panic(expected = "the same name")]
    fn a_kind_is_in_one_list() {
        Registry::of(&[&[ONE, OTHER], &[ONE]]);
    }

    #[test]
    #[should_panic(expected = "no severity")]
    fn a_kind_has_a_severity() {
        const OVER: &Kind = &Kind { severity: Severity::Cleared, ..*ONE };
        Registry::of(&[&[OVER]]);
    }
}
