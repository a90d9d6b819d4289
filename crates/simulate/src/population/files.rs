//! Files of network elements: each has the records of some minutes, in the order in which they were written.

use std::path::Path;

use super::event::{Element, Event};
use crate::file::{WriteError, write};

/// Writes events to files as time goes on.
pub(super) struct Files<'f> {
    folder: &'f Path,
    /// When the first file begins, in seconds since 1970.
    start: u64,
    /// The length of a file, in seconds.
    length: u64,
    /// Events whose files are not complete.
    open: Vec<Event>,
    pub(super) files: u64,
    pub(super) events: u64,
}

impl<'f> Files<'f> {
    pub(super) fn new(folder: &'f Path, start: u64, length: u64) -> Self {
        Files { folder, start, length, open: Vec::new(), files: 0, events: 0 }
    }

    /// Adds events, and writes the files that end before a time: no event that comes later was written earlier.
    pub(super) fn add(&mut self, events: Vec<Event>, until: u64) -> Result<(), WriteError> {
        self.open.extend(events);
        self.write_until(until)
    }

    /// Writes the last files.
    pub(super) fn end(&mut self) -> Result<(), WriteError> {
        self.write_until(u64::MAX)
    }

    fn write_until(&mut self, until: u64) -> Result<(), WriteError> {
        let complete = until.saturating_sub(self.start) / self.length;
        let (start, length) = (self.start, self.length);
        let number = |event: &Event| event.written().saturating_sub(start) / length;
        let mut open = std::mem::take(&mut self.open);
        // The order within is that in which they came where the times are the same.
        open.sort_by_key(|event| (number(event), event.element(), event.written()));
        let ready = open.partition_point(|event| number(event) < complete);
        self.open = open.split_off(ready);
        let same = |one: &Event, other: &Event| {
            (number(one), one.element()) == (number(other), other.element())
        };
        for file in open.chunk_by(same) {
            self.write_file(number(&file[0]), file[0].element(), file)?;
        }
        Ok(())
    }

    fn write_file(&mut self, number: u64, of: Element, events: &[Event]) -> Result<(), WriteError> {
        let mut octets = Vec::new();
        events.iter().for_each(|event| event.write(&mut octets));
        self.files += 1;
        self.events += events.len() as u64;
        write(&self.folder.join(format!("in/{number:08}-{}.ber", of.name())), &octets)
    }
}
