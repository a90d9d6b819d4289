//! `tollgate account refusals`: lists why calls of a subscriber were cut off or did not begin.

use operate::prepaid::calls::{AccountRefusal, ListRefusals};

use super::named::Named;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, text};

const REFUSALS: [Column; 5] =
    [text("time"), text("service"), text("client"), text("session"), free("why")];

/// Lists what networks were refused.
pub(super) fn run(Named { account, charging, json }: Named) -> Result<Outcome, CommandError> {
    let found = charge(&charging.path, ListRefusals { account })?;
    let mut rows = Rows::begin(json, &REFUSALS);
    for refusal in &found.refusals {
        rows.row(refusal, cells)?;
    }
    rows.end()?;
    match found.since {
        Some(since) => note!("the list has all since {since}"),
        None => note!("no charging system runs; a running one has the list in its memory"),
    }
    Ok(Outcome::Clean)
}

fn cells(of: &AccountRefusal) -> [Cell; 5] {
    let to = if of.other.is_empty() { "" } else { " to " };
    [
        cell(&of.at),
        cell(format!("{}{to}{}", of.service, of.other)),
        cell(&of.client),
        cell(&of.session),
        cell(&of.text),
    ]
}
