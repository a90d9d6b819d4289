//! What a charging system does by itself: sessions without an end lapse, balances expire, stages of
//! accounts end, bundles and fees are charged, accounts get thresholds, accounts are folded, ended sessions are recorded, and
//! what is old is forgotten.

use std::sync::Arc;
use std::time::Duration;

use accounts::AccountsError;
use diagnostics::with_causes;
use ledger::Millis;
use runtime::shutdown::Shutdown;

use crate::LOG;
use crate::back::Settled;
use crate::meters::Counts;
use crate::records::Records;
use crate::renewals;
use crate::rules::Rules;
use crate::system::System;
use crate::thresholds::watch_accounts;

/// The time between two looks at what is due.
const SETTLE_EVERY: Duration = Duration::from_millis(500);

/// The looks between two folds. The first comes soon after the start, which may have had much to read.
const FOLD_EVERY: u32 = 20;

/// The looks between two samples of what was counted.
const SAMPLE_EVERY: u32 = 10;

/// Keeps a system in order until the stop, and folds its accounts at the end.
pub fn upkeep(system: &System, stop: &Shutdown) {
    let (mut looks, mut records, mut begun) = (0, Records::new(system), None);
    while !stop.wait(SETTLE_EVERY) {
        system.back.beat();
        settle(&mut begun, system);
        looks += 1;
        if looks % FOLD_EVERY == 1 {
            fold(system);
            forget(system);
        }
        if looks % SAMPLE_EVERY == 0 {
            system.sample();
        }
        record(&mut records, system);
    }
    fold(system);
}

/// Does what is due: sessions lapse, balances expire, stages of accounts end, and bundles and fees are charged. `begun` are
/// the rules whose fees and thresholds all accounts have.
fn settle(begun: &mut Option<Arc<Rules>>, system: &System) {
    let (now, rules) = (system.now_ms(), system.rules());
    if !begun.as_ref().is_some_and(|of| Arc::ptr_eq(of, &rules)) {
        match begin(system, now) {
            Ok(()) => *begun = Some(Arc::clone(&rules)),
            Err(why) => {
                tracing::error!(target: LOG, "fees and thresholds cannot begin: {}", with_causes(&why))
            }
        }
    }
    match renewals::settle(system, now) {
        Ok(Settled { ended, periods }) => {
            let mut counts = Counts::default();
            counts.lapsed(ended);
            system.meters.add(&counts);
            if ended > 0 {
                tracing::debug!(target: LOG, "{ended} sessions lapsed");
            }
            if periods > 0 {
                tracing::debug!(target: LOG, "{periods} periods of bundles and fees were paid");
            }
        }
        Err(why) => {
            tracing::error!(target: LOG, "what is due cannot be done: {}", with_causes(&why))
        }
    }
}

/// Lets all accounts have the fees, thresholds and warnings of the rules.
fn begin(system: &System, now: Millis) -> Result<(), AccountsError> {
    renewals::begin_fees(system, now)?;
    watch_accounts(system, now)
}

fn record(records: &mut Records<'_>, system: &System) {
    match records.step(system.now_ms()) {
        Ok(0) => {}
        Ok(count) => tracing::debug!(target: LOG, "{count} files of records were written"),
        Err(why) => {
            tracing::error!(target: LOG, "{}; it is tried again", with_causes(&why));
        }
    }
}

/// Deletes what is known of rated records that are too old to be debited, and old notices.
fn forget(system: &System) {
    let now = system.now_ms();
    if let Err(why) = system.back.forget_records(now) {
        tracing::error!(target: LOG, "old rated records cannot be deleted: {}", with_causes(&why));
    }
    let keep = system.rules().notices.keep;
    if let Err(why) = system.back.forget_notices(now.saturating_sub(keep)) {
        tracing::error!(target: LOG, "old notices cannot be deleted: {}", with_causes(&why));
    }
}

fn fold(system: &System) {
    if let Err(why) = system.back.fold() {
        tracing::error!(target: LOG, "the accounts cannot be folded: {}", with_causes(&why));
    }
}
