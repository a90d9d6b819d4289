//! `tollgate fraud rules`: what became of the alerts of rules.

use investigation::{RuleApproved, RuleFigures};
use operate::fraud::{ApproveFraudRule, FraudRules, ReportFraudRules};

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, number, text};

/// Arguments of `tollgate fraud rules`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportedRules {
    #[command(flatten)]
    flow: FlowFile,
    #[command(flatten)]
    period: Period,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 10] = [
    text("node"),
    text("rule"),
    number("alerts"),
    number("shadow"),
    number("cases"),
    number("open"),
    number("fraud"),
    number("not fraud"),
    number("precision %"),
    number("seconds to decide").extra(),
];

impl ReportedRules {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ReportedRules { flow, period, json } = self;
        let mut rows = Rows::begin(json, &COLUMNS);
        let FraudRules { rules } = perform(&flow, ReportFraudRules { period: period.request()? })?;
        rules.iter().try_for_each(|rule| rows.row(rule, row))?;
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn row(figures: &RuleFigures) -> [Cell; 10] {
    let RuleFigures { node, rule, alerts, shadow, cases, open, fraud, not_fraud, .. } = figures;
    [
        cell(node),
        cell(rule),
        cell(alerts),
        cell(shadow),
        cell(cases),
        cell(open),
        cell(fraud),
        cell(not_fraud),
        cell_of(figures.precision_percent),
        cell_of(figures.seconds_to_decide),
    ]
}

/// Arguments of `tollgate fraud activate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Activated {
    #[command(flatten)]
    flow: FlowFile,
    /// The node
    #[arg(long, value_name = "NAME")]
    node: String,
    /// The rule
    #[arg(long, value_name = "NAME")]
    rule: String,
    /// Its version, as "tollgate fraud rules --json" shows it
    #[arg(long, value_name = "VERSION")]
    version: String,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Activated {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Activated { flow, node, rule, version, because: reason, json } = self;
        let request = ApproveFraudRule { node, rule: rule.clone(), version, reason };
        let approved = perform(&flow, request)?;
        match (json, approved.approved) {
            (true, _) => json::line(&mut output::lines(), &approved)?,
            (false, RuleApproved::All) => say!("the rule \"{rule}\" may act")?,
            (false, RuleApproved::One) => {
                say!("the rule \"{rule}\" acts once another person approves it, too")?;
            }
        }
        Ok(Outcome::Clean)
    }
}
