//! The tables of a flow file that rooms define, passed to the parser.

use std::path::Path;

use diagnostics::Diagnostic;
use node::Kind;

use archive::ARCHIVE;
use assurance::control_totals::AUDIT;
use assurance::drift::DRIFT;
use assurance::sequence::{FILE_SEQUENCE, RECORD_SEQUENCE, TOTALS};
use collection::duplicate_files::DUPLICATES;
use collection::fetch;
use distribution as delivery;
use distribution::DELIVERING;
use flow::file;
use flow::file::{FlowFile, Schemas};
use flow::privacy::PRIVACY;
use lineage::TRACE;

const SCHEMAS: Schemas = Schemas {
    flow: &[&DELIVERING, &TRACE, &ARCHIVE, &PRIVACY],
    network_element: &[&DUPLICATES, &FILE_SEQUENCE, &RECORD_SEQUENCE, &TOTALS, &AUDIT, &DRIFT],
    post_processing_system: &[&AUDIT],
    fetch: &fetch::KEYS,
    deliver: &delivery::KEYS,
};

/// Parses the text of a flow file. Returns what could be read, and all mistakes.
pub fn parse(path: &Path, text: String, kinds: &[&dyn Kind]) -> (FlowFile, Vec<Diagnostic>) {
    file::parse(path, text, kinds, Some(&SCHEMAS))
}
