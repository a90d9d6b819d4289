//! Learns what is usual in the records of a network element, file by file, and finds deviations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::profile::{FileProfile, Met, TypeProfile, Where};
use super::seasonality::{Hours, Odd};

/// The fewest files before a judgement, however long the learning time is.
const FILES_MIN: u64 = 10;

/// The most things that are known of a network element.
const KNOWN_MAX: usize = 4_096;

/// The most of those within components, so that there is always room for things of the records themselves.
const KNOWN_WITHIN_MAX: usize = 3_072;

/// The name for unknown tags within components, in [`Learned::parts`].
const TAGS_WITHIN: &str = "tags within";

/// A component counts as gone if the chance that all records lack it is below one in a thousand million; as a natural
/// logarithm.
const GONE: f64 = 20.7;

/// The number of records that is added to each share, since a share of few records says little.
const SMOOTHED: f64 = 3.0;

/// The learned state of a network element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// When the first file was written.
    began_ms: i64,
    files: u64,
    known: BTreeMap<String, Known>,
    /// When each part of the records was first met, by name. Its components count as new only after the learning time
    /// from then on.
    #[serde(default)]
    parts: BTreeMap<String, i64>,
    pub(super) hours: Hours,
}

/// A type of records, a component or a tag that came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    /// The lowest share of a file's records that had it: in the current period and in the one before. A period is as
    /// long as the learning time.
    low: [f64; 2],
    /// When the current period began.
    since_ms: i64,
    files: u64,
    /// The time until which it counts as new, if it does.
    new_until_ms: Option<i64>,
    /// The time until which it counts as missing, if it does.
    gone_until_ms: Option<i64>,
}

/// The news about a known thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BaselineChange {
    /// It came for the first time.
    New { name: String, found: Occurrence },
    /// It is usual by now, or it does not come any more.
    NotNew { name: String },
    /// It came before and does not come any more.
    Gone { name: String, found: Occurrence },
    /// It comes again, or it has been away for so long that this is usual.
    NotGone { name: String },
}

/// The number of examined records that have something, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) records: u64,
    pub(super) of: u64,
    pub(super) at: Where,
}

/// The judgement of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Judged {
    pub(super) changes: Vec<BaselineChange>,
    /// The number of records of the hour, if it is more than usual.
    pub(super) much: Option<Odd>,
    /// The number of suspended records, if it is more than usual.
    pub(super) suspended: Option<Odd>,
}

impl Learned {
    /// Begins with a file that was written at this time.
    pub(super) fn begin(written_ms: i64) -> Self {
        let hours = Hours::begin(written_ms);
        Learned { began_ms: written_ms, hours, ..Learned::default() }
    }

    /// Judges a file by those before it, and learns from it.
    pub(crate) fn take(&mut self, profile: &FileProfile, written_ms: i64) -> Judged {
        let until_ms = written_ms.saturating_add(profile.learn_ms);
        let is_learned =
            written_ms.saturating_sub(self.began_ms) >= profile.learn_ms && self.files >= FILES_MIN;
        let known = &mut self.known;
        let mut judge = Judge { written_ms, until_ms, is_learned, known, changes: Vec::new() };
        let sound = profile.types.iter().map(|of| of.met.records).sum();
        for of in &profile.types {
            judge.thing(format!("type {}", of.met.name), of.met.records, sound, of.met.first);
            judge.fields(of);
        }
        let mut judge_part = |name: &str, judges: &dyn Fn(&mut Judge<'_>)| {
            let began_ms = *self.parts.entry(name.to_owned()).or_insert(written_ms);
            judge.is_learned =
                is_learned && written_ms.saturating_sub(began_ms) >= profile.learn_ms;
            let count = judge.changes.len();
            judges(&mut judge);
            if !judge.is_learned {
                judge.changes.truncate(count);
            }
        };
        for of in &profile.parts {
            judge_part(&of.met.name, &|judge| judge.fields(of));
        }
        if profile.looked_within > 0 {
            judge_part(TAGS_WITHIN, &|judge| {
                for Met { name, records, first } in &profile.unknown_within {
                    judge.thing(
                        format!("tag {name} within"),
                        *records,
                        profile.looked_within,
                        *first,
                    );
                }
            });
        }
        judge.is_learned = is_learned;
        for Met { name, records, first } in &profile.unknown {
            judge.thing(format!("tag {name}"), *records, sound, *first);
        }
        judge.absent_types(profile, sound);
        let mut changes = judge.changes;
        changes.extend(self.is_over(written_ms));
        self.files += 1;
        let (much, suspended) = self.hours.add(written_ms, profile.records, profile.suspended);
        let judged = Judged { changes, much, suspended };
        if is_learned { judged } else { Judged { changes: Vec::new(), ..judged } }
    }

    /// Returns the things that are no longer new or missing, because that is usual by now.
    pub(super) fn is_over(&mut self, now_ms: i64) -> Vec<BaselineChange> {
        let mut changes = Vec::new();
        for (name, known) in &mut self.known {
            if known.new_until_ms.take_if(|until| *until <= now_ms).is_some() {
                changes.push(BaselineChange::NotNew { name: name.clone() });
            }
        }
        // If it comes after so long an absence, it is new again.
        let is_gone = |known: &Known| known.gone_until_ms.is_some_and(|until| until <= now_ms);
        self.known.retain(|name, known| {
            let is_gone = is_gone(known);
            if is_gone {
                changes.push(BaselineChange::NotGone { name: name.clone() });
            }
            !is_gone
        });
        changes
    }
}

/// Judges the things of one file.
struct Judge<'l> {
    written_ms: i64,
    until_ms: i64,
    is_learned: bool,
    known: &'l mut BTreeMap<String, Known>,
    changes: Vec<BaselineChange>,
}

impl Judge<'_> {
    fn fields(&mut self, of: &TypeProfile) {
        let name = |field: &str| format!("{}.{field}", of.met.name);
        let fields = of.fields.iter().map(|met| (met, of.sampled));
        let all: Vec<_> =
            fields.chain(of.alternatives.iter().map(|met| (met, of.met.records))).collect();
        for (Met { name: field, records, first }, of) in &all {
            self.thing(name(field), *records, *of, *first);
        }
        let is_there = |field: &str| all.iter().any(|(met, _)| met.name == field);
        let prefix = name("");
        let missing = self.known.range(prefix.clone()..);
        let missing = missing.take_while(|(known, _)| known.starts_with(&prefix));
        let missing = missing.map(|(known, _)| known.clone());
        let missing: Vec<String> =
            missing.filter(|known| !is_there(&known[prefix.len()..])).collect();
        for name in missing {
            let is_alternative = name[prefix.len()..].contains('.');
            let looked_at = if is_alternative { of.met.records } else { of.sampled };
            self.thing(name, 0, looked_at, of.met.first);
        }
    }

    /// Judges the types of records of which none came.
    fn absent_types(&mut self, profile: &FileProfile, sound: u64) {
        let is_there = |name: &str| profile.types.iter().any(|of| of.met.name == name);
        let prefix = "type ";
        let known = self.known.keys().filter(|name| name.starts_with(prefix));
        let absent: Vec<String> =
            known.filter(|name| !is_there(&name[prefix.len()..])).cloned().collect();
        let first = profile.types.first().map(|of| of.met.first).unwrap_or_default();
        absent.into_iter().for_each(|name| self.thing(name, 0, sound, first));
    }

    /// Judges a thing: `records` of the `of` examined records have it. They are 0 if it came before and none has it
    /// now.
    fn thing(&mut self, name: String, records: u64, of: u64, at: Where) {
        if of == 0 {
            return;
        }
        let found = Occurrence { records, of, at };
        let share = (records as f64 + SMOOTHED) / (of as f64 + SMOOTHED);
        let Some(known) = self.known.get_mut(&name) else {
            let is_within = name.contains('/') || name.ends_with(" within");
            if self.known.len() >= if is_within { KNOWN_WITHIN_MAX } else { KNOWN_MAX } {
                return;
            }
            let new_until_ms = self.is_learned.then_some(self.until_ms);
            let known = Known {
                low: [share; 2],
                since_ms: self.written_ms,
                files: 1,
                new_until_ms,
                gone_until_ms: None,
            };
            self.known.insert(name.clone(), known);
            self.changes.push(BaselineChange::New { name, found });
            return;
        };
        if records > 0 {
            known.files += 1;
            if known.gone_until_ms.take().is_some() {
                self.changes.push(BaselineChange::NotGone { name });
            }
        } else if self.is_learned && known.gone_until_ms.is_none() {
            // The chance that each record lacks it.
            let low = known.low[0].min(known.low[1]).min(0.999);
            let gone = of as f64 * -(1.0 - low).ln();
            if known.files >= FILES_MIN && gone > GONE {
                known.gone_until_ms = Some(self.until_ms);
                self.changes.push(BaselineChange::Gone { name, found });
            }
        }
        if self.written_ms - known.since_ms >= self.until_ms - self.written_ms {
            (known.low, known.since_ms) = ([share, known.low[0]], self.written_ms);
        }
        known.low[0] = known.low[0].min(share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    /// Makes a file of `calls` calls, `numbers` of which have a number.
    fn file(calls: u64, numbers: u64, tags: u64) -> FileProfile {
        let met = |name: &str, records| Met { name: name.into(), records, first: Where::default() };
        let fields = [met("time", calls), met("number", numbers)];
        let fields = fields.into_iter().filter(|met| met.records > 0).collect();
        let met_call = met("call", calls);
        let call = TypeProfile { met: met_call, sampled: calls, fields, alternatives: Vec::new() };
        FileProfile {
            records: calls,
            types: vec![call],
            unknown: (tags > 0).then(|| met("[9]", tags)).into_iter().collect(),
            learn_ms: 24 * HOUR_MS,
            ..FileProfile::default()
        }
    }

    fn names(judged: &Judged) -> String {
        let name = |change: &BaselineChange| match change {
            BaselineChange::New { name, .. } => format!("+{name}"),
            BaselineChange::NotNew { name } => format!("no longer +{name}"),
            BaselineChange::Gone { name, .. } => format!("-{name}"),
            BaselineChange::NotGone { name } => format!("no longer -{name}"),
        };
        judged.changes.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the judgement of each file, one an hour, after 30 hours of files like `usual`.
    fn check(usual: &FileProfile, files: &[FileProfile]) -> Vec<String> {
        let mut learned = Learned::begin(0);
        for hour in 0..30 {
            assert_eq!(names(&learned.take(usual, hour * HOUR_MS)), "", "hour {hour}");
        }
        (30..).zip(files).map(|(hour, file)| names(&learned.take(file, hour * HOUR_MS))).collect()
    }

    #[test]
    fn what_never_came_is_new_once() {
        let usual = file(100, 0, 0);
        let named =
            check(&usual, &[usual.clone(), file(100, 1, 0), file(100, 50, 1), usual.clone()]);
        assert_eq!(named, ["", "+call.number", "+tag [9]", ""]);
    }

    #[test]
    fn what_is_new_is_usual_when_it_has_been_there_for_long() {
        let files: Vec<FileProfile> = (0..26).map(|_| file(100, 1, 0)).collect();
        let named = check(&file(100, 0, 0), &files);
        assert_eq!(named[0], "+call.number");
        assert!(named[1..24].iter().all(String::is_empty), "{named:?}");
        assert_eq!(named[24], "no longer +call.number");
    }

    #[test]
    fn what_nearly_all_had_is_missed_at_once_and_what_few_had_is_not() {
        let none = || file(100, 0, 0);
        assert_eq!(check(&file(100, 100, 0), &[none()]), ["-call.number"]);
        assert_eq!(check(&file(100, 30, 0), &[none()]), ["-call.number"]);
        assert_eq!(check(&file(100, 2, 0), &[none()]), [""]);
        assert_eq!(
            check(&file(100, 100, 0), &[file(2, 0, 0)]),
            [""],
            "of two records one knows little"
        );
        let back = check(&file(100, 100, 0), &[none(), none(), file(100, 90, 0)]);
        assert_eq!(back, ["-call.number", "", "no longer -call.number"]);
    }

    #[test]
    fn what_is_there_by_day_alone_is_not_missed_at_night() {
        let mut learned = Learned::begin(0);
        for hour in 0..24 * 7 {
            let numbers = if hour % 24 < 8 { 0 } else { 60 };
            let judged = learned.take(&file(100, numbers, 0), hour * HOUR_MS);
            let is_first = (24..33).contains(&hour);
            assert!(is_first || judged.changes.is_empty(), "hour {hour}: {judged:?}");
        }
    }
}
