//! Numbers of subscribers in a database.

use std::collections::HashMap;

use accounts::AccountsError;
use accounts_postgres::{Fault, Row, Transaction};
use ledger::{Account, AccountId};

use super::{Postgres, account, column, stores};
use crate::back::{AssignedNumber, BesideRow};
use crate::numbers::{Number, NumberTaken};

/// Stores that numbers lead to accounts, if each still leads to the one before.
pub(super) fn insert(of: &mut Transaction<'_>, assigned: &[AssignedNumber]) -> Result<(), Fault> {
    // In one order, so that no two transactions wait for each other.
    let mut assigned: Vec<&AssignedNumber> = assigned.iter().collect();
    assigned.sort_unstable_by_key(|of| &of.number);
    let numbers: Vec<&str> = assigned.iter().map(|of| of.number.as_str()).collect();
    let accounts: Vec<i64> = assigned.iter().map(|of| of.account.0.cast_signed()).collect();
    let before = |of: &&AssignedNumber| of.before.map(|before| before.0.cast_signed());
    let befores: Vec<Option<i64>> = assigned.iter().map(before).collect();
    let insert = "WITH given AS (
             SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS u(number, account, before)
         ), changed AS (
             UPDATE subscriber_number s SET account = g.account FROM given g
             WHERE s.number = g.number AND s.account = g.before RETURNING s.number
         ), added AS (
             INSERT INTO subscriber_number SELECT number, account FROM given
             WHERE number NOT IN (SELECT number FROM changed)
             ON CONFLICT DO NOTHING RETURNING number
         )
         SELECT number FROM given
         WHERE number NOT IN (SELECT number FROM changed UNION ALL SELECT number FROM added) LIMIT 1";
    match of.query(insert, &[&numbers, &accounts, &befores])?.first() {
        None => Ok(()),
        Some(taken) => Err(Fault::Undone(NumberTaken { number: taken.try_get(0)? }.into())),
    }
}

/// Reads the columns `number` and `account`.
fn numbered(row: &Row) -> Result<(String, AccountId), AccountsError> {
    Ok((column(row, 0)?, account(column(row, 1)?)))
}

impl Postgres {
    pub(in crate::back) fn payers<'n>(
        &self,
        numbers: impl Iterator<Item = &'n Number>,
    ) -> Result<HashMap<Number, AccountId>, AccountsError> {
        let numbers: Vec<&str> = numbers.map(Number::as_str).collect();
        if numbers.is_empty() {
            return Ok(HashMap::new());
        }
        let select = "SELECT number, account FROM subscriber_number WHERE number = ANY ($1)";
        let rows = self.front.ask(select, &[&numbers])?;
        let found = rows.iter().map(numbered);
        found.map(|found| found.map(|(number, id)| (Number::stored(number), id))).collect()
    }

    pub(in crate::back) fn numbers_of(&self, id: AccountId) -> Result<Vec<String>, AccountsError> {
        let select = "SELECT number FROM subscriber_number WHERE account = $1 ORDER BY number";
        let rows = self.front.ask(select, &[&id.0.cast_signed()])?;
        rows.iter().map(|row| column(row, 0)).collect()
    }

    pub(in crate::back) fn find_numbers(
        &self,
        (begins, part): (&str, &str),
        after: &str,
        count: usize,
    ) -> Result<Vec<(String, AccountId)>, AccountsError> {
        // All numbers are ASCII, so this is behind all that begin with the text.
        let end = format!("{begins}\u{7f}");
        let select = "SELECT number, account FROM subscriber_number
                      WHERE number >= $1 AND number < $2 AND number > $3 AND strpos(number, $4) > 0
                      ORDER BY number LIMIT $5";
        let rows = self.front.ask(select, &[&begins, &end, &after, &part, &(count as i64)])?;
        rows.iter().map(numbered).collect()
    }

    pub(in crate::back) fn number_count(&self) -> Result<u64, AccountsError> {
        let rows = self.front.ask("SELECT count(*) FROM subscriber_number", &[])?;
        Ok(column::<i64>(&rows[0], 0)?.cast_unsigned())
    }

    pub(in crate::back) fn remove_number(
        &self,
        (number, id): (&Number, AccountId),
        is_in_use: impl Fn(&Account) -> bool,
        rows: Vec<BesideRow>,
    ) -> Result<bool, AccountsError> {
        self.front.locked(&[id], |of| {
            if of.account(id).is_some_and(&is_in_use) {
                return Ok(false);
            }
            let delete =
                "DELETE FROM subscriber_number WHERE number = $1 AND account = $2 RETURNING 1";
            if of.query(delete, &[&number.as_str(), &id.0.cast_signed()])?.is_empty() {
                let number = number.as_str().to_owned();
                return Err(Fault::Undone(NumberTaken { number }.into()));
            }
            stores(&rows)(of)?;
            Ok(true)
        })
    }
}
