//! The metrics of a charging system, for Prometheus.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use prepaid::calls::{Authority, Call as _, ChargingFigures, Clerk, NoticesWaiting, ShowCharging};
use prepaid::{ANSWER_SECONDS, ConnectedPeer, Counts, Refused, System};

use crate::text::{FamilyType, MetricsText};

/// For how long the figures of accounts in a database are shown: all of them are read for these.
const SHOWN_FOR: Duration = Duration::from_secs(300);

/// The figures of accounts that were read last.
#[derive(Default)]
pub(super) struct LastFigures(Mutex<Option<(Instant, ChargingFigures)>>);

impl LastFigures {
    /// Returns the figures as they are; those in a database as they were some minutes ago at most.
    fn figures(&self, system: &System) -> Result<ChargingFigures, Refused> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, figures)) = &*last
            && at.elapsed() < SHOWN_FOR
        {
            return Ok(figures.clone());
        }
        let clerk = Clerk { system, who: "metrics", authority: Authority::Network };
        let figures = ShowCharging {}.perform(&clerk)?;
        if system.is_in_database() {
            *last = Some((Instant::now(), figures.clone()));
        }
        Ok(figures)
    }
}

/// Returns all metrics.
///
/// # Errors
///
/// The accounts cannot be read.
pub(super) fn written(system: &System, last: &LastFigures) -> Result<String, Refused> {
    let figures = last.figures(system)?;
    let mut text = MetricsText::default();
    of_accounts(&mut text, &figures);
    of_requests(&mut text, &system.counts());
    of_commits(&mut text, system);
    of_peers(&mut text, &system.connected_peers());
    Ok(text.end())
}

fn of_accounts(text: &mut MetricsText, figures: &ChargingFigures) {
    let ChargingFigures { accounts, open_sessions, reserved, unfolded_batches, currency, .. } =
        figures;
    let gauges = [
        ("tollgate_charging_accounts", "Prepaid accounts.", *accounts),
        ("tollgate_charging_open_sessions", "Sessions in progress.", *open_sessions),
        (
            "tollgate_charging_unfolded_batches",
            "Batches of changes that the tables of accounts and entries do not have yet.",
            *unfolded_batches,
        ),
    ];
    for (name, help, value) in gauges {
        text.one(name, FamilyType::Gauge, help, value as f64);
    }
    if let Some(NoticesWaiting { waiting, failing }) = &figures.notices {
        let help = "Notices to subscribers that wait to be sent.";
        text.one("tollgate_charging_notices_waiting", FamilyType::Gauge, help, *waiting as f64);
        let is_failing = f64::from(u8::from(failing.is_some()));
        let help = "Whether notices cannot be sent at the moment.";
        text.one("tollgate_charging_notices_failing", FamilyType::Gauge, help, is_failing);
    }
    let is_balanced = f64::from(u8::from(figures.balanced));
    let help = "Whether the sum of each unit is zero.";
    text.one("tollgate_charging_balanced", FamilyType::Gauge, help, is_balanced);
    let revenue =
        figures.balances.iter().find(|of| of.of == "revenue" && of.unit.word() == "money");
    let amounts = [
        ("tollgate_charging_reserved", "Money that is reserved for sessions.", Some(reserved)),
        ("tollgate_charging_revenue", "Money that was charged.", revenue.map(|of| &of.amount)),
    ];
    for (name, help, amount) in amounts {
        text.family(name, FamilyType::Gauge, help);
        let amount = amount.and_then(|amount| amount.parse().ok()).unwrap_or(0.0);
        text.sample(name, &[("currency", currency)], amount);
    }
}

fn of_requests(text: &mut MetricsText, counts: &Counts) {
    let name = "tollgate_charging_requests_total";
    text.family(name, FamilyType::Counter, "Requests of networks, by phase or kind of event.");
    for (kind, count) in counts.requests() {
        text.sample(name, &[("kind", kind)], count as f64);
    }
    let name = "tollgate_charging_refused_total";
    text.family(name, FamilyType::Counter, "Refusals of services or requests, by code.");
    for (code, count) in counts.refusals() {
        text.sample(name, &[("code", code)], count as f64);
    }
    let counters = [
        ("batches", "How often requests were worked on, some together.", counts.batches()),
        ("repeated", "Services of requests that came again.", counts.repeated()),
        (
            "unknown_sessions",
            "Requests with usage of sessions that are not known.",
            counts.unknown_sessions(),
        ),
        (
            "replaced_sessions",
            "Sessions that ended since another one with their name began.",
            counts.replaced_sessions(),
        ),
        (
            "lapsed_sessions",
            "Sessions whose network reported nothing in time.",
            counts.lapsed_sessions(),
        ),
    ];
    for (name, help, count) in counters {
        let name = format!("tollgate_charging_{name}_total");
        text.one(&name, FamilyType::Counter, help, count as f64);
    }
    histogram(
        text,
        ("tollgate_charging_answer_seconds", "The time between a request and its answer."),
        (counts.answers(), &ANSWER_SECONDS),
        counts.answer_seconds(),
    );
}

fn of_commits(text: &mut MetricsText, system: &System) {
    // A database server has figures of its own.
    let Some(commits) = system.commits() else { return };
    histogram(
        text,
        ("tollgate_charging_commit_seconds", "The time that the disk took for a transaction."),
        (&commits.counts(), &store::COMMIT_SECONDS),
        commits.seconds(),
    );
}

/// Writes what was counted of each peer of Diameter.
fn of_peers(text: &mut MetricsText, peers: &[ConnectedPeer]) {
    if peers.is_empty() {
        return;
    }
    let name = "tollgate_charging_peer_connections";
    text.family(name, FamilyType::Gauge, "Connections of a peer of Diameter.");
    for peer in peers {
        text.sample(name, &[("peer", &peer.host)], peer.connections.len() as f64);
    }
    let name = "tollgate_charging_peer_answers_total";
    text.family(name, FamilyType::Counter, "Answers to a peer, by result; 0 for rare ones.");
    for (peer, of) in peers.iter().flat_map(|peer| peer.results.iter().map(move |of| (peer, of))) {
        let labels = [("peer", peer.host.as_str()), ("result", &of.code.to_string())];
        text.sample(name, &labels, of.count as f64);
    }
    type Count = fn(&ConnectedPeer) -> u64;
    let counters: [(&str, &str, Count); 4] = [
        ("requests", "Requests of credit control of a peer.", |peer| peer.requests),
        ("discarded", "Messages of a peer that were passed over.", |peer| peer.discarded),
        ("orphans", "Reports of usage in sessions that are not known.", |peer| peer.orphans),
        (
            "unequal_octets",
            "Services of which the total of octets was not the sum of both directions.",
            |peer| peer.unequal_octets,
        ),
    ];
    for (name, help, count) in counters {
        let name = format!("tollgate_charging_peer_{name}_total");
        text.family(&name, FamilyType::Counter, help);
        for peer in peers {
            text.sample(&name, &[("peer", &peer.host)], count(peer) as f64);
        }
    }
}

/// Writes a family of a histogram: counts by bounds, and the sum of all values.
fn histogram(
    text: &mut MetricsText,
    (name, help): (&str, &str),
    (counts, bounds): (&[u64], &[f64]),
    sum: f64,
) {
    text.family(name, FamilyType::Histogram, help);
    let mut count = 0;
    let bounds = bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    for (bound, of) in bounds.zip(counts) {
        count += of;
        text.sample(&format!("{name}_bucket"), &[("le", &bound)], count as f64);
    }
    text.sample(&format!("{name}_sum"), &[], sum);
    text.sample(&format!("{name}_count"), &[], count as f64);
}
