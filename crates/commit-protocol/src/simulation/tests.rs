//! The simulations: every short run, many long ones, and known faults, which must be detected.

use std::ops::Range;
use std::thread;
use std::time::Instant;

use super::*;

const SHORT: Scenario = Scenario {
    inputs: 1,
    later_inputs: 0,
    systems: 1,
    crashes: 1,
    failures: 0,
    detects_duplicates: false,
    inputs_of_one_output: 1,
    receiver: Receiver::Immediate,
    flaw: None,
};

/// Simulates all runs of a scenario. Returns their number, or the fault of the first that fails.
fn every(scenario: Scenario) -> Result<u64, String> {
    let (mut choices, mut runs) = (Choices::every(), 0);
    loop {
        let world = simulate(scenario, choices, false);
        let checked = world.check();
        choices = world.choices;
        runs += 1;
        if let (Err(wrong), Choices::Every { path, .. }) = (&checked, &choices) {
            println!("{scenario:?}, the choices {path:?}:");
            simulate(scenario, Choices::Every { path: path.clone(), at: 0 }, true);
            return Err(wrong.clone());
        }
        if !choices.next() {
            return Ok(runs);
        }
    }
}

/// Returns a long run.
fn drawn(seed: u64, flaw: Option<Flaw>) -> (Scenario, Choices) {
    let mut choices = Choices::Random(seed);
    let mut up_to = |most: usize| choices.pick(most + 1) as u8;
    let scenario = Scenario {
        inputs: 1 + up_to(3),
        later_inputs: up_to(6),
        systems: 1 + up_to(1),
        crashes: up_to(6),
        failures: up_to(3),
        detects_duplicates: up_to(1) == 1,
        inputs_of_one_output: 1 + up_to(1),
        receiver: [
            Receiver::AnyTime,
            Receiver::AnyTime,
            Receiver::Immediate,
            Receiver::BetweenRuns,
        ][usize::from(up_to(3))],
        flaw,
    };
    (scenario, choices)
}

/// Simulates a range of seeds. Returns how often gateways were stopped, or the first seed that
/// fails.
fn run(mut seeds: Range<u64>, flaw: Option<Flaw>) -> Result<u64, (u64, String)> {
    seeds.try_fold(0, |crashed, seed| {
        let (scenario, choices) = drawn(seed, flaw);
        let world = simulate(scenario, choices, false);
        world.check().map(|()| crashed + world.crashed).map_err(|wrong| (seed, wrong))
    })
}

fn check_every(kinds: &[Scenario]) {
    let begun = Instant::now();
    let runs: u64 =
        kinds.iter().map(|kind| every(*kind).unwrap_or_else(|wrong| panic!("{wrong}"))).sum();
    println!("{runs} runs in {:.1} s", begun.elapsed().as_secs_f64());
}

#[test]
fn runs_of_three_files_may_stop_at_every_step() {
    let one_of = |receiver, inputs| Scenario { inputs, receiver, ..SHORT };
    let kinds = [Receiver::Immediate, Receiver::BetweenRuns].map(|receiver| {
        [
            one_of(receiver, 3),
            Scenario { systems: 2, ..one_of(receiver, 2) },
            Scenario { detects_duplicates: true, ..one_of(receiver, 3) },
            Scenario { inputs_of_one_output: 2, ..one_of(receiver, 3) },
        ]
    });
    check_every(kinds.as_flattened());
}

#[test]
fn the_recovery_may_stop_at_every_step_too() {
    let kinds = [Receiver::Immediate, Receiver::BetweenRuns].map(|receiver| {
        let twice = |inputs| Scenario { inputs, receiver, crashes: 2, ..SHORT };
        [twice(1), twice(2), Scenario { systems: 2, ..twice(1) }]
    });
    check_every(kinds.as_flattened());
}

#[test]
fn each_write_may_fail() {
    let kinds = [Receiver::Immediate, Receiver::BetweenRuns].map(|receiver| {
        let failing = |inputs| Scenario { inputs, receiver, failures: 1, ..SHORT };
        [failing(1), failing(2), Scenario { later_inputs: 1, ..failing(1) }]
    });
    check_every(kinds.as_flattened());
}

#[test]
#[ignore = "a minute or more"]
fn runs_of_three_files_may_stop_twice_and_each_write_may_fail() {
    let kinds = [Receiver::Immediate, Receiver::BetweenRuns].map(|receiver| {
        let three = Scenario { inputs: 3, receiver, ..SHORT };
        [Scenario { crashes: 2, ..three }, Scenario { failures: 1, ..three }]
    });
    check_every(kinds.as_flattened());
}

/// `SIMULATIONS` sets the number of runs; `SEED` prints one.
#[test]
fn long_runs_may_stop_anywhere_and_often() {
    let number =
        |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    if let Some(seed) = number("SEED") {
        let (scenario, choices) = drawn(seed, None);
        println!("{scenario:?}");
        let checked = simulate(scenario, choices, true).check();
        return checked.unwrap_or_else(|wrong| panic!("SEED={seed}: {wrong}"));
    }
    let count = number("SIMULATIONS").unwrap_or(100_000);
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let begun = Instant::now();
    let part = |thread| count * thread / threads..count * (thread + 1) / threads;
    let crashed: Result<u64, _> = thread::scope(|scope| {
        let run = |thread| scope.spawn(move || run(part(thread), None));
        let all: Vec<_> = (0..threads).map(run).collect();
        all.into_iter().map(|thread| thread.join().expect("it does not panic")).sum()
    });
    let crashed = crashed.unwrap_or_else(|(seed, wrong)| panic!("SEED={seed}: {wrong}"));
    println!("{count} runs, {crashed} crashes in {:.1} s", begun.elapsed().as_secs_f64());
}

#[test]
fn every_flaw_is_detected() {
    for flaw in [
        Flaw::OutputsNotSynced,
        Flaw::OutputFoldersNotSynced,
        Flaw::InputsFolderNotSynced,
        Flaw::FailedSyncTriedAgain,
        Flaw::FailedSyncOfFolderTriedAgain,
        Flaw::HiddenFilesUsedAgain,
        Flaw::DeliveredBeforeJournal,
        Flaw::MarkedBeforeJournal,
        Flaw::NothingDeliveredAtStart,
        Flaw::InputNotLookedUp,
        Flaw::DoubtfulOutputsRemoved,
        Flaw::NameUsedAgain,
    ] {
        match run(0..20_000, Some(flaw)) {
            Err((seed, wrong)) => println!("{flaw:?} is detected with the seed {seed}: {wrong}"),
            Ok(_) => panic!("{flaw:?} is not detected"),
        }
    }
}

#[test]
fn a_receiver_that_does_not_sync_may_receive_a_file_twice() {
    let without_sync = Scenario { receiver: Receiver::WithoutSync, ..SHORT };
    assert_eq!(every(without_sync).unwrap_err(), "Whole(0) was received 2 times by system 1");
}
