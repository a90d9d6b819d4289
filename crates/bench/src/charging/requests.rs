//! What a request costs: in memory alone, before its answer, and with all that comes after it.

use ::charging::Workspace;
use accounts::{Embedded, Volatile};
use ledger::{SystemAccount, SystemKind, Unit};

use super::Ratios;
use super::calls::{CURRENCY, Calls, open_all};
use crate::allocations;
use crate::error::BenchError;
use crate::measure::{Row, processor_time};

/// The rounds of each measurement.
const ROUNDS: u32 = 5;

/// Measures requests of a number of calls a round.
pub(super) fn measure(
    calls: &Calls<'_>,
    durable: &Embedded,
    count: u64,
) -> Result<(Vec<Row>, Ratios), BenchError> {
    let memory = Volatile::default();
    open_all(&memory, calls.accounts)?;
    let (requests, workspace) = (2 * count, Workspace::default());
    let mut rows = [
        Row::new("requests, in memory alone", requests, 0),
        Row::new("requests, durable, before the answer", requests, 0),
        Row::new("requests, durable, all in", requests, 0),
    ];
    let (mut paid, mut allocated) = (0, None);
    for round in 0..u64::from(ROUNDS) {
        let numbers = round * count..(round + 1) * count;
        let begun = processor_time()?;
        let (allocations, of_round) =
            allocations::of(|| calls.charge((&memory, &workspace), numbers.clone()));
        of_round?;
        allocated = allocations;
        rows[0].took(processor_time()? - begun);
        let begun = processor_time()?;
        paid += calls.charge((durable, &workspace), numbers)?;
        rows[1].took(processor_time()? - begun);
        calls.settle(durable)?;
        rows[2].took(processor_time()? - begun);
    }
    let revenue = SystemAccount { kind: SystemKind::Revenue, number: 0 };
    let found = durable.system_balance(CURRENCY, Unit::Money, revenue);
    if found != paid {
        return Err(BenchError::Sum { paid, found });
    }
    let [granting, answered, durable] = &rows;
    let mut ratios = vec![
        ("durable_over_granting".to_owned(), granting.over(answered)),
        ("all_in_over_granting".to_owned(), granting.over(durable)),
    ];
    ratios.extend(
        allocated.map(|all| ("request_allocations".to_owned(), all as f64 / requests as f64)),
    );
    Ok((rows.into(), ratios))
}
