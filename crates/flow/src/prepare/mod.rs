//! From a flow file to a flow that is ready to run, or to all its mistakes.

mod assembly;
mod groups;
mod names;
mod prepared;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use alarm::notification::{self, ChannelKind};
use diagnostics::{Diagnostic, Source, Span, did_you_mean, plain};
use format::coding::{Codecs, Formats};
use node::{Kind, Language};
use runtime::file_watch::TIMESTAMP_LAG;
use settings::Settings;
use transport::{Listener, Scheme};

use crate::absent;
use crate::alarms::ALARMS;
use crate::audit::Audited;
use crate::delivery::{Receivers, advice_of_receivers};
use crate::exposed;
use crate::fetching::{Pull, is_pulled};
use crate::file::{self, FlowFile};
use crate::graph::{self, Graph, Scripts};
use crate::groups as groups_of_elements;
use crate::held;
use crate::listening;
use crate::logging;
use crate::patterns;
use crate::places;
use crate::replay::Elsewhere;
use crate::sequence::Counted;
use crate::serving;
use assembly::{Writes, put_together, sound};

pub(crate) use assembly::is_behind_held;
pub(crate) use prepared::{Element, Prepared, System};

/// What a gateway is made of: handed in, so that the engine knows none of it.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The node kinds.
    pub kinds: &'a [&'a dyn Kind],
    /// The formats.
    pub formats: &'a dyn Formats,
    /// What values of records are written in.
    pub language: &'a dyn Language,
    /// The servers that files may be pushed to.
    pub listeners: &'a [&'a dyn Listener],
    /// What is wrong with the certificate that a table names, if it names one.
    pub certificate: fn(&Settings) -> Option<Diagnostic>,
    /// How somebody may be told of alarms.
    pub channels: &'a [&'a dyn ChannelKind],
    /// The kinds of far places that files come from and go to.
    pub schemes: &'a [&'a dyn Scheme],
}

/// All mistakes and warnings of a flow file and of what it names.
pub fn check(path: &Path, parts: Parts<'_>) -> Vec<Diagnostic> {
    let (flow, mut diagnostics) = prepare(path, parts);
    if let Some(flow) = flow.filter(|flow| flow.groups.are_own())
        && let Ok(file) = file::outline(path)
    {
        diagnostics.extend(groups::uneven(path, &file, &flow));
    }
    diagnostics.extend(certificate(path, parts));
    diagnostics
}

/// What is wrong with the certificate by which the gateway is served. It keeps no server from starting but that one, and
/// none that has read it before from working on.
pub(crate) fn certificate(path: &Path, parts: Parts<'_>) -> Option<Diagnostic> {
    file::outline(path).ok()?.serve.as_ref().and_then(parts.certificate)
}

/// How often a flow is read whose files are written to meanwhile.
const READ_MAX: usize = 5;

/// Reads a flow as [`prepare`] does, again where somebody writes to its files meanwhile: so its marks are those of what was
/// read.
pub(crate) fn prepare_at_rest(
    path: &Path,
    parts: Parts<'_>,
) -> (Option<Prepared>, Vec<Diagnostic>) {
    for _ in 1..READ_MAX {
        let begun = SystemTime::now();
        let (flow, diagnostics) = prepare(path, parts);
        // Of a time that is still to come nobody knows when it was.
        let is_meanwhile = |file: &PathBuf| {
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            modified.is_ok_and(|at| at + TIMESTAMP_LAG >= begun && at <= SystemTime::now())
        };
        if !flow.iter().flat_map(|flow| &flow.files).any(is_meanwhile) {
            return (flow, diagnostics);
        }
        thread::sleep(TIMESTAMP_LAG);
    }
    prepare(path, parts)
}

/// Reads a flow file and all it names. All mistakes are returned, not only the first.
pub(crate) fn prepare(path: &Path, parts: Parts<'_>) -> (Option<Prepared>, Vec<Diagnostic>) {
    prepare_in(path, parts, None)
}

/// A flow in which nothing is wrong; or all that is to be said of one in which something is.
pub(crate) fn prepare_sound(path: &Path, parts: Parts<'_>) -> Result<Prepared, Vec<Diagnostic>> {
    prepare_asking(path, parts, |_, _| ()).map(|(prepared, ())| prepared)
}

/// The same, and what somebody asks of its file and of its types while those may still become more.
pub(crate) fn prepare_asking<T>(
    path: &Path,
    parts: Parts<'_>,
    ask: impl FnOnce(&FlowFile, &mut dyn record::Types) -> T,
) -> Result<(Prepared, T), Vec<Diagnostic>> {
    let text = text(path).map_err(|mistake| vec![mistake])?;
    let (prepared, diagnostics, asked) = prepare_as(path, text, parts, None, ask);
    match prepared {
        Some(prepared) if !diagnostics::has_errors(&diagnostics) => Ok((prepared, asked)),
        _ => Err(diagnostics),
    }
}

/// The same of a flow that may be to work elsewhere.
pub(crate) fn prepare_in(
    path: &Path,
    parts: Parts<'_>,
    elsewhere: Option<&Elsewhere>,
) -> (Option<Prepared>, Vec<Diagnostic>) {
    match text(path) {
        Ok(text) => {
            let (prepared, diagnostics, ()) = prepare_as(path, text, parts, elsewhere, |_, _| ());
            (prepared, diagnostics)
        }
        Err(mistake) => (None, vec![mistake]),
    }
}

fn text(path: &Path) -> Result<String, Diagnostic> {
    plain::read_text(path, plain::TEXT_OCTETS_MAX).map_err(|error| {
        let source = Source::new(path.display().to_string(), "");
        let message = format!("could not read the flow file: {error}");
        Diagnostic::error(&source, Span::default(), message)
    })
}

/// The same of a text that would stand in the flow file.
pub(crate) fn prepare_text(
    path: &Path,
    text: String,
    parts: Parts<'_>,
) -> (Option<Prepared>, Vec<Diagnostic>) {
    let (prepared, diagnostics, ()) = prepare_as(path, text, parts, None, |_, _| ());
    (prepared, diagnostics)
}

fn prepare_as<T>(
    path: &Path,
    text: String,
    parts: Parts<'_>,
    elsewhere: Option<&Elsewhere>,
    ask: impl FnOnce(&FlowFile, &mut dyn record::Types) -> T,
) -> (Option<Prepared>, Vec<Diagnostic>, T) {
    let (mut file, mut diagnostics) = file::parse(path, text, parts.kinds);
    if let Some(elsewhere) = elsewhere {
        elsewhere.moves(&mut file);
    }
    let mut of_modules = Vec::new();
    let modules = parts.formats.load(&file.modules, &mut of_modules);
    // Without its types a script has a mistake in every line.
    let scripts = match diagnostics::has_errors(&of_modules) {
        true => Scripts::LeftOut,
        false => Scripts::Built,
    };
    diagnostics.extend(of_modules);
    let decodes = file.network_elements.iter().map(|element| &element.decode);
    let encodes = file.post_processing_systems.iter().map(|system| &system.encode);
    let tables: Vec<_> = decodes.chain(encodes).collect();
    let mut types = modules.types(&tables, &mut diagnostics);
    let (graph, mistakes) = graph::build(&file, parts.kinds, &mut *types, scripts);
    // A type that no module has is no type of the graph either: said once.
    let known: HashSet<(Span, String)> =
        diagnostics.iter().map(|known| (known.span, known.source.name.clone())).collect();
    let is_new = |mistake: &Diagnostic| {
        known.is_empty() || !known.contains(&(mistake.span, mistake.source.name.clone()))
    };
    diagnostics.extend(mistakes.into_iter().filter(is_new));
    let language = parts.language;
    let counted = match scripts {
        Scripts::LeftOut => Vec::new(),
        Scripts::Built => counted(&file, language, &mut *types, &mut diagnostics),
    };
    if let Some(graph) = &graph {
        diagnostics.extend(held::warnings(&file, graph));
        diagnostics.extend(held::late_beside(&file, graph));
        diagnostics.extend(held::untaken(&file, graph));
    }
    let audited = match (&graph, scripts) {
        (Some(graph), Scripts::Built) => {
            audited(&file, graph, language, &mut *types, &mut diagnostics)
        }
        _ => Vec::new(),
    };
    diagnostics.extend(unmatched_sums(&file));
    // Where it works elsewhere its folders are made, and nobody is told or delivered to.
    if elsewhere.is_none() {
        diagnostics.extend(absent::warnings(&file));
        diagnostics.extend(exposed::warnings(&file));
        diagnostics.extend(patterns::warnings(&file));
    }
    diagnostics.extend(logging::read(&file).err().unwrap_or_default());
    diagnostics.extend(serving::read(&file).err());
    let told = notification::read(&file.notify, parts.channels, ALARMS);
    let told = told.map_err(|mistakes| diagnostics.extend(mistakes)).unwrap_or_default();
    let groups =
        groups_of_elements::read(&file).map_err(|mistakes| diagnostics.extend(mistakes)).ok();
    let receivers = Receivers::read(&file).map_err(|mistakes| diagnostics.extend(mistakes)).ok();
    let listened = listening::read(&file, parts.listeners);
    let listened = listened.map_err(|mistakes| diagnostics.extend(mistakes)).ok();
    let pulled = file.network_elements.iter().map(|element| &element.collect);
    let pulled = pulled.filter(|collect| is_pulled(collect));
    let pulls = pulled.map(|collect| Pull::read(&file, collect, parts.schemes)).collect();
    let roads = sound(pulls, &mut diagnostics).zip(listened);
    let asked = ask(&file, &mut *types);
    let codecs: Arc<dyn Codecs> = types.finish().into();
    let prepared = graph.zip(groups.zip(receivers)).zip(roads).and_then(|whole| {
        let writes = if elsewhere.is_some() { Writes::JsonToo } else { Writes::AsSaid };
        let handed_in = (&codecs, writes, parts.schemes);
        put_together(path, &file, whole, handed_in, (counted, audited), &mut diagnostics)
    });
    let prepared = prepared.map(|flow| Prepared { told, ..flow });
    diagnostics.extend(prepared.iter().flat_map(|flow| places::check(&file, flow)));
    diagnostics.extend(prepared.iter().flat_map(|flow| groups::warnings(&file, flow)));
    diagnostics.extend(prepared.iter().flat_map(|flow| groups::mistakes(&file, flow)));
    diagnostics.extend(prepared.iter().flat_map(|flow| advice_of_receivers(&file, flow)));
    (prepared, diagnostics, asked)
}

/// By network element, what is counted of it; none where that has mistakes, or its type is none.
fn counted(
    file: &FlowFile,
    language: &dyn Language,
    types: &mut dyn record::Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Counted>> {
    let of_element = |element: &file::NetworkElement| {
        let ty = types.schema().find(&element.decode.get("type")?.value)?;
        let counted = Counted::read(&element.counted, language, ty, types);
        counted.map_err(|mistakes| diagnostics.extend(mistakes)).ok()
    };
    file.network_elements.iter().map(of_element).collect()
}

/// By network element, and then by system, what is summed of its records; none where that has mistakes.
fn audited(
    file: &FlowFile,
    graph: &Graph,
    language: &dyn Language,
    types: &mut dyn record::Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Audited>> {
    let elements = file.network_elements.iter().map(|element| element.audit.as_ref());
    let elements = elements.zip(graph.network_elements.iter().map(|entry| entry.ty));
    let systems = file.post_processing_systems.iter().map(|system| system.audit.as_ref());
    let all = elements.chain(systems.zip(graph.systems.iter().copied()));
    all.map(|(table, ty)| {
        let read = Audited::read(table, language, ty, types);
        read.map_err(|mistakes| diagnostics.extend(mistakes)).ok()
    })
    .collect()
}

/// Sums of systems that no network element has: nothing would be held against them.
fn unmatched_sums(file: &FlowFile) -> Vec<Diagnostic> {
    let of_elements = file.network_elements.iter().flat_map(|element| &element.audit);
    let known: Vec<&str> =
        of_elements.flat_map(|table| &table.values).map(|sum| sum.key.as_str()).collect();
    let of_systems = file.post_processing_systems.iter().flat_map(|system| &system.audit);
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
