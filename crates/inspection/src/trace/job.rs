//! Jobs for the trace: each with what was collected, what was made of it, and the trace of its records.

use std::path::PathBuf;

use store::{Connection, Row};

use super::find::Fault;
use super::report::TraceError;
use lineage::TraceRow;

/// A file that is done, or a job without one.
pub(super) struct Job {
    pub(super) id: i64,
    pub(super) network_element: String,
    pub(super) name: String,
    pub(super) done_ms: i64,
    pub(super) retry_of: Option<i64>,
    pub(super) is_expiry: bool,
    pub(super) duplicate_of: Option<i64>,
    pub(super) row: Option<TraceRow>,
    /// The output files, by system.
    pub(super) outputs: Vec<(String, PathBuf)>,
}

pub(super) const JOB: &str = "SELECT file.id, network_element, name, done_ms, retry_of, expired_in IS NOT NULL, duplicate_of, row
     FROM file LEFT JOIN trace ON trace.file = file.id";

impl Job {
    /// Returns the jobs of a query that begins with [`JOB`].
    pub(super) fn all(
        db: &Connection,
        select: &str,
        by: impl store::Params,
    ) -> Result<Vec<Self>, Fault> {
        let mut select = db.prepare(select)?;
        let mut rows = select.query(by)?;
        let mut jobs = Vec::new();
        while let Some(row) = rows.next()? {
            let octets: Option<Vec<u8>> = row.get(7)?;
            let trace = octets.map(|octets| postcard::from_bytes(&octets)).transpose();
            jobs.push(Job {
                id: row.get(0)?,
                network_element: row.get(1)?,
                name: row.get(2)?,
                done_ms: row.get(3)?,
                retry_of: row.get(4)?,
                is_expiry: row.get(5)?,
                duplicate_of: row.get(6)?,
                row: trace.map_err(|_| TraceError::Damaged)?,
                outputs: outputs(db, row.get(0)?)?,
            });
        }
        Ok(jobs)
    }

    pub(super) fn of(db: &Connection, id: i64) -> Result<Option<Self>, Fault> {
        Ok(Self::all(db, &format!("{JOB} WHERE file.id = ?"), [id])?.pop())
    }
}

/// Returns the files that a job made, by system.
fn outputs(db: &Connection, job: i64) -> Result<Vec<(String, PathBuf)>, Fault> {
    let mut select = db.prepare_cached(
        "SELECT post_processing_system, path FROM output
         WHERE file = ? AND post_processing_system IS NOT NULL",
    )?;
    let output = |row: &Row<'_>| Ok((row.get(0)?, PathBuf::from(row.get::<_, String>(1)?)));
    let outputs = select.query_map([job], output)?.collect::<Result<_, _>>()?;
    Ok(outputs)
}
