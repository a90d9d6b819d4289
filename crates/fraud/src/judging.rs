//! Judges the rules of a note by the profile of its key.
//!
//! Most rules do not fire, and that is found out without looking at each: those that need the same measure at least so great are in the
//! order of how great, so that the first one that is not reached ends the look.

use std::sync::Arc;

use dup::{Machine, Native};
use measures::{Kind, Layout, Moment, Seconds, Values};
use node::{JobEntry, KeyDigest, ListHit};
use record::{Arena, Memory, SlotIndex, TypeId};

use crate::alerted::Alerted;
use crate::definition::{Condition, Limit, Occasion, Rule, Rules, Subject};
use crate::notes::{NoteHead, NoteMemory, unpacked};
use crate::octets::has_bit;
use crate::profiles::Profile;
use crate::stored::Mark;

/// The most later times, by measure, at which a record that is late is judged: those that come first.
const LATER_MAX: usize = 500;

/// What judges the rules of all subjects, with its memory.
pub(crate) struct Judging {
    /// Empty until it is needed: machine code of many conditions takes a while.
    subjects: Vec<SubjectRules>,
    /// From when on rules are judged, by their subjects and places; empty if all are.
    pub(crate) judged_from: Vec<Vec<Seconds>>,
    arena: Arena,
    values: Values,
    fired: Vec<usize>,
    /// Later times, each with a measure that has another value then.
    later: Vec<(Seconds, usize)>,
    ends: Vec<Seconds>,
    /// The entries of lists for which rules fired, or did not.
    pub(crate) hits: Vec<ListHit>,
}

/// A rule that fires.
pub(crate) struct Fired<'r> {
    pub(crate) subject: &'r Subject,
    pub(crate) rule: &'r Rule,
    /// The time at which it fires: that of the record, or a later one by a record that is late.
    pub(crate) at: Seconds,
    /// The condition, each name with its value.
    pub(crate) condition: String,
    /// The recent records that it is about, each with its job.
    pub(crate) evidence: Vec<(JobEntry, u64)>,
    /// The number of the rule in what is stored, and until when it is not alerted again, if that is so.
    pub(crate) alerted: Option<(u32, Seconds)>,
    /// Whether a rule fires, too, that says more.
    pub(crate) is_covered: bool,
}

impl Fired<'_> {
    /// Returns that the rule is alerted about a key, if it is not again for a while.
    pub(crate) fn mark(&self, key: KeyDigest) -> Option<Mark> {
        self.alerted.map(|(rule, until)| Mark { key, rule, until })
    }
}

/// What judges the rules of a subject.
struct SubjectRules {
    rules: Vec<RuleJudge>,
    /// Those that are judged with each record.
    groups: Vec<Group>,
    /// Those that are judged at the end of an hour or a day, by its length.
    ends: Vec<(Seconds, Vec<Group>)>,
}

/// The rules that are about the same records and need the same measure.
struct Group {
    filter: Option<usize>,
    /// The place of the measure.
    measure: Option<usize>,
    /// The places of the rules, each with how great the measure must be at least, in this order.
    rules: Vec<(i64, usize)>,
}

/// What judges a rule.
struct RuleJudge {
    /// The number of the rule in what is stored: a digest of its name.
    number: u32,
    /// The machine of its condition, if that is written.
    machine: Option<Machine>,
    /// The places of the values that it reads.
    read: Vec<usize>,
    /// Whether its condition reads values of the record.
    reads_record: bool,
}

impl RuleJudge {
    fn new(rule: &Rule, measures: usize) -> Self {
        let mut digest = blake3::Hasher::new();
        digest.update(rule.name.as_bytes());
        if rule.covered_by.is_some() {
            digest.update(b" of a smaller number");
        }
        let digest = digest.finalize();
        let number = digest.as_bytes().first_chunk().expect("a digest has 32 octets");
        let (machine, mut read) = match &rule.condition {
            Condition::AtLeast { measure, .. } => (None, vec![*measure]),
            Condition::Limits(limits) => {
                (None, limits.iter().flat_map(|of| [of.measure, of.limit]).collect())
            }
            Condition::Written { program, parts, .. } => {
                let machine = match Native::compile(program) {
                    Ok(native) => Machine::native(native),
                    Err(_) => Machine::new(Arc::clone(program)),
                };
                (Some(machine), parts.iter().filter_map(|part| part.value).collect())
            }
        };
        read.sort_unstable();
        read.dedup();
        let reads_record = read.iter().any(|place| *place >= measures);
        RuleJudge { number: u32::from_le_bytes(*number), machine, read, reads_record }
    }

    /// Returns whether it is judged at a later time, at which measures have other values.
    fn is_judged_later(&self, changed: &[(Seconds, usize)]) -> bool {
        !self.reads_record && changed.iter().any(|(_, place)| self.read.contains(place))
    }
}

impl SubjectRules {
    fn new(subject: &Subject) -> Self {
        let groups = Group::of_rules(subject, Occasion::Record);
        let ends = subject.periods().into_iter();
        let ends = ends
            .map(|length| (length, Group::of_rules(subject, Occasion::EndOf(length))))
            .collect();
        let measures = subject.layout.measures().len();
        let judge = |rule: &Rule| RuleJudge::new(rule, measures);
        SubjectRules { rules: subject.rules.iter().map(judge).collect(), groups, ends }
    }
}

impl Group {
    /// Returns the rules of a subject that are judged on an occasion. At an end, there is no record that could be a rule's own.
    fn of_rules(subject: &Subject, occasion: Occasion) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let own = subject.rules.iter().enumerate().filter(|(_, rule)| rule.occasion == occasion);
        for (place, rule) in own {
            let filter = rule.filter.filter(|_| occasion == Occasion::Record);
            let (measure, least) = rule.condition.least().unzip();
            let known = groups.iter_mut().find(|of| (of.filter, of.measure) == (filter, measure));
            let of_rule = (least.unwrap_or(i64::MIN), place);
            match known {
                Some(group) => group.rules.push(of_rule),
                None => groups.push(Group { filter, measure, rules: vec![of_rule] }),
            }
        }
        groups.iter_mut().for_each(|group| group.rules.sort_unstable());
        groups
    }
}

/// When rules are judged.
#[derive(Clone, Copy)]
enum At<'c> {
    /// With a record.
    Record,
    /// At a later time, at which measures have other values by a record that is late.
    Later(&'c [(Seconds, usize)]),
    /// At the end of an hour or a day of so many seconds.
    EndOf(Seconds),
}

/// What rules are judged by: the measures of a key and the values of a record, and which rules were alerted.
pub(crate) struct Judged<'j> {
    pub(crate) subject: usize,
    pub(crate) key: &'j [u8],
    /// Which records are a rule's own, and the values of the record: none without a record.
    pub(crate) filters: &'j [u8],
    pub(crate) of_record: &'j [Option<i64>],
    pub(crate) measures: &'j [u8],
    pub(crate) alerted: &'j mut Alerted,
}

/// What is known when rules are judged.
struct Known<'k> {
    layout: &'k Layout,
    profile: &'k [u8],
    at: Moment,
    of_record: &'k [Option<i64>],
    values: &'k mut Values,
    /// Whether it is judged at an end, behind which other events may have come.
    is_end: bool,
}

impl Known<'_> {
    /// Returns the value at a place: of a measure, or of the record.
    fn get(&mut self, place: usize) -> Option<i64> {
        match place.checked_sub(self.layout.measures().len()) {
            Some(of_record) => self.of_record.get(of_record).copied().flatten(),
            None if self.is_end && self.is_of_after(place) => None,
            None => self.values.get((self.layout, self.profile), self.at, place),
        }
    }

    /// Returns whether the value at a place is that of an event after the moment.
    fn is_of_after(&self, place: usize) -> bool {
        let from = measures::known_from((self.layout, self.profile), place);
        from.is_some_and(|from| from > self.at.time)
    }

    /// Returns whether something counts of the key: counts and sums are 0 without a record, and other values are absent.
    fn has_any(&mut self) -> bool {
        (0..self.layout.measures().len()).any(|place| {
            let kind = self.layout.measures()[place].kind;
            let is_absent_without =
                matches!(kind, Kind::Least | Kind::Greatest | Kind::First | Kind::Last);
            self.get(place).is_some_and(|value| value != 0 || is_absent_without)
        })
    }
}

impl Judging {
    pub(crate) fn new() -> Self {
        Judging {
            subjects: Vec::new(),
            judged_from: Vec::new(),
            arena: Arena::new(),
            values: Values::default(),
            fired: Vec::new(),
            later: Vec::new(),
            ends: Vec::new(),
            hits: Vec::new(),
        }
    }

    /// Judges the rules of a note. Those that fire are noted in the profile, and handed out in their order.
    ///
    /// One that is late counts in windows that were judged before. So its rules are judged at the later times, too, at which something
    /// else counts in these windows, unless they need values of the record then.
    pub(crate) fn judge<'r>(
        &mut self,
        rules: &'r Rules,
        (note, memory): (&NoteHead<'_>, &NoteMemory),
        profile: &mut Profile,
        mut alert: impl FnMut(Fired<'r>),
    ) {
        let last = profile.last();
        let Profile { measures, alerted, .. } = profile;
        let mut judged = Judged {
            subject: note.subject,
            key: note.key,
            filters: note.filters,
            of_record: &memory.of_record,
            measures,
            alerted,
        };
        self.judge_at((note.time, At::Record), rules, &mut judged, &mut alert);
        if note.time >= last {
            return;
        }
        let mut later = std::mem::take(&mut self.later);
        let layout = &rules.subjects[note.subject].layout;
        for (place, _) in &memory.inputs {
            let of = (layout, judged.measures);
            measures::later_ends(of, (*place, rules.moment(note.time)), &mut self.ends);
            // Nothing is known of what comes after the last event.
            later.extend(self.ends.drain(..).map(|end| (last.min(end), *place)));
        }
        later.sort_unstable();
        later.truncate(LATER_MAX);
        for changed in later.chunk_by(|(one, _), (other, _)| one == other) {
            let at = (changed[0].0, At::Later(changed));
            self.judge_at(at, rules, &mut judged, &mut alert);
        }
        later.clear();
        self.later = later;
    }

    /// Judges the rules of the end of an hour or a day of some length, which ends with a time.
    pub(crate) fn judge_end<'r>(
        &mut self,
        rules: &'r Rules,
        (time, length): (Seconds, Seconds),
        mut judged: Judged<'_>,
        mut alert: impl FnMut(Fired<'r>),
    ) {
        self.judge_at((time, At::EndOf(length)), rules, &mut judged, &mut alert);
    }

    fn judge_at<'r>(
        &mut self,
        (time, occasion): (Seconds, At<'_>),
        rules: &'r Rules,
        judged: &mut Judged<'_>,
        alert: &mut impl FnMut(Fired<'r>),
    ) {
        if self.subjects.is_empty() {
            self.subjects = rules.subjects.iter().map(SubjectRules::new).collect();
        }
        let Judged { subject: place, key, filters, of_record, measures, alerted } = judged;
        let subject = &rules.subjects[*place];
        let Judging { subjects, judged_from, arena, values, fired, hits, .. } = self;
        let judged_from = judged_from.get(*place);
        let SubjectRules { rules: judges, groups, ends } = &mut subjects[*place];
        let groups = match occasion {
            At::Record | At::Later(_) => groups,
            At::EndOf(length) => match ends.iter_mut().find(|(of, _)| *of == length) {
                Some((_, groups)) => groups,
                None => return,
            },
        };
        let layout = &subject.layout;
        values.begin(layout);
        let at = rules.moment(time);
        let is_end = matches!(occasion, At::EndOf(_));
        let mut known = Known { layout, profile: measures, at, of_record, values, is_end };
        arena.reset();
        let mut record = ValuesRecord { memory: Memory::new(&[], arena), made: None };
        for Group { filter, measure, rules: of_group } in groups {
            if filter.is_some_and(|filter| !has_bit(filters, filter)) {
                continue;
            }
            let value = match measure {
                Some(measure) => known.get(*measure),
                None => Some(i64::MAX),
            };
            // What is absent is great enough for no rule.
            let Some(value) = value else { continue };
            for (_, place) in of_group.iter().take_while(|(least, _)| *least <= value) {
                let judge = &mut judges[*place];
                let is_unchanged =
                    matches!(occasion, At::Later(changed) if !judge.is_judged_later(changed));
                let is_early = judged_from.is_some_and(|of_rules| time < of_rules[*place]);
                if is_unchanged || is_early || alerted.holds(judge.number, time) {
                    continue;
                }
                let RuleJudge { machine, read, .. } = judge;
                let rule = &subject.rules[*place];
                let fires = match (machine, &rule.condition) {
                    (Some(machine), _) => {
                        record.is_true(machine, (subject.values, read), &mut known)
                    }
                    (None, Condition::Limits(limits)) => {
                        limits.iter().any(|limit| is_reached(limit, &mut known))
                    }
                    (None, _) => true,
                };
                // A key is known from its first record on, and no longer than something of it counts.
                let is_known =
                    |known: &mut Known<'_>| !matches!(occasion, At::EndOf(_)) || known.has_any();
                if fires && is_known(&mut known) && is_meant(rules, rule, (key, time), hits) {
                    fired.push(*place);
                }
            }
        }
        fired.sort_unstable();
        for (place, rule) in fired.iter().map(|place| (*place, &subject.rules[*place])) {
            let mark = (judges[place].number, time.saturating_add(rule.again));
            let mark = Some(mark).filter(|_| rule.again > 0);
            mark.into_iter().for_each(|(rule, until)| alerted.note(rule, until));
            let is_covered = rule.covered_by.is_some_and(|place| fired.contains(&place));
            let condition = rule.condition.with_values(|place| known.get(place));
            let of = (layout, known.profile);
            let records = rule.evidence.map(|place| measures::recent_events(of, (place, time)));
            let records = records.into_iter().flatten();
            let evidence = records.map(|(_, record)| unpacked(record)).collect();
            let alerted = mark;
            alert(Fired { subject, rule, at: time, condition, evidence, alerted, is_covered });
        }
        fired.clear();
    }
}

/// Returns whether a measure is as great as the limit of the record.
fn is_reached(limit: &Limit, known: &mut Known<'_>) -> bool {
    let value = known.get(limit.measure);
    value.zip(known.get(limit.limit)).is_some_and(|(value, limit)| value >= limit)
}

/// Returns whether a rule that fires is meant for a key at a time, by its lists.
fn is_meant(
    rules: &Rules,
    rule: &Rule,
    (key, time): (&[u8], Seconds),
    hits: &mut Vec<ListHit>,
) -> bool {
    let mut is_in = |list: &usize| {
        let list = &rules.lists[*list];
        let entry = list.find(key, time);
        let is_found = entry.is_some();
        hits.extend(entry.map(|entry| ListHit { list: list.name.clone(), entry, at_s: time }));
        is_found
    };
    (rule.only.is_empty() || rule.only.iter().any(&mut is_in)) && !rule.except.iter().any(is_in)
}

/// The values that conditions read, as a SEQUENCE of numbers that is made when the first one is needed.
struct ValuesRecord<'m> {
    memory: Memory<'m>,
    made: Option<(SlotIndex, SlotIndex)>,
}

impl ValuesRecord<'_> {
    /// Returns whether a condition is true. A value that is absent, or a number that is too large, fulfils none.
    fn is_true(
        &mut self,
        machine: &mut Machine,
        (ty, read): (TypeId, &[usize]),
        known: &mut Known<'_>,
    ) -> bool {
        let ValuesRecord { memory, made } = self;
        let (root, SlotIndex(first)) = *made.get_or_insert_with(|| {
            let root = memory.create(ty).root;
            let fields = known.layout.measures().len() + known.of_record.len();
            (root, memory.make_structure(root, fields))
        });
        for place in read {
            if let Some(number) = known.get(*place) {
                memory.set_number(SlotIndex(first + *place as u32), number);
            }
        }
        machine.call(0, memory, &[root]).is_ok_and(|value| value.boolean())
    }
}
