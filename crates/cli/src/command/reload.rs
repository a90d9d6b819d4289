//! `tollgate reload`: makes a running gateway read its flow now, and prints the outcome.

use gateway::Answer;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, Outcome, refused};

/// Have a running gateway look at its flow now: what changed runs, or its mistakes are shown
#[derive(Debug, clap::Parser)]
#[command(name = "reload", after_help = "Example:\n  tollgate reload flow.toml")]
pub(crate) struct Reload {
    #[command(flatten)]
    flow: FlowFile,
}

impl Execute for Reload {
    fn run(self) -> Result<Outcome, CommandError> {
        let answer = gateway::reload(&self.flow).map_err(refused)?;
        match answer {
            Answer::Active { changed, seconds } => {
                say!("the flow runs as its files are now")?;
                if !changed.is_empty() {
                    say!("changed {seconds} s ago: {}", changed.join(", "))?;
                }
            }
            Answer::Pending { changed } => {
                say!(
                    "the flow has no mistakes, and runs so when the input files in work are done"
                )?;
                say!("will change: {}", changed.join(", "))?;
            }
            Answer::Mistakes { mut mistakes, more } => {
                if more > 0 {
                    mistakes.push(format!("and {more} more"));
                }
                tell!("{}\n\nthe flow has mistakes: it goes on as it was", mistakes.join("\n\n"));
                return Ok(Outcome::Faults);
            }
            Answer::Stopping => {
                let flow = self.flow.display();
                let message = format!("the gateway that runs \"{flow}\" is stopping");
                return Err(CommandError::Mistakes(message));
            }
        }
        Ok(Outcome::Clean)
    }
}
