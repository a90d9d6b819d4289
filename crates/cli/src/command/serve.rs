//! `tollgate serve`: the gateway of `run`, with its browser interface and the API behind it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use ::serve::{Greeting, Served, ServedError, ServedRun, Server};
use diagnostics::{Diagnostic, plain, with_causes};
use flow::flow_journal;
use flow::meters::Meters;
use gateway::RunError;
use remote::server::Tls;
use runtime::shutdown::Shutdown;

use crate::execute::Execute;
use crate::gateway::Gateway;
use crate::outcome::{CommandError, Outcome, mistakes};
use crate::product::{PARTS, REPLAY_PROCESS, process};
use crate::scripts::language::Scripts;

/// Run a flow as "run" does, and serve its interface for a browser: the graph, scripts, records, alarms; and figures
///
/// The first start prints a link by which the first administrator comes in. Programs ask the same address: the API is
/// described there, and /healthz, /readyz and /metrics say how the gateway is.
#[derive(Debug, clap::Parser)]
#[command(
    name = "serve",
    after_help = "Example:\n  tollgate serve flow.toml --listen 127.0.0.1:8080"
)]
pub(crate) struct Serve {
    #[command(flatten)]
    gateway: Gateway,
    /// Where to listen; as the flow says, or else 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

impl Execute for Serve {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        let Serve { gateway, listen } = self;
        let meters = Arc::<Meters>::default();
        let flow = gateway.flow.clone();
        gateway.run(PARTS, Arc::clone(&meters), |stop| start(&flow, listen, meters, stop))
    }
}

/// Starts to listen before anything is processed. If that fails, nothing is processed.
fn start(
    flow: &Path,
    listen: Option<String>,
    meters: Arc<Meters>,
    stop: Shutdown,
) -> Result<Server, CommandError> {
    // A first start that fails leaves nothing behind.
    if flow_journal::existing(flow).is_err() {
        check(flow)?;
    }
    let serving = flow::serving(flow).map_err(CommandError::Write)?;
    // The server opens its own journal beside that of the run, so it waits for room too.
    gateway::wait_for_room(flow, PARTS, &stop);
    let token = serving.token_file.as_deref().map(token).transpose()?;
    let tls = serving.table.as_ref().map_or(Ok(None), Tls::read);
    let tls = tls.map_err(|mistake| all_mistakes(flow, mistake))?;
    let greeting = tls.map(|tls| -> Greeting { Arc::new(move || tls.acceptor()) });
    let protocol = if greeting.is_some() { "https" } else { "http" };
    let refused = |error: ServedError| CommandError::Mistakes(with_causes(&error));
    let replays_by = process(REPLAY_PROCESS);
    let run = ServedRun { parts: PARTS, language: &Scripts, meters, stop, token, replays_by };
    let served = Served::new(flow.to_path_buf(), run).map_err(refused)?;
    let link = served.first_link().map_err(refused)?;
    let listen = listen.unwrap_or(serving.listen);
    if greeting.is_none() && is_reached_by_others(&listen) {
        tracing::warn!(
            "passwords and records go unencrypted at {listen}: name \"certificate-file\" and \"key-file\" in [serve], or \
             let a proxy before it encrypt"
        );
    }
    let server = ::serve::start(&listen, greeting, served)
        .map_err(|error| CommandError::Mistakes(with_causes(&error)))?;
    let address = server.address;
    tracing::info!("listening on {protocol}://{address}");
    if let Some(link) = link {
        let (here, hint) = opened(address);
        // The link goes to standard error and not to the log, so that later readers of the log cannot use it.
        tell!(
            "\nNo administrator exists yet. Open this link once, within 24 hours, to become the administrator:\n\n  \
             {protocol}://{here}/welcome#{link}\n{hint}"
        );
    }
    Ok(server)
}

/// Refuses a flow with mistakes.
fn check(flow: &Path) -> Result<(), CommandError> {
    let found = gateway::check(flow, PARTS);
    if !found.iter().any(Diagnostic::is_error) {
        return Ok(());
    }
    match flow.file_name().is_some_and(|name| name == "charging.toml") {
        true => Err(CommandError::Mistakes(format!(
            "\"{0}\" defines a charging system, not a flow. `tollgate charge run {0}` runs it. To see it in a browser, run \
             `tollgate serve` with a flow file in the same folder",
            flow.display()
        ))),
        false => Err(mistakes(RunError::Mistakes(found))),
    }
}

/// Returns all mistakes of a flow with a known mistake, since the cause may be another one.
fn all_mistakes(flow: &Path, mistake: Diagnostic) -> CommandError {
    let mut found = gateway::check(flow, PARTS);
    if !found.contains(&mistake) {
        found.push(mistake);
    }
    mistakes(RunError::Mistakes(found))
}

/// Returns an address that a browser can open, and a hint for other machines. "All addresses" cannot be opened.
fn opened(mut address: SocketAddr) -> (SocketAddr, String) {
    if !address.ip().is_unspecified() {
        return (address, String::new());
    }
    address.set_ip(match address.ip() {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    });
    let here = match address.ip() {
        IpAddr::V4(here) => here.to_string(),
        IpAddr::V6(here) => format!("[{here}]"),
    };
    (address, format!("\nOn another machine, write this one's name in the place of {here}.\n"))
}

fn is_reached_by_others(listen: &str) -> bool {
    listen.parse::<SocketAddr>().is_ok_and(|address| !address.ip().is_loopback())
}

/// Maximum size of a token file, in octets.
const TOKEN_OCTETS_MAX: u64 = 64 << 10;

fn token(path: &Path) -> Result<String, CommandError> {
    let text = plain::read_text(path, TOKEN_OCTETS_MAX)
        .map_err(|cause| CommandError::Read { path: path.into(), cause })?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(CommandError::Mistakes(format!("\"{}\" is empty", path.display()))),
        token => Ok(token.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_an_address_that_can_be_opened() {
        for (listened, wanted, hint) in [
            ("127.0.0.1:8080", "127.0.0.1:8080", None),
            ("192.0.2.1:80", "192.0.2.1:80", None),
            ("0.0.0.0:8443", "127.0.0.1:8443", Some("in the place of 127.0.0.1.")),
            ("[::]:8443", "[::1]:8443", Some("in the place of [::1].")),
        ] {
            let (here, message) = opened(listened.parse().expect("an address"));
            assert_eq!(here.to_string(), wanted);
            assert!(hint.map_or(message.is_empty(), |hint| message.contains(hint)), "{message}");
        }
    }
}
