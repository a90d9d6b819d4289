//! The table of a matching node, and the functions of its script.

use std::time::Duration;

use diagnostics::{Diagnostic, did_you_mean};
use node::{Expression as _, ValueType, key_digest};
use record::{Kind as TypeKind, TypeId, Types};
use settings::{Setting, Settings};

use super::{Expired, Functions, Late, Repeated, Rules};
use crate::expression::{DupExpression, calling};
use crate::script::{Execution, Script};

pub(super) const KEYS: &[&str] = &[
    "script",
    "key",
    "time",
    "complete",
    "combine",
    "wait.record-time",
    "wait.arrival",
    "wait.files",
    "within",
    "expired",
    "late",
    "duplicate",
    "group-max",
    "groups-max",
    "history",
    "memory",
    "audit.*",
];

/// The default for the most records of a group.
const GROUP_MAX: usize = 1_000;

/// The default for the most open groups.
const GROUPS_MAX: u64 = 10_000_000;

/// How long a released group is remembered by default.
const HISTORY: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The default memory for groups from the shelf, in octets.
const MEMORY_OCTETS: u64 = 64_000_000;

const COMBINE: &str = "it is NULL combine(parts CONST SEQUENCE OF Type, out Other)";
const COMPLETE: &str = "it is BOOLEAN complete(parts CONST SEQUENCE OF Type)";
const OF_RECORD: &str = "it takes one record, and only reads it: key(record CONST Type)";

type Read<T> = Result<T, Vec<Diagnostic>>;

/// Reads the settings other than functions. Returns all mistakes, not only the first.
pub(super) fn rules(settings: &Settings) -> Read<Rules> {
    let mut mistakes = Vec::new();
    let mut duration = |key: &str| match settings.get(key).map(|found| settings.duration(found))? {
        Ok(length) => Some(length),
        Err(mistake) => {
            mistakes.push(mistake);
            None
        }
    };
    let (record_time, arrival) = (duration("wait.record-time"), duration("wait.arrival"));
    let (files, within, history) =
        (duration("wait.files"), duration("within"), duration("history"));
    let waits = record_time.max(arrival).unwrap_or_default();
    let forgotten =
        settings.get("history").filter(|_| history.is_some_and(|length| length < waits));
    if let Some(setting) = forgotten {
        let message = "a group is forgotten before its time is over";
        let hint = "what came for it again would begin another: give it no less than \"wait\"";
        mistakes.push(settings.error(setting, message).hint(hint));
    }
    if let Some(setting) = settings.get("wait.files").filter(|_| arrival.is_none()) {
        let message = "\"files\" is how much longer than its \"arrival\" a group waits for files";
        mistakes.push(settings.error(setting, message).hint("give \"wait\" an \"arrival\" too"));
    }
    let number = |key: &str, usual: u64| {
        settings.get(key).map_or(Ok(usual), |setting| settings.count(setting))
    };
    let memory = settings.get("memory").map(|memory| settings.octets(memory));
    let expired = [("emit", Expired::Emit), ("suspend", Expired::Suspend), ("drop", Expired::Drop)];
    let late = [("suspend", Late::Suspend), ("pass", Late::Pass), ("begin", Late::Begin)];
    let duplicate = [("suspend", Repeated::Suspend), ("pass", Repeated::Pass)];
    let rules = Rules {
        record_time,
        arrival,
        files: files.or(arrival).unwrap_or_default(),
        within: within.or(record_time),
        expired: sound(choice(settings, "expired", &expired), &mut mistakes)
            .unwrap_or(Expired::Emit),
        late: sound(choice(settings, "late", &late), &mut mistakes).unwrap_or(Late::Suspend),
        duplicate: sound(choice(settings, "duplicate", &duplicate), &mut mistakes)
            .unwrap_or(Repeated::Suspend),
        group_max: sound(number("group-max", GROUP_MAX as u64), &mut mistakes).unwrap_or(1)
            as usize,
        groups_max: sound(number("groups-max", GROUPS_MAX), &mut mistakes).unwrap_or(1),
        history: history.unwrap_or(HISTORY).max(waits),
        memory_octets: sound(memory.transpose(), &mut mistakes).flatten().unwrap_or(MEMORY_OCTETS),
    };
    if rules.record_time.is_none() && rules.arrival.is_none() && mistakes.is_empty() {
        let message = format!("\"{}\" does not say how long a group waits", settings.name);
        let hint =
            "give it wait = { record-time = \"2 hours\", arrival = \"1 day\" }, or one of them";
        mistakes.push(Diagnostic::error(&settings.source, settings.span, message).hint(hint));
    }
    if mistakes.is_empty() { Ok(rules) } else { Err(mistakes) }
}

fn sound<T>(read: Result<T, Diagnostic>, mistakes: &mut Vec<Diagnostic>) -> Option<T> {
    read.map_err(|mistake| mistakes.push(mistake)).ok()
}

/// Returns the choice that a setting names; the first one if it is not set.
fn choice<T: Copy>(settings: &Settings, key: &str, known: &[(&str, T)]) -> Result<T, Diagnostic> {
    settings.get(key).map_or(Ok(known[0].1), |setting| settings.choice(setting, known))
}

/// Reads the script and finds its functions: those that the settings name, or else those with the names of the
/// settings.
pub(super) fn functions(
    settings: &Settings,
    types: &mut dyn Types,
    execution: Execution,
    rules: &Rules,
) -> Read<Functions> {
    let script = settings.require("script").map_err(|mistake| vec![mistake])?;
    let usual = Setting { key: "combine".into(), value: "combine".into(), span: script.span };
    let named = settings.get("combine").unwrap_or(&usual);
    let combine = Script::load(settings, Some(named), types, execution)?;
    let function = combine.function();
    let (list, made) = match function.parameters.as_slice() {
        [parts, out] if parts.constant && !out.constant => (parts.ty, out.ty),
        _ => {
            return Err(
                combine.error("this is not the form of the function that combines", COMBINE)
            );
        }
    };
    let TypeKind::SequenceOf(input) = *types.schema().kind(list) else {
        return Err(combine.error("what is combined is a SEQUENCE OF records", COMBINE));
    };
    if *types.schema().kind(function.result) != TypeKind::Null {
        return Err(combine.error("this returns NULL", COMBINE));
    }
    if let Some(other) = function.emits.iter().find(|ty| **ty != made) {
        let name = |ty| &types.schema().get(ty).name;
        let message = format!("this makes \"{}\" and emits \"{}\"", name(made), name(*other));
        return Err(combine.error(message, "it emits records of the type it makes"));
    }
    let emits = !function.emits.is_empty();
    let keys: Vec<&Setting> = settings.all("key").collect();
    let key = match keys.is_empty() {
        true => vec![of_record(settings, &combine, "key", None, input, types)?],
        false => keys
            .into_iter()
            .map(|named| of_record(settings, &combine, "key", Some(named), input, types))
            .collect::<Read<Vec<_>>>()?,
    };
    let key = key.into_iter().flatten().collect::<Vec<_>>();
    if key.is_empty() {
        let message = "the script does not say what records of a group have in common";
        return Err(vec![settings.error(script, message).hint("give it a function \"key\"")]);
    }
    let time = of_record(settings, &combine, "time", settings.get("time"), input, types)?;
    if time.is_none() && (rules.record_time.is_some() || settings.get("within").is_some()) {
        let message = "the script does not say when a record was made";
        let hint = "give it INTEGER time(record CONST Type), in seconds since 1970";
        return Err(vec![settings.error(script, message).hint(hint)]);
    }
    if let Some(time) = &time
        && time.value_type() != ValueType::Integers
    {
        let message = "a time is an INTEGER, in seconds since 1970";
        return Err(vec![settings.error(settings.get("time").unwrap_or(script), message)]);
    }
    let complete = other(settings, &combine, "complete", settings.get("complete"))?;
    if let Some(complete) = &complete {
        let function = complete.function();
        let takes_parts = matches!(function.parameters.as_slice(),
            [parts] if parts.constant && parts.ty == list);
        if !takes_parts || *types.schema().kind(function.result) != TypeKind::Boolean {
            let message =
                "this is not the form of the function that says whether a group is complete";
            return Err(complete.error(message, COMPLETE));
        }
    }
    let deep = types.schema().is_recursive(made);
    let texts = key.iter().chain(&time).map(DupExpression::text);
    let grouped_by = key_digest(texts.collect::<Vec<_>>().join("\n").as_bytes());
    Ok(Functions { key, time, complete, combine, grouped_by, input, list, made, emits, deep })
}

/// Finds a function that gives a value of a record.
fn of_record(
    settings: &Settings,
    script: &Script,
    usual: &str,
    named: Option<&Setting>,
    input: TypeId,
    types: &dyn Types,
) -> Read<Option<DupExpression>> {
    let Some(found) = other(settings, script, usual, named)? else { return Ok(None) };
    let takes_record = matches!(found.function().parameters.as_slice(),
        [record] if record.constant && record.ty == input);
    if !takes_record {
        let name = &types.schema().get(input).name;
        return Err(found.error(format!("this is to take one {name}"), OF_RECORD));
    }
    calling(found, types).map(Some)
}

/// Finds a function of the same script: the named one, or else the one of the usual name, if there is one.
fn other(
    settings: &Settings,
    script: &Script,
    usual: &str,
    named: Option<&Setting>,
) -> Read<Option<Script>> {
    let Some(named) = named else { return Ok(script.sibling(usual)) };
    match script.sibling(&named.value) {
        Some(found) => Ok(Some(found)),
        None => {
            let message = format!("the script has no function \"{}\"", named.value);
            let hint = did_you_mean(&named.value, script.names());
            Err(vec![settings.error(named, message).hint_maybe(hint)])
        }
    }
}
