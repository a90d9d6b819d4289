//! Which records in suspense are meant.

use std::fmt;

use diagnostics::counted;
use store::{Answer, Connection, params};

use super::{State, Why};
use crate::time::shown;

/// Chooses records: those for which everything holds that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Their numbers.
    pub ids: Option<Vec<i64>>,
    /// Where their files were collected.
    pub network_element: Option<String>,
    /// Their file.
    pub file: Option<String>,
    /// The node or system that could not process them; the empty name where they could not be read.
    pub node: Option<String>,
    /// What is in the reason.
    pub reason: Option<String>,
    /// Why they are there.
    pub why: Option<Why>,
    /// From when on they came, in milliseconds since 1970.
    pub from_ms: Option<i64>,
    /// Before when they came.
    pub to_ms: Option<i64>,
    /// What became of them.
    pub state: Option<State>,
    /// So many of them at most, the oldest.
    pub limit: Option<u64>,
}

/// Whether a record is one of those whose numbers the first value is a list of.
pub(super) const IS_CHOSEN: &str = "suspense.id IN (SELECT value FROM json_each(?1))";

impl Filter {
    /// Whether it says nothing, so that all are meant.
    pub fn is_all(&self) -> bool {
        *self == Filter { state: self.state, ..Filter::default() }
    }

    /// The numbers of the records that are meant, as a list in JSON: what [`IS_CHOSEN`] asks for.
    pub(super) fn choose(&self, db: &Connection) -> Answer<String> {
        let ids = self.ids.as_ref().map(|ids| serde_json::to_string(ids).expect("numbers"));
        // SQLite's LIMIT of -1 is none.
        let limit = self.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(-1));
        db.query_row(
            "SELECT json_group_array(id) FROM (
             SELECT suspense.id AS id FROM suspense JOIN file ON file.id = suspense.file
             WHERE (?1 IS NULL OR suspense.id IN (SELECT value FROM json_each(?1)))
               AND (?2 IS NULL OR network_element = ?2)
               AND (?3 IS NULL OR name = ?3)
               AND (?4 IS NULL OR node = ?4)
               AND (?5 IS NULL OR instr(reason, ?5) > 0)
               AND (?6 IS NULL OR why = ?6)
               AND (?7 IS NULL OR done_ms >= ?7)
               AND (?8 IS NULL OR done_ms < ?8)
               AND (?9 IS NULL OR state = ?9)
             ORDER BY suspense.id LIMIT ?10)",
            params![
                ids,
                self.network_element,
                self.file,
                self.node,
                self.reason,
                self.why.map(Why::word),
                self.from_ms,
                self.to_ms,
                self.state.map(State::word),
                limit
            ],
            |row| row.get(0),
        )
    }
}

/// As the trail says it: `12 numbers, of "boston", reason "no IMSI"`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.ids.as_ref().map(|ids| match ids.as_slice() {
            [id] => format!("number {id}"),
            ids => counted(ids.len(), "number"),
        });
        let quoted = |what: &str, text: &Option<String>| {
            text.as_ref().map(|text| format!("{what} \"{text}\""))
        };
        let when = |what: &str, at: Option<i64>| at.map(|at| format!("{what} {}", shown(at)));
        let said = [
            numbers,
            quoted("of", &self.network_element),
            quoted("file", &self.file),
            quoted("node", &self.node),
            quoted("reason", &self.reason),
            self.why.map(|why| why.word().to_owned()),
            when("from", self.from_ms),
            when("before", self.to_ms),
            self.limit.map(|limit| format!("{limit} at most")),
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        f.write_str(if said.is_empty() { "all".into() } else { said.join(", ") }.as_str())
    }
}
