//! The rows of a job's results.

use std::path::Path;
use std::sync::Arc;

use journal::JobId;
use node::Judge;
use store::{Connection, QueryResult, params};

use super::JobView;
use super::row::columns;
use crate::execute::job::{MadeOutput, Results};
use assurance::control_totals::AmountRow;
use distribution as delivery;
use distribution::Cuts;
use flow::report::{COUNTS, NodeAccount};
use lineage::TraceRow;
use state::changes::StateRows;

/// A job's results, to write with the job.
#[derive(Debug, Default)]
pub(crate) struct ResultRows {
    pub(super) accounts: Vec<NodeAccount>,
    amounts: Vec<AmountRow>,
    outputs: Vec<OutputRow>,
    noted: Vec<StateRows>,
    trace: TraceRow,
}

impl ResultRows {
    /// Takes the rows. Files, and what nodes have in memory, stay with the job.
    pub(super) fn of(results: &mut Results<'_>, view: &JobView) -> Self {
        let Results { accounts, amounts, outputs, noted, trace } = results;
        let buffers = delivery::buffers(&view.state());
        let now_ms = view.clock.now_ms();
        ResultRows {
            accounts: std::mem::take(accounts),
            amounts: std::mem::take(amounts),
            outputs: outputs.iter().map(|made| OutputRow::of(made, view, &buffers)).collect(),
            noted: noted.iter_mut().filter_map(|by| by.rows(now_ms)).collect(),
            trace: std::mem::take(trace),
        }
    }

    pub(crate) fn insert(&self, db: &Connection, entry: JobId) -> QueryResult<()> {
        self.outputs.iter().try_for_each(|output| output.insert(db, entry))?;
        self.accounts.iter().try_for_each(|account| passage(db, entry, account))?;
        self.amounts.iter().try_for_each(|amount| amount.insert(db, entry))?;
        self.noted.iter().try_for_each(|noted| noted.insert(db, entry))?;
        self.trace.insert(db, entry)
    }

    /// Returns what judges notes of the job.
    pub(super) fn judges(&self) -> impl Iterator<Item = &Arc<dyn Judge>> {
        self.noted.iter().filter_map(StateRows::judge)
    }

    /// Returns the systems that have output files.
    pub(super) fn systems(&self) -> Vec<String> {
        self.outputs.iter().map(|output| output.post_processing_system.clone()).collect()
    }

    /// Returns whether distribution transfers an output from an out buffer.
    pub(super) fn has_transfers(&self) -> bool {
        self.outputs.iter().any(|output| output.is_transferred)
    }
}

/// The row of an output file.
#[derive(Debug)]
struct OutputRow {
    post_processing_system: String,
    path: String,
    records: i64,
    /// Whether distribution transfers it from an out buffer.
    is_transferred: bool,
    /// Where it may be cut, if distribution splits or merges it.
    cuts: Option<Cuts>,
}

impl OutputRow {
    fn of(output: &MadeOutput<'_>, view: &JobView, buffers: &Path) -> Self {
        OutputRow {
            post_processing_system: output.post_processing_system.to_owned(),
            path: view.noted(output.written.target()),
            records: output.records as i64,
            is_transferred: output.written.target().starts_with(buffers),
            cuts: output.cuts.clone(),
        }
    }

    /// Inserts it with its job, and its transfer where it needs one.
    fn insert(&self, db: &Connection, JobId(file): JobId) -> QueryResult<()> {
        let OutputRow { post_processing_system, path, records, is_transferred, cuts } = self;
        db.prepare_cached(
            "INSERT INTO output (file, post_processing_system, path, records) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![file, post_processing_system, path, records])?;
        let entry = JobId(file);
        match (is_transferred, cuts) {
            (true, Some(cuts)) => {
                delivery::insert_slices(db, entry, (post_processing_system, path), cuts)
            }
            (true, None) => {
                delivery::insert(db, Some(entry), post_processing_system, path, *records)
            }
            (false, _) => Ok(()),
        }
    }
}

/// Inserts the counts of a node or system for a job.
fn passage(db: &Connection, JobId(file): JobId, account: &NodeAccount) -> QueryResult<()> {
    let (names, values) = columns(&COUNTS);
    let insert = format!(
        "INSERT INTO passage (file, node, is_system, made, refused_later, sources, {names})
         VALUES (?, ?, ?, ?, ?, ?, {values})"
    );
    let NodeAccount { node, is_system, made, refused_later, .. } = account;
    let [records, delivered, filtered, held, suspended, duplicate] = account.counts();
    let (made, refused_later) = (*made as i64, *refused_later as i64);
    let counts = params![
        file,
        node,
        is_system,
        made,
        refused_later,
        account.sources_json(),
        records,
        delivered,
        filtered,
        held,
        suspended,
        duplicate
    ];
    db.prepare_cached(&insert)?.execute(counts).map(drop)
}
