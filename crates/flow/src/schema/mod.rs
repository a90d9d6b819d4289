//! The schema of a gateway's journal: all its versions, in order.

#[cfg(test)]
mod migration_tests;

use store::{Connection, QueryResult, Versions};

use journal::Schema;

/// Versions of the database. A published version never changes.
pub const MIGRATIONS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("contents.sql"),
    include_str!("alarm.sql"),
    include_str!("suspense.sql"),
    include_str!("sequence.sql"),
    include_str!("noted.sql"),
    include_str!("passage.sql"),
    include_str!("amount.sql"),
    include_str!("trail.sql"),
    include_str!("retry.sql"),
    include_str!("retention.sql"),
    include_str!("again.sql"),
    include_str!("held.sql"),
    include_str!("aside.sql"),
    include_str!("forgotten.sql"),
    include_str!("form.sql"),
    include_str!("returning.sql"),
    include_str!("missing.sql"),
    include_str!("asked.sql"),
    include_str!("kept.sql"),
    include_str!("clock.sql"),
    include_str!("remembered.sql"),
    include_str!("held_sum.sql"),
    include_str!("held_digest.sql"),
    include_str!("held_key.sql"),
    include_str!("held_late.sql"),
    include_str!("gone.sql"),
    include_str!("kept_by.sql"),
    include_str!("held_balance.sql"),
    include_str!("missing_at.sql"),
    include_str!("missing_open.sql"),
    include_str!("kept_generation.sql"),
    include_str!("pending_element.sql"),
    include_str!("alarm_event.sql"),
    include_str!("notified.sql"),
    include_str!("drift.sql"),
    include_str!("delivery.sql"),
    include_str!("trace.sql"),
    include_str!("archive.sql"),
    include_str!("fetched.sql"),
    include_str!("slice.sql"),
    include_str!("suspense_digest.sql"),
    include_str!("reopened.sql"),
    include_str!("kept_asked.sql"),
    include_str!("put_off.sql"),
    include_str!("unnamed.sql"),
    include_str!("delivery_discarded.sql"),
    include_str!("delivered.sql"),
    include_str!("suspense_open.sql"),
    include_str!("added.sql"),
    include_str!("poison.sql"),
    include_str!("contents_size.sql"),
    include_str!("doubt.sql"),
    include_str!("suspense_waiting.sql"),
    include_str!("habit.sql"),
    include_str!("alarm_since.sql"),
    include_str!("held_by_digest.sql"),
    include_str!("state_in_memory.sql"),
    include_str!("state_timer.sql"),
    include_str!("group_entry.sql"),
    include_str!("reason.sql"),
    include_str!("passage_sources.sql"),
    include_str!("reasons.sql"),
    include_str!("by_time.sql"),
    include_str!("views.sql"),
    include_str!("alert_found.sql"),
    include_str!("fraud_case.sql"),
    include_str!("action.sql"),
    include_str!("key_index.sql"),
    include_str!("fraud_hour.sql"),
    include_str!("state_form.sql"),
    include_str!("threshold_alarm.sql"),
];

/// All versions, and the tables of the last one at once. `UPDATE=1` with the tests of this module writes `last.sql`.
pub(crate) const VERSIONS: Versions<'static> = Versions::new(MIGRATIONS)
    .with_tables(concat!(include_str!("last.sql"), include_str!("first_rows.sql")));

/// The schema of a gateway's journal.
pub const SCHEMA: Schema = Schema { versions: VERSIONS, newest_ms, trusts_pauses: false };

/// Returns when the last file was done; a gateway was running then.
fn newest_ms(db: &Connection) -> QueryResult<Option<i64>> {
    db.query_row("SELECT max(done_ms) FROM file", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the columns of a table, each with its type and whether it may be NULL, and its indexes.
    fn form(db: &Connection, table: &str) -> QueryResult<BTreeSet<(String, String, bool)>> {
        let parts = "SELECT name, type, \"notnull\" FROM pragma_table_info(?1)
                     UNION ALL SELECT name, sql, 0 FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql <> ''";
        let part = |row: &store::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        db.prepare(parts)?.query_map([table], part)?.collect()
    }

    fn reader(folder: &std::path::Path, versions: Versions<'_>) -> store::Reader {
        let path = folder.join(format!("{}.db", folder.read_dir().unwrap().count()));
        store::Store::open(&path, versions).unwrap().reader().unwrap()
    }

    /// Returns the tables that have rows, with their number.
    fn filled(db: &Connection) -> QueryResult<Vec<(String, i64)>> {
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
        let mut tables = db.prepare(tables)?;
        let count = |table: String| {
            let rows = format!("SELECT count(*) FROM \"{table}\"");
            Ok((table, db.query_row(&rows, [], |row| row.get(0))?))
        };
        let counts = tables.query_map([], |row| row.get(0))?.map(|table| count(table?));
        Ok(counts
            .collect::<QueryResult<Vec<_>>>()?
            .into_iter()
            .filter(|(_, rows)| *rows > 0)
            .collect())
    }

    /// Returns the numbers after which tables give theirs, but for those that begin at 1.
    fn sequences(db: &Connection) -> QueryResult<Vec<(String, i64)>> {
        let mut select =
            db.prepare("SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name")?;
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    #[test]
    fn a_new_journal_has_the_tables_and_first_rows_of_all_migrations() {
        let folder = tempfile::tempdir().unwrap();
        let migrated = reader(folder.path(), Versions::new(MIGRATIONS));
        let tables = store::dump(&migrated).unwrap();
        if std::env::var_os("UPDATE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema/last.sql");
            return std::fs::write(path, tables).unwrap();
        }
        assert_eq!(include_str!("last.sql"), tables, "UPDATE=1 writes last.sql");
        let new = [VERSIONS; 2].map(|versions| reader(folder.path(), versions));
        for new in &new {
            assert_eq!(store::dump(new).unwrap(), tables);
            assert_eq!(filled(new).unwrap(), filled(&migrated).unwrap());
            assert_eq!(sequences(new).unwrap(), sequences(&migrated).unwrap());
        }
        let identity = |db: &Connection| {
            db.query_row("SELECT id FROM identity", [], |row| row.get::<_, String>(0)).unwrap()
        };
        assert_ne!(identity(&new[0]), identity(&new[1]));
    }

    #[test]
    fn a_gateway_has_the_tables_of_each_journal() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str, migrations: &[&str]| {
            store::Store::open(&folder.path().join(name), migrations).unwrap()
        };
        let gateway = open("gateway.db", MIGRATIONS).reader().unwrap();
        let other = open("other.db", &[journal::TABLES, alarm::TABLES]).reader().unwrap();
        for table in ["alive", "trail", "alarm", "alarm_event", "notified", "identity"] {
            let form = form(&gateway, table).unwrap();
            assert!(!form.is_empty(), "{table}");
            assert_eq!(form, self::form(&other, table).unwrap(), "{table}");
        }
    }
}
