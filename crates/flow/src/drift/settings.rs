//! What a flow file says of it: `drift` of a network element.

use std::time::Duration;

use diagnostics::Diagnostic;
use node::Settings;
use record::{Opened, TypeId, Types};

use super::seen::Layout;

/// Its keys.
pub(crate) const DRIFT_KEYS: [&str; 1] = ["learn"];

/// How long it is learned what is usual before anything is not, if nothing is said: a week has all its days.
const LEARN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is watched of a network element.
pub(crate) struct Drift {
    pub(crate) layout: Layout,
    pub(crate) learn: Duration,
}

impl Drift {
    /// Reads the table of an element whose records are of a type.
    pub(crate) fn read(
        table: &Settings,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Self, Diagnostic> {
        let learn = table.get("learn").map(|learn| table.duration(learn)).transpose()?;
        Ok(Drift { layout: Layout::of(types.schema(), ty), learn: learn.unwrap_or(LEARN) })
    }

    /// Into which values of records it looks.
    pub(crate) fn opened(&self) -> Opened {
        self.layout.opened.iter().copied().collect()
    }
}
