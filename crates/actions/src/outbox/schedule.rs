//! When an action is sent: what waits, what is too much, what is due, and how an attempt ended.

use runtime::time::{milliseconds, moment};
use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::message::Message;
use crate::settings::ActionSettings;

/// An action that is to be sent, or undone.
#[derive(Debug)]
pub(crate) struct Next {
    pub(crate) id: i64,
    /// What is sent, if it can be read.
    pub(crate) message: Result<Message, serde_json::Error>,
    /// Whether it is to be undone.
    pub(crate) undo: bool,
    pub(crate) tries: u32,
}

/// Decides what becomes of new actions of a name: whether they wait for people, repeat another one, or are too many.
pub(crate) fn sort(db: &Connection, settings: &ActionSettings, now_ms: i64) -> QueryResult<()> {
    let ActionSettings { name, approval, again, .. } = settings;
    let select = "SELECT id, node, subject, key, rule_waits, approved_by IS NOT NULL, also_approved_by IS NOT NULL, passes_limit,
                      requested_by, message
                  FROM action WHERE action = ? AND state = 'new' ORDER BY id";
    struct New {
        id: i64,
        about: (String, String, String),
        rule_waits: bool,
        approvals: u8,
        passes_limit: bool,
        is_by_person: bool,
        message: String,
    }
    let mut select = db.prepare_cached(select)?;
    let new = select.query_map([name], |row| {
        Ok(New {
            id: row.get(0)?,
            about: (row.get(1)?, row.get(2)?, row.get(3)?),
            rule_waits: row.get(4)?,
            approvals: u8::from(row.get::<_, bool>(5)?) + u8::from(row.get::<_, bool>(6)?),
            passes_limit: row.get(7)?,
            is_by_person: row.get::<_, Option<String>>(8)?.is_some(),
            message: row.get(9)?,
        })
    })?;
    let new: Vec<New> = new.collect::<QueryResult<_>>()?;
    for New {
        id,
        about: (node, subject, key),
        rule_waits,
        approvals,
        passes_limit,
        is_by_person,
        message,
    } in new
    {
        // No person has looked at it.
        let is_alone = approvals == 0 && !passes_limit && !is_by_person;
        let again_ms = milliseconds(*again);
        let mut problem = None;
        let state = if is_repeated(db, (id, name), (&node, &subject, &key), now_ms - again_ms)? {
            "repeated"
        } else if rule_waits || approvals < approval.people() {
            "waiting"
        } else if is_alone && is_too_old(settings, &message, now_ms) {
            problem = Some(TOO_OLD);
            "held"
        } else if is_alone && is_over_limit(db, settings, now_ms)? {
            problem = Some("there were too many actions");
            "held"
        } else {
            "due"
        };
        let update = "UPDATE action SET state = ?1, next_ms = 0, due_ms = iif(?1 = 'due', ?3, NULL), problem = ?4 WHERE id = ?2";
        db.prepare_cached(update)?.execute(params![state, id, now_ms, problem])?;
    }
    Ok(())
}

/// Returns whether there is an action of the name about the key since a time, which was not refused or undone.
fn is_repeated(
    db: &Connection,
    (id, name): (i64, &str),
    (node, subject, key): (&str, &str, &str),
    since_ms: i64,
) -> QueryResult<bool> {
    let select = "SELECT 1 FROM action
                  WHERE key = ?1 AND action = ?2 AND node = ?3 AND subject = ?4 AND id < ?5 AND requested_ms > ?6
                      AND state NOT IN ('refused', 'repeated', 'undo', 'undoing', 'undone')
                      AND NOT (rule_waits AND state IN ('new', 'waiting'))";
    db.prepare_cached(select)?.exists(params![key, name, node, subject, id, since_ms])
}

/// Returns whether an alert is too old for an action that no person has looked at. What cannot be read is not sent either.
fn is_too_old(settings: &ActionSettings, message: &str, now_ms: i64) -> bool {
    let at_ms = serde_json::from_str(message).ok();
    let at_ms = at_ms.and_then(|message: Message| moment(&message.at).ok());
    let age_ms = at_ms.map(|at_ms| now_ms.saturating_sub(at_ms));
    settings.max_age.is_some_and(|most| age_ms.is_none_or(|age_ms| age_ms > milliseconds(most)))
}

/// Returns whether as many actions of the name were due within the time of its limit as may be.
fn is_over_limit(db: &Connection, settings: &ActionSettings, now_ms: i64) -> QueryResult<bool> {
    let Some((most, each)) = settings.limit else { return Ok(false) };
    let select = "SELECT count(*) FROM action WHERE action = ? AND due_ms > ?";
    let since_ms = now_ms - milliseconds(each);
    let due: u32 =
        db.prepare_cached(select)?.query_row(params![settings.name, since_ms], |row| row.get(0))?;
    Ok(due >= most)
}

/// Returns whether there are new actions of a name.
pub(crate) fn has_new(db: &Connection, name: &str) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM action WHERE action = ? AND state = 'new'")?.exists([name])
}

/// Returns how many actions of a name wait for people.
pub(crate) fn waiting(db: &Connection, name: &str) -> QueryResult<i64> {
    let select = "SELECT count(*) FROM action WHERE action = ? AND state IN ('waiting', 'held')";
    db.prepare_cached(select)?.query_row([name], |row| row.get(0))
}

/// Why an action is held.
const TOO_OLD: &str = "its alert is too old";

/// Returns the next action of a name that is to be sent or undone by now.
pub(crate) fn next(db: &Connection, name: &str, now_ms: i64) -> QueryResult<Option<Next>> {
    let select = "SELECT id, message, state, tries FROM action
                  WHERE action = ? AND state IN ('due', 'sending', 'undo', 'undoing') AND next_ms <= ? ORDER BY next_ms, id LIMIT 1";
    db.prepare_cached(select)?
        .query_row(params![name, now_ms], |row| {
            let text: String = row.get(1)?;
            let undo = matches!(row.get_ref(2)?.as_str()?, "undo" | "undoing");
            let message = serde_json::from_str(&text).map(|message| Message { undo, ..message });
            Ok(Next { id: row.get(0)?, message, undo, tries: row.get(3)? })
        })
        .optional()
}

/// Notes that an action is sent from now on. Returns whether it still may be: a person may have refused it, or stopped all, and its alert
/// may have become too old meanwhile.
pub(crate) fn sending(
    db: &Connection,
    (settings, id): (&ActionSettings, i64),
    now_ms: i64,
) -> QueryResult<bool> {
    let select = "SELECT message FROM action
                  WHERE id = ? AND state = 'due' AND tries = 0 AND NOT passes_limit AND approved_by IS NULL AND requested_by IS NULL";
    let alone: Option<String> =
        db.prepare_cached(select)?.query_row([id], |row| row.get(0)).optional()?;
    if alone.is_some_and(|message| is_too_old(settings, &message, now_ms)) {
        let update = "UPDATE action SET state = 'held', due_ms = NULL, problem = ? WHERE id = ?";
        db.prepare_cached(update)?.execute(params![TOO_OLD, id])?;
        return Ok(false);
    }
    let update = "UPDATE action SET tries = tries + 1,
                      state = CASE state WHEN 'due' THEN 'sending' WHEN 'undo' THEN 'undoing' ELSE state END
                  WHERE id = ? AND state IN ('due', 'sending', 'undo', 'undoing')
                      AND NOT EXISTS (SELECT 1 FROM action_stop)";
    Ok(db.prepare_cached(update)?.execute([id])? == 1)
}

/// Notes that an action cannot be undone: it stays done.
pub(crate) fn stays_done(db: &Connection, id: i64, problem: &str) -> QueryResult<()> {
    let update = "UPDATE action SET state = 'done', problem = ? WHERE id = ? AND state = 'undoing'";
    db.prepare_cached(update)?.execute(params![problem, id])?;
    Ok(())
}

/// Notes that the other side has an action, or that it is undone.
pub(crate) fn done(db: &Connection, (id, is_undone): (i64, bool), now_ms: i64) -> QueryResult<()> {
    // Even if a person has refused it meanwhile: so it can be undone.
    let update = "UPDATE action SET done_ms = ?2, problem = NULL, state = iif(?3, 'undone', 'done') WHERE id = ?1";
    db.prepare_cached(update)?.execute(params![id, now_ms, is_undone])?;
    Ok(())
}

/// Notes that an action failed, and when it is sent again.
pub(crate) fn failed(db: &Connection, id: i64, problem: &str, next_ms: i64) -> QueryResult<()> {
    // A person may have refused it meanwhile.
    let update = "UPDATE action SET problem = ?, next_ms = ? WHERE id = ? AND state IN ('sending', 'undoing')";
    db.prepare_cached(update)?.execute(params![problem, next_ms, id])?;
    Ok(())
}
