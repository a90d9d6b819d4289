//! What a charging system does by itself: sessions without an end lapse, balances expire, stages of
//! accounts end, bundles and fees are charged, accounts are folded, and ended sessions are recorded.

use std::sync::Arc;
use std::time::Duration;

use accounts::Lapsed;
use runtime::shutdown::Shutdown;

use crate::LOG;
use crate::meters::Counts;
use crate::rated::assignment;
use crate::records::Records;
use crate::renewals;
use crate::rules::Rules;
use crate::system::System;

/// The time between two looks at the deadlines of sessions.
const LAPSE_EVERY: Duration = Duration::from_millis(500);

/// The looks between two folds.
const FOLD_EVERY: u32 = 20;

/// The looks between two samples of what was counted.
const SAMPLE_EVERY: u32 = 10;

/// Keeps a system in order until the stop, and folds its accounts at the end.
pub fn upkeep(system: &System, stop: &Shutdown) {
    let (mut looks, mut records, mut fees_of) = (0, Records::new(system), None);
    while !stop.wait(LAPSE_EVERY) {
        system.journal().beat(|_, _| Ok(()));
        lapse(system);
        renew(&mut fees_of, system);
        looks += 1;
        if looks % FOLD_EVERY == 0 {
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

/// Charges bundles and fees. `fees_of` are the rules whose fees all accounts pay.
fn renew(fees_of: &mut Option<Arc<Rules>>, system: &System) {
    let (now, rules) = (system.journal().now_ms(), system.rules());
    let begun = match fees_of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &rules)) {
        true => Ok(()),
        false => renewals::begin_fees(system, now).map(|()| *fees_of = Some(rules)),
    };
    match begun.and_then(|()| renewals::renew(system, now)) {
        Ok(0) => {}
        Ok(count) => tracing::debug!(target: LOG, "{count} periods of bundles and fees were paid"),
        Err(why) => tracing::error!(target: LOG, "bundles and fees cannot be charged: {why}"),
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

/// Deletes what is known of rated records that are too old to be debited.
fn forget(system: &System) {
    let journal = system.journal();
    let now = journal.now_ms();
    let forget = || {
        let reader = journal.reader()?;
        match journal.answer(assignment::are_any_over(&reader, now))? {
            true => journal.commit(move |db| assignment::delete_over(db, now)),
            false => Ok(()),
        }
    };
    if let Err(why) = forget() {
        tracing::error!(target: LOG, "old rated records cannot be deleted: {why}");
    }
}

fn fold(system: &System) {
    if let Err(why) = system.accounts.fold() {
        tracing::error!(target: LOG, "the accounts cannot be folded: {why}");
    }
}
