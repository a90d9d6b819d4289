//! `tollgate suspense retry`.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use diagnostics::counted;
use operate::suspense::{RetriedRecords, RetryRecords, StateFilter, TakeBackRetries, TakenBack};
use suspense::{State, to_be_retried};

use super::choose::ChosenArguments;
use super::list::count;
use crate::json;
use crate::operation::{perform, perform_interruptibly};
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::{Progress, Stage};

/// Arguments of `tollgate suspense retry`.
#[derive(Debug, clap::Args)]
pub(crate) struct Retry {
    #[command(flatten)]
    chosen: ChosenArguments,
    /// Also records that were set aside as seen before, as if they had not been
    #[arg(long)]
    even_duplicates: bool,
    /// Take back that they are to be retried, where that is not done yet
    #[arg(long, conflicts_with = "even_duplicates")]
    take_back: bool,
    /// Show what became of them as one JSON object
    #[arg(long)]
    json: bool,
}

impl Retry {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        if self.take_back {
            return self.take_back();
        }
        let chosen = self.chosen.chosen()?;
        let request = RetryRecords {
            chosen: chosen.records(StateFilter::Open),
            duplicates: self.even_duplicates,
        };
        let some_closed = chosen.tell_others(State::Open)?;
        let progress = left_to_retry(&chosen.flow);
        let retried = perform_interruptibly(&chosen.flow, request)?;
        drop(progress);
        match self.json {
            true => json::line(&mut output::lines(), &retried)?,
            false => show(&retried)?,
        }
        let clean = !some_closed
            && retried.requested > 0
            && retried.damaged.is_empty()
            && retried.suspended + retried.duplicate + retried.waiting + retried.taken_back == 0;
        Ok(if clean { Outcome::Clean } else { Outcome::Faults })
    }

    fn take_back(self) -> Result<Outcome, CommandError> {
        let chosen = self.chosen.chosen()?;
        let request = TakeBackRetries { chosen: chosen.records(StateFilter::Open) };
        let some_closed = chosen.tell_others(State::Open)?;
        let result = perform(&chosen.flow, request)?;
        let TakenBack { taken_back } = result;
        let records = counted(taken_back, "record");
        match (self.json, taken_back) {
            (true, _) => json::line(&mut output::lines(), &result)?,
            (false, 0) => say!("no record that is to be retried is chosen by this")?,
            (false, 1) => say!("{records} is no longer to be retried, and open in suspense")?,
            (false, _) => say!("{records} are no longer to be retried, and open in suspense")?,
        }
        Ok(if some_closed || taken_back == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}

/// Shows how many of the records are retried. It looks once a second: the count is a query of the journal.
fn left_to_retry(flow: &Path) -> Progress {
    const EACH: Duration = Duration::from_secs(1);
    let flow = flow.to_owned();
    let (mut most, mut looked) = (0, None::<Instant>);
    let mut stage = Stage { of: None, text: "retrying".into() };
    Progress::watch(move || {
        if looked.is_none_or(|looked| looked.elapsed() >= EACH) {
            looked = Some(Instant::now());
            if let Ok(left) = to_be_retried(&flow) {
                most = left.max(most);
                stage = Stage { of: Some((most - left, most)), text: "records are retried".into() };
            }
        }
        stage.clone()
    })
}

fn show(retried: &RetriedRecords) -> std::io::Result<()> {
    let RetriedRecords {
        requested,
        records,
        delivered,
        filtered,
        suspended,
        held,
        duplicate,
        reasons,
        waiting,
        taken_back,
        left,
        damaged,
        problems,
    } = retried;
    let mut out = output::lines();
    let done = requested - waiting;
    let found = match *records == done {
        true => String::new(),
        false => format!(", in which {} were found", counted(*records as usize, "record")),
    };
    let held = match held {
        0 => String::new(),
        held => format!(", {held} held"),
    };
    let duplicates = match duplicate {
        0 => String::new(),
        duplicate => format!(", {duplicate} came before"),
    };
    match done {
        0 if requested + left + taken_back == 0 && damaged.is_empty() => {
            writeln!(out, "no record that is open in suspense is chosen by this")?
        }
        0 => {}
        _ => writeln!(
            out,
            "{} retried{found}: {delivered} delivered, {filtered} filtered{held}, {suspended} suspended again{duplicates}",
            counted(done as usize, "record")
        )?,
    }
    reasons.iter().try_for_each(|alike| count(&mut out, alike))?;
    if *taken_back > 0 {
        let taken_back = counted(*taken_back as usize, "record");
        writeln!(out, "{taken_back} left in suspense: somebody has taken that back meanwhile")?;
    }
    if *left > 0 {
        let left = counted(*left as usize, "duplicate");
        writeln!(out, "{left} left in suspense: --even-duplicates puts through what came before")?;
    }
    for id in damaged {
        writeln!(out, "record {id} is not retried: its octets were damaged in the journal")?;
    }
    if *waiting > 0 {
        let waiting = counted(*waiting as usize, "record");
        let why = problems.first().map_or(String::new(), |why| format!(": {why}"));
        writeln!(
            out,
            "{waiting} left to be retried, by the gateway when it is started{why}; --take-back takes that back"
        )?;
    }
    Ok(())
}
