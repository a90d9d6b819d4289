//! The protocol in a world where everything that can go wrong does, at every step: gateways are killed, power is cut,
//! writes fail, and receivers take files away while that happens.
//!
//! The protocol is the real one; disk, journal and the gateway around it are simulated. Short runs are explored wholly:
//! each step is where it stops, and what had not been synced is on the disk or not in all combinations. Longer ones
//! are drawn from a seed, which gives the same run always. At the end, when nothing fails any more, each input was seen
//! by each system once, whole; all inputs are marked; and the journal says the same.
//!
//! It is taken for granted that who puts an input in, and who takes an output away, syncs the folder: whoever does not
//! has what a power cut leaves him.

mod choices;
mod disk;
mod gateway;
mod journal;
mod tests;

use std::cell::RefCell;

use choices::Choices;
use disk::{Contents, Disk, Form, INPUTS, Path};
use gateway::Gateway;
use journal::Journal;

use ::journal::Entry;

/// Most runs that follow one another when nothing fails any more: outputs of one name wait for each other.
const LAST_RUNS_MAX: usize = 16;

/// What a run is like.
#[derive(Clone, Copy, Debug)]
struct Scenario {
    /// Files that are there at the start, and that come later.
    inputs: u8,
    later_inputs: u8,
    systems: u8,
    crashes: u8,
    failures: u8,
    /// Whether files with the same contents come, and are told apart.
    tells_duplicates: bool,
    /// How many inputs have outputs of one name.
    inputs_of_one_output: u8,
    receiver: Receiver,
    flaw: Option<Flaw>,
}

/// When files are taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    /// At once.
    Eager,
    /// When the gateway does not run.
    Patient,
    /// At any time.
    Moody,
    /// At once, and without syncing the folder.
    Careless,
}

/// A protocol that is not right, or a disk that is not: the simulation must see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    OutputsNotSynced,
    OutputFoldersNotSynced,
    InputsFolderNotSynced,
    FailedSyncTriedAgain,
    FailedSyncOfFolderTriedAgain,
    /// Those that somebody was interrupted in writing.
    HiddenFilesUsedAgain,
    DeliveredBeforeJournal,
    MarkedBeforeJournal,
    NothingDeliveredAtStart,
    InputNotLookedUp,
    /// Of jobs that may be in the journal after all.
    DoubtfulOutputsRemoved,
    /// Before the journal says that the job is finished that has it.
    NameUsedAgain,
}

/// An input that was put in.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    path: Path,
    contents: Contents,
}

/// The world, and what is known of it outside.
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
    received: Vec<(Path, Contents)>,
    /// The gateway's own memory: it goes with it.
    is_stopped: bool,
    has_unfinished: bool,
    /// The outputs of jobs in hand, and of those that the journal does not say to be finished.
    in_hand: Vec<Path>,
    claims: Vec<(Entry, Vec<Path>)>,
    finished: Vec<Entry>,
    /// Whether what happens is told.
    is_told: bool,
}

/// Simulates a run; returns the world at its end.
fn simulate(scenario: Scenario, choices: Choices, is_told: bool) -> Simulation {
    let world = RefCell::new(Simulation::new(scenario, choices, is_told));
    let runs = 1 + scenario.crashes + scenario.failures;
    (0..runs).for_each(|_| Gateway(&world).run());
    world.borrow_mut().calm();
    for _ in 0..LAST_RUNS_MAX {
        if world.borrow().is_done() {
            break;
        }
        world.borrow_mut().take_all();
        Gateway(&world).run();
    }
    // What is done stays done.
    world.borrow_mut().power_cut();
    Gateway(&world).run();
    world.borrow_mut().take_all();
    world.into_inner()
}

impl Simulation {
    fn new(scenario: Scenario, choices: Choices, is_told: bool) -> Self {
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
            is_told,
        };
        (0..scenario.inputs).for_each(|_| world.put_in());
        world.arrivals_left = scenario.later_inputs;
        world
    }

    fn say(&self, what: impl Fn() -> String) {
        if self.is_told {
            println!("  {}", what());
        }
    }

    /// A gateway starts.
    fn start(&mut self) {
        self.say(|| "a gateway starts".into());
        (self.is_stopped, self.has_unfinished) = (false, true);
        self.forget_claims();
    }

    /// It has ended, in order or not.
    fn end(&mut self) {
        let in_order = !self.is_stopped;
        self.is_stopped = true;
        self.journal.open_anew(in_order, self.scenario.tells_duplicates, &mut self.choices);
        if !in_order && self.scenario.receiver == Receiver::Patient && self.choices.pick(2) == 1 {
            self.take_all();
        }
    }

    fn goes_on(&self) -> bool {
        !self.is_stopped && !self.journal.has_failed
    }

    /// What others do before the gateway's next step; whether it comes to that.
    fn step(&mut self) -> bool {
        if self.is_stopped {
            return false;
        }
        match self.scenario.receiver {
            Receiver::Eager | Receiver::Careless => self.take_all(),
            Receiver::Moody if self.choices.happens(4) => self.take_all(),
            Receiver::Moody | Receiver::Patient => {}
        }
        if self.arrivals_left > 0 && self.choices.happens(8) {
            self.put_in();
        }
        if self.scenario.receiver == Receiver::Moody && self.choices.happens(8) {
            self.journal.write_some(&mut self.choices);
        }
        if self.crashes_left > 0 && self.choices.happens(24) {
            self.crashes_left -= 1;
            self.crashed += 1;
            self.is_stopped = true;
            if self.choices.pick(2) == 1 {
                self.power_cut();
            } else {
                self.say(|| "the gateway is killed".into());
            }
        }
        !self.is_stopped
    }

    fn power_cut(&mut self) {
        self.disk.power_cut(&mut self.choices);
        self.say(|| format!("the power is cut: {:?}", self.disk));
    }

    /// Whether what is done next fails.
    fn fails(&mut self) -> bool {
        let fails = self.failures_left > 0 && self.choices.happens(24);
        self.failures_left -= u8::from(fails);
        if fails {
            self.say(|| "what comes next fails".into());
        }
        fails
    }

    /// Somebody puts a file in, under a name that is free.
    fn put_in(&mut self) {
        let names = self.scenario.inputs.max(3);
        let name = |file| Path { folder: INPUTS, file, form: Form::Plain };
        let first = match self.choices {
            Choices::Every { .. } => 0,
            Choices::Random(_) => self.choices.pick(usize::from(names)) as u8,
        };
        let mut all = (0..names).map(|place| name((first + place) % names));
        let Some(path) = all.find(|path| self.disk.contents(*path).is_none()) else { return };
        let number = self.arrivals.len() as u8;
        let again = self.scenario.tells_duplicates && number > 0 && self.choices.happens(3);
        let contents = match again {
            true => self.arrivals[self.choices.pick(self.arrivals.len())].contents,
            false => Contents::Whole(number),
        };
        self.arrivals_left -= 1;
        self.arrivals.push(Arrival { path, contents });
        self.disk.put_in(path, contents, u32::from(number) + 1);
        self.say(|| format!("{path:?} comes, {contents:?}"));
    }

    /// The receivers take away all they see.
    fn take_all(&mut self) {
        for folder in 1..=self.scenario.systems {
            loop {
                let seen = self.disk.names(folder).find(|path| path.form == Form::Plain);
                let Some(path) = seen else { break };
                let contents = self.disk.contents(path).expect("it was found");
                self.say(|| format!("{path:?} is taken away, {contents:?}"));
                self.received.push((path, contents));
                self.disk.remove(path);
                if self.scenario.receiver != Receiver::Careless {
                    self.disk.sync_folder(folder);
                }
            }
        }
    }

    fn target(&self, input: Path, system: u8) -> Path {
        Path {
            folder: system,
            file: input.file / self.scenario.inputs_of_one_output,
            form: Form::Plain,
        }
    }

    /// The outputs of an input, unless another that is in hand has one of them.
    fn claim(&mut self, input: Path, contents: Contents) -> Option<Vec<Path>> {
        if self.scenario.tells_duplicates && self.journal.knows(contents) {
            return Some(Vec::new());
        }
        let targets: Vec<Path> =
            (1..=self.scenario.systems).map(|system| self.target(input, system)).collect();
        if targets.iter().any(|target| self.in_hand.contains(target)) {
            return None;
        }
        self.in_hand.extend(&targets);
        Some(targets)
    }

    /// A `Settler` has ended: what it did not have noted is found unfinished.
    fn forget_claims(&mut self) {
        self.in_hand.clear();
        self.claims.clear();
        self.finished.clear();
    }

    /// As that of `Settler`.
    fn has_finished(&mut self) {
        for entry in std::mem::take(&mut self.finished) {
            while let Some(place) = self.claims.iter().position(|(claim, _)| *claim == entry) {
                let (_, outputs) = self.claims.swap_remove(place);
                self.in_hand.retain(|path| !outputs.contains(path));
            }
        }
    }

    /// From here on nothing goes wrong.
    fn calm(&mut self) {
        self.say(|| "nothing fails any more".into());
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
        let is_plain = |path: Path| path.form == Form::Plain;
        !self.disk.names(INPUTS).any(is_plain)
            && self.journal.rows.iter().all(|row| row.is_finished)
    }

    /// Whether everything was delivered once, and nothing is left.
    fn check(&self) -> Result<(), String> {
        let wrong = |what: String| Err(what);
        if let Some((path, _)) =
            self.received.iter().find(|(_, contents)| *contents == Contents::Torn)
        {
            return wrong(format!("{path:?} was seen before it was whole"));
        }
        let mut originals: Vec<Contents> = Vec::new();
        for Arrival { contents, .. } in &self.arrivals {
            if !originals.contains(contents) {
                originals.push(*contents);
            }
        }
        for contents in &originals {
            for system in 1..=self.scenario.systems {
                let of = self
                    .received
                    .iter()
                    .filter(|(path, seen)| path.folder == system && seen == contents);
                let seen: Vec<Path> = of.map(|(path, _)| *path).collect();
                let [path] = seen[..] else {
                    return wrong(format!(
                        "{contents:?} was seen {} times by system {system}",
                        seen.len()
                    ));
                };
                let mut inputs =
                    self.arrivals.iter().filter(|arrival| arrival.contents == *contents);
                if !inputs.any(|arrival| self.target(arrival.path, system) == path) {
                    return wrong(format!("{contents:?} was seen as {path:?}"));
                }
            }
        }
        let count =
            |is: fn(Form) -> bool| self.disk.names(INPUTS).filter(|path| is(path.form)).count();
        let marked = [
            count(|form| matches!(form, Form::Done(_))),
            count(|form| matches!(form, Form::Duplicate(_))),
        ];
        let expected = [originals.len(), self.arrivals.len() - originals.len()];
        if marked != expected {
            return wrong(format!(
                "{marked:?} inputs are marked as done and as duplicates, not {expected:?}"
            ));
        }
        let duplicates = self.journal.rows.iter().filter(|row| row.is_duplicate).count();
        let journaled = [self.journal.rows.len() - duplicates, duplicates];
        if journaled != expected {
            return wrong(format!(
                "{journaled:?} inputs are in the journal as done and as duplicates, not {expected:?}"
            ));
        }
        if let Some(row) = self.journal.rows.iter().find(|row| !row.is_finished) {
            return wrong(format!("{:?} is not finished", row.input));
        }
        // What was made of an input that another of the same contents overtook stays hidden.
        let is_overtaken = |left: Path| {
            let row = |row: &journal::Row| {
                row.is_duplicate && self.target(row.input, left.folder).file == left.file
            };
            left.form == Form::Hidden && self.journal.rows.iter().any(row)
        };
        let mut outputs = (1..=self.scenario.systems).flat_map(|system| self.disk.names(system));
        match outputs.find(|path| !is_overtaken(*path)) {
            Some(path) => wrong(format!("{path:?} is left")),
            None => Ok(()),
        }
    }
}
