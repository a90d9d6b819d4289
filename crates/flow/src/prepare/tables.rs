//! The tables of a flow file that rooms read, handed in to its reader.

use std::path::Path;

use diagnostics::Diagnostic;
use node::Kind;

use crate::archive::ARCHIVE;
use crate::control_totals::AUDIT;
use crate::delivery::{self, DELIVERING};
use crate::drift::DRIFT;
use crate::duplicates::DUPLICATES;
use crate::fetching;
use crate::file::{self, FlowFile, Schemas};
use crate::lineage::TRACE;
use crate::sequence::{FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS};

const SCHEMAS: Schemas = Schemas {
    flow: &[&DELIVERING, &TRACE, &ARCHIVE],
    network_element: &[&DUPLICATES, &FILE_SEQUENCE, &RECORD_SEQUENCE, &TOTALS, &AUDIT, &DRIFT],
    post_processing_system: &[&AUDIT],
    fetch: &fetching::KEYS,
    deliver: &delivery::KEYS,
};

/// Reads the text of a flow file. What could be read is returned beside all mistakes.
pub fn parse(path: &Path, text: String, kinds: &[&dyn Kind]) -> (FlowFile, Vec<Diagnostic>) {
    file::parse(path, text, kinds, Some(&SCHEMAS))
}
