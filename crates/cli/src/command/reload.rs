//! `tollgate reload`: makes a running gateway read its flow now, and prints the outcome.

use operate::versions::{Activated, ActivationAnswer, ReloadFlow, ReloadedFlow};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Have a running gateway look at its flow now: what changed runs, or its mistakes are shown
#[derive(Debug, clap::Parser)]
#[command(
    name = "reload",
    after_help = "Example:\n  tollgate reload flow.toml --because \"prices of December\""
)]
pub(crate) struct Reload {
    #[command(flatten)]
    flow: FlowFile,
    /// Why the flow has changed, for the audit trail
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Reload {
    fn run(self) -> Result<Outcome, CommandError> {
        let reloaded = perform(&self.flow, ReloadFlow { because: self.because })?;
        if self.json {
            json::line(&mut output::lines(), &reloaded)?;
            return Ok(match reloaded.activated.answer {
                ActivationAnswer::Mistakes | ActivationAnswer::Stopping => Outcome::Faults,
                _ => Outcome::Clean,
            });
        }
        let ReloadedFlow { activated, seconds, mistakes_more } = reloaded;
        let Activated { answer, changed, mut mistakes } = activated;
        match answer {
            ActivationAnswer::Active => {
                say!("the flow runs as its files are now")?;
                if let (false, Some(seconds)) = (changed.is_empty(), seconds) {
                    say!("changed {seconds} s ago: {}", changed.join(", "))?;
                }
            }
            ActivationAnswer::Pending => {
                say!(
                    "the flow has no mistakes, and runs so when the input files in work are done"
                )?;
                say!("will change: {}", changed.join(", "))?;
            }
            ActivationAnswer::Mistakes => {
                if mistakes_more > 0 {
                    mistakes.push(format!("and {mistakes_more} more"));
                }
                tell!("{}\n\nthe flow has mistakes: it goes on as it was", mistakes.join("\n\n"));
                return Ok(Outcome::Faults);
            }
            ActivationAnswer::Stopping => {
                let flow = self.flow.display();
                tell!(
                    "the gateway that runs \"{flow}\" is stopping; the next one runs the flow as it is"
                );
                return Ok(Outcome::Faults);
            }
            // Only an activation proposes something.
            ActivationAnswer::Proposed => {}
        }
        Ok(Outcome::Clean)
    }
}
