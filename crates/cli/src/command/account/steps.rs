//! The steps to a price.

use std::io;

use operate::prepaid::calls::ChargedUsage;

use crate::outcome::CommandError;
use crate::progress::Aside;
use crate::table::{Column, Table, cell, free, text};

const STEPS: [Column; 3] = [text("step"), text("place"), free("found")];

/// Shows the steps to a price.
pub(super) fn print_steps(charged: &ChargedUsage) -> Result<(), CommandError> {
    let mut table = Table::report(Aside(io::stdout()), &STEPS);
    for step in &charged.steps {
        let place = step.file.as_ref().map(|file| format!("{file}:{}", step.line.unwrap_or(0)));
        table.row([cell(&step.step), cell(place.unwrap_or_default()), cell(&step.found)])?;
    }
    table.end()?;
    Ok(())
}
