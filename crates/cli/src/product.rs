//! What this program is: the parts of its gateway, and how it starts itself again.

use std::path::Path;

use flow::{Parts, Program};
use remote::server::Tls;

/// What the gateway is made of.
pub(crate) const PARTS: Parts<'static> = Parts {
    kinds: processing::KINDS,
    formats: &format::OperatorModules,
    language: &processing::Dup(processing::Execution::MachineCode),
    listeners: remote::server::LISTENERS,
    certificate: |table| Tls::read(table).err(),
    channels: notify::KINDS,
    schemes: remote::SCHEMES,
};

/// The command that processes files beside a gateway.
pub(crate) const PROCESSING_PROCESS: &str = "processing-process";

/// The command that tries a change beside a gateway.
pub(crate) const REPLAY_PROCESS: &str = "replay-process";

/// The program that runs, whatever has been put in its place since: both ends speak the same language.
const THIS: &str = "/proc/self/exe";

/// How a gateway starts one of these commands in a process of its own. `None` where the system does not say which program
/// this is.
pub(crate) fn process(command: &str) -> Option<Program> {
    let this = Path::new(THIS);
    let path = if this.exists() { this.into() } else { std::env::current_exe().ok()? };
    Some(Program { path, arguments: vec![command.into()] })
}

/// How this program was called: so it runs when what is printed to be typed next is typed.
pub(crate) fn called() -> String {
    let name = std::env::args_os().next();
    name.map_or_else(|| "tollgate".into(), |name| name.to_string_lossy().into_owned())
}
