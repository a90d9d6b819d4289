//! Erases a subject.

use flow::flow_journal::JournalError;
use investigation::{ERASED, Erased};
use journal::audit_trail;
use people::Role;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::lists::listed;
use super::records::{self, CountError};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// What the key of an erased subject begins with. The number of the entry of the audit trail follows, so that what belonged together
/// still does.
const MARKER: &str = "erased-";

/// The most other keys that a response names.
const KEYS_MAX: usize = 100;

/// The digits of the digest of a key: enough to show later that it was erased.
const DIGEST_DIGITS: usize = 16;

/// Erases a subject by its key: what alerts, cases, steps and actions say about it, the records that alerts are about, and views of
/// it in the audit trail. What counts for rules stays: numbers, rules, points, times and decisions.
///
/// Actions that are open are refused, approved or done first. Lists stay as they are, and so do the files of records.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ForgetFraudSubject {
    /// The key, such as a number.
    pub key: String,
    /// Why, for the audit trail, which has a digest of the key alone. It must not be empty, and must not name the key.
    pub because: String,
}

/// What was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForgottenFraudSubject {
    /// What the subject is called from now on.
    pub marker: String,
    /// The number of alerts, whose keys and conditions were erased.
    pub alerts: usize,
    /// The number of records that these alerts were about.
    pub records: usize,
    /// The number of cases, whose keys and reasons were erased.
    pub cases: usize,
    /// The number of steps of these cases, whose remarks were erased.
    pub steps: usize,
    /// The number of actions, whose keys and reasons were erased. They cannot be undone any more.
    pub actions: usize,
    /// The number of entries of lists whose hits are counted without the key from now on.
    pub list_hits: usize,
    /// The number of records about the key that are in indexes, and are not found from now on. The files of the indexes are written without
    /// them within minutes, if the gateway runs. Those of the last seconds are not counted, and not found either.
    pub indexed: u64,
    /// The number of views and changes in the audit trail that do not name the key any more.
    pub trail: usize,
    /// The number of entries of the audit trail that still name the key, in what users have written.
    pub mentions: usize,
    /// The lists that have an entry of the key, and those that cannot be read: these are for people to change.
    pub lists: Vec<String>,
    /// Other keys that the key is part of, such as pairs: 100 at most. They are subjects of their own.
    pub other_keys: Vec<String>,
}

refusals! {
    /// Why a subject is not erased.
    pub enum ForgetFraudSubjectError {
        /// Actions about it are not over.
        OpenActions {
            /// Their numbers.
            actions: String,
        } => Conflict "subject-has-open-actions"
            "{actions} about the key wait or are being sent: approve or refuse them, or wait until they are done",
        /// Nothing is stored about the key.
        Unknown => Unknown "subject-unknown" "nothing is stored about this key",
        /// The reason names the key.
        NamedInReason => Wrong "reason-names-subject"
            "the reason names the key, and stays in the audit trail: write it without",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The role does not see subscriber data.
        SubscriberData(SubscriberDataError) => [Forbidden],
        /// An index cannot be read.
        Index(CountError) => [Conflict],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// What a transaction comes to.
enum Outcome {
    Unknown,
    Open(Vec<i64>),
    Forgotten(ForgottenFraudSubject),
}

impl Operation for ForgetFraudSubject {
    type Response = ForgottenFraudSubject;
    type Error = ForgetFraudSubjectError;

    const NAME: &'static str = "fraud forget";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(
        self,
        context: &Context<'_>,
    ) -> Result<ForgottenFraudSubject, ForgetFraudSubjectError> {
        let ForgetFraudSubject { key, because } = self;
        context.subscriber_access().allow("the erasure of a subject")?;
        let (key, because) = (key.as_str(), reason(&because)?);
        if audit_trail::names(because, key) {
            return Err(ForgetFraudSubjectError::NamedInReason);
        }
        let lists = listed(context, key)?;
        let indexed = records::count(context, key)?;
        let outcome = context.change(Self::NAME, |db, author| {
            let open = actions::open_of_key(db, key)?;
            if !open.is_empty() {
                return Ok(Outcome::Open(open));
            }
            let naming = audit_trail::naming(db, key)?;
            let is_in_trail = !naming.views.is_empty() || !naming.changes.is_empty();
            let is_known = is_in_trail || indexed > 0;
            if !is_known && !investigation::knows(db, key)? && !actions::knows(db, key)? {
                return Ok(Outcome::Unknown);
            }
            let entry = author.record(db, &format!("subject {}", digest(db, key)?), because)?;
            let marker = format!("{MARKER}{entry}");
            let Erased { alerts, records, cases, steps, list_hits } =
                investigation::erase(db, key, &marker)?;
            let actions = actions::erase_of_key(db, key, (&marker, ERASED))?;
            audit_trail::forget_named(db, &naming)?;
            records::erase(db, key)?;
            let has_key = |other: &str| audit_trail::names(other, key);
            Ok(Outcome::Forgotten(ForgottenFraudSubject {
                marker,
                alerts,
                records,
                cases,
                steps,
                actions,
                list_hits,
                indexed,
                trail: naming.views.len() + naming.changes.len(),
                mentions: naming.mentions,
                lists: Vec::new(),
                other_keys: investigation::keys_with(db, key, has_key, KEYS_MAX)?,
            }))
        })?;
        match outcome {
            Outcome::Unknown => Err(ForgetFraudSubjectError::Unknown),
            Outcome::Open(open) => {
                let numbers: Vec<String> = open.iter().map(i64::to_string).collect();
                let what = if open.len() == 1 { "action" } else { "actions" };
                let actions = format!("{what} {}", numbers.join(", "));
                Err(ForgetFraudSubjectError::OpenActions { actions })
            }
            Outcome::Forgotten(forgotten) => {
                let own = lists.found.into_iter().filter(|of| of.entry.key == key);
                let mut names: Vec<String> = own.map(|of| of.list).chain(lists.unread).collect();
                names.dedup();
                Ok(ForgottenFraudSubject { lists: names, ..forgotten })
            }
        }
    }
}

/// Returns the digest of a key in a journal. Keys are few enough to try all, so it is one with the secret of the journal: the entry alone,
/// as it is shown and exported, does not tell the key.
fn digest(db: &Connection, key: &str) -> QueryResult<String> {
    let secret = state::key_index::secret(db)?;
    let mut digest = ::versions::digest([&secret, key.as_bytes()].concat());
    digest.truncate(DIGEST_DIGITS);
    Ok(digest)
}

/// Returns whether a key is that of an erased subject.
pub(crate) fn is_erased(db: &Connection, key: &str) -> QueryResult<bool> {
    match key.strip_prefix(MARKER).and_then(|entry| entry.parse().ok()) {
        Some(entry) => audit_trail::is_of(db, entry, ForgetFraudSubject::NAME),
        None => Ok(false),
    }
}
