//! The tables of a flow file that rooms define, passed to the parser.

use std::path::Path;

use diagnostics::Diagnostic;
use node::Kind;

use crate::archive::ARCHIVE;
use crate::assurance::control_totals::AUDIT;
use crate::assurance::drift::DRIFT;
use crate::assurance::sequence::{FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS};
use crate::collection::duplicate_files::DUPLICATES;
use crate::collection::fetch;
use crate::definition::file;
use crate::definition::file::{FlowFile, Schemas};
use crate::distribution as delivery;
use crate::distribution::DELIVERING;
use crate::lineage::TRACE;

const SCHEMAS: Schemas = Schemas {
    flow: &[&DELIVERING, &TRACE, &ARCHIVE],
    network_element: &[&DUPLICATES, &FILE_SEQUENCE, &RECORD_SEQUENCE, &TOTALS, &AUDIT, &DRIFT],
    post_processing_system: &[&AUDIT],
    fetch: &fetch::KEYS,
    deliver: &delivery::KEYS,
};

/// Parses the text of a flow file. Returns what could be read, and all mistakes.
pub fn parse(path: &Path, text: String, kinds: &[&dyn Kind]) -> (FlowFile, Vec<Diagnostic>) {
    file::parse(path, text, kinds, Some(&SCHEMAS))
}
