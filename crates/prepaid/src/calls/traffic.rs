//! What networks asked of a charging system, and how fast it answered.

use std::time::Instant;

use accounts::AccountsError;
use ledger::{Currency, SystemKind, Unit};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::COMMIT_SECONDS;
use utoipa::ToSchema;

use crate::meters::{ANSWER_SECONDS, Recent, Totals, percentile};
use crate::system::System;

/// What networks asked of a charging system since it was started, and in the last minute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChargingTraffic {
    /// Since when it answers networks. Totals are since then.
    pub since: String,
    /// The requests of networks, by the phase of their session or the kind of their event.
    pub requests: Vec<RequestCount>,
    /// The refusals, by code: of services of requests, or of whole requests.
    pub refused: Vec<RefusalCount>,
    /// The services of requests that came again, and got the answer of the first time.
    pub repeated: u64,
    /// The requests with usage of sessions that are not known.
    pub unknown_sessions: u64,
    /// The sessions that ended since another one with their name began.
    pub replaced_sessions: u64,
    /// The sessions that were over because the network reported nothing in time.
    pub lapsed_sessions: u64,
    /// How long answers took in the last minute. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Times>,
    /// How long the disk took for transactions in the last minute. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Times>,
    /// How many requests shared a transaction in the last minute, on average.
    pub batch_size: f64,
    /// What was charged in the last minute.
    pub revenue_per_minute: String,
}

/// Requests of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RequestCount {
    /// `first`, `next` or `final`; or `debit`, `refund`, `balance-check`, `price-enquiry` or `spend-consent`.
    pub kind: String,
    /// How many there were.
    pub count: u64,
    /// How many there were a second, in the last minute.
    pub per_second: f64,
}

/// Refusals of a code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusalCount {
    /// The code: `no-money`.
    pub code: String,
    /// How many there were.
    pub count: u64,
}

/// Times of many things, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Times {
    /// Half of them took less.
    pub p50_ms: f64,
    /// 1 % of them took longer.
    pub p99_ms: f64,
}

impl Times {
    /// Returns the times of things that were counted by bounds in seconds.
    fn of(counts: &[u64], bounds: &[f64]) -> Option<Self> {
        let at = |part| percentile(counts, bounds, part).map(|seconds| seconds * 1e3);
        Some(Times { p50_ms: at(0.5)?, p99_ms: at(0.99)? })
    }
}

impl ChargingTraffic {
    /// Returns what a system has counted. `None` if it answers no networks.
    pub(super) fn of(system: &System) -> Result<Option<Self>, AccountsError> {
        let totals = system.counted()?;
        let recent = system.meters.recent(Instant::now(), &totals);
        let of = system.meters.since().zip(recent);
        Ok(of.map(|(since, recent)| Self::since(since, &totals, recent, system)))
    }

    fn since(since: i64, totals: &Totals, recent: Recent, system: &System) -> Self {
        let Recent { time, counted } = recent;
        let seconds = time.as_secs_f64().max(1.0);
        let Totals { counts, commits, revenue } = counted;
        let requests = totals.counts.requests().zip(counts.requests());
        let request = |((kind, count), (_, recent)): ((&str, u64), (&str, u64))| RequestCount {
            kind: kind.to_owned(),
            count,
            per_second: recent as f64 / seconds,
        };
        let refused = totals.counts.refusals().filter(|(_, count)| *count > 0);
        let refusal = |(code, count): (&str, u64)| RefusalCount { code: code.to_owned(), count };
        let worked: u64 = counts.requests().map(|(_, count)| count).sum();
        let currency = system.rules().currency;
        // A system that has just started has no whole minute yet.
        let per_minute = revenue.saturating_mul(60_000) / (1e3 * seconds) as i128;
        let nanos = per_minute - per_minute % currency.minor_unit();
        ChargingTraffic {
            since: shown(since),
            requests: requests.map(request).collect(),
            refused: refused.map(refusal).collect(),
            repeated: totals.counts.repeated(),
            unknown_sessions: totals.counts.unknown_sessions(),
            replaced_sessions: totals.counts.replaced_sessions(),
            lapsed_sessions: totals.counts.lapsed_sessions(),
            answers: Times::of(counts.answers(), &ANSWER_SECONDS),
            commits: Times::of(&commits, &COMMIT_SECONDS),
            batch_size: worked as f64 / counts.batches().max(1) as f64,
            revenue_per_minute: rating::Money { nanos, currency }.amount().to_string(),
        }
    }
}

impl System {
    /// Returns all that was counted.
    pub(crate) fn counted(&self) -> Result<Totals, AccountsError> {
        let currency = Currency(self.rules().currency.number());
        let balances = self.back.system_balances()?.into_iter();
        let revenue = balances.filter(|((of, unit, account), _)| {
            (*of, *unit, account.kind) == (currency, Unit::Money, SystemKind::Revenue)
        });
        Ok(Totals {
            counts: self.meters.counts(),
            commits: self.commits().map_or([0; _], |commits| commits.counts()),
            revenue: revenue.map(|(_, sum)| sum).sum(),
        })
    }
}
