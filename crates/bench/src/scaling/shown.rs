//! Prints the results, as tables or as one JSON object.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Measured, ScalingResults, Simulated, Sort};

impl ScalingResults {
    pub(super) fn show(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if json {
            return writeln!(out, "{}", self.json());
        }
        writeln!(
            out,
            "{:<36} {:>11} {:>6} {:>6} {:>8} {:>8} {:>10} {:>8} {:>12} {:>10}",
            "measured",
            "records/s",
            "MB/s",
            "load",
            "waiting",
            "waits",
            "preempted",
            "faults",
            "allocations",
            "begins, ms"
        )?;
        self.measured.iter().try_for_each(|one| show_measured(one, out))?;
        writeln!(
            out,
            "load: threads that computed or were ready to; waiting: those of them without a processor"
        )?;
        writeln!(
            out,
            "waits (for locks and all else), preempted, faults, allocations: of 1,000 records"
        )?;
        writeln!(
            out,
            "\n{:<36} {:>11} {:>6} {:>11}",
            "simulated", "records/s", "load", "processors"
        )?;
        self.simulated.iter().try_for_each(|one| show_simulated(one, out))?;
        writeln!(out)?;
        for (name, ratio) in &self.ratios {
            writeln!(out, "{name:<36} {ratio:>11.3}")?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let rounded = |ratio: f64| (ratio * 1000.0).round() / 1000.0;
        let ratios = self.ratios.iter().map(|(name, ratio)| (name.clone(), rounded(*ratio).into()));
        json!({
            "bench": "scaling",
            "machine": { "architecture": std::env::consts::ARCH, "processors": self.processors },
            "rows": self.measured.iter().map(Measured::json).collect::<Vec<_>>(),
            "simulated": self.simulated.iter().map(Simulated::json).collect::<Vec<_>>(),
            "ratios": ratios.collect::<serde_json::Map<_, _>>(),
        })
    }
}

fn show_measured(one: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let figure = |figure: Option<f64>| figure.map_or("-".into(), |figure| format!("{figure:.2}"));
    let counted = &one.counted;
    let of = |count| format!("{:.3}", one.per_thousand(count));
    writeln!(
        out,
        "{:<36} {:>11.0} {:>6.0} {:>6} {:>8} {:>8} {:>10} {:>8} {:>12} {:>10}",
        one.row.name,
        one.row.records_per_second(),
        one.row.megabytes_per_second(),
        figure(one.load.map(|load| load.ready)),
        figure(one.load.map(|load| load.waiting)),
        of(counted.waits),
        of(counted.preempted),
        of(counted.faults),
        one.allocations().map_or("-".into(), of),
        one.begins.as_millis()
    )
}

fn show_simulated(one: &Simulated, out: &mut dyn Write) -> io::Result<()> {
    let Simulated { name, processors, records_per_second, load, .. } = one;
    writeln!(out, "{name:<36} {records_per_second:>11.0} {load:>6.2} {processors:>11}")
}

impl Measured {
    /// Returns the allocations, if all the work was done in this process.
    fn allocations(&self) -> Option<u64> {
        let is_here = matches!(self.sort, Sort::Chosen | Sort::Crew { processes: 1, .. });
        self.counted.allocations.filter(|_| is_here)
    }

    fn json(&self) -> Value {
        json!({
            "name": self.row.name,
            "records_per_second": self.row.records_per_second().round(),
            "megabytes_per_second": self.row.megabytes_per_second().round(),
            "load": self.load.map(|load| load.ready),
            "waiting": self.load.map(|load| load.waiting),
            "waits": self.counted.waits,
            "preempted": self.counted.preempted,
            "faults": self.counted.faults,
            "allocations": self.allocations(),
            "begins_seconds": self.begins.as_secs_f64(),
        })
    }
}

impl Simulated {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "processors": self.processors,
            "records_per_second": self.records_per_second.round(),
            "load": self.load,
        })
    }
}
