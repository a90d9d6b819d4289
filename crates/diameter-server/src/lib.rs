//! A charging system as a node of Diameter (RFC 6733): peers connect to it, and ask for credit (RFC 8506).
//!
//! ```text
//! peer ─▶ connection ─▶ request ─▶ queue of the charging system
//!             ▲                          │
//!             └──── line ◀── answer ◀────┘
//! ```
//!
//! Each connection has a task that reads and one that writes. Requests between peers, such as those of the watchdog, are answered
//! by the task that reads, and never wait for charging. The workers of the charging system append their answers to the
//! [line](line::Line) of the connection, and all that is there is written at once.

mod answer;
mod connection;
mod end;
mod faults;
mod front;
mod keys;
mod leg;
mod line;
mod listener;
mod meeting;
mod message_log;
mod message_xml;
mod messages;
mod open_peer;
mod payers;
mod pcapng;
mod peer_meters;
mod peers;
mod request;
mod restarts;
mod sctp_stream;
mod server;
mod server_requests;
mod session_termination;
mod sessions;
mod spare_requests;
mod summary;
mod trace;
mod watch;

pub use server::{DiameterError, DiameterServer, start};

/// The log target. It is stable, since operators filter by it.
const LOG: &str = "diameter";
