//! The results that a correct gateway must have for a file.

/// Damaged records by kind. Each must end up in suspense, alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damaged {
    /// An inner length runs beyond the record.
    pub overrun: u64,
    /// A bit of the record's tag is flipped.
    pub flipped: u64,
    /// The file ends inside the record.
    pub truncated: u64,
}

impl Damaged {
    /// Returns the sum of all kinds.
    pub fn total(&self) -> u64 {
        self.overrun + self.flipped + self.truncated
    }
}

/// Sums of `callDuration` over the sound records of each stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationSeconds {
    /// Billable and roaming.
    pub roaming: u64,
    /// Billable and not roaming.
    pub home: u64,
    /// The rest.
    pub non_billable: u64,
}

/// The results that a correct gateway must have for a file.
///
/// `records = billable + non_billable + damaged.total()` and `billable = roaming + home`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The switching centre.
    pub network_element: String,
    /// The version of the records.
    pub version: u8,
    /// The size of the file.
    pub bytes: u64,
    /// Records, with damaged ones.
    pub records: u64,
    /// Sound records that are paid.
    pub billable: u64,
    /// Sound records that are not paid.
    pub non_billable: u64,
    /// Billable records of roaming subscribers.
    pub roaming: u64,
    /// Billable records of the others.
    pub home: u64,
    /// Records that must end up in suspense.
    pub damaged: Damaged,
    /// Sound records with an extension the module does not know.
    pub unknown_extensions: u64,
    /// Sums of duration by stream.
    pub duration_seconds: DurationSeconds,
}

impl Expected {
    /// Returns a JSON object, one member per line. No text in it needs escaping.
    pub fn to_json(&self) -> String {
        let Expected { damaged, duration_seconds: seconds, .. } = self;
        format!(
            r#"{{
  "network_element": "{}",
  "version": {},
  "bytes": {},
  "records": {},
  "billable": {},
  "non_billable": {},
  "roaming": {},
  "home": {},
  "damaged": {},
  "damage": {{"overrun": {}, "flipped": {}, "truncated": {}}},
  "unknown_extensions": {},
  "duration_seconds": {{"billable": {}, "roaming": {}, "home": {}, "non_billable": {}}}
}}
"#,
            self.network_element,
            self.version,
            self.bytes,
            self.records,
            self.billable,
            self.non_billable,
            self.roaming,
            self.home,
            damaged.total(),
            damaged.overrun,
            damaged.flipped,
            damaged.truncated,
            self.unknown_extensions,
            seconds.roaming + seconds.home,
            seconds.roaming,
            seconds.home,
            seconds.non_billable,
        )
    }
}
