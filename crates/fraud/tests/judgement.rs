//! What rules find: against a count of all events, in any order, undone, and after a start.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use diagnostics::{Source, Span};
use fraud::{Condition, ConditionPart, Judgement, Note, Notes, Occasion, Rule, Rules, Subject};
use measures::{Kind, Layout, Measure, Window};
use node::{
    Alert, Committed, InMemory, Judge, Judged, RuleTexts, Severity, SnapshotPart, StoredState,
};
use proptest::prelude::*;
use record::{Field, Kind as TypeKind, Schema, Type};

/// The window of the rules in seconds, in steps of one.
const WITHIN: u32 = 60;

/// How late a record may be.
const LATE: u32 = 100;

/// The length of the hours at whose ends a rule is judged.
const HUNDRED: u32 = 100;

/// An event: of a key, at a time, with a number that is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) key: u8,
    pub(crate) time: u32,
    pub(crate) number: i64,
    pub(crate) seconds: i64,
}

fn written(text: &str, subject: (&mut Schema, record::TypeId, &[&str])) -> Condition {
    let (schema, values, names) = subject;
    let source = Source::new("rule.toml", text);
    let condition = dup::Condition::parse(&source, Span::new(0, text.len())).expect("its syntax");
    let own = |name: &str| names.contains(&name).then(|| name.to_owned());
    let compiled = condition.compile(values, &own, schema);
    let program =
        Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)));
    let mut begin = 0;
    let mut parts = Vec::new();
    for value in condition.values() {
        let end = value.place.end as usize;
        let value = names.iter().position(|name| *name == value.name);
        parts.push(ConditionPart { text: text[begin..end].to_owned(), value });
        begin = end;
    }
    parts.push(ConditionPart { text: text[begin..].to_owned(), value: None });
    let place = |name: &str| names.iter().position(|known| *known == name);
    let mut least = condition.least().into_iter();
    let least = least.find_map(|(name, least)| Some((place(name)?, least)));
    Condition::Written { program, parts, least }
}

/// Returns rules about callers: three calls in a minute, and to two numbers with more than 100 seconds.
pub(crate) fn rules(again: u32) -> Rules {
    rules_of((again, "1"), false)
}

/// Returns the same rules with another one: two calls or none in a hundred seconds, at their end.
pub(crate) fn rules_with_ends(again: u32) -> Rules {
    rules_of((again, "1"), true)
}

fn rules_of((again, version): (u32, &str), has_ends: bool) -> Rules {
    let mut schema = Schema::default();
    let ty = schema.add(Type { name: "INTEGER".into(), kind: TypeKind::Integer { names: vec![] } });
    let of_ends = has_ends.then_some("hundred");
    let names = ["calls", "numbers", "seconds", "recent", "record.seconds"];
    let names: Vec<&str> = of_ends.into_iter().chain(names).collect();
    // The others have other places beside it.
    let first = usize::from(has_ends);
    let field = |name: &&str| Field { name: (*name).into(), ty, optional: false, default: None };
    let fields = names.iter().map(field).collect();
    let values = schema.add(Type { name: "values".into(), kind: TypeKind::Sequence(fields) });
    let window = Window::sliding(1, WITHIN);
    let in_six = Window::sliding(10, 6);
    let mut measures = vec![
        Measure { kind: Kind::Count, window },
        Measure { kind: Kind::Distinct, window: in_six },
        Measure { kind: Kind::Sum, window },
        Measure { kind: Kind::Recent(2), window },
    ];
    let of_clock = Measure { kind: Kind::Count, window: Window::calendar(HUNDRED, 1) };
    if has_ends {
        measures.insert(0, of_clock);
    }
    let text = "numbers >= 2 && seconds > 100 && record.seconds < 90";
    let far = written(text, (&mut schema, values, &names));
    let rule = |name: &str, condition| Rule {
        name: name.into(),
        version: version.into(),
        filter: (name == "often").then_some(0),
        occasion: match name {
            "hundred" => Occasion::EndOf(HUNDRED),
            _ => Occasion::Record,
        },
        condition,
        again,
        score: 20,
        evidence: Some(first + 3),
        severity: Severity::Warning,
        fraud_type: None,
        is_shadow: false,
        actions: Arc::default(),
        texts: RuleTexts::default(),
        except: Vec::new(),
        only: Vec::new(),
        covered_by: None,
    };
    let often = Condition::AtLeast { measure: first, least: 3, name: "calls".into() };
    let mut rules = vec![rule("often", often), rule("far", far)];
    if has_ends {
        let text = "hundred >= 2 || hundred == 0";
        let at_end = written(text, (&mut schema, values, &names));
        rules.insert(1, rule("hundred", at_end));
    }
    let subject = Subject {
        name: "caller".into(),
        key: "record.caller".into(),
        identities: measures.iter().map(|measure| format!("{measure:?}")).collect(),
        layout: Layout::new(measures).unwrap(),
        of_record: 1,
        filters: 1,
        values,
        rules,
    };
    Rules::new("calls".into(), vec![subject], LATE, "calls")
}

pub(crate) fn job(number: i64, at: u32) -> Committed {
    Committed { job: number, at: UNIX_EPOCH + Duration::from_secs(at.into()) }
}

/// Returns the notes of a file.
pub(crate) fn notes(rules: &Rules, calls: &[Call]) -> Vec<u8> {
    let mut notes = Notes::default();
    notes.begin(rules, "switch", 0);
    let subject = &rules.subjects()[0];
    for (place, Call { key, time, number, seconds }) in calls.iter().enumerate() {
        let inputs = [1, *number, *seconds, 1];
        let has_ends = subject.layout.measures().len() > inputs.len();
        let of_ends = has_ends.then_some(1).into_iter();
        let inputs: Vec<(usize, i64)> = of_ends.chain(inputs).enumerate().collect();
        let note = Note {
            record: place as u64 + 1,
            time: *time,
            subject: 0,
            key: &[b'a' + *key],
            filters: &[1],
            inputs: &inputs,
            of_record: &[Some(*seconds)],
        };
        notes.add(subject, note);
        notes.end_record(true);
    }
    notes.take().unwrap_or_default()
}

/// Judges a file, and returns the alerts by rule, key and record.
fn judged(by: &Judgement, number: i64, calls: &[Call]) -> Vec<(String, String, u64)> {
    alerts(by, number, calls).into_iter().map(|of| (of.rule, of.key, of.record)).collect()
}

fn alerts(by: &Judgement, number: i64, calls: &[Call]) -> Vec<Alert> {
    of_file(by, number, calls).alerts
}

fn of_file(by: &Judgement, number: i64, calls: &[Call]) -> Judged {
    if calls.is_empty() {
        return Judged::default();
    }
    let judged = by.judge(job(number, u32::MAX / 2), &notes(by.rules(), calls)).unwrap();
    by.settle(true);
    judged
}

fn call(key: u8, time: u32, number: i64, seconds: i64) -> Call {
    Call { key, time, number, seconds }
}

#[test]
fn an_alert_has_its_condition_with_the_values() {
    let by = Judgement::new(rules(600), u64::MAX);
    let calls = [call(0, 1_000, 1, 70), call(0, 1_010, 2, 60), call(0, 1_020, 2, 95)];
    let alerts = alerts(&by, 7, &calls);
    let shown: Vec<_> = alerts.iter().map(|of| (of.record, of.condition.as_str())).collect();
    let far = "numbers 2 >= 2 && seconds 130 > 100 && record.seconds 60 < 90";
    assert_eq!(shown, [(2, far), (3, "calls 3 >= 3")]);
    assert_eq!(alerts[0].evidence, [(7, 1), (7, 2)]);
    assert_eq!(alerts[1].evidence, [(7, 2), (7, 3)], "the last two");
    let Alert { rule, subject, key, at_s, score, .. } = &alerts[0];
    assert_eq!((rule.as_str(), subject.as_str(), key.as_str()), ("far", "caller", "a"));
    assert_eq!((*at_s, *score), (1_010, 20));
    assert_ne!(alerts[0].digest, alerts[1].digest);
}

#[test]
fn after_a_change_of_rules_and_a_start_no_rule_is_alerted_once_more() {
    let calls: Vec<Call> = (0..4).map(|place| call(0, 1_000 + place, 1, 1)).collect();
    let delta = of_file(&Judgement::new(rules(100), u64::MAX), 1, &calls).delta;
    let begun = Judgement::new(rules_of((100, "2"), false), u64::MAX);
    begun
        .restore(StoredState {
            job: 1,
            at: job(1, u32::MAX / 2).at,
            octets: &delta,
            description: None,
        })
        .unwrap();
    assert_eq!(judged(&begun, 2, &[call(0, 1_005, 1, 1)]), []);
    assert_eq!(judged(&begun, 3, &[call(0, 1_020, 1, 1)]), []);
}

#[test]
fn the_first_rule_at_an_end_is_judged_for_keys_that_were_known_before() {
    let old = Judgement::new(rules(50), u64::MAX).with_snapshot_after(0);
    // A snapshot is due when notes are longer than profiles.
    (1..20).for_each(|job| drop(of_file(&old, job, &[call(0, 1_000, 1, 1)])));
    let begun = Judgement::new(rules_with_ends(50), u64::MAX);
    let description = old.description();
    for SnapshotPart { through, at, octets, .. } in old.snapshot() {
        let description = description.as_deref();
        begun.restore(StoredState { job: through, at, octets: &octets, description }).unwrap();
    }
    assert_eq!(begun.restored(), [], "it has one measure, which is new");
    assert_eq!(begun.keys(), 1);
    // It is so after another start, too: they are stored without their texts.
    let again = Judgement::new(rules_with_ends(50), u64::MAX);
    for SnapshotPart { through, at, octets, .. } in begun.snapshot() {
        assert_eq!(at, job(19, u32::MAX / 2).at);
        again
            .restore(StoredState { job: through, at, octets: &octets, description: None })
            .unwrap();
    }
    let calls = [call(0, 1_150, 1, 1), call(0, 1_151, 1, 1), call(1, 1_400, 1, 1)];
    for by in [begun, again] {
        assert_eq!(judged(&by, 20, &calls), [("hundred".into(), "a".into(), 3)]);
    }
}

/// Returns the notes of a file with one record, which concerns no rule.
fn notes_of_time(rules: &Rules, time: u32) -> Vec<u8> {
    let mut notes = Notes::default();
    notes.begin(rules, "switch", 0);
    notes.add_time(1, time);
    notes.end_record(true);
    // A record that is refused comes later.
    notes.add_time(2, time + 1_000);
    notes.end_record(false);
    notes.take().unwrap()
}

#[test]
fn time_goes_on_with_records_that_concern_no_rule() {
    let by = Judgement::new(rules_with_ends(50), u64::MAX);
    assert_eq!(judged(&by, 1, &[call(0, 1_150, 1, 1), call(0, 1_151, 1, 1)]), []);
    let found = |number, time| {
        let judged = by.judge(job(number, u32::MAX / 2), &notes_of_time(by.rules(), time)).unwrap();
        by.settle(true);
        assert_eq!((judged.records, judged.late), (0, 0));
        let of = |alert: Alert| (alert.rule, alert.key, alert.at_s, alert.record);
        judged.alerts.into_iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(found(2, 1_200), []);
    assert_eq!(found(3, 1_400), [("hundred".into(), "a".into(), 1_199, 1)]);
    // A clock that is wrong moves nothing.
    assert_eq!(found(4, u32::MAX - 1_000), []);
    assert_eq!(judged(&by, 5, &[call(1, 1_390, 1, 1); 3]).len(), 1);
}

#[test]
fn records_by_two_streams_have_alerts_of_their_own() {
    let by = Judgement::new(rules(0), u64::MAX);
    let alerts = alerts(&by, 1, &[call(0, 1_000, 1, 1); 5]);
    let digests: std::collections::BTreeSet<_> = alerts.iter().map(|of| of.digest).collect();
    assert_eq!((alerts.len(), digests.len()), (3, 3));
}

#[test]
fn a_full_judgement_forgets_by_the_clock_what_counts_no_more() {
    let by = Judgement::new(rules(100), 1);
    of_file(&by, 1, &[call(0, 1_000, 1, 1)]);
    assert!(by.refuses().is_some());
    by.expire(UNIX_EPOCH + Duration::from_secs(80_000));
    assert!(by.refuses().is_some(), "a day is allowed for");
    by.expire(UNIX_EPOCH + Duration::from_secs(90_000));
    assert_eq!((by.refuses(), by.keys()), (None, 0));
}

#[test]
fn a_rule_is_not_alerted_again_for_a_while() {
    let by = Judgement::new(rules(100), u64::MAX);
    let calls: Vec<Call> = (0..30).map(|place| call(0, 1_000 + 10 * place, 1, 1)).collect();
    let records: Vec<u64> = judged(&by, 1, &calls).into_iter().map(|of| of.2).collect();
    assert_eq!(records, [3, 13, 23]);
}

#[test]
fn what_is_late_counts_where_it_belongs_until_it_is_too_late() {
    let by = Judgement::new(rules(600), u64::MAX);
    assert_eq!(judged(&by, 1, &[call(0, 1_000, 1, 1), call(1, 1_090, 1, 1)]), []);
    // Its minute has two of before.
    assert_eq!(judged(&by, 2, &[call(0, 1_001, 1, 1), call(0, 1_002, 1, 1)]).len(), 1);
    assert_eq!(judged(&by, 3, &[call(2, 1_190, 1, 1)]), []);
    // Three that are too late, and three that are not.
    assert_eq!(judged(&by, 4, &[call(3, 1_000, 1, 1); 3]), []);
    assert_eq!(judged(&by, 5, &[call(3, 1_090, 1, 1); 3]).len(), 1);
}

#[test]
fn a_file_that_began_before_is_not_late_if_it_is_judged_after_others() {
    let by = Judgement::new(rules(600), u64::MAX);
    judged(&by, 1, &[call(0, 1_000, 1, 1)]);
    let file = by.begin_file();
    let delta = of_file(&by, 2, &[call(1, 5_000, 1, 1)]).delta;
    let late = of_file(&by, 3, &[call(2, 1_000, 1, 1); 3]);
    assert_eq!((late.alerts.len(), late.late), (1, 0));
    drop(file);
    assert_eq!(of_file(&by, 4, &[call(1, 5_001, 1, 1)]).late, 0);
    assert_eq!(of_file(&by, 5, &[call(3, 1_000, 1, 1); 3]).late, 3);
    // After a start, what was under way then is, too.
    let begun = Judgement::new(rules(600), u64::MAX);
    let at = UNIX_EPOCH + Duration::from_secs(100_000);
    for (job, octets) in [(2, &delta), (3, &late.delta)] {
        begun.restore(StoredState { job, at, octets, description: None }).unwrap();
    }
    assert_eq!(of_file(&begun, 4, &[call(2, 1_001, 1, 1)]).alerts.len(), 0, "it was alerted");
    assert_eq!(begun.keys(), 2);
}

#[test]
fn what_was_alerted_is_counted_in_memory_after_a_start_too() {
    let by = Judgement::new(rules(600), u64::MAX);
    let calls: Vec<Call> = (0..60).map(|place| call(place / 3, 1_000, 1, 1)).collect();
    let found = of_file(&by, 1, &calls);
    assert_eq!(found.alerts.len(), 20);
    let begun = Judgement::new(rules(600), 1 << 30);
    let at = UNIX_EPOCH + Duration::from_secs(100_000);
    begun.restore(StoredState { job: 1, at, octets: &found.delta, description: None }).unwrap();
    // All that was alerted is gone then.
    of_file(&begun, 2, &[call(21, 100_000, 1, 1)]);
    begun.expire(at);
    assert_eq!((begun.keys(), begun.refuses()), (1, None));
}

#[test]
fn a_record_of_a_time_to_come_moves_nothing() {
    let by = Judgement::new(rules(600), u64::MAX);
    let notes = |calls: &[Call]| notes(by.rules(), calls);
    let ahead = by.judge(job(1, 1_000), &notes(&[call(0, 4_000_000, 1, 1); 5])).unwrap();
    by.settle(true);
    assert_eq!(ahead.late, 5);
    assert_eq!(by.keys(), 0);
    // A clock that is some hours ahead makes nothing else late.
    by.judge(job(2, 1_000), &notes(&[call(0, 20_000, 1, 1)])).unwrap();
    let others = by.judge(job(3, 1_000), &notes(&[call(1, 1_000, 1, 1); 3])).unwrap();
    assert_eq!((others.alerts.len(), others.late), (1, 0));
}

/// Returns what is found by counting all events at each of them, and at the end of each hundred seconds.
fn counted(files: &[Vec<Call>], again: u32) -> Vec<(String, String, u64)> {
    let (mut all, mut found): (Vec<Call>, Vec<_>) = (Vec::new(), Vec::new());
    let mut until = std::collections::HashMap::new();
    let mut watermark = 0_u32;
    for (place, of) in files.iter().flat_map(|file| file.iter().enumerate()) {
        let over = watermark.saturating_sub(LATE) / HUNDRED + 1;
        watermark = watermark.max(of.time);
        for (hundred, key) in (over..=watermark.saturating_sub(LATE) / HUNDRED)
            .flat_map(|over| (0..3_u8).map(move |key| (over - 1, key)))
        {
            let end = hundred * HUNDRED + HUNDRED - 1;
            let own = || all.iter().filter(|of| of.key == key);
            let calls = own().filter(|of| of.time / HUNDRED == hundred).count();
            // Something of the last minute or hundred seconds counts then: distinct numbers do in whole steps.
            let is_known = own().any(|of| of.time <= end && of.time / 10 + 6 > end / 10);
            let until = until.entry(("hundred", key)).or_insert(0);
            if (calls >= 2 || calls == 0 && is_known) && end >= *until {
                *until = end + again;
                let key = char::from(b'a' + key).to_string();
                found.push(("hundred".to_owned(), key, place as u64 + 1));
            }
        }
        if of.time < watermark.saturating_sub(LATE) {
            continue;
        }
        all.push(*of);
        // One that is late is judged at the times of those behind it, too, by the rule that does not read it.
        let mut times: Vec<u32> =
            all.iter().filter(|other| other.key == of.key).map(|of| of.time).collect();
        times.retain(|time| *time == of.time || (of.time + 1..of.time + WITHIN).contains(time));
        times.sort_unstable();
        times.dedup();
        for time in times {
            let within = |step: u32, steps: u32| {
                let last = time / step;
                all.iter().filter(move |other| {
                    let at = other.time / step;
                    other.key == of.key && at <= last && at + steps > last
                })
            };
            let calls = within(1, WITHIN).count();
            let seconds: i64 = within(1, WITHIN).map(|of| of.seconds).sum();
            let numbers: std::collections::HashSet<i64> =
                within(10, 6).map(|of| of.number).collect();
            let is_far = time == of.time && numbers.len() >= 2 && seconds > 100 && of.seconds < 90;
            for (rule, _) in [("often", calls >= 3), ("far", is_far)].into_iter().filter(|of| of.1)
            {
                let until = until.entry((rule, of.key)).or_insert(0);
                if time >= *until {
                    *until = time + again;
                    let key = char::from(b'a' + of.key).to_string();
                    found.push((rule.to_owned(), key, place as u64 + 1));
                }
            }
        }
    }
    found
}

fn files() -> impl Strategy<Value = Vec<Vec<Call>>> {
    let of = (0..3_u8, 1_000..1_400_u32, 0..4_i64, 0..100_i64);
    let of = of.prop_map(|(key, time, number, seconds)| call(key, time, number, seconds));
    prop::collection::vec(prop::collection::vec(of, 0..12), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rules_find_what_a_count_of_all_events_finds(files in files(), again in 1..200_u32) {
        let by = Judgement::new(rules_with_ends(again), u64::MAX);
        let found: Vec<_> = files
            .iter()
            .enumerate()
            .flat_map(|(number, calls)| judged(&by, number as i64 + 1, calls))
            .collect();
        prop_assert_eq!(found, counted(&files, again));
    }

    #[test]
    fn in_any_order_within_the_limit_the_same_keys_are_found(files in files(), seed in any::<u64>()) {
        // No event is behind the limit, and a key is found once.
        let calls: Vec<Call> = files.concat().into_iter().filter(|of| of.time < 1_000 + LATE).collect();
        let mut shuffled = calls.clone();
        let mut state = seed;
        shuffled.sort_by_cached_key(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state
        });
        let mut in_order = calls;
        in_order.sort_by_key(|of| of.time);
        let [one, other] = [in_order, shuffled].map(|calls| {
            let by = Judgement::new(rules_with_ends(1_000_000), u64::MAX);
            let files = calls.chunks(5).enumerate();
            let found = files.flat_map(|(number, calls)| alerts(&by, number as i64 + 1, calls));
            // The other one reads the record. With a record that comes late, `often` may be found at another time.
            let found = found.filter(|of| of.rule != "far");
            let at = |of: &Alert| (of.rule == "hundred").then_some(of.at_s);
            found.map(|of| (at(&of), of.rule, of.key)).collect::<std::collections::BTreeSet<_>>()
        });
        prop_assert_eq!(one, other);
    }

    #[test]
    fn jobs_that_are_undone_leave_nothing(files in files(), undone in files()) {
        let [one, other] = [(); 2].map(|()| Judgement::new(rules_with_ends(50), u64::MAX));
        for (number, calls) in files.iter().enumerate() {
            if let Some(never) = undone.get(number) {
                for calls in never.chunks(3) {
                    one.judge(job(999, u32::MAX / 2), &notes(one.rules(), calls)).unwrap();
                }
                one.settle(false);
            }
            let number = number as i64 + 1;
            prop_assert_eq!(alerts(&one, number, calls), alerts(&other, number, calls));
            prop_assert_eq!(one.keys(), other.keys());
        }
    }

    #[test]
    fn after_a_start_all_is_as_before(files in files(), at in 0..12_usize, between in 1..4_usize) {
        let live = Judgement::new(rules_with_ends(50), u64::MAX).with_snapshot_after(0);
        let mut parts: Vec<SnapshotPart> = Vec::new();
        let mut deltas = Vec::new();
        for (place, calls) in files.iter().enumerate() {
            let number = place as i64 + 1;
            deltas.push((number, of_file(&live, number, calls).delta));
            // The parts of a snapshot are of different jobs.
            if place == at || place == at + between {
                let new = live.snapshot();
                if new.is_empty() {
                    continue;
                }
                let is_first = parts.is_empty();
                let stays = |part: &SnapshotPart| part.part % 2 == 1;
                parts.retain(stays);
                parts.extend(new.into_iter().filter(|part| is_first || !stays(part)));
            }
        }
        let begun = Judgement::new(rules_with_ends(50), u64::MAX);
        // The last one of each part counts.
        let mut last = std::collections::BTreeMap::new();
        parts.into_iter().for_each(|part| drop(last.insert(part.part, part)));
        let through = last.values().map(|part| part.through).min().unwrap_or(0);
        for SnapshotPart { through, at, octets, .. } in last.values() {
            begun.restore(StoredState { job: *through, at: *at, octets, description: None }).unwrap();
        }
        let at = job(1, u32::MAX / 2).at;
        for (number, octets) in deltas.iter().filter(|(number, _)| *number > through) {
            if !octets.is_empty() {
                begun.restore(StoredState { job: *number, at, octets, description: None }).unwrap();
            }
        }
        prop_assert_eq!(begun.keys(), live.keys());
        // Some hundreds are over then.
        let probe: Vec<Call> = (0..6).map(|key| call(key % 3, 1_400 + u32::from(key) * 30, 9, 50)).collect();
        prop_assert_eq!(alerts(&begun, 100, &probe), alerts(&live, 100, &probe));
    }

    #[test]
    fn after_a_change_of_measures_the_others_are_as_before(files in files(), at in 0..12_usize, has_snapshot: bool, adds: bool) {
        let made = |has_more: bool| {
            let rules = if has_more { rules_with_ends(50) } else { rules(50) };
            Judgement::new(rules, u64::MAX).with_snapshot_after(0)
        };
        let (old, changed, undisturbed) = (made(!adds), made(adds), made(adds));
        let description = old.description().unwrap();
        prop_assert!(changed.can_read(&old.form(), &description));
        prop_assert!(!changed.can_read("profiles 3", &description));
        let restore = |job, at, octets: &[u8]| {
            changed.restore(StoredState { job, at, octets, description: Some(&description) }).unwrap();
        };
        let (before, after) = files.split_at(at.min(files.len()));
        let mut deltas = Vec::new();
        for (place, calls) in before.iter().enumerate() {
            let number = place as i64 + 1;
            of_file(&undisturbed, number, calls);
            deltas.push((number, of_file(&old, number, calls).delta));
            if has_snapshot && place == at / 2 {
                for SnapshotPart { through, at, octets, .. } in old.snapshot() {
                    restore(through, at, &octets);
                    deltas.retain(|(number, _)| *number > through);
                }
            }
        }
        for (number, octets) in deltas.iter().filter(|(_, octets)| !octets.is_empty()) {
            restore(*number, job(1, u32::MAX / 2).at, octets);
        }
        changed.restored();
        for (place, calls) in after.iter().enumerate() {
            let number = (before.len() + place) as i64 + 1;
            let of_both = [&changed, &undisturbed].map(|by| {
                let found = alerts(by, number, calls).into_iter().filter(|of| of.rule != "hundred");
                found.map(|of| (of.rule, of.key, of.at_s, of.condition, of.evidence)).collect::<Vec<_>>()
            });
            prop_assert_eq!(&of_both[0], &of_both[1]);
        }
        // What was read is due to be stored in the new form.
        if deltas.iter().any(|(_, octets)| !octets.is_empty()) {
            prop_assert!(after.iter().all(Vec::is_empty) || !changed.snapshot().is_empty());
        }
    }

    #[test]
    fn damaged_state_is_refused_and_never_read_beyond_its_end(octets in prop::collection::vec(any::<u8>(), 0..80)) {
        let by = Judgement::new(rules(50), u64::MAX);
        let mut whole = notes(by.rules(), &[call(0, 1_000, 1, 1); 3]);
        let delta = of_file(&by, 1, &[call(0, 1_000, 1, 1); 3]).delta;
        let cut = octets.len() % whole.len();
        for (place, octet) in octets.iter().enumerate() {
            let at = (place * 7 + usize::from(*octet)) % whole.len();
            whole[at] ^= octet;
        }
        let at = job(1, 1_000).at;
        for damaged in [&delta[..octets.len() % delta.len()], &octets] {
            let restored = by.restore(StoredState { job: 2, at, octets: damaged, description: None });
            prop_assert!(restored.is_err());
            let other = by.description().unwrap();
            let restored = by.restore(StoredState { job: 2, at, octets: damaged, description: Some(&other) });
            prop_assert!(restored.is_err());
            let restored = by.restore(StoredState { job: 2, at, octets: &delta, description: Some(damaged) });
            prop_assert!(restored.is_err());
        }
        // What a worker process sends is not trusted.
        for notes in [&whole[..cut], &whole, &octets] {
            let _ = by.judge(job(3, 1_000), notes);
            by.settle(false);
        }
        prop_assert_eq!(by.keys(), 1);
    }
}
