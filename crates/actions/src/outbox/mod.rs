//! The outbox: actions that were requested, and what became of them.

mod people;
mod schedule;

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryResult, Row, params};
use utoipa::ToSchema;

use crate::message::Message;

pub use people::{approve, approve_rule, refuse, refuse_of_key, refuse_of_versions, undo};
pub(crate) use schedule::{Next, done, failed, has_new, next, sending, sort, stays_done, waiting};

/// How far an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActionState {
    /// It was requested a moment ago.
    New,
    /// It waits for people to approve it.
    Waiting,
    /// There were too many within the time of its limit, or its alert is too old: it waits for a person.
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
    /// Why the last attempt failed, or why it is held or refused.
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

/// Forgets actions that were requested before a time, in milliseconds since 1970, and are over: some at a time.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let delete = "DELETE FROM action WHERE id IN
                      (SELECT id FROM action WHERE requested_ms < ? AND state IN ('done', 'refused', 'repeated', 'undone') ORDER BY id
                       LIMIT 1000)";
    db.prepare_cached(delete)?.execute([before_ms])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Connection {
        let db = Connection::open_in_memory().expect("a database");
        let tables = include_str!("../../../flow/src/schema/action.sql");
        db.execute_batch(tables).expect("tables");
        db
    }

    fn requested(db: &Connection, key: &str, now_ms: i64) -> i64 {
        let (action, key, at) = ("bar".into(), key.into(), shown(now_ms));
        let message = Message { action, key, at, ..Message::default() };
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
    fn what_has_become_old_while_all_was_stopped_is_held() {
        let settings = crate::settings::tests::action("bar");
        let db = journal();
        let (id, day) = (requested(&db, "1", 5), 24 * 3_600_000);
        sort(&db, &settings, 6).expect("it is sorted");
        assert_eq!(states(&db), ["due"]);
        assert!(!sending(&db, (&settings, id), day + 6).expect("an update"));
        assert_eq!(states(&db), ["held"]);
        assert!(approve(&db, id, "anna").expect("an update"));
        sort(&db, &settings, day + 7).expect("it is sorted");
        assert!(sending(&db, (&settings, id), day + 8).expect("an update"));
    }

    #[test]
    fn what_was_refused_while_it_was_sent_is_not_sent_again() {
        let settings = crate::settings::tests::action("bar");
        let db = journal();
        let id = requested(&db, "1", 5);
        db.execute("UPDATE action SET state = 'due'", []).expect("it is due");
        assert!(sending(&db, (&settings, id), 6).expect("it is sent"));
        assert!(refuse(&db, id, "no").expect("an update"));
        failed(&db, id, "no answer", 0).expect("an update");
        assert_eq!(states(&db), ["refused"]);
        assert!(!sending(&db, (&settings, id), 6).expect("an update"));
        assert!(next(&db, "bar", 100).expect("an answer").is_none());
    }

    #[test]
    fn what_is_stopped_a_moment_before_is_not_sent() {
        let settings = crate::settings::tests::action("bar");
        let db = journal();
        let id = requested(&db, "1", 5);
        db.execute("UPDATE action SET state = 'due'", []).expect("it is due");
        assert!(crate::stop(&db, "wrong numbers", ("anna", 6)).expect("a stop"));
        assert!(!sending(&db, (&settings, id), 6).expect("an update"));
        assert!(crate::resume(&db).expect("no stop"));
        assert!(sending(&db, (&settings, id), 6).expect("an update"));
    }

    #[test]
    fn what_is_tried_again_about_a_key_is_refused_with_the_rest() {
        let db = journal();
        let states_before = ["sending", "waiting", "held", "due", "done", "undo"];
        for state in states_before {
            let id = requested(&db, "1", 5);
            db.execute("UPDATE action SET state = ? WHERE id = ?", params![state, id])
                .expect("set");
        }
        refuse_of_key(&db, ("", "", "1"), "case 1 is no fraud").expect("an update");
        assert_eq!(states(&db), ["refused", "refused", "refused", "refused", "done", "undo"]);
    }

    #[test]
    fn what_waits_for_another_version_of_a_rule_does_not_stand_in_for_one_that_may_act() {
        let settings = crate::settings::tests::action("bar");
        let db = journal();
        let waits = requested(&db, "1", 5);
        let update = "UPDATE action SET rule_waits = 1, state = 'waiting' WHERE id = ?";
        db.execute(update, [waits]).expect("it waits");
        requested(&db, "1", 6);
        sort(&db, &settings, 7).expect("it is sorted");
        assert_eq!(states(&db), ["waiting", "due"]);
        requested(&db, "1", 8);
        sort(&db, &settings, 9).expect("it is sorted");
        assert_eq!(states(&db), ["waiting", "due", "repeated"]);
    }

    #[test]
    fn a_message_that_cannot_be_read_is_not_sent_as_another_one() {
        let db = journal();
        requested(&db, "1", 5);
        db.execute("UPDATE action SET state = 'due', message = '{}'", []).expect("it is due");
        let next = next(&db, "bar", 100).expect("an answer").expect("an action");
        assert!(next.message.is_err(), "{next:?}");
    }

    #[test]
    fn what_waits_for_a_version_that_does_not_run_any_more_is_refused() {
        let db = journal();
        for (key, version) in [("1", "old"), ("2", "new")] {
            let id = requested(&db, key, 5);
            let update =
                "UPDATE action SET node = 'calls', rule = 'busy', rule_version = ?, rule_waits = 1,
                              state = 'waiting' WHERE id = ?";
            db.execute(update, params![version, id]).expect("it waits");
        }
        refuse_of_versions(&db, ("calls", "busy", "new")).expect("an update");
        assert_eq!(states(&db), ["refused", "waiting"]);
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
