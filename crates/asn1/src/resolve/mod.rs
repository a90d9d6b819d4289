//! Names to meanings: from the syntax of modules to a [`Specification`] of the types that are used.

mod distinct;
mod objects;
mod types;
mod values;

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use record::{Kind, Schema, Type, TypeFault, TypeId, Types};

use crate::encoding::{Encoding, Specification, Tags};
use crate::modules::{Definition, Modules};
use crate::notation::syntax::{Argument, Assigned, Tagging};

/// How deep one type may lie within another before it is taken for endless: parameterised types can
/// grow with every use.
const TYPE_DEPTH_MAX: usize = 200;

/// Most types of all that is resolved: parameterised types can double with every level. The largest
/// modules known have some ten thousand.
const TYPES_MAX: usize = 200_000;

/// Words of X.680 that are types, for who mistyped one.
const WORDS_OF_TYPES: [&str; 18] = [
    "ANY",
    "BIT",
    "BOOLEAN",
    "CHOICE",
    "ENUMERATED",
    "EXTERNAL",
    "GeneralizedTime",
    "IA5String",
    "INTEGER",
    "NULL",
    "NumericString",
    "OBJECT",
    "OCTET",
    "REAL",
    "SEQUENCE",
    "SET",
    "UTF8String",
    "VisibleString",
];

/// Resolves types by name, with all they use, each once.
#[derive(Debug)]
pub struct Resolver<'m> {
    modules: &'m Modules,
    /// How modules tag that say nothing of it.
    assumed: Tagging,
    /// Whether that made a difference.
    relied: bool,
    specification: Specification,
    /// Types without parameters that were resolved, or are being resolved.
    known: HashMap<Definition, Resolved>,
    depth: usize,
    /// The lists without a name, by their elements and their own tag.
    lists: HashMap<(Resolved, Tags), TypeId>,
    /// The definitions in hand that only name another type.
    naming: Vec<Definition>,
    /// Mistakes of components: the rest of their structures is looked at all the same.
    mistakes: Vec<Diagnostic>,
}

/// A type in its place: the tags before its values, and what they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resolved {
    tags: Tags,
    ty: TypeId,
}

/// Where an expression stands: its module and what its dummy references mean.
#[derive(Clone, Debug)]
struct Scope<'m> {
    module: usize,
    bindings: Option<Rc<Bindings<'m>>>,
}

#[derive(Debug)]
struct Bindings<'m> {
    names: &'m [String],
    arguments: &'m [Argument],
    /// Where the arguments were written.
    outer: Scope<'m>,
}

type Resolution<T> = Result<T, Box<Diagnostic>>;

impl<'m> Resolver<'m> {
    /// Over these modules, with nothing resolved yet.
    pub fn new(modules: &'m Modules) -> Self {
        // X.680, 13.2
        Self::assuming(modules, Tagging::Explicit)
    }

    /// As [`new`](Self::new), with another tagging for modules that do not say theirs.
    pub fn assuming(modules: &'m Modules, tagging: Tagging) -> Self {
        Resolver {
            modules,
            assumed: tagging,
            relied: false,
            specification: Specification::default(),
            known: HashMap::new(),
            depth: 0,
            lists: HashMap::new(),
            naming: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    /// Whether a module that does not say its tagging has types whose tags depend on it.
    pub fn assumed_tagging(&self) -> bool {
        self.relied
    }

    /// The type of a name, `Module.Type`, or `Type` where only one module defines it.
    ///
    /// A name that is nowhere is an error without a place in a module; its text is the name itself.
    /// Every mistake is reported once, so after one a resolver serves no purpose but to find others.
    pub fn resolve(&mut self, name: &str) -> Result<TypeId, Vec<Diagnostic>> {
        let resolved = self.resolve_one(name);
        let mut mistakes = std::mem::take(&mut self.mistakes);
        match resolved {
            Ok(ty) if mistakes.is_empty() => Ok(ty),
            resolved => {
                mistakes.extend(resolved.err().map(|mistake| *mistake));
                Err(mistakes)
            }
        }
    }

    fn resolve_one(&mut self, name: &str) -> Resolution<TypeId> {
        let definition = match name.split_once('.') {
            Some((module, ty)) => {
                self.modules.named(module).and_then(|module| self.modules.local(module, ty))
            }
            None => self.modules.anywhere(name),
        };
        let Some(definition) = definition else { return Err(Box::new(self.unknown(name))) };
        if !matches!(self.modules.get(definition).what, Assigned::Type(_)) {
            return Err(Box::new(self.unknown(name)));
        }
        let resolved = self.defined(definition)?;
        Ok(resolved.ty)
    }

    #[cold]
    fn unknown(&self, name: &str) -> Diagnostic {
        let names = self.modules.type_names();
        let source = Source::new("type name", name);
        let known = names.iter().flat_map(|whole| {
            [whole.as_str(), whole.split_once('.').map_or(whole.as_str(), |(_, ty)| ty)]
        });
        let several = names.iter().filter(|whole| whole.ends_with(&format!(".{name}"))).count() > 1;
        let (message, hint) = match several {
            true => {
                let message = format!("several modules define a type \"{name}\"");
                (message, Some("write Module.Type".to_owned()))
            }
            false => (format!("no module defines a type \"{name}\""), did_you_mean(name, known)),
        };
        Diagnostic::error(&source, Span::new(0, name.len()), message).hint_maybe(hint)
    }

    /// What was resolved.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// What was resolved, for [`crate::Plan::compile`].
    pub fn finish(self) -> Specification {
        self.specification
    }

    fn add(&mut self, name: String, kind: Kind, encoding: Encoding, tags: Tags) -> TypeId {
        self.specification.encodings.push(encoding);
        self.specification.tags.push(tags);
        self.specification.schema.add(Type { name, kind })
    }

    fn define(&mut self, ty: TypeId, kind: Kind, encoding: Encoding) {
        self.specification.encodings[ty.0 as usize] = encoding;
        self.specification.schema.define(ty, kind);
    }

    #[cold]
    fn wrong(
        &self,
        scope: &Scope<'m>,
        span: Span,
        message: String,
        hint: Option<String>,
    ) -> Box<Diagnostic> {
        let source = &self.modules.module(scope.module).text.source;
        Box::new(Diagnostic::error(source, span, message).hint_maybe(hint))
    }

    #[cold]
    fn undefined(&self, scope: &Scope<'m>, span: Span, name: &str) -> Box<Diagnostic> {
        let module = self.modules.module(scope.module);
        let import = module.imports.iter().find(|import| import.symbols.iter().any(|s| s == name));
        let (message, hint) = match import {
            Some(import) if self.modules.named(&import.from).is_none() => (
                format!(
                    "\"{name}\" is imported from module \"{}\", which was not given",
                    import.from
                ),
                Some("add the module's file".to_owned()),
            ),
            Some(import) => {
                (format!("module \"{}\" does not define \"{name}\"", import.from), None)
            }
            None => (
                format!("\"{name}\" is not defined"),
                did_you_mean(name, self.modules.known(scope.module).chain(WORDS_OF_TYPES)),
            ),
        };
        self.wrong(scope, span, message, hint)
    }
}

/// Names of scripts. What they add is never coded.
impl Types for Resolver<'_> {
    fn schema(&self) -> &Schema {
        &self.specification.schema
    }

    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault> {
        if let Some(added) = self.specification.schema.find(name) {
            return Ok(added);
        }
        self.resolve(name).map_err(|mistakes| match mistakes.as_slice() {
            [only] if only.source.text == name => {
                let name = name.to_owned();
                match only.message.starts_with("several") {
                    true => TypeFault::Ambiguous { name },
                    false => TypeFault::Unknown { name },
                }
            }
            _ => TypeFault::Broken { mistakes: mistakes.iter().map(ToString::to_string).collect() },
        })
    }

    fn add(&mut self, ty: Type) -> TypeId {
        Resolver::add(self, ty.name, ty.kind, Encoding::Primitive, Vec::new())
    }

    fn names(&self) -> Vec<String> {
        self.modules.type_names()
    }
}
