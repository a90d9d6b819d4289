//! Random operations, and what becomes of them in memory: the ledger's core, which a model of its own is compared with.

use std::collections::BTreeMap;

use accounts::{Desk, Task, stored};
use ledger::{
    AccountId, Action, Begin, Book, Books, BucketId, Charge, Cost, Credit, CreditTo, Currency,
    Debit, Effects, Key, LifeCycle, Limit, MAIN_BUCKET, Measure, NewAccount, NewBucket, Note,
    Operation, Outcome, Scopes, SessionKey, Standing, SystemAccount, SystemKind, Threshold,
    Transfer, Unit, Want,
};

pub(crate) const NOW: i64 = 1_790_000_000_000;

pub(crate) const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 3 };

pub(crate) const REVENUE: SystemAccount = SystemAccount { kind: SystemKind::Revenue, number: 0 };

/// Numbers that look random (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// An operation of a batch, which may come again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) account: AccountId,
    pub(crate) at: i64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Open,
    Watch,
    Life,
    Age,
    Standing(Standing),
    Refill { key: u64, amount: i64 },
    Bundle { key: u64, until: i64 },
    Pay { key: u64, amount: i64 },
    Expire(u32),
    Call { session: u64, number: u32, used: i64, wanted: i64 },
    Hang { session: u64 },
    Look,
}

/// A step that a front works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) step: Step,
    pub(crate) outcome: Option<Outcome>,
    /// What it has looked at: the entries of the account.
    pub(crate) entries: Option<u64>,
}

impl From<Step> for Work {
    fn from(step: Step) -> Self {
        Work { step, outcome: None, entries: None }
    }
}

impl Step {
    pub(crate) fn random(random: &mut Random, accounts: u64, at: i64) -> Self {
        let session = random.below(3);
        let amount = 1 + random.below(300) as i64;
        let key = random.below(1_000_000);
        let kind = match random.below(30) {
            0 => Kind::Open,
            1 => Kind::Watch,
            2 => Kind::Standing(random.of(&[Standing::Suspended, Standing::Active])),
            3 => Kind::Life,
            4 => Kind::Age,
            5..=8 => Kind::Refill { key, amount: amount * 5 },
            9 => Kind::Bundle { key, until: at + random.below(100_000) as i64 },
            10..=11 => Kind::Pay { key, amount },
            12 => Kind::Expire(random.below(9) as u32),
            13..=14 => Kind::Hang { session },
            15..=17 => Kind::Look,
            _ => Kind::Call {
                session,
                number: random.below(50) as u32,
                used: random.of(&[0, amount]),
                wanted: random.of(&[0, 50, 200]),
            },
        };
        Step { account: AccountId(random.below(accounts)), at, kind }
    }

    pub(crate) fn perform(
        &self,
        mut perform: impl FnMut(Action<'_>) -> Outcome,
    ) -> Option<Outcome> {
        let at = self.at;
        Some(match self.kind {
            Kind::Open => perform(Action::Open(NewAccount {
                currency: Currency(978),
                standing: Standing::Active,
                credit_limit: 0,
            })),
            Kind::Watch => {
                let (unit, measure) = (Unit::Money, Measure::Amount);
                let below = |level| Threshold { unit, measure, level, hysteresis: 0 };
                perform(Action::SetThresholds(&[below(900), below(500)]))
            }
            Kind::Standing(standing) => perform(Action::SetStanding(standing)),
            Kind::Life => perform(Action::SetLifeCycle(LifeCycle {
                active_until: at + 50_000,
                grace_until: at + 90_000,
                suspended_until: i64::MAX,
            })),
            Kind::Age => perform(Action::Age),
            Kind::Refill { key, amount } => perform(Action::Credit(Credit {
                key: Key(key.into()),
                to: CreditTo::Bucket(MAIN_BUCKET),
                amount,
                from: REFILL,
                days: 1,
                remark: b"by Eva",
            })),
            Kind::Bundle { key, until } => perform(Action::Credit(Credit {
                key: Key(key.into()),
                to: CreditTo::New(NewBucket {
                    unit: if key.is_multiple_of(2) { Unit::Money } else { Unit::Octets },
                    priority: 1,
                    scopes: Scopes::ALL,
                    from: 0,
                    until,
                }),
                amount: 250,
                from: REFILL,
                days: 0,
                remark: b"",
            })),
            Kind::Pay { key, amount } => perform(Action::Debit(Debit {
                key: Key(key.into()),
                scopes: Scopes::ALL,
                bucket: None,
                cost: Cost { unit: Unit::Money, amount },
                limit: if key.is_multiple_of(2) { Limit::Available } else { Limit::None },
                to: REVENUE,
                remark: b"a fee",
            })),
            Kind::Expire(bucket) => perform(Action::Expire { bucket: BucketId(bucket) }),
            Kind::Call { session, number, used, wanted } => {
                let cost = [Cost { unit: Unit::Money, amount: used.max(1) }];
                let want = [Want { unit: Unit::Money, most: wanted.max(1), least: 0 }];
                perform(Action::Charge(Charge {
                    session: SessionKey(session.into()),
                    number,
                    leg: 0,
                    digest: used as u64,
                    begin: Begin::IfMissing,
                    scopes: Scopes::ALL,
                    used: if used > 0 { &cost } else { &[] },
                    wanted: if wanted > 0 { &want } else { &[] },
                    until: at + 20_000,
                    memo: Some(b"plan"),
                    counters: Some(&number.to_be_bytes()),
                    note: Note::default(),
                    to: REVENUE,
                    remark: b"a call",
                }))
            }
            Kind::Hang { session } => {
                let session = SessionKey(session.into());
                perform(Action::End { session, until: at + 30_000 })
            }
            Kind::Look => return None,
        })
    }
}

impl Task for Work {
    fn account(&self) -> AccountId {
        self.step.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let step = self.step;
        self.entries = desk.account().map(|account| account.entries);
        self.outcome = step.perform(|action| desk.perform(step.at, action));
    }
}

/// The accounts as they must be.
#[derive(Default)]
pub(crate) struct Expected {
    pub(crate) book: Book,
    /// By account: the stored forms of entries, notices and ended sessions.
    pub(crate) entries: BTreeMap<AccountId, Vec<Vec<u8>>>,
    pub(crate) notices: BTreeMap<AccountId, Vec<Vec<u8>>>,
    pub(crate) ended: BTreeMap<AccountId, Vec<Vec<u8>>>,
}

impl Expected {
    /// Does a step, and returns its outcome and the entries that were there before.
    pub(crate) fn perform(&mut self, step: &Step) -> (Option<Outcome>, Option<u64>) {
        let mut effects = Effects::default();
        let before = self.book.account(step.account).map(|account| account.entries);
        let outcome = step.perform(|action| {
            let operation = Operation { account: step.account, at: step.at, action };
            self.book.perform(&operation, &mut effects)
        });
        self.note(step.account, &effects);
        (outcome, before)
    }

    pub(crate) fn transfer(&mut self, transfer: &Transfer<'_>) -> Outcome {
        let (mut sent, mut received) = (Effects::default(), Effects::default());
        let books = Books::Same(&mut self.book);
        let outcome = transfer.perform(books, (&mut sent, &mut received));
        self.note(transfer.from, &sent);
        self.note(transfer.to, &received);
        outcome
    }

    fn note(&mut self, id: AccountId, effects: &Effects) {
        let mut entries: Vec<_> = stored::entries(effects).map(|(_, body)| body).collect();
        entries.reverse();
        self.entries.entry(id).or_default().extend(entries);
        self.notices.entry(id).or_default().extend(stored::notices(effects));
        self.ended.entry(id).or_default().extend(stored::ended_sessions(effects));
    }
}

pub(crate) fn transfer(random: &mut Random, accounts: u64, at: i64) -> Transfer<'static> {
    let [from, to] = [0; 2].map(|_| AccountId(random.below(accounts)));
    let (key, amount) = (Key(random.below(1_000_000).into()), 1 + random.below(200) as i64);
    Transfer { key, from, to, amount, fee: None, limit: None, remark: b"for you", at }
}
