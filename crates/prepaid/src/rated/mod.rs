//! Records of usage that were rated elsewhere, such as by a gateway: each is debited once. What happened must be paid, so a
//! debit goes beyond the balance.
//!
//! ```text
//! records ─▶ read ─▶ the account of each is decided, and in the journal ─▶ debits by keys ─▶ answer
//! ```
//!
//! A client sends a file part by part, and sends it again if it got no answer. Each record has a key, made of the client,
//! the file, the line and what the record says. It is debited once, for two reasons:
//!
//! - The account of a key is decided once: a number may move to another account before the record comes again.
//! - The ledger makes a debit with a key once, and remembers it for [`KEYS_RETENTION`]. Records are refused that are so old
//!   that their keys may be forgotten ([`record::AGE_MAX`]).

mod record;

use accounts::Accounts as _;
use charging::Charging;
use ledger::{AccountId, Action, Cost, Debit, Key, Limit, Millis, Outcome, Refusal, Unit};
use rating::Currency;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::LOG;
use crate::calls::operate::Operate;
use crate::calls::{Clerk, unusable};
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::{RecordOrigin, Remark};
use crate::system::System;
use record::Record;
pub use record::RecordRefusal;

/// The maximum records of a request: they are worked on together.
const RECORDS_MAX: usize = 10_000;

/// The maximum line of the first record. All lines of a request are different.
const LINE_MAX: u64 = 1 << 53;

/// The maximum octets of the name or the digest of a file.
const NAME_OCTETS_MAX: usize = 300;

/// Records of a file, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatedRecords {
    /// The name of the file.
    pub file: String,
    /// A digest of the file, which is another one for another file of the same name.
    pub digest: String,
    /// The line of the first record, from 1.
    pub first: u64,
    /// The records, 10,000 at most. Each is judged alone.
    pub records: Vec<Value>,
}

/// What became of records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebitedRecords {
    /// The records that are debited now.
    pub debited: u64,
    /// The records that were debited before.
    pub repeated: u64,
    /// The others, in the order of their lines.
    pub refused: Vec<RefusedRecord>,
}

/// A record that is not debited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedRecord {
    /// Its line in the file.
    pub line: u64,
    /// The code of the reason: `number-unknown`.
    pub code: String,
    /// The reason. It shows nothing of the record.
    pub text: String,
}

/// A record that is to be debited.
struct Due {
    line: u64,
    key: Key,
    record: Record,
}

impl RatedRecords {
    fn check(&self) -> Result<(), Refused> {
        let fits = |text: &str| (1..=NAME_OCTETS_MAX).contains(&text.len());
        let invalid = |what: &str| Err(Refused::TextInvalid { what: what.to_owned() });
        match () {
            () if !fits(&self.file) => invalid("the name of the file"),
            () if !fits(&self.digest) => invalid("the digest of the file"),
            () if self.records.len() > RECORDS_MAX => invalid("the list of records"),
            () if !(1..=LINE_MAX).contains(&self.first) => invalid("the line of the first record"),
            () => Ok(()),
        }
    }

    /// Returns the lines of the records, with them.
    fn lines(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.records
            .iter()
            .enumerate()
            .map(|(place, of)| (self.first.saturating_add(place as u64), of))
    }

    /// Returns the records that are to be debited, beside the answer about the others.
    fn due(&self, client: &str, currency: Currency, now: Millis) -> (DebitedRecords, Vec<Due>) {
        let (mut answer, mut due) = (DebitedRecords::default(), Vec::new());
        for (line, sent) in self.lines() {
            match Record::read(sent, currency, now) {
                // It costs nothing.
                Ok(record) if record.amount == 0 => answer.debited += 1,
                Ok(record) => {
                    let key = self.key(client, line, &record);
                    due.push(Due { line, key, record });
                }
                Err(why) => answer.refuse(line, why),
            }
        }
        (answer, due)
    }

    /// Returns the key of a record: it says all that identifies the record, and all that is debited.
    fn key(&self, client: &str, line: u64, record: &Record) -> Key {
        let Record { number, amount, start, service, other, reference } = record;
        let RatedRecords { file, digest, .. } = self;
        let [line, amount, start] = [line.to_string(), amount.to_string(), start.to_string()];
        let from = ["record", client, file, digest, &line];
        let says = [number.as_str(), &amount, &start, service, other, reference];
        Key(key_of(&[&from[..], &says].concat()))
    }
}

impl DebitedRecords {
    fn refuse(&mut self, line: u64, why: RecordRefusal) {
        let (code, text) = (why.code().to_owned(), why.to_string());
        self.refused.push(RefusedRecord { line, code, text });
    }

    fn log(&self, client: &str, file: &str) {
        if let Some(RefusedRecord { line, text, .. }) = self.refused.first() {
            let count = self.refused.len();
            tracing::warn!(target: LOG, "client {client}: \"{file}\": {count} records are not debited, the first in line {line}: {text}");
        }
    }

    /// Counts the outcome of a debit.
    fn count(&mut self, line: u64, outcome: Outcome) -> Result<(), Refused> {
        match outcome.receipt.refusal {
            None if outcome.is_repeated => self.repeated += 1,
            None => self.debited += 1,
            // Records of one key are the same. Only the place of the service can be another one now.
            Some(Refusal::KeyReused) => self.repeated += 1,
            Some(Refusal::AccountUnknown) => self.refuse(line, RecordRefusal::NumberUnknown),
            Some(Refusal::AccountBarred) => self.refuse(line, RecordRefusal::AccountClosed),
            Some(Refusal::BalanceTooLarge) => self.refuse(line, RecordRefusal::BalanceTooLarge),
            Some(other) => return Err(Refused::Unusable { why: other.to_string() }),
        }
        Ok(())
    }
}

impl System {
    /// Debits records of a client to the accounts of their numbers, beyond the balance if it must be. When it returns, all
    /// debits are durable.
    ///
    /// # Errors
    ///
    /// The request has a mistake, and nothing was done; or the accounts cannot be used, and it is not known what was done.
    /// Then the same request may be sent again.
    pub fn debit(&self, client: &str, records: &RatedRecords) -> Result<DebitedRecords, Refused> {
        records.check()?;
        let (rules, now) = (self.rules(), self.now_ms());
        let (mut answer, due) = records.due(client, rules.currency, now);
        let assigned = self.assign(&due, now)?;
        let remarks: Vec<Vec<u8>> =
            due.iter().map(|due| due.remark(client, &records.file).octets()).collect();
        let (mut lines, mut tasks) = (Vec::new(), Vec::new());
        for ((due, remark), account) in due.iter().zip(&remarks).zip(assigned) {
            match account {
                Some(account) => {
                    lines.push(due.line);
                    tasks.push(Operate::new(account, now, due.debit(&rules.charging, remark)));
                }
                None => answer.refuse(due.line, RecordRefusal::NumberUnknown),
            }
        }
        self.back.run(&mut tasks).map_err(unusable)?;
        for (line, task) in lines.into_iter().zip(&tasks) {
            answer.count(line, task.outcome())?;
        }
        answer.refused.sort_by_key(|refused| refused.line);
        answer.log(client, &records.file);
        Ok(answer)
    }

    /// Returns the accounts of records: those that were decided before, or those that have the numbers now. `None` if no
    /// account has the number.
    fn assign(&self, due: &[Due], now: Millis) -> Result<Vec<Option<AccountId>>, Refused> {
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let records = {
            let numbers = due.iter().map(|due| &due.record.number);
            let payers = self.back.payers(numbers).map_err(unusable)?;
            let record = |due: &Due| (due.key, payers.account(&due.record.number));
            due.iter().map(record).collect()
        };
        self.back.assign_records(records, now).map_err(unusable)
    }
}

impl Due {
    fn debit<'o>(&self, charging: &Charging, remark: &'o [u8]) -> Action<'o> {
        Action::Debit(Debit {
            key: self.key,
            scopes: charging.services_of(&self.record.service),
            bucket: None,
            cost: Cost { unit: Unit::Money, amount: self.record.amount },
            limit: Limit::None,
            to: charging.revenue(),
            remark,
        })
    }

    fn remark(&self, client: &str, file: &str) -> Remark {
        let Record { number, start, service, other, reference, .. } = &self.record;
        let record = RecordOrigin {
            file: file.to_owned(),
            line: self.line,
            number: number.as_str().to_owned(),
            service: service.clone(),
            other: other.clone(),
            start: runtime::time::shown(*start),
        };
        Remark {
            kind: "record".to_owned(),
            who: Clerk::client(client),
            reference: reference.clone(),
            record: Some(record),
            ..Remark::default()
        }
    }
}
