//! Decides which slices become one file for the receiver, and when.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use journal::View;
use store::{Connection, QueryResult, params};

use super::settings::Merge;
use super::slices::{self, WaitingSlice};
use crate::Route;

/// The number of slices per decision: more than are ever merged into one file.
const SLICES_AT_ONCE: usize = 20_000;

/// The time of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time in milliseconds since 1970.
    pub now_ms: i64,
    /// No more outputs will come, so waiting for others is in vain.
    pub is_last: bool,
}

/// Returns whether slices become a file now.
pub fn is_due(db: &Connection, route: &Route, moment: Moment) -> QueryResult<bool> {
    let waiting = slices::waiting(db, &route.system, SLICES_AT_ONCE)?;
    Ok(!plan(waiting, route, moment).is_empty())
}

/// Assigns slices to files. Returns the number of files.
pub fn gather(db: &Connection, view: &View, route: &Route, moment: Moment) -> QueryResult<usize> {
    let files = plan(slices::waiting(db, &route.system, SLICES_AT_ONCE)?, route, moment);
    for slices in &files {
        let name = match route.merge() {
            Some(merge) => {
                let number = next_number(db, &route.system)?;
                merged_name(merge, route, &slices[0], (moment.now_ms, number))
            }
            None => part_name(&slices[0]),
        };
        let path = view.noted(&route.buffer.join(transport::file_name(&name)));
        insert(db, route, &path, (slices, moment.now_ms))?;
    }
    Ok(files.len())
}

fn insert(
    db: &Connection,
    route: &Route,
    path: &str,
    (slices, now_ms): (&[WaitingSlice], i64),
) -> QueryResult<()> {
    let all: u64 = slices.iter().map(|slice| slice.records).sum();
    db.prepare_cached(
        "INSERT INTO delivery (post_processing_system, path, records, at_ms) VALUES (?, ?, ?, ?)",
    )?
    .execute(params![route.system, path, all as i64, now_ms])?;
    let delivery = db.last_insert_rowid();
    let (mut records, mut octets) = (0, slices[0].head);
    let mut update = db.prepare_cached(
        "UPDATE slice SET delivery = ?, records_before = ?, octets_before = ? WHERE id = ?",
    )?;
    for slice in slices {
        update.execute(params![delivery, records as i64, octets as i64, slice.id])?;
        records += slice.records;
        octets += slice.octets;
    }
    Ok(())
}

fn next_number(db: &Connection, system: &str) -> QueryResult<i64> {
    db.prepare_cached(
        "INSERT INTO merged VALUES (?, 1) ON CONFLICT DO UPDATE SET files = files + 1 RETURNING files",
    )?
    .query_row([system], |row| row.get(0))
}

/// Returns the name of a merged file. All outputs of a receiver have the same ending.
fn merged_name(
    merge: &Merge,
    route: &Route,
    first: &WaitingSlice,
    (now_ms, number): (i64, i64),
) -> String {
    let ending = Path::new(&first.path).extension();
    let ending = ending.map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    let time = Timestamp::from_millisecond(now_ms).unwrap_or_default();
    let time = time.strftime("%Y%m%dT%H%M%SZ").to_string();
    merge.name_of(&route.system, (&time, number), &ending)
}

/// Returns the name of a part: the name of its output with the numbers filled in.
fn part_name(slice: &WaitingSlice) -> String {
    let path = PathBuf::from(&slice.path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.replace("{parts}", &slice.parts.to_string()).replace("{part}", &slice.part.to_string())
}

/// Returns the slices of each file that is complete now, in order.
fn plan(waiting: Vec<WaitingSlice>, route: &Route, moment: Moment) -> Vec<Vec<WaitingSlice>> {
    let is_ordered = route.is_ordered;
    let named = waiting.into_iter().take_while(|slice| slice.is_named || !is_ordered);
    let named = named.filter(|slice| slice.is_named);
    match route.merge() {
        None => named.map(|slice| vec![slice]).collect(),
        Some(merge) => merged(named, merge, moment),
    }
}

fn merged(
    waiting: impl Iterator<Item = WaitingSlice>,
    merge: &Merge,
    moment: Moment,
) -> Vec<Vec<WaitingSlice>> {
    let (mut files, mut open) = (Vec::new(), Vec::<WaitingSlice>::new());
    for slice in waiting {
        let is_same_form = open.first().is_none_or(|first| first.form == slice.form);
        let (records, octets) = size(open.iter().chain([&slice]));
        if !open.is_empty() && (!is_same_form || merge.limits.are_exceeded(records, octets)) {
            files.push(std::mem::take(&mut open));
        }
        open.push(slice);
        let (records, octets) = size(open.iter());
        if open.len() >= merge.files || merge.limits.are_reached(records, octets) {
            files.push(std::mem::take(&mut open));
        }
    }
    files.extend(Some(open).filter(|open| has_waited(open, merge, moment)));
    files
}

/// Returns the records and octets of a file of these slices.
fn size<'s>(slices: impl Iterator<Item = &'s WaitingSlice> + Clone) -> (u64, u64) {
    let around = slices.clone().next().map_or(0, |first| first.head + first.tail);
    slices.fold((0, around), |(records, octets), slice| {
        (records + slice.records, octets + slice.octets)
    })
}

/// Returns whether the first slice has waited long enough. A negative wait comes from a wrong clock
/// and counts as over.
fn has_waited(open: &[WaitingSlice], merge: &Merge, moment: Moment) -> bool {
    let within_ms = i64::try_from(merge.within.as_millis()).unwrap_or(i64::MAX);
    open.first().is_some_and(|first| {
        let waited_ms = moment.now_ms.saturating_sub(first.at_ms);
        moment.is_last || waited_ms >= within_ms || waited_ms < 0
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::packing::Limits;

    /// Returns the records of each file that slices become. A slice is given by its records,
    /// octets, form and time.
    fn check(
        (records, octets, files): (Option<u64>, Option<u64>, usize),
        slices: &[(u64, u64, u8, i64)],
        now_ms: i64,
        expected: &[&[u64]],
    ) {
        let slice = |(records, octets, form, at_ms): &(u64, u64, u8, i64)| WaitingSlice {
            records: *records,
            octets: *octets,
            head: 3,
            tail: 2,
            form: vec![*form],
            at_ms: *at_ms,
            ..WaitingSlice::default()
        };
        let merge = Merge::test(Limits { records, octets }, files, Duration::from_millis(100));
        let moment = Moment { now_ms, is_last: false };
        let made = merged(slices.iter().map(slice), &merge, moment);
        let made: Vec<Vec<u64>> =
            made.iter().map(|slices| slices.iter().map(|slice| slice.records).collect()).collect();
        assert_eq!(made, expected, "{slices:?} at {now_ms}");
    }

    #[test]
    fn outputs_are_merged_up_to_a_limit_or_a_time() {
        let no_limit = (None, None, 1_000);
        let three = [(10, 100, 0, 0), (20, 200, 0, 50), (30, 300, 0, 90)];
        check(no_limit, &three, 99, &[]);
        check(no_limit, &three, 100, &[&[10, 20, 30]]);
        // The clock was set back.
        check(no_limit, &three, -1, &[&[10, 20, 30]]);
        check((None, None, 2), &three, 99, &[&[10, 20]]);
        check((None, None, 1), &three, 99, &[&[10], &[20], &[30]]);
        // The next slice would exceed the limit. The rest waits from its own time.
        check((Some(59), None, 1_000), &three, 99, &[&[10, 20]]);
        check((Some(59), None, 1_000), &three, 190, &[&[10, 20], &[30]]);
        check((Some(60), None, 1_000), &three, 99, &[&[10, 20, 30]]);
        check((Some(29), None, 1_000), &three, 99, &[&[10], &[20], &[30]]);
        // The octets around the records count too.
        check((None, Some(605), 1_000), &three, 99, &[&[10, 20, 30]]);
        check((None, Some(604), 1_000), &three, 99, &[&[10, 20]]);
    }

    #[test]
    fn only_outputs_of_one_form_are_merged() {
        let forms = [(1, 9, 0, 0), (2, 9, 0, 0), (3, 9, 1, 0), (4, 9, 0, 0)];
        check((None, None, 1_000), &forms, 1_000, &[&[1, 2], &[3], &[4]]);
        check((None, None, 1_000), &forms, 50, &[&[1, 2], &[3]]);
    }

    #[test]
    fn the_number_of_a_part_is_filled_into_its_name() {
        let slice = WaitingSlice {
            path: "s/out/b/a.ber-{part}of{parts}.csv".into(),
            part: 2,
            parts: 3,
            ..WaitingSlice::default()
        };
        assert_eq!(part_name(&slice), "a.ber-2of3.csv");
    }
}
