//! What people and programs ask of a charging system beside the requests of networks. A call is performed by the process that
//! has the accounts; to add one, write its type with an implementation of [`Call`], and a line in `ALL`.

mod accounts;
mod adjust;
mod approvals;
mod barring;
mod books;
mod buy;
mod cancel;
mod credit_limit;
mod figures;
mod history;
mod import;
mod list;
mod list_sessions;
mod messages;
mod notices;
mod numbers;
mod open;
mod open_session;
mod opening;
pub(crate) mod operate;
mod peers;
mod period;
mod price;
mod refill;
mod refusals;
mod reverse;
mod sessions;
mod show;
mod standing;
mod subscriber_type;
mod sums;
mod traces;
mod traffic;
mod trail;
mod transfer;
mod trial;
mod versions;
mod vouchers;

use ::accounts::AccountsError;
use diagnostics::with_causes;
use ledger::{Account, AccountId, Millis, Receipt, Refusal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::Page;

use crate::back::BesideRow;
use crate::numbers::{Number, NumberTaken};
use crate::refused::Refused;
use crate::remark::TEXT_MAX;
use crate::rules::Rules;
use crate::system::System;

pub use crate::remark::{RecordOrigin, Remark, VoucherOrigin};
pub use accounts::{
    AccountLimit, AccountStanding, AccountSubscription, AmountUnit, Balance, PrepaidAccount,
};
pub use adjust::{AdjustAccount, NewBalance};
pub use approvals::{ApprovalRequest, Approvals, ApproveRequest, ListApprovals, RejectRequest};
pub use barring::SetBarredServices;
pub use books::{
    CheckBooks, CheckedBooks, ExportBooks, ExportedBooks, ExportedEntry, ExportedService, LastEntry,
};
pub use buy::{BoughtBundle, BundleOnSale, BuyBundle, GivenAmount};
pub use cancel::CancelBundle;
pub use credit_limit::SetCreditLimit;
pub use figures::{ChargingFigures, NoticesWaiting, ShowCharging, SystemBalance};
pub use history::{AccountHistory, ChargedUsage, HistoryEntry, PriceStep, ShowHistory};
pub use import::{ImportSubscribers, Imported, NewSubscriber, SubscriberMistake};
pub use list::{AccountLine, Accounts, ListAccounts};
pub use list_sessions::{ListSessions, Sessions};
pub use messages::{ListMessages, Messages};
pub use notices::{AccountNotices, ListNotices, NoticeKind, SubscriberNotice};
pub use numbers::{AddNumber, RemoveNumber};
pub use open::OpenAccount;
pub use open_session::OpenSession;
pub use peers::{AllowPeer, ListPeers, PeerList};
pub use price::{EnquirePrice, PriceEnquiry};
pub use refill::{GivenBonus, Moved, RefillAccount};
pub use refusals::{AccountRefusal, AccountRefusals, ListRefusals};
pub use reverse::ReverseEntry;
pub use sessions::{EndSession, EndedSession};
pub use show::ShowAccount;
pub use standing::SetStanding;
pub use subscriber_type::SetSubscriberType;
pub use sums::{SumBooks, SummedBooks, SystemSum, UnitSums};
pub use traces::{
    EndTrace, ExportTrace, ListTraces, RemoveTrace, StartTrace, TraceList, TracePart,
};
pub use traffic::{ChargingTraffic, RefusalCount, RequestCount, Times};
pub use trail::{ChargingTrail, ListChargingTrail};
pub use transfer::{TransferAmount, Transferred};
pub use trial::{SendTrialRequest, TrialAnswer, TrialPhase};
pub use versions::{
    ChargingVersion, ChargingVersions, ListChargingVersions, RestoreChargingVersion,
    RestoredChargingVersion, ShowVersionFile, ShownVersionFile,
};
pub use vouchers::{
    ActivateVouchers, BlockVouchers, ChangedVouchers, MadeVouchers, MakeVouchers, NewVoucher,
    ShowVoucher, ShownVoucher, UseVoucher, UsedVoucher,
};

/// A request to a charging system.
pub trait Call: Serialize + DeserializeOwned {
    /// What it returns.
    type Reply: Serialize + DeserializeOwned;

    /// The words of its command, which name it on the control socket and in the audit trail.
    const NAME: &'static str;

    /// Does it.
    ///
    /// # Errors
    ///
    /// It is refused, or the journal fails.
    fn perform(self, clerk: &Clerk<'_>) -> Result<Self::Reply, Refused>;

    /// Returns whose data it shows: the number of a subscriber, or nothing for those of many. `None` if it shows none.
    fn subject(&self) -> Option<String>;
}

/// The system that a call works on, and the person that it works for.
#[derive(Clone, Copy, Debug)]
pub struct Clerk<'c> {
    /// The system.
    pub system: &'c System,
    /// The user, token or client, as the audit trail names it.
    pub who: &'c str,
    /// By which right it acts.
    pub authority: Authority<'c>,
}

/// By which right a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority<'c> {
    /// A user or a token asks for it. Above an amount, a second person approves it.
    Person,
    /// A client of the network, such as a payment server, does it.
    Network,
    /// A person asked for it, and another one has approved it.
    Approved {
        /// The other one.
        by: &'c str,
        /// The reason for the approval.
        because: &'c str,
        /// The request.
        request: i64,
    },
}

impl Clerk<'_> {
    /// Returns how a client of the network is named where people have names.
    pub fn client(name: &str) -> String {
        format!("client {name}")
    }

    /// Returns whose references of payments those of this clerk are: a client has its own, and people share theirs.
    fn reference_owner(&self) -> &str {
        match self.authority {
            Authority::Network => self.who,
            Authority::Person | Authority::Approved { .. } => "",
        }
    }
}

/// Performs a call of the control socket.
type Perform = fn(&Clerk<'_>, Value) -> Result<Value, Refused>;

/// All calls, by name.
const ALL: &[(&str, Perform)] = &[
    line::<ActivateVouchers>(),
    line::<BlockVouchers>(),
    line::<MakeVouchers>(),
    line::<ShowVoucher>(),
    line::<UseVoucher>(),
    line::<AddNumber>(),
    line::<AdjustAccount>(),
    line::<AllowPeer>(),
    line::<ApproveRequest>(),
    line::<BuyBundle>(),
    line::<CancelBundle>(),
    line::<CheckBooks>(),
    line::<EndSession>(),
    line::<EnquirePrice>(),
    line::<ExportBooks>(),
    line::<ImportSubscribers>(),
    line::<ListAccounts>(),
    line::<ListApprovals>(),
    line::<ListChargingTrail>(),
    line::<ListPeers>(),
    line::<ListSessions>(),
    line::<ListTraces>(),
    line::<StartTrace>(),
    line::<EndTrace>(),
    line::<ExportTrace>(),
    line::<RemoveTrace>(),
    line::<OpenAccount>(),
    line::<RefillAccount>(),
    line::<RejectRequest>(),
    line::<RemoveNumber>(),
    line::<ReverseEntry>(),
    line::<SendTrialRequest>(),
    line::<SetBarredServices>(),
    line::<SetSubscriberType>(),
    line::<SetCreditLimit>(),
    line::<SetStanding>(),
    line::<ShowAccount>(),
    line::<ShowCharging>(),
    line::<ShowHistory>(),
    line::<SumBooks>(),
    line::<TransferAmount>(),
    line::<ListChargingVersions>(),
    line::<ListMessages>(),
    line::<ListNotices>(),
    line::<ListRefusals>(),
    line::<RestoreChargingVersion>(),
    line::<ShowVersionFile>(),
];

const fn line<C: Call>() -> (&'static str, Perform) {
    (C::NAME, |clerk, request| {
        let no_answer = |why: serde_json::Error| Refused::NoAnswer { why: why.to_string() };
        let call: C = serde_json::from_value(request).map_err(no_answer)?;
        serde_json::to_value(call.perform(clerk)?).map_err(no_answer)
    })
}

/// Performs the call of a name.
pub(crate) fn perform(clerk: &Clerk<'_>, name: &str, request: Value) -> Result<Value, Refused> {
    match ALL.iter().find(|(known, _)| *known == name) {
        Some((_, perform)) => perform(clerk, request),
        None => Err(Refused::NoAnswer { why: format!("it has no call \"{name}\"") }),
    }
}

impl Clerk<'_> {
    /// Finds the account of a number, or of `#` and its own number.
    fn account(&self, name: &str) -> Result<AccountId, Refused> {
        let unknown = || Refused::NumberUnknown { number: name.to_owned() };
        if let Some(id) = name.trim().strip_prefix('#') {
            let id = AccountId(id.parse().map_err(|_| unknown())?);
            return self.look(id, |account| account.map(|_| id))?.ok_or_else(unknown);
        }
        let account = self.system.back.account_of(&number(name)?).map_err(unusable)?;
        account.ok_or_else(unknown)
    }

    /// Calls `look` with an account as it is.
    fn look<T>(
        &self,
        id: AccountId,
        look: impl FnOnce(Option<&Account>) -> T,
    ) -> Result<T, Refused> {
        self.system.back.look(id, look).map_err(unusable)
    }

    /// Returns the number of a subscriber that the account of a name serves: the name itself, or the account's first number.
    fn served(&self, name: &str, account: AccountId) -> Result<Number, Refused> {
        if !name.trim().starts_with('#') {
            return number(name);
        }
        let numbers = self.system.back.numbers_of(account).map_err(unusable)?;
        match numbers.first() {
            Some(first) => number(first),
            None => Err(Refused::NoNumber { account: account.0 }),
        }
    }

    /// Returns the entry of the audit trail, for the transaction of the change. A request that was approved waits no longer
    /// then.
    fn trail(
        &self,
        action: &'static str,
        subject: impl Into<String>,
        because: &str,
    ) -> Vec<BesideRow> {
        let (who, because, request) = match self.authority {
            Authority::Approved { by, because: approved, request } => {
                let because = format!("{approved} (asked for by {}: {because})", self.who);
                (by.to_owned(), because, Some(request))
            }
            Authority::Person | Authority::Network => {
                (self.who.to_owned(), because.to_owned(), None)
            }
        };
        let subject = subject.into();
        let entry = BesideRow::Trail { who, action, subject, because };
        request.map(BesideRow::Approved).into_iter().chain([entry]).collect()
    }
}

/// The most rows of a page of the audit trail or of versions.
const PAGE_MAX: u32 = 500;

/// The rows of such a page without a limit.
const PAGE: u32 = 50;

/// Returns the page of the newest rows before one.
fn page(before: Option<i64>, limit: Option<u32>) -> Page {
    Page { before, after: None, limit: limit.unwrap_or(PAGE).clamp(1, PAGE_MAX) }
}

fn number(text: &str) -> Result<Number, Refused> {
    Number::read(text).map_err(|_| Refused::NumberInvalid { text: text.to_owned() })
}

/// Reads a number that an account is to have. Networks name it with its country code: another form would be another number,
/// and the plan would have no price for it.
fn new_number(text: &str, rules: &Rules, at: Millis) -> Result<Number, Refused> {
    let number = number(text)?;
    let refused = |why: String| Refused::NumberRefused { text: text.to_owned(), why };
    if number.is_national() {
        let why = "it has no country code; write it as networks do, such as 46701234567";
        return Err(refused(why.to_owned()));
    }
    match rules.charging.plans.at(at.div_euclid(1_000)) {
        Some(plan) if plan.reads_served() && number.is_telephone() => {
            let of = rating::Number::unknown(number.as_str().as_bytes());
            plan.international(of).map_err(|fault| refused(fault.to_string()))?;
        }
        _ => {}
    }
    Ok(number)
}

/// Checks a text that a request must have.
fn text<'t>(what: &str, text: &'t str) -> Result<&'t str, Refused> {
    let text = text.trim();
    match !text.is_empty() && text.chars().count() <= TEXT_MAX {
        true => Ok(text),
        false => Err(Refused::TextInvalid { what: what.to_owned() }),
    }
}

/// Returns the receipt of an operation that succeeded. `reference` is that of the call.
fn done(receipt: Receipt, reference: &str) -> Result<Receipt, Refused> {
    let Some(refusal) = receipt.refusal else { return Ok(receipt) };
    Err(match refusal {
        Refusal::NotEnough => Refused::NotEnough,
        Refusal::KeyReused => Refused::ReferenceReused { reference: reference.to_owned() },
        Refusal::AccountBarred => Refused::AccountBarred,
        Refusal::BalanceTooLarge => Refused::BalanceTooLarge,
        Refusal::TooManySubscriptions => Refused::TooManySubscriptions,
        Refusal::ReceiverBarred | Refusal::ReceiverSame => {
            Refused::ReceiverInvalid { why: refusal.to_string() }
        }
        other => Refused::Unusable { why: other.to_string() },
    })
}

/// Returns why a call is refused that the back does not perform.
pub(crate) fn unusable(why: AccountsError) -> Refused {
    // Another process gave the number to an account in this moment.
    if let AccountsError::Undone(cause) = &why
        && let Some(NumberTaken { number }) = cause.downcast_ref()
    {
        return Refused::NumberTaken { number: number.clone() };
    }
    Refused::Unusable { why: with_causes(&why) }
}
