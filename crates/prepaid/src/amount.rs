//! Amounts as texts: money in the major unit of its currency, other units in whole numbers.

use charging::Quantity;
use ledger::{AMOUNT_MAX, Unit};
use rating::{Currency, Money};

use crate::calls::AmountUnit;
use crate::refused::Refused;

/// Returns an amount as a text.
pub(crate) fn shown(amount: i64, unit: Unit, currency: Currency) -> String {
    shown_sum(amount.into(), unit, currency)
}

/// Returns a sum of amounts as a text.
pub(crate) fn shown_sum(amount: i128, unit: Unit, currency: Currency) -> String {
    match unit {
        Unit::Money => Money { nanos: amount, currency }.amount().to_string(),
        Unit::Octets | Unit::Seconds | Unit::Events => amount.to_string(),
    }
}

/// Returns a quantity as a text: `63 seconds`.
pub(crate) fn quantity(of: &Quantity, currency: Currency) -> String {
    let Quantity { seconds, octets, events, money } = *of;
    let units = [(seconds, "seconds"), (octets, "octets"), (events, "events")];
    let units = units.into_iter().filter_map(|(of, unit)| Some(format!("{} {unit}", of?)));
    let money = money.map(|nanos| {
        let nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        format!("{} {}", shown(nanos, Unit::Money, currency), currency.code())
    });
    units.chain(money).collect::<Vec<_>>().join(", ")
}

/// Returns a usage of a unit.
pub(crate) fn of_usage(quantity: u64, unit: AmountUnit) -> Result<Quantity, Refused> {
    match unit {
        AmountUnit::Seconds => Ok(Quantity::only(rating::Unit::Seconds, quantity)),
        AmountUnit::Octets => Ok(Quantity::only(rating::Unit::Octets, quantity)),
        AmountUnit::Events => Ok(Quantity::only(rating::Unit::Events, quantity)),
        AmountUnit::Money => Err(Refused::AmountInvalid {
            amount: quantity.to_string(),
            why: "a usage has seconds, octets or events".to_owned(),
        }),
    }
}

/// Reads an amount of money above zero, with no more decimals than the currency has.
pub(crate) fn money(text: &str, currency: Currency) -> Result<i64, Refused> {
    let refused = |why: String| Refused::AmountInvalid { amount: text.to_owned(), why };
    let nanos = rating::decimal(text.trim()).map_err(|why| refused(why.to_string()))?;
    if nanos % currency.minor_unit() != 0 {
        return Err(refused(format!("{} has fewer decimals", currency.code())));
    }
    let amount = i64::try_from(nanos).ok().filter(|amount| (1..=AMOUNT_MAX).contains(amount));
    amount.ok_or_else(|| refused("it is not above zero, or too large".to_owned()))
}

/// Reads an amount of money that may be zero.
pub(crate) fn money_or_zero(text: &str, currency: Currency) -> Result<i64, Refused> {
    match rating::decimal(text.trim()) {
        Ok(0) => Ok(0),
        _ => money(text, currency),
    }
}

/// Reads an amount of a unit, above zero.
pub(crate) fn of_unit(text: &str, unit: Unit, currency: Currency) -> Result<i64, Refused> {
    if unit == Unit::Money {
        return money(text, currency);
    }
    let whole = text.trim().parse().ok().filter(|amount| (1..=AMOUNT_MAX).contains(amount));
    whole.ok_or_else(|| Refused::AmountInvalid {
        amount: text.to_owned(),
        why: "a whole number above zero is expected".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_shown() {
        let sek = Currency::find("SEK").unwrap();
        for (text, nanos) in
            [("0.01", 10_000_000), ("12", 12_000_000_000), ("12.50", 12_500_000_000)]
        {
            assert_eq!(money(text, sek).unwrap(), nanos);
        }
        assert_eq!(shown(12_500_000_000, Unit::Money, sek), "12.50");
        assert_eq!(shown(-1_000, Unit::Octets, sek), "-1000");
        for text in ["0", "-1", "1.001", "1,5", "x", "", "1000000000000"] {
            assert!(money(text, sek).is_err(), "{text}");
        }
        assert_eq!(money_or_zero("0.00", sek).unwrap(), 0);
        assert!(money_or_zero("-1", sek).is_err());
        assert_eq!(of_unit("500", Unit::Seconds, sek).unwrap(), 500);
        assert!(of_unit("1.5", Unit::Octets, sek).is_err());
    }
}
