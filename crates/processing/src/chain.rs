//! Chains of scripted nodes: their functions are compiled to one piece of machine code.

use std::any::Any;
use std::sync::Arc;

use dup::{ChainMachine, Stopped, Why};
use node::{Chain, Node, Origin, Outputs, Passed, Refusal};
use record::{Memory, Record};

use crate::filter::{FilterTemplate, no_stream};
use crate::formatter::FormatterTemplate;
use crate::script;

/// Joins scripted nodes. Returns `None` if there is no machine code for them.
pub(crate) fn join(links: &[node::Link<'_>]) -> Option<Box<dyn Chain>> {
    let links: Vec<dup::Link> = links.iter().map(link).collect::<Option<_>>()?;
    let chain = dup::Chain::compile(links).ok().flatten()?;
    Some(Box::new(ScriptChain { chain }))
}

fn link(link: &node::Link<'_>) -> Option<dup::Link> {
    let template: &dyn Any = link.template;
    let next: Vec<dup::Next> = link.next.iter().map(next).collect();
    if let Some(filter) = template.downcast_ref::<FilterTemplate>() {
        return Some(filter.link(&next));
    }
    let formatter = template.downcast_ref::<FormatterTemplate>()?;
    Some(formatter.link(&next))
}

fn next(next: &node::Next) -> dup::Next {
    match *next {
        node::Next::Link(link) => dup::Next::Link(link),
        node::Next::Out(output) => dup::Next::Out(output),
    }
}

struct ScriptChain {
    chain: Arc<dup::Chain>,
}

impl Chain for ScriptChain {
    fn instance(&self) -> Box<dyn Node> {
        Box::new(ChainNode { machine: ChainMachine::new(Arc::clone(&self.chain)) })
    }
}

struct ChainNode {
    machine: ChainMachine,
}

impl Node for ChainNode {
    #[inline]
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        match self.machine.call(memory, record) {
            Ok((output, record)) => Ok(Passed::On(output, record)),
            Err(stopped) => Err(refusal(&self.machine, &stopped)),
        }
    }
}

#[cold]
fn refusal(machine: &ChainMachine, stopped: &Stopped) -> Refusal {
    let refusal = match &stopped.why {
        Why::Fault(fault) => script::refusal(machine.program(stopped.link), fault),
        Why::Number(value) => no_stream(*value),
    };
    Refusal { link: stopped.link as u16, ..refusal }
}
