//! Which keys and times formed the waiting groups. If a script changes these, records may not find the group that they
//! belong to. Processing continues, and an alarm stands as long as such a group waits.

use alarm::{Condition, EventType, Kind, Severity};
use journal::Journal;
use store::{Connection, QueryResult, StoreError, params};

use super::entries::next_number;
use flow::topology::Topology;

pub(super) const KEYED_OTHERWISE: &Kind = &Kind::new(
    "groups-keyed-otherwise",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// Raises the alarm for nodes with such groups, and clears it for nodes without.
pub fn look_at_keys(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let mut wrong = Vec::new();
    for node in &flow.graph.nodes {
        let Some(settings) = node.template.group_settings() else { continue };
        let known = journal.answer(known(&reader, &node.name))?;
        let is_new = known.last().is_none_or(|last| last.put_by != settings.grouped_by);
        let before = if is_new { known.as_slice() } else { &known[..known.len() - 1] };
        let (wait, over): (Vec<&PutTogether>, Vec<&PutTogether>) =
            before.iter().partition(|known| known.wait);
        if is_new || !over.is_empty() {
            let (name, over) = (node.name.clone(), over.iter().map(|known| known.first).collect());
            let new = is_new.then_some(settings.grouped_by);
            journal.commit(move |db| note(db, &name, over, new))?;
        }
        if wait.iter().any(|known| known.put_by != settings.grouped_by) {
            let text = format!(
                "groups wait in \"{}\" that were put together by another key or time than its script gives now: a \
                 record that belongs to one of them may begin a group of its own. Let the script give what it gave \
                 until these have ended, or end them: \"tollgate matching list\"",
                node.name
            );
            wrong.push(Condition { kind: KEYED_OTHERWISE, subject: node.name.clone(), text });
        }
    }
    let raised = journal.answer(alarm::raised(&reader, &[KEYED_OTHERWISE]))?;
    alarm::reconcile(wrong.into_iter(), &raised, journal)
}

/// Groups that were formed by the same keys and times.
struct PutTogether {
    /// The number of the first of them.
    first: i64,
    put_by: [u8; 16],
    /// Whether any of them waits.
    wait: bool,
}

fn known(db: &Connection, node: &str) -> QueryResult<Vec<PutTogether>> {
    let mut select = db.prepare_cached(
        "SELECT first_group, put_by, EXISTS (
             SELECT 1 FROM group_state INDEXED BY group_state_open
             WHERE is_open AND page >= held_key.first_group AND page < next AND node = ?1)
         FROM (SELECT *, lead(first_group, 1, 9223372036854775807) OVER (ORDER BY first_group) AS next
               FROM held_key WHERE node = ?1) AS held_key
         ORDER BY first_group",
    )?;
    let known = select.query_map([node], |row| {
        Ok(PutTogether { first: row.get(0)?, put_by: row.get(1)?, wait: row.get(2)? })
    })?;
    known.collect()
}

/// Removes what no waiting group uses, and notes a new key or time for groups that begin from now on.
fn note(db: &Connection, node: &str, over: Vec<i64>, new: Option<[u8; 16]>) -> QueryResult<()> {
    let mut delete = db.prepare("DELETE FROM held_key WHERE node = ? AND first_group = ?")?;
    over.iter().try_for_each(|first| delete.execute(params![node, first]).map(drop))?;
    let insert = "INSERT OR REPLACE INTO held_key (node, first_group, put_by)
                  SELECT ?1, iif(EXISTS (SELECT 1 FROM held_key WHERE node = ?1), ?2, 0), ?3";
    match new {
        Some(put_by) => db.execute(insert, params![node, next_number(db)?, put_by]).map(drop),
        None => Ok(()),
    }
}
