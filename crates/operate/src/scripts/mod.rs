//! Scripts of the flow: listed, shown, checked as drafts, tried on records, and replaced while records flow; and scripts
//! for nodes that the flow will have later.

mod analyse;
mod begin;
mod check;
pub mod language;
mod list;
mod put;
mod samples;
mod show;
mod test;

pub use analyse::{AnalyseScript, ScriptAnalysis};
pub use begin::{BeginScript, BeginScriptError, BegunScript};
pub use check::{CheckScript, CheckedScript};
pub use list::{ListScripts, ListedScript, Scripts};
pub use put::{PutScript, PutScriptError};
pub use samples::{RunSamples, RunSamplesError, SampleRecord, SampleRuns, ScriptResult, TakenFrom};
pub use show::{Script, ShowScript};
pub use test::{ScriptTest, ScriptTestResult, ScriptTests, TestScript};

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use ::versions::NoScripts;
use ::versions::{VersionError, digest, is_script};
use flow::drawing;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::context::Context;
use crate::refusals;
use language::{EditedScript, Language, LanguageError};

refusals! {
    /// Why a script is not found.
    pub enum ScriptError {
        /// The flow has no such script.
        Unknown {
            /// Its file.
            file: String
        } => Unknown "script-unknown" "the flow has no script \"{file}\"",
        /// The files of the flow or the versions cannot be read.
        Versions(VersionError) => [],
    }
}

refusals! {
    /// Why a draft of a script is not analysed.
    pub enum DraftError {
        /// The flow has no such script, or its files cannot be read.
        Script(ScriptError) => [Unknown],
        /// The draft names a file that may not be read.
        Versions(VersionError) => [Wrong],
        /// The draft or the modules of the flow have mistakes.
        Language(LanguageError) => [Wrong],
    }
}

/// A draft of a script.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ScriptDraft {
    /// The script's file, as the flow file names it, or the file of a script that no node runs yet.
    pub file: String,
    /// The edited text.
    pub text: String,
}

/// Returns the scripts that the flow file names and that exist, each with the nodes that run it.
fn found(context: &Context<'_>) -> Result<Vec<(ListedScript, String)>, VersionError> {
    let store = context.shared.versions()?;
    let text = store.flow_text()?;
    let mut files = store.files(&text);
    let mut scripts: Vec<(ListedScript, String)> = Vec::new();
    for node in drawing::sketch(&text, context.parts.kinds) {
        let Some(file) = node.settings.get("script").and_then(|file| file.as_str()) else {
            continue;
        };
        if let Some((listed, _)) = scripts.iter_mut().find(|(listed, _)| listed.file == file) {
            listed.nodes.push(node.name);
        } else if let Some(text) = files.remove(file) {
            scripts.push((ListedScript::new(file, vec![node.name], &text), text));
        }
    }
    Ok(scripts)
}

/// Returns a script of the flow and its text.
fn one(context: &Context<'_>, file: &str) -> Result<(ListedScript, String), ScriptError> {
    let script = found(context)?.into_iter().find(|(listed, _)| listed.file == file);
    script.ok_or_else(|| ScriptError::Unknown { file: file.to_owned() })
}

/// Returns a script of the flow, or one that no node runs yet.
fn one_or_begun(context: &Context<'_>, file: &str) -> Result<(ListedScript, String), ScriptError> {
    match one(context, file) {
        Err(unknown @ ScriptError::Unknown { .. }) => {
            let text = context.shared.versions()?.begun(file).ok_or(unknown)?;
            Ok((ListedScript::new(file, Vec::new(), &text), text))
        }
        found => found,
    }
}

impl ListedScript {
    fn new(file: &str, nodes: Vec<String>, text: &str) -> Self {
        ListedScript { file: file.to_owned(), nodes, digest: digest(text) }
    }
}

impl ScriptDraft {
    /// Asks the language about the draft, in the place of a script of the flow or of one that no node runs yet.
    fn ask<T>(
        &self,
        context: &Context<'_>,
        ask: impl FnOnce(&dyn Language, EditedScript<'_>) -> Result<T, LanguageError>,
    ) -> Result<T, DraftError> {
        if !is_script(&self.file) {
            one(context, &self.file)?;
        }
        context.shared.versions()?.script_may_be_read(&self.file, &self.text)?;
        self.ask_language(context, ask)
    }

    /// As [`ask`](Self::ask), for a draft that names only files that may be read.
    fn ask_language<T>(
        &self,
        context: &Context<'_>,
        ask: impl FnOnce(&dyn Language, EditedScript<'_>) -> Result<T, LanguageError>,
    ) -> Result<T, DraftError> {
        let ScriptDraft { file, text } = self;
        let stop = &context.stop.flag();
        Ok(ask(context.scripts, EditedScript { flow: context.flow, script: file, text, stop })?)
    }
}

/// Waits until no other test or sample runs. They take a processor, which records need too.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
