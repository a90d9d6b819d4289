//! Limits of the alarms that are on by default: `[alarms]`, and `alarms` of a network element, a node or a system,
//! which overrides it.

use std::collections::BTreeMap;
use std::time::Duration;

use diagnostics::Diagnostic;
use settings::{Setting, Settings};

use crate::file::FlowFile;

const SHARE: &str = "suspended-share";
/// The key for the fewest records in suspense at which their share raises an alarm.
pub const RECORDS: &str = "suspended-records";
const AGE: &str = "suspense-age";
const LATE: &str = "late";

/// The keys of `[alarms]`.
pub(crate) const ALARM_KEYS: [&str; 4] = [SHARE, RECORDS, AGE, LATE];

/// The keys that a network element, a system or a node may set for itself.
pub(crate) const OF_ELEMENT_KEYS: [&str; 3] = [SHARE, RECORDS, LATE];
pub(crate) const OF_SYSTEM_KEYS: [&str; 3] = OF_ELEMENT_KEYS;
pub(crate) const OF_NODE_KEYS: [&str; 2] = [SHARE, RECORDS];

/// The value that turns an alarm off.
const OFF: &str = "off";

/// The limits at which alarms are raised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The share of records that go to suspense at which an alarm is raised; none if that alarm is off.
    pub share: Option<f64>,
    /// The fewest records in suspense for that alarm.
    pub records: u64,
    /// The greatest age of records in suspense; none if that alarm is off.
    pub age: Option<Duration>,
    /// Whether files that are later than usual raise an alarm.
    pub late: bool,
}

impl Default for Limits {
    /// A few records in suspense are normal, and operators check suspense daily.
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Limits { share: Some(0.1), records: 10, age: Some(day), late: true }
    }
}

/// The limits of a flow.
#[derive(Clone, Debug, Default)]
pub struct AlarmLimits {
    /// The limits of those that have none of their own: those of `[alarms]`, else the defaults.
    pub all: Limits,
    /// The limits of those that have their own, by name.
    of: BTreeMap<String, Limits>,
}

impl AlarmLimits {
    /// Reads `[alarms]`, and the `alarms` tables of network elements, systems and nodes. A setting that one of
    /// these lacks is that of `[alarms]`. Fails at the first invalid value.
    pub fn read(file: &FlowFile) -> Result<Self, Diagnostic> {
        let usual = Limits::default();
        let all = file.alarms.as_ref().map_or(Ok(usual), |table| usual.changed(table))?;
        let elements = file.network_elements.iter().map(|of| (&of.name, &of.alarms));
        let systems = file.post_processing_systems.iter().map(|of| (&of.name, &of.alarms));
        let mut of = BTreeMap::new();
        let nodes = file.nodes.iter().map(|of| (&of.name, &of.alarms));
        for (name, table) in elements.chain(systems).chain(nodes) {
            if let Some(table) = table {
                of.insert(name.text.clone(), all.changed(table)?);
            }
        }
        Ok(AlarmLimits { all, of })
    }

    /// Returns the limits of a network element, a node or a system.
    pub fn of(&self, name: &str) -> Limits {
        self.of.get(name).copied().unwrap_or(self.all)
    }
}

impl Limits {
    fn changed(mut self, table: &Settings) -> Result<Self, Diagnostic> {
        let unless_off = |key| table.get(key).map(|setting| (setting, setting.value != OFF));
        if let Some((setting, is_on)) = unless_off(SHARE) {
            self.share = if is_on { Some(share(table, setting)?) } else { None };
        }
        if let Some(setting) = table.get(RECORDS) {
            self.records = table.count(setting)?;
        }
        if let Some((setting, is_on)) = unless_off(AGE) {
            self.age = if is_on { Some(table.duration(setting)?) } else { None };
        }
        if let Some(setting) = table.get(LATE) {
            self.late = table.choice(setting, &[("on", true), (OFF, false)])?;
        }
        Ok(self)
    }
}

/// Reads a percentage, `10 %`, as a fraction of 1.
fn share(table: &Settings, setting: &Setting) -> Result<f64, Diagnostic> {
    let number = setting.value.strip_suffix('%').map(str::trim_end);
    let percent = number.and_then(|number| number.parse::<f64>().ok());
    percent
        .filter(|percent| *percent > 0.0 && *percent <= 100.0)
        .map(|percent| percent / 100.0)
        .ok_or_else(|| {
            let message = format!("\"{}\" is not a percentage from 0 to 100", setting.value);
            table.error(setting, message).hint("write \"10 %\", or \"off\"")
        })
}
