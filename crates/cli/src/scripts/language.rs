//! Answers the script editor in the browser, with the same analysis as the language server (`dup lsp`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use asn1::{Modules, Resolver};
use diagnostics::{Diagnostic, Place, Source};
use dup::Machine;
use dup::analysis::{Analysis, Completion, Symbol};
use inspection::Sample;
use operate::scripts::language::{
    CallingNode, Candidate, Completions, Definition, EditedScript, Explained, Language,
    LanguageError, NameSort, Ran, TestOf, TestResult, Tested,
};

use versions::{NamedFiles, ScriptLanguage};

use super::known::{self, Known};
use super::loaded::{compile, text_diagnostics};
use super::samples;
use super::testing;
use crate::modules::of_flow;
use crate::outcome::chain;

/// The maximum duration of all tests together; after it no further test starts. Each test is bounded like a record
/// (`dup::BUDGET`), but there may be many.
const TESTS_TIME_MAX: Duration = Duration::from_secs(2);

/// DUP, with the modules of the script's flow.
#[derive(Debug)]
pub(crate) struct Scripts;

impl ScriptLanguage for Scripts {
    fn named(&self, text: &str) -> NamedFiles {
        let dup::Named { tables, tariffs, records } = dup::named(&Source::new("", text));
        NamedFiles { tables, tariffs, records }
    }

    fn is_script(&self, text: &str) -> bool {
        dup::is_script(&Source::new("", text))
    }
}

impl Language for Scripts {
    fn check(&self, draft: EditedScript<'_>) -> Result<Vec<Diagnostic>, LanguageError> {
        let text = draft.text.as_bytes().to_vec();
        Ok(text_diagnostics(&path(draft), text, &modules(draft)?))
    }

    fn complete(&self, draft: EditedScript<'_>, at: Place) -> Result<Completions, LanguageError> {
        let analysis = analysis(draft, &modules(draft)?);
        let found = analysis.complete(analysis.source().offset(at));
        let from = analysis.source().place(found.replaces.start);
        let candidates = found.candidates.into_iter().map(candidate).collect();
        Ok(Completions { from, candidates })
    }

    fn test(&self, draft: EditedScript<'_>) -> Result<Tested, LanguageError> {
        let (path, begun) = (path(draft), Instant::now());
        let source = Source::new(path.display().to_string(), draft.text);
        let loaded = compile(&path, &source, &modules(draft)?);
        let loaded = loaded.map_err(|error| LanguageError::Draft { cause: error.into() })?;
        let mut machine = Machine::new(Arc::clone(&loaded.program));
        machine.stop_when(Arc::clone(draft.stop));
        machine.watch();
        let tests = loaded.program.tests().iter().enumerate().map(|(place, test)| {
            let of = TestOf { name: test.name.clone(), line: source.line_of(test.span.start) };
            if begun.elapsed() > TESTS_TIME_MAX || draft.stop.load(Ordering::Relaxed) {
                return (of, TestResult::NotRun);
            }
            let result = match testing::test(&path, &loaded, &mut machine, place) {
                Ok(Ok(())) => TestResult::Passed,
                Ok(Err(fault)) => TestResult::Failed(fault.to_string()),
                Err(error) => TestResult::Failed(chain(&error)),
            };
            (of, result)
        });
        let tests = tests.collect();
        Ok(Tested { tests, lines: machine.lines().into_iter().collect() })
    }

    fn run(
        &self,
        draft: EditedScript<'_>,
        node: CallingNode<'_>,
        records: &[Sample],
    ) -> Result<Ran, LanguageError> {
        let path = path(draft);
        let source = Source::new(path.display().to_string(), draft.text);
        let loaded = compile(&path, &source, &modules(draft)?);
        let loaded = loaded.map_err(|error| LanguageError::Draft { cause: error.into() })?;
        samples::run(&loaded, node, records, draft.stop)
            .map_err(|error| LanguageError::Function { cause: error.into() })
    }

    fn explain(
        &self,
        draft: EditedScript<'_>,
        at: Place,
    ) -> Result<Option<Explained>, LanguageError> {
        let modules = modules(draft)?;
        let analysis = analysis(draft, &modules);
        let source = analysis.source();
        let Some(found) = analysis.at(source.offset(at)) else { return Ok(None) };
        let Known { described, definitions } = Known::of(&analysis, &modules, found.symbol);
        let definition = |known::Definition { path, line, text }| {
            let file = path.strip_prefix(folder(draft)).unwrap_or(&path).display().to_string();
            Definition { file, line, text }
        };
        Ok(Some(Explained {
            from: source.place(found.span.start),
            to: source.place(found.span.end),
            code: described.code,
            text: described.text,
            definitions: definitions.into_iter().map(definition).collect(),
        }))
    }
}

/// Returns the folder of the flow.
fn folder(draft: EditedScript<'_>) -> &Path {
    draft.flow.parent().unwrap_or(Path::new(""))
}

fn path(draft: EditedScript<'_>) -> PathBuf {
    folder(draft).join(draft.script)
}

fn modules(draft: EditedScript<'_>) -> Result<Modules, LanguageError> {
    of_flow(draft.flow).map_err(|error| LanguageError::Modules { cause: error.into() })
}

fn analysis(draft: EditedScript<'_>, modules: &Modules) -> Analysis {
    let path = path(draft);
    let source = Source::new(path.display().to_string(), draft.text);
    Analysis::of(&source, path.parent().unwrap_or(Path::new("")), &mut Resolver::new(modules))
}

fn candidate(Completion { name, symbol, described }: Completion) -> Candidate {
    let sort = match symbol {
        Some(Symbol::Function(_) | Symbol::BuiltIn(_)) => NameSort::Function,
        Some(Symbol::Variable(_)) => NameSort::Variable,
        Some(Symbol::Table(_) | Symbol::Tariff(_)) => NameSort::Table,
        Some(Symbol::Field { .. }) => NameSort::Field,
        Some(Symbol::Value { .. }) => NameSort::Value,
        Some(Symbol::Type(_)) => NameSort::Type,
        None if described.code.is_empty() => NameSort::Word,
        None => NameSort::Type,
    };
    Candidate { name, sort, code: described.code, text: described.text }
}
