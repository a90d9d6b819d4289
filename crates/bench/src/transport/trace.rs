//! Measures the example's records with a trace and without one, and in a flow that does nothing with them. It measures
//! processor time: the effect is smaller than the noise of other processes in elapsed time.

use std::fs;
use std::path::Path;

use crate::error::BenchError;
use crate::folder::make_journal;
use crate::measure::{Results, processor_time};
use crate::product::Product;
use crate::work::{SCRIPTED, Work, run};

/// The setting that turns the trace off.
const OFF: &str = "\n[trace]\nenabled = false\n";

pub(super) fn measure(
    product: &Product,
    folder: &Path,
    (octets, rounds): (u64, u32),
    found: &mut Results,
) -> Result<(), BenchError> {
    (product.stage)(&format!("simulating {} MB of records", octets / 1_000_000));
    let work = Work::new(folder, octets)?;
    let flows = [SCRIPTED, "plain.toml"];
    let texts = flows.map(|flow| fs::read_to_string(folder.join(flow)));
    let mut rows = [
        work.row("the example, 1 thread, untraced"),
        work.row("the example, 1 thread, traced"),
        work.row("no scripts, 1 thread, untraced"),
        work.row("no scripts, 1 thread, traced"),
    ];
    for round in 1..=rounds {
        (product.stage)(&format!("round {round} of {rounds}"));
        let mut variants: Vec<_> = rows.iter_mut().enumerate().collect();
        if round % 2 == 0 {
            variants.reverse();
        }
        for (place, row) in variants {
            let (flow, is_traced) = (flows[place / 2], place % 2 == 1);
            let text = texts[place / 2].as_ref().map_err(|error| error.kind());
            let text = text.map_err(std::io::Error::from)?;
            let end = if is_traced { "" } else { OFF };
            fs::write(folder.join(flow), format!("{text}{end}"))?;
            work.inputs()?;
            make_journal(product, folder, flow)?;
            let before = processor_time()?;
            run(&folder.join(flow), product.parts, 1)?;
            row.took(processor_time()?.saturating_sub(before));
        }
    }
    let [scripted, scripted_traced, plain, plain_traced] = &rows;
    found.ratios.push(("trace_over_plain".into(), scripted_traced.over_in_turn(scripted)));
    found.ratios.push(("trace_over_plain_no_scripts".into(), plain_traced.over_in_turn(plain)));
    found.rows.extend(rows);
    Ok(())
}
