//! `tollgate charge messages`: the last messages between peers of Diameter and a charging system.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use diagnostics::visible;
use operate::prepaid::calls::{ListMessages, Messages};
use prepaid::{MessageAvp, MessageFile, PeerMessage};

use crate::charging_file::ChargingFile;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, text};

/// Which messages a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct OnlyMessages {
    /// Only messages of sessions of this number
    #[arg(long)]
    pub(super) number: Option<String>,
    /// Only messages of this session: its Session-Id, or the key that "charge sessions --json" shows
    #[arg(long)]
    pub(super) session: Option<String>,
    /// Only messages of this peer
    #[arg(long)]
    pub(super) peer: Option<String>,
}

/// Arguments of `tollgate charge messages`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShownMessages {
    #[command(flatten)]
    only: OnlyMessages,
    /// The newest of them, so many at most
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Show all AVPs of each message
    #[arg(long, conflicts_with = "json")]
    avps: bool,
    /// Write them to a file for Wireshark, too
    #[arg(long, value_name = "FILE", conflicts_with = "xml")]
    pcapng: Option<PathBuf>,
    /// Write them to a file of XML, too
    #[arg(long, value_name = "FILE")]
    xml: Option<PathBuf>,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

const MESSAGES: [Column; 5] =
    [text("time"), text("peer"), text("to or from it"), text("command"), text("what it says")];

impl ShownMessages {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ShownMessages { only, limit, avps, pcapng, xml, charging, json } = self;
        let OnlyMessages { number, session, peer } = only;
        let target = match (pcapng, xml) {
            (Some(path), _) => Some((MessageFile::Pcapng, path)),
            (None, Some(path)) => Some((MessageFile::Xml, path)),
            (None, None) => None,
        };
        let (limit, file) = (Some(limit), target.as_ref().map(|(form, _)| *form));
        let list = ListMessages { number, session, peer, limit, file };
        let Messages { messages, file, .. } = charge(&charging.path, list)?;
        if let (Some((_, path)), Some(file)) = (target, file) {
            // The charging system writes no other text there.
            let octets = STANDARD.decode(file).unwrap_or_default();
            std::fs::write(&path, octets)
                .map_err(|cause| CommandError::WriteFile { path, cause })?;
        }
        if avps {
            return with_avps(&messages);
        }
        let mut rows = Rows::begin(json, &MESSAGES);
        for message in &messages {
            rows.row(message, line)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn line(of: &PeerMessage) -> [Cell; 5] {
    let direction = if of.sent { "◀── to" } else { "──▶ from" };
    [cell(&of.at), cell(&of.peer), cell(direction), cell(&of.command), cell(&of.summary)]
}

fn with_avps(messages: &[PeerMessage]) -> Result<Outcome, CommandError> {
    for message in messages {
        let PeerMessage { at, peer, sent, command, summary, avps, .. } = message;
        let direction = if *sent { "to" } else { "from" };
        say!("{at} {command} {direction} {}: {}", visible(peer), visible(summary))?;
        say_avps(avps, 1)?;
    }
    Ok(Outcome::Clean)
}

fn say_avps(avps: &[MessageAvp], depth: usize) -> Result<(), CommandError> {
    for MessageAvp { name, code, vendor, value, members } in avps {
        let indent = "  ".repeat(depth);
        let name = match (name.as_str(), vendor) {
            ("", 0) => format!("AVP {code}"),
            ("", vendor) => format!("AVP {code} of vendor {vendor}"),
            (name, _) => name.to_owned(),
        };
        match members.is_empty() {
            true => say!("{indent}{name}: {}", visible(value))?,
            false => say!("{indent}{name}")?,
        }
        say_avps(members, depth + 1)?;
    }
    Ok(())
}
