//! Why a call is refused.

use credit_control::profile::Profile;
use serde::{Deserialize, Serialize};

/// Why a call of a person or a program is refused. It crosses the control socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Refused {
    /// No account has the number.
    #[error("no account has the number \"{number}\"")]
    NumberUnknown {
        /// The number, or `#` and the number of an account.
        number: String,
    },
    /// A text is no number of a subscriber.
    #[error(
        "\"{text}\" is no number of a subscriber: digits are expected, or an address such as \"sip:anna@example.org\""
    )]
    NumberInvalid {
        /// The text.
        text: String,
    },
    /// The plan counts a service in other units.
    #[error("the plan counts \"{service}\" in {units}: give that unit")]
    UnitNeeded {
        /// The service.
        service: String,
        /// The units.
        units: String,
    },
    /// An account cannot have a number, since no network would name it so.
    #[error("\"{text}\" cannot be the number of an account: {why}")]
    NumberRefused {
        /// The text.
        text: String,
        /// Why.
        why: String,
    },
    /// Another account has the number.
    #[error("another account has the number \"{number}\"")]
    NumberTaken {
        /// The number.
        number: String,
    },
    /// The number has a call in progress.
    #[error(
        "the number \"{number}\" has a call in progress: remove it when the call has ended, or end its session"
    )]
    NumberInUse {
        /// The number.
        number: String,
    },
    /// An amount cannot be used.
    #[error("\"{amount}\" is no amount: {why}")]
    AmountInvalid {
        /// The amount.
        amount: String,
        /// Why.
        why: String,
    },
    /// Less is available than is needed.
    #[error("the account has less than that available")]
    NotEnough,
    /// Another operation has the reference.
    #[error("the reference \"{reference}\" was used for something else")]
    ReferenceReused {
        /// The reference.
        reference: String,
    },
    /// The account is not in use.
    #[error("the account is not in use")]
    AccountBarred,
    /// The account is closed.
    #[error("the account is closed for ever: open another one")]
    AccountClosed,
    /// The balance would be too large.
    #[error("the balance would be too large")]
    BalanceTooLarge,
    /// There is no such bucket.
    #[error("the account has no bucket {bucket}")]
    BucketUnknown {
        /// The bucket.
        bucket: u32,
    },
    /// There is no such type of subscriber.
    #[error("no plan has a type of subscriber \"{subscriber_type}\"")]
    SubscriberTypeUnknown {
        /// The type.
        subscriber_type: String,
    },
    /// There is no such bundle.
    #[error("charging.toml has no bundle \"{bundle}\"")]
    BundleUnknown {
        /// The bundle.
        bundle: String,
    },
    /// The bundle does not renew.
    #[error("the account has no bundle \"{bundle}\" that renews")]
    NotSubscribed {
        /// The bundle.
        bundle: String,
    },
    /// The account has too many subscriptions.
    #[error("the account has too many bundles that renew, and fees")]
    TooManySubscriptions,
    /// There is no such entry, or it cannot be reversed.
    #[error("the entry {entry} cannot be reversed: {why}")]
    EntryNotReversible {
        /// The entry.
        entry: u64,
        /// Why.
        why: String,
    },
    /// The receiver of a transfer cannot get it.
    #[error("nothing is transferred: {why}")]
    ReceiverInvalid {
        /// Why.
        why: String,
    },
    /// The amount needs a second person. The call is stored as a request.
    #[error(
        "an amount above {above} needs a second person: this is request {request} now, which another user approves or rejects"
    )]
    ApprovalNeeded {
        /// The amount of `charging.toml`.
        above: String,
        /// The number of the request.
        request: i64,
    },
    /// Too many requests wait.
    #[error("too many requests wait for approval: approve or reject some of them")]
    TooManyRequests,
    /// No such request waits.
    #[error("no request {request} waits for approval")]
    RequestUnknown {
        /// The number of the request.
        request: i64,
    },
    /// The one who asked for it, or a token, cannot approve a request.
    #[error("\"{who}\" asked for it: another user must approve it, by a login and not by a token")]
    SecondPersonNeeded {
        /// The user who asked for it.
        who: String,
    },
    /// A token asked for an amount that needs two persons.
    #[error(
        "an amount above {above} needs two persons, and a token is none: ask for it by a login"
    )]
    PersonNeeded {
        /// The amount of `charging.toml`.
        above: String,
    },
    /// There is no such version of the definition.
    #[error("there is no version {version}")]
    VersionUnknown {
        /// The version.
        version: i64,
    },
    /// The files of a version are not put back.
    #[error("the files of version {version} are not put back: {why}")]
    NotRestored {
        /// The version.
        version: i64,
        /// Why.
        why: String,
    },
    /// There is no such version of the definition, or it has no such file.
    #[error("there is no version {version} with a file \"{file}\"")]
    VersionFileUnknown {
        /// The version.
        version: i64,
        /// The file.
        file: String,
    },
    /// There are no peers of Diameter.
    #[error("no charging system with [diameter] runs, so there are no messages")]
    NoPeers,
    /// There is no such trace.
    #[error("there is no trace {trace}")]
    TraceUnknown {
        /// The number of the trace.
        trace: u32,
    },
    /// Nothing is done with a trace.
    #[error("nothing is done with traces: {why}")]
    TraceRefused {
        /// Why.
        why: String,
    },
    /// A limit of a trace cannot be used.
    #[error("\"{text}\" is no {what} of a trace: write \"{example}\", and {most} at most")]
    TraceLimitInvalid {
        /// What is limited.
        what: String,
        /// The text.
        text: String,
        /// One that can be used.
        example: String,
        /// The most that can be used.
        most: String,
    },
    /// A name cannot be that of a peer.
    #[error("\"{peer}\" is no name of a host, and so none of a peer")]
    PeerInvalid {
        /// The name.
        peer: String,
    },
    /// There is no such profile of peers.
    #[error("there is no profile \"{profile}\": expected {}", Profile::NAMES.join(", "))]
    ProfileUnknown {
        /// The name of the profile.
        profile: String,
    },
    /// A peer is not let in.
    #[error("\"{peer}\" is not let in, and the definition is as it was: {why}")]
    PeerNotAllowed {
        /// The name of the peer.
        peer: String,
        /// Why.
        why: String,
    },
    /// There is no such voucher.
    #[error("there is no voucher {serial}")]
    VoucherUnknown {
        /// Its serial number.
        serial: u64,
    },
    /// A voucher cannot be made or used.
    #[error("the voucher is refused: {why}")]
    VoucherRefused {
        /// Why.
        why: String,
    },
    /// There were too many wrong PINs for the account.
    #[error("there were too many wrong PINs for the account: it may try again at {until}")]
    VoucherLocked {
        /// When it may try again.
        until: String,
    },
    /// The account has no number that could call.
    #[error("the account {account} has no number")]
    NoNumber {
        /// The account.
        account: u64,
    },
    /// A usage has no price.
    #[error("the usage has no price: {why}")]
    NoPrice {
        /// Why.
        why: String,
    },
    /// There is no such session.
    #[error("there is no such session")]
    SessionUnknown,
    /// A service is not in the plan.
    #[error("no plan has a service \"{service}\"")]
    ServiceUnknown {
        /// The service.
        service: String,
    },
    /// The definition does not name a tariff class.
    #[error(
        "charging.toml does not name the tariff class \"{class}\": add it to \"classes\" of [barring]"
    )]
    ClassUnknown {
        /// The class.
        class: String,
    },
    /// The account would send more to others than it may on a day.
    #[error("an account may send {most} {currency} to others on a day")]
    DayLimit {
        /// The amount.
        most: String,
        /// The currency.
        currency: String,
    },
    /// The operator has no such account.
    #[error(
        "the operator has no account \"{system}\": expected revenue, refill, adjustment, transfer, expired, bonus, fee, bundle or orphan"
    )]
    SystemUnknown {
        /// The account.
        system: String,
    },
    /// A time cannot be used.
    #[error("\"{text}\" is no time: {why}")]
    TimeInvalid {
        /// The text.
        text: String,
        /// Why.
        why: String,
    },
    /// A text of the request is missing or too long.
    #[error("{what} is empty or too long")]
    TextInvalid {
        /// Which text.
        what: String,
    },
    /// The definition has mistakes.
    #[error("charging.toml has mistakes:\n\n{mistakes}")]
    Mistakes {
        /// All of them.
        mistakes: String,
    },
    /// There is no charging system.
    #[error("there is no charging system: \"{path}\" is not there")]
    Missing {
        /// The path of its definition.
        path: String,
    },
    /// No process has the accounts.
    #[error("the charging system does not run: start it with \"tollgate charge run {path}\"")]
    NotRunning {
        /// The path of its definition.
        path: String,
    },
    /// The accounts cannot be used.
    #[error("the accounts cannot be used: {why}")]
    Unusable {
        /// Why.
        why: String,
    },
    /// The process that has the accounts gives no answer, or one that cannot be read.
    #[error("the charging system does not answer: {why}")]
    NoAnswer {
        /// Why.
        why: String,
    },
}
