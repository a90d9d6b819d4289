//! Writes the parts of a price into fields of a record.

use std::io::Write;

use ::rating::{AmountRoom, Money, Priced};
use node::Refusal;
use reason::Coded;
use record::{Memory, Path, Record, TypeId};

/// The parts of a price that may be written into a record.
pub(super) const RESULTS: [(&str, Take); 7] = [
    ("total", |priced| Part::Amount(priced.total)),
    ("net", |priced| Part::Amount(priced.net)),
    ("tax", |priced| Part::Amount(priced.tax)),
    ("class", |priced| Part::Name(priced.class)),
    ("currency", |priced| Part::Name(priced.total.currency.code())),
    ("counted", |priced| Part::Count(priced.billed)),
    ("free", |priced| Part::Count(priced.free)),
];

/// Returns a part of a price.
pub(super) type Take = for<'p> fn(&'p Priced<'p>) -> Part<'p>;

/// A part of a price.
pub(super) enum Part<'p> {
    Amount(Money),
    Name(&'p str),
    Count(u64),
}

/// The field for a result.
#[derive(Clone)]
pub(super) struct ResultField {
    pub(super) part: Take,
    pub(super) path: Path,
    /// The unit of the number in billionths, if the field is a number.
    pub(super) unit: Option<i128>,
}

impl ResultField {
    /// Returns the types that the path enters.
    pub(super) fn entered(&self) -> impl Iterator<Item = TypeId> + '_ {
        self.path.entered().iter().copied()
    }
}

/// Writes prices into records, in one worker.
pub(super) struct PriceWriter {
    pub(super) fields: Vec<ResultField>,
    /// A buffer for a result.
    pub(super) written: Vec<u8>,
}

impl PriceWriter {
    pub(super) fn write(
        &mut self,
        memory: &mut Memory<'_>,
        made: Record,
        priced: &Priced<'_>,
    ) -> Result<(), Refusal> {
        for field in &self.fields {
            if field.path.is_taken(memory, made) {
                return Err(Refusal::new(&PriceError::NoPlace));
            }
            let part = (field.part)(priced);
            if let Some(unit) = field.unit {
                let number = part.number(unit).ok_or_else(|| does_not_fit(priced))?;
                let at = field.path.make(memory, made);
                memory.set_number(at, number);
            } else {
                self.written.clear();
                part.write(&mut self.written);
                let at = field.path.make(memory, made);
                memory.set_octets(at, &self.written);
            }
        }
        Ok(())
    }
}

impl Part<'_> {
    /// Returns it as a number of money units, or as a count.
    fn number(&self, unit: i128) -> Option<i64> {
        match self {
            Part::Amount(money) => money.in_units(unit),
            Part::Count(count) => i64::try_from(*count).ok(),
            Part::Name(_) => None,
        }
    }

    fn write(&self, room: &mut Vec<u8>) {
        match self {
            Part::Amount(money) => {
                room.extend_from_slice(money.amount().write(&mut [0; size_of::<AmountRoom>()]));
            }
            Part::Count(count) => write!(room, "{count}").expect("a vector takes all"),
            Part::Name(name) => room.extend_from_slice(name.as_bytes()),
        }
    }
}

/// Why a price cannot be written into a record.
#[derive(Debug, thiserror::Error, Coded)]
#[code("price")]
pub(crate) enum PriceError {
    /// The field of the price is in another alternative of a CHOICE than the record has.
    #[error("the price has no place: the record has another alternative")]
    NoPlace,
    /// The unit of the field is too large for the price.
    #[error("{amount} is no whole number of the unit of its field")]
    NotWhole { amount: String },
}

#[cold]
fn does_not_fit(priced: &Priced<'_>) -> Refusal {
    Refusal::new(&PriceError::NotWhole { amount: priced.total.to_string() })
}
