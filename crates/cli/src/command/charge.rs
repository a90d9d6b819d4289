//! `tollgate charge`: runs a charging system, checks its definition, and shows its figures.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use operate::prepaid::calls::{ChargingFigures, ShowCharging};
use prepaid::{Definition, Queue, System, answer_calls, upkeep};
use runtime::file_watch::FileWatch;
use runtime::shutdown::Shutdown;
use serde_json::json;

use crate::execute::Execute;
use crate::interrupt::interrupted;
use crate::json;
use crate::logging::{self, FilesDone};
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome, chain, refused};
use crate::output;
use crate::table::{Column, Table, cell, number, text};

/// Run and check a charging system for prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "charge")]
pub(crate) enum Charge {
    /// Run a charging system, until it is interrupted
    #[command(after_help = "Example:\n  tollgate charge run charging.toml")]
    Run(Defined),
    /// Check a definition with its tariff, and change nothing
    #[command(after_help = "Example:\n  tollgate charge check charging.toml")]
    Check(Defined),
    /// Show how many accounts and sessions there are, and the account of every amount
    #[command(after_help = "Example:\n  tollgate charge show charging.toml")]
    Show(Defined),
}

/// The definition of a command.
#[derive(Debug, clap::Args)]
pub(crate) struct Defined {
    /// The definition
    #[arg(
        value_name = "CHARGING",
        env = "TOLLGATE_CHARGING",
        hide_env_values = true,
        default_value = "charging.toml"
    )]
    definition: PathBuf,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Charge {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        if !matches!(self, Charge::Run(_)) {
            logging::console();
        }
        match self {
            Charge::Run(defined) => run(&defined),
            Charge::Check(defined) => check(&defined),
            Charge::Show(defined) => show(&defined),
        }
    }
}

fn read(defined: &Defined) -> Result<Definition, CommandError> {
    Definition::read(&defined.definition).map_err(|mistakes| {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        CommandError::Mistakes(mistakes.join("\n\n"))
    })
}

fn check(defined: &Defined) -> Result<Outcome, CommandError> {
    let definition = read(defined)?;
    let plans: Vec<&str> = definition.charging.plans.all().map(|plan| plan.name()).collect();
    let listen = definition.http.as_ref().map(|http| http.listen.to_string());
    match defined.json {
        true => json::line(
            &mut output::lines(),
            &json!({"plans": plans, "currency": definition.currency.code(), "http": listen}),
        )?,
        false => {
            say!("plans:    {} ({})", plans.join(", "), definition.currency.code())?;
            say!("networks: {}", listen.as_deref().unwrap_or("no [http] in the definition"))?;
            say!("state:    {}", definition.state.display())?;
        }
    }
    Ok(Outcome::Clean)
}

fn run(defined: &Defined) -> Result<Outcome, CommandError> {
    let stop = interrupted()?;
    let definition = read(defined)?;
    logging::start(FilesDone::OnlyInFiles, None)?;
    let (state, http) = (definition.state.clone(), definition.http.clone());
    let files = definition.files.clone();
    let read_at = SystemTime::now();
    let system = Arc::new(System::open(definition).map_err(refused)?);
    let queue = Arc::new(Queue::default());
    let workers = thread::available_parallelism().map_or(2, |count| count.get().max(2));
    let end_of_work = Shutdown::default();
    thread::scope(|scope| {
        // Workers end after the servers, so that each request is answered.
        let _end = end_of_work.set_on_drop();
        queue.work(scope, &system, (workers, &end_of_work)).map_err(refused)?;
        answer_calls(scope, (&system, &state), &end_of_work).map_err(refused)?;
        let (kept_up, end) = (&system, end_of_work.clone());
        scope.spawn(move || upkeep(kept_up, &end));
        let network = http.as_ref().map(|http| {
            serve::start_network(http, Arc::clone(&system), Arc::clone(&queue)).map_err(refused)
        });
        let network = network.transpose()?;
        match &network {
            Some(server) => tell!("charging; networks reach it at http://{}", server.address),
            None => tell!("charging; no network reaches it, since the definition has no [http]"),
        }
        follow(&system, (defined, files, read_at), &stop);
        drop(network);
        Ok(Outcome::Clean)
    })
}

/// Waits for the stop. When a file of the definition changes, the system goes by it from then on, if it has no mistakes.
fn follow(
    system: &System,
    (defined, mut files, mut read_at): (&Defined, Vec<PathBuf>, SystemTime),
    stop: &Shutdown,
) {
    let mut watch = FileWatch::new(files.clone(), read_at);
    while !stop.wait(Duration::from_millis(100)) {
        if !watch.changed().load(std::sync::atomic::Ordering::Relaxed) {
            continue;
        }
        read_at = SystemTime::now();
        match read(defined) {
            Ok(definition) => {
                files = definition.files.clone();
                match system.replace(definition) {
                    Ok(()) => {
                        tracing::info!(target: "charging", "the changed definition is in use")
                    }
                    Err(why) => {
                        let why = chain(&why);
                        tracing::error!(target: "charging", "the definition stays as it was: {why}");
                    }
                }
            }
            Err(mistakes) => {
                tracing::error!(target: "charging", "the definition stays as it was:\n{mistakes}");
            }
        }
        watch = FileWatch::new(files.clone(), read_at);
    }
}

const BALANCES: [Column; 3] = [text("what"), text("unit"), number("amount")];

fn show(defined: &Defined) -> Result<Outcome, CommandError> {
    let figures = charge(&defined.definition, ShowCharging {})?;
    if defined.json {
        json::line(&mut output::lines(), &figures)?;
        return Ok(outcome(&figures));
    }
    say!("accounts:      {}", figures.accounts)?;
    say!("numbers:       {}", figures.numbers)?;
    say!("open sessions: {}", figures.open_sessions)?;
    say!("")?;
    let mut table = Table::report(crate::progress::Aside(std::io::stdout()), &BALANCES);
    for balance in &figures.balances {
        let unit = match balance.unit.word() {
            "money" => figures.currency.as_str(),
            unit => unit,
        };
        table.row([cell(&balance.of), cell(unit), cell(&balance.amount)])?;
    }
    table.end()?;
    say!("")?;
    match figures.balanced {
        true => say!("the sum of each unit is zero")?,
        false => say!("THE SUM OF A UNIT IS NOT ZERO")?,
    }
    Ok(outcome(&figures))
}

fn outcome(figures: &ChargingFigures) -> Outcome {
    if figures.balanced { Outcome::Clean } else { Outcome::Faults }
}
