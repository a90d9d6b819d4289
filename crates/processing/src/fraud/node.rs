//! What a worker notes of records.

use std::sync::Arc;

use ::fraud::{FileUnderWay, Judgement, Note, Notes};
use ::node::{
    Committed, Evaluator, Expression, JobNumber, Node, Origin, Outputs, Passed, RecordEnd, Refusal,
    StateChanges, Value,
};
use clocks::Clock;
use measures::Seconds;
use record::{Memory, Record};

use super::expressions::Evaluated;
use super::{FraudTemplate, Input, SubjectPlan};

/// The stream of all records, and that of those that are too late, where they are put apart.
const ON: u16 = 0;
const LATE: u16 = 1;

/// The most octets of a key. A longer one is no number, and no name of a device.
const KEY_OCTETS_MAX: usize = 256;

pub(super) struct FraudNode {
    judgement: Arc<Judgement>,
    plans: Arc<Vec<SubjectPlan>>,
    time: Box<dyn Evaluator>,
    keys: Vec<Box<dyn Evaluator>>,
    evaluated: Evaluated,
    clock: Clock,
    notes: Notes,
    /// Where records go on that are too late.
    late: u16,
    /// The file that records are of.
    file: Option<FileUnderWay>,
    memory: NoteMemory,
}

/// Memory for a note.
#[derive(Default)]
struct NoteMemory {
    key: Vec<u8>,
    filters: Vec<u8>,
    inputs: Vec<(usize, i64)>,
    of_record: Vec<Option<i64>>,
}

impl FraudNode {
    pub(super) fn new(template: &FraudTemplate) -> Self {
        FraudNode {
            judgement: Arc::clone(&template.judgement),
            plans: Arc::clone(&template.plans),
            time: template.time.evaluator(),
            keys: template.plans.iter().map(|plan| plan.key.evaluator()).collect(),
            evaluated: Evaluated::new(&template.pool, &template.limits),
            clock: template.clock.clone(),
            notes: Notes::default(),
            late: if template.is_late_apart { LATE } else { ON },
            file: None,
            memory: NoteMemory::default(),
        }
    }

    /// Notes what a record of a file says of each subject, of which nothing before a time counts. Returns the stream on which it goes on.
    fn note(
        &mut self,
        memory: &mut Memory<'_>,
        (record, number): (Record, u64),
        oldest: Seconds,
    ) -> u16 {
        let time = match self.time.find(memory, record) {
            Ok(Some(Value::Integer(time))) => u32::try_from(time).ok(),
            _ => None,
        };
        let Some(time) = time else { return ON };
        self.notes.add_time(number, time);
        let local = self.clock.at(time.into()).local;
        self.evaluated.begin(u32::try_from(local.max(0)).unwrap_or(u32::MAX));
        for (place, plan) in self.plans.iter().enumerate() {
            let NoteMemory { key, filters, inputs, of_record } = &mut self.memory;
            let evaluated = &mut self.evaluated;
            filters.clear();
            filters.resize(plan.filters.len().div_ceil(8), 0);
            let mut concerns = plan.is_about_all;
            for (place, filter) in plan.filters.iter().enumerate() {
                if evaluated.is_true(memory, record, *filter) {
                    filters[place / 8] |= 1 << (place % 8);
                    concerns = true;
                }
            }
            inputs.clear();
            for (of_records, places) in &plan.counted {
                if !of_records.iter().all(|of| evaluated.is_true(memory, record, *of)) {
                    continue;
                }
                for place in places {
                    let input = match plan.measures[*place].input {
                        Input::One => Some(1),
                        Input::Number(value) => evaluated.number(memory, record, value),
                        Input::Digest(value) => evaluated.digest(memory, record, value),
                        Input::Inquiry { same, .. } => {
                            evaluated.digest(memory, record, same).map(measures::inquiry)
                        }
                        Input::Nothing => None,
                    };
                    inputs.extend(input.map(|input| (*place, input)));
                }
            }
            for (place, answers, same) in &plan.answered {
                let is_inquiry = inputs.iter().any(|(known, _)| known == place);
                if !is_inquiry && evaluated.is_true(memory, record, *answers) {
                    let answer = evaluated.digest(memory, record, *same).map(measures::answer);
                    inputs.extend(answer.map(|answer| (*place, answer)));
                }
            }
            // Most records may concern no rule: their keys are not needed.
            if !concerns && inputs.is_empty()
                || !read_key(key, self.keys[place].find(memory, record))
            {
                continue;
            }
            inputs.sort_unstable_by_key(|(place, _)| *place);
            of_record.clear();
            let of = plan.of_record.iter();
            of_record.extend(of.map(|of| evaluated.of_record(memory, record, *of)));
            let note =
                Note { record: number, time, subject: place, key, filters, inputs, of_record };
            self.notes.add(&self.judgement.rules().subjects()[place], note);
        }
        if time < oldest { self.late } else { ON }
    }
}

/// Reads a key: a number as its digits. Returns whether there is one.
fn read_key(to: &mut Vec<u8>, value: Result<Option<Value<'_>>, Refusal>) -> bool {
    to.clear();
    match value {
        Ok(Some(Value::Integer(number))) => to.extend_from_slice(number.to_string().as_bytes()),
        Ok(Some(Value::Octets(octets))) => to.extend_from_slice(octets),
        _ => return false,
    }
    !to.is_empty() && to.len() <= KEY_OCTETS_MAX
}

impl Node for FraudNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let stream = match self.file.as_ref().map(FileUnderWay::oldest) {
            Some(oldest) => self.note(memory, (record, origin.record), oldest),
            None => ON,
        };
        Ok(Passed::On(stream, record))
    }

    fn begin_file(&mut self, _: JobNumber, network_element: &str) {
        let file = self.judgement.begin_file();
        self.notes.begin(self.judgement.rules(), network_element, file.oldest());
        self.file = Some(file);
    }

    fn end_record(&mut self, end: RecordEnd) {
        self.notes.end_record(end.is_accepted());
    }

    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        let file = self.file.take()?;
        let notes = self.notes.take()?;
        Some(Box::new(NotedFile { notes: Some(notes), _file: file }))
    }
}

/// The notes of a file.
struct NotedFile {
    notes: Option<Vec<u8>>,
    /// It is under way until it is judged.
    _file: FileUnderWay,
}

impl StateChanges for NotedFile {
    fn delta(&mut self) -> Option<Vec<u8>> {
        self.notes.take()
    }

    fn committed(self: Box<Self>, _: Committed) {}
}
