//! Measures the cost of a process that is killed in the middle of its work.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use gateway::RunOptions;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::kernel::busiest_processing;
use super::work::ScalingWork;
use crate::error::BenchError;
use crate::product::Product;

/// The number of processes, with one thread each.
const PROCESSES: usize = 2;

/// Returns how many seconds longer a run takes if one of its processes is killed, in seconds of that process's share of
/// the work. The fastest rounds with a kill and without count.
pub(super) fn seconds(
    product: &Product,
    work: &ScalingWork,
    flow: &Path,
    rounds: u32,
) -> Result<f64, BenchError> {
    let (mut whole, mut killed) = (Duration::MAX, Duration::MAX);
    for round in 1..=rounds {
        (product.stage)(&format!("a process is killed: round {round} of {rounds}"));
        whole = whole.min(run(product, work, flow, None)?);
        killed = killed.min(run(product, work, flow, Some(whole / 2))?);
    }
    Ok((killed.as_secs_f64() - whole.as_secs_f64()) * PROCESSES as f64)
}

/// Returns how long a run takes. After `kill_after`, the process that has computed longest is killed.
fn run(
    product: &Product,
    work: &ScalingWork,
    flow: &Path,
    kill_after: Option<Duration>,
) -> Result<Duration, BenchError> {
    work.anew()?;
    let options = RunOptions {
        processes: PROCESSES,
        workers: 1,
        program: product.process.clone(),
        ..RunOptions::once()
    };
    let begun = Instant::now();
    let (ended, has_ended) = channel::<()>();
    let report = thread::scope(|scope| {
        if let Some(after) = kill_after {
            scope.spawn(move || {
                if has_ended.recv_timeout(after) == Err(RecvTimeoutError::Timeout)
                    && let Some(child) = busiest_processing()
                {
                    let _ = kill(Pid::from_raw(child.cast_signed()), Signal::SIGKILL);
                }
            });
        }
        let report = gateway::run(flow, product.parts, &options);
        drop(ended);
        report
    });
    let elapsed = begun.elapsed();
    work.delivered_all(&report?)?;
    Ok(elapsed)
}
