//! Requests that allocate nothing.

use accounts::{Accounts as _, Desk, Task, Volatile};
use charging::{
    Answer, Charging, Dialogue, EventKind, GrantSettings, LegRequest, OrphanUsage, Phase, Policy,
    Quantity, Request, Scope, Service, SessionTask, SpendLimit, Workspace,
};
use ledger::{
    AccountId, Action, Credit, CreditTo, Currency, Key, MAIN_BUCKET, NewAccount, NewBucket, Scopes,
    SessionKey, Standing, SystemAccount, SystemKind, Unit,
};
use rating::{Plan, Plans};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// 2026-06-01 18:58:00 in Stockholm.
const EVENING: i64 = 1_780_333_080;

const ACCOUNTS: u64 = 50;

/// Opens an account, with money and a bundle of octets.
struct Opening(AccountId);

impl Task for Opening {
    fn account(&self) -> AccountId {
        self.0
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let (currency, standing) = (Currency(752), Standing::Active);
        desk.perform(0, Action::Open(NewAccount { currency, standing, credit_limit: 0 }));
        let from = SystemAccount { kind: SystemKind::Refill, number: 0 };
        let (scopes, until) = (Scopes(4), i64::MAX);
        let bundle = NewBucket { unit: Unit::Octets, priority: 1, scopes, from: 0, until };
        let to = [CreditTo::Bucket(MAIN_BUCKET), CreditTo::New(bundle)];
        for (key, to) in (1..).zip(to) {
            let amount = 1_000_000_000_000_000;
            desk.perform(
                0,
                Action::Credit(Credit { key: Key(key), to, amount, from, days: 0, remark: &[] }),
            );
        }
    }
}

fn charging() -> Charging {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
    Charging {
        plans: Plans::always(Plan::read(folder.as_ref()).plan.unwrap()),
        scopes: ["telephony", "sms", "data", "class:mobile", "class:data-home"]
            .map(Scope::of_stored)
            .into(),
        subscriber_types: Vec::new(),
        grants: GrantSettings { seconds: 180, octets: 1_000_000, events: 1 },
        validity_seconds: 600,
        remembered_seconds: 300,
        policy: Policy {
            orphan_usage: OrphanUsage::Charge,
            excess_percent: Some(5),
            reserve_below: Some(1_000_000_000),
            spend_limits: vec![SpendLimit {
                number: 0,
                name: "all".into(),
                services: vec!["telephony".into(), "data".into()],
                is_roaming: false,
                is_each_number: false,
                amount: 1_000_000_000_000_000,
            }],
            ..Policy::default()
        },
    }
}

/// Sends a request for each account, and returns how often memory was allocated.
fn send(
    (accounts, charging, workspace): (&Volatile, &Charging, &Workspace),
    (phase, number): (Phase, u32),
    legs: &[LegRequest<'_>],
) -> usize {
    let mut tasks = Vec::with_capacity(ACCOUNTS as usize);
    let region = Region::new(ALLOCATOR);
    tasks.extend((0..ACCOUNTS).map(|account| {
        let (account, session) = (AccountId(account), SessionKey(u128::from(account) << 8));
        let at = (EVENING + i64::from(number)) * 1_000;
        let request = Request {
            account,
            session,
            number,
            digest: 0,
            client: "msc1",
            at,
            phase,
            dialogue: Dialogue::default(),
            inherits: false,
            legs,
        };
        SessionTask::new(charging, workspace, request)
    }));
    accounts.run(&mut tasks).unwrap();
    assert!(tasks.iter().all(|task| task.answer == Answer::Legs));
    assert!(tasks.iter().flat_map(|task| &task.legs).all(|leg| leg.grant.is_ok()));
    drop(tasks);
    let change = region.change();
    change.allocations + change.reallocations
}

#[test]
fn requests_of_sessions_that_go_on_allocate_nothing() {
    let (accounts, charging, workspace) = (Volatile::default(), charging(), Workspace::default());
    let mut opening: Vec<_> = (0..ACCOUNTS).map(|account| Opening(AccountId(account))).collect();
    accounts.run(&mut opening).unwrap();
    let place = (&accounts, &charging, &workspace);
    let service = |name| Service {
        name,
        served: b"0701234567",
        other: if name == "data" { b"" } else { b"0721234567" },
        start: EVENING,
        ..Service::default()
    };
    let leg = |leg, name, used| LegRequest {
        leg,
        service: Some(service(name)),
        used,
        wanted: Some(Quantity::default()),
    };
    let legs = |used| [leg(0, "telephony", used), leg(1, "data", used)];
    send(place, (Phase::First, 0), &legs(None));
    let used = Quantity { seconds: Some(1), octets: Some(100_000), ..Quantity::default() };
    // The lists of a session and of the workspace grow to their full length: 16 answers are remembered.
    for number in 1..20 {
        send(place, (Phase::Next, number), &legs(Some(used)));
    }
    let allocated: Vec<_> =
        (20..40).map(|number| send(place, (Phase::Next, number), &legs(Some(used)))).collect();
    assert_eq!(allocated, [0; 20]);
    let again = send(place, (Phase::Next, 39), &legs(Some(used)));
    assert_eq!(again, 0, "a request that comes again");
    // The ledger allocates the lists of each new session.
    let enquiry = send(place, (Phase::Event(EventKind::PriceEnquiry), 50), &legs(Some(used)));
    println!("{enquiry} for {ACCOUNTS} new sessions");
    assert!(enquiry <= 3 * ACCOUNTS as usize);
}
