//! Compares what a network element numbers and totals itself with what came. Each of its counters has a ledger.
//!
//! ```text
//! settings ─▶ gather: a worker notes the numbers of a file ─▶ book: the journal's ledgers, alarms ─▶ report
//!                                                                       └ ledger: what a number means
//! ```

pub(crate) mod accept;
mod alarms;
pub(crate) mod book;
pub(crate) mod counter;
pub(crate) mod extract;
mod forget;
mod ledger;
pub(crate) mod news;
mod pattern;
pub(crate) mod report;
mod retention;
mod settings;
mod silence;

pub(crate) use self::settings::{Counted, CountedTables, FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS};
pub(crate) use alarms::ALARMS;
use book::CaughtUp;
pub use book::Of;
pub(crate) use book::{DoneFile, note};
pub(crate) use extract::{Gathered, Gatherer};
use journal::Journal;
pub(crate) use retention::prune;

use std::collections::BTreeSet;

use runtime::time::now_ms;
use store::Connection;

use crate::assurance::Assurance;
use crate::assurance::drift;
use crate::definition::flow_journal::AccessError;
use crate::definition::topology::Topology;

/// Updates the ledgers and checks which elements are silent. It skips elements whose files are being processed: the
/// order of their files is known only when all are done. If there is nothing new, it writes nothing.
pub(crate) fn look(
    flow: &Topology,
    assurance: &Assurance,
    journal: &Journal,
    reader: &Connection,
    in_work: &BTreeSet<&str>,
) -> Result<(), AccessError> {
    let now = now_ms();
    for element in book::behind(reader)? {
        while !in_work.contains(element.as_str()) {
            let of = element.clone();
            if journal.commit(move |db| book::catch_up(db, &of, now))? == CaughtUp::Wholly {
                break;
            }
        }
    }
    forget::forget(flow, assurance, journal, reader, now)?;
    drift::forget(flow, assurance, journal, reader)?;
    drift::close(journal, reader, in_work)?;
    silence::listen(flow, assurance, journal, reader, in_work, now)
}
