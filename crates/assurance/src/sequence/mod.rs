//! Compares what a network element numbers and totals itself with what came. Each of its counters has a ledger.
//!
//! ```text
//! settings ─▶ gather: a worker notes the numbers of a file ─▶ book: the journal's ledgers, alarms ─▶ report
//!                                                                       └ ledger: what a number means
//! ```

pub mod accept;
mod alarms;
pub mod book;
pub mod counter;
pub mod extract;
mod forget;
mod ledger;
pub mod news;
mod pattern;
pub mod report;
mod retention;
mod settings;
mod silence;

pub use self::settings::{Counted, CountedTables, FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS};
pub use alarms::ALARMS;
use book::CaughtUp;
pub use book::Of;
pub use book::{DoneFile, note};
pub use extract::{Gathered, Gatherer};
use journal::Journal;
pub use retention::prune;

use std::collections::BTreeSet;

use runtime::time::now_ms;
use store::Connection;

use crate::Assurance;
use crate::drift;
use flow::flow_journal::AccessError;
use flow::topology::Topology;

/// Updates the ledgers and checks which elements are silent. It skips elements whose files are being processed: the
/// order of their files is known only when all are done. If there is nothing new, it writes nothing.
pub fn look(
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
