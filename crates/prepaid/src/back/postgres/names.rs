//! The places of names in a database.

use accounts::AccountsError;
use accounts_postgres::{Fault, Transaction};

use super::{Postgres, column};
use crate::back::{Named, TooManyNames};

const fn select(of: Named) -> &'static str {
    match of {
        Named::Scopes => "SELECT name FROM service_place ORDER BY place",
        Named::Offers => "SELECT name FROM offer_place ORDER BY place",
    }
}

const fn lock(of: Named) -> &'static str {
    match of {
        Named::Scopes => "LOCK TABLE service_place IN SHARE ROW EXCLUSIVE MODE",
        Named::Offers => "LOCK TABLE offer_place IN SHARE ROW EXCLUSIVE MODE",
    }
}

const fn insert(of: Named) -> &'static str {
    match of {
        Named::Scopes => "INSERT INTO service_place VALUES ($1, $2)",
        Named::Offers => "INSERT INTO offer_place VALUES ($1, $2)",
    }
}

impl Postgres {
    pub(in crate::back) fn names(&self, of: Named) -> Result<Vec<String>, AccountsError> {
        let rows = self.front.ask(select(of), &[])?;
        rows.iter().map(|row| column(row, 0)).collect()
    }

    pub(in crate::back) fn add_names(
        &self,
        of: Named,
        names: Vec<String>,
        most: usize,
    ) -> Result<Vec<String>, AccountsError> {
        self.transaction(|transaction| {
            let places = add(transaction, of, &names)?;
            match places.len() {
                count if count > most => Err(Fault::Undone(TooManyNames(count).into())),
                _ => Ok(places),
            }
        })
    }
}

fn add(
    transaction: &mut Transaction<'_>,
    of: Named,
    names: &[String],
) -> Result<Vec<String>, Fault> {
    // Two processes that start at once give each name one place.
    transaction.query(lock(of), &[])?;
    let rows = transaction.query(select(of), &[])?;
    let mut places =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<String>, Fault>>()?;
    for name in names {
        if !places.contains(name) {
            transaction.query(insert(of), &[&(places.len() as i64), name])?;
            places.push(name.clone());
        }
    }
    Ok(places)
}
