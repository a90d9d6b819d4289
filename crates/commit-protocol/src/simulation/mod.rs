//! Runs the protocol in a world where everything that can go wrong does, at every step: gateways
//! are killed, power is cut, writes fail, and receivers take files away meanwhile.
//!
//! The protocol is the real one; disk, journal and gateway are simulated. Short runs are explored
//! completely: they stop at each step, with every combination of unsynced changes on the disk.
//! Longer runs are drawn from a seed, which always gives the same run. At the end, when nothing
//! fails any more, each system must have received each input once and complete, all inputs must be
//! marked, and the journal must agree.
//!
//! The producer of an input and the receiver of an output are assumed to sync the folder. Without
//! that, the result of a power cut is their own fault.

mod choices;
mod disk;
mod gateway;
mod journal;
mod tests;

use std::cell::RefCell;

use choices::Choices;
use disk::{Contents, Disk, Form, INPUTS, SimulatedPath};
use gateway::Gateway;
use journal::Journal;

use ::journal::JobId;

/// Maximum number of final runs without faults: outputs with the same name wait for each other.
const LAST_RUNS_MAX: usize = 16;

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
struct Scenario {
    /// The number of files at the start, and of those that come later.
    inputs: u8,
    later_inputs: u8,
    systems: u8,
    crashes: u8,
    failures: u8,
    /// Whether files with the same contents come, and are detected as duplicates.
    detects_duplicates: bool,
    /// The number of inputs whose outputs have the same name.
    inputs_of_one_output: u8,
    receiver: Receiver,
    flaw: Option<Flaw>,
}

/// When a receiver takes files away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    /// At once.
    Immediate,
    /// While the gateway does not run.
    BetweenRuns,
    /// At any time.
    AnyTime,
    /// At once, and without syncing the folder.
    WithoutSync,
}

/// A faulty protocol or disk, which the simulation must detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    OutputsNotSynced,
    OutputFoldersNotSynced,
    InputsFolderNotSynced,
    FailedSyncTriedAgain,
    FailedSyncOfFolderTriedAgain,
    /// Reuses hidden files that an interrupted job left.
    HiddenFilesUsedAgain,
    DeliveredBeforeJournal,
    MarkedBeforeJournal,
    NothingDeliveredAtStart,
    InputNotLookedUp,
    /// Removes outputs of jobs that may be in the journal after all.
    DoubtfulOutputsRemoved,
    /// Reuses a name before the journal has its job as finished.
    NameUsedAgain,
}

/// An input that was added.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    path: SimulatedPath,
    contents: Contents,
}

/// The world, and the expectations about it.
struct Simulation {
    scenario: Scenario,
    choices: Choices,
    disk: Disk,
    journal: Journal,
    crashes_left: u8,
    failures_left: u8,
    arrivals_left: u8,
    /// How often a gateway was stopped.
    crashed: u64,
    arrivals: Vec<Arrival>,
    received: Vec<(SimulatedPath, Contents)>,
    /// The gateway's own memory, which a stop loses.
    is_stopped: bool,
    has_unfinished: bool,
    /// The outputs of current jobs, and of those that are not finished in the journal.
    in_hand: Vec<SimulatedPath>,
    claims: Vec<(JobId, Vec<SimulatedPath>)>,
    finished: Vec<JobId>,
    /// Whether events are printed.
    is_printed: bool,
}

/// Simulates a run. Returns the world at its end.
fn simulate(scenario: Scenario, choices: Choices, is_printed: bool) -> Simulation {
    let world = RefCell::new(Simulation::new(scenario, choices, is_printed));
    let runs = 1 + scenario.crashes + scenario.failures;
    (0..runs).for_each(|_| Gateway(&world).run());
    world.borrow_mut().stop_faults();
    for _ in 0..LAST_RUNS_MAX {
        if world.borrow().is_done() {
            break;
        }
        world.borrow_mut().take_all();
        Gateway(&world).run();
    }
    // Finished work must survive a power cut.
    world.borrow_mut().power_cut();
    Gateway(&world).run();
    world.borrow_mut().take_all();
    world.into_inner()
}

impl Simulation {
    fn new(scenario: Scenario, choices: Choices, is_printed: bool) -> Self {
        let mut world = Simulation {
            scenario,
            choices,
            disk: Disk::new(scenario.systems),
            journal: Journal::default(),
            crashes_left: scenario.crashes,
            failures_left: scenario.failures,
            arrivals_left: scenario.inputs,
            crashed: 0,
            arrivals: Vec::new(),
            received: Vec::new(),
            is_stopped: true,
            has_unfinished: false,
            in_hand: Vec::new(),
            claims: Vec::new(),
            finished: Vec::new(),
            is_printed,
        };
        (0..scenario.inputs).for_each(|_| world.put_in());
        world.arrivals_left = scenario.later_inputs;
        world
    }

    fn log(&self, event: impl Fn() -> String) {
        if self.is_printed {
            println!("  {}", event());
        }
    }

    /// Starts a gateway.
    fn start(&mut self) {
        self.log(|| "a gateway starts".into());
        (self.is_stopped, self.has_unfinished) = (false, true);
        self.forget_claims();
    }

    /// Ends the gateway, which has finished or was stopped.
    fn end(&mut self) {
        let ended_normally = !self.is_stopped;
        self.is_stopped = true;
        let detects_duplicates = self.scenario.detects_duplicates;
        self.journal.reopen(ended_normally, detects_duplicates, &mut self.choices);
        let is_between_runs = self.scenario.receiver == Receiver::BetweenRuns;
        if !ended_normally && is_between_runs && self.choices.pick(2) == 1 {
            self.take_all();
        }
    }

    fn goes_on(&self) -> bool {
        !self.is_stopped && !self.journal.has_failed
    }

    /// Lets receivers and faults act before the gateway's next step. Returns whether the gateway
    /// reaches it.
    fn step(&mut self) -> bool {
        if self.is_stopped {
            return false;
        }
        match self.scenario.receiver {
            Receiver::Immediate | Receiver::WithoutSync => self.take_all(),
            Receiver::AnyTime if self.choices.happens(4) => self.take_all(),
            Receiver::AnyTime | Receiver::BetweenRuns => {}
        }
        if self.arrivals_left > 0 && self.choices.happens(8) {
            self.put_in();
        }
        if self.scenario.receiver == Receiver::AnyTime && self.choices.happens(8) {
            self.journal.write_some(&mut self.choices);
        }
        if self.crashes_left > 0 && self.choices.happens(24) {
            self.crashes_left -= 1;
            self.crashed += 1;
            self.is_stopped = true;
            if self.choices.pick(2) == 1 {
                self.power_cut();
            } else {
                self.log(|| "the gateway is killed".into());
            }
        }
        !self.is_stopped
    }

    fn power_cut(&mut self) {
        self.disk.power_cut(&mut self.choices);
        self.log(|| format!("the power is cut: {:?}", self.disk));
    }

    /// Returns whether the next action fails.
    fn fails(&mut self) -> bool {
        let fails = self.failures_left > 0 && self.choices.happens(24);
        self.failures_left -= u8::from(fails);
        if fails {
            self.log(|| "the next action fails".into());
        }
        fails
    }

    /// Adds an input under a free name.
    fn put_in(&mut self) {
        let names = self.scenario.inputs.max(3);
        let name = |file| SimulatedPath { folder: INPUTS, file, form: Form::Plain };
        let first = match self.choices {
            Choices::Every { .. } => 0,
            Choices::Random(_) => self.choices.pick(usize::from(names)) as u8,
        };
        let mut all = (0..names).map(|place| name((first + place) % names));
        let Some(path) = all.find(|path| self.disk.contents(*path).is_none()) else { return };
        let number = self.arrivals.len() as u8;
        let is_duplicate =
            self.scenario.detects_duplicates && number > 0 && self.choices.happens(3);
        let contents = match is_duplicate {
            true => self.arrivals[self.choices.pick(self.arrivals.len())].contents,
            false => Contents::Whole(number),
        };
        self.arrivals_left -= 1;
        self.arrivals.push(Arrival { path, contents });
        self.disk.put_in(path, contents, u32::from(number) + 1);
        self.log(|| format!("{path:?} arrives, {contents:?}"));
    }

    /// Lets the receivers take away all visible files.
    fn take_all(&mut self) {
        for folder in 1..=self.scenario.systems {
            loop {
                let found = self.disk.names(folder).find(|path| path.form == Form::Plain);
                let Some(path) = found else { break };
                let contents = self.disk.contents(path).expect("it was found");
                self.log(|| format!("{path:?} is taken away, {contents:?}"));
                self.received.push((path, contents));
                self.disk.remove(path);
                if self.scenario.receiver != Receiver::WithoutSync {
                    self.disk.sync_folder(folder);
                }
            }
        }
    }

    fn target(&self, input: SimulatedPath, system: u8) -> SimulatedPath {
        SimulatedPath {
            folder: system,
            file: input.file / self.scenario.inputs_of_one_output,
            form: Form::Plain,
        }
    }

    /// Claims the outputs of an input. `None` if another job has one of them.
    fn claim(&mut self, input: SimulatedPath, contents: Contents) -> Option<Vec<SimulatedPath>> {
        if self.scenario.detects_duplicates && self.journal.knows(contents) {
            return Some(Vec::new());
        }
        let targets: Vec<SimulatedPath> =
            (1..=self.scenario.systems).map(|system| self.target(input, system)).collect();
        if targets.iter().any(|target| self.in_hand.contains(target)) {
            return None;
        }
        self.in_hand.extend(&targets);
        Some(targets)
    }

    /// Drops the claims when the committer ends: jobs that it did not note as finished are found
    /// unfinished.
    fn forget_claims(&mut self) {
        self.in_hand.clear();
        self.claims.clear();
        self.finished.clear();
    }

    /// Releases the outputs of finished jobs, like the gateway's committer.
    fn release_finished(&mut self) {
        for entry in std::mem::take(&mut self.finished) {
            while let Some(place) = self.claims.iter().position(|(claim, _)| *claim == entry) {
                let (_, outputs) = self.claims.swap_remove(place);
                self.in_hand.retain(|path| !outputs.contains(path));
            }
        }
    }

    /// Ends all faults.
    fn stop_faults(&mut self) {
        self.log(|| "nothing fails any more".into());
        (self.crashes_left, self.failures_left) = (0, 0);
        while self.arrivals_left > 0 {
            let left = self.arrivals_left;
            self.put_in();
            if self.arrivals_left == left {
                break;
            }
        }
        self.arrivals_left = 0;
    }

    fn is_done(&self) -> bool {
        let is_plain = |path: SimulatedPath| path.form == Form::Plain;
        !self.disk.names(INPUTS).any(is_plain)
            && self.journal.rows.iter().all(|row| row.is_finished)
    }

    /// Checks that everything was delivered once, and nothing is left.
    fn check(&self) -> Result<(), String> {
        if let Some((path, _)) =
            self.received.iter().find(|(_, contents)| *contents == Contents::Torn)
        {
            return Err(format!("{path:?} was received before it was complete"));
        }
        let mut originals: Vec<Contents> = Vec::new();
        for Arrival { contents, .. } in &self.arrivals {
            if !originals.contains(contents) {
                originals.push(*contents);
            }
        }
        for contents in &originals {
            for system in 1..=self.scenario.systems {
                let received = self
                    .received
                    .iter()
                    .filter(|(path, received)| path.folder == system && received == contents);
                let copies: Vec<SimulatedPath> = received.map(|(path, _)| *path).collect();
                let [path] = copies[..] else {
                    return Err(format!(
                        "{contents:?} was received {} times by system {system}",
                        copies.len()
                    ));
                };
                let mut inputs =
                    self.arrivals.iter().filter(|arrival| arrival.contents == *contents);
                if !inputs.any(|arrival| self.target(arrival.path, system) == path) {
                    return Err(format!("{contents:?} was received as {path:?}"));
                }
            }
        }
        let count =
            |has: fn(Form) -> bool| self.disk.names(INPUTS).filter(|path| has(path.form)).count();
        let marked = [
            count(|form| matches!(form, Form::Done(_))),
            count(|form| matches!(form, Form::Duplicate(_))),
        ];
        let expected = [originals.len(), self.arrivals.len() - originals.len()];
        if marked != expected {
            return Err(format!(
                "{marked:?} inputs are marked as done and as duplicates, not {expected:?}"
            ));
        }
        let duplicates = self.journal.rows.iter().filter(|row| row.is_duplicate).count();
        let journaled = [self.journal.rows.len() - duplicates, duplicates];
        if journaled != expected {
            return Err(format!(
                "{journaled:?} inputs are in the journal as done and as duplicates, not {expected:?}"
            ));
        }
        if let Some(row) = self.journal.rows.iter().find(|row| !row.is_finished) {
            return Err(format!("{:?} is not finished", row.input));
        }
        // If an input turns out to be a duplicate after it was processed, its outputs stay hidden.
        let is_of_duplicate = |left: SimulatedPath| {
            let row = |row: &journal::Row| {
                row.is_duplicate && self.target(row.input, left.folder).file == left.file
            };
            left.form == Form::Hidden && self.journal.rows.iter().any(row)
        };
        let mut outputs = (1..=self.scenario.systems).flat_map(|system| self.disk.names(system));
        match outputs.find(|path| !is_of_duplicate(*path)) {
            Some(path) => Err(format!("{path:?} is left")),
            None => Ok(()),
        }
    }
}
