//! Who sees subscriber data, and the entries of the audit trail for views of it.
//!
//! A role that the flow's `[privacy]` does not allow gets values masked (`inspection::masking`), and no search by a
//! value: what is found would tell what is masked. A view by anyone else is an entry of the audit trail: of a record, a
//! trace, a group or the counters of a subscriber, and of a search by a value. Lists make no entries, because the
//! interface reads them again every few seconds.

use flow::flow_journal::JournalError;
use flow::privacy::Audience;
use inspection::masking::Mask;
use journal::audit_trail;
use people::Role;
use runtime::time::now_ms;

use crate::context::Context;
use crate::refusals;

/// How long the same view by the same user needs no second entry: pages are loaded again, and searches go on.
const SAME_VIEW_MS: i64 = 10 * 60 * 1_000;

/// What the caller of an operation may do.
// In ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// That of the role of a user or a token.
    Role(Role),
    /// Everything. A command has them, since its user can read and write the files of the gateway. Views by it are not
    /// in the audit trail: an entry would only say what an honest user did.
    Machine,
}

impl Rights {
    /// The rights of an administrator.
    pub const ADMINISTRATOR: Rights = Rights::Role(Role::Administrator);
}

refusals! {
    /// Why subscriber data is not shown.
    pub enum SubscriberDataError {
        /// The role may not see it.
        Hidden {
            /// What needs the role.
            what: &'static str,
            /// The least role that may see it.
            role: Role,
        } => Forbidden "subscriber-data-hidden"
            "{what} needs the role {role}: others do not see subscriber data ([privacy] of the flow file)",
        /// The entry of the audit trail cannot be written. Queued in memory, it would be lost with the process.
        Unrecorded {
            /// Why.
            #[source]
            cause: JournalError,
        } => NotReady "view-not-recorded"
            "subscriber data is shown only with an entry in the audit trail, and that cannot be written now",
    }
}

/// The access of a caller to subscriber data.
#[derive(Clone, Debug)]
pub struct SubscriberAccess {
    /// The mask, if the caller does not see it.
    mask: Option<Mask>,
    /// The least role that sees it.
    role: Role,
    /// Whether views are recorded.
    is_recorded: bool,
    /// Whether the caller may see one thing unmasked after giving a reason.
    may_unmask: bool,
}

impl Context<'_> {
    /// Returns the access of the caller to subscriber data, by the flow file as it is on the disk.
    pub fn subscriber_access(&self) -> SubscriberAccess {
        let Rights::Role(role) = self.rights else {
            return SubscriberAccess::everything();
        };
        let privacy = self.shared.privacy();
        let least = least(privacy.audience);
        let may_unmask = privacy.unmask.is_some_and(|audience| role >= self::least(audience));
        let mask = (role < least).then(|| Mask::new(privacy));
        SubscriberAccess { is_recorded: mask.is_none(), may_unmask, mask, role: least }
    }

    /// Makes an entry of the audit trail for a view that the caller has a reason for. Each has an entry of its own.
    ///
    /// # Errors
    ///
    /// The journal cannot be written. Then the view must not be shown.
    pub fn record_unmasking(
        &self,
        action: &str,
        subject: &str,
        reason: &str,
    ) -> Result<(), SubscriberDataError> {
        self.change(action, |db, author| author.record_view_because(db, subject, reason).map(drop))
            .map_err(|cause| SubscriberDataError::Unrecorded { cause })
    }

    /// Makes an entry of the audit trail for a view of subscriber data, unless the caller does not see it, or has just
    /// seen the same.
    ///
    /// # Errors
    ///
    /// The journal cannot be written. Then the view must not be shown.
    pub fn record_view(
        &self,
        access: &SubscriberAccess,
        action: &str,
        subject: &str,
    ) -> Result<(), SubscriberDataError> {
        if !access.is_recorded {
            return Ok(());
        }
        let since_ms = now_ms().saturating_sub(SAME_VIEW_MS);
        let of = audit_trail::Deed { who: self.who, action, subject };
        let recorded =
            self.read(|db| audit_trail::is_recent(db, of, since_ms)).and_then(|is| match is {
                true => Ok(()),
                false => {
                    self.change(action, |db, author| author.record_view(db, subject).map(drop))
                }
            });
        recorded.map_err(|cause| SubscriberDataError::Unrecorded { cause })
    }
}

impl SubscriberAccess {
    /// Returns the access of a caller who sees everything, without an entry.
    pub(crate) fn everything() -> Self {
        SubscriberAccess { mask: None, role: Role::Viewer, is_recorded: false, may_unmask: false }
    }

    /// Returns the mask. `None` if the caller sees subscriber data.
    pub fn mask(&self) -> Option<&Mask> {
        self.mask.as_ref()
    }

    /// Returns whether subscriber data is masked.
    pub fn is_masked(&self) -> bool {
        self.mask.is_some()
    }

    /// Returns whether the caller sees masked values, and may see one thing unmasked after giving a reason.
    pub fn may_unmask(&self) -> bool {
        self.is_masked() && self.may_unmask
    }

    /// Refuses what only users may do who see subscriber data.
    ///
    /// # Errors
    ///
    /// The caller does not see it.
    pub fn allow(&self, what: &'static str) -> Result<(), SubscriberDataError> {
        match self.mask {
            None => Ok(()),
            Some(_) => Err(SubscriberDataError::Hidden { what, role: self.role }),
        }
    }
}

fn least(audience: Audience) -> Role {
    match audience {
        Audience::Viewers => Role::Viewer,
        Audience::Operators => Role::Operator,
        Audience::Administrators => Role::Administrator,
    }
}

/// Returns whether a member of a response that says that it is masked is left out.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it so.
pub(crate) fn is_whole(masked: &bool) -> bool {
    !masked
}

/// What callers see in tests of operations.
#[cfg(test)]
mod tests {
    use inspection::masking::HIDDEN;
    use store::Page;

    use super::*;
    use crate::context::testing::with_journal;
    use crate::operation::Operation as _;
    use crate::refusal::Refusal as _;
    use crate::trail::ListTrail;

    #[test]
    fn the_role_of_the_flow_file_sees_subscriber_data_and_a_command_always() {
        with_journal(|context| {
            let is_masked =
                |rights| Context { rights, ..context.clone() }.subscriber_access().is_masked();
            let masked_roles = || Role::ALL.map(|role| is_masked(Rights::Role(role)));
            assert_eq!(masked_roles(), [true, false, false]);
            for (text, expected) in [
                ("[privacy]\nrole = \"viewer\"\n", [false, false, false]),
                ("[privacy]\nrole = \"administrator\"\n", [true, true, false]),
                ("[privacy\n", [true, true, false]),
            ] {
                std::fs::write(context.flow, text).expect("the flow file");
                assert_eq!(masked_roles(), expected, "{text}");
                assert!(!is_masked(Rights::Machine));
            }
        });
    }

    #[test]
    fn the_same_view_has_one_entry_in_ten_minutes_and_a_masked_one_none() {
        with_journal(|context| {
            let entries = || {
                let found = context
                    .read(|db| audit_trail::recent(db, &(i64::MIN..i64::MAX), Page::newest(100)));
                let found = found.expect("the entries").into_iter();
                found.map(|entry| format!("{}: {}", entry.who, entry.subject)).collect::<Vec<_>>()
            };
            let view = |who, role, subject| {
                let context = Context { who, rights: Rights::Role(role), ..context.clone() };
                let access = context.subscriber_access();
                context.record_view(&access, "suspense show", subject).expect("it is recorded");
            };
            view("anna", Role::Operator, "record 1");
            view("anna", Role::Operator, "record 1");
            view("eve", Role::Viewer, "record 1");
            view("bert", Role::Administrator, "record 1");
            view("anna", Role::Operator, "record 2");
            view("anna", Role::Operator, "record 1");
            assert_eq!(entries(), ["anna: record 2", "bert: record 1", "anna: record 1"]);
            let old = |db: &store::Connection| {
                db.execute("UPDATE trail SET at_ms = at_ms - ?", [SAME_VIEW_MS]).map(drop)
            };
            flow::flow_journal::change(context.flow, old).expect("the change");
            view("anna", Role::Operator, "record 1");
            assert_eq!(entries().len(), 4);
        });
    }

    #[test]
    fn the_subject_of_a_view_is_hidden_from_who_is_masked_and_forgotten_later() {
        with_journal(|context| {
            let context = Context { rights: Rights::Role(Role::Operator), ..context.clone() };
            let access = context.subscriber_access();
            context.record_view(&access, "tariff counters show", "account bo").expect("a view");
            let reset = |db: &store::Connection, author: &audit_trail::Author<'_>| {
                author.record(db, "node rate", "they asked").map(drop)
            };
            context.change("counters reset", reset).expect("a change");
            let subjects = |role| {
                let context = Context { rights: Rights::Role(role), ..context.clone() };
                let trail = ListTrail::default().perform(&context).expect("the trail");
                trail.entries.into_iter().map(|entry| entry.subject).collect::<Vec<_>>()
            };
            assert_eq!(subjects(Role::Operator), ["node rate", "account bo"]);
            assert_eq!(subjects(Role::Viewer), ["node rate", HIDDEN]);
            let forget = |db: &store::Connection| audit_trail::forget(db, i64::MAX);
            flow::flow_journal::change(context.flow, forget).expect("it is forgotten");
            assert_eq!(subjects(Role::Operator), ["node rate", ""]);
            assert_eq!(subjects(Role::Viewer), ["node rate", ""]);
        });
    }

    #[test]
    fn a_view_that_cannot_be_recorded_is_refused() {
        with_journal(|context| {
            let context = Context { rights: Rights::Role(Role::Operator), ..context.clone() };
            let access = context.subscriber_access();
            let block = |db: &store::Connection| {
                db.execute_batch(
                    "CREATE TRIGGER full BEFORE INSERT ON trail BEGIN SELECT RAISE(ABORT, 'full'); END",
                )
            };
            flow::flow_journal::change(context.flow, block).expect("a full disk");
            let refused = context.record_view(&access, "suspense show", "record 1");
            assert_eq!(refused.expect_err("a refusal").code(), "view-not-recorded");
        });
    }
}
