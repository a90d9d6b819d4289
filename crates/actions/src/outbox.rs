//! The outbox: actions that were requested, and what became of them.

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, Page, QueryResult, Row, params};
use utoipa::ToSchema;

use crate::message::Message;
use crate::settings::ActionSettings;

/// How far an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActionState {
    /// It was requested a moment ago.
    New,
    /// It waits for people to approve it.
    Waiting,
    /// There were too many within the time of its limit: it waits for a person.
    Held,
    /// It is to be sent.
    Due,
    /// It is sent. If that is not known to have worked, it is sent again.
    Sending,
    /// The other side has it.
    Done,
    /// A person has refused it.
    Refused,
    /// There was one about the same key a short time before: nothing is done.
    Repeated,
    /// It is to be undone.
    Undo,
    /// It is being undone.
    Undoing,
    /// It is undone.
    Undone,
}

impl ActionState {
    const NAMES: [(&'static str, ActionState); 11] = [
        ("new", ActionState::New),
        ("waiting", ActionState::Waiting),
        ("held", ActionState::Held),
        ("due", ActionState::Due),
        ("sending", ActionState::Sending),
        ("done", ActionState::Done),
        ("refused", ActionState::Refused),
        ("repeated", ActionState::Repeated),
        ("undo", ActionState::Undo),
        ("undoing", ActionState::Undoing),
        ("undone", ActionState::Undone),
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    fn of(name: &str) -> Self {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map_or(ActionState::Refused, |(_, state)| *state)
    }
}

/// An action that was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedAction {
    /// Its number.
    pub id: i64,
    /// The name of the action.
    pub action: String,
    /// How far it is.
    pub state: ActionState,
    /// The node.
    pub node: String,
    /// What it is about, such as `caller`.
    pub subject: String,
    /// Which one it is.
    pub key: String,
    /// When it was requested.
    pub requested: String,
    /// The rule. Absent if a person requested it.
    pub rule: Option<String>,
    /// The version of the rule.
    pub rule_version: Option<String>,
    /// Whether people must approve the version of the rule first. Absent otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rule_waits: bool,
    /// Who requested it. Absent for a rule.
    pub requested_by: Option<String>,
    /// Why: the condition of the rule, or what the person says.
    pub because: String,
    /// Who has approved it.
    pub approved_by: Vec<String>,
    /// How often it was sent.
    pub tries: u32,
    /// When the other side had it, or when it was undone.
    pub done: Option<String>,
    /// Why the last attempt failed, or why it is refused.
    pub problem: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Which actions are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListedActions<'l> {
    /// Only those that wait for people or for the other side.
    pub open: bool,
    /// Those of a name.
    pub action: Option<&'l str>,
    /// Those about a key.
    pub key: Option<&'l str>,
}

/// What is requested.
#[derive(Clone, Debug)]
pub struct Requested {
    /// What the other side is sent, without its identifier.
    pub message: Message,
    /// What its identifier is made of, beside the name of the action: unique among the requests of that.
    pub origin: String,
    /// Whether people must approve the version of the rule first.
    pub rule_waits: bool,
}

/// Requests an action, in the transaction that it is about. A person who requests it is the first who approves it.
pub fn request(db: &Connection, requested: Requested, now_ms: i64) -> QueryResult<i64> {
    let Requested { mut message, origin, rule_waits } = requested;
    message.id = format!("{}-{origin}", message.action);
    let text = serde_json::to_string(&message).expect("text and numbers");
    let insert = "INSERT INTO action
                      (action, node, subject, key, rule, rule_version, rule_waits, message, state, requested_ms, requested_by, because,
                       approved_by)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'new', ?9, ?10, ?11, ?10)";
    let Message { action, node, subject, key, rule, rule_version, requested_by, because, .. } =
        &message;
    db.prepare_cached(insert)?.execute(params![
        action,
        node,
        subject,
        key,
        rule,
        rule_version,
        rule_waits,
        text,
        now_ms,
        requested_by,
        because
    ])?;
    Ok(db.last_insert_rowid())
}

/// What is true of an action that waits for people or for the other side.
const IS_OPEN: &str = "state IN ('new', 'waiting', 'held', 'due', 'sending', 'undo', 'undoing')";

const COLUMNS: &str = "id, action, state, node, subject, key, requested_ms, rule, rule_version, rule_waits, requested_by, because,
     approved_by, also_approved_by, tries, done_ms, problem";

/// Returns the actions of a page, and whether there are more.
pub fn list(
    db: &Connection,
    ListedActions { open, action, key }: ListedActions<'_>,
    page: Page,
) -> QueryResult<(Vec<RequestedAction>, bool)> {
    let of_state = if open { IS_OPEN } else { "true" };
    let select = format!(
        "SELECT {COLUMNS} FROM action
         WHERE {of_state} AND id > ?1 AND id < ?2 AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR key = ?4)
         ORDER BY id {} LIMIT ?5",
        page.order()
    );
    let of_page = params![page.above(), page.below(), action, key, page.one_more()];
    let mut select = db.prepare(&select)?;
    let all = select.query_map(of_page, read)?.collect::<QueryResult<_>>()?;
    Ok(page.of(all, |action: &RequestedAction| action.id))
}

fn read(row: &Row<'_>) -> QueryResult<RequestedAction> {
    let approved: [Option<String>; 2] = [row.get(12)?, row.get(13)?];
    Ok(RequestedAction {
        id: row.get(0)?,
        action: row.get(1)?,
        state: ActionState::of(row.get_ref(2)?.as_str()?),
        node: row.get(3)?,
        subject: row.get(4)?,
        key: row.get(5)?,
        requested: shown(row.get(6)?),
        rule: row.get(7)?,
        rule_version: row.get(8)?,
        rule_waits: row.get(9)?,
        requested_by: row.get(10)?,
        because: row.get(11)?,
        approved_by: approved.into_iter().flatten().collect(),
        tries: row.get(14)?,
        done: row.get::<_, Option<i64>>(15)?.map(shown),
        problem: row.get(16)?,
    })
}

/// Approves an action that waits. One that is held goes on. Returns whether it was approved: the same person does not count twice.
pub fn approve(db: &Connection, action: i64, who: &str) -> QueryResult<bool> {
    let update = "UPDATE action SET
                      also_approved_by = CASE WHEN approved_by IS NULL THEN NULL ELSE ?2 END,
                      approved_by = coalesce(approved_by, ?2), state = 'new', passes_limit = 1
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

/// Returns whether there are actions about a key.
pub fn knows(db: &Connection, key: &str) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM action WHERE key = ?")?.exists([key])
}

/// Returns the numbers of the actions about a key that wait for people or for the other side.
pub fn open_of_key(db: &Connection, key: &str) -> QueryResult<Vec<i64>> {
    let select = format!("SELECT id FROM action WHERE key = ? AND {IS_OPEN} ORDER BY id");
    db.prepare_cached(&select)?.query_map([key], |row| row.get(0))?.collect()
}

/// Erases what actions say about a key, of which none is open. Returns how many there are. They cannot be undone any more: the other
/// side would be sent another key.
pub fn erase_of_key(
    db: &Connection,
    key: &str,
    (marker, erased): (&str, &str),
) -> QueryResult<usize> {
    let update = format!(
        "UPDATE action SET key = ?2, message = '', because = ?3, problem = iif(problem IS NULL, NULL, ?3)
         WHERE key = ?1 AND NOT ({IS_OPEN})"
    );
    db.prepare_cached(&update)?.execute(params![key, marker, erased])
}

/// Has an action undone that was carried out. Returns whether it is to be undone. One about a subject that was erased is not.
pub fn undo(db: &Connection, action: i64) -> QueryResult<bool> {
    let update =
        "UPDATE action SET state = 'undo', tries = 0, next_ms = 0, done_ms = NULL, problem = NULL
                  WHERE id = ? AND state = 'done' AND message <> ''";
    Ok(db.prepare_cached(update)?.execute([action])? == 1)
}

/// Forgets actions that were requested before a time, in milliseconds since 1970, and are over: some at a time.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let delete = "DELETE FROM action WHERE id IN
                      (SELECT id FROM action WHERE requested_ms < ? AND state IN ('done', 'refused', 'repeated', 'undone') ORDER BY id
                       LIMIT 1000)";
    db.prepare_cached(delete)?.execute([before_ms])?;
    Ok(())
}

/// An action that is to be sent, or undone.
#[derive(Clone, Debug)]
pub(crate) struct Next {
    pub(crate) id: i64,
    pub(crate) message: Message,
    pub(crate) tries: u32,
}

/// Decides what becomes of new actions of a name: whether they wait for people, repeat another one, or are too many.
pub(crate) fn sort(db: &Connection, settings: &ActionSettings, now_ms: i64) -> QueryResult<()> {
    let ActionSettings { name, approval, limit, again, .. } = settings;
    let select = "SELECT id, node, subject, key, rule_waits, approved_by IS NOT NULL, also_approved_by IS NOT NULL, passes_limit,
                      requested_by
                  FROM action WHERE action = ? AND state = 'new' ORDER BY id";
    struct New {
        id: i64,
        about: (String, String, String),
        rule_waits: bool,
        approvals: u8,
        passes_limit: bool,
        is_by_person: bool,
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
    } in new
    {
        let again_ms = runtime::time::milliseconds(*again);
        let state = if is_repeated(db, (id, name), (&node, &subject, &key), now_ms - again_ms)? {
            "repeated"
        } else if rule_waits || approvals < approval.people() {
            "waiting"
        } else if !passes_limit
            && !is_by_person
            && limit.is_some_and(|(_, each)| !each.is_zero())
            && is_over_limit(db, settings, now_ms)?
        {
            "held"
        } else {
            "due"
        };
        let update = "UPDATE action SET state = ?, next_ms = 0, due_ms = iif(?1 = 'due', ?3, NULL) WHERE id = ?2";
        db.prepare_cached(update)?.execute(params![state, id, now_ms])?;
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

/// Returns whether as many actions of the name were due within the time of its limit as may be.
fn is_over_limit(db: &Connection, settings: &ActionSettings, now_ms: i64) -> QueryResult<bool> {
    let Some((most, each)) = settings.limit else { return Ok(false) };
    let select = "SELECT count(*) FROM action WHERE action = ? AND due_ms > ?";
    let since_ms = now_ms - runtime::time::milliseconds(each);
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

/// Returns the next action of a name that is to be sent or undone by now.
pub(crate) fn next(db: &Connection, name: &str, now_ms: i64) -> QueryResult<Option<Next>> {
    let select = "SELECT id, message, state, tries FROM action
                  WHERE action = ? AND state IN ('due', 'sending', 'undo', 'undoing') AND next_ms <= ? ORDER BY next_ms, id LIMIT 1";
    db.prepare_cached(select)?
        .query_row(params![name, now_ms], |row| {
            let text: String = row.get(1)?;
            let undo = matches!(row.get_ref(2)?.as_str()?, "undo" | "undoing");
            let message: Message = serde_json::from_str(&text).unwrap_or_default();
            Ok(Next { id: row.get(0)?, message: Message { undo, ..message }, tries: row.get(3)? })
        })
        .optional()
}

/// Notes that an action is sent from now on. Returns whether it still may be: a person may have refused it, or stopped all.
pub(crate) fn sending(db: &Connection, id: i64) -> QueryResult<bool> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Connection {
        let db = Connection::open_in_memory().expect("a database");
        let tables = include_str!("../../flow/src/schema/action.sql");
        db.execute_batch(tables).expect("tables");
        db
    }

    fn requested(db: &Connection, key: &str, now_ms: i64) -> i64 {
        let message = Message { action: "bar".into(), key: key.into(), ..Message::default() };
        let requested = Requested { message, origin: now_ms.to_string(), rule_waits: false };
        request(db, requested, now_ms).expect("it is requested")
    }

    fn states(db: &Connection) -> Vec<&'static str> {
        let (all, _) = list(db, ListedActions::default(), Page::newest(100)).expect("actions");
        all.iter().rev().map(|of| of.state.name()).collect()
    }

    #[test]
    fn each_state_comes_back_from_its_name() {
        for (name, state) in ActionState::NAMES {
            assert_eq!((state.name(), ActionState::of(name)), (name, state));
        }
    }

    #[test]
    fn two_people_who_are_not_the_same_approve_an_action() {
        let db = journal();
        let id = requested(&db, "1", 5);
        db.execute("UPDATE action SET state = 'waiting'", []).expect("it waits");
        assert!(approve(&db, id, "anna").expect("an update"));
        db.execute("UPDATE action SET state = 'waiting'", []).expect("it waits again");
        assert!(!approve(&db, id, "anna").expect("an update"), "she has approved it");
        assert!(approve(&db, id, "bo").expect("an update"));
        let (all, _) = list(&db, ListedActions::default(), Page::newest(1)).expect("actions");
        assert_eq!(all[0].approved_by, ["anna", "bo"]);
    }

    #[test]
    fn what_was_refused_while_it_was_sent_is_not_sent_again() {
        let db = journal();
        let id = requested(&db, "1", 5);
        db.execute("UPDATE action SET state = 'due'", []).expect("it is due");
        assert!(sending(&db, id).expect("it is sent"));
        assert!(refuse(&db, id, "no").expect("an update"));
        failed(&db, id, "no answer", 0).expect("an update");
        assert_eq!(states(&db), ["refused"]);
        assert!(!sending(&db, id).expect("an update"));
        assert!(next(&db, "bar", 100).expect("an answer").is_none());
    }

    #[test]
    fn what_is_over_is_forgotten_and_what_waits_stays() {
        let db = journal();
        for (key, state) in [("1", "done"), ("2", "waiting"), ("3", "refused"), ("4", "due")] {
            let id = requested(&db, key, 5);
            db.execute("UPDATE action SET state = ? WHERE id = ?", params![state, id])
                .expect("set");
        }
        requested(&db, "5", 15);
        prune(&db, 10).expect("some are forgotten");
        assert_eq!(states(&db), ["waiting", "due", "new"]);
    }
}
