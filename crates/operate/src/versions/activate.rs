//! Activates a version.

use ::versions::{BaseState, PreparedActivation, StoredProposal, VersionError, VersionStore};
use flow::privacy::Privacy;
use gateway::Answer;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::Rights;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Activates a version.
///
/// The files of the version replace those on the disk, and the gateway switches to them without a stop. If the version
/// has mistakes, the files on the disk are restored. Where the flow wants a second person, the first request proposes the
/// version, and that of another user activates it. A version that changes who sees subscriber data needs the role
/// administrator.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ActivateVersion {
    /// The number of the version.
    pub version: i64,
    /// The reason, for the version and the audit trail. It must not be empty.
    pub because: String,
    /// The digest of the flow file that the client has seen. The request is refused if the flow file on the disk is
    /// another one by now.
    pub based_on: Option<String>,
    /// The digest `found` from when the version was saved or read. The request is refused if any file on the disk has
    /// changed since.
    pub found: Option<String>,
}

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

/// `active`: the gateway runs the flow. `pending`: it runs it as soon as the files in work are done. `mistakes`: the
/// flow has mistakes, and the gateway goes on as before. `stopping`: the gateway stops, and the next one runs it.
/// `proposed`: nothing has changed; another user has to activate the version, too.
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
    /// Another user has to activate the version, too.
    Proposed,
}

refusals! {
    /// Why a version is not activated.
    pub enum ActivateError {
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The version changes `[privacy]`, and the caller could then see what is masked now.
        Privacy => Forbidden "privacy-needs-administrator"
            "this version changes [privacy], who sees subscriber data: that needs the role administrator",
        /// The version or the files of the flow do not allow it, or the gateway does not answer.
        Versions(VersionError) => [Unknown, Conflict, Wrong, NotReady],
    }
}

impl Activated {
    fn proposed() -> Self {
        let answer = ActivationAnswer::Proposed;
        Activated { answer, changed: Vec::new(), mistakes: Vec::new() }
    }
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

impl Operation for ActivateVersion {
    type Response = Activated;
    type Error = ActivateError;

    const NAME: &'static str = "versions activate";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Activated, ActivateError> {
        let ActivateVersion { version, because, based_on, found } = self;
        let because = reason(&because)?;
        let base = BaseState { flow: based_on.as_deref(), files: found.as_deref() };
        let store = context.shared.versions()?;
        let prepared = store.prepare(version, base)?;
        // No other activation changes the files between this check and the activation.
        if changes_privacy(context, version)? && context.rights < Rights::ADMINISTRATOR {
            return Err(ActivateError::Privacy);
        }
        let subject = format!("version {version}");
        Ok(activate_prepared(context, (&store, prepared), (Self::NAME, &subject, because))?)
    }
}

/// Returns whether a version has other settings of privacy than the flow file on the disk. One that cannot be read has
/// none: the gateway refuses it.
fn changes_privacy(context: &Context<'_>, version: i64) -> Result<bool, VersionError> {
    let (_, mut found) = context.shared.versions()?.get(version)?;
    let text = found.files.remove("").unwrap_or_default();
    let new = Privacy::parsed(context.flow, text);
    Ok(new.is_some_and(|new| new != Privacy::of_flow(context.flow)))
}

/// Activates a version, with an entry in the audit trail: an action, its subject and its reason. The entry is made before
/// the first file changes, so no change is without one. If the version does not become active after all, another entry
/// says so. Where the flow wants a second person, the version is proposed instead, unless another user has done that.
///
/// # Errors
///
/// The version or the files of the flow do not allow it, the journal cannot be written, or the gateway does not answer.
pub(super) fn activate_recorded(
    context: &Context<'_>,
    (version, base): (i64, BaseState<'_>),
    (action, subject, because): (&str, &str, &str),
) -> Result<Activated, VersionError> {
    let store = context.shared.versions()?;
    let prepared = store.prepare(version, base)?;
    activate_prepared(context, (&store, prepared), (action, subject, because))
}

/// As [`activate_recorded`], for a version whose activation is prepared.
fn activate_prepared(
    context: &Context<'_>,
    (store, prepared): (&VersionStore, PreparedActivation<'_>),
    (action, subject, because): (&str, &str, &str),
) -> Result<Activated, VersionError> {
    let note = |reason: &str| {
        context.change(action, |db, author| author.record(db, subject, reason).map(drop))
    };
    let because = match store.wants_second_person() {
        false => because.to_owned(),
        true => match prepared.proposal()? {
            Some(proposal) if is_second_person(context, &proposal) => {
                format!("{because} (proposed by {}: {})", proposal.who, proposal.because)
            }
            proposal => {
                if proposal.is_none_or(|proposal| replaces(context, &proposal)) {
                    note(&format!("proposed: {because}"))?;
                    prepared.propose(activation(context, because))?;
                }
                return Ok(Activated::proposed());
            }
        },
    };
    note(&because)?;
    let answer = prepared.activate(activation(context, &because));
    if let Some(why) = why_not_active(&answer)
        && let Err(error) = note(&format!("not active: {why}"))
    {
        tracing::error!(
            target: "flow::asking",
            "the audit trail does not say that \"{subject}\" is not active ({why}): {error}"
        );
    }
    answer.map(Activated::from)
}

fn activation<'a>(context: &Context<'a>, because: &'a str) -> ::versions::Activation<'a> {
    ::versions::Activation { who: context.who, because, now_ms: now_ms() }
}

/// Returns whether the caller may activate what another person has proposed.
pub(super) fn is_second_person(context: &Context<'_>, proposal: &StoredProposal) -> bool {
    people::is_second_person(&proposal.who, context.who)
}

/// Returns whether the proposal of the caller takes the place of one by a token, which no person can second.
fn replaces(context: &Context<'_>, proposal: &StoredProposal) -> bool {
    people::is_token_author(&proposal.who) && !people::is_token_author(context.who)
}

/// Returns why a version did not become active; `None` if it did.
fn why_not_active(answer: &Result<Answer, VersionError>) -> Option<String> {
    match answer {
        Ok(Answer::Mistakes { .. }) => Some("the flow has mistakes".into()),
        // The gateway runs it. Only the list of activations lacks it.
        Ok(_) | Err(VersionError::Store(_)) => None,
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use journal::audit_trail;
    use store::Page;

    use super::*;
    use crate::context::testing::{break_trail, with_journal};
    use crate::refusal::Refusal as _;
    use crate::versions::{ListVersions, SaveVersion};

    /// Returns the actions and reasons in the audit trail, the newest first.
    fn entries(context: &Context<'_>) -> Vec<(String, String)> {
        let entries = context.read(|db| audit_trail::recent(db, &(0..i64::MAX), Page::newest(10)));
        let entries = entries.expect("the audit trail").into_iter();
        entries.map(|entry| (entry.action, entry.reason)).collect()
    }

    fn save(context: &Context<'_>) -> i64 {
        let request = SaveVersion { text: "# A draft.\n".into(), remark: "a draft".into() };
        request.perform(context).expect("a version").version
    }

    fn activate(context: &Context<'_>, version: i64, because: &str) -> &'static str {
        let because = because.to_owned();
        let request = ActivateVersion { version, because, ..ActivateVersion::default() };
        request.perform(context).expect_err("no gateway runs the flow").code()
    }

    #[test]
    fn a_second_person_has_neither_a_token_nor_the_login_of_the_first() {
        with_journal(|context| {
            let token = people::token_author("deploy");
            let is_second = |proposed: &str, who: &str| {
                let proposal = StoredProposal {
                    at: String::new(),
                    who: proposed.into(),
                    because: String::new(),
                    contents: String::new(),
                };
                is_second_person(&Context { who, ..context.clone() }, &proposal)
            };
            assert!(is_second("anna", "bo") && is_second("root (anna)", "bo"));
            assert!(!is_second("anna", "anna") && !is_second("root (anna)", "anna"));
            assert!(!is_second("anna", "root (anna)"));
            assert!(!is_second("anna", &token) && !is_second(&token, "anna"));
        });
    }

    #[test]
    fn only_administrators_change_who_sees_subscriber_data() {
        with_journal(|context| {
            let saved = |text: &str| {
                let request = SaveVersion { text: text.into(), remark: "privacy".into() };
                request.perform(context).expect("a version").version
            };
            let (private, other) = (saved("[privacy]\nrole = \"viewer\"\n"), saved("# none\n"));
            let strictest = saved("[privacy]\nrole = \"administrator\"\ncomponents = [\"*\"]\n");
            let code = |version, rights| {
                activate(&Context { rights, ..context.clone() }, version, "a test")
            };
            let operator = Rights::Role(Role::Operator);
            assert_eq!(code(private, operator), "privacy-needs-administrator");
            assert_eq!(code(strictest, operator), "privacy-needs-administrator");
            for (version, rights) in
                [(private, Rights::ADMINISTRATOR), (private, Rights::Machine), (other, operator)]
            {
                assert_ne!(code(version, rights), "privacy-needs-administrator");
            }
        });
    }

    #[test]
    fn an_activation_that_fails_has_an_entry_before_and_one_behind_and_changes_no_file() {
        with_journal(|context| {
            let version = save(context);
            assert_eq!(activate(context, version, "approved"), "gateway-does-not-answer");
            let entries = entries(context);
            let reasons: Vec<&str> = entries.iter().map(|(_, reason)| reason.as_str()).collect();
            assert!(reasons[0].starts_with("not active: no gateway runs"), "{reasons:?}");
            assert_eq!(reasons[1..], ["approved", "a draft"]);
            assert_eq!(std::fs::read_to_string(context.flow).expect("the flow file"), "");
            let versions = ListVersions::default().perform(context).expect("the versions").versions;
            assert!(versions.iter().all(|version| version.activated.is_empty()), "{versions:?}");
        });
    }

    #[test]
    fn nothing_is_entered_for_a_request_that_is_refused() {
        with_journal(|context| {
            let version = save(context);
            assert_eq!(activate(context, version, " "), "reason-missing");
            assert_eq!(activate(context, version + 1, "approved"), "version-unknown");
            assert_eq!(entries(context), [("versions save".to_owned(), "a draft".to_owned())]);
        });
    }

    #[test]
    fn no_version_is_saved_without_an_entry() {
        with_journal(|context| {
            break_trail(context);
            let request = SaveVersion { text: "# A draft.\n".into(), remark: String::new() };
            assert!(request.perform(context).is_err());
            let versions = ListVersions::default().perform(context).expect("the versions").versions;
            let remarks: Vec<&str> = versions.iter().map(|of| of.remark.as_str()).collect();
            assert_eq!(remarks, ["as it was found"]);
        });
    }
}
