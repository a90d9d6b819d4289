//! Tests that kill a charging system at work, or cut its power. The network sends a request again until it is answered, so
//! each request is charged once: what subscribers have in the end is what their calls left.

use std::process::{Child, Stdio};
use std::thread;

use postgres_server::Server;
use serde_json::Value;

use crate::charging::Charging;
use crate::crash::chance::Chance;
use crate::crash::disk::Disk;
use crate::crash::left_out;
use crate::crash::tally::Tally;

/// Disturbances that must have hit the system while it charged; `KILLS` and `POWER_CUTS` test more.
const KILLS: u64 = 3;
const POWER_CUTS: u64 = 2;

/// Attempts of one load.
const ATTEMPTS: u32 = 1_500;

/// The milliseconds within which a load is disturbed: accounts are folded for the first time after half a second.
const WITHIN: std::ops::Range<u64> = 20..1_000;

/// Disturbs loads until as many disturbances as wanted have hit the system at work, each in one of its processes, and checks
/// the end of each load.
fn disturb(processes: &mut [Charging], tally: &mut Tally, mut disturb: impl FnMut(&mut Charging)) {
    let mut chance = Chance::new();
    processes.iter_mut().for_each(Charging::start_at_one_address);
    while tally.wants_more() {
        let mut load = load(processes, chance.next());
        while tally.wants_more() {
            thread::sleep(chance.milliseconds(WITHIN).mul_f64(tally.patience()));
            let is_at_work = load.try_wait().unwrap().is_none();
            if !is_at_work {
                break;
            }
            let place = chance.next() as usize % processes.len();
            disturb(&mut processes[place]);
            processes[place].start();
            tally.note(true);
        }
        is_exact(load);
    }
    processes.iter_mut().for_each(Charging::stop);
    assert!(processes.iter().all(Charging::is_balanced));
}

fn load(processes: &[Charging], seed: u64) -> Child {
    let urls: Vec<String> = processes.iter().map(|of| format!("--url {}", of.url)).collect();
    let line = format!(
        "simulate calls {} --subscribers 100 --attempts {ATTEMPTS} --second 0.01 --repeated 0.1 \
         --patience 600 --seed {seed} --json",
        urls.join(" ")
    );
    let mut load = processes[0].command(&line);
    // It holds no file of a disk whose power is cut.
    load.current_dir("/").stdout(Stdio::piped()).spawn().unwrap()
}

/// Asserts that each answer was right, and that the balances are what the calls of a load left.
fn is_exact(load: Child) {
    let output = load.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["faults"], &report["failed"]), (&0.into(), &0.into()), "{report}");
}

#[test]
fn a_charging_system_that_is_killed_charges_each_request_once() {
    let mut kills = Tally::new("KILLS", KILLS);
    disturb(&mut [Charging::endless()], &mut kills, Charging::kill);
    eprintln!("{} kills met the charging system at work", kills.effective);
    assert!(kills.is_full(), "the charging system does nothing any more");
}

#[test]
fn a_charging_system_whose_power_is_cut_charges_each_request_once() {
    let disk = match Disk::new("ext4") {
        Ok(disk) => disk,
        Err(reason) => return left_out("power cuts of a charging system", &reason),
    };
    let mut cuts = Tally::new("POWER_CUTS", POWER_CUTS);
    let charging = Charging::endless_at(&disk.mounted());
    disk.sync();
    disturb(&mut [charging], &mut cuts, |charging| {
        charging.kill();
        disk.cut_power();
    });
    eprintln!("{} power cuts met the charging system at work", cuts.effective);
    assert!(cuts.is_full(), "the charging system does nothing any more");
}

/// Starts a database server of a test.
fn database() -> Option<Server> {
    let server = Server::start(&["shared_buffers=64MB"]).expect("a server");
    if server.is_none() {
        left_out("kills of charging systems with a database", "PostgreSQL is not installed");
    }
    server
}

#[test]
fn one_of_two_charging_systems_on_a_database_is_killed_and_the_other_carries_on() {
    let Some(server) = database() else { return };
    let mut kills = Tally::new("KILLS", KILLS);
    disturb(&mut Charging::two_in_a_database(&server), &mut kills, Charging::kill);
    eprintln!("{} kills met the charging systems at work", kills.effective);
    assert!(kills.is_full(), "the charging systems do nothing any more");
}

#[test]
fn a_database_whose_power_is_cut_under_charging_systems_charges_each_request_once() {
    let what = "power cuts of a database with charging systems";
    let disk = match Disk::new("ext4") {
        Ok(disk) => disk,
        Err(reason) => return left_out(what, &reason),
    };
    let settings = ["shared_buffers=64MB", "max_wal_size=64MB"];
    let server = Server::start_at(&disk.mounted().join("data"), &settings).expect("a server");
    let Some(mut server) = server else { return left_out(what, "PostgreSQL is not installed") };
    let mut cuts = Tally::new("POWER_CUTS", POWER_CUTS);
    let mut processes = Charging::two_in_a_database(&server);
    disk.sync();
    disturb(&mut processes, &mut cuts, |one| {
        server.crash().unwrap();
        disk.cut_power();
        server.run().unwrap();
        one.kill();
    });
    eprintln!("{} power cuts met the database at work", cuts.effective);
    assert!(cuts.is_full(), "the charging systems do nothing any more");
}

#[test]
fn a_database_that_crashes_under_charging_systems_charges_each_request_once() {
    let Some(mut server) = database() else { return };
    let mut crashes = Tally::new("KILLS", KILLS);
    let mut processes = Charging::two_in_a_database(&server);
    disturb(&mut processes, &mut crashes, |one| {
        server.crash().unwrap();
        server.run().unwrap();
        one.kill();
    });
    eprintln!("{} crashes met the charging systems at work", crashes.effective);
    assert!(crashes.is_full(), "the charging systems do nothing any more");
}
