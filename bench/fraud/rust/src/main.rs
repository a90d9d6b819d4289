//! The rules of `examples/fraud` without Tollgate: by hand, and as queries of SQLite. Each has one thread.
//!
//! - `fraud-rules events FOLDER JUDGED FILE` decodes the files of switches in a folder, and writes their events to a file.
//! - `fraud-rules hand FILE ALERTS` judges the events of such a file, which are in memory before the clock starts.
//! - `fraud-rules hand-files FOLDER JUDGED ALERTS` reads, decodes and judges the files of switches.
//! - `fraud-rules sql FILE ALERTS EVENTS` asks SQLite, for so many of the first events.
//!
//! `JUDGED` is `indications` if rules are about these, or `all`. The three that judge write one alert a line, and print how many
//! events there were and how long they took.

mod alert;
mod by_hand;
mod clock;
mod event;
mod sql;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use alert::Alert;
use by_hand::Judgement;
use clock::Clock;
use event::{Event, Judged};

type Answer<T> = Result<T, Box<dyn Error>>;

fn main() -> Answer<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["events", folder, judged, file] => {
            let events = decoded(&files(Path::new(folder))?, Judged::named(judged)?)?;
            fs::write(file, event::packed(&events))?;
        }
        ["hand", file, alerts] => hand(&event::unpacked(&fs::read(file)?), Path::new(alerts))?,
        ["hand-files", folder, judged, alerts] => {
            let judged = Judged::named(judged)?;
            hand_files(&files(Path::new(folder))?, judged, Path::new(alerts))?;
        }
        ["sql", file, alerts, count] => {
            let events = event::unpacked(&fs::read(file)?);
            let count = events.len().min(count.parse()?);
            let (found, took) = sql::judge(&events[..count])?;
            finish(count, &found, (took, Path::new(alerts)))?;
        }
        _ => return Err("usage: fraud-rules events|hand|hand-files|sql …: see its source".into()),
    }
    Ok(())
}

/// Judges events in memory: once to warm up, and once that counts.
fn hand(events: &[Event], alerts: &Path) -> Answer<()> {
    judge(events);
    let clock = Clock::start();
    let judgement = judge(events);
    finish(events.len(), &judgement.alerts, (clock.took(), alerts))
}

fn judge(events: &[Event]) -> Judgement {
    let mut judgement = Judgement::default();
    events.iter().for_each(|event| judgement.take(event));
    judgement
}

/// Reads, decodes and judges files.
fn hand_files(files: &[PathBuf], judged: Judged, alerts: &Path) -> Answer<()> {
    let clock = Clock::start();
    let (mut judgement, mut count) = (Judgement::default(), 0);
    for file in files {
        for event in event::decode(&fs::read(file)?, judged) {
            judgement.take(&event?);
            count += 1;
        }
    }
    finish(count, &judgement.alerts, (clock.took(), alerts))
}

/// Returns the files of all switches, in the order of their names, which is that of time.
fn files(folder: &Path) -> Answer<Vec<PathBuf>> {
    let mut files = Vec::new();
    for switch in fs::read_dir(folder)? {
        for file in fs::read_dir(switch?.path())? {
            files.push(file?.path());
        }
    }
    files.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    Ok(files)
}

fn decoded(files: &[PathBuf], judged: Judged) -> Answer<Vec<Event>> {
    let mut events = Vec::new();
    for file in files {
        for event in event::decode(&fs::read(file)?, judged) {
            events.push(event?);
        }
    }
    Ok(events)
}

fn finish(events: usize, alerts: &[Alert], (took, file): (clock::Took, &Path)) -> Answer<()> {
    let lines: String = alerts.iter().map(|alert| format!("{alert}\n")).collect();
    fs::write(file, lines)?;
    let clock::Took { seconds, processor_seconds } = took;
    println!(
        "{{\"events\":{events},\"seconds\":{seconds},\"processor_seconds\":{processor_seconds}}}"
    );
    Ok(())
}
