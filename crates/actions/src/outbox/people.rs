//! What people do with actions: they approve and refuse them, and have them undone.

use store::{Connection, QueryResult, params};

/// Approves an action that waits. One that is held goes on. Returns whether it was approved: the same person does not count twice.
pub fn approve(db: &Connection, action: i64, who: &str) -> QueryResult<bool> {
    let update = "UPDATE action SET
                      also_approved_by = CASE WHEN approved_by IS NULL THEN NULL ELSE ?2 END,
                      approved_by = coalesce(approved_by, ?2), state = 'new', passes_limit = 1, problem = NULL
                  WHERE id = ?1 AND state IN ('waiting', 'held') AND approved_by IS NOT ?2 AND also_approved_by IS NULL";
    Ok(db.prepare_cached(update)?.execute(params![action, who])? == 1)
}

/// Lets the actions of a version of a rule go on.
pub fn approve_rule(db: &Connection, (node, rule, version): (&str, &str, &str)) -> QueryResult<()> {
    let update = "UPDATE action SET rule_waits = 0, state = iif(state = 'waiting', 'new', state)
                  WHERE rule_waits = 1 AND node = ? AND rule = ? AND rule_version = ?";
    db.prepare_cached(update)?.execute(params![node, rule, version])?;
    Ok(())
}

/// Refuses an action that was not carried out, or to undo one: that stays done. Returns whether it was refused.
pub fn refuse(db: &Connection, action: i64, because: &str) -> QueryResult<bool> {
    let update = "UPDATE action SET problem = ?2, state = iif(state IN ('undo', 'undoing'), 'done', 'refused')
                  WHERE id = ?1 AND state IN ('new', 'waiting', 'held', 'due', 'sending', 'undo', 'undoing')";
    Ok(db.prepare_cached(update)?.execute(params![action, because])? == 1)
}

/// Refuses what is not sent yet about a key.
pub fn refuse_of_key(
    db: &Connection,
    (node, subject, key): (&str, &str, &str),
    because: &str,
) -> QueryResult<()> {
    let update = "UPDATE action SET state = 'refused', problem = ?4
                  WHERE node = ?1 AND subject = ?2 AND key = ?3 AND state IN ('new', 'waiting', 'held', 'due', 'sending')";
    db.prepare_cached(update)?.execute(params![node, subject, key, because])?;
    Ok(())
}

/// Refuses the actions of a rule whose version was never approved, and does not run any more: no one can approve it now.
pub fn refuse_of_versions(
    db: &Connection,
    (node, rule, running): (&str, &str, &str),
) -> QueryResult<()> {
    let update = "UPDATE action SET state = 'refused', problem = 'the rule has changed before this version was approved'
                  WHERE rule_waits = 1 AND state IN ('new', 'waiting') AND node = ? AND rule = ? AND rule_version <> ?";
    db.prepare_cached(update)?.execute(params![node, rule, running])?;
    Ok(())
}

/// Has an action undone that was carried out. Returns whether it is to be undone. One about a subject that was erased is not.
pub fn undo(db: &Connection, action: i64) -> QueryResult<bool> {
    let update =
        "UPDATE action SET state = 'undo', tries = 0, next_ms = 0, done_ms = NULL, problem = NULL
                  WHERE id = ? AND state = 'done' AND message <> ''";
    Ok(db.prepare_cached(update)?.execute([action])? == 1)
}
