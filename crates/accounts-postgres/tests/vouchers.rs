//! Vouchers: each is used once, whichever front it comes to, and its amount is there or it is not used.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use accounts::{Accounts as _, Pin, Redeemed, Redemption, VoucherBatch, VoucherError};
use accounts_postgres::{Front, Vouchers};
use ledger::{AccountId, Currency, MAIN_BUCKET, Unit};

use crate::fronts::check_books;
use crate::random::{Kind, NOW, REFILL, Step, Work};
use crate::server::Server;

const DAY: i64 = 86_400_000;

const BATCH: VoucherBatch = VoucherBatch {
    number: 7,
    currency: Currency(978),
    amount: 500,
    days: 30,
    until: NOW + 100 * DAY,
};

fn pins(range: std::ops::Range<u64>) -> Vec<Pin> {
    range.map(|number| Pin::parse(&format!("{number:010}")).unwrap()).collect()
}

/// Returns a front, and the vouchers 1 to 9 with that as their PINs, which are active but the last.
fn sold(server: &Server) -> (Arc<Front>, Vouchers) {
    let front = Arc::new(server.front());
    let open = |id| Work::from(Step { account: AccountId(id), at: NOW, kind: Kind::Open });
    front.run(&mut (0..5).map(open).collect::<Vec<_>>()).unwrap();
    let vouchers = Vouchers::new(Arc::clone(&front), b"secret");
    vouchers.add(BATCH, &pins(1..10), |_| Ok(())).unwrap();
    let first = *BATCH.serials().start();
    assert_eq!(vouchers.activate(first..=first + 7, |_| Ok(())).unwrap(), 8);
    (front, vouchers)
}

/// Uses a voucher, and returns whether it was used before, or why it is refused.
fn redeem(vouchers: &Vouchers, account: u64, pin: u64, at: i64) -> Result<bool, String> {
    let pin = &pins(pin..pin + 1)[0];
    let redemption = Redemption {
        account: AccountId(account),
        pin,
        bonuses: &[],
        from: REFILL,
        remark: &|serial| format!("USSD {serial}").into_bytes(),
        at,
    };
    match vouchers.redeem(&redemption) {
        Ok(Redeemed { is_repeated, .. }) => Ok(is_repeated),
        Err(VoucherError::Locked { until }) => Err(format!("locked for {}", until - at)),
        Err(VoucherError::Refused(refusal)) => Err(refusal.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn balance(front: &Front, id: u64) -> i64 {
    let main =
        |account: Option<&ledger::Account>| account.unwrap().bucket(MAIN_BUCKET).unwrap().amount;
    front.look(AccountId(id), main).unwrap()
}

#[test]
fn a_voucher_is_used_once() {
    let Some(server) = Server::start() else { return };
    let (front, vouchers) = sold(&server);
    assert_eq!(redeem(&vouchers, 0, 1, NOW), Ok(false));
    assert_eq!(redeem(&vouchers, 0, 1, NOW + 1), Ok(true), "the answer was lost");
    assert_eq!(redeem(&vouchers, 1, 1, NOW), Err("the voucher is used".into()));
    let entry = front.entries(AccountId(0), None, 1).unwrap().remove(0);
    let remark = format!("USSD {}", BATCH.serials().start());
    assert_eq!((entry.entry.amount, entry.remark), (500, remark.into_bytes()));
    let used = vouchers.voucher(*BATCH.serials().start(), NOW).unwrap().unwrap();
    assert_eq!((used.account, used.used_at), (Some(AccountId(0)), Some(NOW)));
    assert_eq!(redeem(&vouchers, 99, 2, NOW), Err("there is no such account".into()));
    let other = Vouchers::new(Arc::clone(&front), b"other");
    assert_eq!(redeem(&other, 1, 2, NOW), Err("the PIN is not known".into()));
    // Neither the amount nor the mark is stored without the other.
    server.sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''full''; END';
         CREATE TRIGGER full_ BEFORE UPDATE ON voucher FOR EACH ROW EXECUTE FUNCTION fail()",
    );
    assert!(redeem(&vouchers, 0, 3, NOW).is_err());
    server.sql("DROP TRIGGER full_ ON voucher");
    assert_eq!((balance(&front, 0), balance(&front, 1)), (500, 0));
    assert_eq!(redeem(&vouchers, 0, 3, NOW), Ok(false));
    check_books(&front);
}

#[test]
fn only_an_active_voucher_is_used_and_three_wrong_pins_lock_an_account_for_a_day() {
    let Some(server) = Server::start() else { return };
    let (_front, vouchers) = sold(&server);
    let first = *BATCH.serials().start();
    assert_eq!(vouchers.block(first + 1..=first + 2, |_| Ok(())).unwrap(), 2);
    assert_eq!(redeem(&vouchers, 0, 9, NOW), Err("the PIN is not known".into()), "not sold");
    assert_eq!(redeem(&vouchers, 0, 2, NOW), Err("the voucher is blocked".into()));
    assert_eq!(redeem(&vouchers, 0, 4, NOW), Ok(false), "a right one: counting begins again");
    for pin in [77, 78, 79] {
        assert_eq!(redeem(&vouchers, 0, pin, NOW), Err("the PIN is not known".into()));
    }
    assert_eq!(redeem(&vouchers, 0, 5, NOW), Err(format!("locked for {DAY}")));
    assert_eq!(redeem(&vouchers, 0, 5, NOW + DAY - 1), Err("locked for 1".into()));
    assert_eq!(redeem(&vouchers, 1, 6, NOW), Ok(false), "another account is not locked");
    assert_eq!(redeem(&vouchers, 0, 5, NOW + DAY), Ok(false));
    assert_eq!(redeem(&vouchers, 3, 7, BATCH.until), Err("the voucher has expired".into()));
    // What is used or blocked stays so.
    assert_eq!(vouchers.activate(BATCH.serials(), |_| Ok(())).unwrap(), 1);
    assert_eq!(redeem(&vouchers, 2, 2, NOW), Err("the voucher is blocked".into()));
    assert_eq!(vouchers.block(BATCH.serials(), |_| Ok(())).unwrap(), 4);
    assert_eq!(redeem(&vouchers, 2, 5, NOW), Err("the voucher is used".into()));
    assert_eq!(vouchers.activate(BATCH.serials(), |_| Ok(())).unwrap(), 0);
}

#[test]
fn a_voucher_that_comes_to_several_fronts_at_once_is_used_once() {
    let Some(server) = Server::start() else { return };
    let (front, _) = sold(&server);
    let together = Barrier::new(4);
    let used = AtomicUsize::new(0);
    thread::scope(|scope| {
        for account in 0..4 {
            let (server, together, used) = (&server, &together, &used);
            scope.spawn(move || {
                let vouchers = Vouchers::new(Arc::new(server.front()), b"secret");
                for pin in 1..=8 {
                    together.wait();
                    let is_used = redeem(&vouchers, account, pin, NOW) == Ok(false);
                    used.fetch_add(usize::from(is_used), Ordering::Relaxed);
                    together.wait();
                    // Those that another was faster with lock no one out here.
                    if account == 0 {
                        server.sql("DELETE FROM voucher_wrong_pin");
                    }
                }
            });
        }
    });
    assert_eq!(used.into_inner(), 8);
    let refilled = front.system_balances().unwrap()[&(Currency(978), Unit::Money, REFILL)];
    assert_eq!(refilled, -8 * 500);
    assert_eq!((0..5).map(|id| balance(&front, id)).sum::<i64>(), 8 * 500);
    check_books(&front);
}

#[test]
fn a_batch_is_stored_whole_and_without_its_pins() {
    let Some(server) = Server::start() else { return };
    let (_front, vouchers) = sold(&server);
    let other = VoucherBatch { number: 8, ..BATCH };
    let add = |batch, pins: &[Pin]| match vouchers.add(batch, pins, |_| Ok(())) {
        Ok(()) => "stored".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(add(BATCH, &pins(20..21)), "there is a batch 7 already");
    let twice = "a PIN of the batch is there already";
    assert_eq!(add(other, &pins(9..11)), twice);
    assert_eq!(add(other, &[pins(20..21), pins(20..21)].concat()), twice);
    let invalid = "a batch has 1 to 100000 vouchers, each worth 1 to 1000000000000000000";
    assert_eq!(add(other, &[]), invalid);
    assert_eq!(vouchers.voucher(8 << 32, NOW).unwrap(), None);
    assert_eq!(add(other, &pins(20..21)), "stored");
    let number = vouchers.voucher(8 << 32, NOW).unwrap().map(|of| of.batch.number);
    assert_eq!(number, Some(8));
    let readable =
        "SELECT count(*) FROM voucher WHERE position('00000000' IN encode(pin, 'escape')) > 0";
    assert_eq!(server.sql(readable), "0");
}
