//! What happens by itself when its time has come: open sessions without a request end, closed ones are forgotten, buckets
//! expire, accounts go to the next stage of their life, and there are notices of what ends soon. Subscriptions are charged by
//! the caller, who knows what they cost.
//!
//! Any front does what is due. It takes accounts that no other one has locked, so that fronts share the work.

use accounts::{AccountsError, Desk};
use ledger::{Account, AccountId, Action, MAIN_BUCKET, Millis, SystemAccount};

use crate::connection::{Attempts, Connection, Fault};
use crate::copies::AccountCopy;
use crate::drafts::Drafts;
use crate::front::Front;

/// The accounts that are taken at once.
const DUE_AT_ONCE: i64 = 500;

/// After how long a bucket that sessions have reserved from is tried to expire another time. They end by their own
/// deadlines.
const AGAIN_AFTER: Millis = 60_000;

/// The periods of an account that are charged at once. After a long pause there may be more.
const PERIODS_AT_ONCE: usize = 100;

/// How much later than promised an ended session may be forgotten. So an account whose calls follow each other has no
/// deadline for each.
pub(crate) const FORGET_LATER: Millis = 600_000;

/// What was due, and is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The sessions that were open, and have ended.
    pub ended: usize,
    /// The sessions that had ended, and are forgotten.
    pub forgotten: usize,
    /// The buckets that expired, and are gone.
    pub buckets: usize,
    /// The accounts that went to the next stage of their life.
    pub stages: usize,
    /// The periods of subscriptions that were paid.
    pub periods: usize,
}

/// Renews a subscription of an account whose next period is due at a time. Returns whether the period was paid. It may leave
/// the subscription as it is, and may be called more than once; only the last time counts.
pub trait Renew: Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool {}

impl<F: Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool> Renew for F {}

/// Returns when something of an account is due, after a time at which all that was due is done. Ended sessions may be
/// forgotten later.
pub(crate) fn next(account: &Account, now: Millis, forget_later: Millis) -> Option<Millis> {
    let sessions = account.sessions().iter().map(|session| match session.is_closed {
        true => session.until.saturating_add(forget_later),
        false => session.until,
    });
    let buckets = account.buckets().iter().filter(|bucket| bucket.id != MAIN_BUCKET);
    let buckets = buckets.map(|bucket| match bucket.until > now {
        true => bucket.until,
        false => now.saturating_add(AGAIN_AFTER),
    });
    let stage = account.next_stage().map(|(until, _)| until);
    let renewals = account.subscriptions().iter().map(|subscription| subscription.due);
    let ends = sessions.chain(buckets).chain(stage).chain(renewals);
    ends.chain(account.next_warning()).filter(|until| *until < Millis::MAX).min()
}

/// Does all that is due in an account.
fn settle(
    drafts: &mut Drafts,
    id: AccountId,
    (at, until): (Millis, Millis),
    renew: &impl Renew,
    due: &mut Due,
) {
    let account = drafts.account(id).expect("it has a row");
    let sessions = account.sessions().iter().filter(|session| session.until <= at);
    let sessions: Vec<_> = sessions.map(|session| (session.key, session.is_closed)).collect();
    for (session, is_closed) in sessions {
        let done = usize::from(is_done(drafts, id, at, Action::Lapse { session, until }));
        match is_closed {
            true => due.forgotten += done,
            false => due.ended += done,
        }
    }
    // After a pause, all stages that are over follow one another.
    while is_done(drafts, id, at, Action::Age) {
        due.stages += 1;
    }
    let account = drafts.account(id).expect("an account stays");
    let over = account.subscriptions().iter().filter(|subscription| subscription.due <= at);
    let over: Vec<_> = over.map(|subscription| subscription.of).collect();
    for of in over {
        due.periods += renew_all(drafts, (id, of), at, renew);
    }
    // What a renewal has rolled over does not end.
    let account = drafts.account(id).expect("an account stays");
    let buckets = account.buckets().iter().filter(|bucket| bucket.until <= at);
    let buckets: Vec<_> = buckets.map(|bucket| bucket.id).collect();
    for bucket in buckets {
        is_done(drafts, id, at, Action::Expire { bucket });
        let account = drafts.account(id).expect("an account stays");
        due.buckets += usize::from(account.bucket(bucket).is_none());
    }
    is_done(drafts, id, at, Action::Warn);
}

/// Renews a subscription until its next period is not due, or until it stays as it is. Returns how many periods were paid.
fn renew_all(
    drafts: &mut Drafts,
    (id, of): (AccountId, SystemAccount),
    at: Millis,
    renew: &impl Renew,
) -> usize {
    let next = |drafts: &Drafts| {
        let subscription = drafts.account(id).and_then(|account| account.subscription(of));
        subscription.map(|subscription| subscription.due).filter(|due| *due <= at)
    };
    let mut periods = 0;
    for _ in 0..PERIODS_AT_ONCE {
        let Some(due) = next(drafts) else { break };
        periods += usize::from(drafts.at_desk(id, |desk| renew(desk, of, at)));
        if next(drafts) == Some(due) {
            break;
        }
    }
    periods
}

fn is_done(drafts: &mut Drafts, account: AccountId, at: Millis, action: Action<'_>) -> bool {
    let outcome = drafts.perform(&ledger::Operation { account, at, action });
    outcome.receipt.refusal.is_none()
}

impl Front {
    /// Does what is due at a moment. Sessions that end are remembered until another one; `renew` charges subscriptions.
    ///
    /// # Errors
    ///
    /// The server fails. What is not done is done another time.
    pub fn settle_due(
        &self,
        at: Millis,
        until: Millis,
        renew: impl Renew,
    ) -> Result<Due, AccountsError> {
        let mut connection = self.connection();
        let (mut due, mut attempts) = (Due::default(), Attempts::begin());
        loop {
            match settle_some(&mut connection, (at, until), &renew, &mut due) {
                Ok(count) if count < DUE_AT_ONCE as usize => return Ok(due),
                Ok(_) => attempts = Attempts::begin(),
                Err(fault) => {
                    connection.give_up();
                    attempts.next(fault)?;
                }
            }
        }
    }
}

/// Does what is due in some accounts, and returns their number.
fn settle_some(
    connection: &mut Connection,
    (at, until): (Millis, Millis),
    renew: &impl Renew,
    due: &mut Due,
) -> Result<usize, Fault> {
    connection.connect()?;
    connection.batch("BEGIN")?;
    let select = "SELECT id, version, due_ms, body FROM account WHERE due_ms <= $1
                  ORDER BY due_ms LIMIT $2 FOR UPDATE SKIP LOCKED";
    let mut copies = Vec::new();
    for row in connection.query(select, &[&at, &DUE_AT_ONCE])? {
        let id = AccountId(row.try_get::<_, i64>(0)?.cast_unsigned());
        copies.push((id, AccountCopy::read(&row, id, 1)?));
    }
    copies.sort_unstable_by_key(|(id, _)| *id);
    let (count, mut drafts, mut done) = (copies.len(), Drafts::default(), *due);
    for (id, copy) in copies {
        drafts.add_due(id, copy);
        settle(&mut drafts, id, (at, until), renew, &mut done);
    }
    // The time moves on in any case, or the next look would find the same accounts.
    let next_due = |account: &Account, _| next(account, at, 0).map(|until| until.max(at + 1));
    let (call, _) = drafts.finish(next_due);
    if count > 0 {
        let of = connection.next_call();
        let stored = call.store(connection, &of)?;
        assert!(stored.is_empty(), "the rows are locked");
    }
    connection.batch("COMMIT")?;
    *due = done;
    Ok(count)
}
