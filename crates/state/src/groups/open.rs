//! Which groups wait: a bit for each entry of such a group, by page.

use node::groups::page::EntryPage;
use node::{EntryNumber, GroupEntry, GroupId};
use store::{Answer, Connection, OptionalExtension as _, Row, Rows, params};

use super::entries::page;

/// A page with entries of groups that wait.
pub(super) struct OpenPage {
    /// The number of its first entry.
    first: EntryNumber,
    /// How many entries it has.
    entries: usize,
    /// When its groups came, in milliseconds since 1970; for groups that began in another page, see there.
    pub(super) came_ms: i64,
    open: Vec<u8>,
    more: Vec<u8>,
}

/// The first entry of a group that waits.
pub(super) struct OpenEntry {
    /// The number of the group.
    pub(super) id: GroupId,
    pub(super) entry: GroupEntry,
    /// When it came, in milliseconds since 1970.
    pub(super) came_ms: i64,
    /// Whether the group has later entries.
    pub(super) has_more: bool,
}

/// An entry was to be closed that is not open: its group would have ended twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a group with the entry {number} would end, which does not wait")]
struct NotOpen {
    number: EntryNumber,
}

/// Begins a query of open pages. `condition` may use the values that are bound to it; pages are in ascending order.
pub(super) fn select(condition: &str) -> String {
    format!("SELECT page, entries, came_ms, open, more FROM group_open WHERE {condition}")
}

/// Notes the groups of a new page that wait.
pub(super) fn begin(
    db: &Connection,
    first: EntryNumber,
    node: &str,
    page: &EntryPage,
    at_ms: i64,
) -> Answer<()> {
    if page.open.iter().all(|bits| *bits == 0) {
        return Ok(());
    }
    let insert = "INSERT INTO group_open (page, entries, node, came_ms, first_ms, open, more)
                  VALUES (?, ?, ?, ?, ?, ?, ?)";
    let more = vec![0_u8; page.open.len()];
    let values = params![first, page.entries, node, at_ms, page.first_ms, page.open, more];
    db.prepare_cached(insert)?.execute(values).map(drop)
}

/// Notes that a group has an entry in another page, and the time of its first record.
pub(super) fn extend(db: &Connection, id: GroupId, first_ms: Option<i64>) -> Answer<()> {
    let Some(mut page) = OpenPage::of_number(db, id)? else { return not_open(id) };
    let Some(place) = page.place(id).filter(|place| bit(&page.open, *place)) else {
        return not_open(id);
    };
    set(&mut page.more, place);
    let update =
        "UPDATE group_open SET more = ?, first_ms = min(ifnull(first_ms, ?2), ?2) WHERE page = ?";
    let keep = "UPDATE group_open SET more = ? WHERE page = ?";
    match first_ms {
        Some(first_ms) => {
            db.prepare_cached(update)?.execute(params![page.more, first_ms, page.first])?
        }
        None => db.prepare_cached(keep)?.execute(params![page.more, page.first])?,
    };
    Ok(())
}

/// Notes that the groups with these entries wait no more. The numbers are in ascending order.
pub(super) fn close(db: &Connection, mut numbers: &[EntryNumber]) -> Answer<()> {
    let mut update = db.prepare_cached("UPDATE group_open SET open = ? WHERE page = ?")?;
    let mut delete = db.prepare_cached("DELETE FROM group_open WHERE page = ?")?;
    while let Some(number) = numbers.first() {
        let Some(mut page) = OpenPage::of_number(db, *number)? else { return not_open(*number) };
        let mut closed = 0;
        while let Some(number) = numbers.get(closed)
            && let Some(place) = page.place(*number)
        {
            if !bit(&page.open, place) {
                return not_open(*number);
            }
            clear(&mut page.open, place);
            closed += 1;
        }
        if closed == 0 {
            return not_open(*number);
        }
        numbers = &numbers[closed..];
        match page.open.iter().all(|bits| *bits == 0) {
            true => delete.execute([page.first])?,
            false => update.execute(params![page.open, page.first])?,
        };
    }
    Ok(())
}

/// Returns whether a group waits, and whether it has later entries.
pub(super) fn is_open(db: &Connection, id: GroupId) -> Answer<Option<bool>> {
    let Some(page) = OpenPage::of_number(db, id)? else { return Ok(None) };
    let place = page.place(id).filter(|place| bit(&page.open, *place));
    Ok(place.map(|place| bit(&page.more, place)))
}

impl OpenPage {
    pub(super) fn of(row: &Row<'_>) -> Answer<Self> {
        Ok(OpenPage {
            first: row.get(0)?,
            entries: row.get::<_, u32>(1)? as usize,
            came_ms: row.get(2)?,
            open: row.get(3)?,
            more: row.get(4)?,
        })
    }

    /// Returns the open page that has the entry of a number, if it is the last one that begins before.
    fn of_number(db: &Connection, number: EntryNumber) -> Answer<Option<Self>> {
        let select = format!("{} ORDER BY page DESC LIMIT 1", select("page <= ?"));
        db.prepare_cached(&select)?.query_row([number], Self::of).optional()
    }

    /// Returns the place of an entry in the page, from 0, if it may be in it.
    fn place(&self, number: EntryNumber) -> Option<usize> {
        let place = usize::try_from(number - self.first).ok()?;
        (place < self.entries).then_some(place)
    }

    /// Passes each of its entries of groups that wait to `take`, with whether it began its group and has later ones.
    pub(super) fn for_each(
        &self,
        db: &Connection,
        mut take: impl FnMut(EntryNumber, GroupEntry, bool) -> Answer<()>,
    ) -> Answer<()> {
        let Some(entries) = page(db, self.first)? else { return Ok(()) };
        for (number, octets) in entries.entries() {
            let Some(place) = self.place(number).filter(|place| bit(&self.open, *place)) else {
                continue;
            };
            take(number, entries.read(number, octets)?, bit(&self.more, place))?;
        }
        Ok(())
    }

    /// Passes the first entry of each group that waits and began here to `take`, if its number is greater than `after`.
    pub(super) fn groups(
        &self,
        db: &Connection,
        after: GroupId,
        mut take: impl FnMut(OpenEntry) -> Answer<()>,
    ) -> Answer<()> {
        let came_ms = self.came_ms;
        self.for_each(db, |id, entry, has_more| match entry.group {
            None if id > after => take(OpenEntry { id, entry, came_ms, has_more }),
            _ => Ok(()),
        })
    }
}

/// Returns the next open page of a query that [`select`] begins.
pub(super) fn next(rows: &mut Rows<'_>) -> Answer<Option<OpenPage>> {
    rows.next()?.map(OpenPage::of).transpose()
}

fn not_open<T>(number: EntryNumber) -> Answer<T> {
    Err(store::undone(NotOpen { number }))
}

fn bit(bits: &[u8], place: usize) -> bool {
    bits.get(place / 8).is_some_and(|octet| octet & 1 << (place % 8) != 0)
}

fn set(bits: &mut [u8], place: usize) {
    bits[place / 8] |= 1 << (place % 8);
}

fn clear(bits: &mut [u8], place: usize) {
    bits[place / 8] &= !(1 << (place % 8));
}
