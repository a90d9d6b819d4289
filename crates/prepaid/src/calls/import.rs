//! Opens many accounts at once.

use std::collections::HashSet;

use accounts::Accounts as _;
use ledger::{AccountId, Currency, Key, Millis, NewAccount, Refusal, Standing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::numbers::Holder;
use super::opening::Opening;
use super::{Call, Clerk, new_number, unusable};
use crate::amount;
use crate::back::{AssignedNumber, BesideRow};
use crate::interrogation::key_of;
use crate::numbers::Number;
use crate::refused::Refused;
use crate::remark::Remark;
use crate::rules::Rules;

/// The most subscribers of a call. A command sends as many calls as it needs.
const SUBSCRIBERS_MAX: usize = 10_000;

/// The most mistakes that a check lists.
const MISTAKES_MAX: usize = 100;

/// How often an import is tried if other processes give numbers to accounts meanwhile.
const ATTEMPTS: usize = 10;

/// Opens accounts for subscribers, with their first amounts. Numbers that have an account are left as they are.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ImportSubscribers {
    /// The subscribers, 10,000 at most.
    pub subscribers: Vec<NewSubscriber>,
    /// Opens no account, and answers with the mistakes of the subscribers.
    #[serde(default)]
    pub only_check: bool,
}

/// A subscriber and the amount that the account begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewSubscriber {
    /// The number.
    pub number: String,
    /// The amount in the currency of the plan; `0` for none.
    pub amount: String,
    /// The type of subscriber, as the plans name it; empty for that of the number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subscriber_type: String,
    /// The line of the file that the subscriber is from, which a mistake names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// What became of the subscribers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Imported {
    /// Accounts that were opened.
    pub opened: usize,
    /// Numbers that have an account already.
    pub there: usize,
    /// Why subscribers cannot be imported: the first 100 mistakes. Only a check has them; an import with one is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<SubscriberMistake>,
}

/// Why a subscriber cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriberMistake {
    /// The line, or the place among the subscribers from 1 if they have no lines.
    pub line: u64,
    /// What is wrong.
    pub why: String,
}

impl Call for ImportSubscribers {
    type Reply = Imported;

    const NAME: &'static str = "subscriber import";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Imported, Refused> {
        if self.subscribers.len() > SUBSCRIBERS_MAX {
            return Err(Refused::TextInvalid { what: "the list of subscribers".to_owned() });
        }
        let rules = clerk.system.rules();
        let now = clerk.system.now_ms();
        let read = |of: &NewSubscriber| Subscriber::read(of, &rules, now);
        if self.only_check {
            let mistakes = mistakes(&self.subscribers, read);
            return Ok(Imported { mistakes, ..Imported::default() });
        }
        let read: Vec<Subscriber> =
            self.subscribers.iter().map(read).collect::<Result<_, Refused>>()?;
        // Another process may give numbers to accounts meanwhile. Those are there the next time.
        for _ in 1..ATTEMPTS {
            match clerk.import(&read) {
                Err(Refused::NumberTaken { .. }) => {}
                ended => return ended,
            }
        }
        clerk.import(&read)
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

/// Returns the first mistakes of subscribers.
fn mistakes(
    subscribers: &[NewSubscriber],
    read: impl Fn(&NewSubscriber) -> Result<Subscriber, Refused>,
) -> Vec<SubscriberMistake> {
    let mistake = |(place, of): (u64, &NewSubscriber)| {
        let why = read(of).err()?.to_string();
        Some(SubscriberMistake { line: of.line.unwrap_or(place), why })
    };
    (1..).zip(subscribers).filter_map(mistake).take(MISTAKES_MAX).collect()
}

/// A subscriber as it was read.
struct Subscriber {
    number: Number,
    amount: i64,
    subscriber_type: Option<u16>,
}

impl Subscriber {
    fn read(of: &NewSubscriber, rules: &Rules, now: Millis) -> Result<Self, Refused> {
        Ok(Subscriber {
            number: new_number(&of.number, rules, now)?,
            amount: amount::money_or_zero(&of.amount, rules.currency)?,
            subscriber_type: rules.subscriber_type(&of.subscriber_type)?,
        })
    }
}

impl Clerk<'_> {
    fn import(&self, read: &[Subscriber]) -> Result<Imported, Refused> {
        let remark =
            Remark { kind: "import".to_owned(), who: self.who.to_owned(), ..Remark::default() };
        let remark = remark.octets();
        let (at, rules) = (self.system.now_ms(), self.system.rules());
        let (currency, life_cycle) = (Currency(rules.currency.number()), rules.life_cycle(at));
        let new = NewAccount { currency, standing: Standing::Active, credit_limit: 0 };
        let back = &self.system.back;
        let _turn = back.number_turn();
        let numbers: Vec<Number> = read.iter().map(|of| of.number.clone()).collect();
        let holders = self.holders(&numbers)?;
        let there = self.accounts_there(&holders)?;
        let unknown = holders.iter().filter(|holder| holder.account.is_none()).count();
        let mut fresh = back.next_accounts(unknown).map_err(unusable)?.into_iter();
        let mut taken = HashSet::new();
        let mut imported = Imported::default();
        let mut openings = Vec::with_capacity(read.len());
        let mut assigned = Vec::with_capacity(read.len());
        for (of, Holder { account: known, before }) in read.iter().zip(holders) {
            let Subscriber { number, amount, subscriber_type } = of;
            let is_there = known.is_some_and(|id| there.contains(&id));
            if is_there || !taken.insert(number.clone()) {
                imported.there += 1;
                continue;
            }
            let account = known.or_else(|| fresh.next()).expect("there is one for each number");
            let key = Key(key_of(&["import", number.as_str()]));
            let (remark, fees) = (remark.clone(), rules.first_fees(at));
            let watching = rules.watching();
            openings.push(Opening {
                account,
                at,
                new,
                life_cycle,
                subscriber_type: *subscriber_type,
                watching,
                fees,
                amount: *amount,
                key,
                remark,
                refusal: None,
            });
            assigned.push(AssignedNumber { number: number.clone(), account, before });
        }
        imported.opened = openings.len();
        let subject = format!("{} subscribers", imported.opened);
        let mut rows = self.trail(ImportSubscribers::NAME, subject, "");
        rows.push(BesideRow::Numbers(assigned));
        // Numbers come first: an import that is interrupted and made again opens the accounts that are not there yet.
        back.commit(rows).map_err(unusable)?;
        back.run(&mut openings).map_err(unusable)?;
        for opening in &openings {
            match opening.refusal {
                None => {}
                // Another process imports the same subscribers, and has opened it with this first amount.
                Some(Refusal::AccountExists) => {
                    imported.opened -= 1;
                    imported.there += 1;
                }
                Some(refusal) => return Err(Refused::Unusable { why: refusal.to_string() }),
            }
        }
        Ok(imported)
    }

    /// Returns the accounts of numbers that are there. An import that was interrupted leaves numbers without one.
    fn accounts_there(&self, holders: &[Holder]) -> Result<HashSet<AccountId>, Refused> {
        let known: Vec<AccountId> = holders.iter().filter_map(|holder| holder.account).collect();
        let mut there = HashSet::new();
        let looked = self.system.back.look_each(&known, |id, account| {
            there.extend(account.is_some().then_some(id));
        });
        looked.map_err(unusable).map(|()| there)
    }
}
