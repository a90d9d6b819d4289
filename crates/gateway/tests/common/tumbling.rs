//! `[tumbling.x]`: counts records in windows. In a record `35`, 3 is the window and 5 the subscriber. A window lasts for
//! 10 milliseconds of event time; then a `Test.Bill` with the count of each subscriber goes on. With `time = "arrival"`, a
//! count goes on a minute after its last record came. Its state is on disk, or with `state = "memory"` in memory.
use std::sync::Arc;

use diagnostics::Diagnostic;
use node::{
    Claims, JobNumber, KeyedOctets, KeyedState, Kind, Node, OnDisk, Origin, Output, Outputs,
    Passed, RecordEnd, Refusal, StateChanges, Template, Time, Timer, TimerEquipment, ValueReader,
    Values,
};
use reason::Fixed;
use record::{Memory, Record, TypeId, Types};
use settings::Settings;

pub(crate) struct Tumbling;
struct TumblingTemplate([Output; 1], TypeId, Time, Arc<Claims>, Option<Arc<Values>>);
struct TumblingNode(TypeId, Time, KeyedOctets);

#[rustfmt::skip]
impl Kind for Tumbling {
    fn name(&self) -> &'static str { "tumbling" }
    fn keys(&self) -> &'static [&'static str] { &["state", "time"] }
    fn build(&self, of: &Settings, types: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let bill = types.find("Test.Bill").expect("in the test's schema");
        let by = if of.get("time").is_some() { Time::Arrival } else { Time::Event };
        let values = of.get("state").map(|_| Arc::new(Values::new("tumbling".into(), None, 1 << 20)));
        Ok(Box::new(TumblingTemplate([Output::of_type("out", bill)], bill, by, Arc::new(Claims::new(1 << 20)), values)))
    }
}

#[rustfmt::skip]
impl Template for TumblingTemplate {
    fn input(&self) -> Option<TypeId> { None }
    fn outputs(&self) -> &[Output] { &self.0 }
    fn has_timers(&self) -> bool { true }
    fn state(&self) -> Option<KeyedState<'_>> {
        let add = |_: &[u8], other: &[u8]| Ok(other.to_vec());
        Some(match &self.4 {
            Some(values) => KeyedState::InMemory(&**values),
            None => KeyedState::OnDisk(OnDisk { memory_octets: 1 << 20, keyed_by: [0; 16], add }),
        })
    }
    fn instance(&self) -> Box<dyn Node> {
        let claims = Arc::clone(&self.3);
        Box::new(TumblingNode(self.1, self.2, match &self.4 {
            Some(values) => KeyedOctets::in_memory(claims, Arc::clone(values)),
            None => KeyedOctets::new(claims),
        }))
    }
}

#[rustfmt::skip]
impl Node for TumblingNode {
    fn process(&mut self, memory: &mut Memory<'_>, record: Record, origin: &Origin<'_>, _: &mut Outputs) -> Result<Passed, Refusal> {
        let at = memory.component(record.root, 0).ok_or_else(|| Refusal::new(&Fixed("refused", "no number")))?;
        let number = memory.number(at).map_err(|fault| Refusal::new(&fault))?;
        let (key, begin_ms) = (number.to_string(), number / 10 * 10);
        let end_ms = match self.1 {
            Time::Event if self.2.advance_time(origin, begin_ms)? > begin_ms => return Err(Refusal::new(&Fixed("refused", "its window is over"))),
            Time::Event => begin_ms + 10,
            Time::Arrival => self.2.now_ms()? + 60_000,
        };
        let count = self.2.get(&key)?.map_or(0, |count| count[0]);
        self.2.put(&key, [count + 1])?;
        self.2.set_timer(&key, Timer { at_ms: end_ms, by: self.1 }).map(|()| Passed::Emitted)
    }
    fn fire_timer(&mut self, memory: &mut Memory<'_>, (key, _): (&str, Timer), out: &mut Outputs) -> Result<(), Refusal> {
        let Some(&[count]) = self.2.get(key)? else { return Ok(()) };
        let bill = memory.create(self.0);
        memory.set_number(bill.root, count.into());
        out.emit(0, bill);
        self.2.delete(key)
    }
    fn take_timer(&mut self, key: &str, timer: Timer) -> Result<bool, Refusal> { self.2.take_timer(key, timer) }
    fn equip_timers(&mut self, equipment: TimerEquipment) { self.2.equip_timers(equipment) }
    fn attach(&mut self, reader: Box<dyn ValueReader>) { self.2.attach(reader) }
    fn begin_file(&mut self, job: JobNumber, _: &str) { self.2.begin_file(job) }
    fn end_record(&mut self, end: RecordEnd) { self.2.end_record(end) }
    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> { self.2.end_file() }
}
