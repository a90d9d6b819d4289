//! Formatters: they make records from a record.

use std::path::PathBuf;

use diagnostics::Diagnostic;
use dup::Context;
use node::{Chain, Kind, Link, Node, Origin, Output, Outputs, Passed, Refusal, Template};
use record::{Kind as TypeKind, Memory, Opened, Record, SlotIndex, TypeId, Types};
use settings::Settings;

use crate::chain;
use crate::script::{Caller, Execution, KEYS, Script};

const HINT: &str = "a formatter is NULL name(in CONST A, out B), or NULL name(record T); \
                    context CONST RecordContext may come behind";

/// `[formatter.name]` with a `script`.
#[derive(Clone, Copy, Debug)]
pub struct Formatter(pub Execution);

impl Kind for Formatter {
    fn name(&self) -> &'static str {
        "formatter"
    }

    fn keys(&self) -> &'static [&'static str] {
        KEYS
    }

    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let script = Script::load(settings, settings.get("function"), types, self.0)?;
        let function = script.function();
        if *types.schema().kind(function.result) != TypeKind::Null {
            return Err(script.error("a formatter returns NULL", HINT));
        }
        let mut parameters = function.parameters.as_slice();
        let context = types.schema().find(Context::TYPE);
        let mut takes = None;
        if let [before @ .., last] = parameters
            && Some(last.ty) == context
            && last.constant
        {
            (parameters, takes) = (before, context);
        }
        let (mode, input, output) = match parameters {
            [record] if !record.constant => (Mode::Change, record.ty, record.ty),
            [input, output] if input.constant && !output.constant => {
                (Mode::Make, input.ty, output.ty)
            }
            [_] => {
                return Err(script.error("a formatter that takes CONST alone makes nothing", HINT));
            }
            _ => return Err(script.error("this is not the form of a formatter", HINT)),
        };
        if let Some(other) = function.emits.iter().find(|ty| **ty != output) {
            let name = |ty| &types.schema().get(ty).name;
            let message = format!("this makes \"{}\" and emits \"{}\"", name(output), name(*other));
            return Err(script.error(message, "a formatter emits records of the type it makes"));
        }
        let emits = !function.emits.is_empty();
        let outputs = [Output::of_type("out", output)];
        let deep = types.schema().is_recursive(output);
        Ok(Box::new(FormatterTemplate {
            script,
            mode,
            input,
            context: takes,
            emits,
            deep,
            outputs,
        }))
    }
}

/// How a formatter makes its record.
#[derive(Clone, Copy)]
enum Mode {
    /// It changes a copy of the input.
    Change,
    /// It fills an empty record.
    Make,
}

pub(crate) struct FormatterTemplate {
    script: Script,
    mode: Mode,
    input: TypeId,
    /// The type of the last parameter, if that is the record's context.
    context: Option<TypeId>,
    /// Whether the script emits records itself.
    emits: bool,
    /// Whether values of the output type can be nested without limit.
    deep: bool,
    outputs: [Output; 1],
}

impl FormatterTemplate {
    /// Makes a link of a chain. `next` is where records go.
    pub(crate) fn link(&self, next: &[dup::Next]) -> dup::Link {
        self.script.link(dup::Gives::Record(self.output(), next[0]))
    }

    fn output(&self) -> TypeId {
        self.outputs[0].ty.unwrap_or(self.input)
    }
}

impl Template for FormatterTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.input)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn opened(&self) -> Opened {
        self.script.opened()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.script.files()
    }

    fn uses_record_numbers(&self) -> bool {
        self.context.is_some()
    }

    fn is_chainable(&self) -> bool {
        let makes = matches!(self.mode, Mode::Make) && self.context.is_none() && !self.deep;
        makes && self.script.is_chainable()
    }

    fn join(&self, links: &[Link<'_>]) -> Option<Box<dyn Chain>> {
        chain::join(links)
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(FormatterNode {
            caller: self.script.caller(),
            mode: self.mode,
            context: self.context,
            emits: self.emits,
            deep: self.deep,
            output: self.output(),
        })
    }
}

struct FormatterNode {
    caller: Caller,
    mode: Mode,
    context: Option<TypeId>,
    emits: bool,
    deep: bool,
    output: TypeId,
}

impl Node for FormatterNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        out: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let made = memory.create(self.output);
        // The context comes after the other parameters, if the function has it.
        let context = match self.context {
            Some(ty) => context(origin).make(memory, ty).root,
            None => SlotIndex::default(),
        };
        match self.mode {
            Mode::Change => {
                let program = self.caller.machine.program();
                memory
                    .copy(program.schema(), record.ty, record.root, made.root)
                    .map_err(|fault| Refusal::new(&fault))?;
                self.caller.call(memory, &[made.root, context])?;
            }
            Mode::Make => {
                self.caller.call(memory, &[record.root, made.root, context])?;
            }
        }
        if self.emits {
            for (ty, root) in self.caller.machine.emitted() {
                out.emit(0, Record { ty: *ty, root: *root });
            }
            return Ok(Passed::Emitted);
        }
        if self.deep {
            memory
                .check_depth(self.caller.machine.program().schema(), made)
                .map_err(|fault| Refusal::new(&fault))?;
        }
        Ok(Passed::On(0, made))
    }
}

fn context<'o>(origin: &Origin<'o>) -> Context<'o> {
    let Origin { network_element, file, record, offset } = *origin;
    Context { network_element, file, record, offset }
}
