//! Matching: combines records that have something in common into one or several (paper 001, section 2.2.3).
//!
//! A script returns the key of a record, says when a group is complete, and combines it. Waiting records are on the
//! journal's shelf; they change with the file whose records change them. The current file has its keys to itself, so a
//! group is as if one file had come after the other.

mod account;
mod changes;
mod file;
mod groups;
pub(crate) mod refusal;
mod scripts;
mod settings;
mod sums;
mod working;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::settings::Settings;
use diagnostics::Diagnostic;
use node::{Claims, Expression, GroupSettings, Kind, Node, Output, Template, cache_share};
use record::{Opened, TypeId, Types};

use crate::expression::DupExpression;
use crate::script::{Execution, Script};
use scripts::{Order, Scripts};
use sums::Sums;
use working::MatchingNode;

/// The stream of combined groups.
const OUT: usize = 0;
const LATE: u16 = 1;
const DUPLICATE: u16 = 2;

/// `[matching.name]` with a `script`.
#[derive(Clone, Copy, Debug)]
pub struct Matching(pub Execution);

impl Kind for Matching {
    fn name(&self) -> &'static str {
        "matching"
    }

    fn keys(&self) -> &'static [&'static str] {
        settings::KEYS
    }

    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let rules = settings::rules(settings)?;
        let functions = settings::functions(settings, types, self.0, &rules)?;
        let types_of = (functions.input, functions.made);
        let sums = Sums::read(settings, self.0, types_of, types)?;
        let beside =
            |name, passes| if passes { Output::requested(name) } else { Output::additional(name) };
        let outputs = [
            Output::of_type("out", functions.made),
            beside("late", rules.late == Late::Pass),
            beside("duplicate", rules.duplicate == Repeated::Pass),
        ];
        let claims = Arc::new(Claims::new(cache_share(rules.memory_octets)));
        Ok(Box::new(MatchingTemplate { functions, rules, sums, claims, outputs }))
    }
}

/// The functions of a script.
struct Functions {
    key: Vec<DupExpression>,
    /// The time at which a record was made, in seconds since 1970.
    time: Option<DupExpression>,
    complete: Option<Script>,
    combine: Script,
    /// A digest of the texts of `key` and `time`.
    grouped_by: [u8; 16],
    /// The types of the records, of a list of them, and of the combined record.
    input: TypeId,
    list: TypeId,
    made: TypeId,
    /// Whether `combine` emits records itself.
    emits: bool,
    /// Whether values of the output type can be nested without limit.
    deep: bool,
}

/// The other settings of the node.
#[derive(Clone, Copy, Debug)]
struct Rules {
    record_time: Option<Duration>,
    arrival: Option<Duration>,
    /// How long a group that is over by arrival waits for files that could not be processed.
    files: Duration,
    /// How far apart the times of a group's records may be.
    within: Option<Duration>,
    expired: Expired,
    late: Late,
    duplicate: Repeated,
    group_max: usize,
    groups_max: u64,
    history: Duration,
    memory_octets: u64,
}

/// The treatment of a group whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expired {
    /// It is combined as it is.
    Emit,
    /// Its records are set aside.
    Suspend,
    /// It is dropped.
    Drop,
}

/// The treatment of a record whose group was released or is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    Suspend,
    /// It goes on, on its own stream.
    Pass,
    /// It begins a group.
    Begin,
}

/// The treatment of a record that equals one of its group, octet for octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeated {
    Suspend,
    /// It goes on, on its own stream.
    Pass,
}

struct MatchingTemplate {
    functions: Functions,
    rules: Rules,
    sums: Sums,
    claims: Arc<Claims>,
    outputs: [Output; 3],
}

impl Template for MatchingTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.functions.input)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn opened(&self) -> Opened {
        // All functions are in one program, so any of them knows what all of them read.
        self.functions.combine.opened().and(self.sums.opened())
    }

    fn files(&self) -> Vec<PathBuf> {
        self.functions.combine.files()
    }

    fn group_settings(&self) -> Option<GroupSettings> {
        let Rules { record_time, arrival, files, within, history, memory_octets, .. } = self.rules;
        let ty = self.functions.input;
        let memory_octets = cache_share(memory_octets);
        let grouped_by = self.functions.grouped_by;
        Some(GroupSettings {
            ty,
            record_time,
            arrival,
            files,
            within,
            grouped_by,
            history,
            memory_octets,
        })
    }

    fn instance(&self) -> Box<dyn Node> {
        let Functions { key, time, complete, combine, list, made, emits, deep, .. } =
            &self.functions;
        Box::new(MatchingNode {
            scripts: Scripts {
                key: key.iter().map(|part| part.evaluator()).collect(),
                time: time.as_ref().map(|time| time.evaluator()),
                complete: complete.as_ref().map(Script::caller),
                combine: combine.caller(),
                made: *made,
                emits: *emits,
                deep: *deep,
                order: Order::new(*list),
                summing: self.sums.instance(),
            },
            sums: self.sums.names.clone(),
            rules: self.rules,
            claims: Arc::clone(&self.claims),
            equipment: None,
            file: None,
            after: None,
            key: String::new(),
            octets: Vec::new(),
        })
    }
}
