//! Accepts missing sequence numbers as lost.

use assurance::{AcceptError, Acceptance, NotNumbers, Of, accept_missing};
use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, ReasonError, Refusal, RefusalKind, reason};
use crate::refusals;

/// Accepts missing sequence numbers as lost.
///
/// They are no longer missing in reports and alarms. A file or record that arrives after all counts as late.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AcceptMissing {
    /// The network element.
    pub network_element: String,
    /// What is counted.
    pub of: Counted,
    /// The name of the counter, if the network element has several.
    #[serde(default)]
    pub series: String,
    /// A number, or the first and the last one: `17`, `17-19`. The last is less than the first if the counter wrapped
    /// around.
    pub numbers: String,
    /// The reason, for the report and the audit trail. It must not be empty.
    pub because: String,
}

/// The kind of counter, as in a line of the report: of files or of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Files.
    File,
    /// Records.
    Record,
}

/// The result of accepting numbers.
#[derive(Debug, Serialize, ToSchema)]
pub struct AcceptedNumbers {
    /// How many of the numbers were missing and are accepted now.
    pub accepted: i64,
}

refusals! {
    /// Why numbers are not accepted as lost.
    pub enum AcceptMissingError {
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The text is neither a number nor the first and the last of several.
        Numbers(NotNumbers) => [Wrong],
        /// The numbers are not missing, or nothing has such numbers.
        Accept(AcceptError) => [Unknown, Conflict, Wrong],
        /// The network element is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Refusal for NotNumbers {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Wrong
    }

    fn code(&self) -> &'static str {
        "numbers-wrong"
    }

    fn possible() -> Vec<PossibleRefusal> {
        let text = "write a number, or the first and the last: 17-19";
        vec![PossibleRefusal { kind: RefusalKind::Wrong, text: Some(("numbers-wrong", text)) }]
    }
}

impl Refusal for AcceptError {
    fn kind(&self) -> RefusalKind {
        match self {
            AcceptError::Uncounted(_) => RefusalKind::Unknown,
            AcceptError::Swapped { .. } => RefusalKind::Wrong,
            AcceptError::NotMissing(_) => RefusalKind::Conflict,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            AcceptError::Uncounted(_) => "counter-unknown",
            AcceptError::Swapped { .. } => "numbers-swapped",
            AcceptError::NotMissing(_) => "numbers-not-missing",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of = |kind, code, text| PossibleRefusal { kind, text: Some((code, text)) };
        vec![
            of(RefusalKind::Unknown, "counter-unknown", "{counter} are not counted"),
            of(RefusalKind::Wrong, "numbers-swapped", "{first}-{last} goes round"),
            of(RefusalKind::Conflict, "numbers-not-missing", "none of them is missing"),
        ]
    }
}

impl Operation for AcceptMissing {
    type Response = AcceptedNumbers;
    type Error = AcceptMissingError;

    const NAME: &'static str = "sequence --accept";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<AcceptedNumbers, AcceptMissingError> {
        let acceptance = Acceptance {
            network_element: self.network_element,
            of: match self.of {
                Counted::File => Of::Files,
                Counted::Record => Of::Records,
            },
            series: self.series,
            numbers: Acceptance::numbers_of(&self.numbers)?,
            reason: reason(&self.because)?.to_owned(),
        };
        names::known(context.flow, Some(&acceptance.network_element))?;
        let accepted = context
            .change(Self::NAME, |db, author| accept_missing(db, &acceptance, author, now_ms()))??;
        Ok(AcceptedNumbers { accepted })
    }
}
