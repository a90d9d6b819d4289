//! `tollgate tariff explain`: shows what a usage costs, and why.

use std::io::{self, Write};
use std::path::PathBuf;

use operate::tariff::{
    ExplainError, ExplainUsage, MistakenPlan, TariffExplained, TariffPrice, TariffStep,
};

use super::plans::{mistakes, without_flow};
use crate::json;
use crate::operation::attempt;
use crate::outcome::{CommandError, Outcome, refused};
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
        let (flow, chosen) = without_flow(&self.folder)?;
        let request = ExplainUsage {
            chosen,
            service: self.service,
            from: self.from,
            to: self.to,
            subscriber: self.subscriber,
            partner: self.partner,
            start: self.start,
            end: self.end,
            duration: self.duration,
            octets: self.octets,
            events: self.events,
            draft: None,
        };
        let explained = attempt(flow, request).map_err(|error| match error {
            ExplainError::Usage { fault } => CommandError::Mistakes(format!("--{fault}")),
            ExplainError::TooEarly { .. } => CommandError::Mistakes(format!("--{error}")),
            ExplainError::Mistakes { found: MistakenPlan(found) } => mistakes(&found),
            error => refused(error),
        })?;
        let mut out = output::list();
        match self.json {
            true => json::line(&mut out, &explained)?,
            false => show(&explained, &mut out)?,
        }
        out.flush()?;
        Ok(if explained.price.is_some() { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Prints the explanation as text.
fn show(explained: &TariffExplained, out: &mut impl Write) -> io::Result<()> {
    let TariffExplained { steps, price, problem, .. } = explained;
    let found_width = steps.iter().map(|step| step.found.chars().count()).max().unwrap_or(0);
    for TariffStep { step, found, file, line } in steps {
        let place = match (file, line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => String::new(),
        };
        let line = format!("{step:<18} {found:<found_width$}  {place}");
        writeln!(out, "{}", line.trim_end())?;
    }
    match price {
        Some(TariffPrice { class, currency, tax, total, unit, counted, free, .. }) => writeln!(
            out,
            "\nclass \"{class}\": {total} {currency}, {tax} {currency} of it tax; {counted} {} \
             counted, {free} of them paid by bundles",
            unit.word()
        ),
        None => writeln!(out, "\n{}", problem.as_deref().unwrap_or_default()),
    }
}
