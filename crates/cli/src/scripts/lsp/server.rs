//! The state between messages: the open scripts, their modules, and which diagnostics the client has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::Resolver;
use diagnostics::{Diagnostic, Source, Span};
use dup::analysis::Analysis;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use operate::scripts::language::EditedScript;
use serde_json::Value;

use super::answers::diagnostics;
use super::documents::Document;
use super::naming::{Naming, path_of};
use super::positions::Encoding;
use super::project::{Project, Projects};
use super::refusal::{Answer, Refusal};
use crate::modules::ModuleArguments;

/// The files whose changes matter: flows, modules, tables, records of tests.
const WATCHED: &str = "**/*.{toml,asn1,asn,csv,json}";

/// The state of the server between two messages.
pub(crate) struct Server {
    pub(super) encoding: Encoding,
    pub(super) naming: Naming,
    arguments: ModuleArguments,
    /// The folder that is open in the editor.
    root: PathBuf,
    documents: BTreeMap<String, Document>,
    projects: Projects,
    /// The modules and flow files with diagnostics at the client.
    published: BTreeSet<String>,
    outgoing: Vec<Message>,
    watches: bool,
}

impl Server {
    /// Creates the server from the parameters of the client's `initialize` request.
    pub(crate) fn new(params: &lsp::InitializeParams, arguments: ModuleArguments) -> Self {
        let root = root_of(params);
        let arguments = match arguments.is_empty() {
            true => named_by(params.initialization_options.as_ref(), &root),
            false => arguments,
        };
        let workspace = params.capabilities.workspace.as_ref();
        let watching = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        Server {
            encoding: Encoding::of(params),
            naming: Naming::Paths,
            arguments,
            root,
            documents: BTreeMap::new(),
            projects: Projects::default(),
            published: BTreeSet::new(),
            outgoing: Vec::new(),
            watches: watching.is_some_and(|watching| watching.dynamic_registration == Some(true)),
        }
    }

    /// Creates a server of one script, a draft, and the modules of its flow. The client does not run on this machine: its
    /// files are the draft under this URI, and those that the flow names.
    pub(crate) fn of_draft(draft: EditedScript<'_>, uri: &str) -> Self {
        let root = draft.flow.parent().unwrap_or(Path::new("")).to_owned();
        let document = Document::new(uri.to_owned(), root.join(draft.script), 0, draft.text);
        Server {
            encoding: Encoding::Utf16,
            naming: Naming::InFlow(root.clone()),
            arguments: ModuleArguments::of(Vec::new(), Some(draft.flow.to_owned())),
            root,
            documents: BTreeMap::from([(uri.to_owned(), document)]),
            projects: Projects::default(),
            published: BTreeSet::new(),
            outgoing: Vec::new(),
            watches: false,
        }
    }

    /// Returns the capabilities of the server.
    pub(crate) fn introduction(&self) -> lsp::InitializeResult {
        let sync = lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::Incremental),
            save: Some(lsp::SaveOptions::default().into()),
            ..lsp::TextDocumentSyncOptions::default()
        };
        let rename =
            lsp::RenameOptions { prepare_provider: Some(true), ..lsp::RenameOptions::default() };
        let completion = lsp::CompletionOptions {
            trigger_characters: Some(vec![".".to_owned()]),
            ..lsp::CompletionOptions::default()
        };
        let capabilities = lsp::ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(sync.into()),
            completion_provider: Some(completion),
            hover_provider: Some(true.into()),
            definition_provider: Some(true.into()),
            references_provider: Some(true.into()),
            document_symbol_provider: Some(true.into()),
            document_formatting_provider: Some(true.into()),
            rename_provider: Some(rename.into()),
            ..lsp::ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(lsp::ServerInfo { name: "tollgate".to_owned(), version });
        lsp::InitializeResult { capabilities, server_info }
    }

    /// Handles a notification. Unknown ones are ignored.
    pub(crate) fn take_note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" => self.watch(),
            "textDocument/didOpen" => note(params, |params| self.opened(params)),
            "textDocument/didChange" => note(params, |params| self.changed(params)),
            "textDocument/didClose" => note(params, |params| self.closed(params)),
            // The saved file may be a module, a table or a record of a test, so every analysis is dropped.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.documents.values_mut().for_each(Document::forget);
            }
            _ => {}
        }
    }

    /// Sends diagnostics for the scripts that have none at the client yet.
    pub(crate) fn look_through(&mut self) {
        let unpublished = self.documents.values().filter(|document| !document.published);
        let unpublished: Vec<String> = unpublished.map(|document| document.uri.clone()).collect();
        if unpublished.is_empty() {
            return;
        }
        unpublished.iter().for_each(|uri| self.tell(uri));
        self.tell_of_modules();
    }

    /// Takes the messages that the server sends unasked.
    pub(crate) fn outgoing(&mut self) -> impl Iterator<Item = Message> {
        std::mem::take(&mut self.outgoing).into_iter()
    }

    fn notify(&mut self, method: &str, params: impl serde::Serialize) {
        self.outgoing.push(Notification::new(method.to_owned(), params).into());
    }

    /// Asks the client to report changed files.
    fn watch(&mut self) {
        if !self.watches {
            return;
        }
        let options = serde_json::json!({ "watchers": [{ "globPattern": WATCHED }] });
        let method = "workspace/didChangeWatchedFiles".to_owned();
        let registration =
            lsp::Registration { id: "files".to_owned(), method, register_options: Some(options) };
        let params = lsp::RegistrationParams { registrations: vec![registration] };
        let id = RequestId::from("files".to_owned());
        let request = Request::new(id, "client/registerCapability".to_owned(), params);
        self.outgoing.push(request.into());
    }

    fn opened(&mut self, params: lsp::DidOpenTextDocumentParams) {
        let lsp::TextDocumentItem { uri, version, text, .. } = params.text_document;
        // What was never saved is in the folder that is open.
        let path = path_of(&uri.0).unwrap_or_else(|| self.root.join("untitled.dup"));
        let document = Document::new(uri.0.clone(), path, version, &text);
        self.documents.insert(uri.0, document);
    }

    fn changed(&mut self, params: lsp::DidChangeTextDocumentParams) {
        let identifier = params.text_document;
        let uri = &identifier.text_document_identifier.uri;
        if let Some(document) = self.documents.get_mut(uri.as_ref()) {
            document.change(identifier.version, params.content_changes, self.encoding);
        }
    }

    fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.documents.remove(uri.as_ref());
        self.publish(uri.as_ref(), None, Vec::new());
        self.tell_of_modules();
    }

    fn publish(&mut self, uri: &str, version: Option<i32>, diagnostics: Vec<lsp::Diagnostic>) {
        let uri = uri.into();
        let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
        self.notify("textDocument/publishDiagnostics", params);
    }

    /// Sends the diagnostics of a script. If its modules have mistakes, sends only that: the script would have a
    /// mistake in every line.
    fn tell(&mut self, uri: &str) {
        let encoding = self.encoding;
        let Ok(script) = self.look(uri) else { return };
        let found = match trouble(script.project) {
            Some(message) => {
                let start = Span::new(0, 0);
                diagnostics(encoding, &[Diagnostic::error(script.source, start, message)])
            }
            None => diagnostics(encoding, script.analysis.diagnostics()),
        };
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.published = true;
        let version = document.version;
        self.publish(uri, Some(version), found);
    }

    /// Sends the diagnostics of the modules of all open scripts, and clears those that are fixed.
    fn tell_of_modules(&mut self) {
        let mut found: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        let mut needed = Vec::new();
        for document in self.documents.values() {
            let origin = self.arguments.origin(&document.path);
            if needed.contains(&origin) {
                continue;
            }
            needed.push(origin.clone());
            let mistakes = &self.projects.get(origin).mistakes;
            for mistake in mistakes.iter().filter(|mistake| mistake.is_error()) {
                let uri = self.naming.uri_of(Path::new(&mistake.source.name));
                found.entry(uri).or_default().push(mistake.clone());
            }
        }
        self.projects.keep(&needed);
        let now: BTreeSet<String> = found.keys().cloned().collect();
        let mended: Vec<String> = self.published.difference(&now).cloned().collect();
        mended.iter().for_each(|uri| self.publish(uri, None, Vec::new()));
        for (uri, mistakes) in found {
            self.publish(&uri, None, diagnostics(self.encoding, &mistakes));
        }
        self.published = now;
    }

    /// Returns an open script with its analysis, which is made now if it is out of date.
    pub(super) fn look(&mut self, uri: &str) -> Answer<AnalysedScript<'_>> {
        let Some(document) = self.documents.get_mut(uri) else {
            let message = format!("\"{uri}\" is not open");
            return Err(Refusal { code: ErrorCode::InvalidParams, message });
        };
        let project = self.projects.get(self.arguments.origin(&document.path));
        let known = document.analysis.take().filter(|(of, _)| *of == project.generation);
        let folder = document.path.parent().unwrap_or(Path::new(""));
        let (_, analysis) = document.analysis.insert(known.unwrap_or_else(|| {
            let mut types = Resolver::new(&project.modules);
            (project.generation, Analysis::of(&document.source, folder, &mut types))
        }));
        Ok(AnalysedScript { analysis, project, source: &document.source, folder })
    }

    /// Like [`look`](Self::look), with the octet that a request is about.
    pub(super) fn look_at(
        &mut self,
        at: &lsp::TextDocumentPositionParams,
    ) -> Answer<(AnalysedScript<'_>, u32)> {
        let encoding = self.encoding;
        let script = self.look(at.text_document.uri.as_ref())?;
        let offset = encoding.offset(script.source, at.position);
        Ok((script, offset))
    }
}

/// A script with its analysis.
pub(super) struct AnalysedScript<'s> {
    pub(super) analysis: &'s Analysis,
    pub(super) project: &'s Project,
    pub(super) source: &'s Arc<Source>,
    /// The folder of the files that the script names.
    pub(super) folder: &'s Path,
}

/// Parses a notification and handles it. A notification has no answer, so a malformed one is ignored.
fn note<P: serde::de::DeserializeOwned>(params: Value, take: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        take(params);
    }
}

/// Returns why a script is not checked: its modules have mistakes.
fn trouble(project: &Project) -> Option<String> {
    if let Some(trouble) = &project.trouble {
        return Some(format!("without its modules the script is not checked: {trouble}"));
    }
    let mistake = project.mistakes.iter().find(|mistake| mistake.is_error())?;
    let (name, place) = (&mistake.source.name, mistake.place());
    let message = &mistake.message;
    Some(format!(
        "without its modules the script is not checked: {name}:{}:{}: {message}",
        place.line, place.column
    ))
}

/// The folder that is open in the editor.
#[allow(deprecated)] // Clients of before workspace folders name one root.
fn root_of(params: &lsp::InitializeParams) -> PathBuf {
    let folders = &params.workspace_folders_initialize_params.workspace_folders;
    let folder = match folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) => folders.first(),
        _ => None,
    };
    let uri = folder.map(|folder| &folder.uri).or(params.root_uri.as_ref());
    uri.and_then(|uri| path_of(uri.as_ref())).unwrap_or_default()
}

/// Returns the modules that a client names in its initialization options.
fn named_by(options: Option<&Value>, root: &Path) -> ModuleArguments {
    let path =
        |value: &Value| value.as_str().filter(|path| !path.is_empty()).map(|path| root.join(path));
    let named = |key: &str| options.and_then(|options| options.get(key));
    let modules = named("modules").and_then(Value::as_array).into_iter().flatten();
    ModuleArguments::of(modules.filter_map(path).collect(), named("flow").and_then(path))
}
