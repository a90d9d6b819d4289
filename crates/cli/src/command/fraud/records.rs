//! `tollgate fraud records`: all records about a key.

use operate::files::RecordPart;
use operate::fraud::{FraudRecord, ListFraudRecords, RecordsOrder};

use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// The most records that are read at once.
const PAGE: u32 = 500;

/// Arguments of `tollgate fraud records`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListedRecords {
    #[command(flatten)]
    flow: FlowFile,
    /// The key, such as a number
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    key: Option<String>,
    /// Those of which the key is this, such as caller
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,
    /// Those of this node, if several have an index
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    #[command(flatten)]
    period: Period,
    /// The oldest first
    #[arg(long)]
    oldest_first: bool,
    /// How many records are enough
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,
    /// Without the values, which takes less time
    #[arg(long)]
    without_values: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 6] = [
    text("at"),
    text("subject"),
    text("network element"),
    text("file"),
    number("record"),
    free("values"),
];

impl ListedRecords {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ListedRecords { flow, key, subject, node, period, limit, json, .. } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let mut request = ListFraudRecords {
            key,
            subject,
            node,
            period: period.request()?,
            order: self.oldest_first.then_some(RecordsOrder::Oldest),
            values: self.without_values.then_some(false),
            ..ListFraudRecords::default()
        };
        let mut rows = Rows::begin(json, &COLUMNS);
        let mut left = limit;
        let (more, waiting) = loop {
            let page = u32::try_from(left).unwrap_or(u32::MAX).min(PAGE);
            let found = perform(&flow, ListFraudRecords { limit: Some(page), ..request.clone() })?;
            found.records.iter().try_for_each(|record| rows.row(record, row))?;
            left = left.saturating_sub(found.records.len() as u64);
            match found.next {
                Some(next) if left > 0 => request.after = Some(next),
                next => break (next.is_some(), found.waiting),
            }
        };
        rows.end()?;
        if more {
            note!("there are more: --limit says how many are enough");
        }
        if waiting > 0 {
            note!("{waiting} files are done, and not in the index yet");
        }
        Ok(Outcome::Clean)
    }
}

fn row(of: &FraudRecord) -> [Cell; 6] {
    let FraudRecord { at, subject, network_element, file, record, parts, problem, .. } = of;
    let mut values = Vec::new();
    parts.iter().flatten().for_each(|part| add(part, "", &mut values));
    values.extend(problem.clone());
    [
        cell(at),
        cell(subject),
        cell(network_element.as_deref().unwrap_or_default()),
        cell(file.as_deref().unwrap_or("a file that is forgotten")),
        cell(record),
        cell(values.join("  ")),
    ]
}

/// Adds the values of a part, each behind its path below the record: `caller=46701234567`.
fn add(part: &RecordPart, above: &str, to: &mut Vec<String>) {
    if let Some(value) = &part.value {
        let name = if above.is_empty() { &part.name } else { above };
        to.push(format!("{name}={value}"));
    }
    for within in &part.parts {
        let path = match above {
            "" => within.name.clone(),
            above => format!("{above}.{}", within.name),
        };
        add(within, &path, to);
    }
}
