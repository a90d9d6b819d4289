//! A file most records of which come to a node when their groups are over: one that was overtaken by others, or a clock
//! that was wrong in them. What becomes of such records the flow says; that it happens is an alarm.

use store::{Answer, Connection};

use crate::alarm::{self, Subject};
use crate::time::now_ms;

const FILE_LATE: &str = "file-late";

/// Raises the alarm of a file so many records of which came to a node, most of them late; clears it with one of which most
/// did not.
pub(super) fn note(
    db: &Connection,
    node: &str,
    (element, file): (&str, &str),
    (came, late): (u64, u64),
) -> Answer<()> {
    if came == 0 {
        return Ok(());
    }
    let subject = format!("{element}, {node}");
    let about = Subject { kind: FILE_LATE, subject: &subject };
    if late <= came / 2 {
        return alarm::clear(db, now_ms(), about);
    }
    let text = format!(
        "{late} of {came} records of \"{element}/{file}\" came to \"{node}\" late: their groups were over"
    );
    alarm::raise(db, now_ms(), about, &text)
}
