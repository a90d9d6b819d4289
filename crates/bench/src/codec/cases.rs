//! The records for the measurements of the codec.

use std::iter::successors;

use ::asn1::ber::{Encoder, extent};
use ::asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory, TypeId};

use super::Measurement;
use crate::error::BenchError;

/// The octets of the work: more than the caches hold.
const WORK_OCTETS: usize = 16 << 20;

/// Records of one type, and the work with them.
pub(in super::super) struct Case {
    pub(super) name: &'static str,
    pub(super) plan: Plan,
    pub(super) ty: TypeId,
    pub(in super::super) octets: Vec<u8>,
    pub(in super::super) records: u64,
    /// The component whose number is changed: the place of each component on the way to it, and its own.
    pub(super) changed: Vec<usize>,
    /// The measurements of the rasn crate on the same records.
    pub(super) rasn: Vec<Measurement>,
}

impl Case {
    /// Returns all cases.
    pub(super) fn all() -> Result<Vec<Case>, BenchError> {
        let usage = (include_str!("usage.asn1"), "BENCH.Usage");
        let call =
            (include_str!("../../../../examples/tap/asn1/tap.asn1"), "TAP.MobileOriginatedCall");
        Ok(vec![
            Case::new("set", usage, &["version"])?.repeated(include_bytes!("usage.json"))?,
            Case::new("tap", call, &["basicCallInformation", "causeForTerm"])?
                .repeated(include_bytes!("call.json"))?,
            Case::of_switch()?,
        ])
    }

    /// Returns the case of a switching centre.
    pub(in super::super) fn of_switch() -> Result<Case, BenchError> {
        Case::new("msc", MSC, &["version"])?.simulated()
    }

    fn new(
        name: &'static str,
        (module, ty): (&'static str, &str),
        changed: &[&str],
    ) -> Result<Case, BenchError> {
        let (modules, _) = Modules::read(&[Source::new(name, module)]);
        let mut resolver = Resolver::new(&modules);
        let ty = resolver.resolve(ty).map_err(BenchError::Mistakes)?;
        let plan = Plan::compile(resolver.finish());
        let changed = places(&plan, ty, changed);
        let rasn = super::compare::measurements(name);
        Ok(Case { name, plan, ty, octets: Vec::new(), records: 0, changed, rasn })
    }

    /// Fills the case with one record, repeated.
    fn repeated(mut self, json: &[u8]) -> Result<Case, BenchError> {
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let mut octets = Vec::new();
        let record = jer::read(&self.plan, &mut memory, self.ty, json)?;
        Encoder::new(&self.plan, self.ty).encode(&memory, record, &mut octets)?;
        let count = WORK_OCTETS / octets.len();
        self.octets = octets.repeat(count);
        self.records = count as u64;
        Ok(self)
    }

    /// Fills the case with simulated records of a switching centre, no two alike.
    fn simulated(mut self) -> Result<Case, BenchError> {
        let options = ::simulate::cdr::Options {
            bytes: Some(WORK_OCTETS as u64),
            files: 1,
            ..::simulate::cdr::Options::default()
        };
        let expected = ::simulate::cdr::generate_in_memory(&options, 0, &mut self.octets)?;
        self.records = expected.records;
        Ok(self)
    }

    /// Returns the octets of each record.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let record = |start| Some((start, extent(&self.octets, start).ok()?));
        successors(record(0), move |(_, end)| record(*end))
            .map(|(start, end)| &self.octets[start..end])
    }
}

const MSC: (&str, &str) =
    (include_str!("../../../../examples/msc-billing/asn1/msc.asn1"), "MSC.CallDataRecord");

/// Returns the places of nested components.
fn places(plan: &Plan, mut ty: TypeId, names: &[&str]) -> Vec<usize> {
    let mut places = Vec::new();
    for name in names {
        let fields = plan.schema().kind(ty).fields();
        let place = fields.iter().position(|field| field.name == *name);
        let place = place.expect("the modules of the cases have these components");
        places.push(place);
        ty = fields[place].ty;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::walk;

    #[test]
    fn the_records_are_what_the_issue_asks_for() {
        let cases = Case::all().expect("the cases can be made");
        let shape = |case: &Case| {
            let record = case.each().next().unwrap_or_default();
            (record.len(), walk(record, 0, record.len()).unwrap_or(0))
        };
        assert_eq!(shape(&cases[0]), (191, 34));
        assert_eq!(shape(&cases[1]).1, 46);
        for case in &cases {
            assert_eq!(case.each().count() as u64, case.records, "{}", case.name);
        }
    }
}
