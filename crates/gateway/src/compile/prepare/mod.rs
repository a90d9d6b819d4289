//! From a flow file to a plan that a gateway can run, or to all its mistakes. Only this module knows what each room
//! reads from the file, and assembles it.
//!
//! ```text
//! text ─▶ compiler: tables ─▶ types ─▶ graph ─▶ each room's part ─▶ assembly: Plan ─▶ checks of the whole
//! ```

mod assembly;
pub mod both;
mod compiler;
mod elsewhere;
mod groups;
mod measures;
mod names;
mod records;
mod tables;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use alarm::notification::ChannelKind;
use diagnostics::{Diagnostic, Severity, Source, Span, plain};
use format::coding::Formats;
use node::{Kind, Language};
use reason::Code;
use record::Types;
use runtime::file_watch::TIMESTAMP_LAG;
use settings::Settings;
use transport::{Listener, Scheme};

use crate::plan::Plan;
use compiler::compile;
use flow::drawing::{Drawing, drawing};
use flow::file;
use flow::file::FlowFile;
use flow::logging;
use flow::logging::Logging;

pub use tables::parse;

pub use elsewhere::{Sandbox, path_of};

/// The parts that a gateway is made of. The caller passes them in, so that the engine does not depend on them.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The node kinds.
    pub kinds: &'a [&'a dyn Kind],
    /// The formats.
    pub formats: &'a dyn Formats,
    /// The language of expressions over records.
    pub language: &'a dyn Language,
    /// The servers that files may be pushed to.
    pub listeners: &'a [&'a dyn Listener],
    /// Returns what is wrong with the certificate that a table names, if it names one.
    pub certificate: fn(&Settings) -> Option<Diagnostic>,
    /// The kinds of channels for alarms.
    pub channels: &'a [&'a dyn ChannelKind],
    /// The kinds of remote places that files come from and go to.
    pub schemes: &'a [&'a dyn Scheme],
    /// Return the codes of the errors of records, files and deliveries, for filters by code.
    pub codes: &'a [fn() -> Vec<Code>],
}

/// Returns all mistakes and warnings of a flow file and of the files that it names.
pub fn check(path: &Path, parts: Parts<'_>) -> Vec<Diagnostic> {
    let Prepared { plan, mut diagnostics } = prepare(path, parts);
    if let Some(plan) = plan.filter(|plan| plan.workload.groups.are_own())
        && let Ok(file) = file::outline(path)
    {
        diagnostics.extend(groups::uneven(path, &file, &plan));
    }
    diagnostics.extend(certificate(path, parts));
    diagnostics
}

/// Returns what is wrong with the certificate of the gateway's server. It keeps only a new server from starting; one
/// that has read a valid certificate works on.
pub(crate) fn certificate(path: &Path, parts: Parts<'_>) -> Option<Diagnostic> {
    file::outline(path).ok()?.serve.as_ref().and_then(parts.certificate)
}

/// The result of preparing a flow file.
pub struct Prepared {
    /// The plan. None if mistakes leave nothing that could run. A plan with mistakes must not run.
    pub plan: Option<Plan>,
    /// All mistakes, not only the first, and warnings.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Prepared {
    /// Returns the plan of a flow without mistakes, or else all diagnostics.
    pub fn sound(self) -> Result<Plan, Vec<Diagnostic>> {
        match self.plan {
            Some(plan) if !diagnostics::has_errors(&self.diagnostics) => Ok(plan),
            _ => Err(self.diagnostics),
        }
    }
}

/// A callback that reads the types of a flow and may still add some.
pub(crate) type ReadsTypes<'a> = dyn FnMut(&FlowFile, &mut dyn Types) + 'a;

/// How to prepare a flow file. [`prepare`] is the usual way.
pub struct Preparation<'a> {
    path: &'a Path,
    parts: Parts<'a>,
    text: Option<String>,
    elsewhere: Option<&'a Sandbox>,
    reads_types: Option<&'a mut ReadsTypes<'a>>,
}

impl<'a> Preparation<'a> {
    /// Prepares a flow file as it is.
    pub fn new(path: &'a Path, parts: Parts<'a>) -> Self {
        Preparation { path, parts, text: None, elsewhere: None, reads_types: None }
    }

    /// Uses this text in place of the file's.
    pub(crate) fn with_text(self, text: String) -> Self {
        Preparation { text: Some(text), ..self }
    }

    /// Prepares it for a gateway in a sandbox.
    pub(crate) fn elsewhere(self, elsewhere: &'a Sandbox) -> Self {
        Preparation { elsewhere: Some(elsewhere), ..self }
    }

    /// Calls `reads_types` with the types.
    pub fn with_types(self, reads_types: &'a mut ReadsTypes<'a>) -> Self {
        Preparation { reads_types: Some(reads_types), ..self }
    }

    /// Reads the file and all files that it names.
    pub fn prepare(mut self) -> Prepared {
        match self.text.take().map_or_else(|| read(self.path), Ok) {
            Ok(text) => compile(text, self),
            Err(mistake) => Prepared { plan: None, diagnostics: vec![mistake] },
        }
    }
}

/// Reads a flow file and all files that it names.
pub fn prepare(path: &Path, parts: Parts<'_>) -> Prepared {
    Preparation::new(path, parts).prepare()
}

/// Returns the log settings of a flow file, if there are any. Returns none if the flow has mistakes: `run` reports
/// those, and until then nothing may be written, since the log may be a mistake itself and lie in a file of the flow.
pub fn logging(path: &Path, parts: Parts<'_>) -> io::Result<Option<Logging>> {
    let logging = logging::read(&file::outline(path)?).ok().flatten();
    Ok(logging.filter(|_| !diagnostics::has_errors(&prepare(path, parts).diagnostics)))
}

/// Draws the text of a flow file as if it were the file at a path.
pub fn draw(path: &Path, text: &str, parts: Parts<'_>) -> Drawing {
    let preparation = Preparation::new(path, parts).with_text(text.to_owned());
    let Prepared { plan, mut diagnostics } = preparation.prepare();
    // A running server goes on with the certificate that it has.
    let (file, _) = parse(path, text.to_owned(), parts.kinds);
    let certificate = file.serve.as_ref().and_then(parts.certificate);
    let warning = |mistake: Diagnostic| Diagnostic { severity: Severity::Warning, ..mistake };
    diagnostics.extend(certificate.map(warning));
    let nodes = plan.iter().flat_map(|plan| &plan.topology.graph.nodes);
    let streams = nodes.map(|node| {
        let streams = node.template.outputs().iter().map(|output| output.name.clone());
        (node.name.clone(), streams.collect())
    });
    drawing(path, text, parts.kinds, &streams.collect(), diagnostics)
}

/// How often a flow is read whose files change meanwhile.
const READ_MAX: usize = 5;

/// Reads a flow as [`prepare`] does, and again if its files were written to meanwhile, so that its marks are those of
/// what was read.
pub(crate) fn prepare_at_rest(path: &Path, parts: Parts<'_>) -> Prepared {
    for _ in 1..READ_MAX {
        let begun = SystemTime::now();
        let prepared = prepare(path, parts);
        // A time in the future says nothing.
        let is_meanwhile = |file: &PathBuf| {
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            modified.is_ok_and(|at| at + TIMESTAMP_LAG >= begun && at <= SystemTime::now())
        };
        if !prepared.plan.iter().flat_map(|plan| &plan.origin.files).any(is_meanwhile) {
            return prepared;
        }
        thread::sleep(TIMESTAMP_LAG);
    }
    prepare(path, parts)
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    plain::read_text(path, plain::TEXT_OCTETS_MAX).map_err(|error| {
        let source = Source::new(path.display().to_string(), "");
        let message = format!("could not read the flow file: {error}");
        Diagnostic::error(&source, Span::default(), message)
    })
}
