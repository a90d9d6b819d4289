//! Measures the same records in many files, and in one file that threads read together in stretches.

use std::path::Path;

use super::super::folder::make_journal;
use super::super::measure::Row;
use super::super::work::{SCRIPTED, Work, run};
use crate::error::BenchError;
use crate::product::Product;

/// Returns how many times as fast one file is as many, with as many threads as processors.
pub(super) fn one_over_many(
    product: &Product,
    folder: &Path,
    octets: u64,
    rounds: u32,
) -> Result<f64, BenchError> {
    let many = Work::of_one(&folder.join("many"), octets)?;
    let one = many.joined(&folder.join("one"))?;
    let mut rows = [many.row("many files"), one.row("one file")];
    for round in 1..=rounds {
        (product.stage)(&format!("one file and many: round {round} of {rounds}"));
        for (work, row) in [&many, &one].into_iter().zip(&mut rows) {
            time(product, work, row)?;
        }
    }
    let [many, one] = rows;
    Ok(one.over(&many))
}

fn time(product: &Product, work: &Work, row: &mut Row) -> Result<(), BenchError> {
    work.inputs()?;
    make_journal(product, &work.folder, SCRIPTED)?;
    let flow = work.folder.join(SCRIPTED);
    row.time(|| run(&flow, product.parts, 0))?;
    Ok(())
}
