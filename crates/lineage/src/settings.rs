//! Settings of the trace: `[trace]`.

use std::time::Duration;

use diagnostics::Diagnostic;

use flow::file::{FlowFile, Keys, TableSchema};

/// `[trace]`.
pub const TRACE: TableSchema =
    TableSchema { name: "trace", keys: Keys::These(&["enabled", "keep"]) };

/// How long the trace is kept by default: a quarter of a year, enough to answer doubts about an invoice.
const KEPT: Duration = Duration::from_secs(92 * 24 * 60 * 60);

/// Whether the flow is traced, and how long the trace is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// Whether records are traced: by default they are.
    pub is_on: bool,
    /// How long the trace of a file is kept; 92 days by default.
    pub retention: Duration,
}

impl TraceSettings {
    /// Reads `[trace]`; without it, the defaults apply. Fails if `keep` is no duration.
    pub fn read(file: &FlowFile) -> Result<Self, Diagnostic> {
        let usual = TraceSettings { is_on: true, retention: KEPT };
        let Some(settings) = file.tables.get(&TRACE) else { return Ok(usual) };
        let is_on = settings.get("enabled").is_none_or(|enabled| enabled.value == "true");
        let retention = settings.get("keep").map(|keep| settings.duration(keep)).transpose()?;
        Ok(TraceSettings { is_on, retention: retention.unwrap_or(KEPT) })
    }
}
