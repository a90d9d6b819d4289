//! The parts of this program's gateway, and how it starts itself again.

use std::path::Path;

use gateway::{Parts, Program};
use remote::server::Tls;

/// The parts of the gateway.
pub(crate) const PARTS: Parts<'static> = Parts {
    kinds: processing::KINDS,
    formats: &format::OperatorModules,
    language: &processing::Dup(processing::Execution::MachineCode),
    listeners: remote::server::LISTENERS,
    certificate: |table| Tls::read(table).err(),
    channels: notify::KINDS,
    schemes: remote::SCHEMES,
    codes: &[format::codes, processing::codes, gateway::codes, distribution::codes, remote::codes],
};

/// The command that processes files for a gateway.
pub(crate) const PROCESSING_PROCESS: &str = "processing-process";

/// The command that tries a change for a gateway.
pub(crate) const REPLAY_PROCESS: &str = "replay-process";

/// The running program, even if its file was replaced since: both processes must speak the same protocol.
const THIS: &str = "/proc/self/exe";

/// Returns how a gateway starts one of these commands in a process of its own. `None` if the system does not say which
/// program this is.
pub(crate) fn process(command: &str) -> Option<Program> {
    let this = Path::new(THIS);
    let path = if this.exists() { this.into() } else { std::env::current_exe().ok()? };
    Some(Program { path, arguments: vec![command.into()] })
}

/// Returns the name this program was called by, for commands that the user is told to type.
pub(crate) fn called() -> String {
    let name = std::env::args_os().next();
    name.map_or_else(|| "tollgate".into(), |name| name.to_string_lossy().into_owned())
}
