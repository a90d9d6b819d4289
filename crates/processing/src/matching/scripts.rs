//! The functions of a matching node's script, in one worker.

use std::fmt::Write as _;

use node::{Codec, Evaluator, Outputs, Refusal, Value, write_key_octet};
use record::{Memory, Record, SlotIndex, TypeId};

use super::OUT;
use super::groups::GroupPart;
use super::refusal::GroupRefusal;
use super::sums::Summing;
use crate::key_error::{KEY_OCTETS_MAX, KeyError};
use crate::script::Caller;

pub(super) struct Scripts {
    pub(super) key: Vec<Box<dyn Evaluator>>,
    pub(super) time: Option<Box<dyn Evaluator>>,
    pub(super) complete: Option<Caller>,
    pub(super) combine: Caller,
    pub(super) made: TypeId,
    pub(super) emits: bool,
    pub(super) deep: bool,
    pub(super) order: Order,
    pub(super) summing: Summing,
}

/// The order in which scripts read the records of a group.
pub(super) struct Order {
    /// The type of a list of records.
    pub(super) list: TypeId,
    places: Vec<usize>,
}

impl Scripts {
    /// Writes the key of a record for users: its values, with slashes between them. Different keys have different
    /// texts.
    pub(super) fn key(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        written: &mut String,
    ) -> Result<(), Refusal> {
        written.clear();
        let slashes = self.key.len().saturating_sub(1);
        for (place, part) in self.key.iter_mut().enumerate() {
            if place > 0 {
                written.push('/');
            }
            match part.evaluate(memory, record)? {
                Value::Integer(number) => write!(written, "{number}").expect("a text takes all"),
                Value::Octets(octets) => {
                    octets.iter().for_each(|octet| write_key_octet(*octet, written))
                }
            }
        }
        match written.len() {
            length if length == slashes => Err(Refusal::new(&KeyError::Empty)),
            ..=KEY_OCTETS_MAX => Ok(()),
            _ => Err(Refusal::new(&KeyError::TooLong)),
        }
    }

    /// Returns when a record was made, in milliseconds since 1970.
    pub(super) fn time_ms(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
    ) -> Result<Option<i64>, Refusal> {
        let Some(time) = &mut self.time else { return Ok(None) };
        let ms = match time.evaluate(memory, record)? {
            Value::Integer(seconds) => seconds.checked_mul(1_000),
            Value::Octets(_) => None,
        };
        ms.map(Some).ok_or_else(|| Refusal::new(&GroupRefusal::NoTime))
    }

    /// Combines the records of a group if it is complete. Its last record is the current one. Returns whether it is
    /// complete.
    pub(super) fn complete(
        &mut self,
        memory: &mut Memory<'_>,
        codec: &mut dyn Codec,
        parts: &[GroupPart],
        in_hand: Record,
        out: &mut Outputs,
    ) -> Result<bool, Refusal> {
        let Some(complete) = &mut self.complete else { return Ok(false) };
        let list = self.order.list(memory, codec, parts, Some(in_hand))?;
        if !complete.call(memory, &[list])?.boolean() {
            return Ok(false);
        }
        self.combine(memory, list, out).map(|()| true)
    }

    /// Combines the records of a group.
    pub(super) fn combine(
        &mut self,
        memory: &mut Memory<'_>,
        parts: SlotIndex,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let made = memory.create(self.made);
        self.summing.begin();
        self.combine.call(memory, &[parts, made.root])?;
        if self.emits {
            for (ty, root) in self.combine.machine.emitted() {
                let record = Record { ty: *ty, root: *root };
                self.summing.made(memory, record);
                out.emit(OUT, record);
            }
            return Ok(());
        }
        if self.deep {
            let schema = self.combine.machine.program().schema();
            memory.check_depth(schema, made).map_err(|fault| Refusal::new(&fault))?;
        }
        self.summing.made(memory, made);
        out.emit(OUT, made);
        Ok(())
    }
}

impl Order {
    pub(super) fn new(list: TypeId) -> Self {
        Order { list, places: Vec::new() }
    }

    /// Makes a list of the records of a group. They are ordered by the times at which they were made, and then by their
    /// octets, so that the order of arrival does not matter; without times, by arrival. The last one may be the current
    /// record.
    pub(super) fn list(
        &mut self,
        memory: &mut Memory<'_>,
        codec: &mut dyn Codec,
        parts: &[GroupPart],
        in_hand: Option<Record>,
    ) -> Result<SlotIndex, Refusal> {
        let Order { list, places } = self;
        places.clear();
        places.extend(0..parts.len());
        if parts.iter().all(|part| part.time_ms.is_some()) {
            places.sort_unstable_by_key(|place| (parts[*place].time_ms, &parts[*place].octets));
        }
        let list = memory.create(*list).root;
        memory.make_list(list);
        for place in places {
            let record = match in_hand {
                Some(record) if *place + 1 == parts.len() => record,
                _ => codec
                    .read(&parts[*place].octets, memory.arena)
                    .map_err(|error| Refusal::new(&GroupRefusal::Unreadable(error)))?,
            };
            let at = memory.append(list);
            *memory.arena.slot_mut(at) = *memory.slot(record.root);
        }
        Ok(list)
    }
}
