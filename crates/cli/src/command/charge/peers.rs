//! `tollgate charge peers`: shows the peers of Diameter, and lets one in.

use operate::prepaid::calls::{AllowPeer, ListPeers, PeerList};
use prepaid::{ConnectedPeer, PeerAlarm, PeerConnection, PeerResult, RefusedPeer};

use crate::charging_file::ChargingFile;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::Aside;
use crate::table::{Cell, Column, Table, cell, number, text};

/// `tollgate charge peers`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Peers {
    /// List the peers that are or were connected, and those that were refused
    #[command(after_help = "Example:\n  tollgate charge peers list")]
    List(Listed),
    /// Let a peer in: a table in the definition names it from then on
    #[command(
        after_help = "Example:\n  tollgate charge peers allow smf.example.net --profile open5gs --because \"the new SMF\""
    )]
    Allow(Allowed),
}

/// Arguments of `tollgate charge peers list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge peers allow`.
#[derive(Debug, clap::Args)]
pub(crate) struct Allowed {
    /// The name of the peer's node: its Origin-Host
    peer: String,
    /// What it needs: standard, open5gs, kamailio, cisco, nokia or magma
    #[arg(long)]
    profile: Option<String>,
    /// The reason
    #[arg(long)]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

const PEERS: [Column; 7] = [
    text("peer"),
    text("address"),
    text("over"),
    text("state"),
    text("since"),
    number("requests"),
    text("results"),
];

const REFUSED: [Column; 5] =
    [text("refused peer"), text("address"), text("last time"), number("attempts"), text("why")];

impl Peers {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Peers::List(Listed { charging, json }) => {
                show(&charge(&charging.path, ListPeers {})?, json)
            }
            Peers::Allow(Allowed { peer, profile, because, charging, json }) => {
                let allow = AllowPeer { peer: peer.clone(), profile, because };
                let list = charge(&charging.path, allow)?;
                if json {
                    return show(&list, true);
                }
                say!("\"{peer}\" may connect from now on")?;
                Ok(Outcome::Clean)
            }
        }
    }
}

fn show(list: &PeerList, is_json: bool) -> Result<Outcome, CommandError> {
    if is_json {
        json::line(&mut output::lines(), list)?;
        return Ok(Outcome::Clean);
    }
    if !list.served {
        tell!("no charging system with [diameter] runs");
    }
    for PeerAlarm { peer, text, since, .. } in &list.alarms {
        say!("ALARM since {since}: the peer {peer}: {text}")?;
    }
    let mut table = Table::report(Aside(std::io::stdout()), &PEERS);
    for peer in &list.peers {
        for row in rows(peer) {
            table.row(row)?;
        }
    }
    table.end()?;
    for peer in &list.peers {
        if let Some(odd) = odd_words(peer) {
            say!("{}: {odd}", peer.host)?;
        }
    }
    if list.refused.is_empty() {
        return Ok(Outcome::Clean);
    }
    if !list.peers.is_empty() {
        say!("")?;
    }
    let mut table = Table::report(Aside(std::io::stdout()), &REFUSED);
    for RefusedPeer { host, address, at, attempts, why, .. } in &list.refused {
        table.row([cell(host), cell(address), cell(at), cell(attempts), cell(why)])?;
    }
    table.end()?;
    Ok(Outcome::Clean)
}

/// Returns what is odd about the messages of a peer, with how often.
fn odd_words(
    ConnectedPeer { discarded, orphans, unequal_octets, .. }: &ConnectedPeer,
) -> Option<String> {
    let words = [
        (orphans, "reports of usage in sessions that are not known"),
        (unequal_octets, "services whose total of octets is not the sum of both directions"),
        (discarded, "messages that were passed over"),
    ];
    let words = words.into_iter().filter(|(count, _)| **count > 0);
    let words: Vec<String> = words.map(|(count, what)| format!("{count} {what}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Returns a row for each connection of a peer, or one for a peer without any.
fn rows(peer: &ConnectedPeer) -> Vec<[Cell; 7]> {
    let result = |PeerResult { code, count }: &PeerResult| match code {
        0 => format!("others: {count}"),
        code => format!("{code}: {count}"),
    };
    let results: Vec<String> = peer.results.iter().map(result).collect();
    let results = results.join(", ");
    let row = |address: &str, over: &str, state: String, since: &str| {
        [
            cell(&peer.host),
            cell(address),
            cell(over),
            cell(state),
            cell(since),
            cell(peer.requests),
            cell(&results),
        ]
    };
    if peer.connections.is_empty() {
        let why = peer.ended_because.as_deref().unwrap_or_default();
        let since = peer.ended.as_deref().unwrap_or_default();
        return vec![row("", "", format!("gone: {why}"), since)];
    }
    let connection = |of: &PeerConnection| {
        let state = if of.suspect { "does not answer" } else { "open" };
        row(&of.address, &of.transport, state.to_owned(), &of.since)
    };
    peer.connections.iter().map(connection).collect()
}
