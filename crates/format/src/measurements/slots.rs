//! The slots of a record.

use ::measurements::{Context, Format, Parser, Row, Text, Value};
use diagnostics::Encoding;
use record::{Arena, Flags, Record, Slot, SlotIndex, State, TypeId};

use crate::error::ReadError;
use crate::text::TextError;

/// The components of a measurement, in the order of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Format,
    Vendor,
    Sender,
    SenderType,
    Prefix,
    Element,
    ElementLabel,
    SoftwareVersion,
    Info,
    Job,
    Begin,
    End,
    Seconds,
    Object,
    Suspect,
    Counters,
}

/// The number of components of a measurement.
const COMPONENTS: u32 = Component::Counters as u32 + 1;

/// The slots of a counter below its own: name, value, and the chosen alternative of the value.
const OF_COUNTER: u32 = 3;

/// The alternatives of a value, in the order of the module.
#[derive(Clone, Copy, Debug)]
enum Alternative {
    Integer,
    Real,
    TextOrNone,
    List,
}

/// What stands between several distinguished names of one object.
const BETWEEN_OBJECTS: &str = ";";

/// The content octet of a REAL in a decimal form (X.690, 8.5.8): the forms NR1, NR2 and NR3 of ISO 6093.
const DECIMAL_FORMS: [u8; 3] = [1, 2, 3];

/// Makes records of the rows of a file.
pub(super) struct Slots {
    ty: TypeId,
    texts: Texts,
    shared: Shared,
}

/// The slots that all records of a context have: all but the object, whether it is suspect, and the values.
#[derive(Default)]
struct Shared {
    /// The number of the context ([`Parser::context_number`]).
    of: Option<u64>,
    /// The components, without those of a row.
    components: [Slot; COMPONENTS as usize],
    /// The names of the counters.
    names: Vec<Slot>,
    /// The octets of those of them that are not in the file as they are meant. Their places are in here.
    octets: Vec<u8>,
}

/// Texts of a file in an encoding.
struct Texts {
    encoding: Encoding,
    /// Buffer for decoding one.
    buffer: String,
}

impl Slots {
    pub(super) fn new(ty: TypeId, encoding: Encoding) -> Self {
        let texts = Texts { encoding, buffer: String::new() };
        Slots { ty, texts, shared: Shared::default() }
    }

    /// Makes a record of the row that was found last. Its source are the parser's octets.
    pub(super) fn record(
        &mut self,
        parser: &Parser,
        arena: &mut Arena,
    ) -> Result<Record, ReadError> {
        let (octets, context, row) = (parser.octets(), parser.context(), parser.row());
        if self.shared.of != Some(parser.context_number()) {
            self.shared.make(&mut self.texts, octets, context)?;
            self.shared.of = Some(parser.context_number());
        }
        let base = arena.store(&self.shared.octets);
        let root = arena.frame(1 + COMPONENTS as usize);
        *arena.slot_mut(root) = below(root.0 + 1);
        let at = |component: Component| SlotIndex(root.0 + 1 + component as u32);
        let components = arena.run_mut(at(Component::Format), COMPONENTS as usize);
        components.copy_from_slice(&self.shared.components);
        components.iter_mut().for_each(|slot| *slot = moved(*slot, base));
        if let (Some(object), true) = (row.object, context.objects.len() <= 1) {
            let slot = self.texts.slot(octets, object, arena.octets_mut())?;
            *arena.slot_mut(at(Component::Object)) = slot;
        }
        *arena.slot_mut(at(Component::Suspect)) = Slot::number(i64::from(row.is_suspect));
        let mut made = Made { octets, arena, texts: &mut self.texts };
        let counters = made.counters(&self.shared.names, base, row)?;
        *arena.slot_mut(at(Component::Counters)) = below(counters);
        Ok(Record { ty: self.ty, root })
    }
}

impl Shared {
    fn make(
        &mut self,
        texts: &mut Texts,
        octets: &[u8],
        context: &Context,
    ) -> Result<(), ReadError> {
        self.of = None;
        self.octets.clear();
        self.components = Default::default();
        let format = match context.format {
            Format::Ts32435 => 0,
            Format::Ts28532 => 1,
            Format::Ts32401 => 2,
            Format::Omes => 3,
        };
        let components = &mut self.components;
        components[Component::Format as usize] = Slot::number(format);
        for (component, text) in [
            (Component::Vendor, context.vendor),
            (Component::Sender, context.sender),
            (Component::SenderType, context.sender_type),
            (Component::Prefix, context.prefix),
            (Component::Element, context.element),
            (Component::ElementLabel, context.element_label),
            (Component::SoftwareVersion, context.software_version),
            (Component::Info, context.info),
            (Component::Job, context.job),
        ] {
            if let Some(text) = text {
                components[component as usize] = texts.slot(octets, text, &mut self.octets)?;
            }
        }
        if context.objects.len() > 1 {
            let objects: Result<Vec<String>, ReadError> =
                context.objects.iter().map(|text| texts.meant(octets, *text)).collect();
            let joined = objects?.join(BETWEEN_OBJECTS);
            components[Component::Object as usize] = stored(joined.as_bytes(), &mut self.octets);
        }
        for (component, time) in [(Component::Begin, context.begin), (Component::End, context.end)]
        {
            if let Some(time) = time {
                let offset = self.octets.len();
                time.write(&mut self.octets);
                let length = self.octets.len() - offset;
                components[component as usize] = Slot::owned(offset as u32, length as u32);
            }
        }
        if let Some(seconds) = context.seconds {
            components[Component::Seconds as usize] = Slot::number(i64::from(seconds));
        }
        self.names.clear();
        for name in &context.names {
            self.names.push(texts.slot(octets, *name, &mut self.octets)?);
        }
        Ok(())
    }
}

impl Texts {
    /// Returns the slot of a text: its place, or its place in `store` if it means something else than it is written.
    #[inline]
    fn slot(&mut self, octets: &[u8], text: Text, store: &mut Vec<u8>) -> Result<Slot, ReadError> {
        let written = text.of(octets);
        let is_utf8 = written.is_ascii()
            || (self.encoding == Encoding::UTF_8 && std::str::from_utf8(written).is_ok());
        match is_utf8 && !text.is_escaped {
            true => Ok(Slot::source(text.start, written.len() as u32)),
            false => Ok(stored(self.meant(octets, text)?.as_bytes(), store)),
        }
    }

    #[cold]
    fn meant(&mut self, octets: &[u8], text: Text) -> Result<String, ReadError> {
        let decoded = self.encoding.decode(text.of(octets), &mut self.buffer);
        let decoded = decoded.map_err(TextError::from)?;
        Ok(if text.is_escaped { ::measurements::plain(decoded) } else { decoded.to_owned() })
    }
}

/// Returns the slot of octets that are stored.
fn stored(octets: &[u8], store: &mut Vec<u8>) -> Slot {
    let offset = store.len() as u32;
    store.extend_from_slice(octets);
    Slot::owned(offset, octets.len() as u32)
}

/// Returns a slot whose octets are stored behind others.
#[inline]
fn moved(slot: Slot, base: u32) -> Slot {
    let base = if slot.state == State::Owned { base } else { 0 };
    Slot { offset: slot.offset + base, ..slot }
}

/// Returns the slot of a structure, a list or a CHOICE whose contents are at a place.
fn below(link: u32) -> Slot {
    let (state, flags) = (State::Made, Flags::CHANGED);
    Slot { state, flags, alternative: 0, link, offset: 0, length: 0 }
}

fn chosen(alternative: Alternative, link: u32) -> Slot {
    Slot { alternative: alternative as u16, ..below(link) }
}

/// The memory of a record that is being made.
struct Made<'m> {
    octets: &'m [u8],
    arena: &'m mut Arena,
    texts: &'m mut Texts,
}

impl Made<'_> {
    #[inline]
    fn put(&mut self, at: u32, slot: Slot) {
        *self.arena.slot_mut(SlotIndex(at)) = slot;
    }

    /// Makes the counters. Returns the head of their list.
    fn counters(&mut self, names: &[Slot], base: u32, row: &Row) -> Result<u32, ReadError> {
        let count = row.values.len() as u32;
        let head = self.arena.list(count).0;
        let frames = self.arena.frame((count * OF_COUNTER) as usize).0;
        for (place, (name, value)) in (0..count).zip(names.iter().zip(&row.values)) {
            let frame = frames + place * OF_COUNTER;
            self.put(head + 1 + place, below(frame));
            self.put(frame, moved(*name, base));
            match *value {
                Value::Absent => {}
                Value::Text(text) => {
                    let slot = self.texts.slot(self.octets, text, self.arena.octets_mut())?;
                    self.put(frame + 1, chosen(Alternative::TextOrNone, frame + 2));
                    self.put(frame + 2, slot);
                }
                Value::List { .. } => {
                    let list = self.list(row.list(*value));
                    self.put(frame + 1, chosen(Alternative::List, frame + 2));
                    self.put(frame + 2, below(list));
                }
                Value::Integer(_) | Value::Decimal(_) => self.number(frame + 1, frame + 2, *value),
            }
        }
        Ok(head)
    }

    /// Makes a list of numbers. Returns its head.
    fn list(&mut self, elements: &[Value]) -> u32 {
        let count = elements.len() as u32;
        let head = self.arena.list(count).0;
        let values = self.arena.frame(elements.len()).0;
        for (place, value) in (0..count).zip(elements) {
            self.number(head + 1 + place, values + place, *value);
        }
        head
    }

    /// Makes a number, or NULL, of which both slots are given: that of the CHOICE, and that of its value. Each is written at
    /// once, since a slot that is chosen first and copied then waits for itself.
    #[inline(always)]
    fn number(&mut self, choice: u32, at: u32, value: Value) {
        match value {
            Value::Integer(number) => {
                self.put(choice, chosen(Alternative::Integer, at));
                self.put(at, Slot::number(number));
            }
            Value::Decimal(text) => {
                self.put(choice, chosen(Alternative::Real, at));
                let real = self.real(text);
                self.put(at, real);
            }
            _ => {
                self.put(choice, chosen(Alternative::TextOrNone, at));
                self.put(at, Slot::owned(0, 0));
            }
        }
    }

    fn real(&mut self, text: Text) -> Slot {
        let digits = text.of(self.octets);
        let has = |any: &[u8]| digits.iter().any(|octet| any.contains(octet));
        let form = match (has(b"eE"), has(b".")) {
            (true, _) => DECIMAL_FORMS[2],
            (false, true) => DECIMAL_FORMS[1],
            (false, false) => DECIMAL_FORMS[0],
        };
        let offset = self.arena.store(&[form]);
        self.arena.store(digits);
        Slot::owned(offset, digits.len() as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use record::{Kind, Schema};

    use super::*;

    /// Returns the schema of the module.
    fn schema() -> Schema {
        let (modules, mistakes) = asn1::Modules::read(&[super::super::module()]);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let mut resolver = asn1::Resolver::new(&modules);
        resolver.resolve(super::super::TYPE).expect("the module is right");
        asn1::Plan::compile(resolver.finish()).schema().clone()
    }

    #[test]
    fn components_stand_in_the_order_of_the_module() {
        let schema = schema();
        let names = |name: &str| -> Vec<String> {
            let ty = schema.find(name).expect("it is there");
            schema.kind(ty).fields().iter().map(|field| field.name.to_lowercase()).collect()
        };
        let all = names(super::super::TYPE);
        assert_eq!(all.len() as u32, COMPONENTS);
        for component in [
            Component::Format,
            Component::Vendor,
            Component::Sender,
            Component::SenderType,
            Component::Prefix,
            Component::Element,
            Component::ElementLabel,
            Component::SoftwareVersion,
            Component::Info,
            Component::Job,
            Component::Begin,
            Component::End,
            Component::Seconds,
            Component::Object,
            Component::Suspect,
            Component::Counters,
        ] {
            assert_eq!(all[component as usize], format!("{component:?}").to_lowercase());
        }
        assert_eq!(names("Measurements.Counter"), ["name", "value"]);
        assert_eq!(names("Measurements.Value"), ["integer", "real", "text", "list"]);
        assert_eq!(names("Measurements.Element"), ["integer", "real", "none"]);
        let ty = schema.find(super::super::TYPE).expect("it is there");
        let Kind::Enumerated { items, .. } = schema.kind(schema.kind(ty).fields()[0].ty) else {
            panic!("the format is one of several");
        };
        let items: Vec<_> = items.iter().map(|item| (item.name.as_str(), item.value)).collect();
        assert_eq!(items, [("ts32435", 0), ("ts28532", 1), ("ts32401", 2), ("omes", 3)]);
    }
}
