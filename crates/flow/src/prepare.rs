//! From a flow file to a flow that is ready to run, or to all its mistakes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, SystemTime};

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use format::coding::{Codecs, Formats, Input, Keeping, Output};
use node::{Kind, Language, Settings, Template};
use record::{Opened, TypeId};
use transport::{Account, BUFFER_LIMIT, Collect, Listener, Scheme};

use crate::archive::ArchiveSettings;
use crate::audit::Audited;
use crate::chains::{self, Role};
use crate::circle::{Circle, circles};
use crate::delivery::{self, PART_PLACEHOLDERS, Road};
use crate::duplicates::DuplicateFiles;
use crate::fetching::{Pull, is_pulled};
use crate::file::{self, FlowFile};
use crate::graph::{self, Graph, Scripts};
use crate::groups::{self, Groups, Receivers};
use crate::held;
use crate::listening::{self, Listened};
use crate::logging;
use crate::marks::Marks;
use crate::notify::{self, ChannelKind, Told};
use crate::packed::Packed;
use crate::places;
use crate::processes::{Remembered, RememberedElsewhere};
use crate::replay::{Both, Elsewhere};
use crate::sequence::Counted;
use crate::serving;
use crate::trace::TraceSettings;
use crate::watch::CLOCK_LAG;

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

/// A flow that is ready to run.
pub(crate) struct Prepared {
    pub(crate) graph: Graph,
    pub(crate) elements: Vec<Element>,
    /// Which of them are looked at together.
    pub(crate) circles: Vec<Circle>,
    /// Which of them share threads.
    pub(crate) groups: Groups,
    /// Which receivers share threads that carry to them.
    pub(crate) receivers: Receivers,
    pub(crate) systems: Vec<System>,
    /// The far places that files are fetched from.
    pub(crate) pulls: Vec<Arc<Pull>>,
    /// Where files are pushed to, and by whom.
    pub(crate) listened: Arc<Listened>,
    /// By node: how records are kept that wait in it, if any do.
    pub(crate) keepings: Vec<Option<Box<dyn Keeping>>>,
    /// The folder of the flow's own state.
    pub(crate) state: PathBuf,
    /// Octets that stay free on its disks, if the flow says it.
    pub(crate) disk_free: Option<u64>,
    /// How long files are kept in the journal, if the flow says it.
    pub(crate) kept: Option<Duration>,
    /// What becomes of its files when they are done.
    pub(crate) archive: Option<ArchiveSettings>,
    /// Whether its records are traced.
    pub(crate) trace: TraceSettings,
    /// Who is told of alarms.
    pub(crate) told: Vec<Told>,
    /// The files it was made of.
    pub(crate) files: Vec<PathBuf>,
    /// What they were then.
    pub(crate) marks: Marks,
    /// The outputs that workers have in hand. Its lock is taken once a file.
    pub(crate) in_hand: Mutex<HashSet<PathBuf>>,
    /// How nodes in other processes stand that remember.
    pub(crate) remembered: Arc<RememberedElsewhere>,
    /// By node; found when the first worker asks.
    pub(crate) roles: OnceLock<Vec<Role>>,
    /// How records of its types are read and written.
    pub(crate) codecs: Arc<dyn Codecs>,
}

impl Prepared {
    /// What the nodes are to the records that come to them.
    pub(crate) fn roles(&self) -> &[Role] {
        self.roles.get_or_init(|| chains::roles(&self.graph))
    }

    /// How a node stands that remembers, in whichever process it is; none where it remembers nothing.
    pub(crate) fn remembered(&self, node: usize) -> Option<Remembered> {
        let here = self.graph.nodes[node].template.remembers()?;
        Some(self.remembered.of(node).unwrap_or_else(|| Remembered::of(here)))
    }
}

/// A network element.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) collect: Collect,
    /// Whether its files are fetched from a far place: each of them is complete when it is here.
    pub(crate) is_fetched: bool,
    pub(crate) input: Box<dyn Input>,
    /// How its files are compressed, if they are.
    pub(crate) packed: Option<Packed>,
    pub(crate) duplicates: DuplicateFiles,
    /// The nodes that remember, hold or keep something and that its records may come to.
    pub(crate) remembering: Vec<usize>,
    /// Whether the order of its files matters to one of them.
    pub(crate) is_ordered: bool,
    /// Whether a node that its records may come to sees their numbers in their files.
    pub(crate) sees_numbers: bool,
    /// As the flow file says it.
    files_at_once: Option<u64>,
    /// The systems that its records may come to.
    pub(crate) systems: Vec<usize>,
    /// What is counted of its files.
    pub(crate) counted: Counted,
    /// What is summed of its records.
    pub(crate) audited: Audited,
}

impl Element {
    /// Most of its files that may be in work, if there is a bound.
    pub(crate) fn files_at_once(&self) -> Option<u64> {
        if self.is_ordered { Some(1) } else { self.files_at_once }
    }

    /// Whether several workers may read one file of it: what becomes of a record depends on none that came before.
    pub(crate) fn may_be_shared(&self) -> bool {
        self.remembering.is_empty()
            && self.packed.is_none()
            && self.input.stretches().is_some()
            && !self.counted.looks_at_records()
    }
}

/// A post-processing system.
pub(crate) struct System {
    pub(crate) name: String,
    dir: PathBuf,
    /// How its files are carried on from there, if they are.
    pub(crate) road: Option<Arc<Road>>,
    /// The template of file names.
    file: String,
    /// Octets that may lie in its folder.
    pub(crate) limit: Option<u64>,
    /// Most files in work that may have records for it.
    pub(crate) files_at_once: Option<u64>,
    pub(crate) output: Box<dyn Output>,
    /// How what was written for it is read back, for who looks into it.
    pub(crate) reads: Option<Box<dyn Input>>,
    /// What is summed of its records.
    pub(crate) audited: Audited,
}

impl System {
    /// The file that the records of an input file go to: always the same, so that a repeated job
    /// overwrites what an interrupted one left.
    pub(crate) fn target(&self, element: &str, file: &str) -> PathBuf {
        // The number of a part is filled in later, and not in what a network element calls its file.
        let has_parts = self.road.as_ref().is_some_and(|road| road.has_parts());
        let file = if has_parts { &*file.replace('{', "~") } else { file };
        let (stem, _) = file.rsplit_once('.').unwrap_or((file, ""));
        let name = self
            .file
            .replace("{network-element}", element)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", stem)
            .replace("{file}", file);
        self.dir.join(transport::file_name(&name))
    }

    /// The folder its files go to.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A pattern of the names that outputs of an element's files may have.
    pub(crate) fn names(&self, element: &Element) -> String {
        let files = element.collect.names();
        let name = self
            .file
            .replace("{network-element}", &element.name)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", transport::stem(&files).unwrap_or("*"))
            .replace("{file}", &files);
        transport::file_name(&name)
    }

    /// Whether the network element is part of its names.
    pub(crate) fn has_element(&self) -> bool {
        self.file.contains("{network-element}")
    }

    /// Whether its names tell files apart by their stems alone.
    pub(crate) fn has_stem_only(&self) -> bool {
        self.file.contains("{stem}") && !self.file.contains("{file}")
    }
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
            modified.is_ok_and(|at| at + CLOCK_LAG >= begun && at <= SystemTime::now())
        };
        if !flow.iter().flat_map(|flow| &flow.files).any(is_meanwhile) {
            return (flow, diagnostics);
        }
        thread::sleep(CLOCK_LAG);
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
    std::fs::read_to_string(path).map_err(|error| {
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
    let is_new = |mistake: &Diagnostic| {
        let same =
            |known: &&Diagnostic| known.span == mistake.span && known.source == mistake.source;
        diagnostics.iter().find(same).is_none()
    };
    let mistakes: Vec<Diagnostic> = mistakes.into_iter().filter(is_new).collect();
    diagnostics.extend(mistakes);
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
    diagnostics.extend(logging::read(&file).err().unwrap_or_default());
    diagnostics.extend(serving::read(&file).err());
    let told = notify::read(&file, parts.channels);
    let told = told.map_err(|mistakes| diagnostics.extend(mistakes)).unwrap_or_default();
    let groups = groups::read(&file).map_err(|mistakes| diagnostics.extend(mistakes)).ok();
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
    diagnostics.extend(prepared.iter().flat_map(|flow| groups::of_receivers(&file, flow)));
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

/// What was read of a flow that does not need its codecs.
type Whole = ((Graph, (Groups, Receivers)), (Vec<Pull>, Listened));

/// Puts a flow together, if nothing is wrong with any part of it.
fn put_together(
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
        in_hand: Mutex::default(),
        remembered: Arc::default(),
        roles: OnceLock::new(),
        codecs: Arc::clone(codecs),
    })
}

/// What is written for post-processing systems.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
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
    let counted = counted.ok_or_else(Vec::new)?;
    let opened = opened(graph, systems, place).and(counted.opened()).and(audited.opened());
    let input = codecs.input(&table.decode, graph.network_elements[place].ty, &opened)?;
    table.counted.check_header(&*input)?;
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
        systems: graph.reached(place).1,
        duplicates: match &table.duplicates {
            Some(settings) => DuplicateFiles::new(settings)?,
            None => DuplicateFiles::default(),
        },
        counted,
        audited,
    })
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
fn sound<T>(
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

/// What is filled in in the names of outputs.
const PLACEHOLDERS: [&str; 4] = ["network-element", "post-processing-system", "file", "stem"];

/// The template of a system's file names. It names the input file, since otherwise one file would
/// overwrite the other's output. Of outputs that are merged no receiver sees the names.
fn template(
    system: &file::PostProcessingSystem,
    extension: &str,
    road: Option<&Road>,
) -> Result<String, Vec<Diagnostic>> {
    let has_parts = road.is_some_and(Road::has_parts);
    let is_merged = road.is_some_and(|road| road.merge().is_some());
    let Some(name) = system.deliver.get("name").filter(|_| !is_merged) else {
        let part = if has_parts { "-{part}" } else { "" };
        return Ok(format!("{{network-element}}-{{file}}{part}.{extension}"));
    };
    let error =
        |message: String, hint: String| Err(vec![system.deliver.error(name, message).hint(hint)]);
    let mut known = PLACEHOLDERS.to_vec();
    known.extend(PART_PLACEHOLDERS.into_iter().filter(|_| has_parts));
    let unknown = name.value.split('{').skip(1).find_map(|rest| {
        let (placeholder, _) = rest.split_once('}')?;
        (!known.contains(&placeholder)).then_some(placeholder)
    });
    if let Some(unknown) = unknown {
        let hint = did_you_mean(unknown, known.iter().copied())
            .unwrap_or_else(|| format!("known: {}", known.join(", ")));
        return error(format!("nothing is filled in for \"{{{unknown}}}\""), hint);
    }
    if name.value.contains(['/', '\\']) {
        return error(
            "the name of a file has no folders in it".into(),
            "\"dir\" names the folder".into(),
        );
    }
    let tells_files_apart = name.value.contains("{file}") || name.value.contains("{stem}");
    if !tells_files_apart {
        return error(
            "the name is the same for several input files".into(),
            "put {file} or {stem} into it".into(),
        );
    }
    match has_parts && !tells_parts_apart(&name.value) {
        true => error(
            "the name does not tell the parts of an output apart".into(),
            "put {part} into it, and a \"-\" or another character that is no digit on both sides of it"
                .into(),
        ),
        false => Ok(name.value.clone()),
    }
}

/// Whether a number of a part is in a name, and nothing beside it can be taken for more of it.
fn tells_parts_apart(name: &str) -> bool {
    let runs_on = |beside: char| beside.is_ascii_digit() || matches!(beside, '{' | '}');
    name.match_indices("{part}").any(|(at, part)| {
        let (before, behind) = (&name[..at], &name[at + part.len()..]);
        !before.ends_with(runs_on) && !behind.starts_with(runs_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_told_apart_where_nothing_runs_into_its_number() {
        for (name, is_told) in [
            ("{file}-{part}.csv", true),
            ("{part}-{file}", true),
            ("{stem}.{part}of{parts}", true),
            ("{file}.csv", false),
            ("{file}-{parts}.csv", false),
            ("{stem}{part}", false),
            ("{part}{stem}", false),
            ("{stem}-1{part}", false),
            ("{stem}{part}-{part}", true),
        ] {
            assert_eq!(tells_parts_apart(name), is_told, "{name}");
        }
    }
}
