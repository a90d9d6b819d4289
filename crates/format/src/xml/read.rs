//! Reads a record from an XML element.
//!
//! Unknown elements and attributes are skipped and reported in extensible types, as in BER. In
//! other types they set the record aside, since skipping them would lose data.

use asn1::{Plan, jer};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesStart, Event};
use record::{Arena, Field, Kind, Memory, Record, SlotIndex, TextKind, TypeId};

use super::error::{ElementError, ElementFault};
use super::{CONTROLS, DEPTH_MAX, stands_alone, tag};
use crate::column::value;
use crate::names::UnknownNames;

/// Maximum characters of a value in a message.
const SHOWN_CHARACTERS_MAX: usize = 60;

pub(super) fn record(
    plan: &Plan,
    ty: TypeId,
    text: &str,
    arena: &mut Arena,
    unknown: &UnknownNames,
) -> Answer<Record> {
    let mut memory = Memory::new(&[], arena);
    let record = memory.create(ty);
    let mut reader = RecordReader {
        plan,
        memory: &mut memory,
        xml: quick_xml::Reader::from_str(text),
        unknown,
        depth: 0,
    };
    let element = reader.start()?.ok_or(ElementFault::None)?;
    let wanted = tag(plan.schema(), ty);
    if element.name != wanted {
        return Err(unexpected(&element.name, wanted));
    }
    reader.value(ty, record.root, &element)?;
    Ok(record)
}

type Answer<T> = Result<T, Box<ElementError>>;

/// The beginning of an element.
struct Element {
    name: String,
    empty: bool,
    /// The first attribute that affects the value.
    attribute: Option<String>,
}

struct RecordReader<'r, 'm> {
    plan: &'r Plan,
    memory: &'r mut Memory<'m>,
    xml: quick_xml::Reader<&'r [u8]>,
    unknown: &'r UnknownNames,
    depth: usize,
}

impl<'r> RecordReader<'r, '_> {
    fn event(&mut self) -> Answer<Event<'r>> {
        self.xml.read_event().map_err(|error| ElementFault::NotXml(error).into())
    }

    /// Returns the next element within the open one; `None` at its end.
    fn start(&mut self) -> Answer<Option<Element>> {
        loop {
            match self.event()? {
                Event::Start(start) => return element(&start, false).map(Some),
                Event::Empty(start) => return element(&start, true).map(Some),
                Event::End(_) => return Ok(None),
                Event::Eof => return Err(ElementFault::CutOff.into()),
                Event::Text(text) if !text.trim_ascii().is_empty() => {
                    return Err(ElementFault::Text.into());
                }
                Event::CData(_) | Event::GeneralRef(_) => {
                    return Err(ElementFault::Text.into());
                }
                _ => {}
            }
        }
    }

    /// Reads the value of an element that was begun, through its end.
    fn value(&mut self, ty: TypeId, at: SlotIndex, element: &Element) -> Answer<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ElementFault::TooDeep.into());
        }
        let plan = self.plan;
        if let Some(attribute) = &element.attribute {
            if !plan.is_extensible(ty) || attribute == NIL {
                return Err(ElementFault::UnknownAttribute(attribute.clone()).into());
            }
            self.note(ty, &format!("attribute {attribute}"));
        }
        match plan.schema().kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) => {
                let frame = self.memory.make_structure(at, fields.len());
                while !element.empty
                    && let Some(found) = self.start()?
                {
                    let Some(place) = place(fields, &found.name) else {
                        self.pass_over(ty, &found)?;
                        continue;
                    };
                    let slot = SlotIndex(frame.0 + place as u32);
                    if self.memory.slot(slot).is_present() {
                        return Err(ElementFault::Twice(found.name).into());
                    }
                    self.value(fields[place].ty, slot, &found)
                        .map_err(|error| error.within(&found.name))?;
                }
            }
            Kind::Choice(fields) => {
                let found = if element.empty { None } else { self.start()? };
                let Some(found) = found else {
                    return Err(ElementFault::NoAlternative.into());
                };
                self.alternative(fields, at, &found)?;
                if self.start()?.is_some() {
                    return Err(ElementFault::TwoAlternatives.into());
                }
            }
            Kind::SequenceOf(of) | Kind::SetOf(of) => {
                self.memory.make_list(at);
                while !element.empty
                    && let Some(found) = self.start()?
                {
                    let slot = self.memory.append(at);
                    let position = self.memory.count(at) - 1;
                    self.list_element(*of, slot, &found)
                        .map_err(|error| error.within(&format!("[{position}]")))?;
                }
            }
            kind => {
                let text = if element.empty { Text::default() } else { self.text(kind)? };
                self.leaf(ty, kind, at, &text)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Skips an unknown element.
    fn pass_over(&mut self, ty: TypeId, found: &Element) -> Answer<()> {
        if !self.plan.is_extensible(ty) {
            return Err(no_component(&found.name));
        }
        self.note(ty, &found.name);
        let mut open = usize::from(!found.empty);
        while open > 0 {
            match self.event()? {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Eof => return Err(ElementFault::CutOff.into()),
                _ => {}
            }
        }
        Ok(())
    }

    #[cold]
    fn note(&mut self, ty: TypeId, name: &str) {
        let mark = self.unknown.mark(&self.plan.schema().shown(ty), name);
        self.memory.arena.note_unknown(mark);
    }

    fn alternative(&mut self, fields: &'r [Field], at: SlotIndex, found: &Element) -> Answer<()> {
        let place = place(fields, &found.name).ok_or_else(|| no_component(&found.name))?;
        let slot = self.memory.make_choice(at, place);
        self.value(fields[place].ty, slot, found).map_err(|error| error.within(&found.name))
    }

    fn list_element(&mut self, ty: TypeId, at: SlotIndex, found: &Element) -> Answer<()> {
        let plan = self.plan;
        match plan.schema().kind(ty) {
            Kind::Choice(fields) => self.alternative(fields, at, found),
            kind if stands_alone(kind) => {
                if !found.empty && self.start()?.is_some() {
                    return Err(ElementFault::WithinName(found.name.clone()).into());
                }
                if let Some(attribute) = &found.attribute {
                    return Err(ElementFault::UnknownAttribute(attribute.clone()).into());
                }
                self.leaf(ty, kind, at, &Text { text: found.name.clone(), names: Vec::new() })
            }
            _ => {
                let wanted = tag(plan.schema(), ty);
                match found.name == wanted {
                    true => self.value(ty, at, found),
                    false => Err(unexpected(&found.name, wanted)),
                }
            }
        }
    }

    /// Reads the text of a leaf including its end tag. Named values are written as elements (X.680:
    /// 18.4, 19.9, 20.8, 21.6, 22.12), and so are control characters (12.15.5).
    fn text(&mut self, kind: &Kind) -> Answer<Text> {
        let mut found = Text::default();
        loop {
            match self.event()? {
                Event::Text(part) => found.text.push_str(&part.xml10_content()),
                Event::CData(part) => found.text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => found.text.push(character(&reference)?),
                Event::Empty(name) if name.attributes_raw().trim().is_empty() => {
                    let name = name.name().as_ref().to_owned();
                    match (kind, CONTROLS.iter().position(|known| *known == name)) {
                        (Kind::Text(_), Some(code)) if !name.is_empty() => {
                            found.text.push(char::from(code as u8));
                        }
                        _ if has_names(kind) => found.names.push(name),
                        _ => return Err(within_value(&name)),
                    }
                }
                Event::Start(name) | Event::Empty(name) => {
                    return Err(within_value(name.name().as_ref()));
                }
                Event::End(_) => return Ok(found),
                Event::Eof => return Err(ElementFault::CutOff.into()),
                _ => {}
            }
        }
    }

    fn leaf(&mut self, ty: TypeId, kind: &Kind, at: SlotIndex, found: &Text) -> Answer<()> {
        let trimmed = found.text.trim_ascii();
        match (kind, found.names.as_slice()) {
            (Kind::BitString { bits: known, .. }, names) if !names.is_empty() => {
                let octets = trimmed.is_empty().then(|| named_bits(known, names)).flatten();
                let octets = octets.ok_or(ElementFault::NoBit)?;
                self.memory.set_octets(at, &octets);
            }
            (_, [_, _, ..]) => return Err(ElementFault::TwoNames.into()),
            (_, [_]) if !trimmed.is_empty() => return Err(ElementFault::NameAndText.into()),
            (Kind::Real, [name]) => {
                let known = REALS.iter().find(|(known, _)| known == name);
                let (_, written) = known.ok_or_else(|| wrong_value(name, "a REAL"))?;
                return self.typed(ty, at, written);
            }
            (_, [name]) => return self.typed(ty, at, name),
            (Kind::Null, []) if !trimmed.is_empty() => {
                return Err(wrong_value(trimmed, "nothing, which is all that a NULL has"));
            }
            (Kind::Null, []) => self.memory.set_octets(at, &[]),
            (Kind::Text(TextKind::Universal | TextKind::Bmp), []) => {
                let quoted = serde_json::Value::from(found.text.as_str()).to_string();
                let read = jer::read(self.plan, self.memory, ty, quoted.as_bytes())
                    .map_err(|_| wrong_value(&found.text, "a value of its type"))?;
                *self.memory.arena.slot_mut(at) = *self.memory.slot(read.root);
            }
            (Kind::Text(_) | Kind::Time(_), []) => {
                self.memory.set_octets(at, found.text.as_bytes());
            }
            (Kind::BitString { .. }, []) => {
                let digits = without_blanks(trimmed);
                let octets = bits(&digits).ok_or(ElementFault::NotBits)?;
                self.memory.set_octets(at, &octets);
            }
            (Kind::OctetString, []) => return self.typed(ty, at, &without_blanks(trimmed)),
            _ => return self.typed(ty, at, trimmed),
        }
        Ok(())
    }

    fn typed(&mut self, ty: TypeId, at: SlotIndex, text: &str) -> Answer<()> {
        let slot = value(self.plan, self.memory, ty, text.as_bytes())
            .map_err(|expected| wrong_value(text, expected))?;
        *self.memory.arena.slot_mut(at) = slot;
        Ok(())
    }
}

/// The content of a value's element.
#[derive(Default)]
struct Text {
    text: String,
    /// Names of empty elements.
    names: Vec<String>,
}

/// Special REAL values in XML (X.680, 21.6) and in JSON.
pub(super) const REALS: [(&str, &str); 3] =
    [("PLUS-INFINITY", "INF"), ("MINUS-INFINITY", "-INF"), ("NOT-A-NUMBER", "NaN")];

/// Marks a null value. Never skipped, in any type.
const NIL: &str = "xsi:nil";

fn has_names(kind: &Kind) -> bool {
    let has_named = match kind {
        Kind::Integer { names } => !names.is_empty(),
        Kind::BitString { bits, .. } => !bits.is_empty(),
        kind => *kind == Kind::Real,
    };
    has_named || stands_alone(kind)
}

fn element(start: &BytesStart<'_>, empty: bool) -> Answer<Element> {
    let name = start.name().as_ref().to_owned();
    let mut found = Element { name, empty, attribute: None };
    if start.attributes_raw().is_empty() {
        return Ok(found);
    }
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| not_xml(error).within(&found.name))?;
        if !is_of_markup(&attribute) && found.attribute.as_deref() != Some(NIL) {
            found.attribute = Some(attribute.key.as_ref().to_owned());
        }
    }
    Ok(found)
}

/// Returns whether an attribute concerns markup (namespaces and schemas), not the value.
fn is_of_markup(attribute: &Attribute<'_>) -> bool {
    let key = attribute.key.as_ref();
    match key.split_once(':') {
        None => key == "xmlns",
        Some(("xmlns" | "xml", _)) => true,
        Some(("xsi", "schemaLocation" | "noNamespaceSchemaLocation")) => true,
        Some(("xsi", "nil")) => matches!(attribute.value.trim(), "false" | "0"),
        Some(_) => false,
    }
}

fn place(fields: &[Field], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.name == name)
}

fn not_xml(error: AttrError) -> Box<ElementError> {
    ElementFault::Attribute(error).into()
}

fn no_component(name: &str) -> Box<ElementError> {
    ElementFault::NoComponent(name.to_owned()).into()
}

fn within_value(name: &str) -> Box<ElementError> {
    ElementFault::WithinValue(name.to_owned()).into()
}

fn unexpected(name: &str, expected: &str) -> Box<ElementError> {
    ElementFault::Unexpected { name: name.to_owned(), expected: expected.to_owned() }.into()
}

fn wrong_value(text: &str, expected: &'static str) -> Box<ElementError> {
    let text = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    ElementFault::Value { text, expected }.into()
}

/// Resolves the five named entities of XML and characters by number.
pub(crate) fn character(reference: &quick_xml::events::BytesRef<'_>) -> Result<char, ElementFault> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Ok(character);
    }
    match reference.as_ref() {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        other => Err(ElementFault::NoEntity(other.to_owned())),
    }
}

fn without_blanks(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// Converts bits as text to the octets of a BIT STRING (X.690, 8.6.2).
fn bits(text: &str) -> Option<Vec<u8>> {
    let is_set = text.bytes().map(|bit| match bit {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    });
    Some(bit_string(&is_set.collect::<Option<Vec<bool>>>()?))
}

/// Returns the bits with these names; the string ends with the last of them.
fn named_bits(known: &[(String, u32)], names: &[String]) -> Option<Vec<u8>> {
    let mut is_set = Vec::new();
    for name in names {
        let (_, place) = known.iter().find(|(known, _)| known == name)?;
        let place = usize::try_from(*place).ok().filter(|place| *place < NAMED_BITS_MAX)?;
        is_set.resize(is_set.len().max(place + 1), false);
        is_set[place] = true;
    }
    Some(bit_string(&is_set))
}

/// Maximum position of a bit that can be read by name. A module may name bit 2^32.
const NAMED_BITS_MAX: usize = 1 << 20;

fn bit_string(is_set: &[bool]) -> Vec<u8> {
    let mut octets = vec![((8 - is_set.len() % 8) % 8) as u8];
    octets.extend(is_set.chunks(8).map(|group| {
        let bits = group.iter().enumerate();
        bits.fold(0, |octet, (place, is_set)| octet | u8::from(*is_set) << (7 - place))
    }));
    octets
}
