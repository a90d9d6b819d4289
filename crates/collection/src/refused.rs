//! The files that are refused as a whole, in the journal: each with its reason. Files that were set aside stay listed as long
//! as the journal remembers files; those of a remote place are listed as long as they are refused there.

use std::collections::HashMap;

use flow::reasons::{self, Columns};
use reason::Reason;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, QueryResult, params};
use utoipa::ToSchema;

/// The most files of one remote place that are noted: those whose names come first. A place with a wrong folder can have
/// any number.
const THERE_MAX: usize = 1_000;

/// How a file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RefusedFileKind {
    /// The file was set aside where it lies.
    SetAside,
    /// The file is not fetched from its remote place.
    NotFetched,
    /// The file was fetched, and can neither be moved nor deleted in its remote place.
    NotRemoved,
}

impl RefusedFileKind {
    /// All kinds.
    pub const ALL: [RefusedFileKind; 3] =
        [RefusedFileKind::SetAside, RefusedFileKind::NotFetched, RefusedFileKind::NotRemoved];

    /// Returns the word of the journal and of users.
    pub fn word(self) -> &'static str {
        match self {
            RefusedFileKind::SetAside => "set-aside",
            RefusedFileKind::NotFetched => "not-fetched",
            RefusedFileKind::NotRemoved => "not-removed",
        }
    }

    /// Returns the kind of a word of the journal.
    pub fn of(word: &str) -> Self {
        let known = RefusedFileKind::ALL.into_iter().find(|kind| kind.word() == word);
        known.unwrap_or(RefusedFileKind::SetAside)
    }
}

/// A file of a remote place that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedThere {
    pub(crate) kind: RefusedFileKind,
    /// Its name there.
    pub(crate) name: String,
    pub(crate) reason: Reason,
}

/// Notes a file of a network element that was set aside under a path, in the form that the journal has of paths.
pub fn note_set_aside(
    db: &Connection,
    network_element: &str,
    path: &str,
    (reason, now_ms): (&Reason, i64),
) -> QueryResult<()> {
    db.prepare_cached("DELETE FROM refused_file WHERE kind = ? AND path = ?")?
        .execute([RefusedFileKind::SetAside.word(), path])?;
    insert(db, RefusedFileKind::SetAside, (network_element, path), (reason, now_ms))
}

/// Returns why the file of a path was set aside, if a gateway did it.
pub(crate) fn reason_of_set_aside(db: &Connection, path: &str) -> QueryResult<Option<String>> {
    db.prepare_cached("SELECT reason FROM refused_file WHERE kind = ? AND path = ?")?
        .query_row([RefusedFileKind::SetAside.word(), path], |row| row.get(0))
        .optional()
}

/// Forgets files that were set aside before a time.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    db.prepare_cached("DELETE FROM refused_file WHERE kind = ? AND at_ms < ?")?
        .execute(params![RefusedFileKind::SetAside.word(), before_ms])
        .map(drop)
}

/// Returns the files of a place that are noted.
pub(crate) fn first(mut refused: Vec<RefusedThere>) -> Vec<RefusedThere> {
    refused.sort_by(|one, other| one.name.cmp(&other.name));
    refused.truncate(THERE_MAX);
    refused
}

/// Notes the files of a network element's remote place that are refused. If `knows`, no others are.
pub(crate) fn note(
    db: &Connection,
    network_element: &str,
    refused: &[RefusedThere],
    (knows, now_ms): (bool, i64),
) -> QueryResult<()> {
    let mut select = db.prepare_cached(
        "SELECT id, kind, path, reason FROM refused_file WHERE network_element = ? AND kind <> 'set-aside'",
    )?;
    let noted = select.query_map([network_element], |row| {
        Ok(((row.get::<_, String>(1)?, row.get::<_, String>(2)?), (row.get(0)?, row.get(3)?)))
    })?;
    let mut noted: HashMap<(String, String), (i64, String)> = noted.collect::<QueryResult<_>>()?;
    for RefusedThere { kind, name, reason } in refused {
        match noted.remove(&(kind.word().to_owned(), name.clone())) {
            None => insert(db, *kind, (network_element, name), (reason, now_ms))?,
            Some((id, text)) if text != reason.to_string() => {
                let Columns { text, id: reason, values } = reasons::columns(db, reason)?;
                let update = "UPDATE refused_file SET reason = ?, reason_id = ?, reason_values = ? WHERE id = ?";
                db.prepare_cached(update)?.execute(params![text, reason, values, id])?;
            }
            Some(_) => {}
        }
    }
    let mut delete = db.prepare_cached("DELETE FROM refused_file WHERE id = ?")?;
    let mut gone = noted.into_values().filter(|_| knows);
    gone.try_for_each(|(id, _)| delete.execute([id]).map(drop))
}

/// Forgets the files of remote places of network elements that are not these.
pub(crate) fn forget_others(db: &Connection, network_elements: &[String]) -> QueryResult<()> {
    let known = serde_json::to_string(network_elements).map_err(store::undone)?;
    db.prepare_cached(
        "DELETE FROM refused_file
         WHERE kind <> 'set-aside' AND network_element NOT IN (SELECT value FROM json_each(?))",
    )?
    .execute([known])
    .map(drop)
}

fn insert(
    db: &Connection,
    kind: RefusedFileKind,
    (network_element, path): (&str, &str),
    (reason, now_ms): (&Reason, i64),
) -> QueryResult<()> {
    let Columns { text, id, values } = reasons::columns(db, reason)?;
    // A place may list a name twice.
    let insert = "INSERT OR IGNORE INTO refused_file (kind, network_element, path, at_ms, reason, reason_id, reason_values)
                  VALUES (?, ?, ?, ?, ?, ?, ?)";
    let new = params![kind.word(), network_element, path, now_ms, text, id, values];
    db.prepare_cached(insert)?.execute(new).map(drop)
}

#[cfg(test)]
mod tests {
    use reason::Fixed;

    use super::*;

    const LOCKED: Fixed = Fixed("test-locked", "it is locked");
    const LARGE: Fixed = Fixed("test-large", "it is large");

    fn there(name: &str, why: &Fixed) -> RefusedThere {
        RefusedThere {
            kind: RefusedFileKind::NotFetched,
            name: name.into(),
            reason: Reason::of(why),
        }
    }

    #[test]
    fn files_of_a_place_are_listed_as_long_as_they_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (flow, state) = (folder.path().join("flow.toml"), folder.path().join("state"));
        let journal = flow::flow_journal::open(&flow, &state, std::time::SystemTime::now).unwrap();
        let listed = |refused: Vec<RefusedThere>, at: (bool, i64)| {
            journal
                .commit(move |db| {
                    note(db, "boston", &refused, at)?;
                    let mut select =
                        db.prepare("SELECT path || ' ' || at_ms || ' ' || reason FROM refused_file ORDER BY path")?;
                    select.query_map([], |row| row.get(0))?.collect::<QueryResult<Vec<String>>>()
                })
                .unwrap()
        };
        let both = vec![there("a", &LOCKED), there("b", &LARGE)];
        assert_eq!(listed(both, (true, 1)), ["a 1 it is locked", "b 1 it is large"]);
        let only_a = || vec![there("a", &LARGE)];
        assert_eq!(listed(only_a(), (false, 2)), ["a 1 it is large", "b 1 it is large"]);
        assert_eq!(listed(only_a(), (true, 3)), ["a 1 it is large"]);
        journal.commit(|db| forget_others(db, &["chicago".to_owned()])).unwrap();
        assert_eq!(listed(Vec::new(), (false, 4)), Vec::<String>::new());
    }
}
