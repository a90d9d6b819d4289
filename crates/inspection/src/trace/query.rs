//! The network elements to whose records an expression applies, and how their records are read for it.

use std::collections::BTreeMap;
use std::path::Path;

use diagnostics::{Diagnostic, Source, Span};
use format::Input;
use format::coding::Codecs;
use node::{Expression, ValueType};
use record::{TypeId, Types};
use settings::{Setting, Settings};

use super::fitting::{WhereError, WhereQuery};
use flow::file;
use flow::file::FlowFile;
use gateway::compile::prepare::Parts;

/// How the records of a network element are read, with the expression over them.
pub(super) struct ElementReader {
    pub(super) element: String,
    /// Opens what the expression looks into. The flow itself perhaps does not.
    pub(super) input: Box<dyn Input>,
    pub(super) expression: Box<dyn Expression>,
}

/// A network element to whose records the expression applies, with its settings in the flow file.
pub(super) struct QueriedElement {
    element: String,
    decode: Settings,
    ty: TypeId,
    expression: Box<dyn Expression>,
}

impl QueriedElement {
    pub(super) fn reading(self, codecs: &dyn Codecs) -> Result<ElementReader, Vec<Diagnostic>> {
        let QueriedElement { element, decode, ty, expression } = self;
        let input = codecs.input(&decode, ty, &expression.opened())?;
        Ok(ElementReader { element, input, expression })
    }
}

/// Why network elements are left out, by name.
pub(super) type LeftOut = BTreeMap<String, String>;

/// Returns the network elements to whose records the expression applies, and why others are left out. If it applies to
/// none, the mistakes are the error.
pub(super) fn queried_elements(
    file: &FlowFile,
    parts: Parts<'_>,
    types: &mut dyn Types,
    query: &WhereQuery,
) -> Result<(Vec<QueriedElement>, LeftOut), WhereError> {
    let wanted = query.files.network_element.as_deref();
    let elements = file.network_elements.iter();
    let elements = elements.filter(|of| wanted.is_none_or(|wanted| wanted == of.name.text));
    let (mut queried, mut wrong) = (Vec::new(), Vec::new());
    for file::NetworkElement { name, decode, .. } in elements {
        let ty = decode.get("type").and_then(|ty| types.schema().find(&ty.value));
        let Some(ty) = ty else { continue };
        let (element, decode) = (name.text.clone(), decode.clone());
        match compiled(&query.expression, &file.folder, parts, ty, types) {
            Ok(expression) => queried.push(QueriedElement { element, decode, ty, expression }),
            Err(mistakes) => wrong.push((element, mistakes)),
        }
    }
    if queried.is_empty() {
        return Err(match wrong.pop() {
            Some((_, mistakes)) => WhereError::Expression(mistakes),
            None => WhereError::UnknownElement(wanted.unwrap_or_default().into()),
        });
    }
    let why = |(element, mistakes): (String, Vec<Diagnostic>)| {
        let first = mistakes.first().map_or("", |mistake| &mistake.message);
        (element.clone(), format!("{element} is left out: {first}"))
    };
    Ok((queried, wrong.into_iter().map(why).collect()))
}

/// Compiles an expression from a request as if it stood in a flow file.
fn compiled(
    expression: &str,
    folder: &Path,
    parts: Parts<'_>,
    ty: TypeId,
    types: &mut dyn Types,
) -> Result<Box<dyn Expression>, Vec<Diagnostic>> {
    let span = Span::new(0, expression.len());
    let source = Source::new("where", expression);
    let setting = Setting { key: "where".into(), value: expression.into(), span };
    let folder = folder.to_path_buf();
    let settings = Settings { name: "where".into(), span, source, folder, values: Vec::new() };
    let expression = parts.language.expression(&settings, &setting, ty, types)?;
    if expression.value_type() != ValueType::Integers {
        let mistake = settings.error(&setting, "it is a text, and neither TRUE nor FALSE");
        return Err(vec![mistake.hint("compare it with one, as in record.name == \"Smith\"")]);
    }
    Ok(expression)
}
