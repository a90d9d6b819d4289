//! Observes the records of a file in a worker: which components they have, and which elements the module does not know.
//!
//! The decoder has found each component already, so examining one means reading its slot. A record is examined if its
//! type differs from that of the record before; of the others, one in [`SAMPLE`] is. The alternatives of choices among
//! the components, and elements that the decoder does not know, are noted in every record. What lies within those
//! components is counted apart ([`Parts`]). No other part of the flow may need it decoded, so those records are
//! [decoded a second time](Deeper).

use format::coding::Deeper;
use record::{Arena, Field, Kind, Memory, Record, Schema, Slot, SlotIndex, TypeId};
use serde::{Deserialize, Serialize};

use super::nested::{Child, Finding, PartCounts, Parts};

/// The sampling interval: the components of one in this many records are examined, and of each of a file's first
/// records up to this number.
const SAMPLE: u64 = 16;

/// The most different tags that are noted of a file.
const UNKNOWN_MAX: usize = 64;

/// The places and names of the components of a type's records.
pub(crate) struct Layout {
    /// The forms of a record of the type: the alternatives of a choice, or the type itself.
    shapes: Vec<Shape>,
    is_choice: bool,
    /// The parts within them.
    parts: Parts,
    /// The types whose values are examined in all records.
    pub(super) opened: Vec<TypeId>,
    /// The types whose values are examined in some records.
    pub(super) within: Vec<TypeId>,
}

/// A form that a record may have.
struct Shape {
    /// The name of the alternative, or of the type.
    name: String,
    fields: Vec<String>,
    /// The places of the fields that are choices, with the names of their alternatives.
    choices: Vec<(usize, Vec<String>)>,
    children: Vec<Child>,
}

impl Layout {
    /// Makes the layout of a type. `depth` is the number of levels, and the record itself is the first.
    pub(super) fn of(schema: &Schema, ty: TypeId, depth: usize) -> Self {
        let root = schema.get(ty);
        let mut finding = Finding::new(schema);
        let mut opened = vec![ty];
        let (is_choice, shapes) = match &root.kind {
            Kind::Choice(alternatives) => {
                let shapes = alternatives.iter().enumerate().map(|(place, of)| {
                    finding.share(alternatives.len() - place);
                    Shape::of((of.name.clone(), of.ty), depth, &mut opened, &mut finding)
                });
                (true, shapes.collect())
            }
            _ => {
                let name = root.name.rsplit('.').next().unwrap_or_default().to_owned();
                finding.share(1);
                (false, vec![Shape::of((name, ty), depth, &mut opened, &mut finding)])
            }
        };
        let Finding { parts, within, .. } = finding;
        Layout { shapes, is_choice, parts, opened, within }
    }
}

impl Layout {
    /// Returns the shape of a record, and where it is.
    fn shape(&self, arena: &Arena, record: Record) -> Option<(usize, SlotIndex)> {
        if !self.is_choice {
            return Some((0, record.root));
        }
        let slot = arena.slot(record.root);
        (slot.link != 0).then(|| (usize::from(slot.alternative), SlotIndex(slot.link)))
    }
}

impl Shape {
    fn of(
        (name, ty): (String, TypeId),
        depth: usize,
        opened: &mut Vec<TypeId>,
        finding: &mut Finding<'_>,
    ) -> Self {
        let schema = finding.schema;
        opened.push(ty);
        let (Kind::Sequence(fields) | Kind::Set(fields)) = schema.kind(ty) else {
            return Shape { name, fields: Vec::new(), choices: Vec::new(), children: Vec::new() };
        };
        let mut choices = Vec::new();
        for (place, field) in fields.iter().enumerate() {
            if let Kind::Choice(alternatives) = schema.kind(field.ty) {
                opened.push(field.ty);
                choices.push((place, names(alternatives)));
            }
        }
        let children = finding.children(&name, fields, depth - 1);
        Shape { name, fields: names(fields), choices, children }
    }

    /// Returns empty counts for its records.
    fn counts(&self) -> Counts {
        let choices = self.choices.iter().map(|(_, names)| vec![Tally::default(); names.len()]);
        Counts {
            fields: vec![Tally::default(); self.fields.len()],
            choices: choices.collect(),
            ..Counts::default()
        }
    }
}

pub(super) fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name.clone()).collect()
}

/// The place of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Where {
    /// The number of the record in its file, from 1.
    pub record: u64,
    /// The offset in the file where it begins.
    pub offset: u64,
}

/// The number of occurrences, and the first place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    pub name: String,
    pub records: u64,
    pub first: Where,
}

/// A type of records in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TypeProfile {
    pub met: Met,
    /// The number of its records whose components were examined.
    pub(crate) sampled: u64,
    /// The components that were present.
    pub fields: Vec<Met>,
    /// The alternatives that came for components that are choices, `details.roaming`; of all records of the type.
    pub alternatives: Vec<Met>,
}

/// The observations of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProfile {
    /// The number of all records. The commit takes it from the file's account.
    pub records: u64,
    /// The number of suspended records, without duplicates. The commit takes it from the account, too.
    pub suspended: u64,
    pub(crate) types: Vec<TypeProfile>,
    /// The parts within the examined records, by path: `call/details`.
    #[serde(default)]
    pub(crate) parts: Vec<TypeProfile>,
    /// The elements that the module does not know, by tag.
    pub unknown: Vec<Met>,
    /// The number of records that were decoded a second time.
    #[serde(default)]
    pub(crate) looked_within: u64,
    /// The elements within components that the module does not know, by tag. Only the second decoding finds them.
    #[serde(default)]
    pub unknown_within: Vec<Met>,
    /// The learning time.
    pub(crate) learn_ms: i64,
}

/// Counts of what is met, by place.
#[derive(Clone, Debug, Default)]
struct Counts {
    records: u64,
    first: Where,
    sampled: u64,
    fields: Vec<Tally>,
    choices: Vec<Vec<Tally>>,
}

/// The number of occurrences, and the first place.
pub(super) type Tally = (u64, Where);

/// The observer of a worker, file by file.
pub struct Watcher<'p> {
    layout: &'p Layout,
    deeper: Option<&'p dyn Deeper>,
    /// The records that are decoded a second time.
    arena: Arena,
    learn_ms: i64,
    counts: Vec<Counts>,
    parts: Vec<PartCounts>,
    /// The unknown elements, by the decoder's mark.
    unknown: Vec<(u32, u64, Where)>,
    within: Within,
    records: u64,
    /// The number of the next record to examine, whatever its type is.
    next: u64,
    /// The shape of the last record.
    last: usize,
}

/// The observations of a part of a file.
#[derive(Debug, Default)]
pub struct Noted {
    counts: Vec<Counts>,
    parts: Vec<PartCounts>,
    unknown: Vec<(u32, u64, Where)>,
    within: Within,
}

/// The unknown elements within components, from the records that were decoded a second time.
#[derive(Debug, Default)]
struct Within {
    records: u64,
    unknown: Vec<(u32, u64, Where)>,
}

impl<'p> Watcher<'p> {
    pub(crate) fn new(drift: &'p super::Drift) -> Self {
        let layout = &drift.layout;
        let learn_ms = i64::try_from(drift.learn.as_millis()).unwrap_or(i64::MAX);
        let mut watcher = Watcher {
            layout,
            deeper: drift.deeper.as_deref(),
            arena: Arena::new(),
            learn_ms,
            counts: Vec::new(),
            parts: Vec::new(),
            unknown: Vec::new(),
            within: Within::default(),
            records: 0,
            next: 0,
            last: usize::MAX,
        };
        watcher.begin();
        watcher
    }

    /// Begins a file, or a part of one, and returns the notes so far.
    pub fn begin(&mut self) -> Noted {
        (self.records, self.next, self.last) = (0, 1, usize::MAX);
        let counts = self.layout.shapes.iter().map(Shape::counts).collect();
        Noted {
            counts: std::mem::replace(&mut self.counts, counts),
            parts: std::mem::replace(&mut self.parts, self.layout.parts.counts()),
            unknown: std::mem::take(&mut self.unknown),
            within: std::mem::take(&mut self.within),
        }
    }

    /// Ends a part: restores the earlier notes, and returns those of the part.
    pub fn resume(&mut self, before: Noted) -> Noted {
        let since = self.begin();
        (self.counts, self.parts) = (before.counts, before.parts);
        (self.unknown, self.within) = (before.unknown, before.within);
        since
    }

    /// Adds the notes of the next part. `before` is the number of records before it.
    pub fn add(&mut self, part: &Noted, before: u64) {
        let later = |at: Where| Where { record: at.record + before, ..at };
        for (own, part) in self.counts.iter_mut().zip(&part.counts) {
            if own.records == 0 {
                own.first = later(part.first);
            }
            own.records += part.records;
            own.sampled += part.sampled;
            let counted = own.fields.iter_mut().chain(own.choices.iter_mut().flatten());
            let more = part.fields.iter().chain(part.choices.iter().flatten());
            for ((count, first), (more, at)) in counted.zip(more) {
                if *count == 0 {
                    *first = later(*at);
                }
                *count += more;
            }
        }
        for (own, part) in self.parts.iter_mut().zip(&part.parts) {
            own.add(part, later);
        }
        for (mark, count, first) in &part.unknown {
            note(&mut self.unknown, (*mark, *count, later(*first)));
        }
        self.within.records += part.within.records;
        for (mark, count, first) in &part.within.unknown {
            note(&mut self.within.unknown, (*mark, *count, later(*first)));
        }
    }

    /// Observes a record.
    #[inline]
    pub fn record(&mut self, memory: &Memory<'_>, record: Record, at: Where) {
        let arena = &*memory.arena;
        let Some((shape, root)) = self.layout.shape(arena, record) else { return };
        let slot = arena.slot(root);
        self.records += 1;
        let Some(counts) = self.counts.get_mut(shape) else { return };
        if counts.records == 0 {
            counts.first = at;
        }
        counts.records += 1;
        let slots = match slot.link {
            0 => &[][..],
            link => arena.run(SlotIndex(link), counts.fields.len()),
        };
        let choices = &self.layout.shapes[shape].choices;
        for ((place, _), choice) in choices.iter().zip(&mut counts.choices) {
            if let Some(slot) = slots.get(*place).filter(|slot| slot.is_present()) {
                let counted = choice.get_mut(usize::from(slot.alternative));
                counted.into_iter().for_each(|counted| count(counted, at));
            }
        }
        if shape != self.last || self.records >= self.next {
            self.last = shape;
            self.next = match self.records {
                records @ ..SAMPLE => records + 1,
                records => (records / SAMPLE + 1) * SAMPLE,
            };
            sample(counts, slots, at);
        }
        // A second decoding costs more than reading slots. So it does not happen for each change of the type.
        let is_sampled = counts.records <= SAMPLE || counts.records.is_multiple_of(SAMPLE);
        if is_sampled && !self.layout.shapes[shape].children.is_empty() {
            self.look_within(memory, (shape, root), at);
        }
        for mark in arena.unknown() {
            note(&mut self.unknown, (*mark, 1, at));
        }
    }

    /// Examines the parts within a record. If the second decoding fails, the record is examined as it is: it was not
    /// read by that decoder, and is already whole.
    #[inline(never)]
    fn look_within(&mut self, memory: &Memory<'_>, (shape, root): (usize, SlotIndex), at: Where) {
        let Watcher { layout, deeper, .. } = *self;
        let children = &*layout.shapes[shape].children;
        self.arena.reset();
        let decoded = deeper.and_then(|deeper| deeper.decode(memory.source, &mut self.arena));
        let Some((_, root)) = decoded.and_then(|record| layout.shape(&self.arena, record)) else {
            return layout.parts.look(memory, (root, children), at, &mut self.parts);
        };
        let deep = Memory::new(memory.source, &mut self.arena);
        layout.parts.look(&deep, (root, children), at, &mut self.parts);
        self.within.records += 1;
        let known = memory.arena.unknown();
        for mark in self.arena.unknown().iter().filter(|mark| !known.contains(mark)) {
            note(&mut self.within.unknown, (*mark, 1, at));
        }
    }

    /// Takes the observations of the file that ended. `name` returns the name of a decoder's mark.
    pub fn take(&mut self, name: impl Fn(u32) -> String) -> FileProfile {
        let Noted { counts, parts, unknown, within } = self.begin();
        let met = |name: &str, records, first| Met { name: name.to_owned(), records, first };
        let types = self.layout.shapes.iter().zip(counts).filter(|(_, counts)| counts.records > 0);
        let types = types.map(|(shape, counts)| TypeProfile {
            met: met(&shape.name, counts.records, counts.first),
            sampled: counts.sampled,
            fields: there(&shape.fields, counts.fields),
            alternatives: shape
                .choices
                .iter()
                .zip(counts.choices)
                .flat_map(|((place, names), choice)| {
                    let field = &shape.fields[*place];
                    let there = names.iter().zip(choice).filter(|(_, (count, _))| *count > 0);
                    there.map(move |(name, (count, first))| {
                        met(&format!("{field}.{name}"), count, first)
                    })
                })
                .collect(),
        });
        let tags = |unknown: Vec<(u32, u64, Where)>| {
            let tags = unknown.into_iter();
            tags.map(|(mark, records, first)| met(&name(mark), records, first)).collect()
        };
        FileProfile {
            types: types.collect(),
            parts: self.layout.parts.profiles(parts),
            unknown: tags(unknown),
            looked_within: within.records,
            unknown_within: tags(within.unknown),
            learn_ms: self.learn_ms,
            ..FileProfile::default()
        }
    }
}

/// Adds an element that the decoder does not know.
#[cold]
fn note(unknown: &mut Vec<(u32, u64, Where)>, (mark, records, at): (u32, u64, Where)) {
    let has_room = unknown.len() < UNKNOWN_MAX;
    match unknown.iter_mut().find(|(known, ..)| *known == mark) {
        Some((_, count, _)) => *count += records,
        None if has_room => unknown.push((mark, records, at)),
        None => {}
    }
}

fn sample(counts: &mut Counts, slots: &[Slot], at: Where) {
    counts.sampled += 1;
    for (counted, slot) in counts.fields.iter_mut().zip(slots) {
        if slot.is_present() {
            count(counted, at);
        }
    }
}

/// Returns the components that were present.
pub(super) fn there(names: &[String], counted: Vec<Tally>) -> Vec<Met> {
    let there = names.iter().zip(counted).filter(|(_, (count, _))| *count > 0);
    there.map(|(name, (records, first))| Met { name: name.clone(), records, first }).collect()
}

pub(super) fn count((count, first): &mut Tally, at: Where) {
    if *count == 0 {
        *first = at;
    }
    *count += 1;
}
