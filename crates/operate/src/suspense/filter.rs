//! The records that a request is about.

use ::suspense::{Filter, State, Why};
use flow::flow_journal::JournalError;
use serde::Deserialize;
use store::Connection;
use utoipa::ToSchema;

use crate::context::Context;
use crate::moment::Moment;
use crate::privacy::{SubscriberAccess, SubscriberDataError};
use crate::refusals;

/// The filter of records. A record has to meet all given conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct RecordFilter {
    /// Only records of this network element.
    pub network_element: Option<String>,
    /// Only records of files with this name.
    pub file: Option<String>,
    /// Only records that this node or system refused; empty for records that could not be decoded.
    pub node: Option<String>,
    /// Only records whose error contains this text. Needs the role that sees subscriber data.
    pub reason: Option<String>,
    /// Only records whose error has this code.
    pub code: Option<String>,
    /// Only records with this error, whatever its values: the `template` of a group of records.
    pub template: Option<String>,
    /// Only records with this value in their error. Needs the role that sees subscriber data.
    pub value: Option<String>,
    /// Only records that are in suspense for this reason.
    pub why: Option<Why>,
    /// Only records of files that were done at this time or later.
    pub from: Option<Moment>,
    /// Only records of files that were done before this time.
    pub to: Option<Moment>,
    /// Only records in this state. Requests that change records are for records in one state, and refuse any other.
    pub state: Option<StateFilter>,
    /// Only records with this number or a smaller one. It excludes records that arrived after a list was shown.
    pub up_to: Option<i64>,
    /// Only so many records, the oldest.
    pub records_max: Option<u64>,
}

/// The state of a record in suspense, or all states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateFilter {
    /// Records that are neither retried nor discarded. This is the default.
    Open,
    /// Records whose retry succeeded.
    Retried,
    /// Records that a user gave up.
    Discarded,
    /// All records.
    All,
}

impl StateFilter {
    fn state(self) -> Option<State> {
        match self {
            StateFilter::Open => Some(State::Open),
            StateFilter::Retried => Some(State::Retried),
            StateFilter::Discarded => Some(State::Discarded),
            StateFilter::All => None,
        }
    }
}

/// Refuses a filter by a name or a code that neither the flow nor the journal has.
pub(super) fn known(context: &Context<'_>, filter: &Filter) -> Result<(), JournalError> {
    ::suspense::known(context.flow, filter)?;
    known_code(context, filter.code.as_deref())
}

/// Refuses a code that no error has, or had in a version that wrote the journal. An empty one is that of errors of
/// versions without codes.
pub(crate) fn known_code(context: &Context<'_>, code: Option<&str>) -> Result<(), JournalError> {
    let Some(code) = code.filter(|code| !code.is_empty()) else { return Ok(()) };
    let mut codes = context.parts.codes.iter().flat_map(|codes| codes());
    let mut is_listed = || codes.any(|known| known.code == code);
    let is_noted =
        |db: &Connection| db.prepare("SELECT 1 FROM reason WHERE code = ?")?.exists([code]);
    match is_listed() || context.read(is_noted)? {
        true => Ok(()),
        false => Err(JournalError::UnknownCode(code.to_owned())),
    }
}

impl RecordFilter {
    /// Returns the filter of the journal's records.
    ///
    /// # Errors
    ///
    /// It is by a value of records, and the caller does not see subscriber data.
    pub(super) fn records(self, access: &SubscriberAccess) -> Result<Filter, SubscriberDataError> {
        if self.is_by_value() {
            access.allow("a filter by the text or a value of an error")?;
        }
        Ok(self.known())
    }

    /// Returns whether the filter has a text that may be subscriber data.
    fn is_by_value(&self) -> bool {
        self.reason.is_some() || self.value.is_some()
    }

    /// Returns the search by a value, for the audit trail. `None` if there is none.
    pub(super) fn viewed(&self) -> Option<String> {
        let by = |what: &str, of: &Option<String>| {
            of.as_ref().map(|text| format!("records whose error {what} \"{text}\""))
        };
        let both = [by("contains", &self.reason), by("has the value", &self.value)];
        let both: Vec<String> = both.into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join(", "))
    }

    fn known(self) -> Filter {
        let RecordFilter {
            network_element,
            file,
            node,
            reason,
            code,
            template,
            value,
            why,
            from,
            to,
            state,
            up_to,
            records_max,
        } = self;
        Filter {
            ids: None,
            network_element,
            file,
            node,
            reason,
            code,
            template,
            value,
            why,
            from_ms: from.map(|from| from.ms),
            to_ms: to.map(|to| to.ms),
            up_to,
            state: state.unwrap_or(StateFilter::Open).state(),
            limit: records_max,
        }
    }
}

/// The records that a request changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct ChosenRecords {
    /// The numbers of the records.
    pub ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    pub filter: Option<RecordFilter>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    pub all: bool,
}

refusals! {
    /// Why a choice of records is refused.
    pub enum ChoiceError {
        /// Neither numbers nor conditions nor all records are given.
        Nothing => Wrong "records-not-chosen"
            "say which records are meant: their numbers, a condition, or all",
        /// The filter is for records in another state.
        State { /** What the records must be. */ must: &'static str } => Wrong "records-in-other-state"
            "only records that {must} can be changed by this",
        /// The role does not see subscriber data.
        SubscriberData(SubscriberDataError) => [Forbidden],
    }
}

impl ChosenRecords {
    /// Returns the filter of the chosen records, which are in one state. A choice of records in another state is refused:
    /// it would change other records than it names.
    pub(super) fn in_state(
        self,
        state: State,
        access: &SubscriberAccess,
    ) -> Result<Filter, ChoiceError> {
        let ChosenRecords { ids, filter, all } = self;
        let filter = filter.unwrap_or_default();
        if filter.state.is_some_and(|of| of.state() != Some(state)) {
            let must = match state {
                State::Open => "are open",
                State::Retried => "were retried",
                State::Discarded => "were discarded",
            };
            return Err(ChoiceError::State { must });
        }
        let filter = Filter { ids, state: Some(state), ..filter.records(access)? };
        match filter.is_all() && !all {
            true => Err(ChoiceError::Nothing),
            false => Ok(filter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::SubscriberAccess;

    #[test]
    fn records_are_chosen_in_one_state_and_never_all_because_nothing_was_given() {
        let chosen = |filter: RecordFilter, all| {
            let chosen = ChosenRecords { ids: None, filter: Some(filter), all };
            chosen.in_state(State::Open, &SubscriberAccess::everything()).map(|filter| filter.state)
        };
        let in_state = |state| RecordFilter { state: Some(state), ..RecordFilter::default() };
        let of_file = |state| RecordFilter { file: Some("a".into()), ..in_state(state) };
        assert!(matches!(chosen(in_state(StateFilter::Open), true), Ok(Some(State::Open))));
        assert!(matches!(chosen(of_file(StateFilter::Open), false), Ok(Some(State::Open))));
        assert!(matches!(chosen(in_state(StateFilter::Open), false), Err(ChoiceError::Nothing)));
        for other in [StateFilter::Retried, StateFilter::Discarded, StateFilter::All] {
            assert!(matches!(chosen(of_file(other), true), Err(ChoiceError::State { .. })));
        }
        let none = ChosenRecords::default().in_state(State::Open, &SubscriberAccess::everything());
        assert!(matches!(none, Err(ChoiceError::Nothing)));
    }
}
