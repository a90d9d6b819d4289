//! `tollgate matching`: the groups of records that wait for others, and what became of those that do no more.

use std::io::{self, Write};
use std::path::PathBuf;

use flow::{HeldGroup, HeldPart, HeldQuery};

use super::{CommandError, Outcome, json};

/// Subcommands of `tollgate matching`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Matching {
    /// List the groups that wait, the oldest first
    #[command(
        after_help = "Example:\n  tollgate matching list flow.toml --node longCalls --limit 20"
    )]
    List(List),
    /// Show the groups of a key: each record, when and where it came from, and why they wait no more
    #[command(after_help = "Example:\n  tollgate matching show flow.toml 4711")]
    Show(Show),
}

impl Matching {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Matching::List(list) => list.run(),
            Matching::Show(show) => show.run(),
        }
    }
}

/// Arguments of `tollgate matching list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The flow file
    #[arg(default_value = "flow.toml")]
    flow: PathBuf,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// So many at most
    #[arg(long)]
    limit: Option<u64>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate matching show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The flow file
    flow: PathBuf,
    /// What the records have in common, as `list` shows it
    key: String,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let List { flow, node, limit, json } = self;
        let groups = asked(&flow, &HeldQuery { node, key: None, limit })?;
        let mut out = io::stdout().lock();
        for group in &groups {
            match json {
                true => json::line(&mut out, group)?,
                false => writeln!(out, "{}", line(group))?,
            }
        }
        Ok(Outcome::Clean)
    }
}

impl Show {
    fn run(self) -> Result<Outcome, CommandError> {
        let Show { flow, key, node, json } = self;
        let query = HeldQuery { node, key: Some(key), limit: None };
        let groups = asked(&flow, &query)?;
        if groups.is_empty() {
            let key = query.key.unwrap_or_default();
            let message = format!("no group \"{key}\" waits, or did as long as that is remembered");
            return Err(CommandError::Mistakes(message));
        }
        let mut out = io::stdout().lock();
        for group in &groups {
            match json {
                true => json::line(&mut out, group)?,
                false => show(group, &mut out)?,
            }
        }
        Ok(Outcome::Clean)
    }
}

fn asked(flow: &std::path::Path, query: &HeldQuery) -> Result<Vec<HeldGroup>, CommandError> {
    flow::held(flow, query).map_err(|error| CommandError::Mistakes(crate::chain(&error)))
}

/// A group in a line.
fn line(group: &HeldGroup) -> String {
    let HeldGroup { id, node, key, since, first, records, .. } = group;
    let records = diagnostics::counted(*records as usize, "record");
    let made = first.as_ref().map_or(String::new(), |first| format!(", the first made {first}"));
    format!("{id:>6}  {since}  {node}  {key}: {records}{made}")
}

/// A group and its records, to a person.
fn show(group: &HeldGroup, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", line(group))?;
    for HeldPart { came, network_element, file, record, offset, made, .. } in &group.parts {
        let came = came.as_deref().unwrap_or("-");
        let element = network_element.as_deref().unwrap_or("-");
        let file = file.as_deref().unwrap_or("-");
        let made = made.as_ref().map_or(String::new(), |made| format!(", made {made}"));
        writeln!(out, "        {came}  {element}/{file}  record {record} at {offset}{made}")?;
    }
    let HeldGroup { release, released, released_by, .. } = group;
    match (release, released) {
        (Some(release), Some(at)) => {
            let by = released_by.as_ref().map_or(String::new(), |by| format!(", by {by}"));
            writeln!(out, "        {at}  {release}{by}")
        }
        _ => writeln!(out, "        it waits"),
    }
}
