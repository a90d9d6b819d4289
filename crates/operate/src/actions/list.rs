//! Lists actions.

use actions::{ListedActions, RequestedAction, Stop};
use flow::flow_journal::JournalError;
use inspection::masking::{masked_key, without_numbers};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Lists actions that rules and people have requested.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListActions {
    /// Only those that wait for people or for the other side.
    #[serde(default)]
    pub open: bool,
    /// Only those of this name.
    pub action: Option<String>,
    /// Only those about this key, such as a number. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of actions.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActionList {
    /// The actions.
    pub actions: Vec<RequestedAction>,
    /// Whether there are more.
    pub more: bool,
    /// That no action is sent. Absent if they are sent.
    pub stopped: Option<Stop>,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why actions are not listed.
    pub enum ListActionsError {
        /// The journal fails.
        Journal(JournalError) => [],
        /// The role does not see subscriber data, or the search cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ListActions {
    type Response = ActionList;
    type Error = ListActionsError;

    const NAME: &'static str = "action list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<ActionList, ListActionsError> {
        let ListActions { open, action, key, page } = self;
        let access = context.subscriber_access();
        if let Some(key) = &key {
            access.allow("a search by key")?;
            context.record_view(&access, Self::NAME, &format!("actions about \"{key}\""))?;
        }
        let listed = ListedActions { open, action: action.as_deref(), key: key.as_deref() };
        let ((mut actions, more), stopped) = context
            .read(|db| Ok((actions::list(db, listed, page.rows())?, actions::stopped(db)?)))?;
        if access.is_masked() {
            actions.iter_mut().for_each(mask);
        }
        Ok(ActionList { actions, more, stopped, masked: access.is_masked() })
    }
}

/// Masks what an action says of a subscriber.
pub(crate) fn mask(action: &mut RequestedAction) {
    action.key = masked_key(&action.key);
    action.because = without_numbers(&action.because);
    action.problem = action.problem.as_deref().map(without_numbers);
}
