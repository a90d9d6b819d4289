//! The arguments that choose records in suspense.

use std::path::PathBuf;

use clap::ValueEnum;
use operate::moment::Moment;
use operate::suspense::{ChosenRecords, RecordFilter, StateFilter};
use runtime::time::moment;
use suspense::{State, Why, others};

use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, refused};

/// What records are chosen by: all for which everything holds that is given.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct By {
    /// Of this network element
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// Of this file
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    /// Which this node or system could not process; "" for those that could not be read
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// With this text in the reason
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// With this code of the reason, as "suspense list --count" shows it
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// With this value in the reason: a number, a name
    #[arg(long, value_name = "TEXT")]
    value: Option<String>,
    /// Why they are there
    #[arg(long)]
    why: Option<WhyNamed>,
    /// Which came at this time or later: 2026-11-21 or 2026-11-21T14:05:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<i64>,
    /// Which came before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<i64>,
    /// So many at most, the oldest
    #[arg(long, value_name = "COUNT")]
    limit: Option<u64>,
}

/// Why a record is there.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum WhyNamed {
    /// It could not be processed
    Suspended,
    /// It was seen before
    Duplicate,
}

impl By {
    /// Converts the arguments into the filter of a request.
    pub(super) fn filter(&self, state: StateFilter) -> RecordFilter {
        RecordFilter {
            network_element: self.network_element.clone(),
            file: self.file.clone(),
            node: self.node.clone(),
            reason: self.reason.clone(),
            code: self.code.clone(),
            template: None,
            value: self.value.clone(),
            why: self.why.map(|why| match why {
                WhyNamed::Suspended => Why::Suspended,
                WhyNamed::Duplicate => Why::Duplicate,
            }),
            from: self.from.map(|ms| Moment { ms }),
            to: self.to.map(|ms| Moment { ms }),
            state: Some(state),
            up_to: None,
            records_max: self.limit,
        }
    }
}

/// The records that something is done to: never all there are because nothing was said.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ChosenArguments {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the records, as "suspense list" shows them
    #[arg(value_name = "NUMBER")]
    numbers: Vec<i64>,
    /// All there are
    #[arg(long, conflicts_with = "numbers")]
    all: bool,
    #[command(flatten)]
    by: By,
}

/// Records of a flow that something is done to.
pub(super) struct Chosen {
    pub(super) flow: PathBuf,
    numbers: Vec<i64>,
    all: bool,
    by: By,
}

impl ChosenArguments {
    /// Returns the records that are meant.
    pub(super) fn chosen(self) -> Result<Chosen, CommandError> {
        let ChosenArguments { flow, numbers, all, by } = self;
        let (flow, numbers) = flow.and_numbers(numbers, all)?;
        Ok(Chosen { flow, numbers, all, by })
    }
}

impl Chosen {
    /// Prints which of the given numbers name no record in `state`. Returns whether there are any.
    pub(super) fn tell_others(&self, state: State) -> Result<bool, CommandError> {
        let others = others(&self.flow, &self.numbers, state).map_err(refused)?;
        others.iter().for_each(|other| tell!("{other}"));
        Ok(!others.is_empty())
    }

    /// Returns the records for a request that changes those in `state`.
    pub(super) fn records(&self, state: StateFilter) -> ChosenRecords {
        let ids = (!self.numbers.is_empty()).then(|| self.numbers.clone());
        ChosenRecords { ids, filter: Some(self.by.filter(state)), all: self.all }
    }
}
