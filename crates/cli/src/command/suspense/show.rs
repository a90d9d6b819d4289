//! `tollgate suspense show`.

use std::io::{self, Write};

use operate::{correct::Event, correct::Shown, correct::show};
use serde::Serialize;
use serde_json::value::RawValue;
use suspense::Suspended;

use super::octets::dump;
use super::pretty::pretty;
use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::product::PARTS;

/// Arguments of `tollgate suspense show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the record, as "suspense list" shows it
    number: Option<i64>,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (flow, number) = self.flow.and_one(self.number, "NUMBER")?;
        let shown = show(&flow, PARTS, number).map_err(refused)?;
        let mut out = output::list();
        match self.json {
            true => writeln!(out, "{}", object(&shown).map_err(io::Error::from)?)?,
            false => write(&mut out, &shown)?,
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

/// A record as `list` shows it, with its contents and history.
#[derive(Serialize)]
struct Object<'s> {
    #[serde(flatten)]
    record: &'s Suspended,
    /// The JSON as it is, since parsing it would lose large numbers and the order of components.
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<&'s RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_decoded: Option<String>,
    history: &'s [Event],
}

fn object(shown: &Shown) -> serde_json::Result<String> {
    let decoded = shown.json.as_ref().ok();
    serde_json::to_string(&Object {
        record: &shown.record,
        decoded: decoded.map(|json| serde_json::from_str(json)).transpose()?,
        not_decoded: shown.json.as_ref().err().map(ToString::to_string),
        history: &shown.history,
    })
}

fn write(out: &mut impl Write, shown: &Shown) -> io::Result<()> {
    let record = &shown.record;
    let node = if record.node.is_empty() { "could not be read" } else { record.node.as_str() };
    writeln!(out, "record {} in suspense since {}", record.id, record.since)?;
    writeln!(
        out,
        "  from    {}/{}, record {} at octet {}",
        record.network_element, record.file, record.record, record.offset
    )?;
    writeln!(out, "  where   {node}")?;
    writeln!(out, "  why     {}", record.reason)?;
    let requested = if record.is_retry_requested { ", to be retried" } else { "" };
    writeln!(out, "  state   {}{requested}", format!("{:?}", record.state).to_lowercase())?;
    for Event { at, who, action, because, outcome, reason } in &shown.history {
        let what = outcome.as_ref().map_or(String::new(), |outcome| format!(": {outcome}"));
        let why = reason.as_ref().map_or(String::new(), |reason| format!(", {reason}"));
        let reason = if because.is_empty() { String::new() } else { format!(", \"{because}\"") };
        writeln!(out, "  {at}  {who}  {action}{what}{why}{reason}")?;
    }
    writeln!(out, "\n{} octets", record.octets.len())?;
    dump(out, &record.octets)?;
    if let Some(original) = &shown.original {
        writeln!(out, "\nit came with {} octets", original.len())?;
        dump(out, original)?;
    }
    match &shown.json {
        Ok(json) => writeln!(out, "\n{}", pretty(json)),
        Err(reason) => writeln!(out, "\nit does not decode: {reason}"),
    }
}
