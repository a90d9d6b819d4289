//! Checking and running a flow: from the file to workers that take one input file after the other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use node::Kind;

use crate::file;
use crate::graph::{self, Graph};
use crate::places;
use crate::report::{FileAccount, Report};
use crate::worker::{Ended, Worker};
use format::coding::{Formats, Input, Output};
use transport::{Collect, Found};

/// How long nobody writes to a file before it is taken to be complete.
const COMPLETE_AFTER: Duration = Duration::from_millis(500);

/// How long after one look into the folders the next is taken.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a stop may wait to be seen while nothing is to do.
const STOP_SEEN: Duration = Duration::from_millis(50);
/// Files a report holds; a gateway that runs for months forgets the oldest.
const FILES_REPORTED_MAX: usize = 100_000;

/// What a gateway is made of: handed in, so that the engine knows none of it.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The node kinds.
    pub kinds: &'a [&'a dyn Kind],
    /// The formats.
    pub formats: &'a dyn Formats,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Until the inputs are empty, not until it is stopped.
    pub once: bool,
    /// Threads; 0 for as many as there are processors.
    pub workers: usize,
    /// Set to stop: the record in hand is finished, the file in hand repeated by the next run.
    pub stop: Arc<AtomicBool>,
    /// Where progress and problems are told, a line at a time.
    pub log: fn(&str),
    /// Told of each file that is done.
    pub done: fn(&FileAccount),
}

/// Why a flow does not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The flow file, or what it names, has mistakes; nothing was processed.
    #[error("the flow has {} mistakes; nothing was processed", .0.len())]
    Mistakes(Vec<Diagnostic>),
}

/// A flow that is ready to run.
pub(crate) struct Prepared {
    pub(crate) graph: Graph,
    pub(crate) elements: Vec<Element>,
    pub(crate) systems: Vec<System>,
    pub(crate) suspense: PathBuf,
    /// The outputs that workers have in hand. Its lock is taken once a file.
    pub(crate) in_hand: Mutex<HashSet<PathBuf>>,
}

/// A network element.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) collect: Collect,
    pub(crate) input: Box<dyn Input>,
}

/// A post-processing system.
pub(crate) struct System {
    pub(crate) name: String,
    dir: PathBuf,
    /// The template of file names.
    file: String,
    pub(crate) output: Box<dyn Output>,
}

impl System {
    /// The file that the records of an input file go to: always the same, so that a repeated job
    /// overwrites what an interrupted one left.
    pub(crate) fn target(&self, element: &str, file: &str) -> PathBuf {
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
        let name = self
            .file
            .replace("{network-element}", &element.name)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", "*")
            .replace("{file}", &element.collect.names());
        transport::file_name(&name)
    }

    /// Whether its names tell files apart by their stems alone.
    pub(crate) fn has_stem_only(&self) -> bool {
        self.file.contains("{stem}") && !self.file.contains("{file}")
    }
}

/// All mistakes and warnings of a flow file and of what it names.
pub fn check(path: &Path, parts: Parts<'_>) -> Vec<Diagnostic> {
    prepare(path, parts).1
}

/// Runs a flow.
pub fn run(path: &Path, parts: Parts<'_>, options: &RunOptions) -> Result<Report, RunError> {
    let (prepared, diagnostics) = prepare(path, parts);
    let Some(flow) = prepared.filter(|_| !diagnostics::has_errors(&diagnostics)) else {
        return Err(RunError::Mistakes(diagnostics));
    };
    for warning in &diagnostics {
        (options.log)(&warning.to_string());
    }
    let start = Instant::now();
    let mut report = Report { suspense: flow.suspense.clone(), ..Report::default() };
    let (mut seen, mut told) = (HashMap::new(), Told::new());
    loop {
        if options.once && look(&flow, &mut seen).fresh {
            // What was written to just now may be written to still: it is looked at again.
            thread::sleep(COMPLETE_AFTER);
        }
        let Look { jobs, problems, .. } = look(&flow, &mut seen);
        problems.iter().for_each(|problem| tell(&told, problem, options));
        report.problems.extend(problems);
        report.add(work(&flow, jobs, &told, options));
        if options.once || stopped(&options.stop) {
            break;
        }
        let oldest = report.files.len().saturating_sub(FILES_REPORTED_MAX);
        report.files.drain(..oldest);
        let oldest = report.outputs.len().saturating_sub(FILES_REPORTED_MAX);
        report.outputs.drain(..oldest);
        told = std::mem::take(&mut report.problems).into_iter().collect();
        rest(&options.stop);
    }
    report.sort();
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

/// The problems of the round before: what still is one is not told every second.
type Told = HashSet<String>;

fn tell(told: &Told, problem: &str, options: &RunOptions) {
    if !told.contains(problem) {
        (options.log)(problem);
    }
}

fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

fn rest(stop: &AtomicBool) {
    let end = Instant::now() + LOOK_AGAIN;
    while !stopped(stop) && Instant::now() < end {
        thread::sleep(STOP_SEEN);
    }
}

/// A file to process.
struct Job {
    element: usize,
    found: Found,
}

/// What a file looked like when its folder was last looked into.
type Seen = HashMap<PathBuf, Found>;

/// What a look into all folders found.
struct Look {
    jobs: VecDeque<Job>,
    problems: Vec<String>,
    /// Whether a file was written to just now.
    fresh: bool,
}

/// The files that are there and did not change since the last look; the others may still be written to.
fn look(flow: &Prepared, seen: &mut Seen) -> Look {
    let (mut jobs, mut problems, mut now) = (VecDeque::new(), Vec::new(), Seen::new());
    let mut fresh = false;
    for (place, element) in flow.elements.iter().enumerate() {
        let found = element.collect.find();
        problems.extend(found.problems);
        for found in found.files {
            fresh |= found.is_fresh(COMPLETE_AFTER);
            if seen.get(&found.path) == Some(&found) {
                jobs.push_back(Job { element: place, found: found.clone() });
            }
            now.insert(found.path.clone(), found);
        }
    }
    *seen = now;
    Look { jobs, problems, fresh }
}

/// Lets workers take jobs until there are none. The queue's lock is taken once a file.
fn work(flow: &Prepared, jobs: VecDeque<Job>, told: &Told, options: &RunOptions) -> Report {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let wanted = if options.workers == 0 { processors } else { options.workers };
    let workers = wanted.min(jobs.len());
    let queue = Mutex::new(jobs);
    let mut report = Report::default();
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|_| scope.spawn(|| take_jobs(flow, &queue, told, options))).collect();
        for thread in threads {
            match thread.join() {
                Ok(done) => report.add(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    report
}

fn take_jobs(
    flow: &Prepared,
    queue: &Mutex<VecDeque<Job>>,
    told: &Told,
    options: &RunOptions,
) -> Report {
    let mut worker = Worker::new(flow);
    let mut report = Report::default();
    while !stopped(&options.stop) {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(Job { element, found }) = job else { break };
        let ended = match worker.process(element, &found, &options.stop) {
            Ok(Ended::Done(done)) => {
                done.files.iter().for_each(options.done);
                report.add(done);
                flow.elements[element].collect.mark_done(&found).map_err(|error| {
                    format!("could not mark \"{}\" as done: {error}", found.path.display())
                })
            }
            Ok(Ended::Stopped) => Ok(()),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = ended {
            tell(told, &problem, options);
            report.problems.push(problem);
        }
    }
    report
}

fn prepare(path: &Path, parts: Parts<'_>) -> (Option<Prepared>, Vec<Diagnostic>) {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            let source = Source::new(path.display().to_string(), "");
            let message = format!("could not read the flow file: {error}");
            return (None, vec![Diagnostic::error(&source, Span::default(), message)]);
        }
    };
    let (file, mut diagnostics) = file::parse(path, text, parts.kinds);
    let modules = parts.formats.load(&file.modules, &mut diagnostics);
    let decodes = file.network_elements.iter().map(|element| &element.decode);
    let encodes = file.post_processing_systems.iter().map(|system| &system.encode);
    let tables: Vec<_> = decodes.chain(encodes).collect();
    let mut types = modules.types(&tables, &mut diagnostics);
    let (graph, mistakes) = graph::build(&file, parts.kinds, &mut *types);
    // A type that no module has is no type of the graph either: said once.
    let is_new = |mistake: &Diagnostic| {
        let same =
            |known: &&Diagnostic| known.span == mistake.span && known.source == mistake.source;
        diagnostics.iter().find(same).is_none()
    };
    let mistakes: Vec<Diagnostic> = mistakes.into_iter().filter(is_new).collect();
    diagnostics.extend(mistakes);
    let codecs = types.finish();
    let prepared = graph.and_then(|graph| {
        let elements = file.network_elements.iter().zip(&graph.network_elements);
        let elements: Vec<Result<Element, Vec<Diagnostic>>> = elements
            .map(|(element, entry)| {
                Ok(Element {
                    name: element.name.text.clone(),
                    collect: Collect::new(&element.collect)?,
                    input: codecs.input(&element.decode, entry.ty)?,
                })
            })
            .collect();
        let systems = file.post_processing_systems.iter().zip(&graph.systems);
        let systems: Vec<Result<System, Vec<Diagnostic>>> = systems
            .map(|(system, ty)| {
                let output = codecs.output(&system.encode, *ty)?;
                let dir = system.deliver.get("dir");
                Ok(System {
                    name: system.name.text.clone(),
                    dir: dir.map_or(PathBuf::new(), |dir| system.deliver.path(dir)),
                    file: template(system, output.extension())?,
                    output,
                })
            })
            .collect();
        let elements = sound(elements, &mut diagnostics);
        let systems = sound(systems, &mut diagnostics);
        Some(Prepared {
            graph,
            elements: elements?,
            systems: systems?,
            suspense: file.suspense.clone(),
            in_hand: Mutex::new(HashSet::new()),
        })
    });
    diagnostics.extend(prepared.iter().flat_map(|flow| places::check(&file, flow)));
    (prepared, diagnostics)
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
/// overwrite the other's output.
fn template(
    system: &file::PostProcessingSystem,
    extension: &str,
) -> Result<String, Vec<Diagnostic>> {
    let Some(name) = system.deliver.get("name") else {
        return Ok(format!("{{network-element}}-{{file}}.{extension}"));
    };
    let unknown = name.value.split('{').skip(1).find_map(|rest| {
        let (placeholder, _) = rest.split_once('}')?;
        (!PLACEHOLDERS.contains(&placeholder)).then_some(placeholder)
    });
    if let Some(unknown) = unknown {
        let message = format!("nothing is filled in for \"{{{unknown}}}\"");
        let hint = did_you_mean(unknown, PLACEHOLDERS)
            .unwrap_or_else(|| format!("known: {}", PLACEHOLDERS.join(", ")));
        return Err(vec![system.deliver.error(name, message).hint(hint)]);
    }
    if name.value.contains(['/', '\\']) {
        let message = "the name of a file has no folders in it";
        let hint = "\"dir\" names the folder";
        return Err(vec![system.deliver.error(name, message).hint(hint)]);
    }
    let tells_files_apart = name.value.contains("{file}") || name.value.contains("{stem}");
    if tells_files_apart {
        return Ok(name.value.clone());
    }
    let message = "the name is the same for several input files";
    let hint = "put {file} or {stem} into it";
    Err(vec![system.deliver.error(name, message).hint(hint)])
}
