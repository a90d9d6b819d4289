//! What the other side of an action is sent.

use serde::{Deserialize, Serialize};

/// An action as it is sent: JSON for commands and webhooks, columns of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its identifier, the same each time that it is sent.
    pub id: String,
    /// The name of the action.
    pub action: String,
    /// Whether it is to be undone.
    #[serde(default)]
    pub undo: bool,
    /// The node whose rule found it, or whose case it is.
    pub node: String,
    /// What it is about, such as `caller`.
    pub subject: String,
    /// Which one it is, such as a number.
    pub key: String,
    /// When it was requested, or the time of the alert.
    pub at: String,
    /// The rule. Absent if a person requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The version of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_version: Option<String>,
    /// The points of the alert, or of the case.
    pub score: u32,
    /// How bad it is.
    pub severity: String,
    /// The type of fraud, if the rule says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraud_type: Option<String>,
    /// Why: the condition of the rule with its values, or what the person says.
    pub because: String,
    /// Who requested it. Absent for a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<String>,
}

impl Message {
    /// The names of its values, in the order of the columns of a record.
    pub(crate) const NAMES: [&'static str; 13] = [
        "id",
        "action",
        "undo",
        "node",
        "subject",
        "key",
        "at",
        "rule",
        "score",
        "severity",
        "type",
        "because",
        "requested-by",
    ];

    /// Returns its values, in the order of [`Message::NAMES`].
    pub(crate) fn values(&self) -> [String; 13] {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        [
            self.id.clone(),
            self.action.clone(),
            self.undo.to_string(),
            self.node.clone(),
            self.subject.clone(),
            self.key.clone(),
            self.at.clone(),
            text(&self.rule),
            self.score.to_string(),
            self.severity.clone(),
            text(&self.fraud_type),
            self.because.clone(),
            text(&self.requested_by),
        ]
    }

    /// Returns who or what requested it: a rule or a person.
    pub(crate) fn origin(&self) -> String {
        match (&self.rule, &self.requested_by) {
            (Some(rule), _) => format!("the rule {rule}"),
            (None, Some(person)) => person.clone(),
            (None, None) => String::new(),
        }
    }
}
