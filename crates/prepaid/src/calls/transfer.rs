//! Transfers money between accounts.

use ledger::{Key, MAIN_BUCKET, Transfer, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approvals::named;
use super::{Call, Clerk, done, text, unusable};
use crate::amount;
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::Remark;

/// Transfers money from one prepaid account to another: both change, or neither.
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
        let currency = system.rules().currency;
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
        let transfer = Transfer {
            key: Key(key_of(&["transfer", reference])),
            from,
            to,
            amount,
            fee: None,
            remark: &octets,
            at: system.now_ms(),
        };
        let trail = clerk.trail(Self::NAME, subject, because);
        let outcome = system.back.transfer(&transfer, trail).map_err(unusable)?;
        done(outcome.receipt, reference)?;
        let balance = clerk.look(from, |account| {
            account.and_then(|account| account.bucket(MAIN_BUCKET)).map_or(0, |main| main.amount)
        })?;
        Ok(Transferred {
            from: from.0,
            to: to.0,
            balance: amount::shown(balance, Unit::Money, currency),
            currency: currency.code().to_owned(),
            repeated: outcome.is_repeated,
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
