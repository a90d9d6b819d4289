//! Assembles a flow's parts, each from its table of the flow file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use actions::ActionSettings;
use alarm::notification::ChannelSettings;
use diagnostics::Diagnostic;
use format::coding::Codecs;
use node::Template;
use record::{Opened, TypeId};
use settings::Settings;
use transport::{Account, BUFFER_LIMIT, Collect, Scheme};

use super::both::Both;
use super::measures::Sums;
use super::names::template;
use super::records;
use crate::plan::{Origin, Plan, Reserves, Workload};
use archive::{ARCHIVE, ArchiveSettings};
use assurance::Assurance;
use assurance::control_totals::Audited;
use assurance::sequence::{Counted, CountedTables};
use collection::decompress::Packed;
use collection::duplicate_files::{DUPLICATES, DuplicateFiles};
use collection::fetch::{Pull, is_pulled};
use collection::push;
use collection::push::Listened;
use collection::sources::{Collection, Source};
use distribution as delivery;
use distribution::{Distribution, Receivers, Route};
use flow::coupling::circles;
use flow::file;
use flow::file::FlowFile;
use flow::fingerprint::Marks;
use flow::graph;
use flow::graph::Graph;
use flow::groups::Groups;
use flow::limits::AlarmLimits;
use flow::privacy::Privacy;
use flow::topology::{Element, OutputFiles, System, Topology};
use lineage::TraceSettings;
use state::groups::Keepings;
use state::timers::emitted::emitted_formats;

/// The octets that are written for post-processing systems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    /// The records in the format of the flow.
    AsConfigured,
    /// The records, each followed by its JSON.
    JsonToo,
}

/// The rooms' tables that need no codecs.
pub(super) struct Tables {
    pub(super) channels: Vec<ChannelSettings>,
    pub(super) actions: Vec<ActionSettings>,
    pub(super) groups: Groups,
    pub(super) receivers: Receivers,
    pub(super) listened: Listened,
    pub(super) pulls: Vec<Pull>,
}

/// The inputs that parts are made from.
#[derive(Clone, Copy)]
pub(super) struct Assembly<'a> {
    pub(super) file: &'a FlowFile,
    pub(super) graph: &'a Graph,
    pub(super) codecs: &'a dyn Codecs,
    pub(super) schemes: &'a [&'a dyn Scheme],
    pub(super) writes: Writes,
}

/// The parts of a flow file that need codecs.
pub(super) struct CodecParts {
    elements: Vec<ElementParts>,
    systems: Vec<SystemParts>,
    keepings: Keepings,
    trace: TraceSettings,
    limits: AlarmLimits,
    archive: Option<ArchiveSettings>,
}

/// The parts of a network element.
struct ElementParts {
    element: Element,
    source: Source,
    counted: Counted,
    summed: Audited,
    files_at_once: Option<u64>,
    suspense_octets_max: u64,
}

/// The parts of a post-processing system.
struct SystemParts {
    system: System,
    route: Option<Arc<Route>>,
    summed: Audited,
    files_at_once: Option<u64>,
    folder_octets_max: Option<u64>,
}

impl Assembly<'_> {
    /// Makes all parts. Returns none if any of them has a mistake.
    pub(super) fn parts(
        self,
        counted: Vec<Option<Counted>>,
        sums: Sums,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<CodecParts> {
        let file = self.file;
        let summed = sums.systems.into_iter().enumerate();
        let systems: Vec<_> = summed.map(|(place, summed)| self.system(place, summed)).collect();
        let measured = counted.into_iter().zip(sums.elements).enumerate();
        let elements = measured.map(|(place, (counted, summed))| {
            let opened = self.opened(&systems, place);
            self.element(place, opened, counted.zip(summed).ok_or_else(Vec::new)?)
        });
        let elements = sound(elements.collect(), diagnostics);
        let keepings = self.keepings(diagnostics);
        let systems = sound(systems, diagnostics);
        let trace = TraceSettings::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
        let limits = AlarmLimits::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
        let archive = ArchiveSettings::read(file).map_err(|mistake| diagnostics.push(mistake)).ok();
        // Operations read it where they show records. Here, only its mistakes are found.
        if let Err(mistake) = Privacy::read(file) {
            diagnostics.push(mistake);
        }
        Some(CodecParts {
            elements: elements?,
            systems: systems?,
            keepings: keepings?,
            trace: trace?,
            limits: limits?,
            archive: archive?,
        })
    }

    fn system(
        &self,
        place: usize,
        summed: Option<Audited>,
    ) -> Result<SystemParts, Vec<Diagnostic>> {
        let (table, ty) = (&self.file.post_processing_systems[place], self.graph.systems[place]);
        let (name, state) = (&table.name.text, &self.file.state);
        let route = Route::read(name, &table.deliver, state, self.schemes)?;
        let output = self.output(&table.encode, ty)?;
        let reads = self.codecs.input(&table.encode, ty, &Opened::All).ok();
        if let Some(route) = &route {
            let shape = reads.as_ref().and_then(|reads| reads.shape());
            records::check(&table.encode, route.record_components(), shape)?;
        }
        let dir = match (&route, table.deliver.get("dir")) {
            (Some(_), _) => delivery::buffer(state, name),
            (None, dir) => dir.map_or(PathBuf::new(), |dir| table.deliver.path(dir)),
        };
        let limit = table.deliver.get("limit");
        let limit = limit.map(|limit| table.deliver.octets(limit)).transpose();
        // The receiver limits its own folder; an out buffer needs our limit.
        let usual = route.as_ref().map(|_| BUFFER_LIMIT);
        let files = OutputFiles {
            dir,
            template: template(table, output.extension(), route.as_deref())?,
            has_parts: route.as_ref().is_some_and(|route| route.has_parts()),
        };
        let folder_octets_max = limit.map_err(|mistake| vec![mistake])?.or(usual);
        Ok(SystemParts {
            route,
            folder_octets_max,
            files_at_once: files_at_once(&table.deliver)?,
            summed: summed.ok_or_else(Vec::new)?,
            system: System { name: name.clone(), files, reads, output },
        })
    }

    fn output(
        &self,
        encode: &Settings,
        ty: TypeId,
    ) -> Result<Box<dyn format::coding::Output>, Vec<Diagnostic>> {
        let output = self.codecs.output(encode, ty)?;
        Ok(match self.writes {
            Writes::AsConfigured => output,
            Writes::JsonToo => Box::new(Both::new(output, encode, ty, self.codecs)),
        })
    }

    /// Makes a network element, with what assurance counts and sums of it. `opened` are the values that others read.
    fn element(
        &self,
        place: usize,
        opened: Opened,
        (mut counted, summed): (Counted, Audited),
    ) -> Result<ElementParts, Vec<Diagnostic>> {
        let Assembly { file, graph, codecs, .. } = self;
        let table = &file.network_elements[place];
        let opened = opened.and(counted.opened()).and(summed.opened());
        let input = codecs.input(&table.decode, graph.network_elements[place].ty, &opened)?;
        let tables = CountedTables::of(&table.tables);
        tables.check_header(&*input)?;
        counted.imply_header(&tables, &*input);
        counted.drift.iter_mut().for_each(|drift| drift.read_by(&*input));
        let (nodes, systems) = graph.reached(place);
        let uses_record_numbers =
            nodes.iter().any(|node| graph.nodes[*node].template.uses_record_numbers());
        let remembering = remembering(graph, place);
        let is_ordered = remembering.iter().any(|node| needs_order(&*graph.nodes[*node].template));
        let collect = match push::is_pushed(&table.collect) || is_pulled(&table.collect) {
            true => {
                let dir = push::buffer(file, &table.name.text);
                Collect::buffer(&table.collect, dir, file.tables.get(&ARCHIVE).is_some())?
            }
            false => Collect::new(&table.collect)?,
        };
        let packed = Packed::read(&table.collect)?;
        let files_at_once = files_at_once(&table.collect)?;
        let suspense_octets_max = suspense_max(&table.collect)?;
        let duplicates = match table.tables.get(&DUPLICATES) {
            Some(settings) => DuplicateFiles::new(settings)?,
            None => DuplicateFiles::default(),
        };
        let name = table.name.text.clone();
        Ok(ElementParts {
            source: Source {
                network_element: name.clone(),
                collect,
                is_fetched: is_pulled(&table.collect),
                packed,
                duplicates,
            },
            files_at_once: if is_ordered { Some(1) } else { files_at_once },
            element: Element { name, input, remembering, is_ordered, uses_record_numbers, systems },
            counted,
            summed,
            suspense_octets_max,
        })
    }

    /// Returns which values of a network element's records the nodes and systems read that they reach.
    fn opened(&self, systems: &[Result<SystemParts, Vec<Diagnostic>>], element: usize) -> Opened {
        let (nodes, reached) = self.graph.reached(element);
        let of_nodes = nodes.into_iter().map(|node| self.graph.nodes[node].template.opened());
        let reached = reached.into_iter().filter_map(|system| systems[system].as_ref().ok());
        let of_systems =
            reached.map(|system| system.system.output.opened().and(system.summed.opened()));
        of_nodes.chain(of_systems).fold(Opened::none(), Opened::and)
    }

    /// Returns how records that wait in nodes are stored.
    fn keepings(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Keepings> {
        let keeping = |(node, table): (&graph::GraphNode, &file::NodeTable)| {
            let Some(groups) = node.template.group_settings() else { return Ok(None) };
            self.codecs.keeping(groups.ty).map(Some).ok_or_else(|| {
                let message = format!("there is no way to keep the records of \"{}\"", node.name);
                vec![Diagnostic::error(&self.file.source, table.name.span, message)]
            })
        };
        let nodes = self.graph.nodes.iter().zip(&self.file.nodes);
        sound(nodes.map(keeping).collect(), diagnostics)
    }
}

impl CodecParts {
    /// Builds the plan: gives each room its part.
    pub(super) fn plan(
        self,
        path: &Path,
        file: &FlowFile,
        graph: Graph,
        tables: Tables,
        codecs: Arc<dyn Codecs>,
    ) -> Plan {
        let origin = self.origin(path, file, &graph);
        let CodecParts { keepings, trace, limits, archive, .. } = self;
        let Tables { channels, actions, groups, receivers, listened, pulls } = tables;
        let (mut elements, mut sources, mut counted) = (Vec::new(), Vec::new(), Vec::new());
        let (mut of_elements, mut suspense_octets_max) = (Vec::new(), Vec::new());
        let mut sums_of_elements = Vec::new();
        for of in self.elements {
            elements.push(of.element);
            sources.push(of.source);
            counted.push(of.counted);
            sums_of_elements.push(of.summed);
            of_elements.push(of.files_at_once);
            suspense_octets_max.push(of.suspense_octets_max);
        }
        let (mut systems, mut routes, mut sums_of_systems) = (Vec::new(), Vec::new(), Vec::new());
        let (mut of_systems, mut folder_octets_max) = (Vec::new(), Vec::new());
        for of in self.systems {
            systems.push(of.system);
            routes.push(of.route);
            sums_of_systems.push(of.summed);
            of_systems.push(of.files_at_once);
            folder_octets_max.push(of.folder_octets_max);
        }
        let circles = circles(&elements, &graph);
        let emitted_formats = emitted_formats(&graph, &*codecs);
        let (state, disk_free) = (file.state.clone(), file.disk_free);
        Plan {
            topology: Topology { graph, elements, systems, circles, state, codecs },
            collection: Collection {
                sources,
                listened: Arc::new(listened.with_pulled(&pulls)),
                pulls: pulls.into_iter().map(Arc::new).collect(),
            },
            distribution: Distribution { routes, receivers },
            archive,
            assurance: Assurance { counted, elements: sums_of_elements, systems: sums_of_systems },
            keepings,
            emitted_formats,
            trace,
            workload: Workload { groups, of_elements, of_systems },
            reserves: Reserves { disk_free, folder_octets_max, suspense_octets_max },
            limits,
            channels,
            actions,
            retention: file.retention,
            origin,
        }
    }

    /// Returns the files that a flow is made of, and their marks.
    fn origin(&self, path: &Path, file: &FlowFile, graph: &Graph) -> Origin {
        let modules = file.modules.modules.iter().map(|module| {
            (format!("module \"{}\"", module.value), vec![file.folder.join(&module.value)])
        });
        let nodes = graph.nodes.iter();
        let nodes = nodes.map(|node| (format!("node \"{}\"", node.name), node.template.files()));
        let elements = self.elements.iter().zip(&file.network_elements).map(|(of, table)| {
            let secrets = Account::files(&table.collect);
            let scripts = [of.counted.scripts(), of.summed.files(), secrets].concat();
            (format!("network element \"{}\"", of.element.name), scripts)
        });
        let flow = ("the flow file".to_owned(), vec![path.to_owned()]);
        let (mut files, mut marks) = (Vec::new(), Marks::default());
        for (name, of) in std::iter::once(flow).chain(modules).chain(nodes).chain(elements) {
            marks.note(name, &of);
            files.extend(of);
        }
        Origin { files, marks }
    }
}

/// How many octets of one file may go to suspense by default. A file without valid records goes there whole, so the
/// journal holds a copy of it.
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

/// Returns whether a node depends on the order of files. For example, the first record of a subscriber uses up its free
/// units: in a rerun it must be the same record. A judge goes by the order of the journal, which stays.
fn needs_order(template: &dyn Template) -> bool {
    template.group_settings().is_some_and(|groups| groups.record_time.is_some())
        || template.has_values() && template.judge().is_none()
}

/// Returns the nodes with state that a network element's records may reach.
fn remembering(graph: &Graph, element: usize) -> Vec<usize> {
    let (mut nodes, _) = graph.reached(element);
    nodes.retain(|node| {
        let template = &graph.nodes[*node].template;
        template.state().is_some() || template.group_settings().is_some()
    });
    nodes
}

/// Returns all values; or none, and adds all mistakes to `diagnostics`.
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
