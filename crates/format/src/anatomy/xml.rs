//! Describes a record as an XML element (BASIC-XER, X.693).

use quick_xml::events::Event;
use record::part::PARTS_MAX;
use record::{Anatomy, Part, Schema, TypeId};

use super::{DEPTH_MAX, element_of, is_named, leaf, name_of, within};

/// An open element.
struct Open {
    part: Part,
    ty: Option<TypeId>,
    text: String,
    /// The number of elements in it.
    inner: usize,
}

/// Describes an element.
pub(crate) fn xml(schema: &Schema, ty: TypeId, octets: &[u8]) -> Anatomy {
    let mut reader = quick_xml::Reader::from_reader(octets);
    let (mut anatomy, mut open, mut left): (_, Vec<Open>, _) =
        (Anatomy::default(), Vec::new(), PARTS_MAX);
    // The number of open elements without a part: they are too deep, or there are too many.
    let mut beyond = 0_usize;
    loop {
        let start = reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let at = (reader.error_position() as usize).min(octets.len());
                anatomy.damage = Some((at, format!("not XML: {error}")));
                break;
            }
        };
        let end = reader.buffer_position() as usize;
        match event {
            Event::Eof if open.is_empty() => break,
            Event::Eof => {
                anatomy.damage = Some((octets.len(), "the record ends too early".into()));
                break;
            }
            Event::Start(_) | Event::Empty(_) if open.len() >= DEPTH_MAX || left == 0 => {
                anatomy.is_cut = true;
                beyond += usize::from(matches!(event, Event::Start(_)));
            }
            Event::Start(ref element) | Event::Empty(ref element) => {
                let name = element.name().as_ref().to_owned();
                let is_empty = matches!(event, Event::Empty(_));
                if let Some(around) =
                    open.last_mut().filter(|around| is_empty && is_named(schema, around.ty))
                {
                    around.text.push_str(&name);
                    continue;
                }
                left -= 1;
                let (name, ty) = match open.last_mut() {
                    None => (name, Some(ty)),
                    Some(around) => named(schema, around, name),
                };
                let ty_name = name_of(schema, ty);
                let (place, content) = (start..end, end..end);
                let part = Part { name, ty: ty_name, place, content, ..Part::default() };
                let element = Open { part, ty, text: String::new(), inner: 0 };
                match is_empty {
                    true => closed(element, end, end, &mut open, &mut anatomy),
                    false => open.push(element),
                }
            }
            Event::End(_) if beyond > 0 => beyond -= 1,
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    closed(element, start, end, &mut open, &mut anatomy);
                }
            }
            Event::Text(text) => say(&mut open, &text),
            Event::CData(text) => say(&mut open, &text),
            Event::GeneralRef(reference) => {
                let found = crate::xml::character(&reference);
                say(&mut open, &found.map_or(String::new(), String::from));
            }
            _ => {}
        }
    }
    // Close the elements that were open at the end or the damage.
    let at = anatomy.damage.as_ref().map_or(octets.len(), |(at, _)| *at);
    while let Some(element) = open.pop() {
        closed(element, at, at, &mut open, &mut anatomy);
    }
    anatomy
}

/// Returns the name and type of an element within another. An alternative of a list's CHOICE is an element of the list
/// too.
fn named(schema: &Schema, around: &mut Open, name: String) -> (String, Option<TypeId>) {
    let position = around.inner;
    around.inner += 1;
    match element_of(schema, around.ty) {
        None => {
            let ty = within(schema, around.ty, &name);
            (name, ty)
        }
        Some(element) => match within(schema, Some(element), &name) {
            Some(alternative) if schema.get(element).name != name => {
                (format!("[{position}] {name}"), Some(alternative))
            }
            _ => (format!("[{position}]"), Some(element)),
        },
    }
}

fn say(open: &mut [Open], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// Adds a closed element to the enclosing one. Its content ends at `at`, the element itself at `end`.
fn closed(element: Open, at: usize, end: usize, open: &mut [Open], anatomy: &mut Anatomy) {
    let Open { mut part, text, .. } = element;
    let (place, content) = (part.place.start..end, part.content.start..at.max(part.content.start));
    part = match part.parts.is_empty() {
        true => leaf(part.name, part.ty, (place, content), text.trim().as_bytes()),
        false => Part { place, content, ..part },
    };
    match open.last_mut() {
        Some(around) => around.part.parts.push(part),
        None => anatomy.parts.push(part),
    }
}
