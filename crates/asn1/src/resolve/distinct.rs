//! What must differ so that values can be told apart: tags of components (X.680, 25.6, 27.3 and 29.3),
//! names, numbers of enumerations (20.4 and 20.5).

use record::{EnumeratedItem, Field};

use super::{Resolver, Scope};
use crate::encoding::Tags;
use crate::notation::syntax::{Component, Named};

impl<'m> Resolver<'m> {
    /// Reports components that cannot be told apart. Those of a SEQUENCE come `in_order`, so only what
    /// may be absent must differ from what may stand in its place.
    pub(super) fn distinct_components(
        &mut self,
        scope: &Scope<'m>,
        components: &[Component],
        fields: &[Field],
        tags: &[Tags],
        in_order: bool,
    ) {
        for (place, field) in fields.iter().enumerate() {
            let Some(component) = components.iter().rfind(|c| c.name == field.name) else {
                continue;
            };
            let mut before = fields[..place].iter().zip(tags).rev();
            if before.clone().any(|(other, _)| other.name == field.name) {
                let message = format!("the name \"{}\" is there twice", field.name);
                self.mistakes.push(*self.wrong(scope, component.ty.span, message, None));
                continue;
            }
            let Some(tag) = tags[place].first() else { continue };
            let other = before.find_map(|(other, tags)| {
                let mandatory = !other.optional && other.default.is_none();
                match (tags.first() == Some(tag), in_order && mandatory) {
                    (true, false) => Some(Some(other)),
                    (_, true) => Some(None),
                    (false, false) => None,
                }
            });
            if let Some(Some(other)) = other {
                let class = ["UNIVERSAL ", "APPLICATION ", "", "PRIVATE "][tag.class as usize];
                let message = format!(
                    "\"{}\" has the tag [{class}{}], as \"{}\" has: they cannot be told apart",
                    field.name, tag.number, other.name
                );
                self.mistakes.push(*self.wrong(scope, component.ty.span, message, None));
            }
        }
    }

    /// Reports names of an ENUMERATED that have one number.
    pub(super) fn distinct_items(
        &mut self,
        scope: &Scope<'m>,
        named: &[&Named],
        items: &[EnumeratedItem],
    ) {
        for (place, (named, item)) in named.iter().zip(items).enumerate() {
            let before = items[..place].iter().find(|other| other.value == item.value);
            if let (Some(other), Some(value)) = (before, &named.value) {
                let message = format!(
                    "\"{}\" has the number {}, as \"{}\" has",
                    item.name, item.value, other.name
                );
                self.mistakes.push(*self.wrong(scope, value.span, message, None));
            }
        }
    }
}
