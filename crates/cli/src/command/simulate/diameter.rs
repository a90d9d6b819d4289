//! `tollgate simulate diameter`: clients of Diameter that ask a charging system for credit.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ::simulate::diameter::{
    DiameterCounts, DiameterLoad, DiameterReport, LoadTransport, simulate_diameter,
};
use operate::prepaid::calls::{AmountUnit, ShowCharging, SystemBalance};
use serde_json::json;

use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::progress::Progress;

/// Arguments of `tollgate simulate diameter`.
#[derive(Debug, clap::Args)]
pub(crate) struct Diameter {
    /// Where the charging system listens for clients of Diameter
    #[arg(default_value = "127.0.0.1:3868")]
    address: SocketAddr,
    /// Connect over SCTP and not TCP
    #[arg(long)]
    sctp: bool,
    /// The realm of the charging system and of the clients, which are load-0.REALM, load-1.REALM and so on
    #[arg(long, default_value = "example.net")]
    realm: String,
    /// Connections
    #[arg(long, default_value_t = 10)]
    connections: usize,
    /// Sessions in progress at once on each connection
    #[arg(long, default_value_t = 32)]
    depth: usize,
    /// Sessions and events in all
    #[arg(long, default_value_t = 10_000)]
    sessions: u64,
    /// Updates of a session; 8 at most, since those of a session that are sent at once would be forgotten
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=8))]
    updates: u32,
    /// Share of events, which are messages of the service in the context 32274@3gpp.org
    #[arg(long, default_value_t = 0.1)]
    events: f64,
    /// Share of requests that are sent twice
    #[arg(long, default_value_t = 0.01)]
    repeated: f64,
    /// Share of sessions whose updates are sent at once, the last one first
    #[arg(long, default_value_t = 0.05)]
    disordered: f64,
    /// Share of sessions of the first subscriber, whose account is hot then
    #[arg(long, default_value_t = 0.0)]
    hot: f64,
    /// The first number of the subscribers
    #[arg(long, default_value_t = 46_701_000_000)]
    first_number: u64,
    /// How many subscribers there are, in a row
    #[arg(long, default_value_t = 1_000)]
    subscribers: u32,
    /// Octets that a report is about, or up to five times as many, of the service in the context 32251@3gpp.org: so many that
    /// the plan rounds no price of them
    #[arg(long, default_value_t = 100_000)]
    octets: u64,
    /// The price of 1,000,000 octets, as the plan has it
    #[arg(long, default_value = "0.10")]
    megabyte: String,
    /// The price of an event
    #[arg(long, default_value = "0.49")]
    event: String,
    /// The definition of the charging system: what it has charged is compared with what all sessions cost. Nothing else may
    /// charge meanwhile
    #[arg(long, value_name = "FILE")]
    charging: Option<PathBuf>,
    /// Seconds to try again where the charging system does not answer
    #[arg(long, default_value_t = 10)]
    patience: u64,
    /// The same seed makes the same sessions. Without, each run makes others
    #[arg(long)]
    seed: Option<u64>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// The octets of the price of a megabyte.
const MEGABYTE: i64 = 1_000_000;

impl Diameter {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let load = self.load()?;
        let before = self.charging.as_deref().map(revenue).transpose()?;
        let (_progress, done) = Progress::of(load.sessions, "sessions are over");
        let mut report = simulate_diameter(&load, |over| done.set(over)).map_err(refused)?;
        let after = self.charging.as_deref().map(revenue).transpose()?;
        let charged = before.zip(after).map(|(before, after)| after - before);
        show(&mut report, charged, self.json)
    }

    fn load(&self) -> Result<DiameterLoad, CommandError> {
        let price = |text: &str| {
            let nanos = rating::decimal(text).ok().and_then(|nanos| i64::try_from(nanos).ok());
            nanos.ok_or_else(|| CommandError::Mistakes(format!("\"{text}\" is no price")))
        };
        let megabyte = price(&self.megabyte)?;
        if megabyte % MEGABYTE != 0 {
            let text =
                "a price of 1,000,000 octets that has more than three decimals is not simulated";
            return Err(CommandError::Mistakes(text.to_owned()));
        }
        let now = runtime::time::since_epoch_ns(SystemTime::now()).unsigned_abs();
        Ok(DiameterLoad {
            address: self.address,
            transport: if self.sctp { LoadTransport::Sctp } else { LoadTransport::Tcp },
            realm: self.realm.clone(),
            connections: self.connections,
            depth: self.depth,
            sessions: self.sessions,
            updates: self.updates,
            events: self.events,
            repeated: self.repeated,
            disordered: self.disordered,
            hot: self.hot,
            first_number: self.first_number,
            subscribers: self.subscribers,
            octets: self.octets,
            octet_price: megabyte / MEGABYTE,
            event_price: price(&self.event)?,
            patience: Duration::from_secs(self.patience),
            seed: self.seed.unwrap_or(now),
            run: format!("{now:x}"),
        })
    }
}

/// Returns what a charging system has charged, in billionths.
fn revenue(definition: &Path) -> Result<i128, CommandError> {
    let figures = charge(definition, ShowCharging {})?;
    let is_revenue = |of: &&SystemBalance| of.of == "revenue" && of.unit == AmountUnit::Money;
    let amount = figures.balances.iter().find(is_revenue).map_or("0", |of| &of.amount);
    rating::decimal(amount)
        .map_err(|_| CommandError::Mistakes(format!("\"{amount}\" is no amount")))
}

fn show(
    report: &mut DiameterReport,
    charged: Option<i128>,
    is_json: bool,
) -> Result<Outcome, CommandError> {
    let seconds = report.elapsed.as_secs_f64().max(1e-9);
    let waits = [0.5, 0.99].map(|share| report.wait(share).as_secs_f64() * 1_000.0);
    let DiameterReport { counts, cost, faults, fault_count, .. } = &*report;
    let DiameterCounts { sessions, events, refused, requests, repeated, reconnects, too_busy } =
        *counts;
    let rate = requests as f64 / seconds;
    let differs = charged.is_some_and(|charged| charged != *cost);
    let money = |nanos: i128| format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    if is_json {
        let object = json!({
            "sessions": sessions, "events": events, "refused": refused, "requests": requests,
            "repeated": repeated, "reconnects": reconnects, "too_busy": too_busy, "seconds": seconds,
            "wait_ms_p50": waits[0], "wait_ms_p99": waits[1], "cost": money(*cost),
            "charged": charged.map(money), "faults": fault_count,
        });
        json::line(&mut output::lines(), &object)?;
    } else {
        say!("sessions    {sessions}")?;
        say!("events      {events}")?;
        say!("refused     {refused}")?;
        say!("requests    {requests}, {rate:.0} a second")?;
        say!("sent twice  {repeated}")?;
        say!("too busy    {too_busy}")?;
        say!("reconnects  {reconnects}")?;
        say!("answers     {:.1} ms at the median, {:.1} ms at 99 %", waits[0], waits[1])?;
        say!("cost        {}", money(*cost))?;
        if let Some(charged) = charged {
            say!("charged     {}", money(charged))?;
        }
    }
    for fault in faults {
        tell!("WRONG: {fault}");
    }
    if differs {
        tell!("WRONG: what is charged is not what all sessions cost");
    }
    Ok(if *fault_count == 0 && !differs { Outcome::Clean } else { Outcome::Faults })
}
