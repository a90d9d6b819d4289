//! The DUP language: C in its statements, ASN.1 in its data.
//!
//! A script is compiled from text ([`compile`]): it is checked completely against the types of the loaded modules and
//! lowered to instructions over registers. A [`Machine`] executes it for record after record. Scripts see records as
//! schemas describe them, and never a tag.
//!
//! ```
//! use diagnostics::Source;
//! use record::{Arena, Memory, Schema};
//! use std::{path::Path, sync::Arc};
//!
//! let script = Source::new("sum.dup", "INTEGER sum(n CONST INTEGER) { return n * (n + 1) / 2; }
//!     test \"the first hundred\" { assert sum(100) == 5050; }");
//! let compiled = dup::compile(&script, Path::new("."), &mut Schema::new());
//! let program = Arc::new(compiled.program.expect("there are no mistakes"));
//! let mut arena = Arena::new();
//! let mut memory = Memory::new(&[], &mut arena);
//! assert!(dup::Machine::new(program).test(0, &mut memory, &[]).is_ok());
//! ```
#![deny(unsafe_code)]

pub mod analysis;
mod builtin;
mod check;
mod class;
mod code;
mod condition;
mod context;
mod fault;
mod format;
mod lexer;
mod listing;
mod lower;
mod machine;
mod native;
mod opened;
mod parser;
mod syntax;
mod table;
mod tariff;
mod text;
mod typed;
mod value;

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};
use record::{TypeId, Types};

pub use code::{Function, Parameter, Program, Test};
pub use condition::{Condition, NamedValue};
pub use context::Context;
pub use fault::{Fault, Reason};
pub use format::format;
pub use listing::Listed;
pub use machine::{BUDGET, CALLS_DEPTH_MAX, Machine, RECORD_MEMORY_OCTETS_MAX, Returned};
pub use native::{
    Chain, ChainMachine, Gives, Link, MachineCode, Native, NativeError, Next, Stopped, Why,
};

/// Returns the reserved words of the language, which cannot be names.
pub fn reserved_words() -> impl Iterator<Item = &'static str> {
    parser::RESERVED.iter().copied()
}

/// Returns the names of the language's types, of one word or two.
pub fn type_words() -> impl Iterator<Item = &'static str> {
    parser::type_words()
}

/// Returns the names of all built-in functions that scripts can call.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    builtin::names().filter(|name| *name != "booleanToString")
}

/// The result of compiling a script.
#[derive(Debug)]
pub struct Compiled {
    /// The program, if there are no errors.
    pub program: Option<Program>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a script against types. The files of its tables and tariffs are relative to `folder`.
pub fn compile(source: &Arc<Source>, folder: &Path, types: &mut dyn Types) -> Compiled {
    compile_noting(source, folder, types, None).1
}

/// Like [`compile`]; also fills `notes` with the meanings of names.
fn compile_noting(
    source: &Arc<Source>,
    folder: &Path,
    types: &mut dyn Types,
    notes: Option<&mut check::Notes>,
) -> (syntax::Script, Compiled) {
    let mut diagnostics = Vec::new();
    Context::add(types);
    tariff::add(types);
    let script = parser::parse(source, &mut diagnostics);
    let checked = check::check(source, &script, folder, types, &mut diagnostics, notes);
    let names = script.functions.iter().map(|function| function.name.span).collect();
    let program = match diagnostics::has_errors(&diagnostics) {
        true => None,
        false => lower(source, names, checked, types, &mut diagnostics),
    };
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    (script, Compiled { program, diagnostics })
}

/// The files that a script names, relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The files of its tables.
    pub tables: Vec<String>,
    /// The plans of its tariffs: folders, or databases of versions.
    pub tariffs: Vec<String>,
    /// The records of its tests.
    pub records: Vec<String>,
}

/// Returns the files that a script names. If it has mistakes, those in the parts that could be parsed.
pub fn named(source: &Arc<Source>) -> Named {
    let script = parser::parse(source, &mut Vec::new());
    let declared = script.tests.into_iter().flat_map(|test| test.body.declarations);
    Named {
        tables: script.tables.into_iter().map(|table| table.file.text).collect(),
        tariffs: script.tariffs.into_iter().map(|tariff| tariff.place.text).collect(),
        records: declared.filter_map(|declared| Some(declared.fixture?.text)).collect(),
    }
}

/// Returns whether a text is a script: it has a function and no syntax error. The meaning of names is not checked.
pub fn is_script(source: &Arc<Source>) -> bool {
    let mut mistakes = Vec::new();
    let script = parser::parse(source, &mut mistakes);
    !diagnostics::has_errors(&mistakes) && !script.functions.is_empty()
}

/// The name of the record in a standalone expression.
pub const RECORD: &str = "record";

/// Compiles a standalone expression over a record, [`RECORD`], in a part of a text. The program has one function, which
/// takes a record of the type and returns the value.
pub fn compile_expression(
    source: &Arc<Source>,
    place: Span,
    ty: TypeId,
    types: &mut dyn Types,
) -> Compiled {
    let mut diagnostics = Vec::new();
    let written = parser::parse_expression(source, place, &mut diagnostics).ok();
    let function = written.and_then(|written| {
        check::check_expression(source, &written, (RECORD, ty), types, &mut diagnostics)
    });
    let program = match function {
        Some(function) if !diagnostics::has_errors(&diagnostics) => {
            let checked = check::CheckedScript { functions: vec![function], ..Default::default() };
            lower(source, vec![place], checked, types, &mut diagnostics)
        }
        _ => None,
    };
    Compiled { program, diagnostics }
}

/// Lowers a checked script. `names` are the places of its functions' names.
fn lower(
    source: &Arc<Source>,
    names: Vec<Span>,
    checked: check::CheckedScript,
    types: &dyn Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let schema = types.schema().clone();
    let mut pool = code::Pool::default();
    let mut codes = Vec::new();
    let tests = checked.tests.iter().map(|test| &test.function);
    for function in checked.functions.iter().chain(tests) {
        match lower::lower(function, &checked.functions, &schema, &mut pool, source) {
            Ok(code) => codes.push(code),
            Err(mistake) => diagnostics.push(mistake),
        }
    }
    if diagnostics::has_errors(diagnostics) {
        return None;
    }
    pool.forget_places();
    let emitted = code::emitted(&codes, &pool);
    let functions: Vec<Function> = checked
        .functions
        .iter()
        .zip(names)
        .zip(emitted)
        .map(|((function, span), emits)| Function {
            name: function.name.clone(),
            span,
            parameters: function.variables[..function.parameters].iter().map(parameter).collect(),
            result: function.result,
            emits: emits.into_iter().collect(),
        })
        .collect();
    let opened = opened::opened(&checked.functions, &schema);
    let first_test = functions.len();
    let tests = checked.tests.into_iter().enumerate().map(|(place, test)| {
        let types = test.function.variables[..test.function.parameters].iter().map(|v| v.ty);
        let files = test.fixtures.into_iter().map(|file| file.text);
        let fixtures = types.zip(files).collect();
        Test { name: test.function.name, span: test.span, fixtures, code: first_test + place }
    });
    let tests = tests.collect();
    let source = Arc::clone(source);
    let mut tables = checked.tables;
    tables.iter_mut().for_each(|table| table.move_cells(&mut pool.octets));
    if pool.octets.len() > value::OCTETS_MAX {
        let message = "the tables of this script have more than 2 GB";
        diagnostics.push(Diagnostic::error(&source, Default::default(), message));
        return None;
    }
    let tariffs = checked.tariffs;
    Some(Program { source, schema, codes, functions, opened, tests, pool, tables, tariffs })
}

fn parameter(variable: &typed::Variable) -> Parameter {
    let typed::Variable { name, ty, constant, span, .. } = variable;
    Parameter { name: name.clone(), ty: *ty, constant: *constant, span: *span }
}

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    fault::Reason::codes()
}
