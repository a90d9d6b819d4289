//! `tollgate suspense list`.

use std::io::{self, Write};

use clap::ValueEnum;
use diagnostics::{counted, visible};
use operate::page::{PageQuery, ROWS_MAX};
use operate::suspense::{CountRecords, ListRecords, RecordGroups, Records, StateFilter};
use suspense::{Alike, CommonValue, CommonValues, State, Suspended};

use super::choose::By;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
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
    fn state(self) -> StateFilter {
        match self {
            StateNamed::Open => StateFilter::Open,
            StateNamed::Retried => StateFilter::Retried,
            StateNamed::Discarded => StateFilter::Discarded,
            StateNamed::All => StateFilter::All,
        }
    }
}

impl List {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let mut out = output::list();
        match self.count {
            true => self.groups(&mut out)?,
            false => self.records(&mut out)?,
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }

    fn groups(&self, out: &mut impl Write) -> Result<(), CommandError> {
        let filter = self.by.filter(self.state.state());
        let request = CountRecords { filter, ids: None, limit: Some(ROWS_MAX) };
        let RecordGroups { groups, more, .. } = perform(&self.flow, request)?;
        groups.iter().try_for_each(|alike| match self.json {
            true => json::line(out, alike),
            false => count(out, alike),
        })?;
        if more {
            tell!(
                "there are more groups than these {}: narrow them down by a filter",
                groups.len()
            );
        }
        Ok(())
    }

    fn records(&self, out: &mut impl Write) -> Result<(), CommandError> {
        let filter = self.by.filter(self.state.state());
        let mut page = PageQuery::after(0);
        loop {
            let request = ListRecords { filter: filter.clone(), page };
            let Records { records, more, .. } = perform(&self.flow, request)?;
            records.iter().try_for_each(|record| match self.json {
                true => json::line(out, record),
                false => line(out, record),
            })?;
            page.after = records.last().map(|record| record.id);
            if !more {
                return Ok(());
            }
        }
    }
}

pub(super) fn count(out: &mut impl Write, alike: &Alike) -> io::Result<()> {
    let Alike { records, network_element, node, reason, code, common, counted, first, .. } = alike;
    let at = at(node);
    let code = if code.is_empty() { String::new() } else { format!("{code}, ") };
    let row =
        format!("{records:>8}  {network_element}  {at}{reason}  ({code}the first is {first})");
    writeln!(out, "{}", visible(&row))?;
    let of = match counted < records {
        true => format!(" (of the newest {counted})"),
        false => String::new(),
    };
    common.iter().try_for_each(|common| writeln!(out, "{:>10}{}{of}", "", visible(&values(common))))
}

/// Returns the most frequent values of a parameter: `number: 4671, 33 records; 4672, 2 records; 12 others`.
fn values(CommonValues { name, values, others }: &CommonValues) -> String {
    let value = |CommonValue { value, records }: &CommonValue| {
        format!("{value}, {}", counted(*records as usize, "record"))
    };
    let mut parts: Vec<String> = values.iter().map(value).collect();
    if *others > 0 {
        parts.push(counted(*others as usize, "other"));
    }
    format!("{name}: {}", parts.join("; "))
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
