//! The places of names, as they are stored. A name of an earlier definition has its place for ever.

use store::{Connection, QueryResult, params};

use crate::back::{Named, TooManyNames};

impl Named {
    fn table(self) -> &'static str {
        match self {
            Named::Scopes => "service_place",
            Named::Offers => "offer_place",
        }
    }
}

/// Returns the names that have a place, in order.
pub(super) fn known(db: &Connection, of: Named) -> QueryResult<Vec<String>> {
    let mut select = db.prepare(&format!("SELECT name FROM {} ORDER BY place", of.table()))?;
    let rows = select.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Gives each name a place that has none, and returns all names in their places.
pub(super) fn add(
    db: &Connection,
    of: Named,
    (names, most): (&[String], usize),
) -> QueryResult<Vec<String>> {
    let mut places = known(db, of)?;
    let insert = format!("INSERT INTO {} VALUES (?, ?)", of.table());
    for name in names {
        if !places.contains(name) {
            let place = places.len() as i64;
            db.execute(&insert, params![place, name])?;
            places.push(name.clone());
        }
    }
    match places.len() {
        count if count > most => Err(store::undone(TooManyNames(count))),
        _ => Ok(places),
    }
}
