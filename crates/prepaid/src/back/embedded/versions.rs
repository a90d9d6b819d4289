//! Versions of the definition, as they are stored.

use store::{Connection, OptionalExtension as _, Page, QueryResult, params};

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
    let mut rows = select.query([page.below(), page.above(), page.one_more()])?;
    let mut versions = Vec::new();
    while let Some(row) = rows.next()? {
        let version = StoredVersion::read((row.get(0)?, row.get(1)?), &row.get::<_, String>(2)?);
        versions.push(version.map_err(store::unreadable)?);
    }
    Ok(versions)
}

pub(super) fn text(db: &Connection, digest: &str) -> QueryResult<Option<String>> {
    let select = "SELECT text FROM definition_text WHERE digest = ?";
    db.query_row(select, [digest], |row| row.get(0)).optional()
}
