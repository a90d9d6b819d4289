//! The same plan in SQLite, looked up record by record: in memory, with indexed tables and prepared statements. Prices
//! are whole numbers that need no parsing.

use rusqlite::{Connection, OptionalExtension, Statement, params};

use super::large::{Call, Large};
use crate::error::BenchError;

const TABLES: &str = "
    CREATE TABLE prefixes (prefix TEXT PRIMARY KEY, zone INTEGER) WITHOUT ROWID;
    CREATE TABLE analysis (service TEXT, destination INTEGER, class INTEGER,
        PRIMARY KEY (service, destination)) WITHOUT ROWID;
    CREATE TABLE bands (day_type INTEGER, begins INTEGER, ends INTEGER, band INTEGER,
        PRIMARY KEY (day_type, begins)) WITHOUT ROWID;
    CREATE TABLE prices (class INTEGER, band INTEGER, valid_from INTEGER, price INTEGER, set_up INTEGER,
        first INTEGER, next INTEGER, PRIMARY KEY (class, band, valid_from)) WITHOUT ROWID;
    INSERT INTO bands VALUES (0, 0, 25200, 1), (0, 25200, 68400, 0), (0, 68400, 86400, 1), (1, 0, 86400, 1);
";

/// Finds the zone of the longest prefix of a number.
const ZONE: &str = "SELECT zone FROM prefixes WHERE prefix IN (substr(?1, 1, 3), substr(?1, 1, 4), \
    substr(?1, 1, 5), substr(?1, 1, 6), substr(?1, 1, 7), substr(?1, 1, 8)) ORDER BY length(prefix) DESC LIMIT 1";

const CLASS: &str = "SELECT class FROM analysis WHERE service = ?1 AND destination = ?2";

const PRICE: &str = "SELECT price, set_up, first, next FROM bands JOIN prices USING (band) \
    WHERE day_type = ?1 AND begins <= ?2 AND ends > ?2 AND class = ?3 AND valid_from <= ?4 \
    ORDER BY valid_from DESC LIMIT 1";

const DAY: i64 = 86_400;

/// The database. Its statements borrow it, so it lives as long as the program.
pub(super) struct SqlitePeer {
    zone: Statement<'static>,
    class: Statement<'static>,
    price: Statement<'static>,
}

impl SqlitePeer {
    pub(super) fn of(large: &Large) -> Result<Self, BenchError> {
        Self::made(large).map_err(BenchError::Sqlite)
    }

    fn made(large: &Large) -> rusqlite::Result<Self> {
        let mut database = Connection::open_in_memory()?;
        database.execute_batch(TABLES)?;
        let transaction = database.transaction()?;
        for (prefix, zone) in &large.prefixes {
            transaction
                .prepare_cached("INSERT INTO prefixes VALUES (?, ?)")?
                .execute(params![prefix, *zone as i64])?;
        }
        for (class, price) in large.prices.iter().enumerate() {
            let class = class as i64;
            transaction.execute("INSERT INTO analysis VALUES ('telephony', ?1, ?1)", [class])?;
            for (band, cents) in price.bands.iter().enumerate() {
                let (first, next) = price.intervals;
                transaction.execute(
                    "INSERT INTO prices VALUES (?, ?, 0, ?, ?, ?, ?)",
                    params![
                        class,
                        band as i64,
                        *cents as i64,
                        price.set_up as i64,
                        first as i64,
                        next as i64
                    ],
                )?;
            }
        }
        transaction.commit()?;
        let database: &'static Connection = Box::leak(Box::new(database));
        Ok(SqlitePeer {
            zone: database.prepare(ZONE)?,
            class: database.prepare(CLASS)?,
            price: database.prepare(PRICE)?,
        })
    }

    pub(super) fn price_all(&mut self, calls: &[Call]) -> i128 {
        calls.iter().filter_map(|call| self.price(call)).sum()
    }

    /// Returns the price in billionths.
    pub(super) fn price(&mut self, call: &Call) -> Option<i128> {
        let digits = std::str::from_utf8(&call.digits).ok()?;
        let zone: i64 = self.zone.query_row([digits], |row| row.get(0)).optional().ok()??;
        let class: i64 = self
            .class
            .query_row(params!["telephony", zone], |row| row.get(0))
            .optional()
            .ok()??;
        // Saturday and Sunday; 1970-01-01 was a Thursday.
        let weekend = (call.start.div_euclid(DAY) + 3) % 7 >= 5;
        let second = call.start.rem_euclid(DAY);
        let [cents, set_up, first, next]: [u64; 4] = self
            .price
            .query_row(params![weekend, second, class, call.start], |row| {
                Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?].map(|n| n as u64))
            })
            .optional()
            .ok()??;
        let behind_first = call.seconds.saturating_sub(first).div_ceil(next) * next;
        // In ten-thousandths, rounded half up.
        let price = (u128::from(first + behind_first) * u128::from(cents) * 100 + 30) / 60;
        Some((price + u128::from(set_up) * 100) as i128 * 100_000)
    }
}
