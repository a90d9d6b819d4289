//! Tables of TOML documents as settings.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use toml_edit::{Item, TableLike, Value};

use crate::{Setting, Settings};

/// Returns where an item stands.
pub fn span_of(item: &Item) -> Span {
    item.span().map_or_else(Span::default, |at| Span::new(at.start, at.end))
}

/// Notes the keys of a table that it may not have.
pub fn refuse_unknown(
    source: &Arc<Source>,
    table: &dyn TableLike,
    known: &[&str],
    mistakes: &mut Vec<Diagnostic>,
) {
    for (name, _) in table.iter().filter(|(name, _)| !known.contains(name)) {
        let at = table.key(name).and_then(|key| key.span());
        let at = at.map_or_else(Span::default, |at| Span::new(at.start, at.end));
        let hint = did_you_mean(name, known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        let message = format!("there is no setting \"{name}\"");
        mistakes.push(Diagnostic::error(source, at, message).hint(hint));
    }
}

/// Returns the values of a table as texts: of the keys that it may have and that are no tables. A known key that is a table is noted
/// as a mistake.
pub fn settings(
    (source, folder): (&Arc<Source>, &Path),
    (name, table): (&str, &dyn TableLike),
    known: &[&str],
    mistakes: &mut Vec<Diagnostic>,
) -> Settings {
    let mut values = Vec::new();
    for (key, item) in table.iter().filter(|(key, _)| known.contains(key)) {
        let Some(value) = item.as_value() else {
            let message = format!("\"{key}\" is a value");
            mistakes.push(Diagnostic::error(source, span_of(item), message));
            continue;
        };
        let elements: Vec<&Value> = match value {
            Value::Array(list) => list.iter().collect(),
            value => vec![value],
        };
        values.extend(elements.into_iter().map(|value| setting(&source.text, key, value)));
    }
    let at = table.iter().next().and_then(|(name, _)| table.key(name)?.span());
    Settings {
        name: name.to_owned(),
        span: at.map_or_else(Span::default, |at| Span::new(at.start, at.end)),
        source: Arc::clone(source),
        folder: folder.to_owned(),
        values,
    }
}

/// Returns a value as a text; that of a text is within its quotes.
pub fn setting(source: &str, key: &str, value: &Value) -> Setting {
    let at = value.span().unwrap_or_default();
    let (text, at) = match value.as_str() {
        Some(text) if at.len() >= 2 => (text.to_owned(), Span::new(at.start + 1, at.end - 1)),
        _ => (source[at.clone()].to_owned(), Span::new(at.start, at.end)),
    };
    Setting { key: key.to_owned(), value: text, span: at }
}
