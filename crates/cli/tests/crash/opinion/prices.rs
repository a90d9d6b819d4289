//! The expected prices of records of seven subscribers, who have 20,000 seconds free, pay a hundredth for each further
//! second, and half of that once they have spent a hundred.

use super::{CALL, CALL_DURATION, Fields, SEQUENCE_NUMBER, number};
use crate::crash::elements::elements;

const SUBSCRIBERS: u64 = 7;
const FREE_SECONDS: u64 = 20_000;

/// Money is counted in thousandths.
const A_SECOND: u64 = 10;
const WHOLE_UP_TO: u64 = 100_000;

const COLUMNS: &str = "sequenceNumber,callDuration,exchangeIdentity\r\n";

/// How long the subscribers of a network element talked, file after file.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    seconds: [u64; SUBSCRIBERS as usize],
}

impl Prices {
    /// Takes the records of a file; returns them with their prices.
    pub(crate) fn take(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        let sound = elements(file).into_iter().filter(|at| file[at.start] == CALL);
        let lines: String = sound.map(|at| self.line(&Fields::within(&file[at]))).collect();
        (!lines.is_empty()).then(|| format!("{COLUMNS}{lines}").into_bytes())
    }

    fn line(&mut self, call: &Fields<'_>) -> String {
        let place = number(call.contents(SEQUENCE_NUMBER));
        let lasted = number(call.contents(CALL_DURATION));
        let seconds = &mut self.seconds[(place % SUBSCRIBERS) as usize];
        let before = paid(*seconds);
        *seconds += lasted;
        let price = paid(*seconds) - before;
        let (units, thousandths) = (price / 1_000, price % 1_000);
        let fraction = match thousandths % 10 {
            0 => format!("{:02}", thousandths / 10),
            _ => format!("{thousandths:03}"),
        };
        format!("{place},{lasted},{units}.{fraction}\r\n")
    }
}

/// Returns the price of `seconds` seconds in total.
fn paid(seconds: u64) -> u64 {
    let spent = seconds.saturating_sub(FREE_SECONDS) * A_SECOND;
    spent.min(WHOLE_UP_TO) + spent.saturating_sub(WHOLE_UP_TO) / 2
}
