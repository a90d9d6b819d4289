//! Planned works on objects: while people work on a cell, nothing that it says is odd.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use cells::{Cell, Table};
use clocks::Clock;
use diagnostics::{Diagnostic, Source};

use super::day::{first_moment, last_moment, local_time};

/// A work on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The moments at which it is done.
    pub when: Range<i64>,
    /// What is done, for people.
    pub because: String,
}

/// Planned works, by their objects.
#[derive(Clone, Debug, Default)]
pub struct Works {
    /// The works of each object, in the order of their begins.
    works: HashMap<String, Vec<Work>>,
}

impl Works {
    /// Reads a table with the columns `object`, `from`, `until` and `because`, of which the last one may be missing. Times are those
    /// of a clock; of a time that it shows twice, a work begins with the first one and ends with the last one.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn read(source: &Arc<Source>, clock: &Clock) -> Result<Works, Vec<Diagnostic>> {
        let (mut works, mut mistakes) = (Works::default(), Vec::new());
        let columns = ["object", "from", "until", "because?"];
        if let Some(mut table) = Table::open(source, columns, &mut mistakes) {
            while let Some(row) = table.next(&mut mistakes) {
                let [object, .., because] = &row.cells;
                let when = when(source, clock, &row.cells, &mut mistakes);
                let work = |when| Work { when, because: because.text.to_string() };
                works.works.entry(object.text.to_string()).or_default().extend(when.map(work));
            }
        }
        works.works.values_mut().for_each(|works| works.sort_by_key(|work| work.when.start));
        if mistakes.is_empty() { Ok(works) } else { Err(mistakes) }
    }

    /// Returns the first work on an object that is done at some of these moments. Works on what it belongs to are not its own: look for
    /// each object of its [path](crate::topology::Topology::path).
    pub fn during(&self, object: &str, moments: Range<i64>) -> Option<&Work> {
        let works = self.works.get(object)?;
        let begun = works.partition_point(|work| work.when.start < moments.end);
        works[..begun].iter().find(|work| work.when.end > moments.start)
    }

    /// Returns all works, each with its object, in no order.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Work)> {
        self.works
            .iter()
            .flat_map(|(object, works)| works.iter().map(|work| (object.as_str(), work)))
    }
}

/// Returns when the work of a row is done. `None` if the row has mistakes.
fn when(
    source: &Arc<Source>,
    clock: &Clock,
    [object, from, until, _]: &[Cell<'_>; 4],
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Range<i64>> {
    let before = mistakes.len();
    if object.text.is_empty() {
        mistakes.push(Diagnostic::error(source, object.span, "a work has an object"));
    }
    let [begin, end] = [from, until].map(|cell| {
        let time = local_time(&cell.text);
        if time.is_none() {
            let message = format!("\"{}\" is no time in 1970 to 2099", cell.text);
            let mistake = Diagnostic::error(source, cell.span, message);
            mistakes
                .push(mistake.hint("write 2026-12-31 or 2026-12-31 22:00, which is local time"));
        }
        time
    });
    let when = first_moment(clock, begin?)..last_moment(clock, end?);
    if when.is_empty() {
        let message = "this is not after the begin of the work";
        let mistake = Diagnostic::error(source, until.span, message);
        mistakes.push(mistake.hint("a day is its 00:00: write the day after it, or a time"));
    }
    (mistakes.len() == before).then_some(when)
}
