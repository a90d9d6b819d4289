//! `tollgate trace`: from a record to all that was made of it, and back.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use flow::{Delivered, InSuspense, Part, Place, TraceQuery, Traced};

use super::{CommandError, Outcome, json};
use crate::logging::{Newlines, shown};

/// Arguments of `tollgate trace`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("of").required(true).args(["file", "output"])))]
#[command(group(clap::ArgGroup::new("place").required(true).args(["record", "offset"])))]
pub(crate) struct Trace {
    /// The flow file
    #[arg(default_value = "flow.toml")]
    flow: PathBuf,
    /// A file that was collected: on to what was made of its records
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    /// A file that was made for a post-processing system: back to where its records came from
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Where the file was collected, if several have files of its name
    #[arg(long, requires = "file", value_name = "NAME")]
    network_element: Option<String>,
    /// The number of a record in the file, from 1; several with commas between them
    #[arg(long, value_name = "N", value_delimiter = ',')]
    record: Vec<u64>,
    /// An octet of the file, from 0: the record that it is in
    #[arg(long, value_name = "OCTET", value_delimiter = ',')]
    offset: Vec<u64>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Trace {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let records = self.record.into_iter().map(Place::Record);
        let places = records.chain(self.offset.into_iter().map(Place::Offset)).collect();
        let query = match (self.file, self.output) {
            (Some(file), _) => {
                TraceQuery::Source { file, network_element: self.network_element, places }
            }
            (None, output) => TraceQuery::Output { file: output.unwrap_or_default(), places },
        };
        let traced = flow::trace(&self.flow, &query)
            .map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
        let mut out = BufWriter::new(io::stdout().lock());
        traced.iter().try_for_each(|traced| match self.json {
            true => json::line(&mut out, traced),
            false => show(&mut out, traced, ""),
        })?;
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

fn show(out: &mut impl Write, traced: &Traced, indent: &str) -> io::Result<()> {
    let Traced { network_element, file, record, offset, done, job, retried, .. } = traced;
    let file = shown(file, Newlines::Replaced);
    let record = record.map_or(String::new(), |record| format!("  record {record}"));
    let offset = offset.map_or(String::new(), |offset| format!("  octet {offset}"));
    let retried = if *retried { ", put through again" } else { "" };
    writeln!(
        out,
        "{indent}{network_element}/{file}{record}{offset}  ({done}, job {job}{retried})"
    )?;
    if let Some(original) = &traced.duplicate_of {
        let original = shown(original, Newlines::Replaced);
        return writeln!(out, "{indent}  its file came before, as {original}: it went nowhere");
    }
    for step in &traced.way {
        writeln!(out, "{indent}  {step}")?;
    }
    for Delivered { post_processing_system, file, record, offset, octets } in &traced.outputs {
        let file = file.display().to_string();
        let file = shown(&file, Newlines::Replaced);
        writeln!(
            out,
            "{indent}  -> {post_processing_system}  {file}  record {record}  octet {offset}, {octets} octets"
        )?;
    }
    if traced.outputs.is_empty() && traced.suspense.is_empty() && traced.group.is_empty() {
        writeln!(out, "{indent}  nothing was made of it: it was filtered out")?;
    }
    for InSuspense { id, state, node, reason } in &traced.suspense {
        let at = if node.is_empty() { String::new() } else { format!("{node}: ") };
        let reason = shown(reason, Newlines::Replaced);
        writeln!(out, "{indent}  -> suspense {id} ({state})  {at}{reason}")?;
    }
    for Part { group, node, key, file, record, offset } in &traced.group {
        let file = file.as_deref().unwrap_or("a file that is forgotten");
        let (file, key) = (shown(file, Newlines::Replaced), shown(key, Newlines::Replaced));
        writeln!(
            out,
            "{indent}  group {group} of {node}, \"{key}\": {file}  record {record}  octet {offset}"
        )?;
    }
    if !traced.later.is_empty() {
        writeln!(out, "{indent}  later:")?;
    }
    traced.later.iter().try_for_each(|later| show(out, later, &format!("{indent}    ")))
}
