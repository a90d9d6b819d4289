//! `tollgate charge traces`: messages between peers of Diameter and a charging system, in files.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use operate::prepaid::calls::{
    EndTrace, ExportTrace, ListTraces, RemoveTrace, StartTrace, TracePart,
};
use prepaid::{MessageFile, MessageTrace};

use super::messages::OnlyMessages;
use crate::charging_file::ChargingFile;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// `tollgate charge traces`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Traces {
    /// List the traces that run and those whose files are there, the newest first
    #[command(after_help = "Example:\n  tollgate charge traces list")]
    List(Listed),
    /// Start a trace: messages are written to a file from now on, until its time is over or the file is full
    #[command(
        after_help = "Example:\n  tollgate charge traces start --number 46701234567 --for \"30 minutes\" \\\n      \
                      --because \"ticket 4711: no data\""
    )]
    Start(Started),
    /// End a trace; its file stays
    #[command(after_help = "Example:\n  tollgate charge traces end 3 --because \"found it\"")]
    End(OfTrace),
    /// Write the file of a trace: for Wireshark, or as XML
    #[command(after_help = "Example:\n  tollgate charge traces export 3 call.pcapng")]
    Export(Exported),
    /// Remove the file of a trace that has ended
    #[command(
        after_help = "Example:\n  tollgate charge traces remove 3 --because \"ticket 4711 is closed\""
    )]
    Remove(OfTrace),
}

/// Arguments of `tollgate charge traces list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge traces start`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["number", "session", "peer", "all"]))]
pub(crate) struct Started {
    #[command(flatten)]
    only: OnlyMessages,
    /// All messages
    #[arg(long, conflicts_with_all = ["number", "session", "peer"])]
    all: bool,
    /// For how long at most: 30 minutes by default, up to a day
    #[arg(long = "for", value_name = "LENGTH")]
    length: Option<String>,
    /// The size with which the file is full: 100 MB by default, up to 1 GB
    #[arg(long)]
    size: Option<String>,
    /// The reason
    #[arg(long)]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge traces end` and `remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct OfTrace {
    /// The number of the trace
    #[arg(value_name = "NUMBER")]
    trace: u32,
    /// The reason
    #[arg(long)]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge traces export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Exported {
    /// The number of the trace
    #[arg(value_name = "NUMBER")]
    trace: u32,
    /// The file that is written
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// As XML
    #[arg(long)]
    xml: bool,
    #[command(flatten)]
    charging: ChargingFile,
}

const TRACES: [Column; 9] = [
    number("trace"),
    free("of"),
    text("since"),
    text("until"),
    text("state"),
    number("messages"),
    number("missing"),
    number("octets"),
    free("who, and why"),
];

impl Traces {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Traces::List(Listed { charging, json }) => {
                let list = charge(&charging.path, ListTraces {})?;
                let mut rows = Rows::begin(json, &TRACES);
                for trace in &list.traces {
                    rows.row(trace, row)?;
                }
                rows.end()?;
            }
            Traces::Start(started) => start(started)?,
            Traces::End(OfTrace { trace, because, charging, json }) => {
                let ended = charge(&charging.path, EndTrace { trace, because })?;
                match json {
                    true => json::line(&mut output::lines(), &ended)?,
                    false => say!("the trace {trace} has ended: {}", holds(&ended))?,
                }
            }
            Traces::Export(exported) => export(exported)?,
            Traces::Remove(OfTrace { trace, because, charging, json }) => {
                let rest = charge(&charging.path, RemoveTrace { trace, because })?;
                match json {
                    true => json::line(&mut output::lines(), &rest)?,
                    false => say!("the trace {trace} is removed")?,
                }
            }
        }
        Ok(Outcome::Clean)
    }
}

fn start(started: Started) -> Result<(), CommandError> {
    let Started { only, length, size, because, charging, json, .. } = started;
    let OnlyMessages { number, session, peer } = only;
    let start = StartTrace { number, session, peer, length, size, because };
    let trace = charge(&charging.path, start)?;
    if json {
        return Ok(json::line(&mut output::lines(), &trace)?);
    }
    let MessageTrace { trace: number, until, octets_max, .. } = &trace;
    let of = trace.of();
    say!(
        "the trace {number} of {of} runs until {until}, or until its file has {octets_max} octets"
    )?;
    Ok(())
}

fn export(Exported { trace, file: path, xml, charging }: Exported) -> Result<(), CommandError> {
    let form = Some(if xml { MessageFile::Xml } else { MessageFile::Pcapng });
    let mut next = Some(0);
    let mut file = None;
    while let Some(from) = next {
        let part = charge(&charging.path, ExportTrace { trace, form, from: Some(from) })?;
        let TracePart { octets, next: behind } = part;
        // The charging system writes no other text there.
        let octets = STANDARD.decode(octets).unwrap_or_default();
        // The first part proves that there is such a trace: a file is not overwritten before.
        let mut write = || {
            if file.is_none() {
                file = Some(File::create(&path)?);
            }
            file.as_mut().map_or(Ok(()), |file| file.write_all(&octets))
        };
        write().map_err(|cause| CommandError::WriteFile { path: path.clone(), cause })?;
        next = behind;
    }
    Ok(())
}

fn row(trace: &MessageTrace) -> [Cell; 9] {
    let state = match &trace.ended_because {
        Some(why) => format!("ended: {why}"),
        None => "runs".to_owned(),
    };
    let count = |of: Option<u64>| of.map_or_else(|| "?".to_owned(), |count| count.to_string());
    [
        cell(trace.trace),
        cell(trace.of()),
        cell(&trace.since),
        cell(trace.ended.as_ref().unwrap_or(&trace.until)),
        cell(state),
        cell(count(trace.messages)),
        cell(count(trace.dropped)),
        cell(trace.octets),
        cell(format!("{}: {}", trace.who, trace.because)),
    ]
}

fn holds(trace: &MessageTrace) -> String {
    let messages = trace.messages.unwrap_or_default();
    match trace.dropped.unwrap_or_default() {
        0 => format!("{messages} messages"),
        dropped => format!("{messages} messages, and {dropped} came too fast and may be missing"),
    }
}
