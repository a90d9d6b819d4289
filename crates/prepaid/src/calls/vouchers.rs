//! Vouchers: made, activated, blocked, shown and used.

use std::collections::HashSet;

use accounts::{BATCH_VOUCHERS_MAX, Pin, Redemption, VoucherBatch, VoucherError, VoucherState};
use ledger::{Currency, SystemAccount, SystemKind, Unit};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::refill::GivenBonus;
use super::{Call, Clerk, text, unusable};
use crate::amount;
use crate::back::Vouchers;
use crate::bonuses::Bonuses;
use crate::refused::Refused;
use crate::remark::{Remark, VoucherOrigin};

/// The digits of a new PIN: guessing one of a million vouchers takes a hundred million attempts.
const PIN_DIGITS: usize = 14;

/// The system account of refills by vouchers; that of payments has another number.
const BY_VOUCHER: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 1 };

/// Makes a batch of vouchers. They can be used once they are activated.
///
/// The response has the PINs, and they are in no other: only their keyed hashes are stored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MakeVouchers {
    /// The number of the new batch.
    pub batch: u32,
    /// How many vouchers it has, 100,000 at most.
    pub count: u32,
    /// What each is worth, in the currency of the plan: `100.00`.
    pub amount: String,
    /// When they expire: `2027-12-31T23:00:00Z`.
    pub until: String,
    /// The reason.
    pub because: String,
}

/// Vouchers that were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MadeVouchers {
    /// The vouchers.
    pub vouchers: Vec<NewVoucher>,
}

/// A voucher to be printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewVoucher {
    /// Its serial number.
    pub serial: u64,
    /// Its secret digits.
    pub pin: String,
}

/// Lets the vouchers of a batch be used: they are sold to the shops.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ActivateVouchers {
    /// The batch.
    pub batch: u32,
    /// The reason.
    pub because: String,
}

/// Blocks vouchers that are not used, such as stolen ones.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BlockVouchers {
    /// The batch.
    pub batch: u32,
    /// Only from this serial number on.
    pub first: Option<u64>,
    /// Only up to this serial number.
    pub last: Option<u64>,
    /// The reason.
    pub because: String,
}

/// How many vouchers have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedVouchers {
    /// Their number.
    pub changed: usize,
}

/// Shows a voucher.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct ShowVoucher {
    /// Its serial number.
    pub serial: u64,
}

/// A voucher, without its PIN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShownVoucher {
    /// Its serial number.
    pub serial: u64,
    /// Its batch.
    pub batch: u32,
    /// What it is worth.
    pub amount: String,
    /// The currency.
    pub currency: String,
    /// `generated`, `active`, `used`, `blocked` or `expired`.
    pub state: String,
    /// When it expires.
    pub until: String,
    /// The account that it was used for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<u64>,
    /// When it was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
}

/// Uses a voucher for a prepaid account. After three wrong PINs, the account may not try again for 24 hours.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UseVoucher {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The PIN.
    pub pin: String,
}

/// A voucher that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsedVoucher {
    /// The account.
    pub account: u64,
    /// The serial number of the voucher.
    pub serial: u64,
    /// What the account got.
    pub amount: String,
    /// The currency.
    pub currency: String,
    /// What the account got as a bonus.
    pub bonuses: Vec<GivenBonus>,
    /// Whether the account got it before: nothing was changed now.
    pub repeated: bool,
}

impl Call for MakeVouchers {
    type Reply = MadeVouchers;

    const NAME: &'static str = "voucher make";

    fn perform(self, clerk: &Clerk<'_>) -> Result<MadeVouchers, Refused> {
        let vouchers = clerk.vouchers()?;
        let rules = clerk.system.rules();
        let because = text("the reason", &self.because)?;
        let amount = amount::money(&self.amount, rules.currency)?;
        let until = runtime::time::moment(&self.until).map_err(|why| Refused::TimeInvalid {
            text: self.until.clone(),
            why: why.to_string(),
        })?;
        let count = self.count as usize;
        if !(1..=BATCH_VOUCHERS_MAX).contains(&count) {
            return Err(Refused::VoucherRefused { why: VoucherError::BatchInvalid.to_string() });
        }
        let batch = VoucherBatch {
            number: self.batch,
            currency: Currency(rules.currency.number()),
            amount,
            days: rules.life.map_or(0, |life| life.active_days),
            until,
        };
        let digits = pins(count)?;
        let parsed = digits.iter().map(|pin| Pin::parse(pin)).collect::<Result<Vec<_>, _>>();
        let subject = format!("batch {}: {count} of {}", self.batch, self.amount.trim());
        let trail = clerk.trail(Self::NAME, subject, because);
        vouchers.add(batch, &parsed.map_err(refused)?, trail).map_err(refused)?;
        let serials = batch.serials();
        let new = serials.zip(digits).map(|(serial, pin)| NewVoucher { serial, pin });
        Ok(MadeVouchers { vouchers: new.collect() })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for ActivateVouchers {
    type Reply = ChangedVouchers;

    const NAME: &'static str = "voucher activate";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ChangedVouchers, Refused> {
        let because = text("the reason", &self.because)?;
        let trail = clerk.trail(Self::NAME, format!("batch {}", self.batch), because);
        let changed = clerk.vouchers()?.activate(serials(self.batch), trail).map_err(refused)?;
        Ok(ChangedVouchers { changed })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for BlockVouchers {
    type Reply = ChangedVouchers;

    const NAME: &'static str = "voucher block";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ChangedVouchers, Refused> {
        let because = text("the reason", &self.because)?;
        let all = serials(self.batch);
        let (first, last) = (self.first.unwrap_or(*all.start()), self.last.unwrap_or(*all.end()));
        if !all.contains(&first) || !all.contains(&last) {
            let why = format!("a serial number is not of batch {}", self.batch);
            return Err(Refused::VoucherRefused { why });
        }
        let subject = match (self.first, self.last) {
            (None, None) => format!("batch {}", self.batch),
            _ => format!("vouchers {first} to {last}"),
        };
        let trail = clerk.trail(Self::NAME, subject, because);
        let changed = clerk.vouchers()?.block(first..=last, trail).map_err(refused)?;
        Ok(ChangedVouchers { changed })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for ShowVoucher {
    type Reply = ShownVoucher;

    const NAME: &'static str = "voucher show";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ShownVoucher, Refused> {
        let now = clerk.system.now_ms();
        let found = clerk.vouchers()?.voucher(self.serial, now).map_err(refused)?;
        let found = found.ok_or(Refused::VoucherUnknown { serial: self.serial })?;
        let currency = clerk.system.rules().currency;
        Ok(ShownVoucher {
            serial: found.serial,
            batch: found.batch.number,
            amount: amount::shown(found.batch.amount, Unit::Money, currency),
            currency: currency.code().to_owned(),
            state: state_word(found.state).to_owned(),
            until: shown(found.batch.until),
            account: found.account.map(|account| account.0),
            used_at: found.used_at.map(shown),
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("voucher {}", self.serial))
    }
}

impl Call for UseVoucher {
    type Reply = UsedVoucher;

    const NAME: &'static str = "voucher use";

    fn perform(self, clerk: &Clerk<'_>) -> Result<UsedVoucher, Refused> {
        let vouchers = clerk.vouchers()?;
        let account = clerk.account(&self.account)?;
        let pin = Pin::parse(self.pin.trim()).map_err(refused)?;
        // Made before: so no use is without an entry, and neither is a wrong PIN.
        let trail = clerk.trail(Self::NAME, format!("account {}", account.0), "");
        clerk.system.back.commit(trail).map_err(unusable)?;
        let remark = |serial| {
            let voucher = Some(VoucherOrigin { serial, batch: batch_of(serial) });
            let (kind, who) = ("voucher".to_owned(), clerk.who.to_owned());
            Remark { kind, who, voucher, ..Remark::default() }.octets()
        };
        let at = clerk.system.now_ms();
        let rules = clerk.system.rules();
        let bonuses = Bonuses::at(&rules, at);
        let redemption = Redemption {
            account,
            pin: &pin,
            bonuses: &bonuses.list(),
            from: BY_VOUCHER,
            remark: &remark,
            at,
        };
        let redeemed = vouchers.redeem(&redemption).map_err(refused)?;
        clerk.reauthorize_sessions(account);
        let bonuses = match redeemed.entry {
            0 => Vec::new(),
            entry => clerk.bonuses(account, entry)?.0,
        };
        let currency = rules.currency;
        Ok(UsedVoucher {
            account: account.0,
            serial: redeemed.serial,
            amount: amount::shown(redeemed.amount, Unit::Money, currency),
            currency: currency.code().to_owned(),
            bonuses,
            repeated: redeemed.is_repeated,
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl Clerk<'_> {
    fn vouchers(&self) -> Result<&Vouchers, Refused> {
        let none = || Refused::VoucherRefused {
            why: "charging.toml has no [vouchers] with a secret-file".to_owned(),
        };
        self.system.vouchers.as_ref().ok_or_else(none)
    }
}

fn serials(batch: u32) -> std::ops::RangeInclusive<u64> {
    let first = u64::from(batch) << 32;
    first..=first + u64::from(u32::MAX)
}

/// Returns the batch of a serial number, which begins with it.
fn batch_of(serial: u64) -> u32 {
    u32::try_from(serial >> 32).expect("half of the bits are left")
}

fn state_word(state: VoucherState) -> &'static str {
    match state {
        VoucherState::Generated => "generated",
        VoucherState::Active => "active",
        VoucherState::Used => "used",
        VoucherState::Blocked => "blocked",
        VoucherState::Expired => "expired",
    }
}

/// Returns random PINs, no two alike.
fn pins(count: usize) -> Result<Vec<String>, Refused> {
    let (mut known, mut pins) = (HashSet::new(), Vec::with_capacity(count));
    let mut random = [0_u8; PIN_DIGITS];
    while pins.len() < count {
        getrandom::fill(&mut random).map_err(|why| Refused::Unusable { why: why.to_string() })?;
        // 250 is a multiple of ten: so each digit is as frequent as the others.
        if random.iter().any(|octet| *octet >= 250) {
            continue;
        }
        let pin: String = random.iter().map(|octet| char::from(b'0' + octet % 10)).collect();
        if known.insert(pin.clone()) {
            pins.push(pin);
        }
    }
    Ok(pins)
}

fn refused(error: VoucherError) -> Refused {
    match error {
        VoucherError::Accounts(why) => unusable(why),
        VoucherError::Locked { until } => Refused::VoucherLocked { until: shown(until) },
        VoucherError::Refused(why) => Refused::VoucherRefused { why: why.to_string() },
        error => Refused::VoucherRefused { why: error.to_string() },
    }
}
