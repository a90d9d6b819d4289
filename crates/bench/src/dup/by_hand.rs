//! The work of the scripts, written by hand in Rust over the same records: the limit they are compared with.

use std::collections::HashMap;

use record::{Memory, Schema, SlotIndex, TypeId};

/// The places of the components in use, as constants of a compiled program would be.
pub(super) struct Places {
    record_type: usize,
    version: usize,
    imsi: usize,
    imei: usize,
    msisdn: usize,
    calling: usize,
    called: usize,
    answer_time: usize,
    duration: usize,
    cause: usize,
    reference: usize,
    services: usize,
    network_reference: usize,
    line: usize,
}

impl Places {
    pub(super) fn new(schema: &Schema, call: TypeId, line: TypeId) -> Self {
        let place = |name: &str| schema.kind(call).field(name).expect("a component of the module");
        Places {
            record_type: place("recordType"),
            version: place("version"),
            imsi: place("servedIMSI"),
            imei: place("servedIMEI"),
            msisdn: place("servedMSISDN"),
            calling: place("callingNumber"),
            called: place("calledNumber"),
            answer_time: place("answerTime"),
            duration: place("callDuration"),
            cause: place("causeForTermination"),
            reference: place("callReference"),
            services: place("services"),
            network_reference: place("networkCallReference"),
            line: schema.kind(line).fields().len(),
        }
    }
}

fn number(memory: &Memory<'_>, of: SlotIndex, place: usize) -> Option<i64> {
    memory.number(memory.component(of, place)?).ok()
}

fn octets<'m>(memory: &'m Memory<'_>, of: SlotIndex, place: usize) -> Option<&'m [u8]> {
    memory.octets(memory.component(of, place)?).ok()
}

pub(super) fn keep(memory: &Memory<'_>, call: SlotIndex, places: &Places) -> Option<bool> {
    let kind = number(memory, call, places.record_type)?;
    if !matches!(kind, 0 | 1 | 6) {
        return Some(false);
    }
    let ended = matches!(number(memory, call, places.cause)?, 0 | 4);
    if ended && number(memory, call, places.version)? >= 7 {
        if number(memory, call, places.duration)? < 3 && kind != 6 {
            return Some(false);
        }
        return Some(
            octets(memory, call, places.msisdn).is_some()
                && octets(memory, call, places.reference)? != [0; 4]
                && octets(memory, call, places.imsi)?.starts_with(&[0x42]),
        );
    }
    Some(false)
}

pub(super) fn sum(memory: &Memory<'_>, list: SlotIndex) -> Option<i64> {
    let list = memory.component(list, 0)?;
    let mut total = 0_i64;
    for place in 0..memory.count(list) {
        let number = memory.number(memory.element(list, place)?).ok()?;
        total =
            if number > 100 { total.checked_add(number % 1000)? } else { total.checked_sub(1)? };
    }
    Some(total)
}

/// The zones by number prefix.
#[derive(Debug)]
pub(super) struct Zones(HashMap<&'static [u8], &'static str>, usize);

impl Zones {
    pub(super) fn new(table: &'static str) -> Self {
        let rows: HashMap<_, _> = table
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(','))
            .map(|(prefix, zone)| (prefix.as_bytes(), zone))
            .collect();
        let longest = rows.keys().map(|prefix| prefix.len()).max().unwrap_or(0);
        Zones(rows, longest)
    }

    pub(super) fn of(&self, number: &[u8]) -> Option<&'static str> {
        let longest = number.len().min(self.1);
        (1..=longest).rev().find_map(|length| self.0.get(&number[..length])).copied()
    }
}

/// Buffers that are reused between records.
#[derive(Default)]
pub(super) struct Scratch {
    number: Vec<u8>,
    text: Vec<u8>,
}

pub(super) fn digits(octets: &[u8], out: &mut Vec<u8>) {
    for octet in octets {
        for half in [octet & 15, octet >> 4] {
            match half {
                15 => return,
                half => out.push(b"0123456789*#abc"[usize::from(half)]),
            }
        }
    }
}

fn readable(octets: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if let [first, rest @ ..] = octets {
        if *first == 0x91 {
            out.push(b'+');
        }
        digits(rest, out);
    }
}

pub(super) fn hex(octets: &[u8], out: &mut Vec<u8>) {
    out.clear();
    for octet in octets {
        out.push(b"0123456789abcdef"[usize::from(octet >> 4)]);
        out.push(b"0123456789abcdef"[usize::from(octet & 15)]);
    }
}

pub(super) fn line(
    memory: &mut Memory<'_>,
    call: SlotIndex,
    out: SlotIndex,
    (places, zones): (&Places, &Zones),
    scratch: &mut Scratch,
) -> Option<()> {
    let frame = memory.make_structure(out, places.line).0;
    let to = |place: u32| SlotIndex(frame + place);
    let Scratch { number: other, text } = scratch;
    let kind = number(memory, call, places.record_type)?;
    memory.set_number(to(0), kind);
    text.clear();
    digits(octets(memory, call, places.imsi)?, text);
    memory.set_octets(to(1), text);
    if let Some(imei) = octets(memory, call, places.imei) {
        text.clear();
        digits(imei, text);
        text.truncate(8);
        memory.set_octets(to(2), text);
    }
    if let Some(msisdn) = octets(memory, call, places.msisdn) {
        readable(msisdn, text);
        memory.set_octets(to(3), text);
    }
    other.clear();
    match (kind, octets(memory, call, places.called)) {
        (0, Some(called)) => readable(called, other),
        _ => {
            if let Some(calling) = octets(memory, call, places.calling) {
                readable(calling, other);
            }
        }
    }
    if other.is_empty() {
        memory.set_octets(to(5), b"none");
    } else {
        memory.set_octets(to(4), other);
        let key = other.strip_prefix(b"+").unwrap_or(other);
        memory.set_octets(to(5), zones.of(key).unwrap_or("unknown").as_bytes());
    }
    let start = memory.component(call, places.answer_time)?;
    let mut start = *memory.slot(start);
    start.flags |= record::Flags::CHANGED;
    *memory.arena.slot_mut(to(6)) = start;
    let seconds = match number(memory, call, places.duration)? {
        0 => 0,
        seconds if seconds <= 60 => 60,
        seconds => seconds.checked_add(29)? / 30 * 30,
    };
    memory.set_number(to(7), seconds);
    let state: &[u8] = match number(memory, call, places.cause)? {
        0 | 4 => b"ended",
        1 => b"partial",
        _ => b"failed",
    };
    memory.set_octets(to(8), state);
    let services = memory.component(call, places.services)?;
    if memory.slot(services).is_present() {
        let count = memory.count(services) as i64;
        memory.set_number(to(9), count);
    }
    hex(octets(memory, call, places.reference)?, text);
    if number(memory, call, places.version)? == 8
        && let Some(reference) = octets(memory, call, places.network_reference)
    {
        hex(reference, text);
    }
    memory.set_octets(to(10), text);
    Some(())
}
