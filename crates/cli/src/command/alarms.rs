//! `tollgate alarms`: what is wrong with a gateway, from when until when, and who acknowledged it.

use std::io::Write as _;

use alarm::{AcknowledgementState, Alarm, Selection, Which};
use diagnostics::{counted, visible};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::who::who;

/// List what is wrong with a gateway: silent network elements, missing files, repeated numbers
#[derive(Debug, clap::Parser)]
#[command(
    name = "alarms",
    after_help = "Example:\n  tollgate alarms flow.toml --all",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Alarms {
    #[command(subcommand)]
    deed: Option<Deed>,
    #[command(flatten)]
    flow: FlowFile,
    /// Those that are over too
    #[arg(long)]
    all: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What is said of alarms.
#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// Say that alarms were seen; one that comes back is not acknowledged any more
    #[command(
        after_help = "Example:\n  tollgate alarms acknowledge flow.toml --kind disk-low --because \"a disk is ordered\""
    )]
    Acknowledge(Meant),
    /// Take back that alarms were seen
    #[command(after_help = "Example:\n  tollgate alarms unacknowledge flow.toml 17")]
    Unacknowledge(Meant),
}

/// Which alarms.
#[derive(Debug, clap::Args)]
struct Meant {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the alarms, as "tollgate alarms" shows them
    #[arg(value_name = "NUMBER")]
    numbers: Vec<i64>,
    /// Those of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Those about this
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// All that are raised
    #[arg(long, conflicts_with_all = ["numbers", "kind", "subject"])]
    all: bool,
    /// A remark, for the trail and for who is told
    #[arg(long, value_name = "TEXT", default_value = "")]
    because: String,
}

impl Execute for Alarms {
    fn run(self) -> Result<Outcome, CommandError> {
        match self.deed {
            Some(Deed::Acknowledge(meant)) => return meant.say(AcknowledgementState::Acknowledged),
            Some(Deed::Unacknowledge(meant)) => {
                return meant.say(AcknowledgementState::Unacknowledged);
            }
            None => {}
        }
        let which = if self.all { Which::All } else { Which::Raised };
        let mut out = output::list();
        let mut raised = false;
        let written = operate::alarms(&self.flow, which, |alarm| {
            raised |= alarm.cleared.is_none();
            match self.json {
                true => json::line(&mut out, &alarm),
                false => writeln!(out, "{}", visible(&line(&alarm))),
            }
        });
        written.map_err(refused)??;
        out.flush()?;
        Ok(if raised { Outcome::Faults } else { Outcome::Clean })
    }
}

impl Meant {
    fn say(self, state: AcknowledgementState) -> Result<Outcome, CommandError> {
        let Meant { flow, numbers, kind, subject, all, because } = self;
        let (flow, numbers) = flow.and_numbers(numbers, all)?;
        if numbers.is_empty() && kind.is_none() && subject.is_none() && !all {
            let message = "say which alarms are meant: their numbers, --kind, --subject or --all";
            return Err(CommandError::Mistakes(message.into()));
        }
        let numbers = (!numbers.is_empty()).then_some(numbers);
        let selection = Selection { numbers, kind, subject };
        let changed = operate::acknowledge(&flow, &selection, state, &who(), because.trim())
            .map_err(refused)?;
        let done = match state {
            AcknowledgementState::Acknowledged => "acknowledged",
            AcknowledgementState::Unacknowledged => "no longer acknowledged",
        };
        say!("{} {done}", counted(changed, "alarm"))?;
        Ok(if changed == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}

fn line(alarm: &Alarm) -> String {
    let Alarm { id, kind, text, raised, cleared, severity, acknowledged, .. } = alarm;
    let until = cleared.as_deref().unwrap_or("now");
    let acknowledgement = match acknowledged {
        Some(by) if by.remark.is_empty() => format!(" (acknowledged by {})", by.who),
        Some(by) => format!(" (acknowledged by {}: \"{}\")", by.who, by.remark),
        None => String::new(),
    };
    format!("{raised} to {until:<20} {id:>4} {severity:<13} {kind}: {text}{acknowledgement}")
}
