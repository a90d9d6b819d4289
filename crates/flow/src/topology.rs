//! The topology of a flow, which every room knows: network elements, nodes and post-processing systems, and the edges
//! between them. How a room does its part is in the room's own plan, by the same places.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use format::coding::{Codecs, Input, Output};

use crate::coupling::CoupledElements;
use crate::graph::Graph;

/// The topology of a flow.
pub struct Topology {
    /// The nodes, and the edges between them.
    pub graph: Graph,
    /// The network elements. Their places are the same in the plans of all rooms.
    pub elements: Vec<Element>,
    /// The post-processing systems. Their places are the same in the plans of all rooms.
    pub systems: Vec<System>,
    /// The network elements that are looked at together.
    pub circles: Vec<CoupledElements>,
    /// The folder of the flow's own state.
    pub state: PathBuf,
    /// The codecs of its record types.
    pub codecs: Arc<dyn Codecs>,
}

impl Topology {
    /// Returns, for each system, the output path for a file of a network element.
    pub fn targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let element = &self.elements[element].name;
        self.systems.iter().map(|system| system.target(element, file)).collect()
    }

    /// Returns these paths for the systems that the element's records may reach.
    pub fn reached_targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let Element { name, systems, .. } = &self.elements[element];
        systems.iter().map(|system| self.systems[*system].target(name, file)).collect()
    }

    /// Returns whether a network element, a node or a system has this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.elements.iter().any(|element| element.name == name)
            || self.graph.nodes.iter().any(|node| node.name == name)
            || self.systems.iter().any(|system| system.name == name)
    }

    /// Returns whether records of an element may reach a system through a node in which records wait, or which emits others
    /// by timers.
    pub fn is_behind_held(&self, element: usize, system: usize) -> bool {
        let (nodes, _) = self.graph.reached(element);
        let holds = |node: &usize| {
            let template = &self.graph.nodes[*node].template;
            template.group_settings().is_some() || template.has_timers()
        };
        let mut holding = nodes.into_iter().filter(holds);
        holding.any(|node| self.graph.reached_from(node).1.contains(&system))
    }
}

/// A network element.
pub struct Element {
    /// The name in the flow file. No other network element, node or system has it.
    pub name: String,
    /// The decoder of its files.
    pub input: Box<dyn Input>,
    /// The nodes that its records may reach and that remember, hold or keep something.
    pub remembering: Vec<usize>,
    /// Whether the order of its files matters to one of these.
    pub is_ordered: bool,
    /// Whether a node that its records may reach uses their numbers in their files.
    pub uses_record_numbers: bool,
    /// The systems that its records may reach.
    pub systems: Vec<usize>,
}

/// A post-processing system.
pub struct System {
    /// The name in the flow file, as unique as that of an element.
    pub name: String,
    /// The folder and the names of its files.
    pub files: OutputFiles,
    /// The encoder of its files.
    pub output: Box<dyn Output>,
    /// The decoder for its files, for users who inspect them.
    pub reads: Option<Box<dyn Input>>,
}

/// The folder and the names of a system's files.
pub struct OutputFiles {
    /// The system's folder; its out buffer if files are transferred from there.
    pub dir: PathBuf,
    /// The template of their names.
    pub template: String,
    /// Whether the number of a part is filled in later.
    pub has_parts: bool,
}

impl System {
    /// Returns the path of the output for an input file. It is always the same, so a repeated job overwrites what an
    /// interrupted one left.
    pub fn target(&self, element: &str, file: &str) -> PathBuf {
        // The number of a part is filled in later. A `{` in the name of an input file must not become part of that
        // placeholder.
        let file = if self.files.has_parts { &*file.replace('{', "~") } else { file };
        let (stem, _) = file.rsplit_once('.').unwrap_or((file, ""));
        let name = self
            .files
            .template
            .replace("{network-element}", element)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", stem)
            .replace("{file}", file);
        self.dir().join(transport::file_name(&name))
    }

    /// Returns the folder of its files.
    pub fn dir(&self) -> &Path {
        &self.files.dir
    }

    /// Returns a pattern of the output names for files of a network element; `files` is the pattern of those files.
    pub fn names(&self, element: &str, files: &str) -> String {
        let name = self
            .files
            .template
            .replace("{network-element}", element)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", transport::stem(files).unwrap_or("*"))
            .replace("{file}", files);
        transport::file_name(&name)
    }

    /// Returns whether its names include the network element.
    pub fn has_element(&self) -> bool {
        self.files.template.contains("{network-element}")
    }

    /// Returns whether its names include the stem of a file, but not the whole name.
    pub fn has_stem_only(&self) -> bool {
        self.files.template.contains("{stem}") && !self.files.template.contains("{file}")
    }
}
