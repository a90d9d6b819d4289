//! What people do with actions.

use actions::{Message, Requested};
use flow::file;
use flow::flow_journal::JournalError;
use people::Role;
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use crate::context::Context;
use crate::fraud::is_erased;
use crate::operation::Operation;
use crate::refusals;

/// Approves actions that wait for people. One that needs two people goes on when the second one approves it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApproveActions {
    /// The numbers of the actions.
    pub actions: Vec<i64>,
}

/// Refuses actions that were not carried out yet.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RefuseActions {
    /// The numbers of the actions.
    pub actions: Vec<i64>,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Has actions undone that were carried out.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UndoActions {
    /// The numbers of the actions.
    pub actions: Vec<i64>,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Requests an action about the key of a case.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RequestAction {
    /// The number of the case.
    pub id: i64,
    /// The name of the action.
    pub action: String,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// How many actions were changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedActions {
    /// The number of actions that were changed.
    pub changed: usize,
}

refusals! {
    /// Why actions are not changed.
    pub enum ChangeActionsError {
        /// The request does not say why.
        NoReason => Wrong "action-without-reason" "say why: it is read by others",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

refusals! {
    /// Why an action is not requested.
    pub enum RequestActionError {
        /// The request does not say why.
        NoReason => Wrong "request-without-reason" "say why: it is read by others",
        /// The flow has no such action.
        NoAction {
            /// Its name.
            action: String,
        } => Unknown "action-unknown" "the flow has no action \"{action}\"",
        /// There is no such case.
        NoCase {
            /// Its number.
            id: i64,
        } => Unknown "action-case-unknown" "there is no case {id}",
        /// The subject of the case was erased.
        Erased {
            /// The number of the case.
            id: i64,
        } => Conflict "action-case-erased" "the subject of the case {id} was erased: its key is not known any more",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// Changes actions one by one, each with its entry of the audit trail.
fn change(
    context: &Context<'_>,
    (name, reason): (&str, &str),
    actions: &[i64],
    act: impl Fn(&Connection, i64) -> QueryResult<bool>,
) -> Result<ChangedActions, ChangeActionsError> {
    let changed = context.change(name, |db, author| {
        let mut changed = 0;
        for action in actions {
            if act(db, *action)? {
                author.record(db, &format!("action {action}"), reason)?;
                changed += 1;
            }
        }
        Ok(changed)
    })?;
    Ok(ChangedActions { changed })
}

impl Operation for ApproveActions {
    type Response = ChangedActions;
    type Error = ChangeActionsError;

    const NAME: &'static str = "action approve";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedActions, ChangeActionsError> {
        let approve = |db: &Connection, action| actions::approve(db, action, context.who);
        change(context, (Self::NAME, ""), &self.actions, approve)
    }
}

impl Operation for RefuseActions {
    type Response = ChangedActions;
    type Error = ChangeActionsError;

    const NAME: &'static str = "action refuse";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedActions, ChangeActionsError> {
        let RefuseActions { actions, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(ChangeActionsError::NoReason);
        }
        let refuse = |db: &Connection, action| actions::refuse(db, action, reason);
        change(context, (Self::NAME, reason), &actions, refuse)
    }
}

impl Operation for UndoActions {
    type Response = ChangedActions;
    type Error = ChangeActionsError;

    const NAME: &'static str = "action undo";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedActions, ChangeActionsError> {
        let UndoActions { actions, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(ChangeActionsError::NoReason);
        }
        change(context, (Self::NAME, reason), &actions, actions::undo)
    }
}

impl Operation for RequestAction {
    type Response = ChangedActions;
    type Error = RequestActionError;

    const NAME: &'static str = "action request";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedActions, RequestActionError> {
        let RequestAction { id, action, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(RequestActionError::NoReason);
        }
        let unreadable = |cause| JournalError::Flow { flow: context.flow.into(), cause };
        let file = file::outline(context.flow).map_err(unreadable)?;
        if !file.actions.iter().any(|known| known.name == action) {
            return Err(RequestActionError::NoAction { action });
        }
        let case = context.read(|db| investigation::case(db, id))?;
        let case = case.ok_or(RequestActionError::NoCase { id })?;
        if context.read(|db| is_erased(db, &case.key))? {
            return Err(RequestActionError::Erased { id });
        }
        let now_ms = now_ms();
        let message = Message {
            action: action.clone(),
            node: case.node,
            subject: case.subject,
            key: case.key,
            at: shown(now_ms),
            score: case.score,
            severity: case.severity,
            fraud_type: case.fraud_types.into_iter().next(),
            because: reason.to_owned(),
            requested_by: Some(context.who.to_owned()),
            ..Message::default()
        };
        let origin = format!("case-{id}-{now_ms}");
        let requested = Requested { message, origin, rule_waits: false };
        context.change(Self::NAME, |db, author| {
            let number = actions::request(db, requested, now_ms)?;
            let subject = format!("action {number} \"{action}\" for case {id}");
            author.record(db, &subject, reason)?;
            investigation::requested(db, id, (context.who, now_ms), (&action, reason))
        })?;
        Ok(ChangedActions { changed: 1 })
    }
}
