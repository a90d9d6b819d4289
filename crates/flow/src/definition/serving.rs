//! What a flow file says of the HTTP server of its gateway: `[serve]`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use settings::Settings;

use crate::definition::file;
use crate::definition::file::FlowFile;

/// Where it listens, if nothing is said: who asks from another machine has to be let in.
const LISTEN: &str = "127.0.0.1:8080";

/// How a gateway is served.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Where it listens.
    pub listen: String,
    /// The file that has what who asks for figures has to know, if anything.
    pub token_file: Option<PathBuf>,
    /// The table itself, for who reads the certificate that it names.
    pub table: Option<Settings>,
}

/// The folder of a flow's state.
pub fn state(flow: &Path) -> io::Result<PathBuf> {
    Ok(file::outline(flow)?.state)
}

/// The same, which is made where it is missing, for its owner alone.
pub fn make_state(flow: &Path) -> io::Result<PathBuf> {
    let state = state(flow)?;
    runtime::durable::make_private_folder(&state)?;
    Ok(state)
}

/// What a flow file says of it. Its mistakes are said by who reads it wholly.
pub fn serving(flow: &Path) -> io::Result<Serving> {
    let file = file::outline(flow)?;
    let usual = || Serving { listen: LISTEN.into(), token_file: None, table: file.serve.clone() };
    Ok(read(&file).unwrap_or_else(|_| usual()))
}

/// Reads `[serve]`.
pub(crate) fn read(file: &FlowFile) -> Result<Serving, Diagnostic> {
    let table = file.serve.as_ref();
    let listen = match table.and_then(|table| Some((table, table.get("listen")?))) {
        Some((table, listen)) if listen.value.parse::<SocketAddr>().is_err() => {
            let message = format!("\"{}\" is no address to listen at", listen.value);
            return Err(table.error(listen, message).hint("write \"127.0.0.1:8080\""));
        }
        Some((_, listen)) => listen.value.clone(),
        None => LISTEN.into(),
    };
    let token_file = table.and_then(|table| Some(table.path(table.get("token-file")?)));
    Ok(Serving { listen, token_file, table: table.cloned() })
}
