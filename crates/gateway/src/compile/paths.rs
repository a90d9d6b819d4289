//! Checks folders and names. No file may be collected twice or delivered to a folder it is collected from. No two
//! outputs may share a name. The log needs a place of its own.

use std::path::Path;

use diagnostics::{Diagnostic, Severity};
use transport::{overlap, real_path};

use crate::plan::Plan;
use collection::sources::Source;
use flow::file::FlowFile;
use flow::topology::System;

/// Returns all mistakes in a flow's folders and names.
pub(crate) fn check(file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    let reached = (0..plan.topology.elements.len())
        .map(|element| plan.topology.graph.reached(element).1)
        .collect();
    let places = Places { file, plan, reached };
    let mut mistakes = Vec::new();
    places.collected_twice(&mut mistakes);
    places.round_and_round(&mut mistakes);
    places.one_name(&mut mistakes);
    mistakes.extend(places.of_log());
    mistakes
}

struct Places<'p> {
    file: &'p FlowFile,
    plan: &'p Plan,
    /// The systems that records may reach, by network element.
    reached: Vec<Vec<usize>>,
}

impl Places<'_> {
    /// Returns a mistake in a network element's folder.
    fn of_element(&self, element: usize, message: String, hint: &str) -> Diagnostic {
        let collect = &self.file.network_elements[element].collect;
        let span = collect.get("dir").map_or(collect.span, |dir| dir.span);
        Diagnostic::error(&self.file.source, span, message).hint(hint)
    }

    /// Returns a mistake in a system's `deliver`.
    fn of_system(&self, system: usize, key: &str, message: String, hint: &str) -> Diagnostic {
        let deliver = &self.file.post_processing_systems[system].deliver;
        let setting = deliver.get(key).or(deliver.get("dir"));
        let span = setting.map_or(deliver.span, |setting| setting.span);
        Diagnostic::error(&self.file.source, span, message).hint(hint)
    }

    fn collected_twice(&self, mistakes: &mut Vec<Diagnostic>) {
        let sources = &self.plan.collection.sources;
        for (place, source) in sources.iter().enumerate() {
            let twice = sources[..place].iter().find(|o| o.collect.overlaps(&source.collect));
            if let Some(Source { network_element: name, .. }) = twice {
                let message =
                    format!("\"{name}\" collects from here too: a file would be processed twice");
                let hint = "give each a folder, or patterns that no name fits both of";
                mistakes.push(self.of_element(place, message, hint));
            }
            if let Some(from) =
                sources.iter().find(|o| source.collect.collects_done_files_of(&o.collect))
            {
                let message = format!(
                    "what is done of \"{}\" is collected from here again",
                    from.network_element
                );
                let hint =
                    "move it to a folder that is not collected, or take it by another pattern";
                mistakes.push(self.of_element(place, message, hint));
            }
        }
    }

    /// Returns a pattern for the names of a system's outputs from files of an element.
    fn names(&self, system: usize, element: usize) -> String {
        let Source { network_element, collect, .. } = &self.plan.collection.sources[element];
        self.plan.topology.systems[system].names(network_element, &collect.names())
    }

    /// Returns whether a system's outputs from one element are collected as files of another.
    fn feeds(&self, system: usize, from: usize, to: usize) -> bool {
        let dir = self.plan.topology.systems[system].dir();
        self.plan.collection.sources[to].collect.collects_from(dir, &self.names(system, from))
    }

    fn round_and_round(&self, mistakes: &mut Vec<Diagnostic>) {
        for start in 0..self.plan.topology.elements.len() {
            let mut passed = vec![start];
            let mut next = 0;
            while let Some(&element) = passed.get(next) {
                next += 1;
                for &system in &self.reached[element] {
                    for to in 0..self.plan.topology.elements.len() {
                        if !self.feeds(system, element, to) {
                            continue;
                        }
                        if to == start {
                            let name = &self.plan.topology.elements[to].name;
                            let message = format!(
                                "\"{name}\" collects from here what comes of its own records: they \
                                 would go round for ever"
                            );
                            let hint = "deliver to another folder";
                            let mistake = self.of_system(system, "dir", message, hint);
                            if !mistakes.contains(&mistake) {
                                mistakes.push(mistake);
                            }
                        } else if !passed.contains(&to) {
                            passed.push(to);
                        }
                    }
                }
            }
        }
    }

    /// Finds outputs that may share a name. If their names contain those of the network elements, only an odd file name
    /// leads to that, and nothing is overwritten: that is only a warning.
    fn one_name(&self, mistakes: &mut Vec<Diagnostic>) {
        let outputs: Vec<(usize, usize, String)> = self
            .reached
            .iter()
            .enumerate()
            .flat_map(|(element, systems)| systems.iter().map(move |system| (*system, element)))
            .map(|(system, element)| (system, element, self.names(system, element)))
            .collect();
        let folders: Vec<_> =
            self.plan.topology.systems.iter().map(|system| real_path(system.dir())).collect();
        for (place, (system, element, names)) in outputs.iter().enumerate() {
            let System { name, .. } = &self.plan.topology.systems[*system];
            let other = outputs[..place].iter().find(|(other, _, others)| {
                folders[*other] == folders[*system] && overlap(names, others)
            });
            if let Some((other, from, _)) = other {
                let message = format!(
                    "a file of \"{}\" for \"{name}\" may have the name of one of \"{}\" for \"{}\"",
                    self.plan.topology.elements[*element].name,
                    self.plan.topology.elements[*from].name,
                    self.plan.topology.systems[*other].name,
                );
                let hint = "put what differs into \"name\", or name another folder";
                let apart = element != from
                    && [system, other]
                        .iter()
                        .all(|s| self.plan.topology.systems[**s].has_element());
                let mut found = self.of_system(*system, "name", message, hint);
                if apart {
                    found.severity = Severity::Warning;
                }
                mistakes.push(found);
            }
            let stem_only = self.plan.topology.systems[*system].has_stem_only();
            let files = self.plan.collection.sources[*element].collect.names();
            if stem_only && transport::stem(&files).is_none() {
                let message = format!(
                    "files of \"{}\" that differ in what is behind the dot have one {{stem}}",
                    self.plan.topology.elements[*element].name
                );
                mistakes.push(self.of_system(*system, "name", message, "write {file}"));
            }
        }
    }

    /// Finds a log that would be written where files are read: to a file of the flow, to the gateway's own files, or to
    /// a folder that is scanned.
    fn of_log(&self) -> Option<Diagnostic> {
        let settings = self.file.log.as_ref()?;
        let name = settings.get("file")?;
        let log = real_path(&settings.path(name));
        let mistake = if self.plan.origin.files.iter().any(|file| real_path(file) == log) {
            "the flow is made of this file: the log would be written into it".to_owned()
        } else if log.starts_with(real_path(&self.plan.topology.state)) {
            "the log would lie in the folder of the flow's state".to_owned()
        } else if log.is_dir() {
            "this is a folder, and no file for the log".to_owned()
        } else {
            let whose = self.whose_folder(&log)?;
            format!("the log would lie in a folder of \"{whose}\", with its files")
        };
        let hint = "name a file in a folder of its own: \"log/gateway.log\"";
        Some(settings.error(name, mistake).hint(hint))
    }

    /// Returns the owner of the folder in which a file would lie.
    fn whose_folder(&self, file: &Path) -> Option<&str> {
        let (folder, name) = (file.parent()?, file.file_name()?.to_string_lossy());
        let sources = self.plan.collection.sources.iter().filter(|source| {
            let collect = &source.collect;
            real_path(&collect.dir) == folder || collect.collects_from(folder, &format!("{name}*"))
        });
        let systems =
            self.plan.topology.systems.iter().filter(|system| real_path(system.dir()) == folder);
        let archive = self.plan.archive.iter();
        let archive = archive.filter(|archive| folder.starts_with(real_path(&archive.dir)));
        let elements = sources.map(|source| source.network_element.as_str());
        let systems = systems.map(|system| system.name.as_str());
        elements.chain(systems).chain(archive.map(|_| "archive")).next()
    }
}
