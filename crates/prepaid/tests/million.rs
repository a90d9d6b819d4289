//! How long a million subscribers take: their import, the search for a part of a number, and the list of sessions. These
//! are measurements, not tests:
//!
//! ```sh
//! cargo test --release -p tollgate-prepaid --test library -- --ignored --nocapture million
//! ```

use std::time::Instant;

use prepaid::System;
use prepaid::calls::{ImportSubscribers, ListAccounts, NewSubscriber, ShowCharging};

use crate::set_up::{SetUp, call};

const SUBSCRIBERS: u64 = 1_000_000;
const FIRST: u64 = 46_700_000_000;

/// The subscribers of a call, as the command sends them.
const AT_ONCE: usize = 10_000;

/// Returns how often a search is measured.
const ROUNDS: usize = 20;

#[test]
#[ignore = "a measurement, which takes a minute"]
fn million_subscribers_are_imported_and_found() {
    let set_up = SetUp::new();
    let system = set_up.system();
    let begun = Instant::now();
    import(&system);
    println!("import of {SUBSCRIBERS} subscribers: {:.1} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    assert_eq!(call(&system, ShowCharging {}).numbers, SUBSCRIBERS);
    println!("figures: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    search(&system);
    drop(system);
    let begun = Instant::now();
    let system = set_up.system();
    println!("start with them: {:.1} s", begun.elapsed().as_secs_f64());
    search(&system);
}

fn import(system: &System) {
    // Numbers of an operator are not in a row: an odd factor spreads them.
    let number = |place: u64| FIRST + place.wrapping_mul(7_654_321) % 10_000_019;
    let subscriber = |place| NewSubscriber {
        number: number(place).to_string(),
        amount: "50".into(),
        subscriber_type: String::new(),
        line: None,
    };
    let all: Vec<NewSubscriber> = (0..SUBSCRIBERS).map(subscriber).collect();
    for part in all.chunks(AT_ONCE) {
        let imported =
            call(system, ImportSubscribers { subscribers: part.to_vec(), only_check: false });
        assert_eq!(imported.opened, part.len());
    }
}

fn search(system: &System) {
    for part in ["4", "70", "123", "4567", "01234", "467012345", "99999999999"] {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let list = ListAccounts { part: part.to_owned(), ..ListAccounts::default() };
                let begun = Instant::now();
                call(system, list);
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[ROUNDS / 2], times[ROUNDS - 1]);
        println!("search for \"{part}\": median {median:.1} ms, worst {worst:.1} ms");
    }
}
