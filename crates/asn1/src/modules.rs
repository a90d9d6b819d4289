//! The modules of an operator, read together and looked up by name.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use crate::notation::objects::{ObjectSetElement, elements};
use crate::notation::syntax::{
    Assigned, Assignment, Body, Import, Module, ObjectClass, Tagging, TypeExpression, Value,
};
use crate::notation::{BUILT_IN, BUILT_IN_TEXT, parse};

/// Maximum length of a chain of modules that re-export an import, and of a chain of class aliases.
const PASSED_ON_MAX: usize = 100;

/// Modules that were read together. Names are looked up lazily, so unused definitions may be wrong.
#[derive(Debug)]
pub struct Modules {
    modules: Vec<Module>,
    by_name: HashMap<String, usize>,
    names: Vec<Names>,
    /// Definitions by name; `None` if several modules define the name.
    only: HashMap<String, Option<Definition>>,
    objects: HashMap<Definition, Vec<ObjectSetElement>>,
}

/// The names of a module, each with its first index.
#[derive(Debug, Default)]
struct Names {
    /// Index of the assignment.
    own: HashMap<String, usize>,
    /// Index of the import.
    imported: HashMap<String, usize>,
}

impl Names {
    fn of(module: &Module) -> Self {
        let mut names = Names::default();
        for (place, assignment) in module.assignments.iter().enumerate() {
            names.own.entry(assignment.name.clone()).or_insert(place);
        }
        for (place, import) in module.imports.iter().enumerate() {
            for symbol in &import.symbols {
                names.imported.entry(symbol.clone()).or_insert(place);
            }
        }
        names
    }
}

/// The index of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Definition {
    pub(crate) module: usize,
    pub(crate) assignment: usize,
}

impl Modules {
    /// Reads the modules of all texts. Returns what could be parsed even if there are mistakes. Whether these matter
    /// depends on what is used ([`crate::Resolver`]).
    pub fn read(texts: &[Arc<Source>]) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let built_in = Source::new(BUILT_IN, BUILT_IN_TEXT);
        let mut modules = Vec::new();
        for text in std::iter::once(&built_in).chain(texts) {
            if text.is_latin1 {
                let start = text.text.find(|c: char| !c.is_ascii()).unwrap_or(0);
                let message = "this is no UTF-8; the text is read as Latin-1";
                let span = Span::new(start, start + 'ä'.len_utf8());
                diagnostics.push(Diagnostic::warning(text, span, message));
            }
            let (before, mistakes) = (modules.len(), diagnostics.len());
            modules.extend(parse(text, &mut diagnostics));
            if (modules.len(), diagnostics.len()) == (before, mistakes) {
                let message = "there is no module in this file";
                diagnostics.push(Diagnostic::error(text, Span::new(0, 0), message));
            }
        }
        let mut by_name = HashMap::new();
        for (index, module) in modules.iter().enumerate() {
            if let Some(first) = by_name.insert(module.name.clone(), index) {
                by_name.insert(module.name.clone(), first);
                let message = format!(
                    "module \"{}\" was read before, from {}; this one is passed over",
                    module.name, modules[first].text.source.name
                );
                let span = Span::new(0, 1);
                diagnostics.push(Diagnostic::warning(&module.text.source, span, message));
            }
        }
        modules.iter().for_each(|module| defined_twice(module, &mut diagnostics));
        for module in &modules {
            for import in module.imports.iter().filter(|import| !by_name.contains_key(&import.from))
            {
                let message = format!(
                    "module \"{}\" was not given: what is imported from it cannot be used",
                    import.from
                );
                let source = &module.text.source;
                diagnostics.push(Diagnostic::warning(source, import.span, message));
            }
        }
        let names: Vec<Names> = modules.iter().map(Names::of).collect();
        let only = only(&names);
        let mut modules = Modules { modules, by_name, names, only, objects: HashMap::new() };
        modules.read_objects();
        (modules, diagnostics)
    }

    /// Reads the objects of all classes, once the classes are known.
    fn read_objects(&mut self) {
        let mut objects = HashMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            for (place, assignment) in module.assignments.iter().enumerate() {
                let Some((class, items)) = &assignment.object else { continue };
                let Some((_, class)) = self.class(index, class) else { continue };
                let is_set = matches!(assignment.what, Assigned::Set);
                let found = elements(&module.text, items.clone(), class, is_set);
                objects.insert(Definition { module: index, assignment: place }, found);
            }
        }
        self.objects = objects;
    }

    /// Returns the elements of an object set, or an object.
    pub(crate) fn objects(&self, definition: Definition) -> &[ObjectSetElement] {
        self.objects.get(&definition).map_or(&[], Vec::as_slice)
    }

    /// Returns the value of a value assignment.
    pub(crate) fn value(&self, definition: Definition) -> Option<&Value> {
        match &self.get(definition).what {
            Assigned::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Sets the tagging of a module that does not give its own: many vendors' modules lack a default and mean IMPLICIT,
    /// though X.680, 13.2 says EXPLICIT.
    ///
    /// Returns false if there is no such module.
    pub fn set_default_tagging(&mut self, module: &str, tagging: Tagging) -> bool {
        let Some(&index) = self.by_name.get(module) else { return false };
        self.modules[index].tagging.get_or_insert(tagging);
        true
    }

    /// Returns the names of all types without parameters as `Module.Type`, in the order of their definition.
    pub fn type_names(&self) -> Vec<String> {
        let own = self.modules.iter().filter(|module| module.name != BUILT_IN);
        own.flat_map(|module| {
            let types = module.assignments.iter().filter(|assignment| {
                matches!(assignment.what, Assigned::Type(_))
                    && assignment.parameters.is_empty()
                    && self.class(self.by_name[&module.name], &assignment.name).is_none()
            });
            types.map(|assignment| format!("{}.{}", module.name, assignment.name))
        })
        .collect()
    }

    /// Returns the names of the modules.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|module| module.name.as_str()).filter(|name| *name != BUILT_IN)
    }

    pub(crate) fn module(&self, index: usize) -> &Module {
        &self.modules[index]
    }

    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn get(&self, definition: Definition) -> &Assignment {
        &self.modules[definition.module].assignments[definition.assignment]
    }

    /// Returns the definition of this name in a module itself.
    pub(crate) fn local(&self, module: usize, name: &str) -> Option<Definition> {
        let assignment = *self.names[module].own.get(name)?;
        Some(Definition { module, assignment })
    }

    /// Returns the import of a name into a module.
    pub(crate) fn import(&self, module: usize, name: &str) -> Option<&Import> {
        let place = *self.names[module].imported.get(name)?;
        Some(&self.modules[module].imports[place])
    }

    /// Resolves a name within a module, or in the module it is qualified with.
    pub(crate) fn find(
        &self,
        within: usize,
        module: Option<&str>,
        name: &str,
    ) -> Option<Definition> {
        match module {
            Some(module) => self.local(self.named(module)?, name),
            None => self.lookup(within, name),
        }
    }

    /// Resolves a name within a module: to its own definition, to an import, or, if an import is missing or broken, to
    /// the only definition of that name in all modules.
    pub(crate) fn lookup(&self, module: usize, name: &str) -> Option<Definition> {
        if let Some(found) = self.local(module, name) {
            return Some(found);
        }
        self.imported(module, name).or_else(|| self.anywhere(name))
    }

    /// Follows an import. A module may re-export what it imports itself.
    fn imported(&self, mut module: usize, name: &str) -> Option<Definition> {
        for _ in 0..PASSED_ON_MAX {
            module = self.named(&self.import(module, name)?.from)?;
            if let Some(found) = self.local(module, name) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the only definition of a name in all modules.
    pub(crate) fn anywhere(&self, name: &str) -> Option<Definition> {
        *self.only.get(name)?
    }

    /// Returns the information object class of a name, also through aliases.
    pub(crate) fn class(&self, module: usize, name: &str) -> Option<(usize, &ObjectClass)> {
        let (mut module, mut name) = (module, name);
        for _ in 0..PASSED_ON_MAX {
            let found = self.lookup(module, name)?;
            match &self.get(found).what {
                Assigned::Class(class) => return Some((found.module, class)),
                Assigned::Type(TypeExpression {
                    body: Body::Reference { module: None, name: next, .. },
                    tags,
                    ..
                }) if tags.is_empty() => (module, name) = (found.module, next),
                _ => return None,
            }
        }
        None
    }

    /// Returns all names that a module's text can use, for hints.
    pub(crate) fn known(&self, module: usize) -> impl Iterator<Item = &str> {
        let own = self.modules[module].assignments.iter().map(|a| a.name.as_str());
        let imported = self.modules[module].imports.iter().flat_map(|i| &i.symbols);
        own.chain(imported.map(String::as_str))
    }
}

fn only(names: &[Names]) -> HashMap<String, Option<Definition>> {
    let mut only = HashMap::new();
    for (module, names) in names.iter().enumerate() {
        for (name, &assignment) in &names.own {
            only.entry(name.clone())
                .and_modify(|found| *found = None)
                .or_insert(Some(Definition { module, assignment }));
        }
    }
    only
}

/// Reports names that a module defines twice. The first definition counts.
fn defined_twice(module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    let mut known = HashSet::new();
    for assignment in &module.assignments {
        if !known.insert(assignment.name.as_str()) {
            let message = format!("\"{}\" is defined before", assignment.name);
            diagnostics.push(Diagnostic::error(&module.text.source, assignment.span, message));
        }
    }
}
