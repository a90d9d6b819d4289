//! Events: what is done at once, without a session that goes on.

use accounts::Desk;
use ledger::{Action, Credit, CreditTo, Key, MAIN_BUCKET, Refusal, SessionKey, Unit};

use crate::answer::{LegRefusal, Noted};
use crate::leg::{Decided, Leg, Memory, Rating};
use crate::means::{Amounts, Means};
use crate::progress::LegProgress;
use crate::request::EventKind;
use crate::spend::limits_named;

impl Leg<'_> {
    /// Finds what is done for an event.
    pub(crate) fn event(
        &self,
        kind: EventKind,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
    ) -> Result<Decided, LegRefusal> {
        match kind {
            EventKind::Debit => self.paid_event(means, rating),
            EventKind::BalanceCheck => match self.paid_event(means, rating)?.noted {
                Noted::Price(_) => Ok(answer(Noted::Done)),
                refused => Ok(answer(refused)),
            },
            EventKind::Refund => {
                let refund = self.event_price(rating)?;
                Ok(Decided { refund, ..answer(Noted::Price(refund)) })
            }
            EventKind::SpendConsent => {
                let Memory { spending, .. } = &mut *rating.memory;
                for limit in limits_named(&self.charging.policy.spend_limits, &self.service) {
                    spending.consent(limit, rating.month);
                }
                Ok(Decided { has_counted: spending.is_changed, ..answer(Noted::Done) })
            }
            EventKind::PriceEnquiry => Ok(answer(Noted::Price(self.event_price(rating)?))),
        }
    }

    /// Finds what pays for an event: all of it, or nothing.
    fn paid_event(
        &self,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
    ) -> Result<Decided, LegRefusal> {
        let left = self.spend_left(means.account, rating)?;
        let decided = self.pay(means, rating)?;
        let bundled = decided.progress.priced.as_ref().map_or(0, |priced| priced.free());
        if !means.may_pay() && (decided.used != Amounts::default() || bundled > 0) {
            return Ok(answer(Noted::Barred));
        }
        if left.is_some_and(|left| left < decided.net) {
            return Ok(answer(Noted::SpendLimit));
        }
        if means.available(Unit::Money) < decided.used.money {
            return Ok(answer(Noted::NoMoney));
        }
        Ok(Decided { noted: Noted::Price(decided.used.money), ..decided })
    }

    /// Returns the price of an event as a usage of its own, and counts nothing.
    fn event_price(&self, rating: &mut Rating<'_>) -> Result<i64, LegRefusal> {
        let Some(used) = self.leg.used else { return Ok(0) };
        Ok(self.price(used, &mut LegProgress::default(), rating)?.money)
    }

    /// Credits what goes back to the account. Returns how much that is: nothing, if it went back before.
    pub(crate) fn refund(&self, desk: &mut Desk<'_>, amount: i64) -> Result<i64, Refusal> {
        let (to, from) = (CreditTo::Bucket(MAIN_BUCKET), self.charging.revenue());
        let mut remark = Vec::new();
        self.remark(&Decided::default(), &mut remark);
        let remark = &remark;
        let credit = Credit { key: self.refund_key(), to, amount, from, days: 0, remark };
        let outcome = desk.perform(self.request.at, Action::Credit(credit));
        match outcome.receipt.refusal {
            Some(refusal) => Err(refusal),
            None if outcome.is_repeated => Ok(0),
            None => Ok(amount),
        }
    }

    /// Returns the key of a refund: the ledger remembers it for longer than the session.
    fn refund_key(&self) -> Key {
        let SessionKey(session) = self.request.session;
        let place = u128::from(self.request.number) << 32 | u128::from(self.leg.leg);
        // The session's key is a digest; an odd factor spreads the places of its requests over all bits.
        Key(session ^ (place << 1 | 1).wrapping_mul(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f))
    }
}

/// Returns an answer without a change.
fn answer(noted: Noted) -> Decided {
    Decided { noted, ..Decided::default() }
}
