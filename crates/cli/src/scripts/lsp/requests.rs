//! The requests: one line in a table and one small function for each.

use std::collections::HashMap;

use asn1::Resolver;
use diagnostics::Span;
use dup::analysis::{RenameFault, rename};
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Request, Response};
use serde_json::Value;

use super::answers::{completion, difference, edits, listed, location};
use super::hover;
use super::refusal::{Answer, Refusal};
use super::server::Server;
use crate::scripts::known::Known;

impl Server {
    /// Answers a request.
    pub(crate) fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        match self.result(&method, params) {
            Ok(result) => Response::new_ok(id, result),
            Err(refusal) => Response::new_err(id, refusal.code as i32, refusal.message),
        }
    }

    /// Returns the result of a request.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Answer<Value> {
        match method {
            "textDocument/hover" => self.reply::<lsp::HoverRequest>(params, Self::hover),
            "textDocument/completion" => {
                self.reply::<lsp::CompletionRequest>(params, Self::complete)
            }
            "textDocument/definition" => {
                self.reply::<lsp::DefinitionRequest>(params, Self::definition)
            }
            "textDocument/references" => {
                self.reply::<lsp::ReferencesRequest>(params, Self::references)
            }
            "textDocument/prepareRename" => {
                self.reply::<lsp::PrepareRenameRequest>(params, Self::prepare_rename)
            }
            "textDocument/rename" => self.reply::<lsp::RenameRequest>(params, Self::rename),
            "textDocument/formatting" => {
                self.reply::<lsp::DocumentFormattingRequest>(params, Self::format)
            }
            "textDocument/documentSymbol" => {
                self.reply::<lsp::DocumentSymbolRequest>(params, Self::symbols)
            }
            _ => {
                let message = format!("this server knows no \"{method}\"");
                Err(Refusal { code: ErrorCode::MethodNotFound, message })
            }
        }
    }

    fn reply<R: lsp::Request>(
        &mut self,
        params: Value,
        answer: impl FnOnce(&mut Self, R::Params) -> Answer<R::Result>,
    ) -> Answer<Value> {
        let refusal =
            |code| move |error: serde_json::Error| Refusal { code, message: error.to_string() };
        let params = serde_json::from_value(params).map_err(refusal(ErrorCode::InvalidParams))?;
        let result = answer(self, params)?;
        serde_json::to_value(result).map_err(refusal(ErrorCode::InternalError))
    }

    fn hover(&mut self, params: lsp::HoverParams) -> Answer<Option<lsp::Hover>> {
        let (encoding, naming) = (self.encoding, self.naming.clone());
        let (script, offset) = self.look_at(&params.text_document_position_params)?;
        Ok(script.analysis.at(offset).map(|found| {
            let known = Known::of(script.analysis, &script.project.modules, found.symbol);
            let value = hover::text(&known, &naming);
            let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value };
            let range = Some(encoding.range(script.source, found.span));
            lsp::Hover { contents: contents.into(), range }
        }))
    }

    fn complete(
        &mut self,
        params: lsp::CompletionParams,
    ) -> Answer<Option<lsp::CompletionResponse>> {
        let encoding = self.encoding;
        let (script, offset) = self.look_at(&params.text_document_position_params)?;
        let found = script.analysis.complete(offset);
        let range = encoding.range(script.source, found.replaces);
        let items = found.candidates.into_iter().enumerate();
        let items = items.map(|(place, found)| completion(found, place, range));
        Ok(Some(lsp::CompletionResponse::from(items.collect::<Vec<_>>())))
    }

    fn definition(
        &mut self,
        params: lsp::DefinitionParams,
    ) -> Answer<Option<lsp::DefinitionResponse>> {
        let (encoding, naming) = (self.encoding, self.naming.clone());
        let at = params.text_document_position_params;
        let (script, offset) = self.look_at(&at)?;
        let Some(found) = script.analysis.at(offset) else { return Ok(None) };
        let (uri, modules) = (at.text_document.uri.as_ref(), &script.project.modules);
        let location = location(encoding, &naming, uri, script.analysis, modules, found.symbol);
        Ok(location.map(|location| lsp::Definition::from(location).into()))
    }

    fn references(&mut self, params: lsp::ReferenceParams) -> Answer<Option<Vec<lsp::Location>>> {
        let encoding = self.encoding;
        let at = params.text_document_position_params;
        let (script, offset) = self.look_at(&at)?;
        let Some(found) = script.analysis.at(offset) else { return Ok(None) };
        let uses = script.analysis.uses(found.symbol);
        let wanted = uses.filter(|used| !used.defines || params.context.include_declaration);
        let spans: Vec<Span> = wanted.map(|used| used.span).collect();
        let uri = at.text_document.uri;
        let place = |range| lsp::Location { uri: uri.clone(), range };
        Ok(Some(encoding.ranges(script.source, &spans).into_iter().map(place).collect()))
    }

    fn prepare_rename(
        &mut self,
        params: lsp::PrepareRenameParams,
    ) -> Answer<Option<lsp::PrepareRenameResult>> {
        let encoding = self.encoding;
        let (script, offset) = self.look_at(&params.text_document_position_params)?;
        match script.analysis.renamable(offset) {
            Ok(found) => Ok(Some(encoding.range(script.source, found.span).into())),
            Err(RenameFault::Nothing) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    fn rename(&mut self, params: lsp::RenameParams) -> Answer<Option<lsp::WorkspaceEdit>> {
        let encoding = self.encoding;
        let at = params.text_document_position_params;
        let (script, offset) = self.look_at(&at)?;
        let (name, mut types) = (&params.new_name, Resolver::new(&script.project.modules));
        let places = rename(script.analysis, offset, name, script.folder, &mut types)?;
        let edits = edits(encoding, script.source, &places, name);
        let changes = Some(HashMap::from([(at.text_document.uri, edits)]));
        Ok(Some(lsp::WorkspaceEdit { changes, ..lsp::WorkspaceEdit::default() }))
    }

    /// Formats a script. A script with mistakes stays as it is; the editor shows the mistakes already.
    fn format(
        &mut self,
        params: lsp::DocumentFormattingParams,
    ) -> Answer<Option<Vec<lsp::TextEdit>>> {
        let encoding = self.encoding;
        let source = self.look(params.text_document.uri.as_ref())?.source;
        let formatted = dup::format(source).ok();
        Ok(formatted.map(|text| difference(encoding, source, &text).into_iter().collect()))
    }

    fn symbols(
        &mut self,
        params: lsp::DocumentSymbolParams,
    ) -> Answer<Option<lsp::DocumentSymbolResponse>> {
        let encoding = self.encoding;
        let script = self.look(params.text_document.uri.as_ref())?;
        Ok(Some(listed(encoding, script.source, script.analysis.outline()).into()))
    }
}
