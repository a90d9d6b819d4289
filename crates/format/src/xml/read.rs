//! An element of XML to a record.

use asn1::Plan;
use quick_xml::events::Event;
use record::{Arena, Field, Kind, Memory, Record, SlotIndex, TypeId};

use super::{DEPTH_MAX, stands_alone, tag};
use crate::column::value;

pub(super) fn record(
    plan: &Plan,
    ty: TypeId,
    octets: &[u8],
    arena: &mut Arena,
) -> Result<Record, String> {
    let mut memory = Memory::new(&[], arena);
    let record = memory.create(ty);
    let mut reader = RecordReader {
        plan,
        memory: &mut memory,
        xml: quick_xml::Reader::from_reader(octets),
        depth: 0,
    };
    let Some(Element { name, empty }) = reader.start()? else {
        return Err("no element".into());
    };
    let wanted = tag(plan.schema(), ty);
    if name != wanted {
        return Err(format!("an element \"{name}\" stands here, \"{wanted}\" is expected"));
    }
    reader.value(ty, record.root, empty)?;
    Ok(record)
}

/// The beginning of an element.
struct Element {
    name: String,
    empty: bool,
}

struct RecordReader<'r, 'm> {
    plan: &'r Plan,
    memory: &'r mut Memory<'m>,
    xml: quick_xml::Reader<&'r [u8]>,
    depth: usize,
}

impl<'r> RecordReader<'r, '_> {
    /// The next element within the one that is open; none at its end.
    fn start(&mut self) -> Result<Option<Element>, String> {
        loop {
            match self.xml.read_event().map_err(|error| format!("not XML: {error}"))? {
                Event::Start(start) => {
                    let name = start.name().as_ref().to_owned();
                    return Ok(Some(Element { name, empty: false }));
                }
                Event::Empty(start) => {
                    let name = start.name().as_ref().to_owned();
                    return Ok(Some(Element { name, empty: true }));
                }
                Event::End(_) => return Ok(None),
                Event::Eof => return Err("the record ends too early".into()),
                Event::Text(text) if !text.trim_ascii().is_empty() => {
                    return Err("text stands where elements are expected".into());
                }
                Event::CData(_) | Event::GeneralRef(_) => {
                    return Err("text stands where elements are expected".into());
                }
                _ => {}
            }
        }
    }

    /// The value of an element that was begun, up to and with its end.
    fn value(&mut self, ty: TypeId, at: SlotIndex, empty: bool) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("elements lie more than {DEPTH_MAX} deep within each other"));
        }
        let plan = self.plan;
        match plan.schema().kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) => {
                let frame = self.memory.make_structure(at, fields.len());
                while !empty && let Some(element) = self.start()? {
                    let place = self.place(fields, &element.name)?;
                    let slot = SlotIndex(frame.0 + place as u32);
                    if self.memory.slot(slot).is_present() {
                        return Err(format!("\"{}\" stands twice", element.name));
                    }
                    self.value(fields[place].ty, slot, element.empty)?;
                }
            }
            Kind::Choice(fields) => {
                let element = if empty { None } else { self.start()? };
                let Some(element) = element else {
                    return Err("a CHOICE without an alternative".into());
                };
                self.alternative(fields, at, &element)?;
                if self.start()?.is_some() {
                    return Err("a CHOICE with two alternatives".into());
                }
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => {
                self.memory.make_list(at);
                while !empty && let Some(found) = self.start()? {
                    let slot = self.memory.append(at);
                    self.list_element(*element, slot, &found)?;
                }
            }
            kind => {
                let text = if empty { String::new() } else { self.text(kind)? };
                self.leaf(ty, kind, at, &text)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn place(&self, fields: &[Field], name: &str) -> Result<usize, String> {
        let found = fields.iter().position(|field| field.name == name);
        found.ok_or_else(|| format!("no component is named \"{name}\""))
    }

    fn alternative(
        &mut self,
        fields: &'r [Field],
        at: SlotIndex,
        found: &Element,
    ) -> Result<(), String> {
        let place = self.place(fields, &found.name)?;
        let slot = self.memory.make_choice(at, place);
        self.value(fields[place].ty, slot, found.empty)
    }

    fn list_element(&mut self, ty: TypeId, at: SlotIndex, found: &Element) -> Result<(), String> {
        let plan = self.plan;
        match plan.schema().kind(ty) {
            Kind::Choice(fields) => self.alternative(fields, at, found),
            kind if stands_alone(kind) => {
                if !found.empty && self.start()?.is_some() {
                    return Err(format!("\"{}\" is a value, nothing stands in it", found.name));
                }
                self.leaf(ty, kind, at, &found.name)
            }
            _ => {
                let wanted = tag(plan.schema(), ty);
                match found.name == wanted {
                    true => self.value(ty, at, found.empty),
                    false => Err(format!(
                        "an element \"{}\" stands here, \"{wanted}\" is expected",
                        found.name
                    )),
                }
            }
        }
    }

    /// The text of a leaf, up to and with the end of its element.
    fn text(&mut self, kind: &Kind) -> Result<String, String> {
        let mut text = String::new();
        loop {
            match self.xml.read_event().map_err(|error| format!("not XML: {error}"))? {
                Event::Text(part) => text.push_str(&part),
                Event::CData(part) => text.push_str(&part),
                Event::GeneralRef(reference) => text.push(character(&reference)?),
                // TRUE, FALSE and the names of ENUMERATED are elements.
                Event::Empty(name) if stands_alone(kind) => {
                    text.push_str(name.name().as_ref());
                }
                Event::Start(name) | Event::Empty(name) => {
                    let name = name.name().as_ref().to_owned();
                    return Err(format!("an element \"{name}\" stands within a value"));
                }
                Event::End(_) => return Ok(text),
                Event::Eof => return Err("the record ends too early".into()),
                _ => {}
            }
        }
    }

    fn leaf(&mut self, ty: TypeId, kind: &Kind, at: SlotIndex, text: &str) -> Result<(), String> {
        let trimmed = text.trim();
        match kind {
            Kind::Null => self.memory.set_octets(at, &[]),
            Kind::Text(_) | Kind::Time(_) if is_octet_text(kind) => {
                self.memory.set_octets(at, text.as_bytes());
            }
            Kind::BitString { .. } => {
                let octets = bits(trimmed).ok_or("a BIT STRING is made of 0 and 1")?;
                self.memory.set_octets(at, &octets);
            }
            _ => {
                let slot = value(self.plan, self.memory, ty, trimmed.as_bytes())
                    .map_err(|what| format!("\"{trimmed}\" is not {what}"))?;
                *self.memory.arena.slot_mut(at) = slot;
            }
        }
        Ok(())
    }
}

fn is_octet_text(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::Text(
            record::TextKind::Universal
                | record::TextKind::Bmp
                | record::TextKind::Teletex
                | record::TextKind::Graphic
                | record::TextKind::General
                | record::TextKind::Videotex
                | record::TextKind::ObjectDescriptor
        )
    )
}

/// The five names of XML and characters by number.
pub(crate) fn character(reference: &quick_xml::events::BytesRef<'_>) -> Result<char, String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Ok(character);
    }
    match reference.as_ref() {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        other => Err(format!("no entity is named \"{other}\"")),
    }
}

/// Bits as text, as the octets of a BIT STRING (X.690, 8.6.2).
fn bits(text: &str) -> Option<Vec<u8>> {
    let mut octets = vec![((8 - text.len() % 8) % 8) as u8];
    for group in text.as_bytes().chunks(8) {
        let mut octet = 0;
        for (place, bit) in group.iter().enumerate() {
            match bit {
                b'0' => {}
                b'1' => octet |= 0x80 >> place,
                _ => return None,
            }
        }
        octets.push(octet);
    }
    Some(octets)
}
