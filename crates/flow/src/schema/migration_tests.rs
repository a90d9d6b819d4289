//! Tests that migrations lose no data: each version's journal gets a row in each table, and has them still after the
//! migration to the last version.

use std::collections::{BTreeMap, BTreeSet};

use store::{Connection, QueryResult, Store};

use super::MIGRATIONS;

/// Tables and columns that later versions drop.
const GIVEN_UP: [(&str, &str); 0] = [];

/// Tables whose rows are entries of groups at the last. The crate `state` tests that nothing is lost.
const BECAME_ENTRIES: [&str; 3] = ["held_group", "held_part", "held_sum"];

/// Tables that are another at the last, with all of their columns.
const RENAMED: [(&str, &str); 1] = [("poison", "refused_file")];

/// A row: its columns with their values as SQL literals.
type Row = BTreeMap<String, String>;

fn tables(db: &Connection) -> QueryResult<Vec<(String, String)>> {
    let tables =
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    db.prepare(tables)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns the columns of a table, with their types.
fn columns(db: &Connection, table: &str) -> QueryResult<Vec<(String, String)>> {
    let mut columns = db.prepare("SELECT name, type FROM pragma_table_info(?)")?;
    columns.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns a value that the constraints of a table allow.
fn value(made: &str, column: &str, kind: &str) -> String {
    let words = made.split_once(&format!("({column} IN ('")).map(|(_, words)| words);
    match (kind, column) {
        ("TEXT", _) => {
            let word = words.and_then(|words| words.split('\'').next()).unwrap_or(column);
            format!("'{word}'")
        }
        ("BLOB", _) => "x'010203'".into(),
        ("REAL", _) => "0.5".into(),
        // There is only one such row, and one place after the first.
        (_, "one" | "end") => "1".into(),
        // A sum of other values, or the number of another row.
        _ => "0".into(),
    }
}

/// Inserts a row into each table without rows.
fn fill(db: &Connection) -> QueryResult<()> {
    db.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    for (table, made) in tables(db)? {
        if db.prepare(&format!("SELECT 1 FROM \"{table}\""))?.exists([])? {
            continue;
        }
        let columns = columns(db, &table)?;
        let values: Vec<_> =
            columns.iter().map(|(column, kind)| value(&made, column, kind)).collect();
        let names: Vec<_> = columns.iter().map(|(column, _)| format!("\"{column}\"")).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        db.execute_batch(&format!("INSERT INTO \"{table}\" ({names}) VALUES ({values})"))?;
    }
    Ok(())
}

/// Returns all rows of all tables.
fn rows(db: &Connection) -> QueryResult<BTreeMap<String, Vec<Row>>> {
    let mut all = BTreeMap::new();
    for (table, _) in tables(db)? {
        let columns: Vec<String> =
            columns(db, &table)?.into_iter().map(|(column, _)| column).collect();
        let quoted: Vec<_> = columns.iter().map(|column| format!("quote(\"{column}\")")).collect();
        let mut select = db.prepare(&format!("SELECT {} FROM \"{table}\"", quoted.join(", ")))?;
        let row = |row: &store::Row<'_>| -> QueryResult<Row> {
            let value = |(place, column): (usize, &String)| Ok((column.clone(), row.get(place)?));
            columns.iter().enumerate().map(value).collect()
        };
        let rows = select.query_map([], row)?.collect::<QueryResult<_>>()?;
        all.insert(table, rows);
    }
    Ok(all)
}

#[test]
fn what_is_in_a_journal_of_any_version_is_in_it_at_the_last() {
    let mut given_up = BTreeSet::new();
    for version in 1..=MIGRATIONS.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let store = Store::open(&path, &MIGRATIONS[..version]).unwrap();
        store.commit(fill).unwrap_or_else(|error| panic!("version {version}: {error}"));
        let before = rows(&store.reader().unwrap()).unwrap();
        assert!(before.values().all(|rows| !rows.is_empty()), "version {version}");
        drop(store);
        let store = Store::open(&path, MIGRATIONS)
            .unwrap_or_else(|error| panic!("from version {version}: {error}"));
        let after = rows(&store.reader().unwrap()).unwrap();
        let before = before.into_iter();
        for (table, rows) in before.filter(|(table, _)| !BECAME_ENTRIES.contains(&table.as_str())) {
            let renamed = RENAMED.iter().find(|(old, _)| *old == table).map(|(_, new)| *new);
            let now = after
                .get(renamed.unwrap_or(&table))
                .unwrap_or_else(|| panic!("{table} of {version} is gone"));
            let columns: BTreeSet<&String> = now.iter().flat_map(Row::keys).collect();
            for row in &rows {
                let gone = row.keys().filter(|column| !columns.contains(column));
                given_up.extend(gone.map(|column| (table.clone(), column.clone())));
                let is_it = |now: &&Row| {
                    row.iter().all(|(column, value)| now.get(column).is_none_or(|now| now == value))
                };
                assert!(
                    now.iter().any(|now| is_it(&now)),
                    "{table} of {version}: {row:?}, {now:?}"
                );
            }
        }
    }
    let given_up: Vec<_> =
        given_up.iter().map(|(table, column)| (table.as_str(), column.as_str())).collect();
    assert_eq!(given_up, GIVEN_UP);
}
