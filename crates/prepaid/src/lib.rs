//! A charging system: prepaid accounts, and the requests of networks that are charged to them, from its start to its end.
//!
//! ```text
//! charging.toml ─▶ definition ─▶ system ◀── calls ◀── client (a command, the interface)
//!                                  │  ▲
//!                    upkeep ───────┘  └── queue ◀── requests of networks
//!                      ├─▶ records of ended sessions, in files
//!                      └─▶ notices, to the program that tells subscribers
//! ```
//!
//! One process has the accounts ([`System`]): it holds the lock of their journal. Networks send [`Interrogation`]s, which
//! wait in a [`Queue`]; its workers take many at once, so that many share a sync of the disk. Gateways send
//! [`RatedRecords`], which are debited together ([`System::debit`]). What people do is a
//! [`Call`](calls::Call): a [`Client`] sends it to the process over the control socket, and performs it itself if there is
//! none.
#![forbid(unsafe_code)]

mod amount;
mod approvals;
mod back;
mod bonuses;
pub mod calls;
mod client;
mod definition;
mod interrogation;
mod lines;
mod messages;
mod meters;
mod network_sessions;
mod notices;
mod number_texts;
mod numbers;
mod past_plans;
mod peer_alarms;
mod peers;
mod queue;
mod queued_interrogation;
mod queued_request;
mod rated;
pub mod records;
mod refusals;
mod refused;
mod remark;
mod renewals;
mod restore;
mod rules;
mod scopes;
mod system;
mod thresholds;
mod traces;
mod upkeep;
mod versions;

pub use back::Settled;
pub use client::{Client, answer_calls};
pub use definition::{
    BonusRule, Bundle, Client as NetworkClient, Contents, CreditControl, Database, Definition,
    DiameterNode, DiameterSummary, DiameterTls, ErrorRate, Fee, FeeSummary, Http, LimitSummary,
    NoticeSettings, Peer, PeerAlarmSettings, RecordSettings, Recurrence, Summary, Terms,
    ThresholdRule, ThresholdSummary, TransferSettings,
};
pub use interrogation::{
    Answered, EventName, Granted, Interrogation, LegAnswered, LegInterrogation, PhaseName,
    PriceText, QuantityText, RefusedLeg, Useless,
};
pub use messages::{MessageAvp, MessageFile, MessageFilter, PeerMessage};
pub use meters::{ANSWER_SECONDS, Counts, REFUSAL_CODES, REQUEST_KINDS};
pub use notices::send_notices;
pub use numbers::{NotANumber, Number};
pub use peer_alarms::{PeerAlarm, PeerAlarmKind, PeerFault, send_peer_alarms};
pub use peers::{ConnectedPeer, NetworkPeers, PeerConnection, PeerResult, RefusedPeer};
pub use queue::Queue;
pub use queued_interrogation::{QueuedInterrogation, Reply};
pub use queued_request::{QueuedRequest, RequestAnswer, RequestHead};
pub use rated::{DebitedRecords, RatedRecords, RecordRefusal, RefusedRecord};
pub use refused::Refused;
pub use renewals::{begin_fees, settle};
pub use rules::Rules;
pub use settings::SecretError;
pub use system::{OpenError, System};
pub use thresholds::watch_accounts;
pub use traces::{MessageTrace, NewTrace, TraceCounts, TraceError, TraceFiles};
pub use upkeep::upkeep;

/// The log target. It is stable, since operators filter by it.
const LOG: &str = "charging";
