//! The graph: which nodes give records to which. It is checked once, so that records only follow numbers.

use std::collections::{BTreeSet, HashMap, HashSet};

use diagnostics::{Diagnostic, Span, did_you_mean};
use node::{Kind, Template, Unconsumed};
use record::{Schema, TypeId, Types};
use settings::Settings;

use crate::file::{FlowFile, Word};

/// The most nodes and systems of a flow; a target has two octets.
const TARGETS_MAX: usize = u16::MAX as usize;

/// The graph of a flow without mistakes. Indices are those of the flow file's lists.
pub struct Graph {
    /// The network elements.
    pub network_elements: Vec<Entry>,
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// For each post-processing system, the type of its records.
    pub systems: Vec<TypeId>,
}

/// A network element, where records enter.
pub struct Entry {
    /// Their type.
    pub ty: TypeId,
    /// The receivers of its records.
    pub targets: Vec<Target>,
}

/// A node and the receivers of its streams.
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// The template from which each worker makes its node.
    pub template: Box<dyn Template>,
    /// For each stream, the receivers of its records.
    pub streams: Vec<Vec<Target>>,
}

impl GraphNode {
    /// Returns the receivers of records that are not duplicates.
    pub fn first_time(&self) -> &[Target] {
        let sets_aside =
            |targets: &&Vec<Target>| matches!(targets.as_slice(), [Target::Duplicate(_)]);
        let passing = self.streams.iter().find(|targets| !sets_aside(targets));
        passing.map_or(&[], Vec::as_slice)
    }
}

/// A receiver of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A node.
    Node(u16),
    /// A post-processing system.
    System(u16),
    /// No receiver: the record is set aside as a duplicate that this node found.
    Duplicate(u16),
}

/// A giver of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Giver {
    Element(usize),
    Node { node: usize, stream: usize },
}

/// A resolved word of a `from`.
struct GraphEdge {
    giver: Giver,
    target: Target,
    span: Span,
}

/// Whether the scripts of nodes are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripts {
    /// They are compiled.
    Built,
    /// They are left out, because it makes no sense yet to compile them; there is no graph then.
    LeftOut,
}

/// Builds the nodes and connects them. All mistakes are returned, not only the first.
pub fn build(
    file: &FlowFile,
    kinds: &[&dyn Kind],
    types: &mut dyn Types,
    scripts: Scripts,
) -> (Option<Graph>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut templates = Vec::new();
    for table in &file.nodes {
        if scripts == Scripts::LeftOut {
            templates.push(None);
            continue;
        }
        match kinds[table.kind].build(&table.settings, types) {
            Ok(template) => {
                diagnostics.extend(template.warnings());
                templates.push(Some(template));
            }
            Err(mistakes) => {
                diagnostics.extend(mistakes);
                templates.push(None);
            }
        }
    }
    let schema = types.schema();
    let (edges, connected) = (Vec::new(), HashSet::new());
    let mut builder = Builder { file, schema, templates, edges, connected, diagnostics };
    let systems = builder.connect();
    let Builder { templates, edges, diagnostics, .. } = builder;
    if scripts == Scripts::LeftOut || diagnostics::has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    (graph(file, schema, templates, &edges, systems), diagnostics)
}

fn graph(
    file: &FlowFile,
    schema: &Schema,
    templates: Vec<Option<Box<dyn Template>>>,
    edges: &[GraphEdge],
    systems: Vec<Option<TypeId>>,
) -> Option<Graph> {
    let taken = |giver: Giver| {
        edges.iter().filter(|edge| edge.giver == giver).map(|edge| edge.target).collect()
    };
    let entry = |(place, element): (usize, &crate::file::NetworkElement)| {
        let ty = schema.find(&element.decode.get("type")?.value)?;
        Some(Entry { ty, targets: taken(Giver::Element(place)) })
    };
    let node = |(node, template): (usize, Option<Box<dyn Template>>)| {
        let template = template?;
        let streams = template.outputs().iter().enumerate().map(|(stream, output)| {
            let taken: Vec<Target> = taken(Giver::Node { node, stream });
            match (output.unconsumed, taken.is_empty()) {
                (Unconsumed::Duplicate, true) => vec![Target::Duplicate(node as u16)],
                _ => taken,
            }
        });
        let streams = streams.collect();
        Some(GraphNode { name: file.nodes[node].name.text.clone(), template, streams })
    };
    Some(Graph {
        network_elements: file
            .network_elements
            .iter()
            .enumerate()
            .map(entry)
            .collect::<Option<_>>()?,
        nodes: templates.into_iter().enumerate().map(node).collect::<Option<_>>()?,
        systems: systems.into_iter().collect::<Option<_>>()?,
    })
}

impl Graph {
    /// Returns the nodes and the systems that an element's records may reach.
    pub fn reached(&self, element: usize) -> (Vec<usize>, Vec<usize>) {
        self.reached_by(self.network_elements[element].targets.clone())
    }

    /// Returns the nodes and the systems that records from a node may reach.
    pub fn reached_from(&self, node: usize) -> (Vec<usize>, Vec<usize>) {
        self.reached_by(self.nodes[node].streams.concat())
    }

    fn reached_by(&self, mut ahead: Vec<Target>) -> (Vec<usize>, Vec<usize>) {
        let (mut nodes, mut systems) = (BTreeSet::new(), BTreeSet::new());
        while let Some(target) = ahead.pop() {
            match target {
                Target::System(system) => drop(systems.insert(usize::from(system))),
                Target::Node(node) if nodes.insert(usize::from(node)) => {
                    ahead.extend(self.nodes[usize::from(node)].streams.iter().flatten());
                }
                Target::Node(_) | Target::Duplicate(_) => {}
            }
        }
        (nodes.into_iter().collect(), systems.into_iter().collect())
    }
}

/// Mistakes above this number get no suggestion, which takes longer to find than the mistake.
const HINTS_MAX: usize = 200;

struct Builder<'f> {
    file: &'f FlowFile,
    schema: &'f Schema,
    templates: Vec<Option<Box<dyn Template>>>,
    edges: Vec<GraphEdge>,
    /// The giver and the receiver of each edge.
    connected: HashSet<(Giver, Target)>,
    diagnostics: Vec<Diagnostic>,
}

/// The meaning of a name.
#[derive(Clone, Copy)]
enum Named {
    Element(usize),
    Node(usize),
    System,
}

impl Builder<'_> {
    fn error(&mut self, span: Span, message: String, hint: Option<String>) {
        let diagnostic = Diagnostic::error(&self.file.source, span, message).hint_maybe(hint);
        self.diagnostics.push(diagnostic);
    }

    /// Resolves every name and checks its connections; returns the systems' types.
    fn connect(&mut self) -> Vec<Option<TypeId>> {
        let file = self.file;
        if file.nodes.len().max(file.post_processing_systems.len()) > TARGETS_MAX {
            self.error(Span::default(), format!("a flow has at most {TARGETS_MAX} nodes"), None);
        }
        let names = self.names();
        for (place, table) in file.nodes.iter().enumerate() {
            self.resolve(&names, &table.from, Target::Node(place as u16));
        }
        for (place, system) in file.post_processing_systems.iter().enumerate() {
            self.resolve(&names, &system.from, Target::System(place as u16));
        }
        self.check_cycles();
        if diagnostics::has_errors(&self.diagnostics) {
            return Vec::new(); // What is not connected has no types and is not reached.
        }
        let order = self.check_reached();
        self.check_types(&order)
    }

    fn names(&mut self) -> HashMap<String, Named> {
        let file = self.file;
        let elements = file.network_elements.iter().enumerate();
        let nodes = file.nodes.iter().enumerate();
        let systems = file.post_processing_systems.iter();
        let all: Vec<(&Word, Named)> = elements
            .map(|(place, element)| (&element.name, Named::Element(place)))
            .chain(nodes.map(|(place, table)| (&table.name, Named::Node(place))))
            .chain(systems.map(|system| (&system.name, Named::System)))
            .collect();
        let mut names = HashMap::new();
        for (word, named) in all {
            if names.insert(word.text.clone(), named).is_some() {
                let message = format!("\"{}\" is named twice", word.text);
                self.error(word.span, message, Some("each name stands once in a flow".into()));
            }
        }
        names
    }

    fn resolve(&mut self, names: &HashMap<String, Named>, from: &[Word], target: Target) {
        for word in from {
            if let Some(giver) = self.giver(names, word) {
                if !self.connected.insert((giver, target)) {
                    self.error(word.span, format!("\"{}\" stands here twice", word.text), None);
                }
                self.edges.push(GraphEdge { giver, target, span: word.span });
            }
        }
    }

    fn giver(&mut self, names: &HashMap<String, Named>, word: &Word) -> Option<Giver> {
        let (name, stream) = match word.text.rsplit_once('.') {
            Some((name, stream)) if !names.contains_key(&word.text) => (name, Some(stream)),
            _ => (word.text.as_str(), None),
        };
        match (names.get(name), stream) {
            (Some(Named::Element(place)), None) => Some(Giver::Element(*place)),
            (Some(Named::Node(node)), stream) => self.stream(*node, stream, word),
            (Some(Named::Element(_)), Some(stream)) => {
                let message = format!("\"{name}\" has one stream, none is named \"{stream}\"");
                self.error(word.span, message, Some(format!("write \"{name}\"")));
                None
            }
            (Some(Named::System), _) => {
                let message =
                    format!("\"{name}\" is a post-processing system and gives no records");
                self.error(word.span, message, None);
                None
            }
            // Its own mistakes are already reported.
            (None, _) if self.file.incomplete.iter().any(|incomplete| incomplete == name) => None,
            (None, _) => {
                let hint = match self.diagnostics.len() < HINTS_MAX {
                    true => {
                        let mut sorted: Vec<&str> = names.keys().map(String::as_str).collect();
                        sorted.sort_unstable();
                        did_you_mean(name, sorted)
                    }
                    false => None,
                };
                self.error(part(word, 0, name.len()), format!("no node named \"{name}\""), hint);
                None
            }
        }
    }

    fn stream(&mut self, node: usize, stream: Option<&str>, word: &Word) -> Option<Giver> {
        let outputs = self.templates[node].as_ref()?.outputs();
        let Some(stream) = stream else {
            // The name alone is the only usual stream of a node. Otherwise it is the stream `true`.
            let usual = |output: &node::Output| output.unconsumed == Unconsumed::Filtered;
            let mut usual = (0..outputs.len()).filter(|stream| usual(&outputs[*stream]));
            if let (Some(stream), None) = (usual.next(), usual.next()) {
                return Some(Giver::Node { node, stream });
            }
            return self.stream(node, Some("true"), word);
        };
        if let Some(place) = outputs.iter().position(|output| output.name == stream) {
            return Some(Giver::Node { node, stream: place });
        }
        let known: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
        let name = &self.file.nodes[node].name.text;
        if word.text == *name {
            let message = format!("\"{name}\" has several streams, and none is \"true\"");
            let known: Vec<String> =
                known.iter().map(|known| format!("\"{name}.{known}\"")).collect();
            self.error(word.span, message, Some(format!("write {}", known.join(" or "))));
            return None;
        }
        let hint = did_you_mean(stream, known.iter().copied())
            .unwrap_or_else(|| format!("its streams are {}", known.join(", ")));
        let message = format!("\"{name}\" has no stream \"{stream}\"");
        self.error(part(word, name.len() + 1, word.text.len()), message, Some(hint));
        None
    }

    /// Returns the edges from nodes to nodes.
    fn node_edges(&self) -> impl Iterator<Item = (usize, usize, Span)> {
        self.edges.iter().filter_map(|edge| match (edge.giver, edge.target) {
            (Giver::Node { node, .. }, Target::Node(target)) => {
                Some((node, usize::from(target), edge.span))
            }
            _ => None,
        })
    }

    /// Removes nodes that wait for no other node until none is left, and returns them in that order; the rest are in a
    /// cycle or after one.
    fn order(&self) -> Vec<usize> {
        let edges: Vec<_> = self.node_edges().collect();
        let count = self.file.nodes.len();
        let mut waiting = vec![0usize; count];
        for (_, target, _) in &edges {
            waiting[*target] += 1;
        }
        let mut order: Vec<usize> = (0..count).filter(|node| waiting[*node] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for (_, target, _) in edges.iter().filter(|(giver, ..)| *giver == node) {
                waiting[*target] -= 1;
                if waiting[*target] == 0 {
                    order.push(*target);
                }
            }
        }
        order
    }

    fn check_cycles(&mut self) {
        let order = self.order();
        let Some(start) = (0..self.file.nodes.len()).find(|node| !order.contains(node)) else {
            return;
        };
        // A node in the rest always has a giver in the rest, so a walk backwards meets one of them twice.
        let edges: Vec<_> =
            self.node_edges().filter(|(giver, ..)| !order.contains(giver)).collect();
        let mut path: Vec<(usize, Span)> = Vec::new();
        let mut at = start;
        while let Some((giver, _, span)) = edges.iter().find(|(_, target, _)| *target == at) {
            if let Some(first) = path.iter().position(|(node, _)| *node == at) {
                path.drain(..first);
                break;
            }
            path.push((at, *span));
            at = *giver;
        }
        let mut names: Vec<&str> =
            path.iter().rev().map(|(node, _)| self.file.nodes[*node].name.text.as_str()).collect();
        names.extend(names.first().copied());
        let message = format!("records go in a circle: {}", names.join(" -> "));
        let span = path.last().map_or(Span::default(), |(_, span)| *span);
        self.error(span, message, Some("one of these takes from another giver".into()));
    }

    /// Reports nodes that no network element reaches; returns the nodes, givers before receivers.
    fn check_reached(&mut self) -> Vec<usize> {
        let order = self.order();
        let mut reached = vec![false; self.file.nodes.len()];
        let given = |giver: Giver, reached: &[bool]| match giver {
            Giver::Element(_) => true,
            Giver::Node { node, .. } => reached[node],
        };
        let leads_to = |target: Target, edges: &[GraphEdge], reached: &[bool]| {
            edges.iter().any(|edge| edge.target == target && given(edge.giver, reached))
        };
        for node in &order {
            reached[*node] = leads_to(Target::Node(*node as u16), &self.edges, &reached);
        }
        let file = self.file;
        let nodes = file.nodes.iter().enumerate().map(|(p, n)| (Target::Node(p as u16), &n.name));
        let systems = file.post_processing_systems.iter().enumerate();
        let systems = systems.map(|(place, s)| (Target::System(place as u16), &s.name));
        for (target, name) in nodes.chain(systems) {
            if !leads_to(target, &self.edges, &reached) {
                let message = format!("no network element leads to \"{}\"", name.text);
                self.error(name.span, message, None);
            }
        }
        for (node, table) in file.nodes.iter().enumerate() {
            let giving =
                |edge: &GraphEdge| matches!(edge.giver, Giver::Node { node: n, .. } if n == node);
            let template = self.templates[node].as_ref();
            // What a judge finds is in the journal.
            let judges = template.is_some_and(|template| template.judge().is_some());
            if !judges && !self.edges.iter().any(giving) {
                let message = format!("nothing takes the records of \"{}\"", table.name.text);
                let warning = Diagnostic::warning(&file.source, table.name.span, message);
                self.diagnostics.push(warning);
            }
        }
        order
    }

    fn check_types(&mut self, order: &[usize]) -> Vec<Option<TypeId>> {
        let file = self.file;
        let entries: Vec<Option<TypeId>> =
            file.network_elements.iter().map(|element| self.named_type(&element.decode)).collect();
        let mut inputs: Vec<Option<TypeId>> = vec![None; file.nodes.len()];
        for node in order {
            let expected = self.templates[*node].as_ref().and_then(|template| template.input());
            let target = Target::Node(*node as u16);
            inputs[*node] = self.check_target(
                target,
                expected,
                &file.nodes[*node].name.text,
                &entries,
                &inputs,
            );
        }
        let mut systems = Vec::new();
        for (place, system) in file.post_processing_systems.iter().enumerate() {
            let expected = self.named_type(&system.encode);
            let target = Target::System(place as u16);
            let name = &system.name.text;
            systems.push(self.check_target(target, expected, name, &entries, &inputs));
        }
        systems
    }

    /// Compares the types that a target is given with the type it takes. If it takes any type, the first one given
    /// decides.
    fn check_target(
        &mut self,
        target: Target,
        mut expected: Option<TypeId>,
        name: &str,
        entries: &[Option<TypeId>],
        inputs: &[Option<TypeId>],
    ) -> Option<TypeId> {
        let mut mistakes = Vec::new();
        for edge in self.edges.iter().filter(|edge| edge.target == target) {
            let given = match edge.giver {
                Giver::Element(place) => entries[place],
                Giver::Node { node, stream } => self.templates[node]
                    .as_ref()
                    .and_then(|template| template.outputs()[stream].ty)
                    .or(inputs[node]),
            };
            match (expected, given) {
                (Some(takes), Some(gives)) if takes != gives => {
                    let takes = &self.schema.get(takes).name;
                    let gives = &self.schema.get(gives).name;
                    let message = format!("\"{name}\" takes \"{takes}\" and is given \"{gives}\"");
                    mistakes.push((edge.span, message));
                }
                (None, given) => expected = given,
                _ => {}
            }
        }
        for (span, message) in mistakes {
            self.error(span, message, Some("a formatter makes one of the other".into()));
        }
        expected
    }

    fn named_type(&mut self, settings: &Settings) -> Option<TypeId> {
        let setting = settings.get("type")?;
        let found = self.schema.find(&setting.value);
        if found.is_none() {
            let names = self.schema.iter().map(|(_, ty)| ty.name.as_str());
            let hint = did_you_mean(&setting.value, names);
            let message = format!("no type is named \"{}\"", setting.value);
            self.error(setting.span, message, hint);
        }
        found
    }
}

/// Returns the span of some octets of a word, or of the whole word if environment variables were filled in.
fn part(word: &Word, start: usize, end: usize) -> Span {
    let as_written = (word.span.end - word.span.start) as usize == word.text.len();
    if !as_written {
        return word.span;
    }
    Span::new(word.span.start as usize + start, word.span.start as usize + end)
}
