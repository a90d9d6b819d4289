//! What an account spends in a month on services that have a limit, so that no bill is a shock (Regulation (EU) 2022/612,
//! Article 14).
//!
//! It is stored before the counters of the plan: the form, the length of what follows in octets, and for each limit its
//! name behind its length, the number that it is for behind its length (none for one of the whole account), the month, the
//! amount and whether the subscriber has agreed to spend more.

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
    /// Whether each number of the account has the limit for itself, such as those of a family that share a balance.
    pub is_each_number: bool,
    /// The amount without tax, in billionths. In the Union, the default is 50 EUR for data abroad.
    pub amount: i64,
}

/// The maximum number of limits. Those behind it have no effect.
pub const SPEND_LIMITS_MAX: usize = 64;

/// The first octet of the stored form. The counters of a plan begin with another one.
const FORM: u8 = 16;

/// The octets of a stored limit without its name and number.
const SPENT_OCTETS: usize = 1 + 1 + 8 + 8 + 1;

/// For how many months what was spent is stored.
const MONTHS_STORED: i64 = 12;

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
#[derive(Clone, Debug)]
struct Spent {
    /// The place of the limit.
    limit: usize,
    /// The number that it is for; empty for the whole account.
    number: Vec<u8>,
    month: i64,
    amount: i64,
    has_consent: bool,
}

/// A limit, as it counts for a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceLimit<'l> {
    place: usize,
    limit: &'l SpendLimit,
    /// The number that it is for; empty for the whole account.
    number: &'l [u8],
}

/// What a part of the spending has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    pub(crate) notice: bool,
    pub(crate) limit: bool,
}

impl SpendLimit {
    /// Returns whether one of its services counts.
    fn is_for(&self, service: &Service<'_>) -> bool {
        let is_abroad = !service.partner.is_empty();
        is_abroad || !self.is_roaming
    }

    fn stored_name(&self) -> &[u8] {
        stored(self.name.as_bytes())
    }
}

/// Returns the limits of a service.
pub(crate) fn limits_of<'l>(
    limits: &'l [SpendLimit],
    service: &Service<'l>,
) -> impl Iterator<Item = ServiceLimit<'l>> + use<'l> {
    let service = *service;
    limits_named(limits, &service).filter(move |of| of.limit.is_for(&service))
}

/// Returns the limits of a service, wherever it is used: a subscriber may agree to spend more before going abroad.
pub(crate) fn limits_named<'l>(
    limits: &'l [SpendLimit],
    service: &Service<'l>,
) -> impl Iterator<Item = ServiceLimit<'l>> + use<'l> {
    let service = *service;
    let limits = limits.iter().take(SPEND_LIMITS_MAX).enumerate();
    let is_named = move |limit: &SpendLimit| limit.services.iter().any(|of| of == service.name);
    limits.filter(move |(_, limit)| is_named(limit)).map(move |(place, limit)| {
        let number = if limit.is_each_number { stored(service.served) } else { &[] };
        ServiceLimit { place, limit, number }
    })
}

/// Returns what is stored of a name or number: 255 octets at most.
fn stored(octets: &[u8]) -> &[u8] {
    &octets[..octets.len().min(255)]
}

impl Spending {
    /// Reads the stored form, and returns what is behind it. Limits that are no longer there are left out.
    pub(crate) fn read<'o>(&mut self, limits: &[SpendLimit], octets: &'o [u8]) -> Option<&'o [u8]> {
        self.spent.clear();
        self.notices.clear();
        self.is_changed = false;
        let Some((&FORM, rest)) = octets.split_first() else { return Some(octets) };
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (mut stored, behind) = rest.split_at_checked(length)?;
        while let Some((length, rest)) = stored.split_first() {
            let (name, rest) = rest.split_at_checked((*length).into())?;
            let (length, rest) = rest.split_first()?;
            let (number, rest) = rest.split_at_checked((*length).into())?;
            let (month, rest) = rest.split_first_chunk()?;
            let (amount, rest) = rest.split_first_chunk()?;
            let (consent, rest) = rest.split_first()?;
            let (month, amount) = (i64::from_le_bytes(*month), i64::from_le_bytes(*amount));
            let mut known = limits.iter().take(SPEND_LIMITS_MAX);
            if let Some(limit) = known.position(|limit| limit.stored_name() == name) {
                let (number, has_consent) = (number.to_vec(), *consent != 0);
                self.spent.push(Spent { limit, number, month, amount, has_consent });
            }
            stored = rest;
        }
        Some(behind)
    }

    /// Writes the stored form at the end of `to`. Months that are over for long are left out.
    pub(crate) fn write(&self, limits: &[SpendLimit], to: &mut Vec<u8>) {
        let Some(last) = self.spent.iter().map(|spent| spent.month).max() else { return };
        let name = |spent: &Spent| limits[spent.limit].stored_name();
        // A clock that was ahead for a moment takes nothing away.
        let written = || self.spent.iter().filter(|spent| spent.month >= last - MONTHS_STORED);
        let octets = |spent: &Spent| name(spent).len() + spent.number.len() + SPENT_OCTETS;
        let length: usize = written().map(octets).sum();
        to.push(FORM);
        to.extend_from_slice(&(length as u32).to_le_bytes());
        for spent in written() {
            to.push(name(spent).len() as u8);
            to.extend_from_slice(name(spent));
            to.push(spent.number.len() as u8);
            to.extend_from_slice(&spent.number);
            to.extend_from_slice(&spent.month.to_le_bytes());
            to.extend_from_slice(&spent.amount.to_le_bytes());
            to.push(spent.has_consent.into());
        }
    }

    /// Returns what was spent in a month, and whether there is consent for more.
    fn of(&self, of: ServiceLimit<'_>, month: i64) -> (i64, bool) {
        let spent = self.spent.iter().find(|spent| spent.is_of(of) && spent.month == month);
        spent.map_or((0, false), |spent| (spent.amount, spent.has_consent))
    }

    fn of_mut(&mut self, of: ServiceLimit<'_>, month: i64) -> &mut Spent {
        self.is_changed = true;
        let begun = || {
            let (limit, number) = (of.place, of.number.to_vec());
            Spent { limit, number, month, amount: 0, has_consent: false }
        };
        let place = match self.spent.iter().position(|spent| spent.is_of(of)) {
            Some(place) if self.spent[place].month == month => place,
            Some(place) => {
                self.spent[place] = begun();
                place
            }
            None => {
                self.spent.push(begun());
                self.spent.len() - 1
            }
        };
        &mut self.spent[place]
    }

    /// Counts an amount without tax for a limit.
    pub(crate) fn count(&mut self, of: ServiceLimit<'_>, month: i64, net: i64) -> Passed {
        let spent = self.of_mut(of, month);
        let before = spent.amount;
        spent.amount = before.saturating_add(net);
        let after = spent.amount;
        let passes = |percent: i128| {
            let is_below =
                |amount: i64| i128::from(amount) * 100 < i128::from(of.limit.amount) * percent;
            is_below(before) && !is_below(after)
        };
        let passed = Passed { notice: passes(NOTICE_PERCENT), limit: passes(100) };
        if passed.notice || passed.limit {
            let (limit, is_reached) = (of.limit.number, passed.limit);
            self.notices.push(Notice::Spent { limit, is_reached, number: digits(of.number) });
        }
        passed
    }

    /// Returns the notices of what was counted since it was read.
    pub(crate) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Notes that the subscriber agrees to spend more in a month.
    pub(crate) fn consent(&mut self, of: ServiceLimit<'_>, month: i64) {
        self.of_mut(of, month).has_consent = true;
    }

    /// Returns what may still be spent within a limit in a month. `None` if there is consent for more.
    pub(crate) fn left(&self, of: ServiceLimit<'_>, month: i64) -> Option<i64> {
        let (spent, has_consent) = self.of(of, month);
        (!has_consent).then(|| of.limit.amount.saturating_sub(spent))
    }

    /// Returns what was spent within each limit in a month: also nothing within one of the whole account, and what there is
    /// within those of numbers.
    pub(crate) fn within<'l>(
        &self,
        limits: &'l [SpendLimit],
        month: i64,
    ) -> Vec<SpentWithinLimit<'l>> {
        let of_limit = |(place, limit): (usize, &'l SpendLimit)| {
            let whole = ServiceLimit { place, limit, number: &[] };
            let (spent, has_consent) = self.of(whole, month);
            let whole = SpentWithinLimit { limit, number: Vec::new(), spent, has_consent };
            let of_numbers = self.spent.iter().filter(move |spent| {
                limit.is_each_number && spent.limit == place && spent.month == month
            });
            let of_numbers = of_numbers.map(move |spent| SpentWithinLimit {
                limit,
                number: spent.number.clone(),
                spent: spent.amount,
                has_consent: spent.has_consent,
            });
            Some(whole).filter(|_| !limit.is_each_number).into_iter().chain(of_numbers)
        };
        limits.iter().take(SPEND_LIMITS_MAX).enumerate().flat_map(of_limit).collect()
    }
}

/// Returns a number as the digits that a notice has.
fn digits(number: &[u8]) -> u64 {
    let text = std::str::from_utf8(number).ok().filter(|text| !text.starts_with('0'));
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

impl Spent {
    fn is_of(&self, of: ServiceLimit<'_>) -> bool {
        self.limit == of.place && self.number == of.number
    }
}

/// What an account has spent within a limit in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentWithinLimit<'l> {
    /// The limit.
    pub limit: &'l SpendLimit,
    /// The number that it is for; empty for the whole account.
    pub number: Vec<u8>,
    /// What was spent, without tax, in billionths.
    pub spent: i64,
    /// Whether the subscriber agrees to spend more.
    pub has_consent: bool,
}

/// Returns what the open grants of an account may cost within a limit, except that of a leg. It is with tax, so it is not
/// less than what they will count.
pub(crate) fn open_grants(
    account: &Account,
    of: ServiceLimit<'_>,
    except: (SessionKey, u32),
) -> Result<i64, MemoDamaged> {
    let mut sum = 0_i64;
    for session in account.sessions().iter().filter(|session| !session.is_closed) {
        for leg in legs(session.memo()) {
            let StoredLeg { leg, service, unreserved, .. } = leg?;
            let is_of_number = of.number.is_empty() || stored(service.served) == of.number;
            if (session.key, leg) != except && of.limit.is_for(&service) && is_of_number {
                let reserved = account.reserved_for(session.key, leg, Unit::Money);
                sum = sum.saturating_add(reserved).saturating_add(unreserved);
            }
        }
    }
    Ok(sum)
}
