//! Versions of the definition, as they are stored.

use ledger::Millis;
use store::{Connection, OptionalExtension as _, Page, QueryResult, Row, params};

use crate::versions::{NewVersion, StoredVersion};

pub(super) fn insert(db: &Connection, version: &NewVersion) -> QueryResult<()> {
    for (file, text) in &version.files {
        let insert = "INSERT INTO definition_text VALUES (?, ?) ON CONFLICT DO NOTHING";
        db.execute(insert, [&file.digest, text])?;
    }
    let insert = "INSERT INTO definition_version (at_ms, files) VALUES (?, ?)";
    db.execute(insert, params![version.at, version.names()]).map(drop)
}

/// Returns the versions of a page, the newest first, and one more if there are more.
pub(super) fn page(db: &Connection, page: Page) -> QueryResult<Vec<StoredVersion>> {
    let select =
        "SELECT number, at_ms, files FROM definition_version WHERE number < ? AND number > ?
                  ORDER BY number DESC LIMIT ?";
    let mut select = db.prepare(select)?;
    let rows = select.query_map([page.below(), page.above(), page.one_more()], version)?;
    rows.collect()
}

/// Returns the version that was in use at a time, or the first one.
pub(super) fn at(db: &Connection, at: Millis) -> QueryResult<Option<StoredVersion>> {
    let select = "SELECT number, at_ms, files FROM definition_version
                  WHERE at_ms <= max(?, (SELECT min(at_ms) FROM definition_version))
                  ORDER BY number DESC LIMIT 1";
    db.query_row(select, [at], version).optional()
}

fn version(row: &Row<'_>) -> QueryResult<StoredVersion> {
    let version = StoredVersion::read((row.get(0)?, row.get(1)?), &row.get::<_, String>(2)?);
    version.map_err(store::unreadable)
}

pub(super) fn text(db: &Connection, digest: &str) -> QueryResult<Option<String>> {
    let select = "SELECT text FROM definition_text WHERE digest = ?";
    db.query_row(select, [digest], |row| row.get(0)).optional()
}
