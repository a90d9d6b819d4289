//! `tollgate simulate calls`: makes calls of prepaid subscribers against a charging system.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use ::simulate::calls::{Counts, Front, FrontError, Load, Report, simulate};
use prepaid::{Definition, Queue, System, upkeep};
use runtime::shutdown::Shutdown;
use serde_json::json;

use super::fronts::{HttpFront, InProcess};
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::progress::Progress;

/// Arguments of `tollgate simulate calls`.
#[derive(Debug, clap::Args)]
pub(crate) struct Calls {
    /// Where networks reach the charging system: http://127.0.0.1:8090. With several, requests go to each in turn, and to
    /// the next one where there is no answer
    #[arg(long, conflicts_with = "charging")]
    url: Vec<String>,
    /// A file with the token of a client
    #[arg(long, requires = "url")]
    token_file: Option<PathBuf>,
    /// Open the charging system of this definition in this process, in place of --url
    #[arg(long, value_name = "FILE")]
    charging: Option<PathBuf>,
    /// The first number of the subscribers
    #[arg(long, default_value_t = 46_701_000_000)]
    first_number: u64,
    /// How many subscribers there are, in a row
    #[arg(long, default_value_t = 1_000)]
    subscribers: u32,
    /// Attempts: 17 % inquiries, 28 % calls without an answer, 50 % calls, 5 % with too little money
    #[arg(long, default_value_t = 10_000)]
    attempts: u64,
    /// Attempts under way at once
    #[arg(long, default_value_t = 32)]
    at_once: usize,
    /// Requests in the middle of a call
    #[arg(long, default_value_t = 2)]
    intermediates: u32,
    /// The price of a second of a call to 46812345678, as the plan has it: without set-up, and for each second
    #[arg(long, default_value = "0.01")]
    second: String,
    /// Share of requests that are sent twice
    #[arg(long, default_value_t = 0.01)]
    repeated: f64,
    /// Seconds to try again where the charging system does not answer
    #[arg(long, default_value_t = 10)]
    patience: u64,
    /// The same seed makes the same calls, in sessions of their own. Without, each run makes others
    #[arg(long)]
    seed: Option<u64>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Calls {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let load = self.load()?;
        let report = match (&self.url[..], &self.charging) {
            (urls @ [_, ..], _) => self.over_http(&load, urls)?,
            ([], Some(path)) => in_process(&load, path.clone())?,
            ([], None) => {
                let text = "give --url of a charging system, or --charging with its definition";
                return Err(CommandError::Mistakes(text.to_owned()));
            }
        };
        show(report, self.json)
    }

    fn load(&self) -> Result<Load, CommandError> {
        let second = rating::decimal(&self.second).ok().and_then(|nanos| i64::try_from(nanos).ok());
        let no_price = || CommandError::Mistakes(format!("\"{}\" is no price", self.second));
        let now = runtime::time::since_epoch_ns(SystemTime::now()).unsigned_abs();
        Ok(Load {
            first_number: self.first_number,
            subscribers: self.subscribers,
            attempts: self.attempts,
            at_once: self.at_once,
            intermediates: self.intermediates,
            second: second.ok_or_else(no_price)?,
            repeated: self.repeated,
            seed: self.seed.unwrap_or(now),
            run: format!("{now:x}"),
        })
    }

    fn over_http(&self, load: &Load, urls: &[String]) -> Result<Report, CommandError> {
        let token = self.token_file.as_ref().map(|path| {
            let read = std::fs::read_to_string(path);
            let read = read.map_err(|cause| CommandError::Read { path: path.clone(), cause })?;
            Ok::<String, CommandError>(read.trim_end().to_owned())
        });
        let token = token.transpose()?;
        let patience = Duration::from_secs(self.patience);
        watched(load, || Ok(HttpFront::new(urls, token.as_deref(), patience)))
    }
}

/// Simulates a load, and shows how far it is.
fn watched<F: Front>(
    load: &Load,
    front: impl Fn() -> Result<F, FrontError> + Sync,
) -> Result<Report, CommandError> {
    let (_progress, done) = Progress::of(load.attempts, "attempts are made");
    simulate(load, front, |attempt| done.set(attempt)).map_err(refused)
}

/// Simulates a load against a charging system in this process.
fn in_process(load: &Load, path: PathBuf) -> Result<Report, CommandError> {
    let definition = Definition::read(&path).map_err(|mistakes| {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        CommandError::Mistakes(mistakes.join("\n\n"))
    })?;
    let system = System::open(definition).map_err(refused)?;
    let workers = thread::available_parallelism().map_or(2, |count| count.get().max(2));
    let (queue, stop) = (Queue::new(workers), Shutdown::default());
    thread::scope(|scope| {
        let _end = stop.set_on_drop();
        queue.work(scope, &system, &stop).map_err(refused)?;
        let (kept_up, end) = (&system, stop.clone());
        scope.spawn(move || upkeep(kept_up, &end));
        watched(load, || Ok(InProcess { queue: &queue, system: &system }))
    })
}

fn show(mut report: Report, is_json: bool) -> Result<Outcome, CommandError> {
    let seconds = report.elapsed.as_secs_f64().max(1e-9);
    let (requests, rate) = (report.requests(), report.requests() as f64 / seconds);
    let waits = [0.5, 0.99].map(|share| report.wait(share).as_secs_f64() * 1_000.0);
    let Report { counts, cost, taken, faults, fault_count, .. } = &report;
    let Counts { inquiries, without_answer, calls, cut, refused, repeated, failed } = *counts;
    if is_json {
        let object = json!({
            "inquiries": inquiries, "without_answer": without_answer, "calls": calls, "cut": cut,
            "refused": refused, "repeated": repeated, "failed": failed, "requests": requests,
            "seconds": seconds, "wait_ms_p50": waits[0], "wait_ms_p99": waits[1],
            "cost": cost.to_string(), "taken": taken.to_string(), "faults": fault_count,
        });
        json::line(&mut output::lines(), &object)?;
    } else {
        say!("inquiries               {inquiries}")?;
        say!("calls without an answer {without_answer}")?;
        say!("calls                   {calls}")?;
        say!("calls cut for money     {cut}")?;
        say!("calls refused for money {refused}")?;
        say!("requests sent twice     {repeated}")?;
        say!()?;
        say!("{requests} requests in {seconds:.1} s: {rate:.0} a second")?;
        say!("answered within {:.1} ms (half), {:.1} ms (99 %)", waits[0], waits[1])?;
        say!()?;
        let [cost, taken] = [*cost, *taken].map(decimal);
        say!("the calls cost {cost}, and the balances have {taken} less")?;
    }
    for fault in faults {
        tell!("{fault}");
    }
    if *fault_count == 0 {
        return Ok(Outcome::Clean);
    }
    tell!(
        "{fault_count} answers or balances are wrong; if the tariff has another price, give it with --second"
    );
    Ok(Outcome::Faults)
}

/// Returns an amount in billionths as a decimal, without zeros at its end.
fn decimal(nanos: i128) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let (whole, part) =
        (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    let part = format!("{part:09}");
    let part = part.trim_end_matches('0');
    let point = if part.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        for (nanos, text) in
            [(0, "0"), (12_340_000_000, "12.34"), (-1, "-0.000000001"), (5_000_000_000, "5")]
        {
            assert_eq!(decimal(nanos), text);
        }
    }
}
