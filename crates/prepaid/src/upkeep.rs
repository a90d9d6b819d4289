//! What a charging system does by itself: sessions without an end lapse, balances expire, stages of
//! accounts end, accounts are folded, and ended sessions are recorded.

use std::time::Duration;

use accounts::Lapsed;
use runtime::shutdown::Shutdown;

use crate::LOG;
use crate::meters::Counts;
use crate::records::Records;
use crate::system::System;

/// The time between two looks at the deadlines of sessions.
const LAPSE_EVERY: Duration = Duration::from_millis(500);

/// The looks between two folds.
const FOLD_EVERY: u32 = 20;

/// The looks between two samples of what was counted.
const SAMPLE_EVERY: u32 = 10;

/// Keeps a system in order until the stop, and folds its accounts at the end.
pub fn upkeep(system: &System, stop: &Shutdown) {
    let (mut looks, mut records) = (0, Records::new(system));
    while !stop.wait(LAPSE_EVERY) {
        system.journal().beat(|_, _| Ok(()));
        lapse(system);
        looks += 1;
        if looks % FOLD_EVERY == 0 {
            fold(system);
        }
        if looks % SAMPLE_EVERY == 0 {
            system.sample();
        }
        record(&mut records, system);
    }
    fold(system);
}

fn lapse(system: &System) {
    let remembered = i64::from(system.rules().charging.remembered_seconds) * 1_000;
    let now = system.journal().now_ms();
    match system.accounts.lapse(now, now.saturating_add(remembered)) {
        Ok(Lapsed { ended, .. }) => {
            let mut counts = Counts::default();
            counts.lapsed(ended);
            system.meters.add(&counts);
            if ended > 0 {
                tracing::debug!(target: LOG, "{ended} sessions lapsed");
            }
        }
        Err(why) => tracing::error!(target: LOG, "sessions cannot lapse: {why}"),
    }
    if let Err(why) = system.accounts.expire(now) {
        tracing::error!(target: LOG, "balances cannot expire: {why}");
    }
    if let Err(why) = system.accounts.age(now) {
        tracing::error!(target: LOG, "stages of accounts cannot end: {why}");
    }
}

fn record(records: &mut Records<'_>, system: &System) {
    match records.step(system.journal().now_ms()) {
        Ok(0) => {}
        Ok(count) => tracing::debug!(target: LOG, "{count} files of records were written"),
        Err(why) => {
            let cause = std::error::Error::source(&why).map(ToString::to_string);
            tracing::error!(target: LOG, "{why}: {}; it is tried again", cause.unwrap_or_default());
        }
    }
}

fn fold(system: &System) {
    if let Err(why) = system.accounts.fold() {
        tracing::error!(target: LOG, "the accounts cannot be folded: {why}");
    }
}
