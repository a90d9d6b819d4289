//! The backlog of a gateway from its journal, for occasional queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use runtime::disk::Disk;

use crate::flow_journal;
use crate::flow_journal::JournalError;

/// The counts of everything that waits in the journal.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Open records in suspense, by why they are there.
    pub suspense: BTreeMap<String, u64>,
    /// Groups that wait, by node.
    pub held_groups: BTreeMap<String, u64>,
    /// Files that wait for their transfer, by post-processing system.
    pub deliveries: BTreeMap<String, u64>,
}

/// Free space on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskFree {
    /// A folder that the gateway writes to.
    pub folder: PathBuf,
    /// The free octets on its disk.
    pub octets: u64,
}

impl DiskFree {
    /// Returns the free space for a folder; none if its disk cannot be examined.
    pub fn of(folder: &Path) -> Option<Self> {
        let disk = Disk::of(folder).ok()?;
        Some(DiskFree { folder: folder.into(), octets: disk.free })
    }
}

/// Queries the journal of a flow. It counts all records in suspense, so call it rarely.
pub fn standing(flow: &Path) -> Result<Standing, JournalError> {
    flow_journal::read(flow, |db| {
        let counts = |select: &str| {
            let mut select = db.prepare(select)?;
            let rows =
                select.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
            rows.collect::<store::QueryResult<BTreeMap<String, u64>>>()
        };
        let suspense = counts(
            "SELECT why, count(*) FROM suspense INDEXED BY suspense_open
             WHERE state = 'open' AND (file IS NOT NULL OR job IN (SELECT job FROM file WHERE job IS NOT NULL))
             GROUP BY why",
        )?;
        let held_groups = counts("SELECT node, open FROM held_node WHERE open > 0")?;
        let deliveries = counts(
            "SELECT post_processing_system, count(*) FROM (
                 SELECT post_processing_system FROM delivery WHERE state <> 'delivered' AND discarded IS NULL
                 UNION ALL SELECT post_processing_system FROM slice WHERE delivery IS NULL
                     GROUP BY post_processing_system, path)
             GROUP BY post_processing_system",
        )?;
        Ok(Standing { suspense, held_groups, deliveries })
    })
}
