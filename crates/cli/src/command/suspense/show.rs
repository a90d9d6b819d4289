//! `tollgate suspense show`.

use std::io::{self, Write};

use operate::octets::Octets;
use operate::suspense::{RecordAction, RecordDetail, ShowRecord};

use super::octets::dump;
use super::pretty::pretty;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

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
        let (flow, id) = self.flow.and_one(self.number, "NUMBER")?;
        let shown = perform(&flow, ShowRecord { id })?;
        let mut out = output::list();
        match self.json {
            true => json::line(&mut out, &shown)?,
            false => write(&mut out, &shown)?,
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

fn write(out: &mut impl Write, shown: &RecordDetail) -> io::Result<()> {
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
    for RecordAction { at, who, action, because, outcome, reason } in &shown.history {
        let what = outcome.map_or(String::new(), |outcome| format!(": {}", outcome.word()));
        let why = reason.as_ref().map_or(String::new(), |reason| format!(", {reason}"));
        let reason = if because.is_empty() { String::new() } else { format!(", \"{because}\"") };
        writeln!(out, "  {at}  {who}  {action}{what}{why}{reason}")?;
    }
    writeln!(out, "\n{} octets", record.octets.len())?;
    dump(out, &record.octets)?;
    if let Some(Octets(original)) = &shown.came {
        writeln!(out, "\nit came with {} octets", original.len())?;
        dump(out, original)?;
    }
    if let Some(json) = &shown.json {
        writeln!(out, "\n{}", pretty(json.get()))?;
    }
    match &shown.problem {
        Some(problem) => writeln!(out, "\nit does not decode: {problem}"),
        None => Ok(()),
    }
}
