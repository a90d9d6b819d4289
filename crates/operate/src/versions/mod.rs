//! What the gateway answers to a changed flow.

use gateway::Answer;
use serde::Serialize;
use utoipa::ToSchema;

/// The answer of the gateway to a changed flow.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Activated {
    /// What the gateway does.
    pub answer: ActivationAnswer,
    /// The changes of the flow, in words, if the answer is `active` or `pending`.
    pub changed: Vec<String>,
    /// The mistakes, if the answer is `mistakes`; 100 at most.
    pub mistakes: Vec<String>,
}

/// `active`: the gateway runs the flow. `pending`: it runs it as soon as the files in work are
/// done. `mistakes`: the flow has mistakes, and the gateway goes on as before. `stopping`: the
/// gateway stops, and the next one runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationAnswer {
    /// The gateway runs the flow.
    Active,
    /// It runs the flow as soon as the files in work are done.
    Pending,
    /// The flow has mistakes.
    Mistakes,
    /// The gateway stops.
    Stopping,
}

impl From<Answer> for Activated {
    fn from(answer: Answer) -> Self {
        let of = |answer, changed, mistakes| Activated { answer, changed, mistakes };
        match answer {
            Answer::Active { changed, .. } => of(ActivationAnswer::Active, changed, Vec::new()),
            Answer::Pending { changed } => of(ActivationAnswer::Pending, changed, Vec::new()),
            Answer::Mistakes { mistakes, .. } => {
                of(ActivationAnswer::Mistakes, Vec::new(), mistakes)
            }
            Answer::Stopping => of(ActivationAnswer::Stopping, Vec::new(), Vec::new()),
        }
    }
}
