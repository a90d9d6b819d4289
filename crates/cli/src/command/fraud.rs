//! `tollgate fraud`: what the rules of fraud nodes have found.

use operate::fraud::{FraudAlerts, ListFraudAlerts};
use operate::page::PageQuery;
use state::alerts::FoundAlert;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// See what rules have found
#[derive(Debug, clap::Parser)]
#[command(name = "fraud")]
pub(crate) enum Fraud {
    /// List the alerts of rules, the oldest first
    #[command(
        after_help = "Example:\n  tollgate fraud alerts flow.toml --rule wangiri --from 2026-11-26 --json"
    )]
    Alerts(ListedAlerts),
}

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

const COLUMNS: [Column; 8] = [
    text("at"),
    text("rule"),
    text("subject"),
    text("key"),
    number("score"),
    free("condition"),
    text("file"),
    number("record"),
];

impl Execute for Fraud {
    fn run(self) -> Result<Outcome, CommandError> {
        let Fraud::Alerts(list) = self;
        list.run()
    }
}

impl ListedAlerts {
    fn run(self) -> Result<Outcome, CommandError> {
        let ListedAlerts { flow, node, rule, key, period, json } = self;
        let mut rows = Rows::begin(json, &COLUMNS);
        let (period, mut page) = (period.request()?, PageQuery::after(0));
        loop {
            let (node, rule, key) = (node.clone(), rule.clone(), key.clone());
            let request = ListFraudAlerts { node, rule, key, period, page };
            let FraudAlerts { alerts, more, .. } = perform(&flow, request)?;
            alerts.iter().try_for_each(|alert| rows.row(alert, row))?;
            page.after = alerts.last().map(|alert| alert.id);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn row(alert: &FoundAlert) -> [Cell; 8] {
    let FoundAlert { at, rule, subject, key, score, condition, file, record, .. } = alert;
    [
        cell(at),
        cell(rule),
        cell(subject),
        cell(key),
        cell(score),
        cell(condition),
        cell(file.as_deref().unwrap_or_default()),
        cell(record),
    ]
}
