//! Checks the syntax tree: names, types, what may be absent, what is unreachable. It finds all mistakes of a script in
//! one run. A part with a mistake has the type [`Checker::unknown`], which causes no further messages.

mod calls;
mod expressions;
mod facts;
mod notes;
mod places;
mod statements;
mod tariffs;
mod types;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Once, Source, Span, did_you_mean};
use record::{TypeId, Types};

use crate::class::{Class, built_in_kind, made};
use crate::code::REGISTERS_MAX;
use crate::syntax::{self, Name};
use crate::table::Table;
use crate::tariff::Tariff;
use crate::typed::{CheckedFunction, Statement, Storage, Variable};
use facts::Facts;
pub(crate) use notes::{NotedVariable, Notes};
pub use notes::{Symbol, Use};

/// Maximum functions, and maximum tests, of a script.
const FUNCTIONS_MAX: usize = 10_000;

/// Maximum variables of a function: each occupies a register.
const VARIABLES_MAX: usize = REGISTERS_MAX;

/// Maximum errors to find suggestions for: each compares all names.
const HINTS_MAX: usize = 100;

/// The error for a mistake that was reported.
#[derive(Debug)]
struct Reported;

type Checked<T> = Result<T, Reported>;

/// A checked script.
#[derive(Default)]
pub(crate) struct CheckedScript {
    pub(crate) functions: Vec<CheckedFunction>,
    pub(crate) tests: Vec<CheckedTest>,
    pub(crate) tables: Vec<Table>,
    pub(crate) tariffs: Vec<Tariff>,
}

/// A test: a function whose parameters are its fixtures.
pub(crate) struct CheckedTest {
    pub(crate) function: CheckedFunction,
    pub(crate) fixtures: Vec<Name>,
    pub(crate) span: Span,
}

/// The signature of a function, for its callers.
struct Signature {
    name: Name,
    parameters: Vec<(TypeId, bool)>,
    result: TypeId,
}

struct Checker<'c> {
    source: &'c Arc<Source>,
    types: &'c mut dyn Types,
    diagnostics: &'c mut Vec<Diagnostic>,
    once: Once,
    signatures: Vec<Signature>,
    /// The first function of each name.
    functions: HashMap<String, usize>,
    tables: Vec<(Name, Table)>,
    tariffs: Vec<(Name, Tariff)>,
    basic: Basic,
    body: Body,
    /// The notes for editors, if they are wanted.
    notes: Option<&'c mut Notes>,
}

/// The types of literals and built-in functions.
#[derive(Clone, Copy)]
struct Basic {
    null: TypeId,
    boolean: TypeId,
    integer: TypeId,
    octets: TypeId,
    text: TypeId,
}

/// The state of the function that is being checked.
#[derive(Default)]
struct Body {
    variables: Vec<Variable>,
    /// The names and variables of each scope.
    scopes: Vec<Vec<(String, usize)>>,
    facts: Facts,
    /// Whether the next statement can be reached.
    reachable: bool,
    /// The statements that `break` leaves, innermost last.
    breakable: Vec<Breakable>,
    result: Option<TypeId>,
    /// The fields with a warning already.
    warned: Vec<facts::Key>,
    fixtures: Vec<Name>,
    is_test: bool,
    /// Whether this is an expression outside a function.
    stands_alone: bool,
    /// Whether absent fields cause no warnings, as in tests, which fail visibly.
    silent: bool,
}

/// A loop or switch around a statement.
struct Breakable {
    is_loop: bool,
    /// The facts at each place where it is left.
    left_with: Vec<Facts>,
}

/// Checks a script. Tables and tariffs are read from files in `folder`.
pub(crate) fn check(
    source: &Arc<Source>,
    script: &syntax::Script,
    folder: &Path,
    types: &mut dyn Types,
    diagnostics: &mut Vec<Diagnostic>,
    notes: Option<&mut Notes>,
) -> CheckedScript {
    let mut checker = Checker::new(source, types, diagnostics, notes);
    checker.tables(script, folder);
    checker.tariffs(script, folder);
    checker.signatures(script);
    let functions = script.functions.iter().take(FUNCTIONS_MAX).enumerate();
    let functions: Vec<CheckedFunction> =
        functions.map(|(place, function)| checker.function(place, function)).collect();
    let tests = script.tests.iter().take(FUNCTIONS_MAX).map(|test| checker.test(test)).collect();
    let tables = checker.tables.into_iter().map(|(_, table)| table).collect();
    let tariffs = checker.tariffs.into_iter().map(|(_, tariff)| tariff).collect();
    CheckedScript { functions, tests, tables, tariffs }
}

/// Checks a standalone expression, compiled as a function of one record that returns its value. The caller decides what
/// an absent field means, so a field that may be absent is a warning here.
pub(crate) fn check_expression(
    source: &Arc<Source>,
    written: &syntax::WrittenExpression,
    record: (&str, TypeId),
    types: &mut dyn Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<CheckedFunction> {
    let mut checker = Checker::new(source, types, diagnostics, None);
    let (name, ty) = record;
    checker.body.scopes.push(Vec::new());
    checker.body.stands_alone = true;
    let name = Name { text: name.to_owned(), span: written.span };
    let variable = checker.variable(&name, ty);
    checker.body.variables[variable].constant = true;
    checker.body.variables[variable].storage = Storage::Slot;
    checker.body.facts.add(variable.to_string());
    let value = checker.expression(written, None).ok()?;
    Some(CheckedFunction {
        name: "expression".into(),
        parameters: 1,
        variables: std::mem::take(&mut checker.body.variables),
        result: value.ty,
        body: vec![Statement::Return(Some(value))],
    })
}

impl<'c> Checker<'c> {
    fn new(
        source: &'c Arc<Source>,
        types: &'c mut dyn Types,
        diagnostics: &'c mut Vec<Diagnostic>,
        notes: Option<&'c mut Notes>,
    ) -> Self {
        let mut basic = |name| made(types, name, || built_in_kind(name));
        let basic = Basic {
            null: basic("NULL"),
            boolean: basic("BOOLEAN"),
            integer: basic("INTEGER"),
            octets: basic("OCTET STRING"),
            text: basic("UTF8String"),
        };
        Checker {
            source,
            types,
            once: Once::after(diagnostics),
            diagnostics,
            signatures: Vec::new(),
            functions: HashMap::new(),
            tables: Vec::new(),
            tariffs: Vec::new(),
            basic,
            body: Body::default(),
            notes,
        }
    }
}

impl Checker<'_> {
    fn tables(&mut self, script: &syntax::Script, folder: &Path) {
        for declared in &script.tables {
            if self.tables.iter().any(|(name, _)| name.text == declared.name.text) {
                let message = format!("a table \"{}\" is declared twice", declared.name.text);
                self.error(declared.name.span, message, None);
            }
            self.note_definition(declared.name.span, Symbol::Table(self.tables.len()));
            match Table::read(&folder.join(&declared.file.text)) {
                Ok(table) => self.tables.push((declared.name.clone(), table)),
                Err(error) => {
                    self.error(declared.file.span, error.to_string(), None);
                    self.tables.push((declared.name.clone(), Table::default()));
                }
            }
        }
        if let Some(notes) = &mut self.notes {
            let columns = self.tables.iter().map(|(_, table)| table.columns().to_vec());
            notes.columns = columns.collect();
        }
    }

    fn signatures(&mut self, script: &syntax::Script) {
        let beyond = script.functions.get(FUNCTIONS_MAX).map(|function| function.name.span);
        let beyond = beyond.or(script.tests.get(FUNCTIONS_MAX).map(|test| test.name.span));
        if let Some(span) = beyond {
            let message = format!("a script has at most {FUNCTIONS_MAX} functions and tests each");
            self.error(span, message, Some("split it".into()));
        }
        for function in script.functions.iter().take(FUNCTIONS_MAX) {
            let name = &function.name;
            if self.functions.contains_key(&name.text) {
                self.error(
                    name.span,
                    format!("a function \"{}\" is defined twice", name.text),
                    None,
                );
            }
            if crate::builtin::is_known(&name.text) {
                let message = format!("\"{}\" is a built-in function", name.text);
                self.error(name.span, message, Some("give yours another name".into()));
            }
            let parameters = function
                .parameters
                .iter()
                .map(|parameter| (self.ty_or_unknown(&parameter.ty), parameter.constant))
                .collect();
            let result = self.ty_or_unknown(&function.result);
            self.note_definition(name.span, Symbol::Function(self.signatures.len()));
            self.functions.entry(name.text.clone()).or_insert(self.signatures.len());
            self.signatures.push(Signature { name: name.clone(), parameters, result });
        }
        if let Some(notes) = &mut self.notes {
            notes.results = self.signatures.iter().map(|signature| signature.result).collect();
        }
    }

    fn function(&mut self, place: usize, function: &syntax::WrittenFunction) -> CheckedFunction {
        let result = self.signatures[place].result;
        let parameters = self.signatures[place].parameters.clone();
        self.body = Body { result: Some(result), reachable: true, ..Body::default() };
        self.body.scopes.push(Vec::new());
        for (parameter, (ty, constant)) in function.parameters.iter().zip(parameters) {
            let class = self.class(ty);
            let variable = self.variable(&parameter.name, ty);
            let storage = match class.is_scalar() && constant {
                true => Storage::Register,
                false => Storage::Slot,
            };
            self.body.variables[variable].constant = constant;
            self.body.variables[variable].storage = storage;
            self.body.facts.add(variable.to_string());
        }
        let body = self.block(&function.body);
        let whole = function.name.span.to(function.body.end);
        let has_mistakes = self
            .diagnostics
            .iter()
            .any(|d| d.is_error() && (whole.start..=whole.end).contains(&d.span.start));
        if self.body.reachable && self.class(result) != Class::Null && !has_mistakes {
            let message = format!("\"{}\" can end without returning a value", function.name.text);
            self.error(function.body.end, message, Some("return one here".into()));
        }
        self.unused(function.parameters.len());
        self.note_variables(function.parameters.len(), function.body.end);
        CheckedFunction {
            name: function.name.text.clone(),
            parameters: function.parameters.len(),
            variables: std::mem::take(&mut self.body.variables),
            result,
            body,
        }
    }

    fn test(&mut self, test: &syntax::WrittenTest) -> CheckedTest {
        let result = Some(self.basic.null);
        self.body =
            Body { result, reachable: true, is_test: true, silent: true, ..Body::default() };
        self.body.scopes.push(Vec::new());
        // Fixtures come first: they are the parameters of the test.
        for declaration in test.body.declarations.iter().filter(|d| d.fixture.is_some()) {
            self.fixture(declaration);
        }
        let parameters = self.body.fixtures.len();
        let body = self.block(&test.body);
        self.unused(parameters);
        self.note_variables(parameters, test.body.end);
        let function = CheckedFunction {
            name: test.name.text.clone(),
            parameters,
            variables: std::mem::take(&mut self.body.variables),
            result: self.basic.null,
            body,
        };
        let fixtures = std::mem::take(&mut self.body.fixtures);
        CheckedTest { function, fixtures, span: test.name.span }
    }

    fn fixture(&mut self, declaration: &syntax::Declaration) {
        let Some(file) = &declaration.fixture else { return };
        let ty = self.ty_or_unknown(&declaration.ty);
        if !self.class(ty).is_composite() {
            self.error(declaration.ty.span, "only records are read from files".into(), None);
        }
        let variable = self.variable(&declaration.name, ty);
        self.body.variables[variable].storage = Storage::Slot;
        self.body.facts.add(variable.to_string());
        self.body.fixtures.push(file.clone());
    }

    /// Creates a variable in the innermost scope.
    fn variable(&mut self, name: &Name, ty: TypeId) -> usize {
        let scope = self.body.scopes.last_mut().expect("a function has a scope");
        if scope.iter().any(|(known, _)| *known == name.text) {
            self.error(name.span, format!("\"{}\" is declared twice here", name.text), None);
        }
        let storage = match self.class(ty).is_scalar() {
            true => Storage::Register,
            false => Storage::Slot,
        };
        let place = self.body.variables.len();
        if place == VARIABLES_MAX {
            let message = format!("a function has at most {VARIABLES_MAX} variables; split it");
            self.error(name.span, message, None);
        }
        if place >= VARIABLES_MAX {
            return VARIABLES_MAX - 1;
        }
        self.body.variables.push(Variable {
            name: name.text.clone(),
            ty,
            constant: false,
            storage,
            span: name.span,
            used: false,
        });
        let scope = self.body.scopes.last_mut().expect("a function has a scope");
        scope.push((name.text.clone(), place));
        place
    }

    fn unused(&mut self, parameters: usize) {
        if diagnostics::has_errors(self.diagnostics) {
            return; // What could not be understood may have used it.
        }
        let unused: Vec<(Span, String)> = self.body.variables[parameters..]
            .iter()
            .filter(|variable| !variable.used)
            .map(|variable| (variable.span, format!("\"{}\" is never read", variable.name)))
            .collect();
        for (span, message) in unused {
            self.warning(span, message, None);
        }
    }

    fn find_variable(&self, name: &str) -> Option<usize> {
        let scopes = self.body.scopes.iter().rev();
        scopes
            .flat_map(|scope| scope.iter().rev())
            .find(|(known, _)| known == name)
            .map(|(_, v)| *v)
    }

    fn class(&self, ty: TypeId) -> Class {
        Class::of(self.types.schema(), ty)
    }

    /// Returns a type's name for messages.
    fn name_of(&self, ty: TypeId) -> String {
        self.types.schema().get(ty).name.clone()
    }

    /// Returns a hint with a known name that is similar.
    fn meant<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.diagnostics.len() < HINTS_MAX { did_you_mean(name, known) } else { None }
    }

    #[cold]
    fn error(&mut self, span: Span, message: String, hint: Option<String>) -> Reported {
        let diagnostic = Diagnostic::error(self.source, span, message).hint_maybe(hint);
        self.once.put(diagnostic, self.diagnostics);
        Reported
    }

    #[cold]
    fn warning(&mut self, span: Span, message: String, hint: Option<String>) {
        let diagnostic = Diagnostic::warning(self.source, span, message).hint_maybe(hint);
        self.once.put(diagnostic, self.diagnostics);
    }
}
