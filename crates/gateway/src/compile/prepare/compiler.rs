//! The steps from the text of a flow file to a plan. Each step reports all mistakes that it finds, in a fixed order.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use alarm::notification;
use diagnostics::{Diagnostic, Span};
use format::coding::{Codecs, Loaded, Types};

use super::assembly::{Assembly, Tables, Writes, sound};
use super::measures::{Sums, counted, sums, unmatched_sums};
use super::{Parts, Preparation, Prepared, Sandbox, groups, parse};
use crate::compile::alarms::ALARMS;
use crate::compile::paths;
use crate::plan::Plan;
use assurance::sequence::Counted;
use collection::fetch::{Pull, is_pulled};
use collection::push;
use distribution::{Receivers, advice_of_receivers};
use flow::exposed;
use flow::file::FlowFile;
use flow::graph;
use flow::graph::{Graph, Scripts};
use flow::groups as groups_of_elements;
use flow::logging;
use flow::missing;
use flow::patterns;
use flow::serving;
use state::groups as state_groups;

/// Compiles the text of a flow file.
pub(super) fn compile(text: String, preparation: Preparation<'_>) -> Prepared {
    let Preparation { path, parts, elsewhere, reads_types, .. } = preparation;
    let (mut file, diagnostics) = parse(path, text, parts.kinds);
    if let Some(elsewhere) = elsewhere {
        elsewhere.moves(&mut file);
    }
    let mut compiler = Compiler { path, file: &file, parts, elsewhere, diagnostics };
    let (modules, scripts) = compiler.modules();
    let mut types = compiler.types(&*modules);
    let graph = compiler.graph(&mut *types, scripts);
    let counted = compiler.counted(&mut *types, scripts);
    compiler.look_at_graph(graph.as_ref());
    let sums = compiler.sums(graph.as_ref(), &mut *types, scripts);
    compiler.look_at_tables();
    let tables = compiler.tables();
    if let Some(read) = reads_types {
        read(&file, &mut *types);
    }
    let codecs = types.finish().into();
    let made =
        graph.zip(tables).map(|(graph, tables)| CodecFreeParts { graph, tables, counted, sums });
    let plan = made.and_then(|made| compiler.assemble(made, codecs));
    compiler.look_at_plan(plan.as_ref());
    Prepared { plan, diagnostics: compiler.diagnostics }
}

struct Compiler<'a> {
    path: &'a Path,
    file: &'a FlowFile,
    parts: Parts<'a>,
    /// The sandbox that the flow works in, if not in its own folders.
    elsewhere: Option<&'a Sandbox>,
    diagnostics: Vec<Diagnostic>,
}

/// The parts of a flow file that need no codecs.
struct CodecFreeParts {
    graph: Graph,
    tables: Tables,
    counted: Vec<Option<Counted>>,
    sums: Sums,
}

impl<'a> Compiler<'a> {
    /// Loads the modules of the flow. Returns also whether scripts can be checked against their types.
    fn modules(&mut self) -> (Box<dyn Loaded>, Scripts) {
        let mut mistakes = Vec::new();
        let modules = self.parts.formats.load(&self.file.modules, &mut mistakes);
        // Without its types, every line of a script has a mistake.
        let scripts = match diagnostics::has_errors(&mistakes) {
            true => Scripts::LeftOut,
            false => Scripts::Built,
        };
        self.diagnostics.extend(mistakes);
        (modules, scripts)
    }

    fn types<'m>(&mut self, modules: &'m dyn Loaded) -> Box<dyn Types + 'm> {
        let decodes = self.file.network_elements.iter().map(|element| &element.decode);
        let encodes = self.file.post_processing_systems.iter().map(|system| &system.encode);
        let tables: Vec<_> = decodes.chain(encodes).collect();
        modules.types(&tables, &mut self.diagnostics)
    }

    fn graph(&mut self, types: &mut dyn record::Types, scripts: Scripts) -> Option<Graph> {
        let (graph, mistakes) = graph::build(self.file, self.parts.kinds, types, scripts);
        // An unknown type was reported before: the graph does not report it again.
        let place = |of: &Diagnostic| (of.span, of.source.name.clone());
        let known: HashSet<(Span, String)> = self.diagnostics.iter().map(place).collect();
        let is_new = |mistake: &Diagnostic| known.is_empty() || !known.contains(&place(mistake));
        self.diagnostics.extend(mistakes.into_iter().filter(is_new));
        graph
    }

    /// Reads what is counted, by network element.
    fn counted(&mut self, types: &mut dyn record::Types, scripts: Scripts) -> Vec<Option<Counted>> {
        match scripts {
            Scripts::LeftOut => Vec::new(),
            Scripts::Built => counted(self.file, self.parts.language, types, &mut self.diagnostics),
        }
    }

    fn sums(
        &mut self,
        graph: Option<&Graph>,
        types: &mut dyn record::Types,
        scripts: Scripts,
    ) -> Sums {
        let sums = match (graph, scripts) {
            (Some(graph), Scripts::Built) => {
                sums(self.file, graph, self.parts.language, types, &mut self.diagnostics)
            }
            _ => Sums::default(),
        };
        self.diagnostics.extend(unmatched_sums(self.file));
        sums
    }

    fn look_at_graph(&mut self, graph: Option<&Graph>) {
        if let Some(graph) = graph {
            // In a sandbox, there are no actions.
            if self.elsewhere.is_none() {
                self.diagnostics.extend(unknown_actions(self.file, graph));
            }
            self.diagnostics.extend(state_groups::warnings(self.file, graph));
            self.diagnostics.extend(crate::compile::beside::late_beside(self.file, graph));
            self.diagnostics.extend(crate::compile::untaken::untaken(self.file, graph));
        }
    }

    fn look_at_tables(&mut self) {
        // In a sandbox, folders are created, and nothing is sent or delivered.
        if self.elsewhere.is_none() {
            self.diagnostics.extend(missing::warnings(self.file));
            self.diagnostics.extend(exposed::warnings(self.file));
            self.diagnostics.extend(patterns::warnings(self.file));
        }
        self.diagnostics.extend(logging::read(self.file).err().unwrap_or_default());
        self.diagnostics.extend(serving::read(self.file).err());
    }

    /// Reads the tables of the rooms. Returns none if they have mistakes.
    fn tables(&mut self) -> Option<Tables> {
        let file = self.file;
        let channels = self
            .accept(notification::read(&file.notify, self.parts.channels, ALARMS))
            .unwrap_or_default();
        let actions = self.accept(actions::read(&file.actions)).unwrap_or_default();
        let groups = self.accept(groups_of_elements::read(file));
        let receivers = self.accept(Receivers::read(file));
        let listened = self.accept(push::read(file, self.parts.listeners));
        let pulled = file.network_elements.iter().map(|element| &element.collect);
        let pulled = pulled.filter(|collect| is_pulled(collect));
        let pulls = pulled.map(|collect| Pull::read(file, collect, self.parts.schemes));
        let pulls = sound(pulls.collect(), &mut self.diagnostics);
        Some(Tables {
            channels,
            actions,
            groups: groups?,
            receivers: receivers?,
            listened: listened?,
            pulls: pulls?,
        })
    }

    /// Notes the mistakes of a result.
    fn accept<T>(&mut self, read: Result<T, Vec<Diagnostic>>) -> Option<T> {
        read.map_err(|mistakes| self.diagnostics.extend(mistakes)).ok()
    }

    fn assemble(&mut self, made: CodecFreeParts, codecs: Arc<dyn Codecs>) -> Option<Plan> {
        let CodecFreeParts { graph, tables, counted, sums } = made;
        let assembly = Assembly {
            file: self.file,
            graph: &graph,
            codecs: &*codecs,
            schemes: self.parts.schemes,
            writes: if self.elsewhere.is_some() { Writes::JsonToo } else { Writes::AsConfigured },
        };
        let parts = assembly.parts(counted, sums, &mut self.diagnostics)?;
        Some(parts.plan(self.path, self.file, graph, tables, codecs))
    }

    /// Checks the whole plan.
    fn look_at_plan(&mut self, plan: Option<&Plan>) {
        if let Some(plan) = plan {
            self.diagnostics.extend(paths::check(self.file, plan));
            self.diagnostics.extend(groups::warnings(self.file, plan));
            self.diagnostics.extend(groups::mistakes(self.file, plan));
            self.diagnostics.extend(advice_of_receivers(self.file, &plan.distribution));
        }
    }
}

/// Returns the mistakes of rules that request actions which are not there.
fn unknown_actions(file: &FlowFile, graph: &Graph) -> Vec<Diagnostic> {
    let requested = graph.nodes.iter().flat_map(|node| node.template.actions());
    let is_known = |name: &str| file.actions.iter().any(|action| action.name == name);
    requested.filter(|(name, _)| !is_known(name)).map(|(_, mistake)| mistake).collect()
}
