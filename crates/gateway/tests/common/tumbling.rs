//! `[tumbling.x]`: counts records in windows. In a record `35`, 5 is the key and 3 the window. The first record of a
//! later window makes a `Test.Bill` with the count of the key's previous window. A record of window 9 deletes its key.

use std::sync::Arc;

use diagnostics::Diagnostic;
use node::{
    Claims, JobNumber, Keeper, Keeps, KeyedOctets, Kind, Node, Noted, Origin, Output, Outputs,
    Passed, RecordEnd, Refusal, Template,
};
use record::{Memory, Record, TypeId, Types};
use settings::Settings;

pub(crate) struct Tumbling;
struct TumblingTemplate([Output; 1], TypeId, Arc<Claims>);
struct TumblingNode(TypeId, KeyedOctets);

impl Kind for Tumbling {
    fn name(&self) -> &'static str {
        "tumbling"
    }
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }
    fn build(
        &self,
        _: &Settings,
        of: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let bill = of.find("Test.Bill").expect("in the test's schema");
        let claims = Arc::new(Claims::new(1 << 20));
        Ok(Box::new(TumblingTemplate([Output::making("out", bill)], bill, claims)))
    }
}

impl Template for TumblingTemplate {
    fn input(&self) -> Option<TypeId> {
        None
    }
    fn outputs(&self) -> &[Output] {
        &self.0
    }
    fn keeps(&self) -> Option<Keeps> {
        let add = |_: &[u8], other: &[u8]| Ok(other.to_vec());
        Some(Keeps { memory_octets: 1 << 20, keyed_by: [0; 16], add })
    }
    fn instance(&self) -> Box<dyn Node> {
        Box::new(TumblingNode(self.1, KeyedOctets::new(Arc::clone(&self.2))))
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
    fn entrust(&mut self, keeper: Box<dyn Keeper>) { self.1.entrust(keeper) }
    fn begin_file(&mut self, job: JobNumber, _: &str) { self.1.begin_file(job) }
    fn end_record(&mut self, end: RecordEnd) { self.1.end_record(end) }
    fn end_file(&mut self) -> Option<Box<dyn Noted>> { self.1.end_file() }
}
