//! Descriptions of names, as an editor shows them on hover.

use record::{Default, Kind, TypeId};

use super::{Analysis, Symbol};
use crate::builtin;
use crate::syntax::WrittenFunction;

/// The description of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Its declaration in a script, or what that would be.
    pub code: String,
    /// Further facts, in sentences; may be empty.
    pub text: String,
}

/// Maximum number of names in a text; some enumerations have hundreds.
const NAMES_MAX: usize = 30;

impl Analysis {
    /// Describes a symbol.
    pub fn describe(&self, symbol: Symbol) -> Description {
        match symbol {
            Symbol::Function(place) => {
                let function = &self.script.functions[place];
                let text = self.comment_above(function.result.span.start);
                Description { code: self.signature(function), text }
            }
            Symbol::Variable(place) => self.described_variable(place),
            Symbol::Table(place) => {
                let table = &self.script.tables[place];
                let code = format!("declare {} TABLE \"{}\"", table.name.text, table.file.text);
                let columns = self.notes.columns.get(place).map_or(&[][..], Vec::as_slice);
                let text = match columns.is_empty() {
                    true => String::new(),
                    false => format!("Columns behind the key: {}.", columns.join(", ")),
                };
                Description { code, text }
            }
            Symbol::Tariff(place) => {
                let tariff = &self.script.tariffs[place];
                let code = format!("declare {} TARIFF \"{}\"", tariff.name.text, tariff.place.text);
                let text = self.notes.tariffs.get(place).cloned().unwrap_or_default();
                Description { code, text }
            }
            Symbol::BuiltIn(name) => {
                let described = builtin::described(name);
                described.map_or_else(Description::default, |function| Description {
                    code: function.signature,
                    text: function.text.to_owned(),
                })
            }
            Symbol::Type(ty) => Description { code: self.written(ty), text: self.type_text(ty) },
            Symbol::Field { owner, place } => self.described_field(owner, place),
            Symbol::Value { ty, place } => {
                let (name, number) = self.value(ty, place);
                let text = format!("{number} of {}.", self.type_name(ty));
                Description { code: name, text }
            }
        }
    }

    /// Returns the declaration of a function on one line.
    pub(super) fn signature(&self, function: &WrittenFunction) -> String {
        let parameter = |parameter: &crate::syntax::WrittenParameter| {
            let constant = if parameter.constant { "CONST " } else { "" };
            format!("{} {constant}{}", parameter.name.text, self.slice(parameter.ty.span))
        };
        let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
        let result = self.slice(function.result.span);
        let whole = format!("{result} {}({})", function.name.text, parameters.join(", "));
        whole.split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    fn described_variable(&self, place: usize) -> Description {
        let variable = &self.notes.variables[place];
        let ty = self.written(variable.ty);
        let code = match (variable.is_parameter, variable.constant) {
            (true, true) => format!("{} CONST {ty}", variable.name),
            (true, false) => format!("{} {ty}", variable.name),
            (false, _) => format!("declare {} {ty}", variable.name),
        };
        Description { code, text: self.type_text(variable.ty) }
    }

    fn described_field(&self, owner: TypeId, place: usize) -> Description {
        let kind = self.schema.kind(owner);
        let field = &kind.fields()[place];
        let ty = self.written(field.ty);
        let presence = match &field.default {
            Some(default) => self.shown_default(field.ty, default),
            None if field.optional => " OPTIONAL".to_owned(),
            None => String::new(),
        };
        let of = match kind {
            Kind::Choice(_) => "An alternative",
            _ => "A field",
        };
        let mut text = format!("{of} of {}.", self.type_name(owner));
        let of_type = self.type_text(field.ty);
        if !of_type.is_empty() {
            text = format!("{text} {of_type}");
        }
        Description { code: format!("{} {ty}{presence}", field.name), text }
    }

    /// Returns ` DEFAULT …`, with a number or its name if the default is one.
    fn shown_default(&self, ty: TypeId, default: &Default) -> String {
        let Default::Integer(number) = default else { return " DEFAULT …".to_owned() };
        let shown = match self.schema.kind(ty) {
            Kind::Boolean if *number != 0 => "TRUE".to_owned(),
            Kind::Boolean => "FALSE".to_owned(),
            _ => {
                let named = self.values(ty).into_iter().find(|(_, value)| value == number);
                named.map_or_else(|| number.to_string(), |(name, _)| name)
            }
        };
        format!(" DEFAULT {shown}")
    }

    /// Returns a type as a script would write it. Types that a module defines in place have no name.
    fn written(&self, ty: TypeId) -> String {
        let name = self.type_name(ty);
        let is_list = self.schema.kind(ty).element().is_some();
        if !self.is_in_place(ty) && (!is_list || self.is_of_module(ty)) {
            return name.to_owned();
        }
        let word = match self.schema.kind(ty) {
            Kind::Boolean => "BOOLEAN",
            Kind::Integer { .. } => "INTEGER",
            Kind::Enumerated { .. } => "ENUMERATED",
            Kind::Real => "REAL",
            Kind::Null => "NULL",
            Kind::OctetString => "OCTET STRING",
            Kind::BitString { .. } => "BIT STRING",
            Kind::Sequence(_) => "SEQUENCE",
            Kind::Set(_) => "SET",
            Kind::Choice(_) => "CHOICE",
            // This ends: the element of a list that is written in place is nested more deeply in the text.
            Kind::SequenceOf(element) => return format!("SEQUENCE OF {}", self.written(*element)),
            Kind::SetOf(element) => return format!("SET OF {}", self.written(*element)),
            Kind::Text(_) | Kind::Time(_) => {
                return self.word_of_kind(ty).unwrap_or(name).to_owned();
            }
            _ => name,
        };
        word.to_owned()
    }

    /// Returns the language's type with the same values.
    fn word_of_kind(&self, ty: TypeId) -> Option<&'static str> {
        let kind = self.schema.kind(ty);
        crate::type_words().find(|word| crate::class::built_in_kind(word) == *kind)
    }

    /// Returns whether a module defines a type at its place of use: then its name is the path to that place.
    fn is_in_place(&self, ty: TypeId) -> bool {
        let name = self.type_name(ty);
        self.is_of_module(ty) && (name.matches('.').count() > 1 || name.ends_with("[]"))
    }

    /// Describes the values of a type, if its name alone does not.
    fn type_text(&self, ty: TypeId) -> String {
        let names = |names: Vec<String>| {
            let more = if names.len() > NAMES_MAX { ", …" } else { "" };
            let shown: Vec<String> = names.into_iter().take(NAMES_MAX).collect();
            shown.join(", ") + more
        };
        let fields = |fields: &[record::Field]| {
            names(fields.iter().map(|field| field.name.clone()).collect())
        };
        let kind = self.schema.kind(ty);
        let values = self.values(ty);
        match kind {
            Kind::Sequence(of) => format!("A SEQUENCE of {}.", fields(of)),
            Kind::Set(of) => format!("A SET of {}.", fields(of)),
            Kind::Choice(of) => format!("A CHOICE of {}.", fields(of)),
            Kind::SequenceOf(element) | Kind::SetOf(element) => {
                format!("A list of {}.", self.written(*element))
            }
            Kind::Enumerated { .. } | Kind::Integer { .. } if !values.is_empty() => {
                let word =
                    if matches!(kind, Kind::Integer { .. }) { "INTEGER" } else { "ENUMERATED" };
                let values = values.iter().map(|(name, value)| format!("{name}({value})"));
                format!("An {word} with the names {}.", names(values.collect()))
            }
            _ if self.is_of_module(ty) && !self.is_in_place(ty) => {
                self.word_of_kind(ty).map_or_else(String::new, |word| format!("Values are {word}."))
            }
            _ => String::new(),
        }
    }
}
