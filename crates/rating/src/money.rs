//! Exact money: decimal text, amounts in a plan's measure, and rounding, which happens only here.
//!
//! There are three kinds of numbers, and none is a floating-point number:
//!
//! - A **decimal** of a tariff file is read into whole [`NANOS`], billionths of the currency's major unit.
//! - A **sum** counts *measures*. A plan's measure is the largest part of a billionth in which every price of the plan
//!   is a whole number, for a single second or octet and after any discount: 0.50 a minute is 25,000,000/3 billionths a
//!   second, so that plan's measure is a third of a billionth. Sums of measures are exact.
//! - A **charge** is [`Money`]: a sum, rounded as the plan says, in billionths again.

use std::fmt::{self, Write};

/// Billionths in the major unit of a currency.
pub const NANOS: i128 = 1_000_000_000;

/// Maximum decimals of a price: a billionth of the major unit.
const DECIMALS_MAX: usize = 9;

/// Maximum digits before the decimal point: below a trillion, so that sums stay far from the end of an `i128`.
const WHOLE_DIGITS_MAX: usize = 12;

/// A currency of ISO 4217.
///
/// It is stored as its position in [`CURRENCIES`], since every price has one and it must be small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Currency {
    row: u8,
    /// The place of its code in the row's text.
    place: u16,
}

/// The currencies of ISO 4217 by the decimals of their minor unit, each by its code and number, without funds, metals and
/// test codes.
const CURRENCIES: [(u8, &str); 4] = [
    (
        0,
        "BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 VND704 VUV548 XAF950 \
         XOF952 XPF953",
    ),
    (
        2,
        "AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BMD060 \
         BND096 BOB068 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHF756 CNY156 COP170 CRC188 \
         CUP192 CVE132 CZK203 DKK208 DOP214 DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 \
         GHS936 GIP292 GMD270 GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 \
         KES404 KGS417 KHR116 KPW408 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 MAD504 MDL498 MGA969 \
         MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MYR458 MZN943 NAD516 NGN566 NIO558 \
         NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 QAR634 RON946 RSD941 RUB643 SAR682 \
         SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 \
         THB764 TJS972 TMT934 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 USD840 UYU858 UZS860 VED926 VES928 \
         WST882 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924",
    ),
    (3, "BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788"),
    (4, "CLF990 UYW927"),
];

/// The number of letters in a code, and of digits behind it.
const CODE_LETTERS: usize = 3;

/// The distance from a code to the next in its row.
const CODE_DISTANCE: usize = 2 * CODE_LETTERS + 1;

impl Currency {
    /// Finds a currency by its code of three letters.
    pub fn find(code: &str) -> Option<Currency> {
        Currency::all().find(|known| known.code() == code)
    }

    /// Finds a currency by its number: 978 is EUR. Protocols that count octets use it instead of the code.
    pub fn of_number(number: u16) -> Option<Currency> {
        Currency::all().find(|known| known.number() == number)
    }

    fn all() -> impl Iterator<Item = Currency> {
        CURRENCIES.iter().enumerate().flat_map(|(row, (_, codes))| {
            let places = (0..codes.len()).step_by(CODE_DISTANCE);
            places.map(move |place| Currency { row: row as u8, place: place as u16 })
        })
    }

    /// Returns all codes, for hints.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        Currency::all().map(|currency| currency.code())
    }

    /// Returns the code.
    pub fn code(&self) -> &'static str {
        &self.code_and_number()[..CODE_LETTERS]
    }

    /// Returns the number of ISO 4217.
    pub fn number(&self) -> u16 {
        let digits = self.code_and_number()[CODE_LETTERS..].bytes();
        digits.fold(0, |number, digit| number * 10 + u16::from(digit - b'0'))
    }

    fn code_and_number(&self) -> &'static str {
        let place = usize::from(self.place);
        &CURRENCIES[usize::from(self.row)].1[place..place + CODE_DISTANCE - 1]
    }

    fn minor_digits(&self) -> u8 {
        CURRENCIES[usize::from(self.row)].0
    }

    /// Returns the minor unit in billionths: a hundredth of a EUR, a whole JPY.
    pub fn minor_unit(&self) -> i128 {
        NANOS / 10_i128.pow(self.minor_digits().into())
    }
}

/// An amount of a currency, rounded as a plan says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// Billionths of the major unit.
    pub nanos: i128,
    /// The currency.
    pub currency: Currency,
}

impl Money {
    /// Returns the amount in units of `unit` billionths. `None` if it is not a whole number of them, or does not fit.
    pub fn in_units(&self, unit: i128) -> Option<i64> {
        if self.nanos.checked_rem(unit)? != 0 {
            return None;
        }
        i64::try_from(self.nanos / unit).ok()
    }

    /// Returns the amount without the currency: with the decimals of the minor unit, and more where they are not 0.
    pub fn amount(&self) -> Amount {
        Amount { nanos: self.nanos, minor_digits: usize::from(self.currency.minor_digits()) }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.amount(), self.currency.code())
    }
}

/// An amount as text.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    nanos: i128,
    minor_digits: usize,
}

/// A buffer for the characters of an amount: a sign, thirty digits, a point, nine decimals.
pub type AmountRoom = [u8; 48];

// All digits of the greatest number, a sign and a point fit.
const _: () = assert!(size_of::<AmountRoom>() >= i128::MAX.ilog10() as usize + 1 + 2);

impl Amount {
    /// Writes the characters at the end of `room`, and returns them.
    pub fn write<'r>(&self, room: &'r mut AmountRoom) -> &'r [u8] {
        let mut at = room.len();
        let mut put = |character: u8| {
            at -= 1;
            room[at] = character;
        };
        let (mut whole, mut part) = parts(self.nanos.unsigned_abs());
        let mut decimals = DECIMALS_MAX;
        while decimals > self.minor_digits && part % 10 == 0 {
            (part, decimals) = (part / 10, decimals - 1);
        }
        for _ in 0..decimals {
            put(b'0' + (part % 10) as u8);
            part /= 10;
        }
        if decimals > 0 {
            put(b'.');
        }
        while whole > u128::from(u64::MAX) {
            put(b'0' + (whole % 10) as u8);
            whole /= 10;
        }
        let mut whole = whole as u64;
        loop {
            put(b'0' + (whole % 10) as u8);
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
        if self.nanos < 0 {
            put(b'-');
        }
        &room[at..]
    }
}

/// Splits billionths into whole units and the rest. Usual amounts fit into a word, whose division is several times as
/// fast.
fn parts(nanos: u128) -> (u128, u32) {
    const WORD: u64 = NANOS as u64;
    match u64::try_from(nanos) {
        Ok(nanos) => ((nanos / WORD).into(), (nanos % WORD) as u32),
        Err(_) => (nanos / NANOS as u128, (nanos % NANOS as u128) as u32),
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut room = [0; size_of::<AmountRoom>()];
        self.write(&mut room).iter().try_for_each(|character| out.write_char((*character).into()))
    }
}

/// The reason why a text is no decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalFault {
    /// It has other characters than digits and one point.
    #[error("this is no number; write digits and a decimal point: 0.49")]
    Character,
    /// It has a decimal comma.
    #[error("this has a comma; write a decimal point: 0.49")]
    Comma,
    /// It is negative.
    #[error("this is negative")]
    Negative,
    /// It has too many decimals.
    #[error("this has more than {DECIMALS_MAX} decimals")]
    Decimals,
    /// It has too many digits before the point.
    #[error("this has more than {WHOLE_DIGITS_MAX} digits before the point")]
    Whole,
}

/// Parses a decimal, as `0.49`, `12` or `0.000000001`, into billionths.
pub fn decimal(text: &str) -> Result<i128, DecimalFault> {
    if text.contains(',') {
        return Err(DecimalFault::Comma);
    }
    if text.starts_with('-') {
        return Err(DecimalFault::Negative);
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_digit());
    if !is_number(whole) || !is_number(part) {
        return Err(DecimalFault::Character);
    }
    if whole.len() > WHOLE_DIGITS_MAX {
        return Err(DecimalFault::Whole);
    }
    if part.len() > DECIMALS_MAX {
        return Err(DecimalFault::Decimals);
    }
    let number = |digits: &str| digits.bytes().fold(0, |n, d| n * 10 + i128::from(d - b'0'));
    let part = number(part) * 10_i128.pow((DECIMALS_MAX - part.len()) as u32);
    Ok(number(whole) * NANOS + part)
}

/// How to round a part of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundingMode {
    /// To the nearest; the middle goes up.
    HalfUp,
    /// To the nearest; the middle goes to the even one.
    HalfEven,
    /// To the nearest; the middle goes down.
    HalfDown,
    /// Always up.
    Up,
    /// Always down.
    Down,
}

impl RoundingMode {
    /// Returns whether to round up a value that is `above` one unit and `below` the next.
    #[inline]
    fn is_up<N: Ord + Default>(self, is_odd: bool, above: N, below: N) -> bool {
        match self {
            RoundingMode::HalfUp => above >= below,
            RoundingMode::HalfEven => above > below || above == below && is_odd,
            RoundingMode::HalfDown => above > below,
            RoundingMode::Up => above > N::default(),
            RoundingMode::Down => false,
        }
    }

    /// The modes by their names in a plan.
    pub(crate) const NAMES: [(&'static str, RoundingMode); 5] = [
        ("half-up", RoundingMode::HalfUp),
        ("half-even", RoundingMode::HalfEven),
        ("half-down", RoundingMode::HalfDown),
        ("up", RoundingMode::Up),
        ("down", RoundingMode::Down),
    ];
}

/// The rounding of amounts: unit and mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounding {
    /// The unit of results, in billionths.
    pub(crate) unit: i128,
    /// How to round the rest.
    pub(crate) mode: RoundingMode,
}

impl Rounding {
    /// Rounds `numerator / denominator` billionths to the unit. Neither may be negative, and the denominator must not
    /// be 0.
    pub(crate) fn apply(&self, numerator: i128, denominator: i128) -> i128 {
        let divisor = denominator * self.unit;
        // Usual amounts fit into a word, whose division is several times as fast.
        let quotient = match (u64::try_from(numerator), u64::try_from(divisor)) {
            (Ok(numerator), Ok(divisor)) => {
                let (quotient, rest) = (numerator / divisor, numerator % divisor);
                let up = self.mode.is_up(quotient & 1 == 1, rest, divisor - rest);
                i128::from(quotient) + i128::from(up)
            }
            _ => {
                let (quotient, rest) = (numerator / divisor, numerator % divisor);
                let up = self.mode.is_up(quotient & 1 == 1, rest, divisor - rest);
                quotient + i128::from(up)
            }
        };
        quotient * self.unit
    }
}

impl Rounding {
    /// Returns the greatest numerator that [`apply`](Self::apply) rounds to `rounded` at most. `rounded` is a multiple of
    /// the unit and not negative.
    pub(crate) fn sum_within(&self, rounded: i128, denominator: i128) -> i128 {
        // Twice the numerator has no halves.
        let unit = self.unit * denominator;
        let twice = rounded.saturating_mul(denominator).saturating_mul(2);
        let is_even = rounded / self.unit % 2 == 0;
        let twice_most = match self.mode {
            RoundingMode::Up => twice,
            RoundingMode::Down => twice.saturating_add(2 * unit - 1),
            RoundingMode::HalfDown => twice.saturating_add(unit),
            RoundingMode::HalfEven if is_even => twice.saturating_add(unit),
            RoundingMode::HalfUp | RoundingMode::HalfEven => twice.saturating_add(unit - 1),
        };
        twice_most / 2
    }
}

/// Returns an amount in billionths as a decimal, with `…` if it is not exact.
pub(crate) fn exact(numerator: i128, denominator: i128) -> String {
    let (nanos, rest) = (numerator / denominator, numerator % denominator);
    let digits = format!("{}.{:09}", nanos / NANOS, nanos % NANOS);
    match rest {
        0 => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => digits + "…",
    }
}

/// Returns the greatest common divisor.
pub(crate) fn common_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_read_exactly_or_refused() {
        for (text, nanos) in [
            ("0", Ok(0)),
            ("0.49", Ok(490_000_000)),
            ("12", Ok(12_000_000_000)),
            ("0.000000001", Ok(1)),
            ("999999999999.999999999", Ok(999_999_999_999_999_999_999)),
            ("0.0000000001", Err(DecimalFault::Decimals)),
            ("1000000000000", Err(DecimalFault::Whole)),
            ("0,49", Err(DecimalFault::Comma)),
            ("-1", Err(DecimalFault::Negative)),
            ("1e3", Err(DecimalFault::Character)),
            (".5", Err(DecimalFault::Character)),
            ("", Err(DecimalFault::Character)),
        ] {
            assert_eq!(decimal(text), nanos, "{text}");
        }
    }

    #[test]
    fn an_amount_is_written_with_the_decimals_of_its_currency() {
        for (code, nanos, written) in [
            ("SEK", 350_000_000, "0.35 SEK"),
            ("SEK", 12_000_000_000, "12.00 SEK"),
            ("JPY", 12_000_000_000, "12 JPY"),
            ("JPY", 500_000_000, "0.5 JPY"),
            ("KWD", 1, "0.000000001 KWD"),
            ("EUR", -1_230_000_000, "-1.23 EUR"),
            ("EUR", 20_000_000_000_000_000_000, "20000000000.00 EUR"),
            ("EUR", i128::MAX, "170141183460469231731687303715.884105727 EUR"),
            ("JPY", i128::MIN, "-170141183460469231731687303715.884105728 JPY"),
        ] {
            let money = Money { nanos, currency: Currency::find(code).unwrap() };
            assert_eq!(money.to_string(), written);
        }
        assert_eq!(Currency::find("XYZ"), None);
    }

    #[test]
    fn a_currency_has_a_code_and_a_number() {
        for (code, number) in [("EUR", 978), ("USD", 840), ("SEK", 752), ("ALL", 8), ("JPY", 392)] {
            let currency = Currency::find(code).unwrap();
            assert_eq!((currency.code(), currency.number()), (code, number));
            assert_eq!(Currency::of_number(number), Some(currency));
        }
        assert_eq!((Currency::find("XXX"), Currency::of_number(999)), (None, None));
        assert_eq!(Currency::find("EU"), None);
        let mut numbers: Vec<u16> = Currency::all().map(|currency| currency.number()).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|two| two[0] < two[1]), "each has a number of its own");
    }

    #[test]
    fn the_greatest_sum_that_is_rounded_to_an_amount_is_found() {
        use RoundingMode::*;
        for mode in [HalfUp, HalfEven, HalfDown, Up, Down] {
            for (unit, denominator) in [(1, 1), (1, 10), (5, 3), (10, 7)] {
                let rounding = Rounding { unit, mode };
                for rounded in (0..20).map(|units| units * unit) {
                    let most = rounding.sum_within(rounded, denominator);
                    let of = |sum| rounding.apply(sum, denominator);
                    assert!(
                        of(most) <= rounded && of(most + 1) > rounded,
                        "{rounding:?} {rounded}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_amount_is_a_number_of_units_only_if_nothing_is_lost() {
        let money = Money { nanos: 1_230_000_000, currency: Currency::find("EUR").unwrap() };
        assert_eq!(
            [10_000_000, 1_000_000].map(|unit| money.in_units(unit)),
            [Some(123), Some(1230)]
        );
        assert_eq!([100_000_000, 0].map(|unit| money.in_units(unit)), [None, None]);
    }

    #[test]
    fn each_mode_rounds_as_it_is_called() {
        use RoundingMode::*;
        for (tenths, [half_up, half_even, half_down, up, down]) in [
            (20, [2, 2, 2, 2, 2]),
            (21, [2, 2, 2, 3, 2]),
            (25, [3, 2, 2, 3, 2]),
            (35, [4, 4, 3, 4, 3]),
            (29, [3, 3, 3, 3, 2]),
        ] {
            let to = |mode| Rounding { unit: 1, mode }.apply(tenths, 10);
            let results = [to(HalfUp), to(HalfEven), to(HalfDown), to(Up), to(Down)];
            assert_eq!(results, [half_up, half_even, half_down, up, down], "{tenths}");
        }
    }

    #[test]
    fn amounts_are_rounded_to_any_unit() {
        let five_hundredths = Rounding { unit: 50_000_000, mode: RoundingMode::HalfUp };
        assert_eq!(five_hundredths.apply(3 * 123_000_000, 3), 100_000_000);
        assert_eq!(five_hundredths.apply(3 * 125_000_000, 3), 150_000_000);
    }
}
