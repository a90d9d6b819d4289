//! `tollgate tariff explain`: shows what a usage costs, and why.

use std::io::{self, Write};
use std::path::PathBuf;

use rating::{Explanation, Plan, State, UsageTextFault, UsageTexts};
use serde_json::json;

use super::plans::read;
use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate tariff explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The folder of the plan, with tariff.toml in it; or a database of versions
    folder: PathBuf,
    /// What was used, by the names of the plan: telephony, sms, data
    #[arg(long)]
    service: Option<String>,
    /// The served number: whose usage it is
    #[arg(long, value_name = "NUMBER")]
    from: Option<String>,
    /// The other number
    #[arg(long, value_name = "NUMBER")]
    to: Option<String>,
    /// The sort of subscriber, where the number does not tell it
    #[arg(long)]
    subscriber: Option<String>,
    /// The network the subscriber roamed in
    #[arg(long)]
    partner: Option<String>,
    /// When it started, with a zone: "2026-06-01 18:59:30 Europe/Stockholm"
    #[arg(long, value_name = "TIME")]
    start: String,
    /// When it ended, in place of a duration
    #[arg(long, value_name = "TIME", conflicts_with = "duration")]
    end: Option<String>,
    /// How long it lasted: 60 (seconds), "3 min"
    #[arg(long, allow_negative_numbers = true)]
    duration: Option<String>,
    /// How much it carried: 1000 (octets), "250 MB"
    #[arg(long)]
    octets: Option<String>,
    /// How many events it stands for
    #[arg(long, value_name = "NUMBER")]
    events: Option<u64>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Explain {
            folder,
            service,
            from,
            to,
            subscriber,
            partner,
            start,
            end,
            duration,
            octets,
            events,
            json,
        } = self;
        let usage_texts = UsageTexts {
            service,
            from,
            to,
            subscriber,
            partner,
            start,
            end,
            duration,
            octets,
            events,
        };
        let usage = usage_texts.usage().map_err(wrong)?;
        let plans = read(&folder)?;
        let plan = plans.at(usage.start).ok_or_else(|| {
            let (name, text) = ("start", usage_texts.start.clone());
            wrong(UsageTextFault {
                name,
                text,
                reason: "no version of the plan is valid yet".into(),
            })
        })?;
        let explanation = plan.explain(&usage, &mut State::default());
        let mut out = output::list();
        match json {
            true => json::line(&mut out, &object(plan, &explanation))?,
            false => show(&explanation, &mut out)?,
        }
        out.flush()?;
        Ok(if explanation.result.is_ok() { Outcome::Clean } else { Outcome::Faults })
    }
}

fn wrong(fault: UsageTextFault) -> CommandError {
    CommandError::Mistakes(format!("--{fault}"))
}

/// Prints the explanation as text.
fn show(explanation: &Explanation<'_>, out: &mut impl Write) -> io::Result<()> {
    let place = |line: Option<(&str, u32)>| {
        line.map_or(String::new(), |(file, line)| format!("{file}:{line}"))
    };
    let found_width = explanation.steps.iter().map(|gone| gone.found.chars().count()).max();
    let found_width = found_width.unwrap_or(0);
    for gone in &explanation.steps {
        let line =
            format!("{:<18} {:<found_width$}  {}", gone.step.name(), gone.found, place(gone.line));
        writeln!(out, "{}", line.trim_end())?;
    }
    match &explanation.result {
        Ok(priced) => writeln!(
            out,
            "\nclass \"{}\": {}, {} of it tax; {} {} counted, {} of them paid by bundles",
            priced.class,
            priced.total,
            priced.tax,
            priced.billed,
            priced.unit.name(),
            priced.free,
        ),
        Err(error) => writeln!(out, "\n{error}"),
    }
}

/// Returns the explanation as a JSON object. Amounts are strings: a JSON number would lose digits.
fn object(plan: &Plan, explanation: &Explanation<'_>) -> serde_json::Value {
    let steps = explanation.steps.iter().map(|gone| {
        let (file, line) = gone.line.unzip();
        json!({"step": gone.step.name(), "found": gone.found, "file": file, "line": line})
    });
    let steps: Vec<serde_json::Value> = steps.collect();
    match &explanation.result {
        Ok(priced) => json!({
            "plan": plan.name(),
            "class": priced.class,
            "currency": plan.currency().code(),
            "net": priced.net.amount().to_string(),
            "tax": priced.tax.amount().to_string(),
            "total": priced.total.amount().to_string(),
            "unit": priced.unit.name(),
            "counted": priced.billed,
            "free": priced.free,
            "steps": steps,
        }),
        Err(error) => json!({
            "plan": plan.name(),
            "error": {"step": error.step.name(), "reason": error.cause.to_string()},
            "steps": steps,
        }),
    }
}
