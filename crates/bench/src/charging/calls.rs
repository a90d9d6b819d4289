//! Calls, and the accounts that pay for them.

use std::path::Path;

use ::charging::{
    Answer, Dialogue, GrantSettings, LegRequest, Phase, Policy, Quantity, Request, Service,
    SessionTask, Workspace,
};
use accounts::{Accounts, Desk, Embedded, Task};
use ledger::{
    AccountId, Action, Credit, CreditTo, Currency, Key, MAIN_BUCKET, Millis, NewAccount,
    SessionKey, Standing, SystemAccount, SystemKind,
};
use rating::{Plan, Plans, State};

use super::embedded;
use crate::error::BenchError;
use crate::rating::large::Call;

/// The money of each account, in billionths: enough for all calls.
const REFILL: i64 = 1_000_000_000_000_000;

pub(super) const CURRENCY: Currency = Currency(978);

/// The accounts that are opened together.
const OPENED_AT_ONCE: u64 = 10_000;

/// Opens durable accounts in a folder.
pub(super) fn opened(folder: &Path, accounts: u64) -> Result<Embedded, BenchError> {
    let durable = embedded(folder)?;
    open_all(&durable, accounts)?;
    durable.fold()?;
    Ok(durable)
}

/// Opens a number of accounts, with money in each.
pub(super) fn open_all(accounts: &impl Accounts, count: u64) -> Result<(), BenchError> {
    for first in (0..count).step_by(OPENED_AT_ONCE as usize) {
        let ids = first..count.min(first + OPENED_AT_ONCE);
        let mut opening: Vec<_> = ids.map(|id| Opening(AccountId(id))).collect();
        accounts.run(&mut opening)?;
    }
    Ok(())
}

/// Opens an account with money in it.
struct Opening(AccountId);

impl Task for Opening {
    fn account(&self) -> AccountId {
        self.0
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let (currency, standing) = (CURRENCY, Standing::Active);
        desk.perform(0, Action::Open(NewAccount { currency, standing, credit_limit: 0 }));
        let from = SystemAccount { kind: SystemKind::Refill, number: 0 };
        let to = CreditTo::Bucket(MAIN_BUCKET);
        desk.perform(
            0,
            Action::Credit(Credit { key: Key(0), to, amount: REFILL, from, days: 0, remark: &[] }),
        );
    }
}

/// The calls of subscribers.
pub(super) struct Calls<'w> {
    charging: ::charging::Charging,
    calls: &'w [Call],
    pub(super) accounts: u64,
    /// How many requests come together.
    pub(super) batch: usize,
}

impl<'w> Calls<'w> {
    /// Returns calls between a number of accounts, and how many come together.
    pub(super) fn new(calls: &'w [Call], plan: Plan, (accounts, batch): (u64, usize)) -> Self {
        let charging = ::charging::Charging {
            plans: Plans::always(plan),
            scopes: vec![::charging::Scope::Service("telephony".into())],
            subscriber_types: Vec::new(),
            grants: GrantSettings { seconds: 180, octets: 1_000_000, events: 1 },
            validity_seconds: 600,
            remembered_seconds: 300,
            policy: Policy::default(),
        };
        Calls { charging, calls, accounts, batch }
    }

    /// Lets grants be given without a reservation (paper V's optimised dialogue), or not.
    pub(super) fn optimise(&mut self, is_optimised: bool) {
        self.charging.policy.reserve_below = is_optimised.then_some(0);
    }

    /// Charges calls by a worker, and returns what they cost.
    pub(super) fn charge(
        &self,
        worker: (&impl Accounts, &Workspace),
        calls: std::ops::Range<u64>,
    ) -> Result<i128, BenchError> {
        let numbers: Vec<u64> = calls.collect();
        for numbers in numbers.chunks(self.batch) {
            self.send(worker, numbers, Phase::First)?;
            self.send(worker, numbers, Phase::Final)?;
        }
        Ok(numbers.iter().map(|number| self.price(*number)).sum())
    }

    /// Forgets the sessions that have ended, and folds all.
    pub(super) fn settle(&self, durable: &Embedded) -> Result<(), BenchError> {
        durable.lapse(self.end(), self.end())?;
        durable.fold()?;
        Ok(())
    }

    /// Returns a time after all calls, at which all that follows from them is due.
    pub(super) fn end(&self) -> Millis {
        let last = self.calls.iter().map(|call| call.start).max().unwrap_or_default();
        (last + 86_400) * 1_000
    }

    fn call(&self, number: u64) -> &Call {
        &self.calls[number as usize % self.calls.len()]
    }

    /// Returns what a call costs.
    fn price(&self, number: u64) -> i128 {
        let call = self.call(number);
        let plan = self.charging.plans.at(call.start).expect("it is always valid");
        let priced = plan.rate(&call.usage(), &mut State::default());
        priced.expect("each call has a price").total.nanos
    }

    fn leg(&self, number: u64, is_first: bool) -> LegRequest<'_> {
        let call = self.call(number);
        let service = Service {
            name: "telephony",
            other: &call.digits,
            start: call.start,
            ..Service::default()
        };
        let used = Quantity { seconds: Some(call.seconds), ..Quantity::default() };
        match is_first {
            true => LegRequest {
                leg: 0,
                service: Some(service),
                used: None,
                wanted: Some(Quantity::default()),
            },
            false => LegRequest { leg: 0, service: None, used: Some(used), wanted: None },
        }
    }

    fn request<'r>(&self, number: u64, phase: Phase, legs: &'r [LegRequest<'r>]) -> Request<'r> {
        let at = self.call(number).start * 1_000 + i64::from(phase == Phase::Final);
        // Calls are spread over the accounts (Knuth, "The Art of Computer Programming" 6.4).
        let account = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.accounts;
        Request {
            account: AccountId(account),
            session: SessionKey(number.into()),
            number: u32::from(phase == Phase::Final),
            digest: 0,
            client: "bench",
            at,
            phase,
            dialogue: Dialogue::default(),
            inherits: false,
            legs,
        }
    }

    /// Sends the requests of a phase that come together.
    pub(super) fn send(
        &self,
        (accounts, workspace): (&impl Accounts, &Workspace),
        numbers: &[u64],
        phase: Phase,
    ) -> Result<(), BenchError> {
        let is_first = phase == Phase::First;
        let legs: Vec<LegRequest<'_>> = numbers.iter().map(|of| self.leg(*of, is_first)).collect();
        let mut tasks: Vec<SessionTask<'_>> = numbers
            .iter()
            .zip(&legs)
            .map(|(number, leg)| {
                let request = self.request(*number, phase, std::slice::from_ref(leg));
                SessionTask::new(&self.charging, workspace, request)
            })
            .collect();
        accounts.run(&mut tasks)?;
        let is_wrong = |task: &&SessionTask<'_>| {
            let is_granted = task.legs.iter().all(|leg| {
                let grant = leg.grant.as_ref();
                grant.is_ok_and(|grant| grant.is_some() == (phase == Phase::First))
            });
            task.answer != Answer::Legs || !is_granted
        };
        match tasks.iter().find(is_wrong) {
            Some(task) => {
                Err(BenchError::Answer { answer: format!("{:?} {:?}", task.answer, task.legs) })
            }
            None => Ok(()),
        }
    }
}
