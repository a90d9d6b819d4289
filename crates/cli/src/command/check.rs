//! `tollgate check`: reports every mistake in flow files, scripts and modules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use asn1::{Modules, Resolver};
use diagnostics::{Diagnostic, Once, counted};
use operate::mistakes::Mistakes;

use crate::execute::Execute;
use crate::flow_file::{NAME, VARIABLE};
use crate::json;
use crate::modules::{ModuleArguments, of_flow, read, sources};
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::product::PARTS;
use crate::progress::Progress;
use crate::scripts::loaded;

/// Report every mistake of flow files, scripts and modules
#[derive(Debug, clap::Parser)]
#[command(
    name = "check",
    after_help = "Example:\n  tollgate check flow.toml scripts/*.dup asn1/*.asn1"
)]
pub(crate) struct Check {
    /// Flow files (.toml), scripts (.dup), modules (.asn1 and others; those given together may import
    /// from each other, and are those of the scripts; without any, a script has those of the flow.toml
    /// beside or above it)
    #[arg(env = VARIABLE, hide_env_values = true, default_value = NAME)]
    files: Vec<PathBuf>,
    /// One JSON object with the mistakes and warnings
    #[arg(long)]
    json: bool,
}

impl Execute for Check {
    fn run(self) -> Result<Outcome, CommandError> {
        let is =
            |file: &&PathBuf, extension: &str| file.extension().is_some_and(|e| e == extension);
        let modules: Vec<PathBuf> =
            self.files.iter().filter(|f| !is(f, "toml") && !is(f, "dup")).cloned().collect();
        let mut found = Vec::new();
        let (progress, done) = Progress::of(self.files.len() as u64, "files are checked");
        if !modules.is_empty() {
            found.extend(module_diagnostics(&modules)?);
            done.set(modules.len() as u64);
        }
        for flow in self.files.iter().filter(|file| is(file, "toml")) {
            found.extend(flow_diagnostics(flow)?);
            done.count();
        }
        // Without its types, a script would have a mistake in every line.
        if !diagnostics::has_errors(&found) {
            let arguments = ModuleArguments::of(modules, None);
            for script in self.files.iter().filter(|file| is(file, "dup")) {
                found.extend(loaded::diagnostics(script, &arguments.load(script)?)?);
                done.count();
            }
        }
        drop(progress);
        if self.json {
            json::line(&mut output::lines(), &Mistakes::of(&found))?;
        }
        output::diagnostics(&found);
        match found.iter().filter(|found| found.is_error()).count() {
            0 => {
                if !self.json {
                    say!("no mistakes")?;
                }
                Ok(Outcome::Clean)
            }
            count => Err(CommandError::Mistakes(format!("{} found", counted(count, "mistake")))),
        }
    }
}

/// Returns the diagnostics of a flow file and the warnings of its scripts.
fn flow_diagnostics(path: &Path) -> Result<Vec<Diagnostic>, CommandError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    let mut found = gateway::check(path, PARTS);
    if diagnostics::has_errors(&found) {
        return Ok(found);
    }
    let (file, _) = gateway::parse(path, text, PARTS.kinds);
    let modules = of_flow(path)?;
    let scripts: BTreeSet<PathBuf> = file
        .nodes
        .iter()
        .filter_map(|node| Some(node.settings.path(node.settings.get("script")?)))
        .collect();
    for script in scripts {
        found.extend(loaded::diagnostics(&script, &modules)?);
    }
    Ok(found)
}

/// Returns the diagnostics of modules, with all their types resolved.
fn module_diagnostics(paths: &[PathBuf]) -> Result<Vec<Diagnostic>, CommandError> {
    let (modules, mut found) = Modules::read(&sources(paths)?);
    let mut resolver = Resolver::new(&modules);
    let mut once = Once::after(&found);
    for name in modules.type_names() {
        let mistakes = resolver.resolve(&name).err().into_iter().flatten();
        mistakes.for_each(|mistake| once.put(mistake, &mut found));
    }
    Ok(found)
}
