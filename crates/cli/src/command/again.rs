//! `tollgate again`: lets processed files be processed again without counting as duplicates.

use diagnostics::counted;
use operate::AgainQuery;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, Outcome, refused};
use crate::who::who;

/// Let files that were processed come again, for a reason: they are no duplicates then
#[derive(Debug, clap::Parser)]
#[command(
    name = "again",
    after_help = "Example:\n  tollgate again flow.toml --file boston-00001.ber --because \"a new receiver\""
)]
pub(crate) struct Again {
    #[command(flatten)]
    flow: FlowFile,
    /// Files of this network element alone
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// The file of this name alone
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    /// All files that were ever processed
    #[arg(long, conflicts_with_all = ["network_element", "file"])]
    all: bool,
    /// Also where a rating node keeps counters of subscribers: what comes again is counted once more
    #[arg(long)]
    even_counters: bool,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Execute for Again {
    fn run(self) -> Result<Outcome, CommandError> {
        let Again { flow, network_element, file, all, even_counters, because } = self;
        if !all && network_element.is_none() && file.is_none() {
            let message = "which files? Name them by --network-element and --file, or say --all";
            return Err(CommandError::Mistakes(message.into()));
        }
        if because.trim().is_empty() {
            let message = "files are processed again for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let query = AgainQuery { network_element, file, jobs: None, even_counters };
        let files = operate::again(&flow, &query, &who(), because.trim()).map_err(refused)?;
        say!("{} may come again", counted(files, "file"))?;
        Ok(if files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}
