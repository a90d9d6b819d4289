//! Reads what is counted and summed of a flow's files and records.

use diagnostics::{Diagnostic, did_you_mean};
use node::Language;
use record::Types;

use assurance::control_totals::{AUDIT, Audited};
use assurance::sequence::{Counted, CountedTables};
use flow::file;
use flow::file::FlowFile;
use flow::graph::Graph;

/// The sums over records. An entry is none if it has mistakes.
#[derive(Default)]
pub(super) struct Sums {
    /// The sums by network element.
    pub(super) elements: Vec<Option<Audited>>,
    /// The sums by post-processing system.
    pub(super) systems: Vec<Option<Audited>>,
}

/// Returns what is counted, by network element. An entry is none if it has mistakes or its type is unknown.
pub(super) fn counted(
    file: &FlowFile,
    language: &dyn Language,
    types: &mut dyn Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Counted>> {
    let of_element = |element: &file::NetworkElement| {
        let ty = types.schema().find(&element.decode.get("type")?.value)?;
        let counted = Counted::read(&CountedTables::of(&element.tables), language, ty, types);
        counted.map_err(|mistakes| diagnostics.extend(mistakes)).ok()
    };
    file.network_elements.iter().map(of_element).collect()
}

/// Returns what is summed of the records of a flow.
pub(super) fn sums(
    file: &FlowFile,
    graph: &Graph,
    language: &dyn Language,
    types: &mut dyn Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Sums {
    let mut read = |table, ty| {
        let read = Audited::read(table, language, ty, types);
        read.map_err(|mistakes| diagnostics.extend(mistakes)).ok()
    };
    let elements = file.network_elements.iter().zip(&graph.network_elements);
    let elements =
        elements.map(|(element, entry)| read(element.tables.get(&AUDIT), entry.ty)).collect();
    let systems = file.post_processing_systems.iter().zip(&graph.systems);
    let systems = systems.map(|(system, ty)| read(system.tables.get(&AUDIT), *ty)).collect();
    Sums { elements, systems }
}

/// Returns the mistakes of sums of systems that no network element has: there is nothing to compare them with.
pub(super) fn unmatched_sums(file: &FlowFile) -> Vec<Diagnostic> {
    let of_elements = file.network_elements.iter().flat_map(|element| element.tables.get(&AUDIT));
    let known: Vec<&str> =
        of_elements.flat_map(|table| &table.values).map(|sum| sum.key.as_str()).collect();
    let of_systems =
        file.post_processing_systems.iter().flat_map(|system| system.tables.get(&AUDIT));
    of_systems
        .flat_map(|table| table.values.iter().map(move |sum| (table, sum)))
        .filter(|(_, sum)| !known.contains(&sum.key.as_str()))
        .map(|(table, sum)| {
            let message = format!("no network element has a sum \"{}\"", sum.key);
            let hint = did_you_mean(&sum.key, known.iter().copied());
            table.error(sum, message).hint_maybe(hint)
        })
        .collect()
}
