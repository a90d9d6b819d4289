//! A network and its gateway to charging: it sends requests for calls, and has a ledger to look into.

use std::sync::Arc;
use std::time::SystemTime;

use accounts::{AccountSession, Accounts as _, Desk, Embedded, Task};
use charging::{
    Answer, Charging, Dialogue, Grant, GrantSettings, LegAnswer, LegRefusal, LegRequest, Phase,
    Policy, Quantity, Request, Scope, Service, SessionTask, Workspace,
};
use journal::{Folders, Journal, Schema};
use ledger::{
    AccountId, Action, Credit, CreditTo, Currency, Entry, Key, MAIN_BUCKET, NewAccount, NewBucket,
    Notice, Scopes, SessionKey, Standing, SystemAccount, SystemKind, Unit,
};
use rating::{Plan, Plans};
use store::Versions;
use tempfile::TempDir;

pub(crate) const ANNA: AccountId = AccountId(46_701_234_567);

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[journal::TABLES, accounts::TABLES]),
    newest_ms: |_| Ok(None),
    trusts_pauses: true,
};

/// 2026-06-01 18:58:00 in Stockholm: peak prices end two minutes later.
pub(crate) const EVENING: i64 = 1_780_333_080;

/// A network, and the account of a subscriber.
pub(crate) struct Network {
    pub(crate) charging: Charging,
    /// What its clients make of refusals.
    pub(crate) dialogue: Dialogue,
    workspace: Workspace,
    accounts: Option<Embedded>,
    folder: TempDir,
    keys: u128,
}

/// An operation on the account of the subscriber.
struct Operate<'o>(Action<'o>);

impl Task for Operate<'_> {
    fn account(&self) -> AccountId {
        ANNA
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let outcome = desk.perform(EVENING * 1_000 - 1, self.0);
        assert_eq!(outcome.receipt.refusal, None, "{:?}", self.0);
    }
}

impl Network {
    /// Creates a subscriber with an amount, in hundredths.
    pub(crate) fn with(hundredths: i64) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
        let plan = Plan::read(folder.as_ref()).plan.expect("the example has no mistakes");
        let charging = Charging {
            plans: Plans::always(plan),
            scopes: ["telephony", "sms", "data"].map(|name| Scope::Service(name.to_owned())).into(),
            subscriber_types: ["consumer", "plus"].map(str::to_owned).into(),
            grants: GrantSettings { seconds: 180, octets: 1_000_000, events: 1 },
            validity_seconds: 600,
            remembered_seconds: 300,
            policy: Policy::default(),
        };
        let folder = TempDir::new().unwrap();
        let (workspace, accounts) = (Workspace::default(), Some(opened(&folder)));
        let dialogue = Dialogue::default();
        let mut network = Network { charging, dialogue, workspace, accounts, folder, keys: 0 };
        let (currency, standing) = (Currency(752), Standing::Active);
        network.operate(Action::Open(NewAccount { currency, standing, credit_limit: 0 }));
        network.refill(hundredths);
        network
    }

    pub(crate) fn operate(&self, action: Action<'_>) {
        self.accounts().run(&mut [Operate(action)]).unwrap();
    }

    pub(crate) fn refill(&mut self, hundredths: i64) {
        if hundredths > 0 {
            self.keys += 1;
            let from = SystemAccount { kind: SystemKind::Refill, number: 0 };
            let (key, to) = (Key(self.keys), CreditTo::Bucket(MAIN_BUCKET));
            let amount = hundredths * 10_000_000;
            self.operate(Action::Credit(Credit { key, to, amount, from, days: 0, remark: b"" }));
        }
    }

    /// Adds a bucket of units for services, which ends at a time.
    pub(crate) fn bucket(&self, (unit, scopes): (Unit, Scopes), amount: i64, until: i64) {
        let from = SystemAccount { kind: SystemKind::Bonus, number: 0 };
        let terms = NewBucket { unit, priority: 10, scopes, from: 0, until };
        let (key, to) = (Key(u128::from(until.unsigned_abs()) << 64), CreditTo::New(terms));
        self.operate(Action::Credit(Credit { key, to, amount, from, days: 0, remark: &[] }));
    }

    /// Returns what all buckets have of a unit, and what of it is reserved.
    pub(crate) fn units(&self, unit: Unit) -> (i64, i64) {
        self.accounts().look(ANNA, |account| {
            let buckets = account.unwrap().buckets().iter().filter(|bucket| bucket.unit == unit);
            buckets.fold((0, 0), |sum, of| (sum.0 + of.amount, sum.1 + of.reserved))
        })
    }

    fn accounts(&self) -> &Embedded {
        self.accounts.as_ref().expect("they are open")
    }

    /// Ends charging and starts it again.
    pub(crate) fn restart(&mut self) {
        self.accounts = None;
        self.accounts = Some(opened(&self.folder));
    }

    /// Returns what the subscriber has and what of it is reserved, in billionths.
    pub(crate) fn balance(&self) -> (i64, i64) {
        self.accounts().look(ANNA, |account| {
            let main = account.unwrap().bucket(MAIN_BUCKET).unwrap();
            (main.amount, main.reserved)
        })
    }

    /// Returns the last grant of a session, and until when it is valid, in seconds after the evening began.
    pub(crate) fn valid(&self, session: u128) -> (Option<Grant>, i64) {
        self.accounts().look(ANNA, |account| {
            let session = account.unwrap().session(SessionKey(session)).expect("a session");
            let until = self.charging.valid_until(session) - EVENING * 1_000;
            (charging::last_grant(session, 0), until / 1_000)
        })
    }

    /// Returns the notices of the account.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.accounts().fold().unwrap();
        let notices = self.accounts().notices(0, usize::MAX).unwrap();
        notices.into_iter().map(|of| of.notice).collect()
    }

    /// Returns what was spent within limits in the month of the evening, for each number.
    pub(crate) fn spent(&self) -> Vec<(Vec<u8>, i64)> {
        self.accounts().look(ANNA, |account| {
            let spent = self.charging.spent_within_limits(account.unwrap(), EVENING * 1_000);
            spent.into_iter().map(|of| (of.number, of.spent)).collect()
        })
    }

    /// Returns the number of sessions in progress.
    pub(crate) fn open_sessions(&self) -> usize {
        self.accounts().figures().unwrap().open_sessions
    }

    /// Ends and forgets the sessions that are over.
    pub(crate) fn lapse(&self, at: i64) -> usize {
        let lapsed = self.accounts().lapse(at, at + 300_000).unwrap();
        lapsed.ended + lapsed.forgotten
    }

    /// Returns the sessions that have ended.
    pub(crate) fn ended_sessions(&self) -> Vec<AccountSession> {
        self.accounts().ended_sessions(0, 100).unwrap()
    }

    /// Returns the entries of the account, the newest first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let entries = self.accounts().entries(ANNA, None, 100).unwrap();
        entries.into_iter().map(|of| of.entry).collect()
    }

    /// Returns when a session is over.
    pub(crate) fn session_until(&self, session: SessionKey) -> Option<i64> {
        self.accounts().look(ANNA, |account| account?.session(session).map(|of| of.until))
    }

    /// Returns what was paid, in billionths.
    pub(crate) fn revenue(&self) -> i128 {
        let revenue = SystemAccount { kind: SystemKind::Revenue, number: 0 };
        for (of, sum) in self.accounts().totalled() {
            assert_eq!(sum.buckets + sum.systems, 0, "{of:?}");
        }
        self.accounts().system_balance(Currency(752), Unit::Money, revenue)
    }

    /// Sends a request at a number of seconds after the evening began.
    pub(crate) fn send(
        &self,
        (session, phase, number): (u128, Phase, u32),
        second: i64,
        legs: &[LegRequest<'_>],
    ) -> (Answer, Vec<LegAnswer>) {
        let at = (EVENING + second) * 1_000;
        let session = SessionKey(session);
        let digest = legs.iter().fold(u64::from(number), |digest, leg| {
            let used = leg.used.and_then(|used| used.seconds).unwrap_or_default();
            digest.wrapping_mul(31).wrapping_add(used)
        });
        let dialogue = self.dialogue;
        let request = Request {
            account: ANNA,
            session,
            number,
            digest,
            client: "msc1",
            at,
            phase,
            dialogue,
            inherits: false,
            legs,
        };
        let mut tasks = [SessionTask::new(&self.charging, &self.workspace, request)];
        self.accounts().run(&mut tasks).unwrap();
        let [task] = &mut tasks;
        (task.answer.clone(), std::mem::take(&mut task.legs))
    }

    /// Begins many sessions, which are granted nothing and remembered.
    pub(crate) fn begin_many(&self, count: usize) {
        let leg = LegRequest { leg: 0, service: Some(telephony()), used: None, wanted: None };
        let request = |session: usize| Request {
            account: ANNA,
            session: SessionKey(1_000_000 + session as u128),
            number: 0,
            digest: 0,
            client: "msc1",
            at: EVENING * 1_000,
            phase: Phase::First,
            dialogue: Dialogue::default(),
            inherits: false,
            legs: std::slice::from_ref(&leg),
        };
        let task = |session| SessionTask::new(&self.charging, &self.workspace, request(session));
        let mut tasks: Vec<_> = (0..count).map(task).collect();
        self.accounts().run(&mut tasks).unwrap();
        assert!(tasks.iter().all(|task| task.legs[0].grant == Ok(None)), "all begin");
    }

    /// Sends a request of a call, and returns the answer for its leg.
    pub(crate) fn call(
        &self,
        (phase, number): (Phase, u32),
        second: i64,
        used: Option<u64>,
    ) -> Result<Option<Grant>, LegRefusal> {
        let wanted = (phase != Phase::Final).then(Quantity::default);
        self.ask((phase, number), second, (used, wanted))
    }

    /// Sends a request of a call that wants nothing.
    pub(crate) fn report(
        &self,
        (phase, number): (Phase, u32),
        second: i64,
        used: Option<u64>,
    ) -> Result<Option<Grant>, LegRefusal> {
        self.ask((phase, number), second, (used, None))
    }

    fn ask(
        &self,
        (phase, number): (Phase, u32),
        second: i64,
        (used, wanted): (Option<u64>, Option<Quantity>),
    ) -> Result<Option<Grant>, LegRefusal> {
        let leg = LegRequest { leg: 0, service: Some(telephony()), used: seconds(used), wanted };
        let (answer, mut legs) = self.send((1, phase, number), second, &[leg]);
        match answer {
            Answer::Legs => legs.remove(0).grant,
            Answer::SessionUnknown => Err(LegRefusal::SessionUnknown),
            Answer::SubscriberUnknown => panic!("she is a subscriber"),
        }
    }
}

fn opened(folder: &TempDir) -> Embedded {
    let folders = Folders { state: folder.path(), base: folder.path() };
    let journal = Journal::open(folders, &SCHEMA, SystemTime::now).unwrap();
    Embedded::open(Arc::new(journal)).unwrap()
}

pub(crate) fn seconds(seconds: Option<u64>) -> Option<Quantity> {
    seconds.map(|seconds| Quantity { seconds: Some(seconds), ..Quantity::default() })
}

/// A call to a mobile: 0.49 and 0.60 a minute, from seven o'clock 0.30.
pub(crate) fn telephony() -> Service<'static> {
    Service {
        name: "telephony",
        served: b"0701234567",
        other: b"0721234567",
        start: EVENING,
        ..Service::default()
    }
}
