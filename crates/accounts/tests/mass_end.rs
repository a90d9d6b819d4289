//! Many sessions that are over at the same moment, as after a network went down: all end, and others are served meanwhile.
//! With a million sessions:
//!
//! ```sh
//! cargo test --release -p tollgate-accounts --test library -- --ignored --nocapture mass_end
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use accounts::{Accounts as _, Embedded, Lapsed};
use tempfile::TempDir;

use crate::set_up::{NOW, Step, Work, check_sums, open, opened};

const MINUTE: i64 = 60_000;

/// The sessions that are begun at once.
const AT_ONCE: u64 = 10_000;

#[test]
fn many_sessions_that_end_at_once_give_back_all_and_others_are_served_meanwhile() {
    end_at_once(20_000);
}

#[test]
#[ignore = "the long form takes a minute"]
fn a_million_sessions_end_at_once() {
    end_at_once(1_000_000);
}

fn end_at_once(sessions: u64) {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), sessions + 1);
    for first in (0..sessions).step_by(AT_ONCE as usize) {
        let begin = |id| Work::new(id, Step::Call { session: 7, number: 0, used: 0 });
        let mut begun: Vec<Work> = (first..sessions.min(first + AT_ONCE)).map(begin).collect();
        accounts.run(&mut begun).unwrap();
    }
    let figures = accounts.figures().unwrap();
    assert_eq!(
        (figures.open_sessions as u64, figures.reserved),
        (sessions, i128::from(sessions) * 50)
    );
    let is_over = AtomicBool::new(false);
    let (ended, (served, longest)) = thread::scope(|scope| {
        let others = scope.spawn(|| serve(&accounts, sessions, &is_over));
        let begun = Instant::now();
        let lapsed = accounts.lapse(NOW + MINUTE, NOW + 2 * MINUTE).unwrap();
        is_over.store(true, Ordering::Relaxed);
        println!("{sessions} sessions ended in {:.2} s", begun.elapsed().as_secs_f64());
        (lapsed, others.join().unwrap())
    });
    println!(
        "{served} requests of others meanwhile, the slowest in {:.1} ms",
        longest.as_secs_f64() * 1e3
    );
    assert_eq!(ended, Lapsed { ended: sessions as usize, forgotten: 0 });
    assert!(served > 0, "others are served meanwhile");
    let figures = accounts.figures().unwrap();
    assert_eq!((figures.open_sessions, figures.reserved), (0, 0));
    check_sums(&accounts);
    assert_eq!(accounts.lapse(NOW + MINUTE, NOW + 2 * MINUTE).unwrap(), Lapsed::default());
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(accounts.figures().unwrap().open_sessions, 0, "they have ended after a start, too");
    let forgotten = accounts.lapse(NOW + 2 * MINUTE, NOW + 3 * MINUTE).unwrap().forgotten;
    assert_eq!(forgotten as u64, sessions, "what was remembered is forgotten");
}

/// Sends requests of another account until a moment. Returns how many were answered, and the longest time of one.
fn serve(accounts: &Embedded, account: u64, is_over: &AtomicBool) -> (u32, Duration) {
    let (mut served, mut longest) = (0, Duration::ZERO);
    while served == 0 || !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let refill = Step::Refill(2 + u64::from(served));
        accounts.run(&mut [Work::new(account, refill)]).unwrap();
        longest = longest.max(begun.elapsed());
        served += 1;
    }
    (served, longest)
}
