//! Fraud: rules over what records say of their subjects. Records go on unchanged; what a rule finds is an alert in the transaction of
//! the file.

mod expressions;
mod limits;
mod lists;
mod node;
mod rule_file;
mod rules;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::fraud::Judgement;
use ::node::{AlertPolicy, Expression, Judge, KeyedState, Kind, Node, Output, Template, ValueType};
use clocks::Clock;
use diagnostics::Diagnostic;
use rating::Zone;
use record::{Opened, TypeId, Types};
use settings::{Setting, Settings};

use self::expressions::LimitedBy;
use self::node::FraudNode;
use self::rules::{Folders, Read};
use crate::expression::{Dup, DupExpression};
use crate::script::Execution;

/// How late a record still counts, by default.
const LATE: Duration = Duration::from_secs(15 * 60);

/// How long a network element without files is waited for, by default.
const IDLE: Duration = Duration::from_secs(3_600);

/// With so many points within a time, alerts open a case, by default.
const CASE_AT: u32 = 50;
const CASE_WITHIN: Duration = Duration::from_secs(24 * 3_600);

/// Where records go on that are too late: with the others, or apart.
const TOO_LATE: [(&str, bool); 2] = [("count", false), ("apart", true)];

/// How many people approve a rule that acts.
const PEOPLE: [(&str, u8); 3] = [("no one", 0), ("one person", 1), ("two people", 2)];

/// The memory for profiles, by default, in octets.
const MEMORY_OCTETS: u64 = 1_000_000_000;

/// `[fraud.name]` with a `type`, a `time`, `subjects` and `rules`.
#[derive(Clone, Copy, Debug)]
pub struct Fraud(pub Execution);

impl Kind for Fraud {
    fn name(&self) -> &'static str {
        "fraud"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "type",
            "time",
            "time-zone",
            "subjects",
            "rules",
            "lists",
            "late",
            "too-late",
            "idle",
            "index",
            "memory",
            "case-at",
            "case-within",
            "behind",
            "rules-approved-by",
        ]
    }

    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let required = |key| settings.require(key).map_err(|mistake| vec![mistake]);
        let (ty, time, folder) = (required("type")?, required("time")?, required("rules")?);
        required("subjects")?;
        let input =
            types.find(&ty.value).map_err(|fault| vec![settings.error(ty, fault.to_string())])?;
        let mut mistakes = Vec::new();
        let time = self.time(settings, time, input, types).map_err(|found| mistakes.extend(found));
        let time = time.ok();
        let subjects: Vec<_> = settings
            .all("subjects")
            .filter_map(|setting| {
                self.subject(settings, setting, input, types)
                    .map_err(|found| mistakes.extend(found))
                    .ok()
            })
            .collect();
        let of_subjects = || settings.all("subjects").zip(&subjects);
        for (setting, (name, _)) in of_subjects() {
            let is_twice = |(other, (same, _)): (&Setting, &(Setting, DupExpression))| {
                other.span.start < setting.span.start && same.value == name.value
            };
            if of_subjects().any(is_twice) {
                let message = format!("there are two subjects \"{}\"", name.value);
                mistakes.push(settings.error(setting, message));
            }
        }
        let late = duration(settings, "late", LATE).map_err(|mistake| mistakes.push(mistake));
        let idle = duration(settings, "idle", IDLE).map_err(|mistake| mistakes.push(mistake));
        let is_late_apart = match settings.get("too-late") {
            Some(setting) => settings.choice(setting, &TOO_LATE).map_err(|of| mistakes.push(of)),
            None => Ok(false),
        };
        let index = settings.get("index").map(|setting| settings.duration(setting)).transpose();
        let index = index.map_err(|mistake| mistakes.push(mistake));
        let memory = match settings.get("memory").map(|memory| settings.octets(memory)) {
            Some(octets) => octets.map_err(|mistake| mistakes.push(mistake)).ok(),
            None => Some(MEMORY_OCTETS),
        };
        let policy = alert_policy(settings).map_err(|mistake| mistakes.push(mistake));
        let zone = settings.get("time-zone").map(|setting| {
            let found = Zone::find(&setting.value);
            found.map_err(|fault| mistakes.push(settings.error(setting, fault.to_string())))
        });
        let zone = zone.transpose();
        let (
            Some(time),
            Ok(late),
            Ok(is_late_apart),
            Ok(idle),
            Ok(index),
            Some(memory),
            Ok(zone),
            Ok(policy),
            [],
        ) = (time, late, is_late_apart, idle, index, memory, zone, policy, &mistakes[..])
        else {
            return Err(mistakes);
        };
        let seconds = |length: Duration| u32::try_from(length.as_secs()).unwrap_or(u32::MAX);
        let (late, idle) = (seconds(late), seconds(idle));
        let lists = settings.get("lists").map(|folder| settings.path(folder));
        let folders = Folders { rules: (settings, folder), lists, late };
        let read = Read::folder(folders, subjects, (input, self.0), types)?;
        let Read { subjects, pool, limits, lists, warnings, actions, files, .. } = read;
        let (subjects, plans): (Vec<_>, Vec<_>) =
            subjects.into_iter().map(|of| of.finish()).unzip();
        let zone_name = settings.get("time-zone").map(|setting| setting.value.as_str());
        let common = common(&ty.value, zone_name, &time);
        let clock = zone.map_or_else(Clock::utc, |zone| zone.clock());
        let rules = ::fraud::Rules::new(settings.name.clone(), subjects, late, &common);
        let rules = rules
            .with_clock(clock.clone())
            .with_lists(lists)
            .with_alert_policy(policy)
            .with_idle(idle)
            .with_index(index);
        Ok(Box::new(FraudTemplate {
            input,
            time,
            plans: Arc::new(plans),
            pool,
            limits,
            clock,
            judgement: Arc::new(Judgement::new(rules, memory)),
            warnings,
            actions,
            files,
            outputs: [Output::passing("on"), late_output(is_late_apart)],
            is_late_apart,
        }))
    }
}

impl Fraud {
    /// Reads when records happened.
    fn time(
        &self,
        settings: &Settings,
        setting: &Setting,
        input: TypeId,
        types: &mut dyn Types,
    ) -> Result<DupExpression, Vec<Diagnostic>> {
        let time = Dup(self.0).read(settings, setting, input, types)?;
        if is_number(&time) {
            return Ok(time);
        }
        let mistake = settings.error(setting, "\"time\" is a number: the seconds since 1970");
        Err(vec![mistake.hint("toInteger() makes a number of digits")])
    }

    /// Reads a subject: `caller = record.callingNumber`.
    fn subject(
        &self,
        settings: &Settings,
        setting: &Setting,
        input: TypeId,
        types: &mut dyn Types,
    ) -> Result<(Setting, DupExpression), Vec<Diagnostic>> {
        let Some((name, key)) = setting.halves() else {
            let mistake = settings.error(setting, "a subject is a name and its key");
            return Err(vec![mistake.hint("write \"caller = record.callingNumber\"")]);
        };
        Ok((name, Dup(self.0).read(settings, &key, input, types)?))
    }
}

/// Returns a length of time of a key, or that by default.
fn duration(settings: &Settings, key: &str, default: Duration) -> Result<Duration, Diagnostic> {
    settings.get(key).map_or(Ok(default), |setting| settings.duration(setting))
}

/// Returns the stream of the records that are too late.
fn late_output(is_apart: bool) -> Output {
    let name = "late";
    if is_apart { Output::requested(name) } else { Output::additional(name) }
}

/// Reads what comes of alerts.
fn alert_policy(settings: &Settings) -> Result<AlertPolicy, Diagnostic> {
    let case_at = match settings.get("case-at") {
        Some(setting) => u32::try_from(settings.count(setting)?).unwrap_or(u32::MAX),
        None => CASE_AT,
    };
    let within = duration(settings, "case-within", CASE_WITHIN)?.as_secs();
    let case_within_s = u32::try_from(within).unwrap_or(u32::MAX);
    let rule_approvals = match settings.get("rules-approved-by") {
        Some(setting) => settings.choice(setting, &PEOPLE)?,
        None => 0,
    };
    let behind = settings.get("behind").map(|setting| settings.duration(setting)).transpose()?;
    let behind_s = behind.map(|of| u32::try_from(of.as_secs()).unwrap_or(u32::MAX));
    Ok(AlertPolicy { case_at, case_within_s, rule_approvals, behind_s })
}

/// Returns on what all measures depend, besides their own texts.
fn common(ty: &str, zone: Option<&str>, time: &DupExpression) -> String {
    format!("{ty} at {} in {}", time.text(), zone.unwrap_or("UTC"))
}

/// What a worker notes of a subject.
pub(crate) struct SubjectPlan {
    key: DupExpression,
    measures: Vec<MeasurePlan>,
    /// The places of measures that count for the same records, with the expressions of those.
    counted: Vec<(Vec<usize>, Vec<usize>)>,
    /// For measures of events without answers: their places, the expressions that say which records are answers, and those of what
    /// an answer shares with its event.
    answered: Vec<(usize, usize, usize)>,
    /// The expressions that say whose a record is. A rule without any is about all records.
    filters: Vec<usize>,
    /// Whether a rule is about all records.
    is_about_all: bool,
    /// The values of the record that conditions read.
    of_record: Vec<OfRecord>,
}

/// A value of the record that conditions read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfRecord {
    /// That of an expression, by its place.
    Expression(usize),
    /// A limit: the place of its table, and its column.
    Limit { table: usize, column: usize },
}

/// What a worker notes of a measure. Numbers are places of expressions.
pub(crate) struct MeasurePlan {
    /// What makes its values. Rules share a measure with the same identity.
    identity: String,
    /// It counts where all of these are true.
    filters: Vec<usize>,
    input: Input,
}

/// What a measure has of a record. Numbers are places of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// The record counts as one.
    One,
    Number(usize),
    Digest(usize),
    /// What an answer must share with it, and which records are answers.
    Inquiry {
        same: usize,
        answers: usize,
    },
    Nothing,
}

struct FraudTemplate {
    input: TypeId,
    time: DupExpression,
    plans: Arc<Vec<SubjectPlan>>,
    /// The expressions of all subjects.
    pool: Vec<DupExpression>,
    limits: Vec<LimitedBy>,
    clock: Clock,
    judgement: Arc<Judgement>,
    warnings: Vec<Diagnostic>,
    actions: Vec<(String, Diagnostic)>,
    files: Vec<PathBuf>,
    outputs: [Output; 2],
    /// Whether records that are too late go on apart from the others.
    is_late_apart: bool,
}

impl FraudTemplate {
    fn expressions(&self) -> impl Iterator<Item = &DupExpression> {
        let keys = self.plans.iter().map(|plan| &plan.key);
        let limited = self.limits.iter().map(|of| &*of.by);
        self.pool.iter().chain(keys).chain(limited).chain([&self.time])
    }
}

impl Template for FraudTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.input)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn opened(&self) -> Opened {
        self.expressions().map(|of| of.opened()).fold(Opened::none(), Opened::and)
    }

    fn files(&self) -> Vec<PathBuf> {
        let of_scripts = self.expressions().flat_map(|of| of.files());
        let mut files: Vec<PathBuf> = self.files.iter().cloned().chain(of_scripts).collect();
        files.sort();
        files.dedup();
        files
    }

    fn uses_record_numbers(&self) -> bool {
        true
    }

    fn state(&self) -> Option<KeyedState<'_>> {
        Some(KeyedState::InMemory(&*self.judgement))
    }

    fn judge(&self) -> Option<Arc<dyn Judge>> {
        Some(Arc::clone(&self.judgement) as Arc<dyn Judge>)
    }

    fn actions(&self) -> Vec<(String, Diagnostic)> {
        self.actions.clone()
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        self.warnings.clone()
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(FraudNode::new(self))
    }
}

/// Returns whether an expression gives TRUE or FALSE.
fn is_condition(expression: &DupExpression, types: &dyn Types) -> bool {
    matches!(types.schema().kind(expression.result()), record::Kind::Boolean)
}

/// Returns whether an expression gives numbers.
fn is_number(expression: &DupExpression) -> bool {
    expression.value_type() == ValueType::Integers
}
