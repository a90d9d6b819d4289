//! One record of usage: what it must say.

use ledger::{AMOUNT_MAX, KEYS_RETENTION, Millis};
use rating::Currency;
use serde::Deserialize;
use serde_json::Value;

use crate::numbers::Number;

const DAY: Millis = 86_400_000;

/// How long ago the usage of a record may have begun. The key of its debit is remembered for longer than that.
pub(super) const AGE_MAX: Millis = 90 * DAY;

/// How far the clock of a client may be ahead.
const AHEAD_MAX: Millis = DAY;

// A record is debited when its usage begins, or later; by the clock of the client, up to `AHEAD_MAX` before.
const _: () = assert!(AGE_MAX + AHEAD_MAX <= KEYS_RETENTION);

/// The maximum octets of a text that is stored with an entry.
const TEXT_OCTETS_MAX: usize = 255;

/// A record in the words of JSON. It may say more.
#[derive(Deserialize)]
struct Sent {
    number: String,
    amount: String,
    start: Value,
    currency: Option<String>,
    service: Option<String>,
    other: Option<String>,
    reference: Option<String>,
}

/// A record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The number that pays.
    pub(super) number: Number,
    /// What it costs, in billionths; 0 for nothing.
    pub(super) amount: i64,
    /// When the usage began.
    pub(super) start: Millis,
    /// The service, as the plan names it; empty for one that only balances for all services pay for.
    pub(super) service: String,
    /// The number that was called, if any.
    pub(super) other: String,
    /// What identifies the usage, for people.
    pub(super) reference: String,
}

/// Why a record is not debited. The texts show nothing of it: they come into alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordRefusal {
    /// It has another form.
    #[error("it is no object with the texts \"number\" and \"amount\", and with \"start\"")]
    Invalid,
    /// The number is none.
    #[error("\"number\" is no number of a subscriber")]
    NumberInvalid,
    /// No account has the number.
    #[error("no account has the number")]
    NumberUnknown,
    /// The amount is none.
    #[error("\"amount\" is no amount, such as \"1.50\"")]
    AmountInvalid,
    /// The amount is in another currency.
    #[error("\"currency\" is not that of the accounts")]
    CurrencyDiffers,
    /// The start is no time.
    #[error("\"start\" is no time, such as \"2026-11-21T14:05:00Z\", or seconds since 1970")]
    TimeInvalid,
    /// The usage began too long ago.
    #[error("it began more than {} days ago", AGE_MAX / DAY)]
    TooOld,
    /// The usage has not begun.
    #[error("it begins in the future")]
    InFuture,
    /// A text is too long.
    #[error("a text is longer than {TEXT_OCTETS_MAX} octets")]
    TextTooLong,
    /// The account is closed.
    #[error("the account is closed")]
    AccountClosed,
    /// The account is overdrawn too far.
    #[error("the account is overdrawn too far")]
    BalanceTooLarge,
}

impl RecordRefusal {
    /// Returns its code.
    pub fn code(self) -> &'static str {
        match self {
            RecordRefusal::Invalid => "record-invalid",
            RecordRefusal::NumberInvalid => "number-invalid",
            RecordRefusal::NumberUnknown => "number-unknown",
            RecordRefusal::AmountInvalid => "amount-invalid",
            RecordRefusal::CurrencyDiffers => "currency-differs",
            RecordRefusal::TimeInvalid => "time-invalid",
            RecordRefusal::TooOld => "too-old",
            RecordRefusal::InFuture => "in-future",
            RecordRefusal::TextTooLong => "text-too-long",
            RecordRefusal::AccountClosed => "account-closed",
            RecordRefusal::BalanceTooLarge => "balance-too-large",
        }
    }
}

impl Record {
    /// Reads a record that came at a time. Accounts are in `currency`.
    pub(super) fn read(
        sent: &Value,
        currency: Currency,
        now: Millis,
    ) -> Result<Self, RecordRefusal> {
        let sent = Sent::deserialize(sent).map_err(|_| RecordRefusal::Invalid)?;
        let number = Number::read(&sent.number).map_err(|_| RecordRefusal::NumberInvalid)?;
        let amount = rating::decimal(sent.amount.trim()).ok();
        let amount = amount.and_then(|nanos| i64::try_from(nanos).ok());
        let amount = amount.filter(|nanos| *nanos <= AMOUNT_MAX);
        if sent.currency.is_some_and(|code| code != currency.code()) {
            return Err(RecordRefusal::CurrencyDiffers);
        }
        let start = time(&sent.start).ok_or(RecordRefusal::TimeInvalid)?;
        if start < now.saturating_sub(AGE_MAX) {
            return Err(RecordRefusal::TooOld);
        }
        if start > now.saturating_add(AHEAD_MAX) {
            return Err(RecordRefusal::InFuture);
        }
        let [service, other, reference] =
            [sent.service, sent.other, sent.reference].map(Option::unwrap_or_default);
        if [&service, &other, &reference].iter().any(|text| text.len() > TEXT_OCTETS_MAX) {
            return Err(RecordRefusal::TextTooLong);
        }
        let amount = amount.ok_or(RecordRefusal::AmountInvalid)?;
        Ok(Record { number, amount, start, service, other, reference })
    }
}

/// Reads a time: a text, or the seconds since 1970.
fn time(sent: &Value) -> Option<Millis> {
    match sent {
        Value::String(text) => runtime::time::moment(text.trim()).ok(),
        Value::Number(seconds) => seconds.as_i64()?.checked_mul(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: &str = "2026-06-01T12:00:00Z";

    fn read(changes: Value) -> Result<Record, RecordRefusal> {
        let mut sent = json!({ "number": "+46 70 123", "amount": "1.50", "start": NOW });
        for (name, value) in changes.as_object().unwrap() {
            sent[name] = value.clone();
        }
        let now = runtime::time::moment(NOW).unwrap();
        Record::read(&sent, Currency::find("SEK").unwrap(), now)
    }

    #[test]
    fn a_record_has_a_number_an_amount_and_a_start() {
        let record = read(json!({ "more": [1], "currency": "SEK", "service": "sms" })).unwrap();
        assert_eq!((record.number.as_str(), record.amount), ("4670123", 1_500_000_000));
        assert_eq!(record.service, "sms");
        assert_eq!(read(json!({ "amount": "0.000000001" })).unwrap().amount, 1);
        assert_eq!(read(json!({ "amount": "0" })).unwrap().amount, 0);
        let now = runtime::time::moment(NOW).unwrap();
        assert_eq!(read(json!({ "start": now / 1_000 })).unwrap().start, now);
        for (changes, refusal) in [
            (json!({ "start": i64::MAX }), RecordRefusal::TimeInvalid),
            (json!({ "start": 1.5 }), RecordRefusal::TimeInvalid),
            (json!({ "start": null }), RecordRefusal::TimeInvalid),
            (json!({ "amount": 1.5 }), RecordRefusal::Invalid),
            (json!({ "number": null }), RecordRefusal::Invalid),
            (json!({ "service": 1 }), RecordRefusal::Invalid),
            (json!({ "number": "anna" }), RecordRefusal::NumberInvalid),
            (json!({ "amount": "-1" }), RecordRefusal::AmountInvalid),
            (json!({ "amount": "1,50" }), RecordRefusal::AmountInvalid),
            (json!({ "amount": "0.0000000001" }), RecordRefusal::AmountInvalid),
            (json!({ "amount": "999999999999" }), RecordRefusal::AmountInvalid),
            (json!({ "currency": "EUR" }), RecordRefusal::CurrencyDiffers),
            (json!({ "start": "20260601" }), RecordRefusal::TimeInvalid),
            (json!({ "other": "1".repeat(256) }), RecordRefusal::TextTooLong),
        ] {
            assert_eq!(read(changes.clone()), Err(refusal), "{changes}");
        }
        let none = Record::read(&json!([]), Currency::find("SEK").unwrap(), 0);
        assert_eq!(none, Err(RecordRefusal::Invalid));
    }

    #[test]
    fn a_record_is_refused_before_its_key_is_forgotten() {
        for (start, refusal) in [
            ("2026-03-03T12:00:00Z", None),
            ("2026-03-03T11:59:59Z", Some(RecordRefusal::TooOld)),
            ("2026-06-02T12:00:00Z", None),
            ("2026-06-02T12:00:01Z", Some(RecordRefusal::InFuture)),
        ] {
            assert_eq!(read(json!({ "start": start })).err(), refusal, "{start}");
        }
    }
}
