//! Lists alerts.

use flow::flow_journal::JournalError;
use inspection::masking::{masked_key, without_numbers};
use investigation::{FoundAlert, ListedAlerts};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodError};
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Lists what the rules of fraud nodes have found, the newest first.
///
/// The period chooses alerts by the time at which the rule fired.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListFraudAlerts {
    /// Only alerts of this node.
    pub node: Option<String>,
    /// Only alerts of this rule.
    pub rule: Option<String>,
    /// Only alerts about this key, such as a number. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// Only alerts of this period.
    #[serde(flatten)]
    pub period: Period,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of alerts.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudAlerts {
    /// The alerts, the newest first.
    pub alerts: Vec<FoundAlert>,
    /// Whether there are more alerts.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why alerts are not listed.
    pub enum ListFraudAlertsError {
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// The journal fails.
        Journal(JournalError) => [],
        /// The role does not see subscriber data, or the search cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

/// Masks what tells a subscriber. With the digest, a key could be found by trying all.
pub(super) fn mask(alert: &mut FoundAlert) {
    alert.key = masked_key(&alert.key);
    alert.condition = without_numbers(&alert.condition);
    alert.digest = None;
}

impl Operation for ListFraudAlerts {
    type Response = FraudAlerts;
    type Error = ListFraudAlertsError;

    const NAME: &'static str = "fraud alerts";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudAlerts, ListFraudAlertsError> {
        let ListFraudAlerts { node, rule, key, period, page } = self;
        let (of, page) = (period.range()?, page.rows());
        let access = context.subscriber_access();
        if let Some(key) = &key {
            access.allow("a search by key")?;
            context.record_view(&access, Self::NAME, &format!("alerts about \"{key}\""))?;
        }
        let (node, rule, key) = (node.as_deref(), rule.as_deref(), key.as_deref());
        let listed = ListedAlerts { node, rule, key, case: None, of: &of };
        let (mut alerts, more) = context.read(|db| investigation::alerts(db, listed, page))?;
        if access.is_masked() {
            alerts.iter_mut().for_each(mask);
        }
        Ok(FraudAlerts { alerts, more, masked: access.is_masked() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_alert_tells_no_subscriber() {
        let mut alert = FoundAlert {
            id: 1,
            digest: Some("5f".repeat(16)),
            node: "calls".into(),
            rule: "swapped".into(),
            rule_version: "1".into(),
            subject: "pair".into(),
            key: "46701234567>46709876543".into(),
            at: "2026-06-01T12:00:00Z".into(),
            score: 10,
            severity: "warning".into(),
            fraud_type: None,
            shadow: false,
            case: None,
            condition: "last 46709876543 > 0 && calls 12 >= 10".into(),
            job: 7,
            network_element: None,
            file: None,
            record: 3,
            evidence: Vec::new(),
        };
        mask(&mut alert);
        let shown = serde_json::to_string(&alert).unwrap();
        for secret in ["46701234567", "46709876543", "5f5f"] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
        assert!(alert.condition.contains("calls 12 >= 10"), "{shown}");
    }
}
