//! Settings of `drift` of a network element.

use std::time::Duration;

use diagnostics::Diagnostic;
use format::coding::{Deeper, Input};
use record::{Opened, TypeId, Types};
use settings::Settings;

use super::profile::Layout;
use flow::file::{Keys, TableSchema};

/// `drift` of a network element.
pub const DRIFT: TableSchema =
    TableSchema { name: "drift", keys: Keys::These(&["learn", "depth"]) };

/// The default learning time, before anything counts as unusual: a week has all its days.
const LEARN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The default and the greatest depth to which records are examined. A record itself is depth 1.
const DEPTH: usize = 16;
const DEPTH_MAX: u64 = 16;

/// The drift settings of a network element.
pub struct Drift {
    pub(crate) layout: Layout,
    /// Decodes records that are examined more deeply than the others. `None` if none needs a second decoding.
    pub(super) deeper: Option<Box<dyn Deeper>>,
    pub learn: Duration,
}

impl Drift {
    /// Reads the table of a network element. `ty` is the type of its records.
    pub(crate) fn read(
        table: &Settings,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Self, Diagnostic> {
        let learn = table.get("learn").map(|learn| table.duration(learn)).transpose()?;
        let depth = match table.get("depth") {
            None => DEPTH,
            Some(setting) => match table.count(setting)? {
                depth if depth <= DEPTH_MAX => depth as usize,
                _ => {
                    let message = format!("no deeper than {DEPTH_MAX} is looked");
                    return Err(table.error(setting, message));
                }
            },
        };
        let layout = Layout::of(types.schema(), ty, depth);
        Ok(Drift { layout, deeper: None, learn: learn.unwrap_or(LEARN) })
    }

    /// Sets the input that reads the records.
    pub fn read_by(&mut self, input: &dyn Input) {
        let Layout { opened, within, .. } = &self.layout;
        self.deeper = input.deeper(&opened.iter().chain(within).copied().collect());
    }

    /// Returns the types whose values are examined in all records.
    pub(crate) fn opened(&self) -> Opened {
        self.layout.opened.iter().copied().collect()
    }
}
