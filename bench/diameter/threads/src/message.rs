//! Messages as the thesis has them: each AVP is an object of its own, and octets are put together by copying.

use std::fmt::Write as _;
use std::hint::black_box;

use diameter::frame::Message;

/// The code of Session-Id, Result-Code, Origin-Host and Origin-Realm.
const SESSION_ID: u32 = 263;
const RESULT_CODE: u32 = 268;
const ORIGIN_HOST: u32 = 264;
const ORIGIN_REALM: u32 = 296;
const SUCCESS: u32 = 2001;

/// Where a message has its length, its flags, and its AVPs.
const LENGTH: std::ops::Range<usize> = 1..4;
const FLAGS: usize = 4;
const HEADER_OCTETS: usize = 20;
const REQUEST: u8 = 0x80;
const MANDATORY: u8 = 0x40;

/// A request that was saved.
pub struct Saved {
    command: u32,
    avps: Vec<(u32, Vec<u8>)>,
}

impl Saved {
    pub fn read(message: &Message<'_>, copies_octets: bool) -> Self {
        let object = |data: &[u8]| {
            let mut octets = Vec::new();
            append(&mut octets, data, copies_octets);
            octets
        };
        let avps =
            message.avps().map_while(Result::ok).map(|avp| (avp.code.code, object(avp.data)));
        Saved { command: message.header.command, avps: avps.collect() }
    }

    fn data(&self, code: u32) -> &[u8] {
        self.avps.iter().find(|(of, _)| *of == code).map_or(&[], |(_, data)| data)
    }

    /// Appends it as XML, the form in which the thesis stores messages.
    pub fn write(&self, to: &mut String) {
        // Writing to a text does not fail.
        let _ = write!(to, "<message command=\"{}\">", self.command);
        for (code, data) in &self.avps {
            let _ = write!(to, "<avp code=\"{code}\">");
            data.iter().for_each(|octet| {
                let _ = write!(to, "{octet:02x}");
            });
            to.push_str("</avp>");
        }
        to.push_str("</message>\n");
    }
}

/// Returns the answer to a request, which has this header.
pub fn answer(header: &[u8], request: &Saved, copies_octets: bool) -> Vec<u8> {
    let mut octets = Vec::new();
    append(&mut octets, header, copies_octets);
    for (code, data) in [
        (SESSION_ID, request.data(SESSION_ID)),
        (RESULT_CODE, &SUCCESS.to_be_bytes()),
        (ORIGIN_HOST, b"charging.example.net"),
        (ORIGIN_REALM, b"example.net"),
    ] {
        let length = (8 + data.len() as u32).to_be_bytes();
        append(&mut octets, &code.to_be_bytes(), copies_octets);
        append(&mut octets, &[MANDATORY, length[1], length[2], length[3]], copies_octets);
        append(&mut octets, data, copies_octets);
        octets.resize(octets.len().next_multiple_of(4), 0);
    }
    let length = (octets.len() as u32).to_be_bytes();
    octets[LENGTH].copy_from_slice(&length[1..]);
    octets[FLAGS] &= !REQUEST;
    octets
}

/// Returns the header of a message.
pub fn header(octets: &[u8]) -> &[u8] {
    &octets[..HEADER_OCTETS]
}

/// Appends octets, all at once or one by one.
pub fn append(to: &mut Vec<u8>, from: &[u8], one_by_one: bool) {
    if one_by_one {
        from.iter().for_each(|octet| to.push(*black_box(octet)));
    } else {
        to.extend_from_slice(from);
    }
}
