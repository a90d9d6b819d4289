//! The expected outputs of records of which three are combined into one, or as many as there are when the day is over.

use std::collections::{BTreeMap, BTreeSet};

use super::{ANSWER_TIME, CALL, CALL_DURATION, Fields, SEQUENCE_NUMBER, element, number};
use crate::crash::elements::elements;

/// Records of a group.
const COMPLETE: usize = 3;

/// How many groups there are at one time.
const KEYS: u64 = 400;

/// The records of a network element that wait for others, file after file.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    day: Vec<u8>,
    waiting: BTreeMap<u64, Group>,
    /// The outputs of groups that expired because their day was over.
    pub(crate) expired: Vec<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Group {
    /// The times and octets of the records, by which they are ordered.
    members: BTreeSet<(Vec<u8>, Vec<u8>)>,
    lasted: u64,
}

impl Groups {
    /// Takes the records of a file; returns the outputs of the groups that they completed.
    pub(crate) fn take(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        let mut made = Vec::new();
        elements(file).into_iter().for_each(|at| made.extend(self.add(&file[at])));
        (!made.is_empty()).then_some(made)
    }

    /// Expires all groups: none waits for records of another day.
    fn begin_day(&mut self, day: &[u8]) {
        if self.day != day {
            self.day = day.into();
            let over = std::mem::take(&mut self.waiting);
            self.expired.extend(over.into_values().map(Group::made));
        }
    }

    fn add(&mut self, record: &[u8]) -> Vec<u8> {
        let call = Fields::within(record);
        let time = call.contents(ANSWER_TIME);
        self.begin_day(&time[..3]);
        let lasted = number(call.contents(CALL_DURATION));
        let key = (number(call.contents(SEQUENCE_NUMBER)) + 31 * lasted) % KEYS;
        let group = self.waiting.entry(key).or_default();
        group.members.insert((time.into(), record.into()));
        group.lasted += lasted;
        match group.members.len() {
            COMPLETE => self.waiting.remove(&key).map_or_else(Vec::new, Group::made),
            _ => Vec::new(),
        }
    }
}

impl Group {
    /// Returns the first record of the group, with the duration of all of them together.
    fn made(self) -> Vec<u8> {
        let mut made = Vec::new();
        let first = self.members.first().map_or(&[][..], |(_, octets)| octets);
        for field in Fields::within(first).0 {
            match field[0] {
                CALL_DURATION => made.extend(element(CALL_DURATION, &integer(self.lasted))),
                _ => made.extend(field),
            }
        }
        element(CALL, &made)
    }
}

/// Returns the shortest encoding of an INTEGER that is not negative.
fn integer(number: u64) -> Vec<u8> {
    let octets = [&[0][..], &number.to_be_bytes()].concat();
    let unneeded = octets.windows(2).take_while(|two| two[0] == 0 && two[1] < 0x80).count();
    octets[unneeded..].into()
}
