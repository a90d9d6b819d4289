//! A flow's parts put together, each from its table of the flow file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use diagnostics::Diagnostic;
use format::coding::{Codecs, Keeping};
use node::Template;
use record::{Opened, TypeId};
use settings::Settings;
use transport::{Account, BUFFER_LIMIT, Collect, Scheme};

use super::names::template;
use super::prepared::{Element, Prepared, System};
use crate::archive::ArchiveSettings;
use crate::audit::Audited;
use crate::circle::circles;
use crate::delivery::{self, Receivers, Road};
use crate::duplicates::DuplicateFiles;
use crate::fetching::{Pull, is_pulled};
use crate::file::{self, FlowFile};
use crate::graph::{self, Graph};
use crate::groups::Groups;
use crate::limits::AlarmLimits;
use crate::listening::{self, Listened};
use crate::marks::Marks;
use crate::packed::Packed;
use crate::replay::Both;
use crate::sequence::Counted;
use crate::trace::TraceSettings;

/// What was read of a flow that does not need its codecs.
pub(super) type Whole = ((Graph, (Groups, Receivers)), (Vec<Pull>, Listened));

/// Puts a flow together, if nothing is wrong with any part of it.
pub(super) fn put_together(
    path: &Path,
    file: &FlowFile,
    ((graph, (groups, receivers)), (pulls, listened)): Whole,
    (codecs, writes, schemes): (&Arc<dyn Codecs>, Writes, &[&dyn Scheme]),
    (counted, audited): (Vec<Option<Counted>>, Vec<Option<Audited>>),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Prepared> {
    let mut audited = audited.into_iter();
    let of_elements: Vec<_> = audited.by_ref().take(file.network_elements.len()).collect();
    let of_elements = counted.into_iter().zip(of_elements).enumerate();
    let systems = file.post_processing_systems.iter().zip(&graph.systems).zip(audited);
    let systems: Vec<Result<System, Vec<Diagnostic>>> = systems
        .map(|((table, ty), audited)| {
            let road = Road::read(&table.name.text, &table.deliver, &file.state, schemes);
            system(table, (*ty, &**codecs, writes), (road?, &file.state), audited)
        })
        .collect();
    let elements = of_elements
        .map(|(place, measured)| element(file, &graph, place, &systems, &**codecs, measured))
        .collect();
    let elements = sound(elements, diagnostics);
    let keepings = keepings(file, &graph, &**codecs, diagnostics);
    let systems = sound(systems, diagnostics);
    let trace = TraceSettings::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
    let limits = AlarmLimits::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
    let archive = ArchiveSettings::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
    let elements = elements?;
    let (files, marks) = made_of(path, file, &graph, &elements);
    Some(Prepared {
        told: Vec::new(),
        files,
        marks,
        circles: circles(&elements, &graph),
        groups,
        receivers,
        graph,
        elements,
        systems: systems?,
        listened: Arc::new(listened.with_pulled(&pulls)),
        pulls: pulls.into_iter().map(Arc::new).collect(),
        keepings: keepings?,
        state: file.state.clone(),
        disk_free: file.disk_free,
        kept: file.kept,
        trace: trace?,
        archive: archive?,
        limits: limits?,
        in_hand: Mutex::default(),
        remembered: Arc::default(),
        roles: OnceLock::new(),
        codecs: Arc::clone(codecs),
    })
}

/// What is written for post-processing systems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    /// What the flow says.
    AsSaid,
    /// That, and behind each record the same as JSON.
    JsonToo,
}

fn system(
    table: &file::PostProcessingSystem,
    (ty, codecs, writes): (TypeId, &dyn Codecs, Writes),
    (road, state): (Option<Arc<Road>>, &Path),
    audited: Option<Audited>,
) -> Result<System, Vec<Diagnostic>> {
    let mut output = codecs.output(&table.encode, ty)?;
    if writes == Writes::JsonToo {
        output = Box::new(Both::new(output, &table.encode, ty, codecs));
    }
    let dir = match (&road, table.deliver.get("dir")) {
        (Some(_), _) => delivery::buffer(state, &table.name.text),
        (None, dir) => dir.map_or(PathBuf::new(), |dir| table.deliver.path(dir)),
    };
    let limit = table.deliver.get("limit");
    let limit = limit.map(|limit| table.deliver.octets(limit)).transpose();
    // A receiver's own folder is the receiver's to bound, an out buffer ours.
    let usual = road.as_ref().map(|_| BUFFER_LIMIT);
    Ok(System {
        name: table.name.text.clone(),
        dir,
        file: template(table, output.extension(), road.as_deref())?,
        road,
        limit: limit.map_err(|mistake| vec![mistake])?.or(usual),
        files_at_once: files_at_once(&table.deliver)?,
        audited: audited.ok_or_else(Vec::new)?,
        reads: codecs.input(&table.encode, ty, &Opened::All).ok(),
        output,
    })
}

fn element(
    file: &FlowFile,
    graph: &Graph,
    place: usize,
    systems: &[Result<System, Vec<Diagnostic>>],
    codecs: &dyn Codecs,
    (counted, audited): (Option<Counted>, Option<Audited>),
) -> Result<Element, Vec<Diagnostic>> {
    let table = &file.network_elements[place];
    let audited = audited.ok_or_else(Vec::new)?;
    let mut counted = counted.ok_or_else(Vec::new)?;
    let opened = opened(graph, systems, place).and(counted.opened()).and(audited.opened());
    let input = codecs.input(&table.decode, graph.network_elements[place].ty, &opened)?;
    table.counted.check_header(&*input)?;
    counted.imply_header(&table.counted, &*input);
    counted.drift.iter_mut().for_each(|drift| drift.read_by(&*input));
    let remembering = remembering(graph, place);
    Ok(Element {
        name: table.name.text.clone(),
        is_fetched: is_pulled(&table.collect),
        collect: match listening::is_pushed(&table.collect) || is_pulled(&table.collect) {
            true => {
                let dir = listening::buffer(file, &table.name.text);
                Collect::buffer(&table.collect, dir, file.archive.is_some())?
            }
            false => Collect::new(&table.collect)?,
        },
        input,
        packed: Packed::read(&table.collect)?,
        sees_numbers: graph
            .reached(place)
            .0
            .iter()
            .any(|node| graph.nodes[*node].template.sees_numbers()),
        is_ordered: remembering.iter().any(|node| needs_order(&*graph.nodes[*node].template)),
        remembering,
        files_at_once: files_at_once(&table.collect)?,
        suspense_max: suspense_max(&table.collect)?,
        systems: graph.reached(place).1,
        duplicates: match &table.duplicates {
            Some(settings) => DuplicateFiles::new(settings)?,
            None => DuplicateFiles::default(),
        },
        counted,
        audited,
    })
}

/// Octets of one file that may go to suspense, if nothing is said: of what is no file of records all does, and the journal
/// has it once more.
const SUSPENSE_MAX: u64 = 1_000_000_000;

fn suspense_max(settings: &Settings) -> Result<u64, Vec<Diagnostic>> {
    let most = settings.get("suspense-limit").map(|limit| settings.octets(limit)).transpose();
    Ok(most.map_err(|mistake| vec![mistake])?.unwrap_or(SUSPENSE_MAX))
}

fn files_at_once(settings: &Settings) -> Result<Option<u64>, Vec<Diagnostic>> {
    let setting = settings.get(file::FILES_AT_ONCE);
    let count = setting.map(|setting| settings.count(setting)).transpose();
    count.map_err(|mistake| vec![mistake])
}

/// Whether the order of files matters to a node. Who comes first has the free units of a subscriber: again, it has to be
/// the same one.
fn needs_order(template: &dyn Template) -> bool {
    template.holds().is_some_and(|holds| holds.record_time.is_some()) || template.keeps().is_some()
}

/// The files that a flow is made of, and what they are like.
fn made_of(
    path: &Path,
    file: &FlowFile,
    graph: &Graph,
    elements: &[Element],
) -> (Vec<PathBuf>, Marks) {
    let modules = file.modules.modules.iter().map(|module| {
        (format!("module \"{}\"", module.value), vec![file.folder.join(&module.value)])
    });
    let nodes = graph.nodes.iter();
    let nodes = nodes.map(|node| (format!("node \"{}\"", node.name), node.template.files()));
    let of_counted = elements.iter().zip(&file.network_elements).map(|(element, table)| {
        let secrets = Account::files(&table.collect);
        let scripts = [element.counted.scripts(), element.audited.files(), secrets].concat();
        (format!("network element \"{}\"", element.name), scripts)
    });
    let flow = ("the flow file".to_owned(), vec![path.to_owned()]);
    let (mut files, mut marks) = (Vec::new(), Marks::default());
    for (name, of) in std::iter::once(flow).chain(modules).chain(nodes).chain(of_counted) {
        marks.note(name, &of);
        files.extend(of);
    }
    (files, marks)
}

/// Into which values of a network element's records anyone looks whom they come to.
fn opened(graph: &Graph, systems: &[Result<System, Vec<Diagnostic>>], element: usize) -> Opened {
    let (nodes, reached) = graph.reached(element);
    let of_nodes = nodes.into_iter().map(|node| graph.nodes[node].template.opened());
    let reached = reached.into_iter().filter_map(|system| systems[system].as_ref().ok());
    let of_systems = reached.map(|system| system.output.opened().and(system.audited.opened()));
    of_nodes.chain(of_systems).fold(Opened::none(), Opened::and)
}

/// The nodes that remember and that a network element's records may come to.
fn remembering(graph: &Graph, element: usize) -> Vec<usize> {
    let (mut nodes, _) = graph.reached(element);
    nodes.retain(|node| {
        let template = &graph.nodes[*node].template;
        template.remembers().is_some() || template.holds().is_some() || template.keeps().is_some()
    });
    nodes
}

/// Whether a system may be given records by a node in which they wait.
pub(crate) fn is_behind_held(graph: &Graph, element: usize, system: usize) -> bool {
    let (nodes, _) = graph.reached(element);
    let holding = nodes.into_iter().filter(|node| graph.nodes[*node].template.holds().is_some());
    holding.into_iter().any(|node| graph.reached_from(node).1.contains(&system))
}

/// How records are kept that wait in nodes.
fn keepings(
    file: &FlowFile,
    graph: &Graph,
    codecs: &dyn Codecs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Option<Box<dyn Keeping>>>> {
    let keeping = |(node, table): (&graph::GraphNode, &file::NodeTable)| {
        let Some(holds) = node.template.holds() else { return Ok(None) };
        codecs.keeping(holds.ty).map(Some).ok_or_else(|| {
            let message = format!("there is no way to keep the records of \"{}\"", node.name);
            vec![Diagnostic::error(&file.source, table.name.span, message)]
        })
    };
    sound(graph.nodes.iter().zip(&file.nodes).map(keeping).collect(), diagnostics)
}

/// All of them, or none and all mistakes.
pub(super) fn sound<T>(
    all: Vec<Result<T, Vec<Diagnostic>>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<T>> {
    let mut whole = true;
    let mut made = Vec::new();
    for one in all {
        match one {
            Ok(one) => made.push(one),
            Err(mistakes) => {
                whole = false;
                diagnostics.extend(mistakes);
            }
        }
    }
    whole.then_some(made)
}
