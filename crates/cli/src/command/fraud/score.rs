//! `tollgate fraud score`: how well rules find frauds that are known.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use investigation::FoundAlert;
use operate::fraud::ListFraudAlerts;
use operate::fraud::score::{AlertScore, RuleScore, Score, ScoredAlert, Scorer, TypeScore};
use runtime::time::moment;

use super::known;
use super::pages::each_page;
use crate::flow_file::FlowFile;
use crate::json;
use crate::length::length;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::progress::Aside;
use crate::table::{Cell, Column, Table, cell, cell_of, free, number, text};

/// Arguments of `tollgate fraud score`.
#[derive(Debug, clap::Args)]
pub(crate) struct Scored {
    #[command(flatten)]
    flow: FlowFile,
    /// The frauds that are known: a CSV table with the columns fraud, type, subject, key, from, to
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// How long after the end of a fraud an alert is still about it
    #[arg(long, value_name = "LENGTH", default_value = "24 hours", value_parser = length)]
    grace: Duration,
    /// How many subscribers there are, for the rate of false alerts
    #[arg(long, value_name = "NUMBER", requires = "days")]
    subscribers: Option<u64>,
    /// For how many days there are records, for the rate of false alerts
    #[arg(long, value_name = "NUMBER", requires = "subscribers")]
    days: Option<u64>,
    /// Those of this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Scored {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Scored { flow, truth, grace, subscribers, days, node, json } = self;
        let mut scorer = Scorer::new(known::read(&truth)?, grace);
        let request = ListFraudAlerts { node, ..ListFraudAlerts::default() };
        each_page(&flow, &request, |found| {
            if found.masked {
                let message =
                    "keys are masked for you: a score needs a role that sees subscriber data";
                return Err(CommandError::Mistakes(message.to_owned()));
            }
            found.alerts.iter().try_for_each(|alert| count(&mut scorer, alert))
        })?;
        let subscriber_days = subscribers.zip(days).map(|(of, days)| of.saturating_mul(days));
        let score = scorer.score(subscriber_days);
        match json {
            true => json::line(&mut output::lines(), &score)?,
            false => show(&score)?,
        }
        Ok(Outcome::Clean)
    }
}

fn count(scorer: &mut Scorer, alert: &FoundAlert) -> Result<(), CommandError> {
    let FoundAlert { rule, fraud_type, shadow, subject, key, at, .. } = alert;
    let at_s = moment(at).map_err(refused)?.div_euclid(1_000);
    let (of, is_shadow) = (fraud_type.as_deref(), *shadow);
    scorer.alert(ScoredAlert { rule, of, is_shadow, subject, key, at_s });
    Ok(())
}

const TYPES: [Column; 8] = [
    text("type"),
    number("frauds"),
    number("found"),
    number("recall"),
    number("median time"),
    number("false"),
    number("per million").extra(),
    free("rules"),
];

const RULES: [Column; 7] = [
    text("rule"),
    text("type"),
    number("alerts"),
    number("true"),
    number("other type"),
    number("false"),
    number("per million").extra(),
];

/// Prints a table by type, and one by rule.
fn show(score: &Score) -> io::Result<()> {
    let mut table = Table::report(Aside(io::stdout()), &TYPES);
    for TypeScore { of, injected, found, recall, median_seconds, rules, alerts } in &score.types {
        table.row([
            cell(of),
            cell(injected),
            cell(found),
            cell(format!("{:.0} %", recall * 100.0)),
            cell_of(median_seconds.map(shown_length)),
            cell(alerts.wrong),
            cell_of(rate(alerts)),
            cell(rules.join(", ")),
        ])?;
    }
    table.end()?;
    say!()?;
    let mut table = Table::report(Aside(io::stdout()), &RULES);
    for RuleScore { rule, of, shadow, alerts } in &score.rules {
        let rule = if *shadow { format!("{rule} (shadow)") } else { rule.clone() };
        table.row(of_rule(rule, of.as_deref(), alerts))?;
    }
    table.row(of_rule("all".to_owned(), None, &score.all))?;
    table.end()
}

fn of_rule(rule: String, of: Option<&str>, alerts: &AlertScore) -> [Cell; 7] {
    let AlertScore { alerts: all, right, other_type, wrong, .. } = alerts;
    [
        cell(rule),
        cell_of(of),
        cell(all),
        cell(right),
        cell(other_type),
        cell(wrong),
        cell_of(rate(alerts)),
    ]
}

fn rate(alerts: &AlertScore) -> Option<String> {
    alerts.false_per_million_subscriber_days.map(|rate| format!("{rate:.1}"))
}

/// Returns a length for people: `2 h 17 min`, `9 min 3 s`.
fn shown_length(seconds: i64) -> String {
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
