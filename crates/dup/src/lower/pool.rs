//! The constants and tables that instructions refer to by number, each stored once.

use record::TypeId;

use crate::builtin::BuiltIn;
use crate::code::{Column, Pool};
use crate::tariff::Question;
use crate::value::{Area, Octets};

/// Maximum entries of each list of the pool: instructions address them with 16 bits.
const PLACES_MAX: usize = 1 << 16;

impl Pool {
    /// Returns whether all entries are addressable. If not, the compiled code is wrong and must be discarded.
    pub(super) fn is_addressable(&self) -> bool {
        let lengths = [
            self.constants.len(),
            self.number_sets.len(),
            self.octet_sets.len(),
            self.switches.len(),
            self.octet_switches.len(),
            self.types.len(),
            self.pairs.len(),
            self.columns.len(),
            self.questions.len(),
        ];
        lengths.iter().all(|length| *length <= PLACES_MAX)
    }

    /// Frees the indexes that only compilation needs.
    pub(crate) fn forget_places(&mut self) {
        (self.known_numbers, self.known_strings) = Default::default();
    }

    pub(super) fn number(&mut self, number: i64) -> u16 {
        let constants = &mut self.constants;
        let place = self.known_numbers.entry(number as u64).or_insert_with(|| {
            constants.push(number as u64);
            constants.len() - 1
        });
        *place as u16
    }

    pub(super) fn string(&mut self, octets: &[u8]) -> u16 {
        if let Some(place) = self.known_strings.get(octets) {
            return *place as u16;
        }
        let string = Octets::new(Area::Constants, self.octets.len() as u32, octets.len() as u32);
        self.octets.extend_from_slice(octets);
        self.constants.push(string.0);
        let place = self.constants.len() - 1;
        self.known_strings.insert(octets.to_vec(), place);
        place as u16
    }

    pub(super) fn built_in(&mut self, function: &'static BuiltIn) -> u16 {
        let known = self.built_ins.iter().position(|known| known.name == function.name);
        known.unwrap_or_else(|| {
            self.built_ins.push(function);
            self.built_ins.len() - 1
        }) as u16
    }

    pub(super) fn ty(&mut self, ty: TypeId) -> u16 {
        place(&mut self.types, ty)
    }

    pub(super) fn pair(&mut self, from: TypeId, to: TypeId) -> u16 {
        place(&mut self.pairs, (from, to))
    }

    pub(super) fn question(&mut self, question: Question) -> u16 {
        place(&mut self.questions, question)
    }

    pub(super) fn column(&mut self, column: Column) -> u16 {
        place(&mut self.columns, column)
    }
}

fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> u16 {
    let known = list.iter().position(|known| *known == item);
    known.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    }) as u16
}
