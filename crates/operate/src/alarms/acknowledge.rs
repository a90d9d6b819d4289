//! Acknowledges alarms.

use alarm::{AcknowledgementState, Selection};
use flow::flow_journal::JournalError;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// The action in the audit trail, and the command, if an acknowledgement is taken back.
const UNACKNOWLEDGE: &str = "alarms unacknowledge";

/// Acknowledges alarms, or takes an acknowledgement back.
///
/// Alarms that are cleared, or that are in the requested state already, stay as they are. An alarm has to meet all given
/// conditions.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AcknowledgeAlarms {
    /// Only alarms with these numbers.
    #[serde(default)]
    pub numbers: Vec<i64>,
    /// Only alarms of this kind.
    pub kind: Option<String>,
    /// Only alarms about this object.
    pub subject: Option<String>,
    /// `true` for all raised alarms, if there is no other condition.
    #[serde(default)]
    pub all: bool,
    /// `true`, the default, to acknowledge the alarms, `false` to take the acknowledgement back.
    #[serde(default = "yes")]
    pub acknowledged: bool,
    /// A remark for other users and the audit trail.
    #[serde(default)]
    pub remark: String,
}

fn yes() -> bool {
    true
}

/// The result of acknowledging alarms.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedAlarms {
    /// The number of alarms that were changed.
    pub changed: usize,
}

refusals! {
    /// Why alarms are not acknowledged.
    pub enum AcknowledgeError {
        /// The request does not say which alarms.
        NothingChosen => Wrong "alarms-not-chosen"
            "say which alarms are meant: their numbers, their kind, their subject, or all",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl AcknowledgeAlarms {
    /// Returns the chosen alarms. Returns `None` if nothing is chosen, or all and some.
    fn selection(&self) -> Option<Selection> {
        let numbers = (!self.numbers.is_empty()).then(|| self.numbers.clone());
        let (kind, subject) = (self.kind.clone(), self.subject.clone());
        let are_some = numbers.is_some() || kind.is_some() || subject.is_some();
        (are_some != self.all).then_some(Selection { numbers, kind, subject })
    }
}

impl Operation for AcknowledgeAlarms {
    type Response = ChangedAlarms;
    type Error = AcknowledgeError;

    const NAME: &'static str = "alarms acknowledge";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME, UNACKNOWLEDGE];

    fn perform(self, context: &Context<'_>) -> Result<ChangedAlarms, AcknowledgeError> {
        let selection = self.selection().ok_or(AcknowledgeError::NothingChosen)?;
        let (state, action) = match self.acknowledged {
            true => (AcknowledgementState::Acknowledged, Self::NAME),
            false => (AcknowledgementState::Unacknowledged, UNACKNOWLEDGE),
        };
        let changed = context.change(action, |db, author| {
            alarm::acknowledge(db, now_ms(), &selection, state, author, self.remark.trim())
        })?;
        Ok(ChangedAlarms { changed })
    }
}
