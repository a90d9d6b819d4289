//! Simulates clients of Diameter: sessions of packets and events of messages, on many connections with many requests in progress.
//! Each answer is checked. Prices are given, so that what is charged in the end is computed here and not by the charging system.

mod connection;
mod message;
mod report;
mod script;
mod stream;

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use connection::Connection;
use sctp::SctpError;

pub use report::{DiameterCounts, DiameterReport};

/// The transport of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTransport {
    /// TCP.
    Tcp,
    /// SCTP.
    Sctp,
}

/// A load of clients of Diameter.
#[derive(Clone, Debug)]
pub struct DiameterLoad {
    /// Where the server listens.
    pub address: SocketAddr,
    /// The transport of all connections.
    pub transport: LoadTransport,
    /// The realm of server and clients. Each connection has a node of its own in it: `load-0.REALM`.
    pub realm: String,
    /// How many connections there are.
    pub connections: usize,
    /// How many sessions are in progress at once on each connection.
    pub depth: usize,
    /// How many sessions and events there are in all.
    pub sessions: u64,
    /// The updates of a session.
    pub updates: u32,
    /// The share of events among sessions.
    pub events: f64,
    /// The share of requests that are sent twice.
    pub repeated: f64,
    /// The share of sessions whose updates are sent at once, the last one first.
    pub disordered: f64,
    /// The share of sessions of the first subscriber.
    pub hot: f64,
    /// The first number of the subscribers; the others follow it.
    pub first_number: u64,
    /// How many subscribers there are.
    pub subscribers: u32,
    /// The octets that a report is about, or up to five times as many. The plan rounds no price of them.
    pub octets: u64,
    /// The price of an octet, in billionths.
    pub octet_price: i64,
    /// The price of an event, in billionths.
    pub event_price: i64,
    /// How long a connection tries again where the server does not answer.
    pub patience: Duration,
    /// The same seed makes the same sessions.
    pub seed: u64,
    /// The name of the run, which its sessions have.
    pub run: String,
}

/// The server cannot be reached, or says something that is no Diameter.
#[derive(Debug, thiserror::Error)]
pub enum DiameterLoadError {
    /// A connection is broken.
    #[error("{address} does not answer")]
    Connection {
        /// Where the server listens.
        address: SocketAddr,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// SCTP cannot be used.
    #[error("cannot connect to {address} over SCTP")]
    Sctp {
        /// Where the server listens.
        address: SocketAddr,
        /// The cause.
        #[source]
        cause: SctpError,
    },
    /// The server refuses the client.
    #[error("{address} refuses the capabilities of {host} with {result}: {text}")]
    Refused {
        /// Where the server listens.
        address: SocketAddr,
        /// The name of the client.
        host: String,
        /// The Result-Code.
        result: u32,
        /// The Error-Message.
        text: String,
    },
}

/// Simulates a load. `done` gets the number of sessions that are over.
///
/// # Errors
///
/// The server cannot be reached for longer than the load is patient.
pub fn simulate_diameter(
    load: &DiameterLoad,
    done: impl Fn(u64) + Sync,
) -> Result<DiameterReport, DiameterLoadError> {
    let (next, over) = (AtomicU64::new(0), AtomicU64::new(0));
    let all = Mutex::new(Ok(DiameterReport::default()));
    let begun = Instant::now();
    thread::scope(|scope| {
        for number in 0..load.connections.max(1) {
            let (next, over, all, done) = (&next, &over, &all, &done);
            scope.spawn(move || {
                let ended = || done(over.fetch_add(1, Ordering::Relaxed));
                let own = Connection::open(load, number).and_then(|of| of.work(next, &ended));
                let mut all = all.lock().expect("no thread panics");
                match (&mut *all, own) {
                    (Ok(all), Ok(own)) => all.add(own),
                    (all @ Ok(_), Err(error)) => *all = Err(error),
                    (Err(_), _) => {}
                }
            });
        }
    });
    let mut report = all.into_inner().expect("no thread panics")?;
    report.elapsed = begun.elapsed();
    Ok(report)
}
