//! `tollgate fraud alerts`: what the rules of fraud nodes have found.

use investigation::FoundAlert;
use operate::fraud::ListFraudAlerts;

use super::pages::each_page;
use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, Outcome};
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};

/// Arguments of `tollgate fraud alerts`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListedAlerts {
    #[command(flatten)]
    flow: FlowFile,
    /// Those of this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Those of this rule
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// Those about this key, such as a number
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    period: Period,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 10] = [
    text("at"),
    text("rule"),
    text("subject"),
    text("key"),
    number("score"),
    free("condition"),
    text("file"),
    number("record"),
    text("severity").extra(),
    number("case").extra(),
];

impl ListedAlerts {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ListedAlerts { flow, node, rule, key, period, json } = self;
        let mut rows = Rows::begin(json, &COLUMNS);
        let period = period.request()?;
        let request = ListFraudAlerts { node, rule, key, period, ..ListFraudAlerts::default() };
        each_page(&flow, &request, |found| {
            Ok(found.alerts.iter().try_for_each(|alert| rows.row(alert, row))?)
        })?;
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn row(alert: &FoundAlert) -> [Cell; 10] {
    let FoundAlert { at, rule, subject, key, score, condition, file, record, severity, .. } = alert;
    [
        cell(at),
        cell(rule),
        cell(subject),
        cell(key),
        cell(score),
        cell(condition),
        cell(file.as_deref().unwrap_or_default()),
        cell(record),
        cell(severity),
        cell_of(alert.case),
    ]
}
