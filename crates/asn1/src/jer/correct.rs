//! Corrects a record through its JSON form. Only values edited in the JSON change; the others keep their original
//! octets. JSON cannot represent everything in them: unknown elements, non-minimal integers, text in other encodings.

use std::collections::BTreeMap;

use record::{Field, Flags, Kind, Memory, Record, Slot, SlotIndex, State, TypeId};

use super::json::Json;
use super::read::{ReadError, Reader};
use super::{Options, write};
use crate::Plan;

/// Maximum pairs of list elements to compare. Elements of longer lists are paired by position.
const COMPARED_MAX: usize = 1 << 20;

/// Applies an edited JSON text to a decoded record. If the length of a list changed, elements that occur in both
/// versions keep their octets. Returns `false` and changes nothing if the record has no JSON form to compare with.
pub fn correct(
    plan: &Plan,
    memory: &mut Memory<'_>,
    record: Record,
    options: Options,
    text: &[u8],
) -> Result<bool, ReadError> {
    let mut written = Vec::new();
    if write(plan, memory, record, options, &mut written).is_err() {
        return Ok(false);
    }
    let Ok(before) = Json::read_exactly(&written) else { return Ok(false) };
    let after = Json::read_exactly(text)?;
    let mut reader = Reader { plan, options, memory, unknown: None };
    let corrected = reader.correct(record.ty, record.root, &before, &after);
    corrected.map(|()| true).map_err(|error| error.within(&plan.schema().get(record.ty).name))
}

impl<'r> Reader<'r, '_, '_> {
    /// Changes an existing value from `before` to `after`.
    fn correct(
        &mut self,
        ty: TypeId,
        at: SlotIndex,
        before: &Json,
        after: &Json,
    ) -> Result<(), ReadError> {
        if before == after {
            return Ok(());
        }
        let plan: &'r Plan = self.plan;
        match (plan.schema().kind(ty), before, after) {
            (
                Kind::Sequence(fields) | Kind::Set(fields),
                Json::Object(before),
                Json::Object(after),
            ) => self.correct_structure(ty, fields, at, before, after),
            (Kind::Choice(fields), Json::Object(before), Json::Object(after)) => {
                let same = before.iter().next().filter(|_| after.len() == 1);
                match (
                    same.and_then(|(name, old)| Some((name, old, after.get(name)?))),
                    self.memory.chosen(at),
                ) {
                    (Some((name, old, new)), Some((place, slot))) => {
                        self.memory.touch(at);
                        self.correct(fields[place].ty, slot, old, new)
                            .map_err(|error| error.within(name))
                    }
                    _ => self.replace(ty, at, &Json::Object(after.clone())),
                }
            }
            (
                Kind::SequenceOf(element) | Kind::SetOf(element),
                Json::Array(before),
                Json::Array(after),
            ) => self.correct_list(*element, at, before, after),
            _ => self.replace(ty, at, after),
        }
    }

    /// Replaces a value completely.
    fn replace(&mut self, ty: TypeId, at: SlotIndex, value: &Json) -> Result<(), ReadError> {
        self.memory.delete(at);
        self.value(ty, at, value)
    }

    fn correct_structure(
        &mut self,
        ty: TypeId,
        fields: &[Field],
        at: SlotIndex,
        before: &BTreeMap<String, Json>,
        after: &BTreeMap<String, Json>,
    ) -> Result<(), ReadError> {
        let frame = self.memory.make_structure(at, fields.len());
        let slot = |place: usize| SlotIndex(frame.0 + place as u32);
        // As when reading a record: the component that selects an open type comes before its value.
        for is_open in [false, true] {
            for (name, new) in after {
                let place = self.place(ty, fields, name)?;
                let field = &fields[place];
                if (*self.plan.schema().kind(field.ty) == Kind::Open) != is_open {
                    continue;
                }
                let selector = self.plan.selector(field.ty).map(|place| &fields[place].name);
                let means_the_same =
                    selector.is_none_or(|name| before.get(name) == after.get(name));
                let corrected = match before.get(name) {
                    Some(old) if old == new && means_the_same => Ok(()),
                    Some(old) if !is_open => self.correct(field.ty, slot(place), old, new),
                    _ => {
                        self.memory.delete(slot(place));
                        self.component(at, field.ty, slot(place), new)
                    }
                };
                corrected.map_err(|error| error.within(name))?;
            }
        }
        for (place, field) in fields.iter().enumerate() {
            if !after.contains_key(&field.name) && self.memory.slot(slot(place)).is_present() {
                self.memory.delete(slot(place));
            }
        }
        Ok(())
    }

    fn correct_list(
        &mut self,
        element: TypeId,
        at: SlotIndex,
        before: &[Json],
        after: &[Json],
    ) -> Result<(), ReadError> {
        let old: Vec<Slot> = (0..before.len())
            .filter_map(|place| self.memory.element(at, place))
            .map(|at| *self.memory.slot(at))
            .collect();
        let pairs = pairs(before, after);
        let list = Slot { state: State::Made, flags: Flags::CHANGED, ..Slot::default() };
        *self.memory.arena.slot_mut(at) = list;
        self.memory.make_list(at);
        for (position, (new, pair)) in after.iter().zip(pairs).enumerate() {
            let slot = self.memory.append(at);
            let corrected = match pair.and_then(|pair| Some((old.get(pair)?, &before[pair]))) {
                Some((value, old_json)) => {
                    *self.memory.arena.slot_mut(slot) = *value;
                    self.correct(element, slot, old_json, new)
                }
                None => self.value(element, slot, new),
            };
            corrected.map_err(|error| error.within(&format!("[{position}]")))?;
        }
        Ok(())
    }
}

/// Returns, for each element of the new list, the index of the old element it corresponds to, if any. Equal elements
/// are matched first; in lists of equal length, the remaining ones are matched by position.
fn pairs(before: &[Json], after: &[Json]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; before.len()];
    let mut pairs = vec![None; after.len()];
    let mut pair = |place: usize, with: usize, pairs: &mut Vec<Option<usize>>| {
        if pairs[place].is_none() && std::mem::take(&mut is_free[with]) {
            pairs[place] = Some(with);
        }
    };
    let equal = |place: usize| before.get(place).is_some_and(|old| *old == after[place]);
    for place in (0..after.len()).filter(|place| equal(*place)) {
        pair(place, place, &mut pairs);
    }
    let is_short = before.len().saturating_mul(after.len()) <= COMPARED_MAX;
    for place in (0..after.len()).filter(|_| is_short) {
        for with in (0..before.len()).filter(|with| before[*with] == after[place]) {
            pair(place, with, &mut pairs);
        }
    }
    if before.len() == after.len() {
        (0..after.len()).for_each(|place| pair(place, place, &mut pairs));
    }
    pairs
}
