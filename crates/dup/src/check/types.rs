//! Resolves written types to types of the schema.

use record::{EnumeratedItem, Field, Kind, TypeFault, TypeId};

use super::{Checked, Checker, Symbol};
use crate::class::{built_in_kind, made};
use crate::syntax::{Name, Type, TypeField, TypeWhat as What};

impl Checker<'_> {
    pub(super) fn ty(&mut self, ty: &Type) -> Checked<TypeId> {
        match &ty.what {
            What::BuiltIn(name) => {
                let found = made(self.types, name, || built_in_kind(name));
                self.note(ty.span, Symbol::Type(found));
                Ok(found)
            }
            What::Named(name) => {
                let found = self.named_type(ty, name)?;
                self.note(ty.span, Symbol::Type(found));
                Ok(found)
            }
            What::List { word, element } => {
                let element = self.ty(element)?;
                let name = format!("{word} OF {}", self.name_of(element));
                let kind = || match *word {
                    "SET" => Kind::SetOf(element),
                    _ => Kind::SequenceOf(element),
                };
                Ok(made(self.types, &name, kind))
            }
            What::Fields { word, fields } => self.fields_type(word, fields),
            What::Enumerated(items) => self.enumerated_type(items),
        }
    }

    pub(super) fn ty_or_unknown(&mut self, ty: &Type) -> TypeId {
        self.ty(ty).unwrap_or_else(|_| self.unknown())
    }

    /// Returns the type of a part with a mistake, which causes no further messages.
    pub(super) fn unknown(&mut self) -> TypeId {
        made(self.types, "?", || Kind::Open)
    }

    pub(super) fn is_unknown(&self, ty: TypeId) -> bool {
        self.types.schema().get(ty).name == "?"
    }

    fn named_type(&mut self, ty: &Type, name: &str) -> Checked<TypeId> {
        self.types.find(name).map_err(|fault| {
            let hint = match &fault {
                TypeFault::Unknown { .. } => {
                    let names = self.types.names();
                    let last = |name: &'_ String| {
                        name.split_once('.').map_or(name.clone(), |(_, ty)| ty.to_owned())
                    };
                    let short: Vec<String> = names.iter().map(last).collect();
                    self.meant(name, short.iter().chain(&names).map(String::as_str))
                }
                _ => None,
            };
            self.error(ty.span, fault.to_string(), hint)
        })
    }

    fn fields_type(&mut self, word: &str, fields: &[TypeField]) -> Checked<TypeId> {
        let mut made_fields: Vec<Field> = Vec::new();
        for field in fields {
            let ty = self.ty(&field.ty)?;
            self.unique(&field.name, made_fields.iter().map(|field| &field.name));
            let name = field.name.text.clone();
            made_fields.push(Field { name, ty, optional: field.optional, default: None });
        }
        let texts: Vec<String> = made_fields
            .iter()
            .map(|field| {
                let optional = if field.optional { " OPTIONAL" } else { "" };
                format!("{} {}{optional}", field.name, self.name_of(field.ty))
            })
            .collect();
        let kind = || match word {
            "SET" => Kind::Set(made_fields),
            "CHOICE" => Kind::Choice(made_fields),
            _ => Kind::Sequence(made_fields),
        };
        let owner = made(self.types, &format!("{word} {{ {} }}", texts.join(", ")), kind);
        for (place, field) in fields.iter().enumerate() {
            self.note_definition(field.name.span, Symbol::Field { owner, place });
        }
        Ok(owner)
    }

    fn enumerated_type(&mut self, written: &[(Name, Option<i64>)]) -> Checked<TypeId> {
        let mut items: Vec<EnumeratedItem> = Vec::new();
        for (name, value) in written {
            self.unique(name, items.iter().map(|item| &item.name));
            // Values without a number count up from 0 and skip those that are given (X.680, 20.3).
            let taken = |value: i64| {
                items.iter().any(|item| item.value == value)
                    || written.iter().any(|(_, other)| *other == Some(value))
            };
            let value = value.unwrap_or_else(|| (0..).find(|value| !taken(*value)).unwrap_or(0));
            if items.iter().any(|item| item.value == value) {
                self.error(name.span, format!("the number {value} stands twice"), None);
            }
            items.push(EnumeratedItem { name: name.text.clone(), value });
        }
        let texts: Vec<String> =
            items.iter().map(|item| format!("{}({})", item.name, item.value)).collect();
        let name = format!("ENUMERATED {{ {} }}", texts.join(", "));
        let ty = made(self.types, &name, || Kind::Enumerated { items, extensible: false });
        for (place, (name, _)) in written.iter().enumerate() {
            self.note_definition(name.span, Symbol::Value { ty, place });
        }
        Ok(ty)
    }

    fn unique<'n>(&mut self, name: &Name, mut known: impl Iterator<Item = &'n String>) {
        if known.any(|known| *known == name.text) {
            self.error(name.span, format!("\"{}\" stands twice", name.text), None);
        }
    }
}
