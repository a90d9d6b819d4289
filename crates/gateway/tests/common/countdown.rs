//! `[countdown.x]`: a record `13` sets a timer that is due at once. Each time it fires, a `Test.Bill` with the number goes
//! on, and the timer is set again for the number before, until that ends with 0. The timer of the number 8 is refused.

use std::sync::Arc;

use diagnostics::Diagnostic;
use node::{
    Claims, JobNumber, KeyedOctets, KeyedState, Kind, Node, OnDisk, Origin, Output, Outputs,
    Passed, RecordEnd, Refusal, StateChanges, Template, Time, Timer, TimerEquipment, ValueReader,
};
use reason::Fixed;
use record::{Memory, Record, TypeId, Types};
use settings::Settings;

pub(crate) struct Countdown;
struct CountdownTemplate([Output; 1], TypeId, Arc<Claims>);
struct CountdownNode(TypeId, KeyedOctets);

const AT_ONCE: Timer = Timer { at_ms: 0, by: Time::Event };

#[rustfmt::skip]
impl Kind for Countdown {
    fn name(&self) -> &'static str { "countdown" }
    fn keys(&self) -> &'static [&'static str] { &[] }
    fn build(&self, _: &Settings, types: &mut dyn Types) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let bill = types.find("Test.Bill").expect("in the test's schema");
        Ok(Box::new(CountdownTemplate([Output::of_type("out", bill)], bill, Arc::new(Claims::new(1 << 20)))))
    }
}

#[rustfmt::skip]
impl Template for CountdownTemplate {
    fn input(&self) -> Option<TypeId> { None }
    fn outputs(&self) -> &[Output] { &self.0 }
    fn has_timers(&self) -> bool { true }
    fn state(&self) -> Option<KeyedState<'_>> {
        let add = |_: &[u8], other: &[u8]| Ok(other.to_vec());
        Some(KeyedState::OnDisk(OnDisk { memory_octets: 1 << 20, keyed_by: [0; 16], add }))
    }
    fn instance(&self) -> Box<dyn Node> {
        Box::new(CountdownNode(self.1, KeyedOctets::new(Arc::clone(&self.2))))
    }
}

#[rustfmt::skip]
impl Node for CountdownNode {
    fn process(&mut self, memory: &mut Memory<'_>, record: Record, origin: &Origin<'_>, _: &mut Outputs) -> Result<Passed, Refusal> {
        let at = memory.component(record.root, 0).ok_or_else(|| Refusal::new(&Fixed("refused", "no number")))?;
        let number = memory.number(at).map_err(|fault| Refusal::new(&fault))?;
        let key = number.to_string();
        self.1.advance_time(origin, 0)?;
        self.1.put(&key, [number as u8])?;
        self.1.set_timer(&key, AT_ONCE).map(|()| Passed::Emitted)
    }
    fn fire_timer(&mut self, memory: &mut Memory<'_>, (key, _): (&str, Timer), out: &mut Outputs) -> Result<(), Refusal> {
        let number = self.1.get(key)?.map_or(0, |number| number[0]);
        if number == 8 { return Err(Refusal::new(&Fixed("refused", "8 is no number to count down from"))); }
        let bill = memory.create(self.0);
        memory.set_number(bill.root, number.into());
        out.emit(0, bill);
        if number % 10 == 0 { return self.1.delete(key); }
        self.1.put(key, [number - 1])?;
        self.1.set_timer(key, AT_ONCE)
    }
    fn take_timer(&mut self, key: &str, timer: Timer) -> Result<bool, Refusal> { self.1.take_timer(key, timer) }
    fn equip_timers(&mut self, equipment: TimerEquipment) { self.1.equip_timers(equipment) }
    fn attach(&mut self, reader: Box<dyn ValueReader>) { self.1.attach(reader) }
    fn begin_file(&mut self, job: JobNumber, _: &str) { self.1.begin_file(job) }
    fn end_record(&mut self, end: RecordEnd) { self.1.end_record(end) }
    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> { self.1.end_file() }
}
