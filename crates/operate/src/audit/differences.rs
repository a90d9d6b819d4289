//! Differences in the journal. Each question compares entries from independent places: the worker that read a file, the
//! nodes that its records passed, the systems they were written for, and suspense. A file without a digest comes from a
//! version that noted only its own account.

use std::fmt;

use serde::Serialize;
use store::{Connection, QueryResult, Row};
use utoipa::ToSchema;

use super::report::Chosen;
use super::waiting;
use flow::report::COUNTS;
use suspense::octets;

/// A difference between two counts or sums that must be equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditDifference {
    /// The day of UTC on which the file was done.
    pub day: Option<String>,
    /// The network element of the file. Absent if the difference is in all that waits in a node.
    pub network_element: Option<String>,
    /// The file. Absent if the difference is not in a single file.
    pub file: Option<String>,
    /// The node or system. Absent if the difference is at the network element itself.
    pub node: Option<String>,
    /// The difference, in words.
    pub text: String,
}

impl fmt::Display for AuditDifference {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AuditDifference { network_element, file, text, .. } = self;
        if let Some(of) = network_element {
            write!(to, "{of}/{}: ", file.as_deref().unwrap_or_default())?;
        }
        write!(to, "{text}")
    }
}

/// A query whose every row is a difference: network element, file, day, and values for the text.
struct Question {
    /// `{day}` stands for the day, `{outcomes of file}` for the sum of the outcomes of a file's records.
    sql: &'static str,
    /// Whether the first value is the node or system.
    of_node: bool,
    /// The text. `{1}` and so on are the columns behind the day.
    template: &'static str,
}

/// The day of the file.
pub(super) const DAY: &str = "date(done_ms / 1000, 'unixepoch')";

const QUESTIONS: [Question; 13] = [
    Question {
        sql: "SELECT network_element, name, {day}, records, {outcomes of file} AS sum
              FROM file WHERE {chosen} AND records <> sum",
        of_node: false,
        template: "{1} records came, {2} are accounted for",
    },
    Question {
        sql: "SELECT network_element, name, {day}, node, passage.records,
                  {outcomes of passage} AS sum
              FROM passage JOIN file ON file.id = passage.file WHERE {chosen} AND passage.records <> sum",
        of_node: true,
        template: "{1} was given {2} records, {3} are accounted for",
    },
    Question {
        sql: "SELECT network_element, name, {day}, suspended, set_aside FROM (
                  SELECT file.*, (SELECT count(*) FROM set_aside AS suspense
                      WHERE suspense.file = file.id AND ifnull(was, why) = 'suspended' AND part_of IS NULL)
                      - (SELECT ifnull(sum(held.suspended), 0) FROM held WHERE held.file = file.id)
                      - (SELECT ifnull(sum(held.suspended), 0) FROM file AS job JOIN held ON held.file = job.id
                         WHERE job.retry_of = file.id) AS set_aside
                  FROM file WHERE {chosen} AND duplicate_of IS NULL AND retry_of IS NULL AND digest IS NOT NULL) WHERE suspended <> set_aside",
        of_node: false,
        template: "{1} records were suspended, {2} are in suspense",
    },
    Question {
        sql: "SELECT network_element, name, {day}, passage.node, passage.held,
                  ifnull(waiting + released + held.dropped + held.suspended, 0) AS sum
              FROM passage JOIN file ON file.id = passage.file
              LEFT JOIN held ON held.file = passage.file AND held.node = passage.node
              WHERE {chosen} AND passage.held <> sum",
        of_node: true,
        template: "{2} records had to wait in {1}, {3} are accounted for",
    },
    Question {
        sql: "SELECT network_element, name, {day}, duplicate, set_aside FROM (
                  SELECT file.*, (SELECT count(*) FROM set_aside AS suspense
                      WHERE suspense.file = file.id AND ifnull(was, why) = 'duplicate' AND part_of IS NULL) AS set_aside
                  FROM file WHERE {chosen} AND duplicate_of IS NULL AND retry_of IS NULL AND digest IS NOT NULL) WHERE duplicate <> set_aside",
        of_node: false,
        template: "{1} records were duplicates, {2} are set aside",
    },
    Question {
        sql: "SELECT network_element, name, {day}, suspended, set_aside FROM (
                  SELECT file.*, (SELECT count(*) FROM retry WHERE job = file.id AND outcome = 'suspended')
                      + (SELECT count(*) FROM suspense
                         WHERE found_by = file.id AND ifnull(was, why) = 'suspended') AS set_aside
                  FROM file WHERE {chosen} AND retry_of IS NOT NULL) WHERE suspended <> set_aside",
        of_node: false,
        template: "{1} records were suspended again, {2} are in suspense",
    },
    Question {
        sql: "SELECT network_element, name, {day}, duplicate, set_aside FROM (
                  SELECT file.*, (SELECT count(*) FROM retry WHERE job = file.id AND outcome = 'duplicate')
                      + (SELECT count(*) FROM suspense
                         WHERE found_by = file.id AND ifnull(was, why) = 'duplicate') AS set_aside
                  FROM file WHERE {chosen} AND retry_of IS NOT NULL) WHERE duplicate <> set_aside",
        of_node: false,
        template: "{1} records that were retried were duplicates, {2} are set aside",
    },
    Question {
        sql: "SELECT network_element, name, {day}, delivered, noted FROM (
                  SELECT file.*, (SELECT count(*) FROM retry
                      WHERE retry.job = file.id AND outcome = 'delivered') AS noted
                  FROM file WHERE {chosen} AND retry_of IS NOT NULL AND NOT EXISTS (
                      SELECT 1 FROM retry WHERE retry.job = file.id AND outcome = 'divided'))
              WHERE delivered <> noted",
        of_node: false,
        template: "{1} records that were put through again were delivered, suspense has {2}",
    },
    Question {
        sql: "SELECT network_element, name, {day}, output.post_processing_system, output.records, ifnull(passage.delivered, 0)
              FROM output JOIN file ON file.id = output.file
              LEFT JOIN passage ON passage.file = file.id AND passage.node = output.post_processing_system
              WHERE {chosen} AND (digest IS NOT NULL OR retry_of IS NOT NULL)
                  AND output.records <> ifnull(passage.delivered, 0)",
        of_node: true,
        template: "the file for {1} has {2} records, {3} were delivered to it",
    },
    Question {
        sql: "SELECT network_element, name, {day}, output.post_processing_system, output.records, sum(slice.records) AS sliced
              FROM output JOIN file ON file.id = output.file
              JOIN slice ON slice.file = output.file AND slice.path = output.path
              WHERE {chosen} GROUP BY output.rowid HAVING output.records <> sliced",
        of_node: true,
        template: "the file for {1} has {2} records, its parts have {3}",
    },
    Question {
        sql: "SELECT network_element, name, {day}, node, passage.delivered FROM passage JOIN file ON file.id = passage.file
              LEFT JOIN output ON output.file = file.id AND output.post_processing_system = node
              WHERE {chosen} AND is_system AND passage.delivered > 0 AND output.file IS NULL",
        of_node: true,
        template: "{2} records were delivered to {1}, which has no file of them",
    },
    Question {
        sql: "SELECT network_element, file.name, {day}, given.at, given.name, CAST(given.high * 4294967296 + given.low AS TEXT), given.records,
                  CAST(ifnull(written.high * 4294967296 + written.low, 0) AS TEXT), ifnull(written.records, 0)
              FROM (SELECT id, network_element, name, done_ms FROM file WHERE {chosen}) AS file
              JOIN amount AS given ON given.file = file.id AND given.side = 'given'
              LEFT JOIN amount AS written ON written.file = file.id AND written.side = 'written'
                  AND written.at = given.at AND written.name = given.name
              WHERE given.high <> ifnull(written.high, 0) OR given.low <> ifnull(written.low, 0)
                  OR given.records <> ifnull(written.records, 0)",
        of_node: true,
        template: "the {2} of what {1} was given is {3} (of {4} records), of what was written for it {5} (of {6})",
    },
    Question {
        sql: "SELECT network_element, file.name, {day}, at, amount.name,
                  CAST(sum(iif(side IN ('came', 'waited'), high * 4294967296 + low, 0)) AS TEXT) AS came,
                  CAST(sum(iif(side IN ('came', 'waited'), 0, high * 4294967296 + low)) AS TEXT) AS went
              FROM (SELECT id, network_element, name, done_ms FROM file WHERE {chosen}) AS file
              JOIN amount ON amount.file = file.id
              WHERE at <> '' AND side IN ('came', 'waited', 'emitted', 'kept', 'dropped', 'aside', 'changed')
              GROUP BY amount.file, at, amount.name HAVING came <> went",
        of_node: true,
        template: "the {2} of what came to {1} and waited there is {3}, of what went on, waits or was given up {4}",
    },
];

/// Returns all differences.
pub(super) fn differences(
    db: &Connection,
    chosen: &Chosen<'_>,
) -> QueryResult<Vec<AuditDifference>> {
    let mut differences = Vec::new();
    for question in QUESTIONS {
        let mut sql = question.sql.replace("{day}", DAY);
        for table in ["file", "passage"] {
            sql = sql.replace(&format!("{{outcomes of {table}}}"), &sum_of_outcomes(table));
        }
        differences.extend(chosen.ask(db, &sql, |row| question.difference(row))?);
    }
    differences.extend(damaged(db, chosen)?);
    differences.extend(waiting::differences(db, chosen)?);
    Ok(differences)
}

/// Returns the records in suspense whose octets have changed since they were set aside.
fn damaged(db: &Connection, chosen: &Chosen<'_>) -> QueryResult<Vec<AuditDifference>> {
    let sql = format!(
        "SELECT network_element, name, {DAY}, aside.id, aside.octets, aside.octets_digest
         FROM file JOIN set_aside AS aside ON aside.file = file.id AND state = 'open' WHERE {{chosen}}"
    );
    let found = chosen.ask(db, &sql, |row| {
        let (_, is_sound) = octets(row, 4)?;
        if is_sound {
            return Ok(None);
        }
        let id: i64 = row.get(3)?;
        Ok(Some(AuditDifference {
            day: row.get(2)?,
            network_element: row.get(0)?,
            file: row.get(1)?,
            node: None,
            text: format!("the octets of the record {id} in suspense were damaged in the journal"),
        }))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns the sum of the columns that count the outcomes of records.
fn sum_of_outcomes(table: &str) -> String {
    let [_, outcomes @ ..] = COUNTS;
    outcomes.map(|column| format!("{table}.{column}")).join(" + ")
}

impl Question {
    fn difference(&self, row: &Row<'_>) -> QueryResult<AuditDifference> {
        let mut text = self.template.to_owned();
        for column in 3..row.as_ref().column_count() {
            let value = match row.get_ref(column)? {
                store::ValueRef::Integer(number) => number.to_string(),
                value => value.as_str()?.to_owned(),
            };
            text = text.replace(&format!("{{{}}}", column - 2), &value);
        }
        Ok(AuditDifference {
            day: row.get(2)?,
            network_element: row.get(0)?,
            file: row.get(1)?,
            node: if self.of_node { row.get(3)? } else { None },
            text,
        })
    }
}
