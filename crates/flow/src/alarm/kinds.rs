//! The kinds of alarms, in the terms of ITU-T X.733 and X.736: one table. Whoever adds a kind adds a line.
//!
//! How severe a kind is says what of the work is in danger: `critical` where none goes on, `major` where some of it
//! waits or may be lost, `minor` where something needs a look in the day, `warning` where it may be nothing.

use std::fmt;

use serde::{Serialize, Serializer};

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
    /// All, by their words, the worst first.
    pub const ALL: [(&'static str, Severity); 6] = [
        ("critical", Severity::Critical),
        ("major", Severity::Major),
        ("minor", Severity::Minor),
        ("warning", Severity::Warning),
        ("indeterminate", Severity::Indeterminate),
        ("cleared", Severity::Cleared),
    ];

    /// As X.733 writes it.
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

/// A kind of alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, `disk-low`.
    pub name: &'static str,
    /// How severe one is.
    pub severity: Severity,
    /// What sort of event it is (X.733, 8.1.1; X.736, 8.1.1).
    pub event_type: &'static str,
    /// Why there is one (X.733, 8.1.2.1; X.736, 8.1.2.1).
    pub probable_cause: &'static str,
}

const fn kind(
    name: &'static str,
    severity: Severity,
    event_type: &'static str,
    probable_cause: &'static str,
) -> Kind {
    Kind { name, severity, event_type, probable_cause }
}

const COMMUNICATIONS: &str = "communicationsAlarm";
const ENVIRONMENT: &str = "environmentalAlarm";
const EQUIPMENT: &str = "equipmentAlarm";
const INTEGRITY: &str = "integrityViolation";
const PROCESSING: &str = "processingErrorAlarm";
const QUALITY: &str = "qualityOfServiceAlarm";
const TIME: &str = "timeDomainViolation";

/// All kinds.
pub const KINDS: &[Kind] = {
    use Severity::{Critical, Major, Minor, Warning};
    &[
        kind("silent", Major, COMMUNICATIONS, "lossOfSignal"),
        kind("sequence-gap", Major, INTEGRITY, "informationMissing"),
        kind("sequence-repeat", Minor, INTEGRITY, "duplicateInformation"),
        kind("sequence-restart", Warning, INTEGRITY, "informationOutOfSequence"),
        kind("sequence-unnumbered", Warning, INTEGRITY, "unexpectedInformation"),
        kind("sequence-full", Minor, PROCESSING, "resourceAtOrNearingCapacity"),
        kind("sequence-left-out", Minor, PROCESSING, "resourceAtOrNearingCapacity"),
        kind("totals", Major, INTEGRITY, "informationMissing"),
        kind("not-listening", Major, COMMUNICATIONS, "communicationsSubsystemFailure"),
        kind("far-unreachable", Major, COMMUNICATIONS, "communicationsSubsystemFailure"),
        kind("far-files-refused", Minor, PROCESSING, "fileError"),
        kind("buffer-full", Major, PROCESSING, "storageCapacityProblem"),
        kind("disk-low", Critical, PROCESSING, "storageCapacityProblem"),
        kind("folder-full", Major, PROCESSING, "storageCapacityProblem"),
        kind("memory-full", Major, PROCESSING, "resourceAtOrNearingCapacity"),
        kind("folder-unreadable", Major, EQUIPMENT, "inputDeviceError"),
        kind("links-not-followed", Minor, PROCESSING, "configurationOrCustomizationError"),
        kind("files-left-alone", Minor, PROCESSING, "configurationOrCustomizationError"),
        kind("marks-unknown", Minor, PROCESSING, "configurationOrCustomizationError"),
        kind("files-unsettled", Minor, TIME, "delayedInformation"),
        kind("files-added-to", Major, INTEGRITY, "informationMissing"),
        kind("inputs-unmarked", Major, EQUIPMENT, "outputDeviceError"),
        kind("duplicates-forgotten", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("groups-unreadable", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("file-late", Minor, TIME, "delayedInformation"),
        kind("groups-waiting", Major, PROCESSING, "underlyingResourceUnavailable"),
        kind("groups-incomplete", Major, INTEGRITY, "informationMissing"),
        kind("counters-orphaned", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("counters-keyed-otherwise", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("groups-keyed-otherwise", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("groups-orphaned", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("files-orphaned", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("files-waiting", Major, PROCESSING, "fileError"),
        kind("retries-waiting", Minor, PROCESSING, "fileError"),
        kind("clock-doubted", Major, ENVIRONMENT, "timingProblem"),
        kind("archive-waiting", Major, EQUIPMENT, "outputDeviceError"),
        kind("outputs-waiting", Major, EQUIPMENT, "outputDeviceError"),
        kind("delivery-failing", Major, COMMUNICATIONS, "communicationsSubsystemFailure"),
        kind("delivery-given-up", Major, COMMUNICATIONS, "retransmissionRateExcessive"),
        kind("deliveries-orphaned", Major, PROCESSING, "configurationOrCustomizationError"),
        kind("delivery-unacknowledged", Major, QUALITY, "responseTimeExcessive"),
        kind("poison-files", Major, PROCESSING, "softwareProgramAbnormallyTerminated"),
        kind("thread-hangs", Critical, PROCESSING, "applicationSubsystemFailure"),
        kind("process-hangs", Critical, PROCESSING, "applicationSubsystemFailure"),
        kind("flow-refused", Minor, PROCESSING, "configurationOrCustomizationError"),
        kind("files-behind", Major, QUALITY, "queueSizeExceeded"),
        kind("records-suspended", Major, QUALITY, "thresholdCrossed"),
        kind("suspense-old", Minor, TIME, "delayedInformation"),
        kind("element-late", Major, COMMUNICATIONS, "lossOfSignal"),
        kind("receiver-late", Major, TIME, "delayedInformation"),
        kind("drift-new", Minor, INTEGRITY, "unexpectedInformation"),
        kind("drift-vanished", Major, INTEGRITY, "informationMissing"),
        kind("drift-volume", Major, QUALITY, "thresholdCrossed"),
        kind("drift-rejects", Major, QUALITY, "thresholdCrossed"),
        kind("notify-failing", Major, COMMUNICATIONS, "communicationsSubsystemFailure"),
        kind("notify-refused", Major, COMMUNICATIONS, "communicationsSubsystemFailure"),
    ]
};

/// What is raised by a name that the table does not have: by another version of this program.
const UNKNOWN: Kind = kind("", Severity::Indeterminate, PROCESSING, "indeterminate");

impl Kind {
    /// The kind of a name.
    pub fn of(name: &str) -> Kind {
        KINDS.iter().find(|kind| kind.name == name).copied().unwrap_or(UNKNOWN)
    }
}
