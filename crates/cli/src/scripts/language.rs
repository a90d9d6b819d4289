//! Answers the script editor in the browser.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use asn1::Modules;
use diagnostics::{Diagnostic, Source, with_causes};
use dup::Machine;
use inspection::Sample;
use operate::scripts::language::{
    CallingNode, EditedScript, Language, LanguageError, LanguageRequest, Ran, TestOf, TestResult,
    Tested,
};
use serde_json::{Value, json};
use versions::{NamedFiles, ScriptLanguage};

use super::loaded::{compile, text_diagnostics};
use super::lsp::Server;
use super::samples;
use super::testing;
use crate::modules::of_flow;

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
                Err(error) => TestResult::Failed(with_causes(&error)),
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

    fn answer(
        &self,
        draft: EditedScript<'_>,
        request: LanguageRequest,
    ) -> Result<Value, LanguageError> {
        let LanguageRequest { method, params } = request;
        // The text comes with each request, under the name that the client has for it.
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
        let mut server = Server::of_draft(draft, uri);
        let result = match method.as_str() {
            "initialize" => Ok(json!(server.introduction())),
            method => server.result(method, params),
        };
        result.map_err(|refusal| LanguageError::Request { reason: refusal.message })
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
