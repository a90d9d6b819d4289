//! `tollgate dup run`: calls a function on records, and shows its results and the fields it changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use dup::{Context, Function, Machine, Returned};
use record::{Arena, Kind, Memory, Record};
use serde_json::Value;

use super::call::CallArguments;
use crate::modules::read;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::scripts::loaded::{Called, Loaded};
use crate::scripts::records::{RecordError, cut, record, show};

/// Arguments of `tollgate dup run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunScript {
    #[command(flatten)]
    call: CallArguments,
}

impl RunScript {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let CallArguments { record, .. } = &self.call;
        let loaded = self.call.load()?;
        output::diagnostics(&loaded.warnings);
        let called = self.call.called(&loaded)?;
        let octets = read(record)?;
        let mut caller = RecordCaller::new(&loaded, called);
        let mut outcome = Outcome::Clean;
        let records = cut(record, &octets)?;
        caller.several = records.len() > 1;
        for (number, octets) in records.into_iter().enumerate() {
            match caller.call(record, octets, number as u64 + 1) {
                Ok(lines) => lines.iter().try_for_each(|line| say!("{line}"))?,
                Err(fault) => {
                    tell!("record {}: {fault}", number + 1);
                    outcome = Outcome::Faults;
                }
            }
        }
        Ok(outcome)
    }
}

/// Calls one function for each record.
struct RecordCaller<'l> {
    loaded: &'l Loaded,
    called: Called,
    machine: Machine,
    arena: Arena,
    /// Whether there are several records, so that each change names its record.
    several: bool,
}

impl<'l> RecordCaller<'l> {
    fn new(loaded: &'l Loaded, called: Called) -> Self {
        let machine = Machine::new(Arc::clone(&loaded.program));
        RecordCaller { loaded, called, machine, arena: Arena::new(), several: false }
    }

    fn function(&self) -> &'l Function {
        &self.loaded.program.functions()[self.called.place]
    }

    /// Calls the function on a record and returns the lines to print.
    fn call(
        &mut self,
        path: &std::path::Path,
        octets: &[u8],
        number: u64,
    ) -> Result<Vec<String>, RecordError> {
        let function = self.function();
        let Loaded { plan, program, .. } = self.loaded;
        self.arena.reset();
        let mut memory = Memory::new(octets, &mut self.arena);
        let input = record(plan, &mut memory, self.called.input, path, octets)?;
        let before = show(plan, &memory, input)?;
        let made = self.called.made.map(|ty| memory.create(ty));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let context = Context { file: &file, record: number, ..Context::default() };
        let context = self.called.context.map(|ty| context.make(&mut memory, ty));
        let arguments: Vec<_> =
            [Some(input), made, context].into_iter().flatten().map(|record| record.root).collect();
        let returned = self
            .machine
            .call(self.called.place, &mut memory, &arguments)
            .map_err(|fault| RecordError::Fault(program.describe(&fault)))?;
        let mut lines = Vec::new();
        lines.extend(result(self.loaded, function, &self.machine, &memory, returned));
        if !function.emits.is_empty() {
            for (ty, root) in self.machine.emitted() {
                lines.push(show(plan, &memory, Record { ty: *ty, root: *root })?);
            }
        } else if let Some(made) = made {
            lines.push(show(plan, &memory, made)?);
        }
        if self.called.changes {
            let prefix = if self.several { format!("record {number}: ") } else { String::new() };
            let changes = changes(&before, &show(plan, &memory, input)?);
            lines.extend(changes.iter().map(|change| format!("{prefix}{change}")));
        }
        Ok(lines)
    }
}

/// Returns the function's result as text; `None` if it is NULL or a structure.
fn result(
    loaded: &Loaded,
    function: &Function,
    machine: &Machine,
    memory: &Memory<'_>,
    returned: Returned,
) -> Option<String> {
    match loaded.plan.schema().kind(function.result) {
        Kind::Null => None,
        Kind::Boolean => Some(returned.boolean().to_string()),
        Kind::Integer { .. } => Some(returned.number().to_string()),
        Kind::Enumerated { items, .. } => {
            let item = items.iter().find(|item| item.value == returned.number());
            Some(item.map_or(returned.number().to_string(), |item| item.name.clone()))
        }
        kind if kind.is_constructed() => None,
        _ => Some(String::from_utf8_lossy(machine.octets(memory, returned)).into_owned()),
    }
}

/// Returns the fields that differ, one per line: path, before, after.
fn changes(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (fields(before), fields(after));
    let paths: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let shown = |value: Option<&String>| value.map_or("absent".to_owned(), Clone::clone);
    paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| format!("{path}: {} -> {}", shown(before.get(path)), shown(after.get(path))))
        .collect()
}

/// Returns the values of a record by their paths.
fn fields(json: &str) -> BTreeMap<String, String> {
    fn add(fields: &mut BTreeMap<String, String>, path: String, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let path =
                        if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    add(fields, path, value);
                }
            }
            Value::Array(elements) => {
                for (place, value) in elements.iter().enumerate() {
                    add(fields, format!("{path}[{place}]"), value);
                }
            }
            value => {
                fields.insert(path, value.to_string());
            }
        }
    }
    let mut found = BTreeMap::new();
    if let Ok(value) = serde_json::from_str(json) {
        add(&mut found, String::new(), &value);
    }
    found
}
