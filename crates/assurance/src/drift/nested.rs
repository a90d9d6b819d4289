//! The parts within records: structures and choices in them and in their lists, down to a given depth. They are
//! examined in a sample of the records of each type.

use record::{Field, Kind, Memory, Schema, SlotIndex, TypeId};

use super::profile::{Met, Tally, TypeProfile, Where, count, names, there};

/// The most structures and choices that are examined: a module may nest any number.
const PARTS_MAX: usize = 512;

/// The elements of a list that are examined per record.
const ELEMENTS_MAX: usize = 16;

/// All parts of a type.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

/// A structure or a choice within records.
struct Part {
    /// Its path, `call/details`.
    name: String,
    is_choice: bool,
    /// The components or alternatives.
    fields: Vec<String>,
    children: Vec<Child>,
}

/// A component that is a part itself, or has parts in a list or in lists of lists.
pub(super) struct Child {
    field: usize,
    lists: usize,
    part: usize,
}

/// The counts of a part.
#[derive(Clone, Debug, Default)]
pub(super) struct PartCounts {
    looked_at: u64,
    first: Where,
    pub(super) fields: Vec<Tally>,
}

impl PartCounts {
    /// Adds later counts. `later` shifts their places.
    pub(super) fn add(&mut self, more: &PartCounts, later: impl Fn(Where) -> Where) {
        if self.looked_at == 0 {
            self.first = later(more.first);
        }
        self.looked_at += more.looked_at;
        for ((counted, first), (more, at)) in self.fields.iter_mut().zip(&more.fields) {
            if *counted == 0 {
                *first = later(*at);
            }
            *counted += more;
        }
    }
}

/// The search for parts in a schema.
pub(super) struct Finding<'s> {
    pub(super) schema: &'s Schema,
    pub(super) parts: Parts,
    /// The most parts for now.
    parts_max: usize,
    /// The types of the parts, and of the lists that they lie in.
    pub(super) within: Vec<TypeId>,
}

impl<'s> Finding<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        Finding { schema, parts: Parts::default(), parts_max: 0, within: Vec::new() }
    }

    /// Divides the remaining parts among `types` types of records, the next of which is searched now.
    pub(super) fn share(&mut self, types: usize) {
        let found = self.parts.0.len();
        self.parts_max = found + (PARTS_MAX - found) / types.max(1);
    }

    /// Finds the parts among the components of a structure or choice of this name, down to `levels` levels.
    pub(super) fn children(&mut self, name: &str, fields: &[Field], levels: usize) -> Vec<Child> {
        let mut children = Vec::new();
        for (place, field) in fields.iter().enumerate().filter(|_| levels > 0) {
            let (mut ty, mut of_lists) = (field.ty, Vec::new());
            while let Kind::SequenceOf(element) | Kind::SetOf(element) = self.schema.kind(ty) {
                // A list of itself has nothing else in it.
                if of_lists.contains(&ty) {
                    break;
                }
                of_lists.push(ty);
                ty = *element;
            }
            let lists = of_lists.len();
            let (is_choice, inner) = match self.schema.kind(ty) {
                Kind::Sequence(inner) | Kind::Set(inner) => (false, inner),
                Kind::Choice(inner) => (true, inner),
                _ => continue,
            };
            if inner.is_empty() || self.parts.0.len() >= self.parts_max {
                continue;
            }
            self.within.extend(of_lists);
            self.within.push(ty);
            let name = format!("{name}/{}", field.name);
            let part = self.parts.0.len();
            let fields = names(inner);
            self.parts.0.push(Part { name: name.clone(), is_choice, fields, children: Vec::new() });
            let own = self.children(&name, inner, levels - 1);
            self.parts.0[part].children = own;
            children.push(Child { field: place, lists, part });
        }
        children
    }
}

impl Parts {
    /// Returns empty counts.
    pub(super) fn counts(&self) -> Vec<PartCounts> {
        let of = |part: &Part| PartCounts {
            fields: vec![Tally::default(); part.fields.len()],
            ..PartCounts::default()
        };
        self.0.iter().map(of).collect()
    }

    /// Examines the parts within a structure.
    pub(super) fn look(
        &self,
        memory: &Memory<'_>,
        (structure, children): (SlotIndex, &[Child]),
        at: Where,
        counts: &mut [PartCounts],
    ) {
        for Child { field, lists, part } in children {
            if let Some(slot) = memory.component(structure, *field) {
                self.value(memory, (slot, *lists), *part, at, counts);
            }
        }
    }

    /// Examines a part, or those in a list or in lists of lists.
    fn value(
        &self,
        memory: &Memory<'_>,
        (slot, lists): (SlotIndex, usize),
        part: usize,
        at: Where,
        counts: &mut [PartCounts],
    ) {
        if lists > 0 {
            for element in 0..memory.count(slot).min(ELEMENTS_MAX) {
                if let Some(element) = memory.element(slot, element) {
                    self.value(memory, (element, lists - 1), part, at, counts);
                }
            }
            return;
        }
        let Part { is_choice, children, .. } = &self.0[part];
        let counted = &mut counts[part];
        if *is_choice {
            let Some((alternative, inner)) = memory.chosen(slot) else { return };
            counted.look(at);
            counted.fields.get_mut(alternative).into_iter().for_each(|field| count(field, at));
            let chosen = children.iter().filter(|child| child.field == alternative);
            for Child { lists, part, .. } in chosen {
                self.value(memory, (inner, *lists), *part, at, counts);
            }
            return;
        }
        let Some(first) = memory.component(slot, 0) else { return };
        counted.look(at);
        for (place, field) in counted.fields.iter_mut().enumerate() {
            if memory.slot(SlotIndex(first.0 + place as u32)).is_present() {
                count(field, at);
            }
        }
        self.look(memory, (slot, children), at, counts);
    }

    /// Returns the counts of the parts that were met, with their names.
    pub(super) fn profiles(&self, counts: Vec<PartCounts>) -> Vec<TypeProfile> {
        let met = |name: &str, records, first| Met { name: name.to_owned(), records, first };
        let parts = self.0.iter().zip(counts).filter(|(_, counts)| counts.looked_at > 0);
        let profiles = parts.map(|(part, counts)| TypeProfile {
            met: met(&part.name, counts.looked_at, counts.first),
            sampled: counts.looked_at,
            fields: there(&part.fields, counts.fields),
            alternatives: Vec::new(),
        });
        profiles.collect()
    }
}

impl PartCounts {
    fn look(&mut self, at: Where) {
        if self.looked_at == 0 {
            self.first = at;
        }
        self.looked_at += 1;
    }
}
