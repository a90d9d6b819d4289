//! Files that the journal knows, so that the same file is a duplicate when it comes again.

use store::{Connection, QueryResult, params};

/// What was forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// The network elements and names of the files.
    pub files: Vec<(String, String)>,
    /// The number of rows that were changed. There are more rows than files where records of files were retried: a retry
    /// has the name of its file.
    pub rows: usize,
}

/// Forgets that files came: they are no duplicates when they come again, and their results stay. `jobs` is a JSON list of
/// job numbers; none stands for all.
pub fn forget_files(
    db: &Connection,
    network_element: Option<&str>,
    name: Option<&str>,
    jobs: Option<&str>,
) -> QueryResult<Forgotten> {
    let mut update = db.prepare(
        "UPDATE file SET is_known = 0
         WHERE is_known AND (?1 IS NULL OR network_element = ?1) AND (?2 IS NULL OR name = ?2)
           AND (?3 IS NULL
             OR (network_element, name) IN
                 (SELECT network_element, name FROM file WHERE id IN (SELECT value FROM json_each(?3)))
             OR id IN (SELECT duplicate_of FROM file WHERE id IN (SELECT value FROM json_each(?3))))
         RETURNING network_element, name, retry_of IS NULL AND expired_in IS NULL",
    )?;
    let row = |row: &store::Row<'_>| Ok(((row.get(0)?, row.get(1)?), row.get::<_, bool>(2)?));
    let rows = update.query_map(params![network_element, name, jobs], row)?;
    let rows = rows.collect::<QueryResult<Vec<_>>>()?;
    let count = rows.len();
    let files = rows.into_iter().filter_map(|(file, is_file)| is_file.then_some(file)).collect();
    Ok(Forgotten { files, rows: count })
}
