//! `[tumbling.x]`: counts records in windows. In a record `35`, 5 is the key and 3 the window. The first record of a
//! later window makes a `Test.Bill` with the count of the key's previous window. A record of window 9 deletes its key.
//! Its state is on disk, or with `state = "memory"` in memory.

use std::sync::Arc;

use diagnostics::Diagnostic;
use node::{
    Claims, JobNumber, KeyedOctets, KeyedState, Kind, Node, OnDisk, Origin, Output, Outputs,
    Passed, RecordEnd, Refusal, StateChanges, Template, ValueReader, Values,
};
use record::{Memory, Record, TypeId, Types};
use settings::Settings;

pub(crate) struct Tumbling;
struct TumblingTemplate([Output; 1], TypeId, Arc<Claims>, Option<Arc<Values>>);
struct TumblingNode(TypeId, KeyedOctets);

#[rustfmt::skip]
impl Kind for Tumbling {
    fn name(&self) -> &'static str {
        "tumbling"
    }
    fn keys(&self) -> &'static [&'static str] {
        &["state"]
    }
    fn build(&self, of: &Settings, types: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let bill = types.find("Test.Bill").expect("in the test's schema");
        let claims = Arc::new(Claims::new(1 << 20));
        let values = of.get("state").map(|_| Arc::new(Values::new("tumbling".into(), None, 1 << 20)));
        Ok(Box::new(TumblingTemplate([Output::making("out", bill)], bill, claims, values)))
    }
}

#[rustfmt::skip]
impl Template for TumblingTemplate {
    fn input(&self) -> Option<TypeId> {
        None
    }
    fn outputs(&self) -> &[Output] {
        &self.0
    }
    fn state(&self) -> Option<KeyedState<'_>> {
        let add = |_: &[u8], other: &[u8]| Ok(other.to_vec());
        Some(match &self.3 {
            Some(values) => KeyedState::InMemory(&**values),
            None => KeyedState::OnDisk(OnDisk { memory_octets: 1 << 20, keyed_by: [0; 16], add }),
        })
    }
    fn instance(&self) -> Box<dyn Node> {
        let claims = Arc::clone(&self.2);
        Box::new(TumblingNode(self.1, match &self.3 {
            Some(values) => KeyedOctets::in_memory(claims, Arc::clone(values)),
            None => KeyedOctets::new(claims),
        }))
    }
}

#[rustfmt::skip]
impl Node for TumblingNode {
    fn process(&mut self, memory: &mut Memory<'_>, record: Record, _: &Origin<'_>, out: &mut Outputs) -> Result<Passed, Refusal> {
        let at = memory.component(record.root, 0).ok_or_else(|| Refusal::new("no number"))?;
        let number = memory.number(at).map_err(|fault| Refusal::new(fault.to_string()))? as u8;
        let (window, key) = (number / 10, (number % 10).to_string());
        let (of, count) = match self.1.get(&key)? {
            Some(&[of, count]) => (of, count),
            _ => (window, 0),
        };
        match window {
            late if late < of => return Err(Refusal::new("its window is over")),
            same if same == of => self.1.put(&key, [of, count + 1])?,
            later => {
                let bill = memory.create(self.0);
                memory.set_number(bill.root, count.into());
                out.emit(0, bill);
                if later == 9 { self.1.delete(&key)? } else { self.1.put(&key, [later, 1])? }
            }
        }
        Ok(Passed::Emitted)
    }
    fn attach(&mut self, keeper: Box<dyn ValueReader>) { self.1.attach(keeper) }
    fn begin_file(&mut self, job: JobNumber, _: &str) { self.1.begin_file(job) }
    fn end_record(&mut self, end: RecordEnd) { self.1.end_record(end) }
    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> { self.1.end_file() }
}
