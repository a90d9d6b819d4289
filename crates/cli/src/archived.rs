//! The arguments that choose files of an archive.

use std::time::Duration;

use archive::{ArchiveQuery, ArchivedFile, archived};
use inspection::{ReplayFile, replay_archived};
use runtime::time::milliseconds;

use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, refused};
use crate::period::Period;

/// Which files.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    #[command(flatten)]
    pub(crate) flow: FlowFile,
    /// Files of these names: a pattern with * and ?
    #[arg(long, value_name = "PATTERN")]
    files: Option<String>,
    /// Files of this network element
    #[arg(long, value_name = "NAME")]
    pub(crate) network_element: Option<String>,
    #[command(flatten)]
    period: Period,
}

impl Which {
    fn query(&self) -> Result<ArchiveQuery, CommandError> {
        let period = self.period.range()?;
        Ok(ArchiveQuery {
            network_element: self.network_element.clone(),
            files: self.files.clone(),
            from_ms: period.start,
            to_ms: period.end,
        })
    }

    pub(crate) fn archived(&self) -> Result<Vec<ArchivedFile>, CommandError> {
        archived(&self.flow, &self.query()?).map_err(refused)
    }

    /// Returns the files that can be replayed, behind those of a time before, and how many these are.
    pub(crate) fn replayed(
        &self,
        before: Duration,
    ) -> Result<(Vec<ReplayFile>, usize), CommandError> {
        let query = self.query()?;
        let from_ms = query.from_ms.saturating_sub(milliseconds(before));
        let own = replay_archived(&self.flow, &query).map_err(refused)?;
        let before = ArchiveQuery { from_ms, to_ms: query.from_ms, ..query };
        let mut files = replay_archived(&self.flow, &before).map_err(refused)?;
        let warm_up = files.len();
        files.extend(own);
        Ok((files, warm_up))
    }
}
