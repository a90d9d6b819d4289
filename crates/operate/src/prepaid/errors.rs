//! Why operations on prepaid accounts are refused.

use ::prepaid::Refused;

use crate::privacy::SubscriberDataError;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

refusals! {
    /// Why an operation on prepaid accounts is refused.
    pub enum PrepaidError {
        /// The charging system refuses it.
        Refused(Refused) => [Wrong, Unknown, Conflict, NotReady],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

/// The kinds, codes and texts of refusals; the texts have parameters in braces.
const POSSIBLE: &[(RefusalKind, &str, &str)] = &[
    (RefusalKind::Unknown, "number-unknown", "no account has the number \"{number}\""),
    (RefusalKind::Wrong, "number-invalid", "\"{text}\" is no number of a subscriber"),
    (RefusalKind::Wrong, "unit-needed", "the plan counts \"{service}\" in {units}: give that unit"),
    (RefusalKind::Wrong, "number-refused", "\"{text}\" cannot be the number of an account: {why}"),
    (RefusalKind::Conflict, "number-taken", "another account has the number \"{number}\""),
    (
        RefusalKind::Conflict,
        "number-in-use",
        "the number \"{number}\" has a call in progress: remove it when the call has ended, or end its session",
    ),
    (RefusalKind::Wrong, "amount-invalid", "\"{amount}\" is no amount: {why}"),
    (RefusalKind::Conflict, "not-enough", "the account has less than that available"),
    (
        RefusalKind::Conflict,
        "reference-reused",
        "the reference \"{reference}\" was used for something else",
    ),
    (RefusalKind::Conflict, "account-barred", "the account is not in use"),
    (RefusalKind::Conflict, "account-closed", "the account is closed for ever: open another one"),
    (RefusalKind::Conflict, "balance-too-large", "the balance would be too large"),
    (RefusalKind::Unknown, "bucket-unknown", "the account has no bucket {bucket}"),
    (
        RefusalKind::Unknown,
        "subscriber-type-unknown",
        "no plan has a type of subscriber \"{subscriber_type}\"",
    ),
    (RefusalKind::Unknown, "bundle-unknown", "charging.toml has no bundle \"{bundle}\""),
    (RefusalKind::Unknown, "not-subscribed", "the account has no bundle \"{bundle}\" that renews"),
    (
        RefusalKind::Conflict,
        "too-many-subscriptions",
        "the account has too many bundles that renew, and fees",
    ),
    (RefusalKind::Conflict, "entry-not-reversible", "the entry {entry} cannot be reversed: {why}"),
    (RefusalKind::Conflict, "receiver-invalid", "nothing is transferred: {why}"),
    (
        RefusalKind::Conflict,
        "approval-needed",
        "an amount above {above} needs a second person: this is request {request} now, which another user approves or rejects",
    ),
    (
        RefusalKind::Conflict,
        "too-many-requests",
        "too many requests wait for approval: approve or reject some of them",
    ),
    (RefusalKind::Unknown, "request-unknown", "no request {request} waits for approval"),
    (
        RefusalKind::Conflict,
        "second-person-needed",
        "\"{who}\" asked for it: another user must approve it, by a login and not by a token",
    ),
    (
        RefusalKind::Conflict,
        "person-needed",
        "an amount above {above} needs two persons, and a token is none: ask for it by a login",
    ),
    (RefusalKind::Unknown, "charging-version-unknown", "there is no version {version}"),
    (
        RefusalKind::Conflict,
        "version-not-restored",
        "the files of version {version} are not put back: {why}",
    ),
    (
        RefusalKind::Unknown,
        "version-file-unknown",
        "there is no version {version} with a file \"{file}\"",
    ),
    (
        RefusalKind::Conflict,
        "no-peers",
        "no charging system with [diameter] runs, so there are no messages",
    ),
    (RefusalKind::Unknown, "message-trace-unknown", "there is no trace {trace}"),
    (RefusalKind::Conflict, "message-trace-refused", "nothing is done with traces: {why}"),
    (
        RefusalKind::Wrong,
        "message-trace-limit-invalid",
        "\"{text}\" is no {what} of a trace: write \"{example}\", and {most} at most",
    ),
    (RefusalKind::Wrong, "peer-invalid", "\"{peer}\" is no name of a host, and so none of a peer"),
    (
        RefusalKind::Wrong,
        "profile-unknown",
        "there is no profile \"{profile}\": expected {profiles}",
    ),
    (
        RefusalKind::Conflict,
        "peer-not-allowed",
        "\"{peer}\" is not let in, and the definition is as it was: {why}",
    ),
    (RefusalKind::Unknown, "voucher-unknown", "there is no voucher {serial}"),
    (RefusalKind::Conflict, "voucher-refused", "the voucher is refused: {why}"),
    (
        RefusalKind::Conflict,
        "voucher-locked",
        "there were too many wrong PINs for the account: it may try again at {until}",
    ),
    (RefusalKind::Conflict, "number-missing", "the account {account} has no number"),
    (RefusalKind::Wrong, "price-missing", "the usage has no price: {why}"),
    (RefusalKind::Unknown, "session-unknown", "there is no such session"),
    (RefusalKind::Wrong, "service-unknown", "no plan has a service \"{service}\""),
    (
        RefusalKind::Wrong,
        "class-unknown",
        "charging.toml does not name the tariff class \"{class}\": add it to \"classes\" of [barring]",
    ),
    (
        RefusalKind::Conflict,
        "day-limit",
        "an account may send {most} {currency} to others on a day",
    ),
    (
        RefusalKind::Wrong,
        "system-unknown",
        "the operator has no account \"{system}\": expected revenue, refill, adjustment, transfer, expired, bonus, fee, bundle or orphan",
    ),
    (RefusalKind::Wrong, "time-invalid", "\"{text}\" is no time: {why}"),
    (RefusalKind::Wrong, "text-invalid", "{what} is empty or too long"),
    (RefusalKind::Conflict, "charging-has-mistakes", "charging.toml has mistakes"),
    (
        RefusalKind::Unknown,
        "charging-missing",
        "there is no charging system: \"{path}\" is not there",
    ),
    (
        RefusalKind::NotReady,
        "charging-not-running",
        "the charging system does not run: start it with \"tollgate charge run {path}\"",
    ),
    (RefusalKind::NotReady, "accounts-unusable", "the accounts cannot be used: {why}"),
    (
        RefusalKind::NotReady,
        "charging-does-not-answer",
        "the charging system does not answer: {why}",
    ),
];

/// Returns the code of a refusal.
fn code(refused: &Refused) -> &'static str {
    match refused {
        Refused::NumberUnknown { .. } => "number-unknown",
        Refused::NumberInvalid { .. } => "number-invalid",
        Refused::NumberRefused { .. } => "number-refused",
        Refused::UnitNeeded { .. } => "unit-needed",
        Refused::NumberTaken { .. } => "number-taken",
        Refused::NumberInUse { .. } => "number-in-use",
        Refused::AmountInvalid { .. } => "amount-invalid",
        Refused::NotEnough => "not-enough",
        Refused::ReferenceReused { .. } => "reference-reused",
        Refused::AccountBarred => "account-barred",
        Refused::AccountClosed => "account-closed",
        Refused::BalanceTooLarge => "balance-too-large",
        Refused::BucketUnknown { .. } => "bucket-unknown",
        Refused::SubscriberTypeUnknown { .. } => "subscriber-type-unknown",
        Refused::BundleUnknown { .. } => "bundle-unknown",
        Refused::NotSubscribed { .. } => "not-subscribed",
        Refused::TooManySubscriptions => "too-many-subscriptions",
        Refused::EntryNotReversible { .. } => "entry-not-reversible",
        Refused::ReceiverInvalid { .. } => "receiver-invalid",
        Refused::ApprovalNeeded { .. } => "approval-needed",
        Refused::TooManyRequests => "too-many-requests",
        Refused::RequestUnknown { .. } => "request-unknown",
        Refused::SecondPersonNeeded { .. } => "second-person-needed",
        Refused::PersonNeeded { .. } => "person-needed",
        Refused::VersionUnknown { .. } => "charging-version-unknown",
        Refused::NotRestored { .. } => "version-not-restored",
        Refused::VersionFileUnknown { .. } => "version-file-unknown",
        Refused::NoPeers => "no-peers",
        Refused::TraceUnknown { .. } => "message-trace-unknown",
        Refused::TraceRefused { .. } => "message-trace-refused",
        Refused::TraceLimitInvalid { .. } => "message-trace-limit-invalid",
        Refused::PeerInvalid { .. } => "peer-invalid",
        Refused::ProfileUnknown { .. } => "profile-unknown",
        Refused::PeerNotAllowed { .. } => "peer-not-allowed",
        Refused::VoucherUnknown { .. } => "voucher-unknown",
        Refused::VoucherRefused { .. } => "voucher-refused",
        Refused::VoucherLocked { .. } => "voucher-locked",
        Refused::NoNumber { .. } => "number-missing",
        Refused::NoPrice { .. } => "price-missing",
        Refused::SessionUnknown => "session-unknown",
        Refused::ServiceUnknown { .. } => "service-unknown",
        Refused::ClassUnknown { .. } => "class-unknown",
        Refused::DayLimit { .. } => "day-limit",
        Refused::SystemUnknown { .. } => "system-unknown",
        Refused::TimeInvalid { .. } => "time-invalid",
        Refused::TextInvalid { .. } => "text-invalid",
        Refused::Mistakes { .. } => "charging-has-mistakes",
        Refused::Missing { .. } => "charging-missing",
        Refused::NotRunning { .. } => "charging-not-running",
        Refused::Unusable { .. } => "accounts-unusable",
        Refused::NoAnswer { .. } => "charging-does-not-answer",
    }
}

impl Refusal for Refused {
    fn kind(&self) -> RefusalKind {
        let own = code(self);
        let found = POSSIBLE.iter().find(|(_, code, _)| *code == own);
        found.map_or(RefusalKind::Internal, |(kind, ..)| *kind)
    }

    fn code(&self) -> &'static str {
        code(self)
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of = |(kind, code, text): &(RefusalKind, &'static str, &'static str)| PossibleRefusal {
            kind: *kind,
            text: Some((code, text)),
        };
        POSSIBLE.iter().map(of).collect()
    }
}
