//! What became of the alerts of rules.

use flow::flow_journal::JournalError;
use investigation::{RuleApproved, RuleFigures};
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::period::{Period, PeriodReadError};
use crate::refusals;

/// Says what became of the alerts of each rule: how many there are, how many cases they led to, and what these were decided to be.
///
/// The period chooses alerts by the time at which the rule fired.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportFraudRules {
    /// Only alerts of this period.
    #[serde(flatten)]
    pub period: Period,
}

/// What became of the alerts of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRules {
    /// The rules that run, and those that have alerts, by node and name.
    pub rules: Vec<RuleFigures>,
}

impl Operation for ReportFraudRules {
    type Response = FraudRules;
    type Error = PeriodReadError;

    const NAME: &'static str = "fraud rules";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudRules, PeriodReadError> {
        let of = self.period.range()?;
        let rules = context.read(|db| investigation::figures(db, &of))?;
        Ok(FraudRules { rules })
    }
}

/// Approves the version of a rule that runs, so that it may act. If two people must approve it, the second one makes it act.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApproveFraudRule {
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: String,
    /// The version, as the list of rules has it: another one that came meanwhile is not approved.
    pub version: String,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// How far the approval of a rule is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApprovedFraudRule {
    /// Whether another person must approve it, too.
    pub approved: RuleApproved,
}

refusals! {
    /// Why a rule is not approved.
    pub enum ApproveFraudRuleError {
        /// The request does not say why.
        NoReason => Wrong "rule-approval-without-reason" "say why: it is read by others",
        /// The version does not run, or the same person has approved it.
        NotApproved {
            /// The rule.
            rule: String,
            /// The version.
            version: String,
        } => Conflict "rule-not-approved" "the rule \"{rule}\" does not run as version {version}, or you have approved it already: another person must",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for ApproveFraudRule {
    type Response = ApprovedFraudRule;
    type Error = ApproveFraudRuleError;

    const NAME: &'static str = "fraud activate";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ApprovedFraudRule, ApproveFraudRuleError> {
        let ApproveFraudRule { node, rule, version, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(ApproveFraudRuleError::NoReason);
        }
        let approved = context.change(Self::NAME, |db, author| {
            let of = (node.as_str(), rule.as_str(), version.as_str());
            let approved = investigation::approve_rule(db, of, reason, (context.who, now_ms()))?;
            if approved.is_some() {
                author.record(db, &format!("rule \"{rule}\" of \"{node}\", {version}"), reason)?;
            }
            Ok(approved)
        })?;
        match approved {
            Some(approved) => Ok(ApprovedFraudRule { approved }),
            None => Err(ApproveFraudRuleError::NotApproved { rule, version }),
        }
    }
}
