//! Whether the flow slows down while a day of an index of keys is deleted and reports are made.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ::simulate::fraud::Options;
use runtime::time::now_ms;

use super::{Case, LARGE, Work};
use crate::error::BenchError;
use crate::measure::{Results, Row};
use crate::product::Product;

/// The files that are judged meanwhile, as a share of those of the day.
const SHARE: u32 = 5;

/// A report is made so often.
const REPORTED_EVERY: Duration = Duration::from_secs(1);

/// Measures files that are judged alone, and while a day of so many events is deleted and a report of 30 days is made each second.
pub(super) fn measure(
    product: &Product,
    folder: &Path,
    (events, rounds): (u32, u32),
    found: &mut Results,
) -> Result<(), BenchError> {
    let files = (events / LARGE).max(1);
    (product.stage)(&format!("a day of {} events", files * LARGE));
    let options = Options { files, events: LARGE, a_second: 1_000.0, ..Options::default() };
    let day = Work::new(&folder.join("day"), Case::Indexed, &options)?;
    day.run(product, 2)?;
    fs::remove_dir_all(day.folder.join("in"))?;
    let today = Options {
        files: (files / SHARE).max(1),
        seed: 2,
        start_second: (now_ms() / 1_000) as u64 - 3_600,
        ..options
    };
    let more = Work::new(&folder.join("more"), Case::Indexed, &today)?;
    let row = |name: &str| Row::new(name, more.events, 0);
    let mut rows = [row("beside nothing"), row("beside a day that is deleted, and reports")];
    for round in 0..rounds {
        (product.stage)(&format!("round {} of {rounds}, deletion", round + 1));
        for place in 0..rows.len() {
            let place = (place + round as usize) % rows.len();
            let work = Work { folder: folder.join("work"), events: more.events };
            copy((&day.folder, &work.folder), "")?;
            // No file has the name of one that was processed.
            copy((&more.folder.join("come"), &work.folder.join("in")), "today-")?;
            let took = match place {
                0 => work.judge(product, 1)?,
                _ => beside_deletion(product, &work)?,
            };
            rows[place].took(took);
            fs::remove_dir_all(&work.folder)?;
        }
    }
    let [alone, beside] = &rows;
    found.ratios.push(("delete_over_idle".to_owned(), beside.over_in_turn(alone)));
    found.rows.extend(rows);
    Ok(())
}

/// Judges files while the day is deleted, which is too old now, and a report is made again and again.
fn beside_deletion(product: &Product, work: &Work) -> Result<Duration, BenchError> {
    let flow = fs::read_to_string(work.flow())?.replace("\"100000 days\"", "\"30 days\"");
    fs::write(work.flow(), flow)?;
    let before = octets(&work.folder.join("flow.state/fraud"))?;
    let is_over = AtomicBool::new(false);
    let took = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let mut report = Command::new(&product.executable);
                report.args(["fraud", "report"]).arg(work.flow());
                // A report that fails takes no time: the result is not better for it.
                let _ = report.stdout(Stdio::null()).stderr(Stdio::null()).status();
                thread::sleep(REPORTED_EVERY);
            }
        });
        let took = work.judge(product, 1);
        is_over.store(true, Ordering::Relaxed);
        took
    })?;
    if octets(&work.folder.join("flow.state/fraud"))? > before / 2 {
        return Err(BenchError::Wrong("the day is not deleted"));
    }
    Ok(took)
}

/// Copies a folder with all that is in it. The names of files begin with a prefix then.
fn copy((from, to): (&Path, &Path), prefix: &str) -> Result<(), BenchError> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            copy((&path, &to.join(name)), prefix)?;
        } else if path.is_file() {
            fs::copy(&path, to.join(format!("{prefix}{}", name.display())))?;
        }
    }
    Ok(())
}

/// Returns the octets of all files of a folder.
fn octets(folder: &Path) -> Result<u64, BenchError> {
    let mut octets = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        octets += if path.is_dir() { self::octets(&path)? } else { path.metadata()?.len() };
    }
    Ok(octets)
}
