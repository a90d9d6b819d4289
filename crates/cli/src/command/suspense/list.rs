//! `tollgate suspense list`.

use std::io::{self, Write};

use clap::ValueEnum;
use diagnostics::{counted, visible};
use operate::page::{PageQuery, ROWS_MAX};
use operate::suspense::{CountRecords, ListRecords, RecordGroups, Records, StateFilter};
use suspense::{Alike, CommonValue, CommonValues, State, Suspended};

use super::choose::By;
use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};
use crate::terminal::Look;

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
        match self.count {
            true => self.groups()?,
            false => self.records()?,
        }
        Ok(Outcome::Clean)
    }

    fn groups(&self) -> Result<(), CommandError> {
        let filter = self.by.filter(self.state.state());
        let request = CountRecords { filter, ids: None, limit: Some(ROWS_MAX) };
        let RecordGroups { groups, more, .. } = perform(&self.flow, request)?;
        let mut rows = Rows::begin(self.json, &GROUPS);
        for alike in &groups {
            rows.row(alike, group)?;
            alike.common.iter().try_for_each(|common| rows.line(|| values(alike, common)))?;
        }
        rows.end()?;
        if more {
            note!(
                "there are more groups than these {}: narrow them down by a filter",
                groups.len()
            );
        }
        Ok(())
    }

    fn records(&self) -> Result<(), CommandError> {
        let filter = self.by.filter(self.state.state());
        let mut rows = Rows::begin(self.json, &RECORDS);
        let mut page = PageQuery::after(0);
        loop {
            let request = ListRecords { filter: filter.clone(), page };
            let Records { records, more, .. } = perform(&self.flow, request)?;
            records.iter().try_for_each(|suspended| rows.row(suspended, record))?;
            page.after = records.last().map(|record| record.id);
            if !more {
                return Ok(rows.end()?);
            }
        }
    }
}

const GROUPS: [Column; 6] = [
    number("records"),
    text("network element"),
    text("node"),
    text("code").extra(),
    number("first").extra(),
    free("reason"),
];

fn group(alike: &Alike) -> [Cell; 6] {
    let Alike { records, network_element, node, reason, code, first, .. } = alike;
    [cell(records), cell(network_element), cell(node), cell(code), cell(first), cell(reason)]
}

/// Writes the number of records that have a reason, in sentences.
pub(super) fn count(out: &mut impl Write, alike: &Alike) -> io::Result<()> {
    let Alike { records, network_element, node, reason, code, common, first, .. } = alike;
    let node = if node.is_empty() { String::new() } else { format!("{node}: ") };
    let code = if code.is_empty() { String::new() } else { format!("{code}, ") };
    let row =
        format!("{records:>8}  {network_element}  {node}{reason}  ({code}the first is {first})");
    writeln!(out, "{}", visible(&row))?;
    common.iter().try_for_each(|common| writeln!(out, "{}", visible(&values(alike, common))))
}

/// Returns the most frequent values of a parameter: `number: 4671, 33 records; 4672, 2 records; 12 others`.
fn values(alike: &Alike, CommonValues { name, values, others }: &CommonValues) -> String {
    let value = |CommonValue { value, records }: &CommonValue| {
        format!("{value}, {}", counted(*records as usize, "record"))
    };
    let mut parts: Vec<String> = values.iter().map(value).collect();
    if *others > 0 {
        parts.push(counted(*others as usize, "other"));
    }
    let of = match alike.counted < alike.records {
        true => format!(" (of the newest {})", alike.counted),
        false => String::new(),
    };
    format!("{:>10}{name}: {}{of}", "", parts.join("; "))
}

const RECORDS: [Column; 8] = [
    number("number"),
    text("since"),
    free("file"),
    number("record").extra(),
    number("octet").extra(),
    text("state"),
    text("node"),
    free("reason"),
];

fn record(suspended: &Suspended) -> [Cell; 8] {
    let Suspended { id, since, network_element, file, record, offset, node, reason, .. } =
        suspended;
    let look = match suspended.state {
        State::Open if suspended.retries > 0 => Look::Bad,
        State::Open => Look::Warning,
        _ => Look::Past,
    };
    [
        cell(id),
        cell(since),
        cell(format!("{network_element}/{file}")),
        cell(record),
        cell(offset),
        cell(state(suspended)).look(look),
        cell(node),
        cell(reason),
    ]
}

/// Returns the state of a record, with further marks.
fn state(suspended: &Suspended) -> String {
    let Suspended { state, is_retry_requested, edited, retries, .. } = suspended;
    let is_open = *state == State::Open;
    let marks = [
        Some(format!("{state:?}").to_lowercase()),
        is_retry_requested.then(|| "to be retried".to_owned()),
        edited.then(|| "edited".to_owned()),
        (is_open && *retries > 0).then(|| format!("failed again {retries}x")),
    ];
    Vec::from_iter(marks.into_iter().flatten()).join(", ")
}
