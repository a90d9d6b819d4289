//! What rules there are, and what they read.

use std::sync::Arc;

use dup::Program;
use measures::{Layout, Seconds};
use record::TypeId;

/// The rules of a node.
#[derive(Debug)]
pub struct Rules {
    pub(crate) node: String,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) late: Seconds,
    pub(crate) form: String,
    /// A digest of which rules there are, in their order.
    pub(crate) digest: [u8; 8],
}

/// Whom rules are about, such as a caller.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// The measures of all its rules, each once.
    pub layout: Layout,
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
    /// When it fires.
    pub condition: Condition,
    /// After an alert, there is no other one about the same key for so long, in seconds.
    pub again: Seconds,
    /// The points of an alert.
    pub score: u32,
    /// The measure of its recent records, by its place, if an alert has them.
    pub evidence: Option<usize>,
}

/// When a rule fires, once the record is counted.
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
            Condition::Written { least, .. } => *least,
        }
    }

    /// Returns the condition with each value behind its name: `calls 231 >= 200`.
    pub(crate) fn with_values(&self, mut value_of: impl FnMut(usize) -> Option<i64>) -> String {
        let mut shown = |value: usize| match value_of(value) {
            Some(number) => format!(" {number}"),
            None => " absent".to_owned(),
        };
        match self {
            Condition::AtLeast { measure, least, name } => {
                format!("{name}{} >= {least}", shown(*measure))
            }
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
    /// Returns the rules of a node about some subjects. A record that is later than `late` seconds does not count. `form` says what
    /// makes the measures: profiles of other measures cannot be read.
    pub fn new(node: String, subjects: Vec<Subject>, late: Seconds, form: String) -> Self {
        let mut digest = blake3::Hasher::new();
        for rule in subjects.iter().flat_map(|subject| &subject.rules) {
            for text in [&rule.name, &rule.version] {
                digest.update(&(text.len() as u64).to_le_bytes());
                digest.update(text.as_bytes());
            }
        }
        let digest = *digest.finalize().as_bytes().first_chunk().expect("a digest has 32 octets");
        Rules { node, subjects, late, form, digest }
    }

    /// Returns whom rules are about.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}

impl Subject {
    /// Returns the octets that have a bit for each filter.
    pub(crate) fn filter_octets(&self) -> usize {
        self.filters.div_ceil(8)
    }
}
