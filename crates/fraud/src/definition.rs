//! What rules there are, and what they read.

use std::sync::Arc;
use std::time::Duration;

use clocks::Clock;
use dup::Program;
use measures::{Layout, Moment, Seconds};
use node::{AlertPolicy, RuleSummary, RuleTexts, Severity};
use record::TypeId;

use crate::form::Form;
use crate::lists::List;
use crate::watermark::Patience;

/// How long a network element is waited for, in seconds, by default.
const IDLE: Seconds = 3_600;

/// The rules of a node.
#[derive(Debug)]
pub struct Rules {
    pub(crate) node: String,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) patience: Patience,
    /// What makes profiles.
    pub(crate) form: Form,
    /// The clock of calendar windows.
    pub(crate) clock: Clock,
    pub(crate) lists: Vec<List>,
    pub(crate) alert_policy: AlertPolicy,
    /// How long it is stored which records are about a key, if it is.
    pub(crate) index: Option<Duration>,
    /// A digest of which rules there are, in their order.
    pub(crate) digest: [u8; 8],
}

/// Whom rules are about, such as a caller.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// What makes its keys.
    pub key: String,
    /// The measures of all its rules, each once.
    pub layout: Layout,
    /// For each measure, what makes its values: its kind, window, records and values.
    pub identities: Vec<String>,
    /// How many values of the record its conditions read.
    pub of_record: usize,
    /// The type of what conditions read: a number for each measure, then one for each value of the record.
    pub values: TypeId,
    /// How many conditions over the record say whose a record is.
    pub filters: usize,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// A rule about a subject.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// A digest of its text.
    pub version: String,
    /// The condition that says which records are its own, by its place among those of the subject. `None`: all are.
    pub filter: Option<usize>,
    /// When it is judged.
    pub occasion: Occasion,
    /// When it fires.
    pub condition: Condition,
    /// After an alert, there is no other one about the same key for so long, in seconds.
    pub again: Seconds,
    /// The points of an alert.
    pub score: u32,
    /// The measure of its recent records, by its place, if an alert has them.
    pub evidence: Option<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// The type of fraud that it finds, if it says one.
    pub fraud_type: Option<String>,
    /// Whether its alerts are only counted: a rule is tried out before anything depends on it.
    pub is_shadow: bool,
    /// The names of the actions that its alerts request.
    pub actions: Arc<[String]>,
    /// What its file says for people.
    pub texts: RuleTexts,
    /// The lists, by their places, whose keys it does not fire for.
    pub except: Vec<usize>,
    /// The lists, by their places: it fires for their keys alone, if there are any.
    pub only: Vec<usize>,
    /// The rule, by its place, that says the same of a greater number: if that fires, too, this one makes no alert.
    pub covered_by: Option<usize>,
}

/// When a rule is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// With each record of its own, once that is counted.
    Record,
    /// Of each key, when an hour or a day of the clock is over and no record of it can come any more. The length is in seconds.
    EndOf(Seconds),
}

/// When a rule fires.
#[derive(Debug)]
pub enum Condition {
    /// A measure is so great.
    AtLeast {
        /// The place of the measure in the layout.
        measure: usize,
        /// The number.
        least: i64,
        /// What is counted, for people: `events`.
        name: String,
    },
    /// A measure is as great as a limit of the record's own: one of these at least.
    Limits(Vec<Limit>),
    /// A condition of the script language.
    Written {
        /// Its program, of one function over the values of the subject.
        program: Arc<Program>,
        /// Its text, in parts.
        parts: Vec<ConditionPart>,
        /// A measure that must be so great at least, by its place, if there is one: then most records need no look at the rest.
        least: Option<(usize, i64)>,
    },
}

/// The limit of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name of the measure, for people.
    pub name: String,
    /// The place of its value.
    pub measure: usize,
    /// The place of the limit, among the values of the record. A record without it has no limit.
    pub limit: usize,
}

/// A part of the text of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionPart {
    /// The text, until the end of a name.
    pub text: String,
    /// The place of the value that is named, if there is one. The last part has none.
    pub value: Option<usize>,
}

impl Condition {
    /// Returns a measure that must be so great at least, by its place.
    pub(crate) fn least(&self) -> Option<(usize, i64)> {
        match self {
            Condition::AtLeast { measure, least, .. } => Some((*measure, *least)),
            Condition::Limits(_) => None,
            Condition::Written { least, .. } => *least,
        }
    }

    /// Returns the places of the measures that it reads, of a layout with so many.
    pub(crate) fn measures(&self, count: usize) -> Vec<usize> {
        match self {
            Condition::AtLeast { measure, .. } => vec![*measure],
            Condition::Limits(limits) => limits.iter().map(|limit| limit.measure).collect(),
            Condition::Written { parts, .. } => {
                let read = parts.iter().filter_map(|part| part.value);
                read.filter(|place| *place < count).collect()
            }
        }
    }

    /// Returns the condition with each value behind its name: `calls 231 >= 200`.
    pub(crate) fn with_values(&self, mut value_of: impl FnMut(usize) -> Option<i64>) -> String {
        if let Condition::Limits(limits) = self {
            let reached = limits.iter().filter_map(|Limit { name, measure, limit }| {
                let (value, limit) = (value_of(*measure)?, value_of(*limit)?);
                (value >= limit).then(|| format!("{name} {value} >= {limit}"))
            });
            return reached.collect::<Vec<_>>().join(" && ");
        }
        let mut shown = |value: usize| match value_of(value) {
            Some(number) => format!(" {number}"),
            None => " absent".to_owned(),
        };
        match self {
            Condition::AtLeast { measure, least, name } => {
                format!("{name}{} >= {least}", shown(*measure))
            }
            Condition::Limits(_) => String::new(),
            Condition::Written { parts, .. } => {
                let part = |ConditionPart { text, value }: &ConditionPart| {
                    format!("{text}{}", value.map(&mut shown).unwrap_or_default())
                };
                parts.iter().map(part).collect()
            }
        }
    }
}

impl Rules {
    /// Returns the rules of a node about some subjects. A record that is later than `late` seconds does not count. `common` says on what
    /// all measures depend, besides what their subjects say.
    pub fn new(node: String, subjects: Vec<Subject>, late: Seconds, common: &str) -> Self {
        let form = Form::of(&subjects, common);
        let mut digest = blake3::Hasher::new();
        for rule in subjects.iter().flat_map(|subject| &subject.rules) {
            for text in [&rule.name, &rule.version] {
                digest.update(&(text.len() as u64).to_le_bytes());
                digest.update(text.as_bytes());
            }
        }
        let digest = *digest.finalize().as_bytes().first_chunk().expect("a digest has 32 octets");
        let clock = Clock::utc();
        let alert_policy =
            AlertPolicy { case_at: 50, case_within_s: 86_400, rule_approvals: 0, behind_s: None };
        let lists = Vec::new();
        let patience = Patience { late, idle: IDLE };
        Rules { node, subjects, patience, form, digest, clock, lists, alert_policy, index: None }
    }

    /// Sets the clock of calendar windows, which is that of UTC otherwise.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Rules { clock, ..self }
    }

    /// Sets how long a network element may bring no file, or be behind the others, and is still waited for: an hour otherwise.
    #[must_use]
    pub fn with_idle(self, idle: Seconds) -> Self {
        let patience = Patience { idle, ..self.patience };
        Rules { patience, ..self }
    }

    /// Sets the lists of keys that rules name.
    #[must_use]
    pub fn with_lists(self, lists: Vec<List>) -> Self {
        Rules { lists, ..self }
    }

    /// Sets what comes of alerts: a case with 50 points within a day otherwise, and actions without an approval of the rule.
    #[must_use]
    pub fn with_alert_policy(self, alert_policy: AlertPolicy) -> Self {
        Rules { alert_policy, ..self }
    }

    /// Sets how long it is stored which records are about a key. Otherwise, it is not.
    #[must_use]
    pub fn with_index(self, index: Option<Duration>) -> Self {
        Rules { index, ..self }
    }

    /// Returns its rules, for people. The two bands of a table of limits are one rule.
    pub(crate) fn summaries(&self) -> Vec<RuleSummary> {
        let mut summaries: Vec<RuleSummary> = Vec::new();
        for subject in &self.subjects {
            for rule in &subject.rules {
                if summaries.iter().any(|known| known.name == rule.name) {
                    continue;
                }
                summaries.push(RuleSummary {
                    name: rule.name.clone(),
                    version: rule.version.clone(),
                    subject: subject.name.clone(),
                    fraud_type: rule.fraud_type.clone(),
                    is_shadow: rule.is_shadow,
                    actions: Arc::clone(&rule.actions),
                    texts: rule.texts.clone(),
                });
            }
        }
        summaries
    }

    /// Returns a moment of the clock.
    pub(crate) fn moment(&self, time: Seconds) -> Moment {
        let local = self.clock.at(time.into()).local;
        Moment { time, local: Seconds::try_from(local.max(0)).unwrap_or(Seconds::MAX) }
    }

    /// Returns whom rules are about.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}

impl Subject {
    /// Returns whether some of its rules are judged without a record. Then its keys are noted themselves.
    pub fn has_ends(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.occasion, Occasion::EndOf(_)))
    }

    /// Returns the lengths of hours and days at whose ends some of its rules are judged, each once.
    pub(crate) fn periods(&self) -> Vec<Seconds> {
        let period = |rule: &Rule| match rule.occasion {
            Occasion::EndOf(length) => Some(length),
            Occasion::Record => None,
        };
        let mut periods: Vec<Seconds> = self.rules.iter().filter_map(period).collect();
        periods.sort_unstable();
        periods.dedup();
        periods
    }

    /// Returns the octets that have a bit for each filter.
    pub(crate) fn filter_octets(&self) -> usize {
        self.filters.div_ceil(8)
    }
}
