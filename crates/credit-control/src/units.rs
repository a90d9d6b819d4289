//! Amounts of services: what is requested, used and granted (RFC 8506 sections 8.17 to 8.26).

use diameter::avp::{Avp, Avps};

use crate::codes::{
    CC_INPUT_OCTETS, CC_MONEY, CC_OUTPUT_OCTETS, CC_SERVICE_SPECIFIC_UNITS, CC_TIME,
    CC_TOTAL_OCTETS, CURRENCY_CODE, EXPONENT, TARIFF_CHANGE_USAGE, UNIT_VALUE, VALUE_DIGITS,
};

/// An amount of a service in the units that a client counts. None at all: the server chooses unit and amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Seconds.
    pub seconds: Option<u64>,
    /// Octets.
    pub octets: Option<u64>,
    /// What the service counts, such as messages.
    pub specific: Option<u64>,
    /// Money, in billionths: the client has the price.
    pub money: Option<u64>,
    /// The number of its currency (ISO 4217), if the client says it.
    pub currency: Option<u32>,
    /// Whether the total of octets is not the sum of both directions.
    pub octets_differ: bool,
}

/// What is used before and after a change of the tariff (section 8.27).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TariffChange {
    /// Before it.
    Before,
    /// After it.
    After,
    /// It is not known, or there is none.
    #[default]
    Unknown,
}

/// Why an amount cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitsError {
    /// An amount of money is negative, or has more digits than are counted.
    #[error(
        "an amount of money is negative, too large, smaller than a billionth, or in two currencies"
    )]
    Money,
    /// Amounts are larger than can be counted.
    #[error("an amount is too large")]
    TooLarge,
}

/// The decimals of a billionth, and the most that an exponent moves the point.
const NANO_DECIMALS: i32 = 9;
const EXPONENT_MAX: i32 = 18;

impl Units {
    /// Reads a Requested-, Used- or Granted-Service-Unit that was checked against a dictionary. With a total of octets and with those
    /// of both directions, the larger one counts.
    ///
    /// # Errors
    ///
    /// An amount is larger than can be counted.
    pub fn read(avps: Avps<'_>) -> Result<(Self, TariffChange), UnitsError> {
        let mut units = Units::default();
        let (mut total, mut input, mut output) = (None, None, None);
        let mut change = TariffChange::Unknown;
        for avp in avps.map_while(Result::ok) {
            match avp.code {
                CC_TIME => units.seconds = avp.u32().ok().map(u64::from),
                CC_TOTAL_OCTETS => total = avp.u64().ok(),
                CC_INPUT_OCTETS => input = avp.u64().ok(),
                CC_OUTPUT_OCTETS => output = avp.u64().ok(),
                CC_SERVICE_SPECIFIC_UNITS => units.specific = avp.u64().ok(),
                CC_MONEY => {
                    units.money = Some(money(&avp)?);
                    let members = || avp.members().map_while(Result::ok);
                    let currency = members().find(|of| of.code == CURRENCY_CODE);
                    units.currency = currency.and_then(|of| of.u32().ok());
                }
                TARIFF_CHANGE_USAGE => {
                    change = match avp.u32() {
                        Ok(0) => TariffChange::Before,
                        Ok(1) => TariffChange::After,
                        _ => TariffChange::Unknown,
                    };
                }
                _ => {}
            }
        }
        let both = match (input, output) {
            (None, None) => None,
            (input, output) => {
                let sum = input.unwrap_or(0).checked_add(output.unwrap_or(0));
                Some(sum.ok_or(UnitsError::TooLarge)?)
            }
        };
        units.octets = total.max(both);
        units.octets_differ = total.zip(both).is_some_and(|(total, both)| total != both);
        Ok((units, change))
    }

    /// Returns whether no unit is named.
    pub fn is_empty(&self) -> bool {
        *self == Units::default()
    }

    /// Adds what is used of the same service.
    ///
    /// # Errors
    ///
    /// The sum is larger than can be counted.
    pub fn plus(self, other: Self) -> Result<Self, UnitsError> {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => {
                one.checked_add(other).map(Some).ok_or(UnitsError::TooLarge)
            }
            (one, other) => Ok(one.or(other)),
        };
        if let (Some(one), Some(other)) = (self.currency, other.currency)
            && one != other
        {
            return Err(UnitsError::Money);
        }
        Ok(Units {
            seconds: sum(self.seconds, other.seconds)?,
            octets: sum(self.octets, other.octets)?,
            specific: sum(self.specific, other.specific)?,
            money: sum(self.money, other.money)?,
            currency: self.currency.or(other.currency),
            octets_differ: self.octets_differ || other.octets_differ,
        })
    }
}

/// Reads a CC-Money in billionths: digits and an exponent of ten (sections 8.8 to 8.10, 8.22).
fn money(group: &Avp<'_>) -> Result<u64, UnitsError> {
    let value = group.members().map_while(Result::ok).find(|avp| avp.code == UNIT_VALUE);
    let (mut digits, mut exponent) = (0, 0);
    for avp in value.iter().flat_map(Avp::members).map_while(Result::ok) {
        match avp.code {
            VALUE_DIGITS => digits = avp.i64().unwrap_or(-1),
            EXPONENT => exponent = avp.i32().unwrap_or(i32::MAX),
            _ => {}
        }
    }
    if !(-EXPONENT_MAX..=EXPONENT_MAX).contains(&exponent) {
        return Err(UnitsError::Money);
    }
    let power = |decimals: i32| 10_i128.pow(decimals.unsigned_abs());
    let digits = i128::from(digits);
    let nanos = match exponent + NANO_DECIMALS {
        more @ 0.. => digits.checked_mul(power(more)).ok_or(UnitsError::Money)?,
        less if digits % power(less) == 0 => digits / power(less),
        _ => return Err(UnitsError::Money),
    };
    u64::try_from(nanos).map_err(|_| UnitsError::Money)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diameter::avp::AvpCode;
    use diameter::write::Writer;

    fn read(write: impl FnOnce(&mut Writer<'_>)) -> Result<(Units, TariffChange), UnitsError> {
        let mut octets = Vec::new();
        write(&mut Writer::new(&mut octets));
        Units::read(Avps::new(&octets))
    }

    fn amount_of(digits: i64, exponent: Option<i32>) -> Result<u64, UnitsError> {
        let read = read(|to| {
            to.group(CC_MONEY, |to| {
                to.group(UNIT_VALUE, |to| {
                    to.i64(VALUE_DIGITS, digits);
                    exponent.into_iter().for_each(|exponent| to.i32(EXPONENT, exponent));
                });
                to.u32(AvpCode::ietf(425), 978);
            });
        });
        read.map(|(units, _)| units.money.unwrap())
    }

    #[test]
    fn octets_are_the_total_or_those_of_both_directions() {
        let octets = |total: Option<u64>, input: Option<u64>, output: Option<u64>| {
            let read = read(|to| {
                total.into_iter().for_each(|of| to.u64(CC_TOTAL_OCTETS, of));
                input.into_iter().for_each(|of| to.u64(CC_INPUT_OCTETS, of));
                output.into_iter().for_each(|of| to.u64(CC_OUTPUT_OCTETS, of));
            });
            read.map(|(units, _)| (units.octets, units.octets_differ))
        };
        assert_eq!(octets(Some(5), None, None), Ok((Some(5), false)));
        assert_eq!(octets(None, Some(5), Some(7)), Ok((Some(12), false)));
        assert_eq!(octets(Some(12), Some(5), Some(7)), Ok((Some(12), false)));
        assert_eq!(octets(Some(10), Some(5), Some(7)), Ok((Some(12), true)));
        assert_eq!(octets(Some(20), Some(5), None), Ok((Some(20), true)));
        assert_eq!(octets(None, None, None), Ok((None, false)));
        assert_eq!(octets(None, Some(u64::MAX), Some(1)), Err(UnitsError::TooLarge));
    }

    #[test]
    fn money_is_exact_or_refused() {
        assert_eq!(amount_of(150, Some(-2)), Ok(1_500_000_000));
        assert_eq!(amount_of(2, None), Ok(2_000_000_000));
        assert_eq!(amount_of(10, Some(-10)), Ok(1));
        for (digits, exponent) in
            [(1, -10), (-1, 0), (1, 19), (1, -19), (i64::MIN, i32::MAX), (i64::MAX, 18)]
        {
            assert_eq!(
                amount_of(digits, Some(exponent)),
                Err(UnitsError::Money),
                "{digits} {exponent}"
            );
        }
    }

    #[test]
    fn the_side_of_a_tariff_change_is_read() {
        let (units, change) = read(|to| {
            to.i32(TARIFF_CHANGE_USAGE, 1);
            to.u32(CC_TIME, 9);
            to.u64(CC_SERVICE_SPECIFIC_UNITS, 2);
        })
        .unwrap();
        assert_eq!(
            (units.seconds, units.specific, change),
            (Some(9), Some(2), TariffChange::After)
        );
        assert!(read(|_| {}).unwrap().0.is_empty());
    }
}
