//! The slots of a record.

use ::measurements::{Context, Format, Parser, Row, Text, Time, Value};
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
    encoding: Encoding,
    /// Buffer for decoding a text.
    text: String,
}

/// The memory of a record that is being made.
struct Made<'m> {
    octets: &'m [u8],
    arena: &'m mut Arena,
    encoding: Encoding,
    text: &'m mut String,
}

impl Slots {
    pub(super) fn new(ty: TypeId, encoding: Encoding) -> Self {
        Slots { ty, encoding, text: String::new() }
    }

    /// Makes a record of the row that was found last. Its source are the parser's octets.
    pub(super) fn record(
        &mut self,
        parser: &Parser,
        arena: &mut Arena,
    ) -> Result<Record, ReadError> {
        let (context, row) = (parser.context(), parser.row());
        let root = arena.frame(1 + COMPONENTS as usize);
        let (octets, encoding, text) = (parser.octets(), self.encoding, &mut self.text);
        let mut made = Made { octets, arena, encoding, text };
        made.put(root.0, below(root.0 + 1));
        made.head(root.0 + 1, context, row)?;
        let counters = made.counters(context, row)?;
        made.put(root.0 + 1 + Component::Counters as u32, below(counters));
        Ok(Record { ty: self.ty, root })
    }
}

/// Returns the slot of a structure, a list or a CHOICE whose contents are at a place.
fn below(link: u32) -> Slot {
    let (state, flags) = (State::Made, Flags::CHANGED);
    Slot { state, flags, alternative: 0, link, offset: 0, length: 0 }
}

fn chosen(alternative: Alternative, link: u32) -> Slot {
    Slot { alternative: alternative as u16, ..below(link) }
}

impl Made<'_> {
    #[inline]
    fn put(&mut self, at: u32, slot: Slot) {
        *self.arena.slot_mut(SlotIndex(at)) = slot;
    }

    /// Makes the components but the counters, from the slot `first` on.
    fn head(&mut self, first: u32, context: &Context, row: &Row) -> Result<(), ReadError> {
        let format = match context.format {
            Format::Ts32435 => 0,
            Format::Ts28532 => 1,
            Format::Ts32401 => 2,
            Format::Omes => 3,
        };
        let at = |component: Component| first + component as u32;
        self.put(at(Component::Format), Slot::number(format));
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
            (Component::Object, row.object),
        ] {
            if let Some(text) = text {
                let slot = self.text(text)?;
                self.put(at(component), slot);
            }
        }
        if context.objects.len() > 1 {
            let slot = self.objects(&context.objects)?;
            self.put(at(Component::Object), slot);
        }
        for (component, time) in [(Component::Begin, context.begin), (Component::End, context.end)]
        {
            if let Some(time) = time {
                let slot = self.time(time);
                self.put(at(component), slot);
            }
        }
        if let Some(seconds) = context.seconds {
            self.put(at(Component::Seconds), Slot::number(i64::from(seconds)));
        }
        self.put(at(Component::Suspect), Slot::number(i64::from(row.is_suspect)));
        Ok(())
    }

    /// Makes the counters. Returns the head of their list.
    fn counters(&mut self, context: &Context, row: &Row) -> Result<u32, ReadError> {
        let count = row.values.len() as u32;
        let head = self.arena.list(count).0;
        let frames = self.arena.frame((count * OF_COUNTER) as usize).0;
        for (place, (name, value)) in (0..count).zip(context.names.iter().zip(&row.values)) {
            let frame = frames + place * OF_COUNTER;
            self.put(head + 1 + place, below(frame));
            let name = self.text(*name)?;
            self.put(frame, name);
            let alternative = match *value {
                Value::Absent => continue,
                Value::Integer(_) => Alternative::Integer,
                Value::Decimal(_) => Alternative::Real,
                Value::Text(_) => Alternative::TextOrNone,
                Value::List { .. } => Alternative::List,
            };
            let slot = match *value {
                Value::Text(text) => self.text(text)?,
                Value::List { .. } => self.list(row.list(*value)),
                value => self.number(value),
            };
            self.put(frame + 1, chosen(alternative, frame + 2));
            self.put(frame + 2, slot);
        }
        Ok(head)
    }

    fn list(&mut self, elements: &[Value]) -> Slot {
        let count = elements.len() as u32;
        let head = self.arena.list(count).0;
        let values = self.arena.frame(elements.len()).0;
        for (place, value) in (0..count).zip(elements) {
            let alternative = match value {
                Value::Integer(_) => Alternative::Integer,
                Value::Decimal(_) => Alternative::Real,
                _ => Alternative::TextOrNone,
            };
            self.put(head + 1 + place, chosen(alternative, values + place));
            let slot = self.number(*value);
            self.put(values + place, slot);
        }
        below(head)
    }

    /// Returns the slot of a number, or of NULL.
    #[inline]
    fn number(&mut self, value: Value) -> Slot {
        match value {
            Value::Integer(number) => Slot::number(number),
            Value::Decimal(text) => self.real(text),
            _ => Slot::owned(0, 0),
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

    fn time(&mut self, time: Time) -> Slot {
        let octets = self.arena.octets_mut();
        let offset = octets.len();
        time.write(octets);
        Slot::owned(offset as u32, (octets.len() - offset) as u32)
    }

    /// Returns the slot of a text: its place, unless it means something else than it is written.
    #[inline]
    fn text(&mut self, text: Text) -> Result<Slot, ReadError> {
        let octets = text.of(self.octets);
        let is_utf8 = octets.is_ascii()
            || (self.encoding == Encoding::UTF_8 && std::str::from_utf8(octets).is_ok());
        match is_utf8 && !text.is_escaped {
            true => Ok(Slot::source(text.start, octets.len() as u32)),
            false => self.rare_text(text),
        }
    }

    #[cold]
    fn rare_text(&mut self, text: Text) -> Result<Slot, ReadError> {
        let meant = self.meant(text)?;
        Ok(self.owned(&meant))
    }

    fn meant(&mut self, text: Text) -> Result<String, ReadError> {
        let decoded = self.encoding.decode(text.of(self.octets), self.text);
        let decoded = decoded.map_err(TextError::from)?;
        Ok(if text.is_escaped { ::measurements::plain(decoded) } else { decoded.to_owned() })
    }

    fn objects(&mut self, objects: &[Text]) -> Result<Slot, ReadError> {
        let objects: Result<Vec<String>, ReadError> =
            objects.iter().map(|text| self.meant(*text)).collect();
        Ok(self.owned(&objects?.join(BETWEEN_OBJECTS)))
    }

    fn owned(&mut self, text: &str) -> Slot {
        let offset = self.arena.store(text.as_bytes());
        Slot::owned(offset, text.len() as u32)
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
