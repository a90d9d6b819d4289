//! Rows of measurements, and their output.

use std::fs;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// A kind of work and its rounds.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) records: u64,
    pub(super) octets: u64,
    /// The fastest round.
    pub(super) elapsed: Duration,
    rounds: Vec<Duration>,
}

impl Row {
    pub(super) fn new(name: impl Into<String>, records: u64, octets: u64) -> Self {
        Row { name: name.into(), records, octets, elapsed: Duration::MAX, rounds: Vec::new() }
    }

    /// Runs and times the work. Other load only makes a round slower, so the fastest round counts.
    pub(super) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        self.took(start.elapsed());
        result
    }

    /// Adds a round that took `elapsed`.
    pub(super) fn took(&mut self, elapsed: Duration) {
        self.elapsed = self.elapsed.min(elapsed);
        self.rounds.push(elapsed);
    }

    /// Returns whether anything was measured.
    pub(super) fn has_rounds(&self) -> bool {
        !self.rounds.is_empty()
    }

    /// Returns how many times as fast this row is as another, per record.
    pub(super) fn over(&self, other: &Row) -> f64 {
        self.records_per_second() / other.records_per_second()
    }

    /// Returns how many times as fast this row is as another whose rounds took turns with these: the median of the
    /// ratios of each pair of rounds. A slow spell of the machine affects both rounds of a pair, and one odd round
    /// counts no more than any other. Every other pair ran in the reverse order, and each order counts half, so that
    /// the order does not matter.
    pub(super) fn over_in_turn(&self, other: &Row) -> f64 {
        let of_rounds = self.rounds.iter().zip(&other.rounds);
        let of_round = |(ours, theirs): (&Duration, &Duration)| theirs.div_duration_f64(*ours);
        let ratios: Vec<f64> = of_rounds.map(of_round).collect();
        let of_order = |first: usize| ratios.iter().skip(first).step_by(2).copied().collect();
        let orders: Vec<f64> = (0..2).filter_map(|first| median(of_order(first))).collect();
        let mean = orders.iter().sum::<f64>() / orders.len() as f64;
        mean * self.records as f64 / other.records as f64
    }

    pub(super) fn records_per_second(&self) -> f64 {
        self.records as f64 / self.elapsed.as_secs_f64()
    }

    pub(super) fn megabytes_per_second(&self) -> f64 {
        self.octets as f64 / 1e6 / self.elapsed.as_secs_f64()
    }
}

/// The results of a benchmark.
pub(super) struct Results {
    pub(super) bench: &'static str,
    pub(super) rows: Vec<Row>,
    pub(super) ratios: Vec<(String, f64)>,
}

impl Results {
    /// Prints the results, as a table or as one JSON object.
    pub(super) fn show(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if json {
            return writeln!(out, "{}", self.json());
        }
        let names =
            self.rows.iter().map(|row| &row.name).chain(self.ratios.iter().map(|(name, _)| name));
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        writeln!(out, "{:<width$} {:>12} {:>9} {:>11}", "", "records/s", "MB/s", "ns/record")?;
        for row in &self.rows {
            let nanoseconds = row.elapsed.as_nanos() as f64 / row.records as f64;
            let (records, megabytes) = (row.records_per_second(), row.megabytes_per_second());
            writeln!(
                out,
                "{:<width$} {records:>12.0} {megabytes:>9.0} {nanoseconds:>11.0}",
                row.name
            )?;
        }
        writeln!(out)?;
        for (name, ratio) in &self.ratios {
            writeln!(out, "{name:<width$} {ratio:>12.3}")?;
        }
        Ok(())
    }

    fn json(&self) -> String {
        let row = |row: &Row| {
            serde_json::json!({
                "name": row.name,
                "records_per_second": row.records_per_second().round(),
                "megabytes_per_second": row.megabytes_per_second().round(),
            })
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let rounded = |ratio: f64| (ratio * 1000.0).round() / 1000.0;
        let ratios: serde_json::Map<String, serde_json::Value> = self
            .ratios
            .iter()
            .map(|(name, ratio)| (name.clone(), rounded(*ratio).into()))
            .collect();
        serde_json::json!({
            "bench": self.bench,
            "machine": { "architecture": std::env::consts::ARCH, "processors": processors },
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "ratios": ratios,
        })
        .to_string()
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some((values[last / 2] + values[last.div_ceil(2)]) / 2.0)
}

/// Returns the processor time of this process, in user and system mode.
pub(super) fn processor_time() -> io::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let of = |time: nix::sys::time::TimeVal| {
        Duration::new(time.tv_sec() as u64, time.tv_usec() as u32 * 1000)
    };
    Ok(of(usage.user_time()) + of(usage.system_time()))
}

/// Returns the memory of the process that is in use.
pub(super) fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(resident.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(records: u64, milliseconds: &[u64]) -> Row {
        let mut row = Row::new("", records, 0);
        milliseconds.iter().for_each(|took| row.took(Duration::from_millis(*took)));
        row
    }

    #[test]
    fn rounds_in_turn_are_compared_two_by_two() {
        let ratio = |ours: &[u64], theirs: &[u64]| row(10, ours).over_in_turn(&row(10, theirs));
        assert_eq!(ratio(&[100], &[50]), 0.5);
        // The machine was slow for a while, and one round is odd.
        assert_eq!(ratio(&[100, 400, 400, 100, 100], &[50, 200, 200, 50, 900]), 0.5);
        // The first is faster by as much as the second is slower, in three rounds of one order and two of the other.
        assert_eq!(ratio(&[100, 200, 100, 200, 100], &[200, 100, 200, 100, 200]), 1.25);
        assert_eq!(row(20, &[100]).over_in_turn(&row(10, &[100])), 2.0);
    }
}
