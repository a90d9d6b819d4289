//! Constants and tables that instructions refer to by number, each kept once.

use record::TypeId;

use crate::builtin::BuiltIn;
use crate::code::{Column, Pool};
use crate::tariff::Question;
use crate::value::{Area, Octets};

impl Pool {
    pub(super) fn number(&mut self, number: i64) -> u16 {
        place(&mut self.constants, number as u64)
    }

    pub(super) fn string(&mut self, octets: &[u8]) -> u16 {
        let offset = self.octets.windows(octets.len().max(1)).position(|known| known == octets);
        let offset = offset.unwrap_or_else(|| {
            self.octets.extend_from_slice(octets);
            self.octets.len() - octets.len()
        });
        let string = Octets::new(Area::Constants, offset as u32, octets.len() as u32);
        place(&mut self.constants, string.0)
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
