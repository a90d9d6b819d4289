//! Filters: each record goes on unchanged, on one of several streams.

use std::path::PathBuf;

use diagnostics::Diagnostic;
use node::{Chain, Kind, Link, Node, Origin, Output, Outputs, Passed, Refusal, Template};
use reason::Coded;
use record::{Kind as TypeKind, Memory, Opened, Record, TypeId, Types};
use settings::Settings;

use crate::chain;
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
        let (streams, outputs) = match types.schema().kind(function.result) {
            TypeKind::Boolean => {
                (Streams::TrueFalse, vec![Output::passing("true"), Output::passing("false")])
            }
            TypeKind::Enumerated { items, .. } => (
                Streams::Values(items.iter().map(|item| item.value).collect()),
                items.iter().map(|item| Output::passing(&item.name)).collect(),
            ),
            _ => return Err(script.error("a filter returns BOOLEAN or an ENUMERATED", HINT)),
        };
        Ok(Box::new(FilterTemplate { script, input, streams, outputs }))
    }
}

pub(crate) struct FilterTemplate {
    script: Script,
    input: TypeId,
    streams: Streams,
    outputs: Vec<Output>,
}

/// How the result selects a stream.
#[derive(Clone)]
enum Streams {
    TrueFalse,
    /// The number of the name, by stream.
    Values(Vec<i64>),
}

impl FilterTemplate {
    /// Makes a link of a chain. `next` is where records go from each stream.
    pub(crate) fn link(&self, next: &[dup::Next]) -> dup::Link {
        self.script.link(match &self.streams {
            Streams::TrueFalse => dup::Gives::Boolean { on_true: next[0], on_false: next[1] },
            Streams::Values(values) => {
                dup::Gives::Numbers(values.iter().copied().zip(next.iter().copied()).collect())
            }
        })
    }
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

    fn is_chainable(&self) -> bool {
        self.script.is_chainable()
    }

    fn join(&self, links: &[Link<'_>]) -> Option<Box<dyn Chain>> {
        chain::join(links)
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
                let known = values.iter().position(|known| *known == value);
                known.ok_or_else(|| no_stream(value))?
            }
        };
        Ok(Passed::On(stream as u16, record))
    }
}

/// A filter returned a number without a name, so there is no stream for the record.
#[derive(Debug, thiserror::Error, Coded)]
#[code("filter-no-stream")]
#[error("the filter returned {value}, which has no name")]
pub(crate) struct NoStream {
    value: i64,
}

/// Returns the refusal of a record for which a filter returned a number without a name.
#[cold]
pub(crate) fn no_stream(value: i64) -> Refusal {
    Refusal::new(&NoStream { value })
}
