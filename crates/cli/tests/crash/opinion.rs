//! The outputs that the example flow has to make of a file, derived from the octets of the file alone: no code, module,
//! script or codec of the gateway is used.
//!
//! All fields have tags of one octet, so the fields of a record in an output are elements of it with other tags.

mod groups;
mod prices;

use std::fmt::Write as _;

use crate::common::elements::elements;
pub(crate) use groups::Groups;
pub(crate) use prices::Prices;

/// Tags of a centre's record, of its fields, and of the fields of the outputs.
const CALL: u8 = 0x6A;
const RECORD_TYPE: u8 = 0x80;
const VERSION: u8 = 0x81;
const MSC_ADDRESS: u8 = 0x82;
const SERVED_IMSI: u8 = 0x83;
const SERVED_MSISDN: u8 = 0x85;
const CALLING_NUMBER: u8 = 0x86;
const CALLED_NUMBER: u8 = 0x87;
const ANSWER_TIME: u8 = 0x88;
const CALL_DURATION: u8 = 0x8A;
const CAUSE: u8 = 0x8B;
const CALL_REFERENCE: u8 = 0x8C;
const SERVICES: u8 = 0xAE;
const DETAILS: u8 = 0xAF;
const ROAMING: u8 = 0xA3;
const VISITED_NETWORK: u8 = 0x80;
const ROAMING_NUMBER: u8 = 0x81;
const SEQUENCE_NUMBER: u8 = 0x90;
const NETWORK_CALL_REFERENCE: u8 = 0x91;
const ROAMING_RECORD: u8 = 0x61;
const HOME_RECORD: u8 = 0x62;

/// The columns of the statistics; lines end as in RFC 4180.
const COLUMNS: &str = "mscAddress,recordType,answerTime,causeForTermination\r\n";

/// The expected outputs of one file: the octets of the file for each system; empty where a system gets nothing.
#[derive(Debug, Default)]
pub(crate) struct Opinion {
    pub(crate) home: Option<Vec<u8>>,
    pub(crate) roaming: Option<Vec<u8>>,
    pub(crate) statistics: Option<Vec<u8>>,
    /// The offsets of damaged records.
    pub(crate) damaged: Vec<u64>,
}

impl Opinion {
    /// Derives the outputs of a file in which records are damaged only where they begin.
    pub(crate) fn of(file: &[u8]) -> Self {
        let mut opinion = Opinion::default();
        for at in elements(file) {
            match file[at.start] {
                CALL => opinion.add(&Fields::within(&file[at])),
                _ => opinion.damaged.push(at.start as u64),
            }
        }
        opinion
    }

    fn add(&mut self, call: &Fields<'_>) {
        let kind = number(call.contents(RECORD_TYPE));
        let is_answered = matches!(number(call.contents(CAUSE)), 0 | 4);
        let lasted = number(call.contents(CALL_DURATION)) > 0;
        if !is_answered || !(lasted || kind == 6) {
            let statistics = self.statistics.get_or_insert_with(|| COLUMNS.as_bytes().to_vec());
            statistics.extend(line(call).as_bytes());
        } else if kind == 2 {
            self.roaming.get_or_insert_default().extend(roaming(call));
        } else {
            self.home.get_or_insert_default().extend(home(call));
        }
    }
}

/// The elements inside an element.
struct Fields<'f>(Vec<&'f [u8]>);

impl<'f> Fields<'f> {
    fn within(element: &'f [u8]) -> Self {
        let inner = contents(element);
        Fields(elements(inner).into_iter().map(|at| &inner[at]).collect())
    }

    fn element(&self, tag: u8) -> Option<&'f [u8]> {
        self.0.iter().find(|element| element[0] == tag).copied()
    }

    fn contents(&self, tag: u8) -> &'f [u8] {
        contents(self.element(tag).unwrap_or_else(|| panic!("each record has {tag:#04x}")))
    }
}

/// Returns the contents of an element, without its tag and its length.
fn contents(element: &[u8]) -> &[u8] {
    let more = usize::from(element[1].saturating_sub(0x80));
    &element[2 + more..]
}

/// Returns the value of a small INTEGER that is not negative.
fn number(contents: &[u8]) -> u64 {
    contents.iter().fold(0, |number, octet| number << 8 | u64::from(*octet))
}

fn home(call: &Fields<'_>) -> Vec<u8> {
    let mut record = vec![0x80, 1, 8];
    let more = [
        (RECORD_TYPE, 0x81),
        (SERVED_IMSI, 0x82),
        (SERVED_MSISDN, 0x83),
        (CALLING_NUMBER, 0x84),
        (CALLED_NUMBER, 0x85),
        (ANSWER_TIME, 0x86),
        (CALL_DURATION, 0x87),
        (CAUSE, 0x88),
        (SERVICES, 0xA9),
        (reference(call), 0x8A),
    ];
    more.iter().for_each(|(from, to)| copy(&mut record, call, *from, *to));
    element(HOME_RECORD, &record)
}

fn roaming(call: &Fields<'_>) -> Vec<u8> {
    let details = Fields::within(call.element(DETAILS).expect("each record has details"));
    let visit = Fields::within(details.element(ROAMING).expect("a roaming record has those"));
    let mut record = vec![0x80, 1, 8];
    let more = [
        (call, RECORD_TYPE, 0x81),
        (call, SERVED_IMSI, 0x82),
        (call, CALLING_NUMBER, 0x83),
        (call, CALLED_NUMBER, 0x84),
        (&visit, VISITED_NETWORK, 0x85),
        (&visit, ROAMING_NUMBER, 0x86),
        (call, ANSWER_TIME, 0x87),
        (call, CALL_DURATION, 0x88),
        (call, CAUSE, 0x89),
        (call, SERVICES, 0xAA),
        (call, reference(call), 0x8B),
    ];
    more.iter().for_each(|(of, from, to)| copy(&mut record, of, *from, *to));
    element(ROAMING_RECORD, &record)
}

/// Returns the tag of the reference: since version 8 a record has a reference of the network; before, only one of the
/// centre.
fn reference(call: &Fields<'_>) -> u8 {
    match (number(call.contents(VERSION)), call.element(NETWORK_CALL_REFERENCE)) {
        (8, Some(_)) => NETWORK_CALL_REFERENCE,
        _ => CALL_REFERENCE,
    }
}

/// Appends an element under another tag, if there is one.
fn copy(to: &mut Vec<u8>, from: &Fields<'_>, tag: u8, new_tag: u8) {
    if let Some(element) = from.element(tag) {
        to.push(new_tag);
        to.extend(&element[1..]);
    }
}

/// Returns an element with the shortest encoding of its length.
fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut element = match length {
        ..0x80 => vec![tag, length as u8],
        0x80..0x100 => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    element.extend(contents);
    element
}

fn line(call: &Fields<'_>) -> String {
    let digits = |tag| {
        call.contents(tag).iter().fold(String::new(), |mut text, octet| {
            let _ = write!(text, "{octet:02x}");
            text
        })
    };
    let (kind, cause) = (number(call.contents(RECORD_TYPE)), number(call.contents(CAUSE)));
    format!("{},{kind},{},{cause}\r\n", digits(MSC_ADDRESS), digits(ANSWER_TIME))
}
