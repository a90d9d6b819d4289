//! `tollgate simulate population`: writes files of a network in which frauds happen.

use std::path::PathBuf;

use serde_json::json;
use simulate::TRUTH;
use simulate::population::{Generated, Options, generate, write_flow};

use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate simulate population`.
#[derive(Debug, clap::Args)]
pub(crate) struct Population {
    /// The folder of the flow, whose files go to "in" there
    folder: PathBuf,
    /// Write the flow of the example there, too
    #[arg(long)]
    flow: bool,
    /// The subscribers
    #[arg(long, default_value_t = Options::default().subscribers,
        value_parser = clap::value_parser!(u32).range(i64::from(Options::SUBSCRIBERS_MIN)..=i64::from(Options::SUBSCRIBERS_MAX)))]
    subscribers: u32,
    /// The days; frauds are in the second half
    #[arg(long, default_value_t = Options::default().days,
        value_parser = clap::value_parser!(u32).range(2..=i64::from(Options::DAYS_MAX)))]
    days: u32,
    /// How often each type of fraud happens
    #[arg(long, default_value_t = Options::default().each)]
    each: u32,
    /// The minutes of a file
    #[arg(long, default_value_t = Options::default().file_minutes, value_parser = clap::value_parser!(u32).range(1..=1440))]
    file_minutes: u32,
    /// The same options and seed give the same files
    #[arg(long, default_value_t = Options::default().seed)]
    seed: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Population {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Population { folder, flow, subscribers, days, each, file_minutes, seed, json } = self;
        let most = Options::each_max(subscribers);
        if each > most {
            let message = format!(
                "{subscribers} subscribers are enough for {most} frauds of each type, not for {each}: give more --subscribers"
            );
            return Err(CommandError::Mistakes(message));
        }
        let standard = Options::default();
        let options = Options { subscribers, days, each, file_minutes, seed, ..standard };
        if flow {
            write_flow(&folder)?;
        }
        let Generated { files, events, frauds } = generate(&options, &folder)?;
        if json {
            let truth = folder.join(TRUTH);
            let written =
                json!({"files": files, "events": events, "frauds": frauds, "truth": truth});
            json::line(&mut output::lines(), &written)?;
            return Ok(Outcome::Clean);
        }
        say!("{events} events in {files} files, {frauds} frauds in {TRUTH}")?;
        Ok(Outcome::Clean)
    }
}
