//! What the law asks for: `tollgate fraud about` and `tollgate fraud forget`.

use std::io;

use diagnostics::counted;
use operate::fraud::{
    CaseOfSubject, ForgetFraudSubject, ForgottenFraudSubject, FraudSubject, ListedKey,
    ReportFraudSubject,
};

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate fraud about`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reported {
    #[command(flatten)]
    flow: FlowFile,
    /// The key, such as a number
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    key: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud forget`.
#[derive(Debug, clap::Args)]
pub(crate) struct Forgotten {
    #[command(flatten)]
    flow: FlowFile,
    /// The key, such as a number
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    key: Option<String>,
    /// Why, for the audit trail: without the key
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Reported {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Reported { flow, key, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let subject = perform(&flow, ReportFraudSubject { key })?;
        match json {
            true => json::line(&mut output::lines(), &subject)?,
            false => show(&subject)?,
        }
        Ok(Outcome::Clean)
    }
}

fn show(subject: &FraudSubject) -> io::Result<()> {
    let FraudSubject { key, alerts, cases, actions, lists, views, .. } = subject;
    say!("{key}")?;
    say!("alerts: {}", alerts.len())?;
    for alert in alerts {
        let (file, record) = (alert.file.as_deref().unwrap_or("?"), alert.record);
        let (at, subject, rule) = (&alert.at, &alert.subject, &alert.rule);
        say!("  {at} {rule}, {subject}: {} ({file}, record {record})", alert.condition)?;
    }
    say!("cases: {}", cases.len())?;
    for CaseOfSubject { case, steps } in cases {
        let reason = case.reason.as_deref().unwrap_or_default();
        match &case.decision {
            Some(decision) => say!("  case {}: {decision}: {reason}", case.id)?,
            None => say!("  case {}: open", case.id)?,
        }
        for step in steps {
            say!("    {} {}: {} {}", step.at, step.who, step.step, step.remark)?;
        }
    }
    say!("actions: {}", actions.len())?;
    for action in actions {
        let (name, state) = (&action.action, action.state.name());
        say!("  {} {name}: {state}, {}", action.requested, action.because)?;
    }
    say!("records in indexes: {}", subject.indexed)?;
    say!("entries of lists: {}", lists.len())?;
    for ListedKey { list, entry, .. } in lists {
        let until = entry.until.as_ref().map(|until| format!(" until {until}"));
        let because = entry.because.as_deref().unwrap_or_default();
        say!("  {list}: {}{}, {because}", entry.key, until.unwrap_or_default())?;
    }
    say!("views: {}", views.len())?;
    for view in views {
        say!("  {} {}: {}, {}", view.at, view.who, view.action, view.subject)?;
    }
    if subject.more {
        say!("There is more than is shown: \"tollgate fraud alerts --key\" lists all alerts.")?;
    }
    if !subject.unread_lists.is_empty() {
        say!("These lists cannot be read: {}", subject.unread_lists.join(", "))?;
    }
    of_other_keys(&subject.other_keys)
}

fn of_other_keys(keys: &[String]) -> io::Result<()> {
    match keys.is_empty() {
        true => Ok(()),
        false => {
            say!("Other keys have it as a part, and are subjects of their own: {}", keys.join(", "))
        }
    }
}

impl Forgotten {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Forgotten { flow, key, because, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let forgotten = perform(&flow, ForgetFraudSubject { key, because })?;
        match json {
            true => json::line(&mut output::lines(), &forgotten)?,
            false => show_forgotten(&forgotten)?,
        }
        Ok(Outcome::Clean)
    }
}

fn show_forgotten(forgotten: &ForgottenFraudSubject) -> io::Result<()> {
    let ForgottenFraudSubject { marker, alerts, records, cases, steps, actions, .. } = forgotten;
    let counts = [
        (alerts, "alert"),
        (records, "record"),
        (cases, "case"),
        (steps, "step"),
        (actions, "action"),
    ];
    let counts = counts.map(|(count, name)| counted(*count, name)).join(", ");
    say!("erased, now \"{marker}\": {counts}")?;
    if forgotten.indexed > 0 {
        let records = counted(usize::try_from(forgotten.indexed).unwrap_or(usize::MAX), "record");
        say!("{records} are no longer found by it in the archive")?;
    }
    if forgotten.trail > 0 {
        say!("{} of the audit trail no longer name it", counted_entries(forgotten.trail))?;
    }
    if forgotten.mentions > 0 {
        say!(
            "{} of the audit trail still name it, in words of users",
            counted_entries(forgotten.mentions)
        )?;
    }
    say!("What rules count of it in memory goes when the windows of their measures are over.")?;
    if !forgotten.lists.is_empty() {
        let lists = forgotten.lists.join(", ");
        say!("It is still in the lists {lists}: \"tollgate fraud list remove\" removes it.")?;
    }
    of_other_keys(&forgotten.other_keys)
}

fn counted_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
