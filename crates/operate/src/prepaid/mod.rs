//! Prepaid accounts: each operation is a call that the process with the accounts performs (`prepaid::calls`).

mod errors;
mod sessions;

use ::prepaid::calls::{
    AccountHistory, AccountNotices, AccountRefusals, Accounts, ActivateVouchers, AddNumber,
    AdjustAccount, AllowPeer, ApprovalRequest, Approvals, ApproveRequest, BlockVouchers,
    BoughtBundle, BuyBundle, Call, CancelBundle, ChangedVouchers, ChargingFigures, ChargingTrail,
    ChargingVersions, CheckBooks, CheckedBooks, EndSession, EndTrace, EndedSession, EnquirePrice,
    ExportBooks, ExportTrace, ExportedBooks, ImportSubscribers, Imported, ListAccounts,
    ListApprovals, ListChargingTrail, ListChargingVersions, ListMessages, ListNotices, ListPeers,
    ListRefusals, ListTraces, MadeVouchers, MakeVouchers, Messages, Moved, OpenAccount, PeerList,
    PrepaidAccount, PriceEnquiry, RefillAccount, RejectRequest, RemoveNumber, RemoveTrace,
    RestoreChargingVersion, RestoredChargingVersion, ReverseEntry, SendTrialRequest,
    SetBarredServices, SetCreditLimit, SetStanding, SetSubscriberType, ShowAccount, ShowCharging,
    ShowHistory, ShowVersionFile, ShowVoucher, ShownVersionFile, ShownVoucher, StartTrace,
    SumBooks, SummedBooks, TraceList, TracePart, TransferAmount, Transferred, TrialAnswer,
    UseVoucher, UsedVoucher,
};
use ::prepaid::{Client, MessageTrace};
use people::Role;

use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::Rights;

pub use ::prepaid::calls;
pub use errors::PrepaidError;

/// Makes a call an operation: what it returns, the role that it needs, and whether it is a change; `long` if it reads or
/// changes many accounts.
macro_rules! operation {
    ($call:ty, $response:ty, $role:ident, reads $($long:ident)?) => {
        operation!($call, $response, $role, &[], operation!(@is $($long)?));
    };
    ($call:ty, $response:ty, $role:ident, changes $($long:ident)?) => {
        operation!($call, $response, $role, &[<$call as Call>::NAME], operation!(@is $($long)?));
    };
    (@is) => { false };
    (@is long) => { true };
    ($call:ty, $response:ty, $role:ident, $actions:expr, $is_long:expr) => {
        impl Operation for $call {
            type Response = $response;
            type Error = PrepaidError;

            const NAME: &'static str = <$call as Call>::NAME;
            const ROLE: Role = Role::$role;
            const ACTIONS: &[&str] = $actions;
            const IS_LONG: bool = $is_long;

            fn perform(self, context: &Context<'_>) -> Result<$response, PrepaidError> {
                context.prepaid(self)
            }
        }
    };
}

operation!(ShowAccount, PrepaidAccount, Viewer, reads);
operation!(ListAccounts, Accounts, Viewer, reads);
operation!(ShowHistory, AccountHistory, Viewer, reads);
operation!(ListRefusals, AccountRefusals, Viewer, reads);
operation!(ListNotices, AccountNotices, Viewer, reads);
operation!(EnquirePrice, PriceEnquiry, Viewer, reads);
operation!(ShowCharging, ChargingFigures, Viewer, reads);
operation!(ListChargingTrail, ChargingTrail, Viewer, reads);
operation!(ListChargingVersions, ChargingVersions, Viewer, reads);
operation!(ShowVersionFile, ShownVersionFile, Viewer, reads);
operation!(ListPeers, PeerList, Viewer, reads);
operation!(ListMessages, Messages, Viewer, reads);
operation!(ListTraces, TraceList, Viewer, reads);
operation!(ExportTrace, TracePart, Operator, reads long);
operation!(StartTrace, MessageTrace, Operator, changes);
operation!(EndTrace, MessageTrace, Operator, changes);
operation!(RemoveTrace, TraceList, Administrator, changes);
operation!(AllowPeer, PeerList, Administrator, changes);
operation!(OpenAccount, PrepaidAccount, Operator, changes);
operation!(RefillAccount, Moved, Operator, changes);
operation!(BuyBundle, BoughtBundle, Operator, changes);
operation!(CancelBundle, PrepaidAccount, Operator, changes);
operation!(AdjustAccount, Moved, Operator, changes);
operation!(TransferAmount, Transferred, Operator, changes);
operation!(ReverseEntry, Moved, Operator, changes);
operation!(RestoreChargingVersion, RestoredChargingVersion, Administrator, changes);
operation!(ListApprovals, Approvals, Viewer, reads);
operation!(ApproveRequest, ApprovalRequest, Operator, changes);
operation!(RejectRequest, ApprovalRequest, Operator, changes);
operation!(SetBarredServices, PrepaidAccount, Operator, changes);
operation!(SetSubscriberType, PrepaidAccount, Operator, changes);
operation!(SetCreditLimit, PrepaidAccount, Operator, changes);
operation!(SetStanding, PrepaidAccount, Operator, changes);
operation!(AddNumber, PrepaidAccount, Operator, changes);
operation!(RemoveNumber, PrepaidAccount, Operator, changes);
operation!(MakeVouchers, MadeVouchers, Administrator, changes long);
operation!(ActivateVouchers, ChangedVouchers, Operator, changes);
operation!(BlockVouchers, ChangedVouchers, Operator, changes);
operation!(CheckBooks, CheckedBooks, Viewer, reads long);
operation!(ExportBooks, ExportedBooks, Viewer, reads long);
operation!(SumBooks, SummedBooks, Viewer, reads long);
operation!(ShowVoucher, ShownVoucher, Viewer, reads);
operation!(UseVoucher, UsedVoucher, Operator, changes);
operation!(SendTrialRequest, TrialAnswer, Operator, changes);
operation!(EndSession, EndedSession, Operator, changes);
operation!(ImportSubscribers, Imported, Operator, changes long);

impl Context<'_> {
    /// Performs a call for the caller, who must see subscriber data: accounts are found by numbers.
    fn prepaid<C: Call>(&self, call: C) -> Result<C::Reply, PrepaidError> {
        let client = match self.rights {
            Rights::Machine => Client::new(self.charging),
            // A server may not hold the accounts, which the charging system needs.
            Rights::Role(_) => Client::of_running(self.charging),
        };
        client.find()?;
        let access = self.subscriber_access();
        if let Some(subject) = call.subject() {
            access.allow("a look at prepaid accounts")?;
            self.record_view(&access, C::NAME, &subject)?;
        }
        Ok(client.call(self.who, call)?)
    }
}

/// Imports subscribers, some at a time. `done` gets what became of each part.
///
/// # Errors
///
/// A part is refused; those before it are imported.
pub fn import(
    context: &Context<'_>,
    parts: impl Iterator<Item = ImportSubscribers>,
    done: impl FnMut(Imported),
) -> Result<(), PrepaidError> {
    Ok(Client::new(context.charging).call_each(context.who, parts, done)?)
}
