//! `tollgate simulate fraud`: writes files of indications of fraud.

use std::path::PathBuf;

use serde_json::json;
use simulate::TRUTH;
use simulate::fraud::{Options, generate, write_flow};

use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate simulate fraud`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fraud {
    /// The folder of the flow, whose files go to "in" there
    folder: PathBuf,
    /// Write the flow of the example there, too
    #[arg(long)]
    flow: bool,
    /// The switches
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    switches: u32,
    /// The files
    #[arg(long, default_value_t = 100)]
    files: u32,
    /// The events of a file
    #[arg(long, default_value_t = 20)]
    events: u32,
    /// The subscribers, from 0000000001 on
    #[arg(long, default_value_t = 99_999, value_parser = clap::value_parser!(u32).range(1..))]
    subscribers: u32,
    /// The events a second of all switches, on average
    #[arg(long, default_value_t = 20.0)]
    rate: f64,
    /// The share of events of one subscriber
    #[arg(long, default_value_t = 0.0)]
    hot: f64,
    /// The share of events that are some minutes late
    #[arg(long, default_value_t = 0.0)]
    late: f64,
    /// The callers that ring many numbers and hang up
    #[arg(long, default_value_t = 0)]
    wangiri: u32,
    /// The same options and seed give the same files
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Fraud {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Fraud {
            folder,
            flow,
            switches,
            files,
            events,
            subscribers,
            rate,
            hot,
            late,
            wangiri,
            seed,
            json,
        } = self;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(CommandError::Mistakes("--rate is greater than 0".to_owned()));
        }
        let (a_second, standard) = (rate, Options::default());
        let options = Options {
            switches,
            files,
            events,
            subscribers,
            a_second,
            hot,
            late,
            wangiri,
            seed,
            ..standard
        };
        if flow {
            write_flow(&folder)?;
        }
        let written = generate(&options, &folder)?;
        if json {
            let truth = folder.join(TRUTH);
            json::line(
                &mut output::lines(),
                &json!({"files": files, "events": written, "truth": truth}),
            )?;
            return Ok(Outcome::Clean);
        }
        say!("{written} events in {files} files")?;
        Ok(Outcome::Clean)
    }
}
