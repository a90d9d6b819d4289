//! What a usage would cost an account now, and how much of the service it pays for. People ask this; nothing is reserved,
//! counted or stored.

use ledger::{Account, AccountId, Millis, SessionKey};
use rating::Unit;

use crate::answer::{GRANT_MAX, LegRefusal};
use crate::grant::Funds;
use crate::leg::{Decided, Leg, Memory};
use crate::means::Amounts;
use crate::progress::LegProgress;
use crate::remark::ChargedUsage;
use crate::request::{Dialogue, LegRequest, Phase, Quantity, Request, Service};
use crate::settings::Charging;

/// The answer to an enquiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enquiry<'e> {
    /// The usage as it would be charged.
    pub charged: ChargedUsage<'e>,
    /// What it would cost in money, in billionths, with tax. Buckets of its unit pay the rest.
    pub price: i64,
    /// The largest quantity that the account pays for: its buckets, its money, and what it may spend in a month. What is
    /// reserved for other sessions is not in it.
    pub affordable: u64,
    /// The unit of this.
    pub unit: Unit,
    /// Whether the service costs no money.
    pub is_free: bool,
    /// Why nothing is affordable: there is no money, the limit of spending is reached, or the account is barred.
    pub refusal: Option<LegRefusal>,
}

impl Charging {
    /// Finds what a usage would cost an account at a time, and how much of the service it pays for.
    ///
    /// # Errors
    ///
    /// The service has no price.
    pub fn enquire<'e>(
        &'e self,
        (id, account): (AccountId, &Account),
        at: Millis,
        (service, used): (Service<'e>, Quantity),
    ) -> Result<Enquiry<'e>, LegRefusal> {
        let service = self.of_account(service, account);
        let leg = LegRequest {
            leg: 0,
            service: Some(service),
            used: Some(used),
            wanted: Some(Quantity::default()),
        };
        let request = Request {
            account: id,
            session: SessionKey(0),
            number: 0,
            digest: 0,
            client: "",
            at,
            phase: Phase::First,
            dialogue: Dialogue::default(),
            inherits: false,
            legs: &[],
        };
        let leg = Leg::find(self, &request, &leg, (account, &[]))?;
        let Decided { used: paid, progress, .. } = leg.paid(account)?;
        let (bucket_units, price) = (paid.units.unsigned_abs(), paid.money);
        let priced = ChargedUsage::priced(&service, &progress);
        let charged = ChargedUsage { leg: 0, service, client: "", used, bucket_units, priced };
        let affordable = leg.affordable(account)?;
        let may_pay = account.may_pay_for(leg.scopes);
        let refusal = match affordable {
            Affordable { quantity: 0, .. } if !may_pay => Some(LegRefusal::Barred),
            Affordable { quantity: 0, is_limited: true, .. } => Some(LegRefusal::SpendLimit),
            Affordable { quantity: 0, .. } => Some(LegRefusal::NoMoney),
            _ => None,
        };
        let Affordable { quantity, unit, is_free, .. } = affordable;
        let affordable = if refusal.is_some() { 0 } else { quantity };
        Ok(Enquiry { charged, price, affordable, unit, is_free, refusal })
    }
}

/// How much of a service an account pays for.
struct Affordable {
    quantity: u64,
    unit: Unit,
    /// Whether it would be more without a limit of spending.
    is_limited: bool,
    /// Whether no money is needed for it.
    is_free: bool,
}

impl Leg<'_> {
    /// Returns what would pay for the usage.
    fn paid(&self, account: &Account) -> Result<Decided, LegRefusal> {
        let mut memory = Memory::default();
        let (means, mut rating) = self.basis(account, &mut memory)?;
        self.pay(&means, &mut rating)
    }

    /// Returns how much of the service the account pays for.
    fn affordable(&self, account: &Account) -> Result<Affordable, LegRefusal> {
        let mut memory = Memory::default();
        let (means, mut rating) = self.basis(account, &mut memory)?;
        let left = means.left(rating.unit, Amounts::default());
        let amounts = Amounts { money: left.money.max(0), ..left };
        let funds = Funds { amounts, net: self.spend_left(account, &rating)? };
        let begun = LegProgress::default();
        let most = |_| GRANT_MAX;
        let all = self.offer_within(&mut rating, begun, funds, &most)?;
        let without = Funds { amounts: Amounts { money: 0, ..amounts }, net: None };
        let free = self.offer_within(&mut rating, begun, without, &most)?;
        let is_free = free.quantity == all.quantity && all.amounts.units < all.quantity as i64;
        Ok(Affordable {
            quantity: if all.bundled > 0 && !means.may_pay() { 0 } else { all.quantity },
            unit: all.unit,
            is_limited: all.is_limited,
            is_free,
        })
    }
}
