//! `tollgate alarms`: what is wrong with a gateway, from when until when, and who acknowledged it.

use alarm::{Alarm, Severity};
use diagnostics::counted;
use operate::alarms::{AcknowledgeAlarms, Alarms as Page, ListAlarms};
use operate::page::PageQuery;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};
use crate::terminal::Look;

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
    #[command(flatten)]
    period: Period,
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
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Alarms {
    fn run(self) -> Result<Outcome, CommandError> {
        match self.deed {
            Some(Deed::Acknowledge(meant)) => meant.acknowledge(true),
            Some(Deed::Unacknowledge(meant)) => meant.acknowledge(false),
            None => self.list(),
        }
    }
}

impl Alarms {
    fn list(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        let mut raised = false;
        let period = self.period.request()?;
        // The number of an alarm that the journal does not have is 0.
        let mut page = PageQuery::after(-1);
        loop {
            let request = ListAlarms { all: self.all, period, page };
            let Page { alarms, more } = perform(&self.flow, request)?;
            for alarm in &alarms {
                raised |= alarm.cleared.is_none();
                rows.row(alarm, row)?;
            }
            page.after = alarms.last().map(|alarm| alarm.id);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(if raised { Outcome::Faults } else { Outcome::Clean })
    }
}

impl Meant {
    /// Acknowledges the alarms, or takes the acknowledgement back.
    fn acknowledge(self, acknowledged: bool) -> Result<Outcome, CommandError> {
        let Meant { flow, numbers, kind, subject, all, because: remark, json } = self;
        let (flow, numbers) = flow.and_numbers(numbers, all)?;
        let request = AcknowledgeAlarms { numbers, kind, subject, all, acknowledged, remark };
        let result = perform(&flow, request)?;
        let done = if acknowledged { "acknowledged" } else { "no longer acknowledged" };
        match json {
            true => json::line(&mut output::lines(), &result)?,
            false => say!("{} {done}", counted(result.changed, "alarm"))?,
        }
        Ok(if result.changed == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}

const COLUMNS: [Column; 7] = [
    number("number"),
    text("raised"),
    text("cleared").extra(),
    text("severity"),
    text("kind"),
    free("alarm"),
    free("acknowledged").extra(),
];

fn row(alarm: &Alarm) -> [Cell; 7] {
    let Alarm { id, kind, text, raised, cleared, severity, acknowledged, .. } = alarm;
    let look = match (cleared, *severity) {
        (Some(_), _) => Look::Past,
        (None, Severity::Critical | Severity::Major) => Look::Bad,
        (None, _) => Look::Warning,
    };
    let acknowledgement = acknowledged.as_ref().map(|by| match by.remark.as_str() {
        "" => format!("by {}", by.who),
        remark => format!("by {}: \"{remark}\"", by.who),
    });
    [
        cell(id),
        cell(raised),
        cell_of(cleared.as_ref()),
        cell(severity).look(look),
        cell(kind),
        cell(text),
        cell_of(acknowledgement),
    ]
}
