//! Finds the definitions of a schema's names in the modules' texts. Types have the names of [`record::Schema`]:
//! `Module.Type`, and for a type defined in place the path to it, `Module.Type.field[]`.

use std::sync::Arc;

use diagnostics::{Source, Span};

use crate::modules::{Definition, Modules};
use crate::notation::syntax::{Assigned, Body, Component, Named, TypeExpression};

/// Maximum length of a chain of type aliases, which may be circular.
const NAMED_MAX: usize = 100;

/// Maximum structures to search for a component through COMPONENTS OF, which may be circular.
const INCLUDED_MAX: usize = 1_000;

/// A definition in a module's text.
#[derive(Clone, Debug)]
pub struct DefinedAt {
    /// The text of the module.
    pub source: Arc<Source>,
    /// The place of the defined name.
    pub name: Span,
    /// The place of the whole definition.
    pub whole: Span,
}

/// A type as written, with its module and the dummy references of its definition, which have no meaning outside of it.
#[derive(Clone, Copy)]
struct WrittenType<'m> {
    module: usize,
    dummies: &'m [String],
    expression: &'m TypeExpression,
}

impl Modules {
    /// Returns where a type is defined; for one defined in place, the component of that type.
    pub fn type_defined_at(&self, name: &str) -> Option<DefinedAt> {
        let name = name.trim_end_matches("[]");
        let (owner, last) = name.rsplit_once('.')?;
        if owner.contains('.') {
            return self.component_defined_at(owner, last);
        }
        let definition = self.local(self.named(owner)?, last)?;
        let assignment = self.get(definition);
        Some(self.place(definition.module, assignment.span, assignment.whole))
    }

    /// Returns where a component or alternative of a type is defined.
    pub fn component_defined_at(&self, owner: &str, name: &str) -> Option<DefinedAt> {
        let (of, component) = self.component(self.written(owner)?, name)?;
        let start = component.span.start;
        let named = Span { start, end: start + component.name.len() as u32 };
        Some(self.place(of.module, named, component.span))
    }

    /// Returns where a type's name for a number is defined.
    pub fn value_defined_at(&self, ty: &str, name: &str) -> Option<DefinedAt> {
        let written = self.named_by(self.written(ty)?)?;
        let names: Vec<&Named> = match &written.expression.body {
            Body::Integer(named) => named.iter().collect(),
            Body::Enumerated { root, additions, .. } => root.iter().chain(additions).collect(),
            _ => return None,
        };
        let found = names.into_iter().find(|named| named.name == name)?;
        Some(self.place(written.module, found.span, found.span))
    }

    fn place(&self, module: usize, name: Span, whole: Span) -> DefinedAt {
        DefinedAt { source: Arc::clone(&self.module(module).text.source), name, whole }
    }

    /// Returns the type that a schema's name means.
    fn written(&self, name: &str) -> Option<WrittenType<'_>> {
        let (module, path) = name.split_once('.')?;
        let mut steps = path.split('.');
        let (first, lists) = without_lists(steps.next()?);
        let mut written = self.definition(self.local(self.named(module)?, first)?)?;
        written = self.elements(written, lists)?;
        for step in steps {
            let (name, lists) = without_lists(step);
            let (of, component) = self.component(written, name)?;
            written = WrittenType { expression: &component.ty, ..of };
            written = self.elements(written, lists)?;
        }
        Some(written)
    }

    fn definition(&self, definition: Definition) -> Option<WrittenType<'_>> {
        let assignment = self.get(definition);
        match &assignment.what {
            Assigned::Type(expression) => Some(WrittenType {
                module: definition.module,
                dummies: &assignment.parameters,
                expression,
            }),
            _ => None,
        }
    }

    /// Returns the element type of so many nested lists.
    fn elements<'m>(
        &'m self,
        mut written: WrittenType<'m>,
        lists: usize,
    ) -> Option<WrittenType<'m>> {
        for _ in 0..lists {
            written = self.named_by(written)?;
            match &written.expression.body {
                Body::SequenceOf(element) | Body::SetOf(element) => written.expression = element,
                _ => return None,
            }
        }
        Some(written)
    }

    /// Follows type aliases to a type's own definition.
    fn named_by<'m>(&'m self, mut written: WrittenType<'m>) -> Option<WrittenType<'m>> {
        for _ in 0..NAMED_MAX {
            let Body::Reference { module, name, .. } = &written.expression.body else {
                return Some(written);
            };
            if module.is_none() && written.dummies.contains(name) {
                return None;
            }
            let found = self.find(written.module, module.as_deref(), name)?;
            written = self.definition(found)?;
        }
        None
    }

    /// Returns a component by its name, with the structure that contains it. It may be included by COMPONENTS OF.
    fn component<'m>(
        &'m self,
        of: WrittenType<'m>,
        name: &str,
    ) -> Option<(WrittenType<'m>, &'m Component)> {
        let mut ahead = vec![of];
        for _ in 0..INCLUDED_MAX {
            let Some(of) = self.named_by(ahead.pop()?) else { continue };
            let (Body::Sequence(components) | Body::Set(components) | Body::Choice(components)) =
                &of.expression.body
            else {
                continue;
            };
            let list = &components.list;
            if let Some(found) = list.iter().find(|component| component.name == name) {
                return Some((of, found));
            }
            let included = list.iter().filter(|component| component.components_of);
            ahead.extend(
                included.rev().map(|included| WrittenType { expression: &included.ty, ..of }),
            );
        }
        None
    }
}

/// Splits a step of a name into its name and the number of its `[]` suffixes.
fn without_lists(step: &str) -> (&str, usize) {
    let name = step.trim_end_matches("[]");
    (name, (step.len() - name.len()) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "M DEFINITIONS ::= BEGIN
Call ::= SET { kind [0] INTEGER { voice(0) }, legs [1] SEQUENCE OF SEQUENCE { to INTEGER OPTIONAL }, place Where }
Where ::= Place
Place ::= SEQUENCE { COMPONENTS OF Base, cell INTEGER DEFAULT 5 }
Base ::= SEQUENCE { area INTEGER }
Radio ::= ENUMERATED { gsm, lte(5), ..., nr }
Round ::= Round
Box{T} ::= SEQUENCE { of T }
T ::= Place
Boxed ::= Box{Place}
END";

    fn shown(found: Option<DefinedAt>) -> String {
        let Some(DefinedAt { source, name, whole }) = found else { return "nowhere".to_owned() };
        let text = |span: Span| &source.text[span.start as usize..span.end as usize];
        format!("{}: {}", text(name), text(whole))
    }

    #[test]
    fn what_a_schema_names_is_found_in_the_text() {
        let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
        for (name, wanted) in [
            ("M.Radio", "Radio: Radio ::= ENUMERATED { gsm, lte(5), ..., nr }"),
            ("M.Call.kind", "kind: kind [0] INTEGER { voice(0) }"),
            ("M.Call.legs[].to", "to: to INTEGER OPTIONAL"),
            ("M.Nothing", "nowhere"),
            ("Call", "nowhere"),
        ] {
            assert_eq!(shown(modules.type_defined_at(name)), wanted, "{name}");
        }
        for (owner, name, wanted) in [
            ("M.Call", "place", "place: place Where"),
            ("M.Call.legs[]", "to", "to: to INTEGER OPTIONAL"),
            ("M.Where", "cell", "cell: cell INTEGER DEFAULT 5"),
            ("M.Place", "area", "area: area INTEGER"),
            ("M.Boxed", "of", "of: of T"),
            ("M.Boxed.of", "cell", "nowhere"),
            ("M.Round", "cell", "nowhere"),
            ("M.Call", "nothing", "nowhere"),
        ] {
            assert_eq!(shown(modules.component_defined_at(owner, name)), wanted, "{owner} {name}");
        }
        for (ty, name, wanted) in [
            ("M.Radio", "lte", "lte: lte"),
            ("M.Radio", "nr", "nr: nr"),
            ("M.Call.kind", "voice", "voice: voice"),
        ] {
            assert_eq!(shown(modules.value_defined_at(ty, name)), wanted, "{ty} {name}");
        }
    }
}
