//! A length before each record, big-endian, its own octets not counted.

use std::io;

use super::RECORD_OCTETS_MAX;
use super::file::Frame;
use crate::window::Window;

/// Passes the length of the next record. A length of zero is filler.
pub(super) fn next(window: &mut Window, octets: usize) -> io::Result<Option<Frame>> {
    loop {
        window.look_ahead(octets)?;
        let ahead = window.ahead();
        if ahead.is_empty() {
            return Ok(None);
        }
        let Some(prefix) = ahead.get(..octets) else {
            return Ok(rest(window, "the file ends within the length of a record"));
        };
        if prefix.iter().all(|octet| *octet == 0xFF) {
            window.pass(octets);
            continue;
        }
        let length = prefix.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
        window.pass(octets);
        if length > 0 {
            return frame(window, length).map(Some);
        }
    }
}

/// The frame of a record of this length; or what is left of the file, if it is less.
pub(super) fn frame(window: &mut Window, length: usize) -> io::Result<Frame> {
    if length <= RECORD_OCTETS_MAX {
        window.look_ahead(length)?;
        if window.ahead().len() >= length {
            return Ok(Frame { length, fault: None });
        }
    }
    let fault = format!("the record's length is {length} octets, the file has no more than {{}}");
    window.look_ahead(RECORD_OCTETS_MAX)?;
    let left = window.ahead().len();
    Ok(Frame { length: left, fault: Some(fault.replace("{}", &left.to_string())) })
}

/// What is left of the file, which is no record.
pub(super) fn rest(window: &mut Window, fault: &str) -> Option<Frame> {
    let length = window.ahead().len();
    (length > 0).then(|| Frame { length, fault: Some(fault.to_owned()) })
}
