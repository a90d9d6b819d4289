//! Which ASN.1 modules a command works with: those it is given, or those of a flow.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::Modules;
use diagnostics::{Diagnostic, Source, Span, has_errors};
use format::ModuleTable;
use node::Setting;

use super::CommandError;

/// Arguments that name modules.
#[derive(Debug, clap::Args)]
pub(super) struct ModuleArguments {
    /// A file of modules; give the option again for each
    #[arg(short, long = "module", value_name = "MODULE")]
    module: Vec<PathBuf>,
    /// The flow file whose modules are meant [default: the flow.toml beside or above the script]
    #[arg(long, conflicts_with = "module")]
    flow: Option<PathBuf>,
}

impl ModuleArguments {
    /// These; if there are none, the flow beside a script says which.
    pub(super) fn of(module: Vec<PathBuf>) -> Self {
        ModuleArguments { module, flow: None }
    }

    /// The modules for a script.
    pub(super) fn load(&self, script: &Path) -> Result<Modules, CommandError> {
        if !self.module.is_empty() {
            return read_modules(&self.module);
        }
        match self.flow.clone().or_else(|| flow_of(script)) {
            Some(flow) => of_flow(&flow),
            None => read_modules(&[]),
        }
    }
}

/// The `flow.toml` in the folder of a script or in one above it.
fn flow_of(script: &Path) -> Option<PathBuf> {
    let script = std::path::absolute(script).ok()?;
    script.ancestors().skip(1).map(|folder| folder.join("flow.toml")).find(|path| path.is_file())
}

/// The modules of a flow file, tagged as it says.
pub(super) fn of_flow(path: &Path) -> Result<Modules, CommandError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    let (file, mistakes) = flow::file::parse(path, text, super::run::PARTS.kinds);
    refuse(mistakes)?;
    let paths: Vec<PathBuf> =
        file.modules.modules.iter().map(|module| file.folder.join(&module.value)).collect();
    let mut modules = read_modules(&paths)?;
    let mut mistakes = Vec::new();
    format::set_tagging(&file.modules, &mut modules, &mut mistakes);
    refuse(mistakes)?;
    Ok(modules)
}

/// Reads files of modules; mistakes in them are refused.
pub(super) fn read_modules(paths: &[PathBuf]) -> Result<Modules, CommandError> {
    let (modules, mistakes) = Modules::read(&sources(paths)?);
    refuse(mistakes)?;
    Ok(modules)
}

/// How modules tag that do not say it.
#[derive(Debug, clap::Args)]
pub(super) struct TaggingArguments {
    /// How modules tag that do not say it: explicit (as X.680 has it), implicit or automatic; for one
    /// module, MODULE=TAGGING
    #[arg(long, value_name = "TAGGING")]
    tagging: Vec<String>,
}

impl TaggingArguments {
    /// Tags the modules so.
    pub(super) fn apply(&self, modules: &mut Modules) -> Result<(), CommandError> {
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

/// Stops a command whose input has mistakes.
pub(super) fn refuse(mut diagnostics: Vec<Diagnostic>) -> Result<(), CommandError> {
    if !has_errors(&diagnostics) {
        return Ok(());
    }
    diagnostics.retain(Diagnostic::is_error);
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    Err(CommandError::Mistakes(texts.join("\n\n")))
}

/// Texts by their paths.
pub(super) fn sources(paths: &[PathBuf]) -> Result<Vec<Arc<Source>>, CommandError> {
    let source = |path: &PathBuf| Ok(Source::from_octets(path.display().to_string(), read(path)?));
    paths.iter().map(source).collect()
}

/// The octets of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|cause| CommandError::Read { path: path.to_owned(), cause })
}
