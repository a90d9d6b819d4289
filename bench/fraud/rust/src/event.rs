//! Events of switches: decoded from BER, as `examples/fraud/asn1/events.asn1` has them, and packed in a file for programs that
//! decode nothing.

use crate::Answer;

/// The kind that the rules are about.
pub const INDICATION: u8 = 6;

/// The octets of a packed event: kind and time of four octets, and two numbers of eight, in little-endian order.
const PACKED: usize = 24;

/// What rules need of an event. Numbers have digits only, so they are integers here.
#[derive(Clone, Copy, Default)]
pub struct Event {
    pub kind: u8,
    /// The seconds since 1970.
    pub time: u32,
    pub caller: u64,
    pub called: u64,
}

pub fn packed(events: &[Event]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(PACKED * events.len());
    for Event { kind, time, caller, called } in events {
        octets.extend_from_slice(&u32::from(*kind).to_le_bytes());
        octets.extend_from_slice(&time.to_le_bytes());
        octets.extend_from_slice(&caller.to_le_bytes());
        octets.extend_from_slice(&called.to_le_bytes());
    }
    octets
}

pub fn unpacked(octets: &[u8]) -> Vec<Event> {
    let number =
        |octets: &[u8]| octets.iter().rev().fold(0, |all, octet| all << 8 | u64::from(*octet));
    let event = |octets: &[u8]| Event {
        kind: number(&octets[..4]) as u8,
        time: number(&octets[4..8]) as u32,
        caller: number(&octets[8..16]),
        called: number(&octets[16..]),
    };
    octets.chunks_exact(PACKED).map(event).collect()
}

/// The events that rules are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// As the switches sent them: one in ten is an indication.
    Indications,
    /// All, as if each was an indication.
    All,
}

impl Judged {
    pub fn named(name: &str) -> Answer<Self> {
        match name {
            "indications" => Ok(Judged::Indications),
            "all" => Ok(Judged::All),
            other => Err(format!("expected \"indications\" or \"all\", found {other:?}").into()),
        }
    }
}

/// Decodes the events of a file one by one.
pub fn decode(octets: &[u8], judged: Judged) -> impl Iterator<Item = Answer<Event>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let event = value(&mut rest).and_then(|(tag, content)| match tag {
            0x30 => fields(content, judged),
            other => Err(format!("expected an event, found the tag {other:#x}").into()),
        });
        if event.is_err() {
            rest = &[];
        }
        Some(event)
    })
}

fn fields(mut content: &[u8], judged: Judged) -> Answer<Event> {
    let mut event = Event::default();
    while !content.is_empty() {
        let (tag, field) = value(&mut content)?;
        match tag {
            0x80 => event.kind = integer(field) as u8,
            0x81 => event.time = integer(field) as u32,
            0x82 => event.caller = digits(field),
            0x83 => event.called = digits(field),
            _ => {}
        }
    }
    if judged == Judged::All {
        event.kind = INDICATION;
    }
    Ok(event)
}

/// Takes a tag of one octet and what it has.
fn value<'o>(octets: &mut &'o [u8]) -> Answer<(u8, &'o [u8])> {
    let (tag, length, rest) = match **octets {
        [tag, length @ 0..=0x7f, ref rest @ ..] => (tag, length, rest),
        [tag, 0x81, length, ref rest @ ..] => (tag, length, rest),
        _ => return Err("expected a tag and a length below 256".into()),
    };
    let cut = rest.split_at_checked(length.into()).ok_or("expected more octets")?;
    *octets = cut.1;
    Ok((tag, cut.0))
}

fn integer(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |all, octet| all << 8 | u64::from(*octet))
}

fn digits(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |all, octet| all * 10 + u64::from(octet.wrapping_sub(b'0')))
}
