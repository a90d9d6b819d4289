//! Accounts in a folder, and work on them.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use accounts::{Accounts as _, Desk, Embedded, Task};
use journal::{Folders, Journal, Schema};
use ledger::{
    Account, AccountId, Action, Begin, Charge, Cost, Credit, CreditTo, Currency, Effects, Key,
    LifeCycle, MAIN_BUCKET, Measure, NewAccount, NewBucket, Note, Outcome, Scopes, SessionKey,
    Standing, SystemAccount, SystemKind, Threshold, Unit, Want,
};
use store::Versions;

pub(crate) const NOW: i64 = 1_790_000_000_000;
pub(crate) const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 0 };
pub(crate) const REVENUE: SystemAccount = SystemAccount { kind: SystemKind::Revenue, number: 0 };

pub(crate) static SCHEMA: Schema = Schema {
    versions: Versions::new(&[
        journal::TABLES,
        accounts::TABLES,
        "CREATE TABLE own (key INTEGER) STRICT;",
    ]),
    newest_ms: |_| Ok(None),
    trusts_pauses: true,
};

pub(crate) fn open(folder: &Path) -> Embedded {
    let folders = Folders { state: folder, base: folder };
    let journal = Journal::open(folders, &SCHEMA, SystemTime::now).expect("a journal");
    Embedded::open(Arc::new(journal)).expect("accounts")
}

/// A number that looks random (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A part of a call, or an account to open.
pub(crate) struct Work {
    account: AccountId,
    pub(crate) step: Step,
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Clone, Copy)]
pub(crate) enum Step {
    Open,
    Refill(u64),
    /// A minute of being active, and one of each stage that follows.
    Age,
    /// Notices below 900 and 500.
    Watch,
    /// A bucket of money for half a minute.
    Bundle,
    Call {
        session: u64,
        number: u32,
        used: i64,
    },
    Hang {
        session: u64,
    },
    Look,
}

impl Work {
    pub(crate) fn new(account: u64, step: Step) -> Self {
        Work { account: AccountId(account), step, outcome: None }
    }
}

impl Task for Work {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let at = NOW;
        self.outcome = Some(match self.step {
            Step::Open => desk.perform(
                at,
                Action::Open(NewAccount {
                    currency: Currency(978),
                    standing: Standing::Active,
                    credit_limit: 0,
                }),
            ),
            Step::Refill(key) => desk.perform(
                at,
                Action::Credit(Credit {
                    key: Key(key.into()),
                    to: CreditTo::Bucket(MAIN_BUCKET),
                    amount: 1_000,
                    from: REFILL,
                    days: 0,
                    remark: b"by Eva",
                }),
            ),
            Step::Age => {
                let [active_until, grace_until, suspended_until] =
                    [1, 2, 3].map(|minutes| at + minutes * 60_000);
                let dates = LifeCycle { active_until, grace_until, suspended_until };
                desk.perform(at, Action::SetLifeCycle(dates))
            }
            Step::Watch => {
                let (unit, measure) = (Unit::Money, Measure::Amount);
                let below = |level| Threshold { unit, measure, level, hysteresis: 0 };
                desk.perform(at, Action::SetThresholds(&[below(900), below(500)]))
            }
            Step::Bundle => {
                let to = CreditTo::New(NewBucket {
                    unit: Unit::Money,
                    priority: 1,
                    scopes: Scopes::ALL,
                    from: 0,
                    until: at + 30_000,
                });
                let (key, amount, from) = (Key(99), 200, REFILL);
                desk.perform(
                    at,
                    Action::Credit(Credit { key, to, amount, from, days: 0, remark: b"" }),
                )
            }
            Step::Call { session, number, used } => {
                let cost = [Cost { unit: Unit::Money, amount: used.max(1) }];
                desk.perform(
                    at,
                    Action::Charge(Charge {
                        session: SessionKey(session.into()),
                        number,
                        leg: 0,
                        digest: 0,
                        begin: Begin::IfMissing,
                        scopes: Scopes::ALL,
                        used: if used > 0 { &cost } else { &[] },
                        wanted: &[Want { unit: Unit::Money, most: 50, least: 0 }],
                        until: at + 60_000,
                        memo: Some(b"plan"),
                        counters: Some(b"counted"),
                        note: Note::default(),
                        to: REVENUE,
                        remark: b"",
                    }),
                )
            }
            Step::Hang { session } => {
                let session = SessionKey(session.into());
                desk.perform(at, Action::End { session, until: at })
            }
            Step::Look => {
                let account = desk.account().expect("it was opened");
                assert!(account.buckets().iter().all(|bucket| bucket.reserved >= 0));
                return;
            }
        });
    }
}

/// Returns all accounts in their stored form.
pub(crate) fn stored(accounts: &Embedded, ids: u64) -> Vec<Vec<u8>> {
    let stored = |account: Option<&Account>| {
        let (mut effects, mut octets) = (Effects::default(), Vec::new());
        if let Some(account) = account {
            effects.add_account(account);
            effects.encode(&mut octets);
        }
        octets
    };
    (0..ids).map(|id| accounts.look(AccountId(id), stored)).collect()
}

pub(crate) fn opened(folder: &Path, ids: u64) -> Embedded {
    let accounts = open(folder);
    let mut tasks: Vec<Work> = (0..ids).map(|id| Work::new(id, Step::Open)).collect();
    tasks.extend((0..ids).map(|id| Work::new(id, Step::Refill(1))));
    accounts.run(&mut tasks).expect("it is stored");
    accounts
}

pub(crate) fn check_sums(accounts: &Embedded) {
    for (of, sum) in accounts.totalled() {
        assert_eq!(sum.buckets + sum.systems, 0, "{of:?}");
    }
}
