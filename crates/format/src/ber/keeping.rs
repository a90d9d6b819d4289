//! Stores records from file to file as BER, whatever format they came in. Unchanged values keep their original octets.

use std::sync::Arc;

use asn1::Plan;
use asn1::ber::{Decoder, Encoder};
use node::{Codec, StateError};
use record::{Arena, Memory, Record, TypeId};

use super::BerInput;
use super::layout::layout;
use crate::coding::{Input, Keeping};

/// Records of one type.
pub(crate) struct BerKeeping {
    plan: Arc<Plan>,
    ty: TypeId,
    input: BerInput,
}

impl BerKeeping {
    pub(crate) fn new(plan: &Arc<Plan>, ty: TypeId) -> Self {
        let input = BerInput::of_records(Arc::clone(plan), ty);
        BerKeeping { plan: Arc::clone(plan), ty, input }
    }
}

impl Keeping for BerKeeping {
    fn codec(&self) -> Box<dyn Codec> {
        Box::new(BerCodec { plan: Arc::clone(&self.plan), ty: self.ty })
    }

    fn input(&self) -> &dyn Input {
        &self.input
    }

    fn layout(&self) -> String {
        layout(self.plan.specification(), self.ty)
    }
}

struct BerCodec {
    plan: Arc<Plan>,
    ty: TypeId,
}

impl Codec for BerCodec {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        to: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        let mut encoder = Encoder::new(&self.plan, self.ty);
        encoder.encode(memory, record, to).map_err(StateError::octets)
    }

    fn read(&mut self, octets: &[u8], arena: &mut Arena) -> Result<Record, StateError> {
        let mark = arena.mark();
        let decoder = Decoder::new(&self.plan, self.ty);
        let decoded = decoder.decode(octets, arena);
        let record = decoded.map_err(|error| StateError::octets(decoder.explain(octets, error)))?;
        arena.adopt(mark, record.root, octets);
        Ok(record)
    }
}
