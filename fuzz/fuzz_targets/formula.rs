//! Text that may be a formula or a condition over counters: mistakes lie within it, and what is parsed means the same over one value
//! a column and over many, and the same once more from its own text.
#![no_main]

use diagnostics::{Diagnostic, Source, Span};
use libfuzzer_sys::fuzz_target;
use performance::formula::{Column, Condition, Formula, Scratch};

/// Values of columns, in turn.
const VALUES: [f64; 7] = [0.0, 1.0, -2.5, 1e308, f64::NAN, f64::INFINITY, 3_880.0];

/// Rows, more than are computed at once.
const ROWS: usize = 700;

fuzz_target!(|octets: &[u8]| {
    let Ok(source) = Source::decoded("fuzz", octets.to_vec()) else { return };
    let place = Span::new(0, source.text.len());
    match Formula::parse(&source, place) {
        Err(mistakes) => check_mistakes(&mistakes),
        Ok(formula) => {
            check(
                formula.columns(),
                |values| formula.evaluate(values),
                |columns, scratch, out| formula.evaluate_all(columns, scratch, out),
            );
            let text = formula.text();
            let again = Formula::parse(&Source::new("again", text.as_str()), Span::new(0, text.len()));
            assert_eq!(again.expect("its text is a formula").text(), text);
        }
    }
    match Condition::parse(&source, place) {
        Err(mistakes) => check_mistakes(&mistakes),
        Ok(condition) => check(
            condition.columns(),
            |values| condition.holds(values).map_or(f64::NAN, |holds| f64::from(u8::from(holds))),
            |columns, scratch, out| condition.hold_all(columns, scratch, out),
        ),
    }
});

fn check_mistakes(mistakes: &[Diagnostic]) {
    assert!(!mistakes.is_empty());
    for mistake in mistakes {
        assert!(mistake.span.end as usize <= mistake.source.text.len());
        let _ = mistake.to_string();
    }
}

fn check(
    columns: &[Column],
    one: impl Fn(&[f64]) -> f64,
    all: impl Fn(&[&[f64]], &mut Scratch, &mut [f64]),
) {
    let value = |column: usize, row: usize| VALUES[(column * 3 + row) % VALUES.len()];
    let of = |column: usize| (0..ROWS).map(|row| value(column, row)).collect();
    let values: Vec<Vec<f64>> = (0..columns.len()).map(of).collect();
    let slices: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    let mut out = vec![0.0; ROWS];
    all(&slices, &mut Scratch::default(), &mut out);
    for (row, found) in out.iter().enumerate() {
        let values: Vec<f64> = values.iter().map(|column| column[row]).collect();
        assert_eq!(found.to_bits(), one(&values).to_bits(), "row {row}");
    }
}
