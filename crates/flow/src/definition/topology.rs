//! The definition of a flow, which every room knows: its network elements, nodes and post-processing systems, and the ways that
//! records take between them. How a room does its part is in the room's own plan, by the same places.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use format::coding::{Codecs, Input, Output};

use crate::definition::coupling::CoupledElements;
use crate::definition::graph::Graph;

/// The definition of a flow.
pub(crate) struct Topology {
    pub(crate) graph: Graph,
    pub(crate) elements: Vec<Element>,
    pub(crate) systems: Vec<System>,
    /// Which network elements are looked at together.
    pub(crate) circles: Vec<CoupledElements>,
    /// The folder of the flow's own state.
    pub(crate) state: PathBuf,
    /// How records of its types are read and written.
    pub(crate) codecs: Arc<dyn Codecs>,
}

impl Topology {
    /// By system, the file that the records of an element's file would go to.
    pub(crate) fn targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let element = &self.elements[element].name;
        self.systems.iter().map(|system| system.target(element, file)).collect()
    }

    /// Those of the systems that its records may come to: what goes to others is nothing to it.
    pub(crate) fn reached_targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let Element { name, systems, .. } = &self.elements[element];
        systems.iter().map(|system| self.systems[*system].target(name, file)).collect()
    }

    /// Whether a network element, a node or a system has this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.elements.iter().any(|element| element.name == name)
            || self.graph.nodes.iter().any(|node| node.name == name)
            || self.systems.iter().any(|system| system.name == name)
    }

    /// Whether a system may be given records by a node in which they wait.
    pub(crate) fn is_behind_held(&self, element: usize, system: usize) -> bool {
        let (nodes, _) = self.graph.reached(element);
        let holds = |node: &usize| self.graph.nodes[*node].template.holds().is_some();
        let mut holding = nodes.into_iter().filter(holds);
        holding.any(|node| self.graph.reached_from(node).1.contains(&system))
    }
}

/// A network element.
pub(crate) struct Element {
    pub(crate) name: String,
    /// How its files are read.
    pub(crate) input: Box<dyn Input>,
    /// The nodes that remember, hold or keep something and that its records may come to.
    pub(crate) remembering: Vec<usize>,
    /// Whether the order of its files matters to one of them.
    pub(crate) is_ordered: bool,
    /// Whether a node that its records may come to sees their numbers in their files.
    pub(crate) sees_numbers: bool,
    /// The systems that its records may come to.
    pub(crate) systems: Vec<usize>,
}

/// A post-processing system.
pub(crate) struct System {
    pub(crate) name: String,
    pub(crate) files: OutputFiles,
    /// How its files are written.
    pub(crate) output: Box<dyn Output>,
    /// How what was written for it is read back, for who looks into it.
    pub(crate) reads: Option<Box<dyn Input>>,
}

/// Where the files of a post-processing system get their names, and which.
pub(crate) struct OutputFiles {
    pub(crate) dir: PathBuf,
    /// The template of their names.
    pub(crate) template: String,
    /// Whether the number of a part is filled in later.
    pub(crate) has_parts: bool,
}

impl System {
    /// The file that the records of an input file go to: always the same, so that a repeated job
    /// overwrites what an interrupted one left.
    pub(crate) fn target(&self, element: &str, file: &str) -> PathBuf {
        // The number of a part is filled in later, and not in what a network element calls its file.
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

    /// The folder its files go to.
    pub(crate) fn dir(&self) -> &Path {
        &self.files.dir
    }

    /// A pattern of the names that outputs of a network element's files may have; `files` is that of those files.
    pub(crate) fn names(&self, element: &str, files: &str) -> String {
        let name = self
            .files
            .template
            .replace("{network-element}", element)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", transport::stem(files).unwrap_or("*"))
            .replace("{file}", files);
        transport::file_name(&name)
    }

    /// Whether the network element is part of its names.
    pub(crate) fn has_element(&self) -> bool {
        self.files.template.contains("{network-element}")
    }

    /// Whether its names tell files apart by their stems alone.
    pub(crate) fn has_stem_only(&self) -> bool {
        self.files.template.contains("{stem}") && !self.files.template.contains("{file}")
    }
}
