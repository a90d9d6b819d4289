//! What an account spends in a month on services that have a limit, so that no bill is a shock (Regulation (EU) 2022/612,
//! Article 14).
//!
//! It is stored before the counters of the plan: the form, the length of what follows in octets, and for each limit its
//! name behind its length, the month, the amount and whether the subscriber has agreed to spend more.

use ledger::{Account, Notice, SessionKey, Unit};

use crate::memo::{MemoDamaged, StoredLeg, legs};
use crate::request::Service;

/// A limit of what an account spends on some services in a calendar month. At 80 % there is a notice; at 100 %, services
/// are refused until the next month, unless the subscriber agrees ([`EventKind::SpendConsent`]).
///
/// [`EventKind::SpendConsent`]: crate::EventKind::SpendConsent
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendLimit {
    /// Its name, by which it is stored; 255 octets of it count.
    pub name: String,
    /// Its number in [notices](ledger::Notice::Spent).
    pub number: u16,
    /// The services, by the names that the plan has.
    pub services: Vec<String>,
    /// Whether only what is used abroad counts.
    pub is_roaming: bool,
    /// The amount without tax, in billionths. In the Union, the default is 50 EUR for data abroad.
    pub amount: i64,
}

/// The maximum number of limits. Those behind it have no effect.
pub const SPEND_LIMITS_MAX: usize = 64;

/// The first octet of the stored form. The counters of a plan begin with another one.
const FORM: u8 = 16;

/// The octets of a stored limit without its name.
const SPENT_OCTETS: usize = 8 + 8 + 1;

const _: () = assert!(SPEND_LIMITS_MAX * (1 + 255 + SPENT_OCTETS) <= u16::MAX as usize);

/// The share of a limit from which on there is a notice, in percent (Article 14(4)).
const NOTICE_PERCENT: i128 = 80;

/// What was spent within limits.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    spent: Vec<Spent>,
    pub(crate) is_changed: bool,
    /// Notices of what was counted since it was read.
    notices: Vec<Notice>,
}

/// What was spent within a limit.
#[derive(Clone, Copy, Debug)]
struct Spent {
    /// The place of the limit.
    limit: usize,
    month: i64,
    amount: i64,
    has_consent: bool,
}

/// What a part of the spending has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    pub(crate) notice: bool,
    pub(crate) limit: bool,
}

impl SpendLimit {
    /// Returns whether a service counts.
    fn is_for(&self, service: &Service<'_>) -> bool {
        let is_abroad = !service.partner.is_empty();
        (is_abroad || !self.is_roaming) && self.services.iter().any(|name| name == service.name)
    }

    fn stored_name(&self) -> &[u8] {
        let name = self.name.as_bytes();
        &name[..name.len().min(255)]
    }
}

/// Returns the limits of a service, with their places.
pub(crate) fn limits_of<'l>(
    limits: &'l [SpendLimit],
    service: &Service<'l>,
) -> impl Iterator<Item = (usize, &'l SpendLimit)> + use<'l> {
    let service = *service;
    let limits = limits.iter().take(SPEND_LIMITS_MAX).enumerate();
    limits.filter(move |(_, limit)| limit.is_for(&service))
}

impl Spending {
    /// Reads the stored form, and returns what is behind it. Limits that are no longer there are left out.
    pub(crate) fn read<'o>(&mut self, limits: &[SpendLimit], octets: &'o [u8]) -> Option<&'o [u8]> {
        self.spent.clear();
        self.notices.clear();
        self.is_changed = false;
        let Some((&FORM, rest)) = octets.split_first() else { return Some(octets) };
        let (length, rest) = rest.split_first_chunk()?;
        let (mut stored, behind) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        while let Some((length, rest)) = stored.split_first() {
            let (name, rest) = rest.split_at_checked((*length).into())?;
            let (month, rest) = rest.split_first_chunk()?;
            let (amount, rest) = rest.split_first_chunk()?;
            let (consent, rest) = rest.split_first()?;
            let (month, amount) = (i64::from_le_bytes(*month), i64::from_le_bytes(*amount));
            let mut known = limits.iter().take(SPEND_LIMITS_MAX);
            if let Some(limit) = known.position(|limit| limit.stored_name() == name) {
                self.spent.push(Spent { limit, month, amount, has_consent: *consent != 0 });
            }
            stored = rest;
        }
        Some(behind)
    }

    /// Writes the stored form at the end of `to`.
    pub(crate) fn write(&self, limits: &[SpendLimit], to: &mut Vec<u8>) {
        if self.spent.is_empty() {
            return;
        }
        let name = |spent: &Spent| limits[spent.limit].stored_name();
        let length: usize =
            self.spent.iter().map(|spent| 1 + name(spent).len() + SPENT_OCTETS).sum();
        to.push(FORM);
        to.extend_from_slice(&(length as u16).to_le_bytes());
        for spent in &self.spent {
            to.push(name(spent).len() as u8);
            to.extend_from_slice(name(spent));
            to.extend_from_slice(&spent.month.to_le_bytes());
            to.extend_from_slice(&spent.amount.to_le_bytes());
            to.push(spent.has_consent.into());
        }
    }

    /// Returns what was spent in a month, and whether there is consent for more.
    pub(crate) fn of(&self, limit: usize, month: i64) -> (i64, bool) {
        let spent = self.spent.iter().find(|spent| spent.limit == limit && spent.month == month);
        spent.map_or((0, false), |spent| (spent.amount, spent.has_consent))
    }

    fn of_mut(&mut self, limit: usize, month: i64) -> &mut Spent {
        self.is_changed = true;
        let begun = Spent { limit, month, amount: 0, has_consent: false };
        let place = match self.spent.iter().position(|spent| spent.limit == limit) {
            Some(place) if self.spent[place].month == month => place,
            Some(place) => {
                self.spent[place] = begun;
                place
            }
            None => {
                self.spent.push(begun);
                self.spent.len() - 1
            }
        };
        &mut self.spent[place]
    }

    /// Counts an amount without tax for a limit.
    pub(crate) fn count(
        &mut self,
        (place, limit): (usize, &SpendLimit),
        month: i64,
        net: i64,
    ) -> Passed {
        let spent = self.of_mut(place, month);
        let before = spent.amount;
        spent.amount = before.saturating_add(net);
        let after = spent.amount;
        let passes = |percent: i128| {
            let is_below =
                |amount: i64| i128::from(amount) * 100 < i128::from(limit.amount) * percent;
            is_below(before) && !is_below(after)
        };
        let passed = Passed { notice: passes(NOTICE_PERCENT), limit: passes(100) };
        if passed.notice || passed.limit {
            self.notices.push(Notice::Spent { limit: limit.number, is_reached: passed.limit });
        }
        passed
    }

    /// Returns the notices of what was counted since it was read.
    pub(crate) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Notes that the subscriber agrees to spend more in a month.
    pub(crate) fn consent(&mut self, place: usize, month: i64) {
        self.of_mut(place, month).has_consent = true;
    }

    /// Returns what may still be spent within a limit in a month. `None` if there is consent for more.
    pub(crate) fn left(&self, (place, limit): (usize, &SpendLimit), month: i64) -> Option<i64> {
        let (spent, has_consent) = self.of(place, month);
        (!has_consent).then(|| limit.amount.saturating_sub(spent))
    }
}

/// What an account has spent within a limit in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentWithinLimit<'l> {
    /// The limit.
    pub limit: &'l SpendLimit,
    /// What was spent, without tax, in billionths.
    pub spent: i64,
    /// Whether the subscriber agrees to spend more.
    pub has_consent: bool,
}

/// Returns what the open grants of an account may cost within a limit, except that of a leg. It is with tax, so it is not
/// less than what they will count.
pub(crate) fn open_grants(
    account: &Account,
    limit: &SpendLimit,
    except: (SessionKey, u32),
) -> Result<i64, MemoDamaged> {
    let mut sum = 0_i64;
    for session in account.sessions().iter().filter(|session| !session.is_closed) {
        for leg in legs(session.memo()) {
            let StoredLeg { leg, service, unreserved, .. } = leg?;
            if (session.key, leg) != except && limit.is_for(&service) {
                let reserved = account.reserved_for(session.key, leg, Unit::Money);
                sum = sum.saturating_add(reserved).saturating_add(unreserved);
            }
        }
    }
    Ok(sum)
}
