//! Versions of the definition in a database.

use accounts::AccountsError;
use accounts_postgres::{Fault, Row, Transaction};
use ledger::Millis;
use store::Page;

use super::{Postgres, column};
use crate::versions::{NewVersion, StoredVersion};

/// Stores a version, unless another process has stored the same one in this moment.
pub(super) fn insert(of: &mut Transaction<'_>, version: &NewVersion) -> Result<(), Fault> {
    of.query("LOCK TABLE definition_version IN SHARE ROW EXCLUSIVE MODE", &[])?;
    let last = "SELECT files FROM definition_version ORDER BY number DESC LIMIT 1";
    let names = version.names();
    if let Some(last) = of.query(last, &[])?.first()
        && last.try_get::<_, String>(0)? == names
    {
        return Ok(());
    }
    for (file, text) in &version.files {
        let insert = "INSERT INTO definition_text VALUES ($1, $2) ON CONFLICT DO NOTHING";
        of.query(insert, &[&file.digest, text])?;
    }
    let insert = "INSERT INTO definition_version (at_ms, files) VALUES ($1, $2)";
    of.query(insert, &[&version.at, &names]).map(drop)
}

impl Postgres {
    /// Returns the versions of a page, the newest first, and one more if there are more.
    pub(in crate::back) fn versions(
        &self,
        page: Page,
    ) -> Result<Vec<StoredVersion>, AccountsError> {
        let select = "SELECT number, at_ms, files FROM definition_version
                      WHERE number < $1 AND number > $2 ORDER BY number DESC LIMIT $3";
        let rows = self.front.ask(select, &[&page.below(), &page.above(), &page.one_more()])?;
        rows.iter().map(version).collect()
    }

    pub(in crate::back) fn version_at(
        &self,
        at: Millis,
    ) -> Result<Option<StoredVersion>, AccountsError> {
        let select = "SELECT number, at_ms, files FROM definition_version
                      WHERE at_ms <= greatest($1, (SELECT min(at_ms) FROM definition_version))
                      ORDER BY number DESC LIMIT 1";
        self.front.ask(select, &[&at])?.first().map(version).transpose()
    }

    pub(in crate::back) fn version_text(
        &self,
        digest: &str,
    ) -> Result<Option<String>, AccountsError> {
        let select = "SELECT text FROM definition_text WHERE digest = $1";
        let rows = self.front.ask(select, &[&digest])?;
        rows.first().map(|row| column(row, 0)).transpose()
    }
}

fn version(row: &Row) -> Result<StoredVersion, AccountsError> {
    let files: String = column(row, 2)?;
    StoredVersion::read((column(row, 0)?, column(row, 1)?), &files)
        .map_err(|why| AccountsError::Server(why.into()))
}
