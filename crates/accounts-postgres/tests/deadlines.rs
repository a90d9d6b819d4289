//! What is due by itself is done by any front, once.

use std::thread;

use accounts::{Accounts as _, Desk, Task};
use accounts_postgres::Due;
use ledger::{
    AccountId, Action, BucketId, EndCause, Millis, Period, Renewal, SessionKey, Standing,
    SystemAccount, SystemKind,
};

use crate::fronts::check_books;
use crate::random::{Kind, NOW, Step, Work};
use crate::server::Server;

/// Renews nothing: the accounts of a test have no subscriptions.
pub(crate) fn no_renewal(_: &mut Desk<'_>, _: SystemAccount, _: Millis) -> bool {
    panic!("no account has a subscription")
}

fn step(account: u64, kind: Kind) -> Work {
    Work::from(Step { account: AccountId(account), at: NOW, kind })
}

fn call(account: u64, session: u64) -> Work {
    step(account, Kind::Call { session, number: 0, used: 0, wanted: 50 })
}

#[test]
fn sessions_buckets_and_stages_end_when_they_are_due() {
    let Some(server) = Server::start() else { return };
    let [one, other] = [server.front(), server.front()];
    let mut works: Vec<Work> = (0..3).map(|id| step(id, Kind::Open)).collect();
    works.extend((0..3).map(|id| step(id, Kind::Refill { key: 2, amount: 1_000 })));
    works.push(step(1, Kind::Bundle { key: 4, until: NOW + 10_000 }));
    works.extend([call(0, 1), call(1, 1), step(0, Kind::Hang { session: 1 }), call(2, 1)]);
    works.push(step(2, Kind::Life));
    one.run(&mut works).unwrap();
    let due = |ended, forgotten, buckets, stages| Due {
        ended,
        forgotten,
        buckets,
        stages,
        ..Due::default()
    };
    let settle = |front: &accounts_postgres::Front, after| {
        front.settle_due(NOW + after, NOW + after + 5_000, no_renewal).unwrap()
    };
    assert_eq!(settle(&one, 9_999), due(0, 0, 0, 0));
    assert_eq!(settle(&one, 10_000), due(0, 0, 0, 0), "a session has reserved from the bucket");
    let bucket = |front: &accounts_postgres::Front| {
        front.look(AccountId(1), |of| of.unwrap().bucket(BucketId(1)).map(|of| of.amount)).unwrap()
    };
    assert_eq!(bucket(&one), Some(50));
    assert_eq!(settle(&other, 20_000), due(2, 0, 1, 0), "sessions lapse, and the bucket is free");
    assert_eq!(bucket(&one), None);
    assert_eq!(settle(&one, 20_000), due(0, 0, 0, 0));
    assert_eq!(settle(&one, 70_000), due(0, 2, 0, 1), "those that lapsed are forgotten");
    assert_eq!(
        settle(&other, 700_000),
        due(0, 1, 0, 1),
        "the one that has ended is forgotten later"
    );
    let standing = |id| one.look(AccountId(id), |of| of.unwrap().standing).unwrap();
    assert_eq!((standing(2), standing(1)), (Standing::Suspended, Standing::Active));
    let causes: Vec<_> =
        one.ended_sessions(0, 10).unwrap().into_iter().map(|of| of.ended.cause).collect();
    assert_eq!(causes, [EndCause::Ended, EndCause::Lapsed, EndCause::Lapsed]);
    assert_eq!(settle(&one, 9_000_000), due(0, 0, 0, 0));
    assert_eq!(server.sql("SELECT count(due_ms) FROM account"), "0", "nothing is due any more");
    check_books(&one);
}

#[test]
fn fronts_share_what_is_due() {
    const COUNT: u64 = 3_000;
    let Some(server) = Server::start() else { return };
    let fronts = [server.front(), server.front()];
    let mut works: Vec<Work> = (0..COUNT).map(|id| step(id, Kind::Open)).collect();
    works.extend((0..COUNT).map(|id| call(id, 1)));
    fronts[0].run(&mut works).unwrap();
    assert_eq!(fronts[0].figures().unwrap().open_sessions, COUNT as usize);
    // Requests come meanwhile: what was reserved is used just in time, or late.
    let lapsed = thread::scope(|scope| {
        let at = NOW + 20_000;
        let settling: Vec<_> = fronts
            .iter()
            .map(|front| {
                scope.spawn(move || front.settle_due(at, at + 5_000, no_renewal).unwrap().ended)
            })
            .collect();
        let late = |id| step(id, Kind::Call { session: 1, number: 1, used: 9, wanted: 0 });
        for from in (0..COUNT).step_by(100) {
            let mut late: Vec<Work> = (from..from + 100).map(late).collect();
            fronts[(from / 100 % 2) as usize].run(&mut late).unwrap();
            assert!(late.iter().all(|of| of.outcome.unwrap().receipt.overdrawn == 9));
        }
        settling.into_iter().map(|of| of.join().unwrap()).collect::<Vec<_>>()
    });
    let lapsed: usize = lapsed.into_iter().sum();
    let ended = fronts[1].ended_sessions(0, usize::MAX).unwrap();
    let first = ended.iter().filter(|of| of.ended.cause == EndCause::Lapsed).count();
    assert_eq!(first, lapsed, "each session ends once");
    let figures = fronts[1].figures().unwrap();
    assert_eq!(figures.open_sessions + figures.closed_sessions, COUNT as usize);
    assert_eq!(figures.closed_sessions, lapsed);
    let open = fronts[1].open_sessions(None, 10, |_, _, of| Some(of.key)).unwrap();
    assert!(open.iter().all(|of| *of == SessionKey(1)));
    check_books(&fronts[0]);
}

/// Lets account 1 begin to pay a fee.
struct Begin {
    of: SystemAccount,
}

impl Task for Begin {
    fn account(&self) -> AccountId {
        AccountId(1)
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let first = Period { anchor: NOW, count: 0, begin: NOW };
        desk.perform(NOW, Action::Subscribe { of: self.of, first });
    }
}

#[test]
fn each_period_of_a_subscription_is_charged_once_by_the_caller() {
    const FEE: SystemAccount = SystemAccount { kind: SystemKind::Fee, number: 0 };
    const PERIOD: Millis = 1_000;
    let Some(server) = Server::start() else { return };
    let fronts = [server.front(), server.front()];
    let mut works = vec![step(1, Kind::Open), step(1, Kind::Refill { key: 2, amount: 250 })];
    fronts[0].run(&mut works).unwrap();
    fronts[0].run(&mut [Begin { of: FEE }]).unwrap();
    let renew = |desk: &mut Desk<'_>, of: SystemAccount, at: Millis| {
        let period = desk.account().unwrap().subscription(of).unwrap().period;
        let begin = period.begin + PERIOD;
        let renewal = Renewal {
            of,
            begin: period.begin,
            next: Period { anchor: begin, count: 0, begin },
            again: at + 10 * PERIOD,
            price: 100,
            allowances: &[],
            rolls_over: false,
            remark: b"",
        };
        desk.perform(at, Action::Renew(renewal)).receipt.entry > 0
    };
    let settle = |front: usize, at| fronts[front].settle_due(at, at, renew).unwrap().periods;
    assert_eq!(settle(0, NOW - 1), 0, "it is not due");
    assert_eq!((settle(0, NOW), settle(1, NOW)), (1, 0));
    assert_eq!(settle(1, NOW + 2 * PERIOD), 1, "there is money for one of two periods");
    let left = |front: &accounts_postgres::Front| {
        front.look(AccountId(1), |of| of.unwrap().buckets()[0].amount).unwrap()
    };
    assert_eq!(left(&fronts[0]), 50);
    assert_eq!(settle(0, NOW + 3 * PERIOD), 0, "it is tried again later");
    fronts[0].run(&mut [step(1, Kind::Refill { key: 3, amount: 500 })]).unwrap();
    assert_eq!(settle(0, NOW + 12 * PERIOD), 5, "there is money for five of nine");
    // A subscription that the caller does not know keeps no other one waiting.
    let unknown = SystemAccount { kind: SystemKind::Bundle, number: 9 };
    fronts[0].run(&mut [Begin { of: unknown }]).unwrap();
    fronts[0].run(&mut [step(1, Kind::Refill { key: 4, amount: 100 })]).unwrap();
    let known = |desk: &mut Desk<'_>, of, at| of == FEE && renew(desk, of, at);
    let at = NOW + 13 * PERIOD;
    assert_eq!(fronts[1].settle_due(at, at, known).unwrap().periods, 1);
    let is_there = |of: Option<&ledger::Account>| of.unwrap().subscription(unknown).is_some();
    assert!(fronts[0].look(AccountId(1), is_there).unwrap());
    check_books(&fronts[0]);
}
