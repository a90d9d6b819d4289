//! Resolves names: from the syntax of modules to a [`Specification`] of the types in use.

mod components;
mod distinct;
mod instances;
mod objects;
mod types;
mod values;
mod words;

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Once, Source, Span, did_you_mean};
use record::{Kind, Schema, Type, TypeFault, TypeId, Types};

use self::instances::{Actuals, Bindings, Instance};
use self::types::UnfinishedList;
use crate::encoding::{Encoding, Specification, Tags};
use crate::modules::Modules;
use crate::notation::syntax::{Assigned, Tagging};

/// Maximum nesting of types. A deeper one counts as endless, since parameterized types can grow with every use.
const TYPE_DEPTH_MAX: usize = 200;

/// Maximum number of resolved types: parameterized types can double with every level. The largest known modules have
/// some ten thousand.
const TYPES_MAX: usize = 200_000;

/// Maximum undefined names to find suggestions for: each is compared with all names.
const HINTS_MAX: usize = 20;

/// Maximum length of a name to find suggestions for. Longer names are not typing errors, and take long to compare.
const HINTED_OCTETS_MAX: usize = 100;

/// Maximum components and types to process. COMPONENTS OF and type aliases copy them, so a few lines can expand to very
/// many.
const STEPS_MAX: usize = 2_000_000;

/// Resolves types by name, with everything they use, each once.
#[derive(Debug)]
pub struct Resolver<'m> {
    modules: &'m Modules,
    /// The tagging of modules that do not give their own.
    assumed: Tagging,
    /// Whether that tagging made a difference.
    relied: bool,
    specification: Specification,
    /// Definitions resolved or under resolution.
    known: HashMap<Instance, Resolved>,
    /// Parameterized lists under resolution.
    unfinished_lists: Vec<UnfinishedList>,
    actuals: Actuals,
    depth: usize,
    steps: usize,
    /// The limit that was reached; resolution stops there.
    refused: Option<Box<Diagnostic>>,
    /// The lists without a name, by their elements and their own tag.
    lists: HashMap<(Resolved, Tags), TypeId>,
    /// The current chain of definitions that only name another type.
    naming: Vec<Instance>,
    /// Definitions under resolution whose components others include.
    including: Vec<Instance>,
    /// Diagnostics for undefined names, by the module that uses them.
    undefined: HashMap<(usize, String), Box<Diagnostic>>,
    /// Mistakes of components. The rest of their structures is still checked.
    mistakes: Vec<Diagnostic>,
}

/// A type in its place: the tags before its values, and its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resolved {
    tags: Tags,
    ty: TypeId,
}

/// The scope of an expression: its module and the meaning of its dummy references.
#[derive(Clone, Debug)]
struct Scope<'m> {
    module: usize,
    bindings: Option<Rc<Bindings<'m>>>,
}

type Resolution<T> = Result<T, Box<Diagnostic>>;

impl<'m> Resolver<'m> {
    /// Creates a resolver over these modules, with nothing resolved yet.
    pub fn new(modules: &'m Modules) -> Self {
        // X.680, 13.2
        Self::assuming(modules, Tagging::Explicit)
    }

    /// Like [`new`](Self::new), with another tagging for modules that do not give theirs.
    pub fn assuming(modules: &'m Modules, tagging: Tagging) -> Self {
        Resolver {
            modules,
            assumed: tagging,
            relied: false,
            specification: Specification::default(),
            known: HashMap::new(),
            unfinished_lists: Vec::new(),
            actuals: Actuals::default(),
            depth: 0,
            steps: 0,
            refused: None,
            lists: HashMap::new(),
            naming: Vec::new(),
            including: Vec::new(),
            undefined: HashMap::new(),
            mistakes: Vec::new(),
        }
    }

    /// Returns whether a module without a tagging of its own has types whose tags depend on it.
    pub fn assumed_tagging(&self) -> bool {
        self.relied
    }

    /// Resolves `Module.Type`, or `Type` if only one module defines it.
    ///
    /// If no module defines the name, the error has no source position and its message is the name
    /// itself. An undefined name that a module uses is reported only at its first use. After an
    /// error, the resolver is useful only for finding further errors.
    pub fn resolve(&mut self, name: &str) -> Result<TypeId, Vec<Diagnostic>> {
        let has_room = self.steps <= STEPS_MAX && self.specification.encodings.len() <= TYPES_MAX;
        self.refused.take_if(|_| has_room);
        let resolved = self.resolve_one(name);
        let found = std::mem::take(&mut self.mistakes);
        let last = match resolved {
            Ok(ty) if found.is_empty() => return Ok(ty),
            resolved => resolved.err().map(|mistake| *mistake),
        };
        let mut mistakes = Vec::new();
        let mut once = Once::after(&mistakes);
        found.into_iter().chain(last).for_each(|mistake| once.put(mistake, &mut mistakes));
        Err(mistakes)
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

    /// Returns what was resolved so far.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// Returns what was resolved, for [`crate::Plan::compile`].
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

    /// Reports that a limit was reached.
    #[cold]
    fn refuse(&mut self, scope: &Scope<'m>, span: Span, message: String) -> Box<Diagnostic> {
        let refused = self.wrong(scope, span, message, None);
        self.refused = Some(refused.clone());
        refused
    }

    #[cold]
    fn too_deep(&mut self, scope: &Scope<'m>, span: Span) -> Box<Diagnostic> {
        let message = format!("types lie more than {TYPE_DEPTH_MAX} deep within each other");
        self.refuse(scope, span, message)
    }

    /// Reports an undefined name; every use in a module gets the same diagnostic.
    #[cold]
    fn undefined(&mut self, scope: &Scope<'m>, span: Span, name: &str) -> Box<Diagnostic> {
        let key = (scope.module, name.to_owned());
        if let Some(known) = self.undefined.get(&key) {
            return known.clone();
        }
        let (message, hint) = match self.modules.import(scope.module, name) {
            Some(import) if self.modules.named(&import.from).is_none() => {
                let from = &import.from;
                let message =
                    format!("\"{name}\" is imported from module \"{from}\", which was not given");
                (message, Some("add the module's file".to_owned()))
            }
            Some(import) => {
                (format!("module \"{}\" does not define \"{name}\"", import.from), None)
            }
            None => {
                let is_among_first =
                    self.undefined.len() < HINTS_MAX && name.len() <= HINTED_OCTETS_MAX;
                let hint = is_among_first.then(|| self.meant_by(scope.module, name)).flatten();
                (format!("\"{name}\" is not defined"), hint)
            }
        };
        let undefined = self.wrong(scope, span, message, hint);
        self.undefined.insert(key, undefined.clone());
        undefined
    }

    fn meant_by(&self, module: usize, name: &str) -> Option<String> {
        did_you_mean(name, self.modules.known(module)).or_else(|| words::hint(name))
    }
}

/// Adds the types of scripts. They are never coded.
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
