//! The kinds of alarms of sequences and totals.

use alarm::{EventType, Kind, Severity};

pub(super) const SILENT: &Kind =
    &Kind::new("silent", Severity::Major, EventType::Communications, "lossOfSignal");
pub(super) const TOTALS: &Kind =
    &Kind::new("totals", Severity::Major, EventType::Integrity, "informationMissing");
pub(super) const GAP: &Kind =
    &Kind::new("sequence-gap", Severity::Major, EventType::Integrity, "informationMissing");
pub(super) const FULL: &Kind = &Kind::new(
    "sequence-full",
    Severity::Minor,
    EventType::Processing,
    "resourceAtOrNearingCapacity",
);
pub(super) const REPEAT: &Kind =
    &Kind::new("sequence-repeat", Severity::Minor, EventType::Integrity, "duplicateInformation");
pub(super) const RESTART: &Kind = &Kind::new(
    "sequence-restart",
    Severity::Warning,
    EventType::Integrity,
    "informationOutOfSequence",
);
pub(super) const UNNUMBERED: &Kind = &Kind::new(
    "sequence-unnumbered",
    Severity::Warning,
    EventType::Integrity,
    "unexpectedInformation",
);
pub(super) const LEFT_OUT: &Kind = &Kind::new(
    "sequence-left-out",
    Severity::Minor,
    EventType::Processing,
    "resourceAtOrNearingCapacity",
);

/// All kinds.
pub const ALARMS: &[&Kind] = &[SILENT, TOTALS, GAP, FULL, REPEAT, RESTART, UNNUMBERED, LEFT_OUT];
