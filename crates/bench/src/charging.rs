//! `tollgate bench charging`: measures calls that are asked for and paid, with durable accounts and with accounts in
//! memory alone.
//!
//! A call is two requests: one that reserves money, and one that pays. What is measured is processor time: the disk is
//! waited for, and other work goes on meanwhile. The time of durable accounts includes folding, until nothing is left
//! to fold.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use ::charging::{
    Answer, GrantSettings, LegRequest, Phase, Policy, Quantity, Request, Service, SessionTask,
    Workspace,
};
use accounts::{Accounts, Desk, Embedded, Task, Volatile};
use journal::{Folders, Journal, Schema};
use ledger::{
    AccountId, Action, Credit, CreditTo, Currency, Key, MAIN_BUCKET, NewAccount, SessionKey,
    Standing, SystemAccount, SystemKind, Unit,
};
use rating::{Plans, State};
use store::Versions;

use crate::allocations;
use crate::error::BenchError;
use crate::folder::Folder;
use crate::measure::{Results, Row, processor_time};
use crate::rating::large::{Call, Large};

/// The rounds of each measurement.
const ROUNDS: u32 = 5;

/// The money of each account, in billionths: enough for all calls.
const REFILL: i64 = 1_000_000_000_000_000;

const CURRENCY: Currency = Currency(978);

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[journal::TABLES, accounts::TABLES]),
    newest_ms: |_| Ok(None),
};

/// Arguments of `tollgate bench charging`.
#[derive(Debug, clap::Args)]
pub(crate) struct Charging {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Accounts
    #[arg(long, default_value_t = 100_000)]
    accounts: u64,
    /// Calls of a round
    #[arg(long, default_value_t = 50_000)]
    calls: u64,
    /// Requests that come together
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// Where the accounts are stored [default: a folder in the system's temporary folder, removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl Charging {
    pub(super) fn measure(self, out: &mut dyn Write) -> Result<(), BenchError> {
        let large = Large::new();
        let (plan, _) = large.read()?;
        let work = Work {
            charging: ::charging::Charging {
                plans: Plans::always(plan),
                services: vec!["telephony".into()],
                grants: GrantSettings { seconds: 180, octets: 1_000_000, events: 1 },
                validity_seconds: 600,
                remembered_seconds: 300,
                policy: Policy::default(),
            },
            workspace: Workspace::default(),
            calls: &large.calls,
            accounts: self.accounts,
            batch: self.batch.max(1),
        };
        let disk = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let folders = Folders { state: &disk.path, base: &disk.path };
        let journal = Arc::new(Journal::open(folders, &SCHEMA, SystemTime::now)?);
        let durable = Embedded::open(journal)?;
        let memory = Volatile::default();
        for accounts in 0..self.accounts {
            let opening = &mut [Opening(AccountId(accounts))];
            memory.run(opening)?;
        }
        let mut opening: Vec<_> = (0..self.accounts).map(|id| Opening(AccountId(id))).collect();
        durable.run(&mut opening)?;
        durable.fold()?;
        let requests = 2 * self.calls;
        let mut rows = [
            Row::new("requests, in memory alone", requests, 0),
            Row::new("requests, durable, before the answer", requests, 0),
            Row::new("requests, durable, all in", requests, 0),
        ];
        let (mut paid, mut allocated) = (0, None);
        for round in 0..ROUNDS {
            let calls = u64::from(round) * self.calls..u64::from(round + 1) * self.calls;
            let begun = processor_time()?;
            let (allocations, of_round) = allocations::of(|| work.charge(&memory, calls.clone()));
            of_round?;
            allocated = allocations;
            rows[0].took(processor_time()? - begun);
            let begun = processor_time()?;
            paid += work.charge(&durable, calls)?;
            rows[1].took(processor_time()? - begun);
            durable.fold()?;
            rows[2].took(processor_time()? - begun);
        }
        let revenue = SystemAccount { kind: SystemKind::Revenue, number: 0 };
        let found = durable.system_balance(CURRENCY, Unit::Money, revenue);
        if found != paid {
            return Err(BenchError::Sum { paid, found });
        }
        let [granting, answered, durable] = &rows;
        let mut ratios = vec![
            ("durable_over_granting".to_owned(), granting.over(answered)),
            ("all_in_over_granting".to_owned(), granting.over(durable)),
        ];
        ratios.extend(
            allocated.map(|all| ("request_allocations".to_owned(), all as f64 / requests as f64)),
        );
        Results { bench: "charging", rows: rows.into(), ratios }.show(self.json, out)?;
        Ok(())
    }
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
struct Work<'w> {
    charging: ::charging::Charging,
    workspace: Workspace,
    calls: &'w [Call],
    accounts: u64,
    batch: usize,
}

impl Work<'_> {
    /// Charges calls, and returns what they cost.
    fn charge(
        &self,
        accounts: &impl Accounts,
        calls: std::ops::Range<u64>,
    ) -> Result<i128, BenchError> {
        let numbers: Vec<u64> = calls.collect();
        let mut paid = 0;
        for numbers in numbers.chunks(self.batch) {
            let legs: Vec<LegRequest<'_>> = numbers.iter().map(|of| self.leg(*of, true)).collect();
            self.send(accounts, numbers, (Phase::First, &legs))?;
            let legs: Vec<LegRequest<'_>> = numbers.iter().map(|of| self.leg(*of, false)).collect();
            self.send(accounts, numbers, (Phase::Final, &legs))?;
            paid += numbers.iter().map(|number| self.price(*number)).sum::<i128>();
        }
        Ok(paid)
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
            legs,
        }
    }

    fn send(
        &self,
        accounts: &impl Accounts,
        numbers: &[u64],
        (phase, legs): (Phase, &[LegRequest<'_>]),
    ) -> Result<(), BenchError> {
        let mut tasks: Vec<SessionTask<'_>> = numbers
            .iter()
            .zip(legs)
            .map(|(number, leg)| {
                let request = self.request(*number, phase, std::slice::from_ref(leg));
                SessionTask::new(&self.charging, &self.workspace, request)
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
