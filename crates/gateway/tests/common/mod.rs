//! Small node kinds, and the type of their records: a SEQUENCE of one number.

pub(crate) mod countdown;
pub(crate) mod octets;
pub(crate) mod tumbling;

use diagnostics::Diagnostic;
use node::{Kind, Node, Origin, Output, Outputs, Passed, Refusal, Template};
use reason::Fixed;
use record::{Field, Memory, Record, Schema, Type, TypeId, Types};
use settings::Settings;

/// Makes a schema with `Test.Call`, a SEQUENCE of one number, and `Test.Bill`, a number.
pub(crate) fn schema() -> Schema {
    let mut schema = Schema::new();
    let number = record::Kind::Integer { names: Vec::new() };
    let bill = schema.add(Type { name: "Test.Bill".into(), kind: number });
    let field = Field { name: "number".into(), ty: bill, optional: false, default: None };
    schema.add(Type { name: "Test.Call".into(), kind: record::Kind::Sequence(vec![field]) });
    schema
}

/// `[odd.x]`: odd numbers go to "true", others to "false"; 13 is refused.
pub(crate) struct Odd;
/// `[double.x]`: makes a `Test.Bill` of a `Test.Call`, with twice the number.
pub(crate) struct Double;

pub(crate) fn kinds() -> Vec<&'static dyn Kind> {
    vec![&Odd, &Double, &Size, &tumbling::Tumbling, &countdown::Countdown]
}

/// `[size.x]`: has the streams "small" and "large"; it never runs.
pub(crate) struct Size;

impl Kind for Size {
    fn name(&self) -> &'static str {
        "size"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    fn build(&self, _: &Settings, _: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        Ok(Box::new(OddTemplate([Output::passing("small"), Output::passing("large")])))
    }
}

impl Kind for Odd {
    fn name(&self) -> &'static str {
        "odd"
    }

    fn keys(&self) -> &'static [&'static str] {
        &["script"]
    }

    fn build(&self, _: &Settings, _: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        Ok(Box::new(OddTemplate([Output::passing("true"), Output::passing("false")])))
    }
}

struct OddTemplate([Output; 2]);

impl Template for OddTemplate {
    fn input(&self) -> Option<TypeId> {
        None
    }

    fn outputs(&self) -> &[Output] {
        &self.0
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(OddNode)
    }
}

struct OddNode;

impl Node for OddNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let at = memory
            .component(record.root, 0)
            .ok_or_else(|| Refusal::new(&Fixed("refused", "no number")))?;
        let number = memory.number(at).map_err(|fault| Refusal::new(&fault))?;
        if number == 13 {
            return Err(Refusal::new(&Fixed("refused", "13 brings bad luck")));
        }
        Ok(Passed::On(u16::from(number % 2 == 0), record))
    }
}

impl Kind for Double {
    fn name(&self) -> &'static str {
        "double"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    fn build(
        &self,
        _: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let call = types.find("Test.Call").expect("in the test's schema");
        let bill = types.find("Test.Bill").expect("in the test's schema");
        Ok(Box::new(DoubleTemplate { call, outputs: [Output::of_type("out", bill)] }))
    }
}

struct DoubleTemplate {
    call: TypeId,
    outputs: [Output; 1],
}

impl Template for DoubleTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.call)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(DoubleNode(self.outputs[0].ty.expect("made with a type")))
    }
}

struct DoubleNode(TypeId);

impl Node for DoubleNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        out: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let at = memory
            .component(record.root, 0)
            .ok_or_else(|| Refusal::new(&Fixed("refused", "no number")))?;
        let number = memory.number(at).map_err(|fault| Refusal::new(&fault))?;
        let bill = memory.create(self.0);
        memory.set_number(bill.root, number * 2);
        out.emit(0, bill);
        Ok(Passed::Emitted)
    }
}
