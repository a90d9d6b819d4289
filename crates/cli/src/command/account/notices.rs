//! `tollgate account notices`: lists what the subscribers of an account were to hear of.

use operate::prepaid::calls::{ListNotices, SubscriberNotice};

use super::named::Named;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

const NOTICES: [Column; 4] = [number("notice"), text("time"), text("kind"), free("text")];

/// Lists the notices of an account.
pub(super) fn run(Named { account, charging, json }: Named) -> Result<Outcome, CommandError> {
    let found = charge(&charging.path, ListNotices { account })?;
    let mut rows = Rows::begin(json, &NOTICES);
    for notice in &found.notices {
        rows.row(notice, cells)?;
    }
    rows.end()?;
    Ok(Outcome::Clean)
}

fn cells(SubscriberNotice { notice, at, kind, text, .. }: &SubscriberNotice) -> [Cell; 4] {
    [cell(notice), cell(at), cell(kind.word()), cell(text)]
}
