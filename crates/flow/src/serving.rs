//! Settings of a gateway's HTTP server: `[serve]`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use settings::Settings;
use toml_edit::{Document, Item};

use crate::file;
use crate::file::{FlowFile, SECOND_PERSON};

/// The default address. It refuses other machines, which the operator has to allow.
const LISTEN: &str = "127.0.0.1:8080";

/// Settings of the HTTP server.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The address to listen at.
    pub listen: String,
    /// The file with the token that clients need for metrics, if any.
    pub token_file: Option<PathBuf>,
    /// The table itself; the server reads the certificate that it names.
    pub table: Option<Settings>,
}

/// Returns the folder of a flow's state.
pub fn state(flow: &Path) -> io::Result<PathBuf> {
    Ok(file::outline(flow)?.state)
}

/// Returns the folder of a flow's state, and creates it for its owner alone if it is missing.
pub fn make_state(flow: &Path) -> io::Result<PathBuf> {
    let state = state(flow)?;
    runtime::durable::make_private_folder(&state)?;
    Ok(state)
}

/// Returns the server settings of a flow file, or the defaults if they have mistakes; the full reading of the file
/// reports those.
pub fn serving(flow: &Path) -> io::Result<Serving> {
    let file = file::outline(flow)?;
    let usual = || Serving { listen: LISTEN.into(), token_file: None, table: file.serve.clone() };
    Ok(read(&file).unwrap_or_else(|_| usual()))
}

/// Reads `[serve]`.
pub fn read(file: &FlowFile) -> Result<Serving, Diagnostic> {
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

/// Returns whether the text of a flow file wants a second person for each activation; `None` if it is no TOML. Any value
/// other than `false` does: one that is written wrongly must not let one person do it.
pub fn second_person_wanted(text: &str) -> Option<bool> {
    let document = Document::parse(text).ok()?;
    let table = document.get("serve").and_then(Item::as_table_like);
    let wanted = table.and_then(|table| table.get(SECOND_PERSON));
    Some(wanted.is_some_and(|wanted| wanted.as_bool() != Some(false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_person_is_wanted_unless_the_flow_file_says_otherwise() {
        for (text, wanted) in [
            ("", Some(false)),
            ("[serve]\nlisten = \"127.0.0.1:1\"\n", Some(false)),
            ("[serve]\nsecond-person = false\n", Some(false)),
            ("[serve]\nsecond-person = true\n", Some(true)),
            ("[serve]\nsecond-person = \"ture\"\n", Some(true)),
            ("[serve\nsecond-person = true\n", None),
        ] {
            assert_eq!(second_person_wanted(text), wanted, "{text}");
        }
    }
}
