//! Vouchers: each is used once, its amount is there or it is not used, and PINs cannot be guessed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use accounts::{Embedded, Pin, Redeemed, Redemption, VoucherBatch, VoucherError, Vouchers};
use ledger::{AccountId, Currency, MAIN_BUCKET, SystemAccount, SystemKind, Unit};
use store::Connection;
use tempfile::TempDir;

use crate::set_up::{NOW, check_sums, open, opened};

const DAY: i64 = 86_400_000;
const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 3 };

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

/// Returns accounts, and the vouchers 1 to 9 with that as their PINs, which are active but the last.
fn sold(folder: &TempDir) -> (Arc<Embedded>, Vouchers) {
    let accounts = Arc::new(opened(folder.path(), 5));
    let vouchers = Vouchers::new(Arc::clone(&accounts), b"secret");
    vouchers.add(BATCH, &pins(1..10), |_| Ok(())).unwrap();
    let first = *BATCH.serials().start();
    assert_eq!(vouchers.activate(first..=first + 7, |_| Ok(())).unwrap(), 8);
    (accounts, vouchers)
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

fn balance(accounts: &Embedded, id: u64) -> i64 {
    accounts.look(AccountId(id), |account| account.unwrap().bucket(MAIN_BUCKET).unwrap().amount)
}

#[test]
fn a_voucher_is_used_once() {
    let folder = TempDir::new().unwrap();
    let (accounts, vouchers) = sold(&folder);
    assert_eq!(redeem(&vouchers, 0, 1, NOW), Ok(false));
    assert_eq!(redeem(&vouchers, 0, 1, NOW + 1), Ok(true), "the answer was lost");
    assert_eq!(redeem(&vouchers, 1, 1, NOW), Err("the voucher is used".into()));
    let entry = accounts.entries(AccountId(0), None, 1).unwrap().remove(0);
    let remark = format!("USSD {}", BATCH.serials().start());
    assert_eq!((entry.entry.amount, entry.remark), (500, remark.into_bytes()));
    let used = vouchers.voucher(*BATCH.serials().start(), NOW).unwrap().unwrap();
    assert_eq!((used.account, used.used_at), (Some(AccountId(0)), Some(NOW)));
    drop((accounts, vouchers));
    let accounts = Arc::new(open(folder.path()));
    let vouchers = Vouchers::new(Arc::clone(&accounts), b"secret");
    assert_eq!(redeem(&vouchers, 0, 1, NOW + 200 * DAY), Ok(true), "whenever it comes again");
    assert_eq!((balance(&accounts, 0), balance(&accounts, 1)), (1_500, 1_000));
    let other = Vouchers::new(Arc::clone(&accounts), b"other");
    assert_eq!(redeem(&other, 1, 2, NOW), Err("the PIN is not known".into()));
    check_sums(&accounts);
}

#[test]
fn a_voucher_is_not_used_if_the_account_does_not_get_it() {
    let folder = TempDir::new().unwrap();
    let (accounts, vouchers) = sold(&folder);
    assert_eq!(redeem(&vouchers, 99, 1, NOW), Err("there is no such account".into()));
    let kronor = VoucherBatch { number: 8, currency: Currency(752), ..BATCH };
    vouchers.add(kronor, &pins(50..51), |_| Ok(())).unwrap();
    vouchers.activate(kronor.serials(), |_| Ok(())).unwrap();
    let differs = Err("the accounts have different currencies".into());
    for _ in 0..4 {
        assert_eq!(redeem(&vouchers, 0, 50, NOW), differs, "the PIN is right");
    }
    // Neither is stored without the other.
    let fail =
        "CREATE TRIGGER full BEFORE UPDATE ON voucher BEGIN SELECT raise(ABORT, 'full'); END";
    accounts.journal().commit(|db| db.execute_batch(fail)).unwrap();
    assert!(redeem(&vouchers, 0, 1, NOW).is_err());
    accounts.journal().commit(|db| db.execute_batch("DROP TRIGGER full")).unwrap();
    drop((accounts, vouchers));
    let accounts = Arc::new(open(folder.path()));
    let vouchers = Vouchers::new(Arc::clone(&accounts), b"secret");
    assert_eq!(balance(&accounts, 0), 1_000);
    assert_eq!(redeem(&vouchers, 0, 1, NOW), Ok(false));
    assert_eq!(balance(&accounts, 0), 1_500);
}

#[test]
fn only_an_active_voucher_is_used_and_three_wrong_pins_lock_an_account_for_a_day() {
    let folder = TempDir::new().unwrap();
    let (_accounts, vouchers) = sold(&folder);
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
fn many_who_use_the_same_vouchers_get_each_once() {
    let folder = TempDir::new().unwrap();
    let (accounts, vouchers) = sold(&folder);
    // All use the same one at the same time.
    let together = Barrier::new(4);
    let used = AtomicUsize::new(0);
    thread::scope(|scope| {
        for account in 0..4 {
            let (vouchers, together, used) = (&vouchers, &together, &used);
            scope.spawn(move || {
                for pin in 1..=8 {
                    together.wait();
                    let is_used = redeem(vouchers, account, pin, NOW) == Ok(false);
                    used.fetch_add(usize::from(is_used), Ordering::Relaxed);
                    // Those that another was faster with lock no one out here.
                    let unlock =
                        |db: &Connection| db.execute("DELETE FROM voucher_wrong_pin", []).map(drop);
                    vouchers.accounts().journal().commit(unlock).unwrap();
                }
            });
        }
    });
    assert_eq!(used.into_inner(), 8);
    let refilled = accounts.system_balance(Currency(978), Unit::Money, REFILL);
    assert_eq!(refilled, -8 * 500);
    assert_eq!((0..5).map(|id| balance(&accounts, id)).sum::<i64>(), 5 * 1_000 + 8 * 500);
    check_sums(&accounts);
}

#[test]
fn a_batch_is_stored_whole_and_without_its_pins() {
    let folder = TempDir::new().unwrap();
    let (accounts, vouchers) = sold(&folder);
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
    for amount in [0, ledger::AMOUNT_MAX + 1] {
        assert_eq!(add(VoucherBatch { amount, ..other }, &pins(20..21)), invalid);
    }
    assert_eq!(vouchers.voucher(8 << 32, NOW).unwrap(), None);
    assert_eq!(add(other, &pins(20..21)), "stored");
    for wrong in ["123456789", "12345678901234567890 ", "123456789a", "١٢٣٤٥٦٧٨٩٠"] {
        assert!(Pin::parse(wrong).is_err(), "{wrong}");
    }
    let reader = accounts.journal().reader().unwrap();
    let select = "SELECT count(*) FROM voucher WHERE instr(CAST(pin AS TEXT), '00000000') > 0";
    let readable: u32 = reader.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(readable, 0);
}
