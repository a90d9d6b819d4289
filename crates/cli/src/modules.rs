//! The ASN.1 modules of a command: those it is given, or those of a flow.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::Modules;
use diagnostics::{Diagnostic, Source, Span, has_errors, plain};
use format::ModuleTable;
use settings::Setting;

use crate::outcome::CommandError;
use crate::product::PARTS;

/// Arguments that name modules.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ModuleArguments {
    /// A file of modules; give the option again for each
    #[arg(short, long = "module", value_name = "MODULE")]
    module: Vec<PathBuf>,
    /// The flow file whose modules are meant [default: the flow.toml beside or above the script]
    #[arg(long, conflicts_with = "module")]
    flow: Option<PathBuf>,
}

impl ModuleArguments {
    /// Names modules, or a flow that names them. If neither is given, the flow beside a script does.
    pub(crate) fn of(module: Vec<PathBuf>, flow: Option<PathBuf>) -> Self {
        ModuleArguments { module, flow }
    }

    /// Returns whether nothing is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.module.is_empty() && self.flow.is_none()
    }

    /// Reads the modules for a script.
    pub(crate) fn load(&self, script: &Path) -> Result<Modules, CommandError> {
        self.origin(script).read()?.without_mistakes()
    }

    /// Returns where the modules for a script come from.
    pub(crate) fn origin(&self, script: &Path) -> Origin {
        if !self.module.is_empty() {
            return Origin::Files(self.module.clone());
        }
        match self.flow.clone().or_else(|| flow_of(script)) {
            Some(flow) => Origin::Flow(flow),
            None => Origin::Files(Vec::new()),
        }
    }
}

/// The source of modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Files from the command line; may be empty.
    Files(Vec<PathBuf>),
    /// A flow file, which names them.
    Flow(PathBuf),
}

/// Modules, with their mistakes and files.
pub(crate) struct Found {
    pub(crate) modules: Modules,
    /// The mistakes of the flow file and the modules.
    pub(crate) mistakes: Vec<Diagnostic>,
    /// All files that were read.
    pub(crate) files: Vec<PathBuf>,
}

impl Origin {
    /// Reads the modules and their mistakes.
    pub(crate) fn read(&self) -> Result<Found, CommandError> {
        match self {
            Origin::Files(files) => {
                let (modules, mistakes) = Modules::read(&sources(files)?);
                Ok(Found { modules, mistakes, files: files.clone() })
            }
            Origin::Flow(flow) => read_flow(flow),
        }
    }
}

impl Found {
    fn without_mistakes(self) -> Result<Modules, CommandError> {
        refuse(self.mistakes)?;
        Ok(self.modules)
    }
}

/// Reads the modules that a flow file names. If the flow file has mistakes, the modules are not read.
fn read_flow(path: &Path) -> Result<Found, CommandError> {
    let text = String::from_utf8_lossy(&read_named(path)?).into_owned();
    let (file, mut mistakes) = gateway::parse(path, text, PARTS.kinds);
    let mut paths = Vec::new();
    if !has_errors(&mistakes) {
        let named = file.modules.modules.iter();
        paths.extend(named.map(|module| file.folder.join(&module.value)));
    }
    let mut sources = sources_by(read_named, &paths)?;
    sources.extend(format::own_module(file.network_elements.iter().map(|of| &of.decode)));
    let (mut modules, more) = Modules::read(&sources);
    mistakes.extend(more);
    if !has_errors(&mistakes) {
        format::set_tagging(&file.modules, &mut modules, &mut mistakes);
    }
    paths.push(path.to_owned());
    Ok(Found { modules, mistakes, files: paths })
}

/// Finds the `flow.toml` in the folder of a script or in one above it.
fn flow_of(script: &Path) -> Option<PathBuf> {
    let script = std::path::absolute(script).ok()?;
    script.ancestors().skip(1).map(|folder| folder.join("flow.toml")).find(|path| path.is_file())
}

/// Reads the modules of a flow file, with its tagging.
pub(crate) fn of_flow(path: &Path) -> Result<Modules, CommandError> {
    read_flow(path)?.without_mistakes()
}

/// How modules tag that do not say it.
#[derive(Debug, clap::Args)]
pub(crate) struct TaggingArguments {
    /// How modules tag that do not say it: explicit (as X.680 has it), implicit or automatic; for one
    /// module, MODULE=TAGGING
    #[arg(long, value_name = "TAGGING")]
    tagging: Vec<String>,
}

impl TaggingArguments {
    /// Applies the tagging to the modules.
    pub(crate) fn apply(&self, modules: &mut Modules) -> Result<(), CommandError> {
        let source = Source::new("--tagging", self.tagging.join(" "));
        let mut offset = 0;
        let settings = self.tagging.iter().map(|text| {
            let (key, value) = text.split_once('=').unwrap_or(("tagging", text));
            let span = Span::new(offset, offset + text.len());
            offset += text.len() + 1;
            Setting { key: key.to_owned(), value: value.to_owned(), span }
        });
        let (tagging, folder) = (settings.collect(), PathBuf::new());
        let table = ModuleTable { source, folder, modules: Vec::new(), tagging };
        let mut mistakes = Vec::new();
        format::set_tagging(&table, modules, &mut mistakes);
        refuse(mistakes)
    }
}

/// Fails if the input has mistakes.
pub(crate) fn refuse(mut diagnostics: Vec<Diagnostic>) -> Result<(), CommandError> {
    if !has_errors(&diagnostics) {
        return Ok(());
    }
    diagnostics.retain(Diagnostic::is_error);
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    Err(CommandError::Mistakes(texts.join("\n\n")))
}

/// Reads modules that are named on the command line.
pub(crate) fn sources(paths: &[PathBuf]) -> Result<Vec<Arc<Source>>, CommandError> {
    sources_by(read, paths)
}

fn sources_by(
    read: fn(&Path) -> Result<Vec<u8>, CommandError>,
    paths: &[PathBuf],
) -> Result<Vec<Arc<Source>>, CommandError> {
    let source = |path: &PathBuf| {
        Source::forgiven(path.display().to_string(), read(path)?)
            .map_err(|mistake| CommandError::Mistakes(mistake.to_string()))
    };
    paths.iter().map(source).collect()
}

/// Reads a script that is named on the command line.
pub(crate) fn script(path: &Path) -> Result<Arc<Source>, CommandError> {
    Source::decoded(path.display().to_string(), read(path)?)
        .map_err(|mistake| CommandError::Mistakes(mistake.to_string()))
}

/// Reads a file that a flow file or a script names. It must be a regular file of bounded size.
pub(crate) fn read_named(path: &Path) -> Result<Vec<u8>, CommandError> {
    plain::read(path, plain::TEXT_OCTETS_MAX)
        .map_err(|cause| CommandError::Read { path: path.to_owned(), cause })
}

/// Reads a file that is named on the command line. It may be a pipe, so type and size are not checked.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|cause| CommandError::Read { path: path.to_owned(), cause })
}
