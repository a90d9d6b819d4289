//! `tollgate trace`: finds everything that was made of a record, and the source of an output's record.

use std::io::{self, Write};

use diagnostics::{counted, visible, with_causes};
use inspection::{CarriedFile, Delivered, InSuspense, Part, Place, TraceError, Traced, WhereError};
use operate::trace::{SearchBounds, SearchExtent, TraceRecords, TraceRecordsError};
use runtime::shutdown::Shutdown;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::within;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::progress::Progress;

/// Find the way of a record: from a line of an output back to its octets, and on to all that was made of it
#[derive(Debug, clap::Parser)]
#[command(
    name = "trace",
    after_help = "Examples:\n  tollgate trace flow.toml --output roaming-partner-boston-00001.csv --record 17\n  \
                  tollgate trace flow.toml --file boston-00001.ber --offset 4711 --json\n  \
                  tollgate trace flow.toml --where \"record.callDuration > 600\" --file \"boston-*.ber\""
)]
#[command(group(clap::ArgGroup::new("of").required(true).multiple(true).args(["file", "output", "fits"])))]
#[command(group(clap::ArgGroup::new("place").required(true).args(["record", "offset", "fits"])))]
pub(crate) struct Trace {
    #[command(flatten)]
    flow: FlowFile,
    /// A file that was collected: on to what was made of its records; with --where a pattern of names, with * and ?
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    /// A file that was made for a post-processing system: back to where its records came from
    #[arg(long, value_name = "NAME", conflicts_with_all = ["file", "fits"])]
    output: Option<String>,
    /// The records for which an expression over "record" is TRUE, of all files that were collected
    #[arg(long = "where", value_name = "EXPRESSION")]
    fits: Option<String>,
    /// Where the file was collected, if several have files of its name
    #[arg(long, conflicts_with = "output", value_name = "NAME")]
    network_element: Option<String>,
    /// The number of a record in the file, from 1; several with commas between them
    #[arg(long, value_name = "N", value_delimiter = ',')]
    record: Vec<u64>,
    /// An octet of the file, from 0, before it is compressed where it is: the record that it is in
    #[arg(long, value_name = "OCTET", value_delimiter = ',')]
    offset: Vec<u64>,
    #[command(flatten)]
    period: Period,
    /// With --where: how many records are enough
    #[arg(long, value_name = "N", default_value_t = 100, requires = "fits")]
    limit: usize,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Execute for Trace {
    fn run(self) -> Result<Outcome, CommandError> {
        if self.fits.is_none() && self.period.is_given() {
            let message = "--from and --to go with --where: a file is named by its name";
            return Err(CommandError::Mistakes(message.into()));
        }
        let Trace { flow, file, output, fits, network_element, record, offset, .. } = self;
        let (from, to) = self.period.bounds()?;
        let records = record.into_iter().map(Place::Record);
        let request = TraceRecords {
            file,
            network_element,
            output,
            places: records.chain(offset.into_iter().map(Place::Offset)).collect(),
            expression: fits,
            from,
            to,
            ..TraceRecords::default()
        };
        let bounds = SearchBounds { found_max: self.limit, octets_max: u64::MAX };
        let mut out = output::list();
        let (progress, found) = Progress::counting("records found");
        let give = &mut |traced: &Traced| {
            found.count();
            match self.json {
                true => json::line(&mut out, traced),
                false => show(&mut out, traced, ""),
            }
        };
        let searched =
            within(&flow, Shutdown::default(), |context| request.each(context, bounds, give));
        drop(progress);
        let searched = searched.map_err(refused)?;
        out.flush()?;
        Ok(searched.map_or(Outcome::Clean, tell_search))
    }
}

/// Prints what was searched.
fn tell_search(searched: SearchExtent) -> Outcome {
    let SearchExtent { files, records, found, next, problems, problems_more } = searched;
    problems.iter().for_each(|problem| tell!("{problem}"));
    if problems_more > 0 {
        tell!("and {problems_more} more");
    }
    let files = counted(files, "file");
    let more = match next {
        Some(_) => "; there may be more, --limit says how many are enough",
        None => "",
    };
    note!("{found} of {records} records of {files}{more}");
    if problems.is_empty() { Outcome::Clean } else { Outcome::Faults }
}

fn show(out: &mut impl Write, traced: &Traced, indent: &str) -> io::Result<()> {
    let Traced { network_element, file, record, offset, done, job, retried, .. } = traced;
    let file = visible(file);
    let record = record.map_or(String::new(), |record| format!("  record {record}"));
    let offset = offset.map_or(String::new(), |offset| format!("  octet {offset}"));
    let retried = if *retried { ", put through again" } else { "" };
    writeln!(
        out,
        "{indent}{network_element}/{file}{record}{offset}  ({done}, job {job}{retried})"
    )?;
    if let Some(original) = &traced.duplicate_of {
        let original = visible(original);
        return writeln!(out, "{indent}  its file came before, as {original}: it went nowhere");
    }
    for step in &traced.path {
        writeln!(out, "{indent}  {step}")?;
    }
    for Delivered { post_processing_system, file, record, offset, octets, carried } in
        &traced.outputs
    {
        let file = file.display().to_string();
        let file = visible(&file);
        let carried = match carried {
            None => String::new(),
            Some(CarriedFile { state, name: None }) => format!("  ({})", state.word()),
            Some(CarriedFile { state, name: Some(name) }) => {
                format!("  ({} as {})", state.word(), visible(name))
            }
        };
        writeln!(
            out,
            "{indent}  -> {post_processing_system}  {file}{carried}  record {record}  octet {offset}, {octets} octets"
        )?;
    }
    if traced.outputs.is_empty() && traced.suspense.is_empty() && traced.group.is_empty() {
        writeln!(out, "{indent}  nothing was made of it: it was filtered out")?;
    }
    for InSuspense { id, state, node, reason } in &traced.suspense {
        let at = if node.is_empty() { String::new() } else { format!("{node}: ") };
        let (state, reason) = (state.word(), visible(reason));
        writeln!(out, "{indent}  -> suspense {id} ({state})  {at}{reason}")?;
    }
    for Part { group, node, key, file, record, offset } in &traced.group {
        let file = file.as_deref().unwrap_or("a file that is forgotten");
        let (file, key) = (visible(file), visible(key));
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

/// Converts an error, and names the option that may have been meant.
fn refused(error: TraceRecordsError) -> CommandError {
    let option = match &error {
        TraceRecordsError::Trace(TraceError::NoSource(_)) => " (--output)",
        TraceRecordsError::Trace(TraceError::NoOutput(_)) => " (--file)",
        _ => "",
    };
    match error {
        TraceRecordsError::Search(WhereError::Shown(cause)) => CommandError::Write(cause),
        error => CommandError::Mistakes(with_causes(&error) + option),
    }
}
