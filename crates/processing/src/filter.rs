//! Filters: a record goes on, on one stream of several, as it came.

use std::path::PathBuf;

use diagnostics::Diagnostic;
use node::{Kind, Node, Origin, Output, Outputs, Passed, Refusal, Settings, Template};
use record::{Kind as TypeKind, Memory, Opened, Record, TypeId, Types};

use crate::script::{Caller, Execution, KEYS, Script};

const HINT: &str = "a filter is BOOLEAN name(record CONST Type), or returns an ENUMERATED";

/// `[filter.name]` with a `script`.
#[derive(Clone, Copy, Debug)]
pub struct Filter(pub Execution);

impl Kind for Filter {
    fn name(&self) -> &'static str {
        "filter"
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
        let [parameter] = function.parameters.as_slice() else {
            return Err(script.error("a filter takes one record", HINT));
        };
        if !parameter.constant {
            let message = "a filter only reads its record, since others are given it too";
            return Err(script.error(message, HINT));
        }
        let input = parameter.ty;
        let streams = match types.schema().kind(function.result) {
            TypeKind::Boolean => Streams::TrueFalse,
            TypeKind::Enumerated { items, .. } => {
                Streams::Values(items.iter().map(|item| item.value).collect())
            }
            _ => return Err(script.error("a filter returns BOOLEAN or an ENUMERATED", HINT)),
        };
        let outputs = match types.schema().kind(function.result) {
            TypeKind::Enumerated { items, .. } => {
                items.iter().map(|item| Output::passing(&item.name)).collect()
            }
            _ => vec![Output::passing("true"), Output::passing("false")],
        };
        Ok(Box::new(FilterTemplate { script, input, streams, outputs }))
    }
}

struct FilterTemplate {
    script: Script,
    input: TypeId,
    streams: Streams,
    outputs: Vec<Output>,
}

/// Which stream a result means.
#[derive(Clone)]
enum Streams {
    TrueFalse,
    /// By stream: the number of its name.
    Values(Vec<i64>),
}

impl Template for FilterTemplate {
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

    fn instance(&self) -> Box<dyn Node> {
        Box::new(FilterNode { caller: self.script.caller(), streams: self.streams.clone() })
    }
}

struct FilterNode {
    caller: Caller,
    streams: Streams,
}

impl Node for FilterNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let returned = self.caller.call(memory, &[record.root])?;
        let stream = match &self.streams {
            Streams::TrueFalse => usize::from(!returned.boolean()),
            Streams::Values(values) => {
                let value = returned.number();
                values.iter().position(|known| *known == value).ok_or_else(|| {
                    Refusal::new(format!("the filter returned {value}, which has no name"))
                })?
            }
        };
        Ok(Passed::On(stream as u16, record))
    }
}
