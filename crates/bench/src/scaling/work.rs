//! Four network elements of uneven load, their files, and the flow, with groups or without.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ::simulate::cdr::{Centre, Options, generate};
use ::simulate::example::write_flow;
use flow::Report;

use super::super::measure::Row;
use super::simulation::Element;
use crate::error::BenchError;

/// The load of each, as in section 5.4 of the paper: two are alike, the third has twice as much, and the fourth
/// finishes before the others.
pub(super) const LOADS: [usize; 4] = [2, 2, 4, 1];

/// The files per processor of a network element with load 1, so that no thread is idle for long.
const FILES: usize = 2;

/// The network elements of the example, which these replace.
const EXAMPLE: &str = r#"["msc-new-york", "msc-boston"]"#;

/// The start of the flow's nodes, which follow its network elements.
const NODES: &str = "[filter.isBillable]";

/// A group of network elements with processes of its own, which have one thread each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The places of the network elements.
    pub(super) elements: Vec<usize>,
    pub(super) processes: usize,
}

/// The flows and files. The last run may have marked files as done.
pub(super) struct ScalingWork {
    folder: PathBuf,
    octets: u64,
    pub(super) records: u64,
    pub(super) files: usize,
}

impl ScalingWork {
    /// Creates files of so many octets, for a machine with so many processors.
    pub(super) fn new(folder: &Path, octets: u64, processors: usize) -> Result<Self, BenchError> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        write_flow(folder)?;
        let mut files = Vec::new();
        let all: usize = LOADS.iter().sum();
        for (place, load) in LOADS.into_iter().enumerate() {
            let options = Options {
                bytes: Some(octets * load as u64 / all as u64),
                files: u32::try_from(load * FILES * processors).unwrap_or(u32::MAX),
                seed: place as u64 + 1,
                centres: vec![Centre { name: name(place), version: 7 + place as u8 % 2 }],
                ..Options::default()
            };
            files.extend(generate(&options, &folder.join("in"))?);
        }
        Ok(ScalingWork {
            folder: folder.into(),
            octets: files.iter().map(|file| file.expected.bytes).sum(),
            records: files.iter().map(|file| file.expected.records).sum(),
            files: files.len(),
        })
    }

    pub(super) fn row(&self, name: &str) -> Row {
        Row::new(name, self.records, self.octets)
    }

    /// Returns the network elements for a simulation, each in its group, with `times` as many files.
    pub(super) fn elements(&self, times: usize, group_of: impl Fn(usize) -> usize) -> Vec<Element> {
        let all: usize = LOADS.iter().sum();
        let element = |(place, load): (usize, usize)| Element {
            group: group_of(place),
            files: self.files * load / all * times,
        };
        LOADS.into_iter().enumerate().map(element).collect()
    }

    /// Writes the flow with these groups. Without any, all network elements are in one.
    pub(super) fn flow(&self, name: &str, groups: &[Group]) -> Result<PathBuf, BenchError> {
        let example = fs::read_to_string(self.folder.join("flow.toml"))?;
        let (head, nodes) = (
            &example[..example.find("[network-element").unwrap_or(0)],
            &example[example.find(NODES).unwrap_or(0)..],
        );
        let names: Vec<usize> = (0..LOADS.len()).collect();
        let mut text = head.to_owned();
        for place in 0..LOADS.len() {
            let name = self::name(place);
            text += &format!(
                "[network-element.{name}]\ncollect = {{ dir = \"in/{name}\", pattern = \"*.ber\" }}\n\
                 decode = {{ type = \"MSC.CallDataRecord\" }}\n"
            );
        }
        for (place, Group { elements, processes }) in groups.iter().enumerate() {
            text += &format!(
                "[group.group-{}]\nnetwork-elements = {}\nprocesses = {processes}\nthreads = 1\n",
                place + 1,
                list(elements)
            );
        }
        text += &nodes.replace(EXAMPLE, &list(&names));
        let path = self.folder.join(format!("{name}.toml"));
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Checks that every record was delivered.
    pub(super) fn delivered_all(&self, report: &Report) -> Result<(), BenchError> {
        let delivered: u64 = report.files.iter().map(|file| file.delivered).sum();
        match delivered == self.records {
            true => Ok(()),
            false => Err(BenchError::Delivered { delivered, records: self.records }),
        }
    }

    /// Removes the results and restores all files.
    pub(super) fn anew(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.ends_with("out") || path.extension().is_some_and(|end| end == "state") {
                fs::remove_dir_all(path)?;
            }
        }
        for place in 0..LOADS.len() {
            for entry in fs::read_dir(self.folder.join("in").join(name(place)))? {
                let path = entry?.path();
                if path.extension().is_some_and(|end| end == "done") {
                    fs::rename(&path, path.with_extension(""))?;
                }
            }
        }
        Ok(())
    }
}

fn name(place: usize) -> String {
    format!("ne-{}", place + 1)
}

/// Returns names as an array of a flow file.
fn list(elements: &[usize]) -> String {
    let names: Vec<String> = elements.iter().map(|place| format!("\"{}\"", name(*place))).collect();
    format!("[{}]", names.join(", "))
}
