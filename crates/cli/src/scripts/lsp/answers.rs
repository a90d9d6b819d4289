//! Converts the analysis of a script into answers of the protocol.

use std::sync::Arc;

use asn1::{DefinedAt, Modules};
use diagnostics::{Diagnostic, Severity, Source, Span};
use dup::analysis::{Analysis, Completion, Origin, Outlined, Symbol};
use gen_lsp_types as lsp;

use super::naming::Naming;
use super::positions::Encoding;
use crate::scripts::known::defined_at;

/// The source that the client shows with each diagnostic.
const REPORTER: &str = "tollgate";

/// The maximum number of diagnostics per text. They are sent again at every keystroke, and a user does not read more.
const DIAGNOSTICS_MAX: usize = 1_000;

/// Converts the diagnostics of a text. If there are more than the maximum, the last entry says how many are left out.
pub(super) fn diagnostics(encoding: Encoding, found: &[Diagnostic]) -> Vec<lsp::Diagnostic> {
    let (first, more) = diagnostics::first(found, DIAGNOSTICS_MAX);
    let mut published = Vec::with_capacity(first.len() + 1);
    for of_one in first.chunk_by(|one, next| Arc::ptr_eq(&one.source, &next.source)) {
        let spans: Vec<Span> = of_one.iter().map(|found| found.span).collect();
        let ranges = encoding.ranges(&of_one[0].source, &spans);
        published.extend(of_one.iter().zip(ranges).map(|(found, range)| diagnostic(found, range)));
    }
    if let Some(last) = published.last().filter(|_| more > 0) {
        let message = format!("and {more} more").into();
        published.push(lsp::Diagnostic { message, ..last.clone() });
    }
    published
}

/// Converts one diagnostic, with the hint below its message.
fn diagnostic(found: &Diagnostic, range: lsp::Range) -> lsp::Diagnostic {
    let hint = found.hint.as_ref().map_or(String::new(), |hint| format!("\n{hint}"));
    let severity = match found.severity {
        Severity::Error => lsp::DiagnosticSeverity::Error,
        Severity::Warning => lsp::DiagnosticSeverity::Warning,
    };
    lsp::Diagnostic {
        range,
        severity: Some(severity),
        source: Some(REPORTER.to_owned()),
        message: format!("{}{hint}", found.message).into(),
        ..lsp::Diagnostic::default()
    }
}

/// Returns where a symbol is defined: in the script, or in a module.
pub(super) fn location(
    encoding: Encoding,
    naming: &Naming,
    uri: &str,
    analysis: &Analysis,
    modules: &Modules,
    symbol: Symbol,
) -> Option<lsp::Location> {
    if let Origin::Script(span) = analysis.origin(symbol) {
        let range = encoding.range(analysis.source(), span);
        return Some(lsp::Location { uri: uri.into(), range });
    }
    let DefinedAt { source, name, .. } = defined_at(analysis, modules, symbol)?;
    let uri = naming.uri_of(std::path::Path::new(&source.name)).into();
    Some(lsp::Location { uri, range: encoding.range(&source, name) })
}

/// Returns edits that put the same text at several places.
pub(super) fn edits(
    encoding: Encoding,
    source: &Source,
    places: &[Span],
    text: &str,
) -> Vec<lsp::TextEdit> {
    let edit = |range| lsp::TextEdit { range, new_text: text.to_owned() };
    encoding.ranges(source, places).into_iter().map(edit).collect()
}

/// Returns the edit that turns the source into `wanted`: one stretch of whole lines, so that the cursor stays where
/// nothing changes. `None` if they are equal.
pub(super) fn difference(
    encoding: Encoding,
    source: &Source,
    wanted: &str,
) -> Option<lsp::TextEdit> {
    let old: Vec<&str> = source.text.split_inclusive('\n').collect();
    let new: Vec<&str> = wanted.split_inclusive('\n').collect();
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let before = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    let behind = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (old, new) = (&old[..old.len() - behind], &new[..new.len() - behind]);
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let start = source.line_start(before + 1).unwrap_or(source.text.len() as u32);
    let length: usize = old.iter().map(|line| line.len()).sum();
    let span = Span { start, end: start + length as u32 };
    Some(lsp::TextEdit { range: encoding.range(source, span), new_text: new.concat() })
}

/// Converts a completion. `place` is its rank.
pub(super) fn completion(
    found: Completion,
    place: usize,
    range: lsp::Range,
) -> lsp::CompletionItem {
    use lsp::CompletionItemKind as Kind;
    let kind = match found.symbol {
        Some(Symbol::Function(_) | Symbol::BuiltIn(_)) => Kind::Function,
        Some(Symbol::Variable(_)) => Kind::Variable,
        Some(Symbol::Table(_) | Symbol::Tariff(_)) => Kind::Struct,
        Some(Symbol::Type(_)) => Kind::Class,
        Some(Symbol::Field { .. }) => Kind::Field,
        Some(Symbol::Value { .. }) => Kind::EnumMember,
        None if found.described.code.is_empty() => Kind::Keyword,
        None => Kind::Class,
    };
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let documentation = some(found.described.text).map(|value| {
        lsp::Documentation::MarkupContent(lsp::MarkupContent {
            kind: lsp::MarkupKind::Markdown,
            value,
        })
    });
    let edit = lsp::TextEdit { range, new_text: found.name.clone() };
    lsp::CompletionItem {
        label: found.name,
        kind: Some(kind),
        detail: some(found.described.code),
        documentation,
        sort_text: Some(format!("{place:05}")),
        text_edit: Some(edit.into()),
        ..lsp::CompletionItem::default()
    }
}

/// Converts the outline of a script: its functions, tables and tests.
pub(super) fn listed(
    encoding: Encoding,
    source: &Source,
    outline: Vec<Outlined>,
) -> Vec<lsp::DocumentSymbol> {
    let spans: Vec<Span> = outline.iter().flat_map(|found| [found.whole, found.named]).collect();
    let ranges = encoding.ranges(source, &spans);
    outline.into_iter().zip(ranges.chunks(2)).map(|(found, ranges)| symbol(found, ranges)).collect()
}

fn symbol(found: Outlined, ranges: &[lsp::Range]) -> lsp::DocumentSymbol {
    let kind = match found.symbol {
        Some(Symbol::Table(_) | Symbol::Tariff(_)) => lsp::SymbolKind::Struct,
        Some(_) => lsp::SymbolKind::Function,
        None => lsp::SymbolKind::Event,
    };
    let code = Some(found.code).filter(|code| !code.is_empty());
    lsp::DocumentSymbol::new(found.name, code, kind, None, None, ranges[0], ranges[1], None)
}
