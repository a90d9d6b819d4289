//! Transfers money between accounts.

use ledger::{DayLimit, Fee, Key, MAIN_BUCKET, Refusal, SystemKind, Transfer, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approvals::named;
use super::{Call, Clerk, done, text, unusable};
use crate::amount;
use crate::definition::TransferSettings;
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::Remark;
use crate::rules::TRANSFER;

/// Transfers money from one prepaid account to another: both change, or neither. `[transfers]` of `charging.toml` says what the
/// sender pays for it, and how much it may send on a day.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct TransferAmount {
    /// A number of the sender, or `#` and the number of the account.
    pub account: String,
    /// A number of the receiver, or `#` and the number of the account.
    pub to: String,
    /// The amount in the currency of the accounts: `100.00`.
    pub amount: String,
    /// The reference. A transfer that comes again with its reference changes nothing.
    pub reference: String,
    /// The reason.
    pub because: String,
}

/// A transfer that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Transferred {
    /// The account of the sender.
    pub from: u64,
    /// The account of the receiver.
    pub to: u64,
    /// What the sender has paid for it. None if there is no fee, or the same transfer came before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee: Option<String>,
    /// The balance of the sender, as it is now.
    pub balance: String,
    /// The currency.
    pub currency: String,
    /// Whether the same transfer came before: nothing was changed now.
    pub repeated: bool,
}

impl Call for TransferAmount {
    type Reply = Transferred;

    const NAME: &'static str = "account transfer";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Transferred, Refused> {
        let (from, to) = (clerk.account(&self.account)?, clerk.account(&self.to)?);
        let system = clerk.system;
        let (rules, now) = (system.rules(), system.now_ms());
        let currency = rules.currency;
        let amount = amount::money(&self.amount, currency)?;
        let because = text("the reason", &self.because)?;
        let reference = text("the reference", &self.reference)?;
        let subject = format!("account {} to {}: {}", from.0, to.0, self.amount.trim());
        let own = Self { account: named(from), to: named(to), ..self.clone() };
        clerk.check_approval(&own, amount, (&subject, because))?;
        let remark = Remark {
            kind: "transfer".to_owned(),
            who: clerk.who.to_owned(),
            because: because.to_owned(),
            reference: reference.to_owned(),
            accounts: vec![from.0, to.0],
            ..Remark::default()
        };
        let octets = remark.octets();
        let TransferSettings { fee, per_day } = rules.transfers;
        let to_system = rules.system_account(SystemKind::Fee, TRANSFER);
        let fee = to_system.filter(|_| fee > 0).map(|to| Fee { amount: fee, to });
        let limit = per_day.map(|most| DayLimit { day: rules.day_begin(now), most });
        let transfer = Transfer {
            key: Key(key_of(&["transfer", reference])),
            from,
            to,
            amount,
            fee,
            limit,
            remark: &octets,
            at: now,
        };
        let trail = clerk.trail(Self::NAME, subject, because);
        let outcome = system.back.transfer(&transfer, trail).map_err(unusable)?;
        if let (Some(Refusal::DayLimit), Some(most)) = (outcome.receipt.refusal, per_day) {
            let most = amount::shown(most, Unit::Money, currency);
            return Err(Refused::DayLimit { most, currency: currency.code().to_owned() });
        }
        done(outcome.receipt, reference)?;
        clerk.reauthorize_sessions(to);
        let paid = fee.filter(|_| !outcome.is_repeated);
        let balance = clerk.look(from, |account| {
            account.and_then(|account| account.bucket(MAIN_BUCKET)).map_or(0, |main| main.amount)
        })?;
        Ok(Transferred {
            from: from.0,
            to: to.0,
            fee: paid.map(|fee| amount::shown(fee.amount, Unit::Money, currency)),
            balance: amount::shown(balance, Unit::Money, currency),
            currency: currency.code().to_owned(),
            repeated: outcome.is_repeated,
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
