//! `tollgate fraud`: what the rules of fraud nodes have found, and what people make of it.

mod alerts;
mod cases;
mod decide;
mod export;
mod known;
mod list;
mod pages;
mod records;
mod report;
mod rules;
mod score;
mod subject;

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};

/// See what rules have found, and decide what it is
#[derive(Debug, clap::Parser)]
#[command(name = "fraud")]
pub(crate) enum Fraud {
    /// List the alerts of rules, the oldest first
    #[command(
        after_help = "Example:\n  tollgate fraud alerts flow.toml --rule wangiri --from 2026-11-26 --json"
    )]
    Alerts(alerts::ListedAlerts),
    /// List the cases that wait for a decision, those with the most points first
    #[command(after_help = "Example:\n  tollgate fraud cases flow.toml --assigned anna")]
    Cases(cases::ListedCases),
    /// Show a case: its alerts, and what was done
    #[command(after_help = "Example:\n  tollgate fraud case flow.toml 17")]
    Case(cases::ShownCase),
    /// Decide what cases are
    #[command(
        after_help = "Example:\n  tollgate fraud decide flow.toml 17 18 --fraud --because \"a SIM box: never moves, never is called\""
    )]
    Decide(decide::Decided),
    /// Give cases to a user
    #[command(after_help = "Example:\n  tollgate fraud assign flow.toml 17 --to anna")]
    Assign(decide::Assigned),
    /// Open a decided case again
    #[command(
        after_help = "Example:\n  tollgate fraud reopen flow.toml 17 --because \"the contract was false\""
    )]
    Reopen(decide::Reopened),
    /// Add a remark to a case
    #[command(
        after_help = "Example:\n  tollgate fraud remark flow.toml 17 --text \"the customer calls back tomorrow\""
    )]
    Remark(decide::Remarked),
    /// See what became of the alerts of each rule: cases, decisions, precision
    #[command(after_help = "Example:\n  tollgate fraud rules flow.toml --from 2026-11-01")]
    Rules(rules::ReportedRules),
    /// Approve the version of a rule that runs, so that it may act
    #[command(
        after_help = "Example:\n  tollgate fraud activate flow.toml --node calls --rule wangiri --version 5f1c0a7be24d9903 --because \"tested\""
    )]
    Activate(rules::Activated),
    /// Show and change the lists of keys that rules read
    #[command(subcommand)]
    List(list::FraudList),
    /// Report what was found in a period, and what became of it, by day, hour, rule, network element or type of fraud
    #[command(
        after_help = "Examples:\n  tollgate fraud report flow.toml --from 2026-11-01 --to 2026-12-01\n  \
                      tollgate fraud report flow.toml --by rule --from 2026-11-24 --csv"
    )]
    Report(report::Report),
    /// Export alerts, cases, counts of hours and the indexes of keys, for the programs of analysts
    #[command(
        after_help = "Examples:\n  tollgate fraud export flow.toml --from 2026-11-01 --to 2026-12-01 --to-dir november\n  \
                      tollgate fraud export flow.toml --from 2026-11-01 --to-dir november --csv --keys"
    )]
    Export(export::Exported),
    /// List all records about a key, such as a number, the newest first, with their values from the archive
    #[command(
        after_help = "Examples:\n  tollgate fraud records flow.toml 46701234567 --from 2026-11-01\n  \
                      tollgate fraud records flow.toml 46701234567 --subject caller --oldest-first --limit 1000 --json"
    )]
    Records(records::ListedRecords),
    /// Report all that is stored about a subject, such as a number, and who looked at it
    #[command(after_help = "Example:\n  tollgate fraud about flow.toml 46701234567 --json")]
    About(subject::Reported),
    /// Erase a subject, such as a number, from alerts, cases and actions. What counts for rules stays
    #[command(
        after_help = "Example:\n  tollgate fraud forget flow.toml 46701234567 --because \"the request 2026-17\""
    )]
    Forget(subject::Forgotten),
    /// Compare the alerts of rules with frauds that are known: what was found, how soon, and what was none
    #[command(after_help = "Examples:\n  tollgate fraud score flow.toml --truth truth.csv\n  \
                      tollgate fraud score flow.toml --truth truth.csv --subscribers 2000 --days 2 --grace \"6 hours\" --json")]
    Score(score::Scored),
}

impl Execute for Fraud {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Fraud::Alerts(alerts) => alerts.run(),
            Fraud::Cases(cases) => cases.run(),
            Fraud::Case(case) => case.run(),
            Fraud::Decide(decided) => decided.run(),
            Fraud::Assign(assigned) => assigned.run(),
            Fraud::Reopen(reopened) => reopened.run(),
            Fraud::Remark(remarked) => remarked.run(),
            Fraud::Rules(rules) => rules.run(),
            Fraud::Activate(activated) => activated.run(),
            Fraud::List(list) => list.run(),
            Fraud::Report(report) => report.run(),
            Fraud::Export(exported) => exported.run(),
            Fraud::Records(listed) => listed.run(),
            Fraud::About(reported) => reported.run(),
            Fraud::Forget(forgotten) => forgotten.run(),
            Fraud::Score(scored) => scored.run(),
        }
    }
}
