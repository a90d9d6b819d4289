//! `tollgate suspense list`.

use std::io::{self, Write};

use clap::ValueEnum;
use diagnostics::visible;
use suspense::{Alike, State, Suspended, alike, list};

use super::choose::By;
use crate::flow_file::FlowFile;
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;

/// Arguments of `tollgate suspense list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    flow: FlowFile,
    #[command(flatten)]
    by: By,
    /// What became of them
    #[arg(long, default_value = "open")]
    state: StateNamed,
    /// How many there are of each network element, node and reason, the most first
    #[arg(long)]
    count: bool,
    /// One JSON object a line, with the octets
    #[arg(long)]
    json: bool,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum StateNamed {
    /// Nothing yet
    Open,
    /// It was put through again, and is where it belongs
    Retried,
    /// It was given up
    Discarded,
    /// Whatever it was
    All,
}

impl StateNamed {
    fn state(self) -> Option<State> {
        match self {
            StateNamed::Open => Some(State::Open),
            StateNamed::Retried => Some(State::Retried),
            StateNamed::Discarded => Some(State::Discarded),
            StateNamed::All => None,
        }
    }
}

impl List {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let filter = self.by.filter(&self.flow, self.state.state())?;
        let mut out = output::list();
        if self.count {
            let counts = alike(&self.flow, &filter).map_err(refused)?;
            counts.iter().try_for_each(|alike| match self.json {
                true => json::line(&mut out, alike),
                false => count(&mut out, alike),
            })?;
        } else {
            let written = list(&self.flow, &filter, |record| match self.json {
                true => json::line(&mut out, &record),
                false => line(&mut out, &record),
            });
            written.map_err(refused)??;
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

pub(super) fn count(out: &mut impl Write, alike: &Alike) -> io::Result<()> {
    let Alike { records, network_element, node, reason, first, .. } = alike;
    let at = at(node);
    let row = format!("{records:>8}  {network_element}  {at}{reason}  (the first is {first})");
    writeln!(out, "{}", visible(&row))
}

fn line(out: &mut impl Write, suspended: &Suspended) -> io::Result<()> {
    let Suspended { id, since, network_element, file, record, offset, node, reason, .. } =
        suspended;
    let (at, marks) = (at(node), marks(suspended));
    let row = format!(
        "{id:>6}  {since}  {network_element}/{file}  record {record} at octet {offset}  {marks}{at}{reason}"
    );
    writeln!(out, "{}", visible(&row))
}

fn at(node: &str) -> String {
    if node.is_empty() { String::new() } else { format!("{node}: ") }
}

/// Returns further marks of a record, in brackets.
fn marks(suspended: &Suspended) -> String {
    let Suspended { state, is_retry_requested, edited, retries, .. } = suspended;
    let marks = [
        (*state == State::Discarded).then(|| "discarded".to_owned()),
        (*state == State::Retried).then(|| "retried".to_owned()),
        is_retry_requested.then(|| "to be retried".to_owned()),
        edited.then(|| "edited".to_owned()),
        (*state == State::Open && *retries > 0).then(|| format!("failed again {retries}x")),
    ];
    let marks: Vec<String> = marks.into_iter().flatten().collect();
    if marks.is_empty() { String::new() } else { format!("[{}] ", marks.join(", ")) }
}
