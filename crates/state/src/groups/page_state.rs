//! What became of the groups in a page of entries: which of them wait, and where their later entries are.

use std::sync::LazyLock;

use node::groups::LinkedEntry;
use node::groups::page::EntryPage;
use node::{EntryNumber, GroupEntry, GroupId};
use store::{Connection, OptionalExtension as _, QueryError, QueryResult, Row, Rows, params};

use super::entries::page;

/// The state of a page.
pub(super) struct PageState {
    /// The number of its first entry.
    first: EntryNumber,
    /// How many entries it has.
    entries: usize,
    /// When its groups came, in milliseconds since 1970. A group that began in another page has its time there.
    pub(super) came_ms: i64,
    /// The earliest record time of its groups, where the node knows that.
    first_ms: Option<i64>,
    /// A bit for each entry: whether its group waits.
    open: Vec<u8>,
    /// How many rows of links there are besides [`links`](Self::links).
    link_rows: i64,
    /// The later entries of groups that began here, in the order in which they were written.
    links: Vec<u8>,
}

/// The octets of a link: two of the place in the page, eight of the number.
const LINK: usize = 10;

/// The links of a row of their own.
const LINKS_OF_ROW: usize = 200;

/// The state of a page cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state of the groups from entry {first} was damaged in the journal")]
struct DamagedState {
    first: EntryNumber,
}

/// What became of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupState {
    /// Whether it waits.
    pub(super) waits: bool,
    /// The numbers of its entries after the first.
    pub(super) later: Vec<EntryNumber>,
}

/// The first entry of a group that waits.
pub(super) struct OpenEntry {
    /// The number of the group.
    pub(super) id: GroupId,
    pub(super) entry: GroupEntry,
    /// When it came, in milliseconds since 1970.
    pub(super) came_ms: i64,
    /// The number of the group's last entry, if that is not the first.
    pub(super) last: Option<EntryNumber>,
}

/// Reads the states of groups. It has the last page in memory, so use one only while the journal is read as of one moment.
#[derive(Default)]
pub(super) struct StateReader {
    page: Option<PageState>,
}

/// An entry was to be added to a group that does not wait, or such a group would have ended again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {number} belongs to no group that waits, and its group would change")]
struct NotOpen {
    number: EntryNumber,
}

/// How pages in which groups wait are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenBy {
    /// By node and number.
    Page,
    /// By node and the arrival of their groups.
    Arrival,
    /// By number.
    Number,
}

/// Begins a query of pages in which groups wait. `condition` may use the values that are bound to it.
pub(super) fn select_open(by: OpenBy, condition: &str) -> String {
    let index = match by {
        OpenBy::Page => "INDEXED BY group_state_open",
        OpenBy::Arrival => "INDEXED BY group_state_by_arrival",
        OpenBy::Number => "NOT INDEXED",
    };
    format!("{COLUMNS} {index} WHERE is_open AND {condition}")
}

const COLUMNS: &str =
    "SELECT page, entries, came_ms, first_ms, open, link_rows, links FROM group_state";

/// Begins a query of the pages of the node `?1` that may have entries after the number `?2`.
pub(super) fn select_open_since(condition: &str) -> String {
    let since =
        "node = ?1 AND page >= ifnull((SELECT max(page) FROM group_state WHERE page <= ?2), 0)";
    select_open(OpenBy::Page, &format!("{since} AND {condition} ORDER BY page"))
}

/// Notes the groups of a new page that wait.
pub(super) fn begin(
    db: &Connection,
    first: EntryNumber,
    node: &str,
    page: &EntryPage,
    at_ms: i64,
) -> QueryResult<()> {
    if page.open.iter().all(|bits| *bits == 0) {
        return Ok(());
    }
    let insert =
        "INSERT INTO group_state (page, entries, node, came_ms, first_ms, is_open, open, link_rows, links)
                  VALUES (?, ?, ?, ?, ?, 1, ?, 0, x'')";
    let values = params![first, page.entries, node, at_ms, page.first_ms, page.open];
    db.prepare_cached(insert)?.execute(values).map(drop)
}

/// Notes which groups have more entries, and which wait no more. Both are in ascending order. `first` is the number of the
/// job's first entry.
pub(super) fn change(
    db: &Connection,
    first: EntryNumber,
    (mut linked, mut closed): (&[LinkedEntry], &[EntryNumber]),
) -> QueryResult<()> {
    let next = |linked: &[LinkedEntry], closed: &[EntryNumber]| {
        let link = linked.first().map(|link| link.group);
        link.into_iter().chain(closed.first().copied()).min()
    };
    while let Some(number) = next(linked, closed) {
        let not_open = |number| Err(store::undone(NotOpen { number }));
        let Some(mut page) = PageState::of_number(db, number)? else { return not_open(number) };
        let first_ms = page.first_ms;
        while let Some(link) = linked.first()
            && let Some(place) = page.place(link.group)
        {
            if !bit(&page.open, place) {
                return not_open(link.group);
            }
            page.link(place, first + i64::from(link.entry));
            page.first_ms = [page.first_ms, link.first_ms].into_iter().flatten().min();
            linked = &linked[1..];
        }
        while let Some(number) = closed.first()
            && let Some(place) = page.place(*number)
        {
            if !bit(&page.open, place) {
                return not_open(*number);
            }
            clear(&mut page.open, place);
            closed = &closed[1..];
        }
        if next(linked, closed) == Some(number) {
            return not_open(number);
        }
        page.write(db, first_ms)?;
    }
    Ok(())
}

/// Returns whether a group waits, by the number of its first entry.
pub(super) fn waits(db: &Connection, id: GroupId) -> QueryResult<bool> {
    let page = PageState::of_number(db, id)?;
    let place = page.as_ref().and_then(|page| page.place(id).zip(Some(page)));
    Ok(place.is_some_and(|(place, page)| bit(&page.open, place)))
}

impl StateReader {
    /// Returns the state of a group. A group without a state ended with the job that began it.
    pub(super) fn group(&mut self, db: &Connection, id: GroupId) -> QueryResult<GroupState> {
        if self.page.as_ref().is_none_or(|page| page.place(id).is_none()) {
            self.page = PageState::of_number(db, id)?;
        }
        let Some(page) = &self.page else { return Ok(GroupState::default()) };
        let Some(place) = page.place(id) else { return Ok(GroupState::default()) };
        Ok(GroupState { waits: bit(&page.open, place), later: page.all_later(db, place)? })
    }
}

impl PageState {
    pub(super) fn of(row: &Row<'_>) -> QueryResult<Self> {
        let page = PageState {
            first: row.get(0)?,
            entries: row.get::<_, u32>(1)? as usize,
            came_ms: row.get(2)?,
            first_ms: row.get(3)?,
            open: row.get(4)?,
            link_rows: row.get(5)?,
            links: row.get(6)?,
        };
        let is_sound = page.entries <= usize::from(u16::MAX)
            && page.open.len() == page.entries.div_ceil(8)
            && page.links.len().is_multiple_of(LINK);
        if is_sound { Ok(page) } else { Err(page.damaged()) }
    }

    fn damaged(&self) -> QueryError {
        store::unreadable(DamagedState { first: self.first })
    }

    /// Returns the state of the page that has the entry of a number, if it is the last one that begins before.
    fn of_number(db: &Connection, number: EntryNumber) -> QueryResult<Option<Self>> {
        static SELECT: LazyLock<String> =
            LazyLock::new(|| format!("{COLUMNS} WHERE page <= ? ORDER BY page DESC LIMIT 1"));
        db.prepare_cached(&SELECT)?.query_row([number], Self::of).optional()
    }

    /// Returns the place of an entry in the page, from 0, if it may be in it.
    fn place(&self, number: EntryNumber) -> Option<usize> {
        let place = usize::try_from(number - self.first).ok()?;
        (place < self.entries).then_some(place)
    }

    fn link(&mut self, place: usize, later: EntryNumber) {
        let place = u16::try_from(place).expect("a page has fewer entries");
        self.links.extend(place.to_be_bytes());
        self.links.extend(later.to_be_bytes());
    }

    /// Returns the numbers of the later entries of the group that began at a place.
    fn all_later(&self, db: &Connection, place: usize) -> QueryResult<Vec<EntryNumber>> {
        let mut all = Vec::new();
        if self.link_rows > 0 {
            let select = "SELECT links FROM group_link WHERE page = ? ORDER BY place";
            let mut select = db.prepare_cached(select)?;
            let mut rows = select.query([self.first])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let links = row.get_ref(0)?.as_blob()?;
                if !links.len().is_multiple_of(LINK) {
                    return Err(self.damaged());
                }
                all.extend(later(links, place));
                count += 1;
            }
            if count != self.link_rows {
                return Err(self.damaged());
            }
        }
        all.extend(later(&self.links, place));
        Ok(all)
    }

    /// Makes a row of the links if they are many.
    fn cut_links(&mut self, db: &Connection) -> QueryResult<()> {
        if self.links.len() < LINKS_OF_ROW * LINK {
            return Ok(());
        }
        let insert = "INSERT INTO group_link (page, place, links) VALUES (?, ?, ?)";
        db.prepare_cached(insert)?.execute(params![self.first, self.link_rows, self.links])?;
        self.link_rows += 1;
        self.links.clear();
        Ok(())
    }

    /// Writes it after a change. `first_ms` is the earliest record time before.
    fn write(&mut self, db: &Connection, first_ms: Option<i64>) -> QueryResult<()> {
        self.cut_links(db)?;
        let PageState { first, open, link_rows, links, .. } = &*self;
        let is_open = open.iter().any(|bits| *bits != 0);
        if !is_open && *link_rows == 0 && links.is_empty() {
            return db
                .prepare_cached("DELETE FROM group_state WHERE page = ?")?
                .execute([first])
                .map(drop);
        }
        let update = "UPDATE group_state SET open = ?, link_rows = ?, links = ? WHERE page = ?";
        db.prepare_cached(update)?.execute(params![open, link_rows, links, first])?;
        // Columns of indexes cost more than the others, also where they stay the same.
        if !is_open || self.first_ms != first_ms {
            let update = "UPDATE group_state SET is_open = ?, first_ms = ? WHERE page = ?";
            db.prepare_cached(update)?.execute(params![is_open, self.first_ms, first])?;
        }
        Ok(())
    }

    /// Passes each of its entries of groups that wait to `take`, with its number.
    pub(super) fn for_each(
        &self,
        db: &Connection,
        mut take: impl FnMut(EntryNumber, GroupEntry) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let Some(entries) = page(db, self.first)? else { return Ok(()) };
        for (number, octets) in entries.entries() {
            if self.place(number).is_some_and(|place| bit(&self.open, place)) {
                take(number, entries.read(number, octets)?)?;
            }
        }
        Ok(())
    }

    /// Passes the first entry of each group that waits and began here to `take`, if its number is greater than `after`.
    pub(super) fn groups(
        &self,
        db: &Connection,
        after: GroupId,
        mut take: impl FnMut(OpenEntry) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let came_ms = self.came_ms;
        self.for_each(db, |id, entry| {
            if entry.group.is_some() || id <= after {
                return Ok(());
            }
            let later = self.place(id).map(|place| self.all_later(db, place)).transpose()?;
            let last = later.and_then(|later| later.last().copied());
            take(OpenEntry { id, entry, came_ms, last })
        })
    }
}

/// Returns the next page of a query that [`select_open`] begins.
pub(super) fn next(rows: &mut Rows<'_>) -> QueryResult<Option<PageState>> {
    rows.next()?.map(PageState::of).transpose()
}

/// Returns the numbers in links of the group that began at a place.
fn later(links: &[u8], place: usize) -> impl Iterator<Item = EntryNumber> {
    let (links, _) = links.as_chunks::<LINK>();
    let of = move |[a, b, number @ ..]: &[u8; LINK]| {
        let is_it = usize::from(u16::from_be_bytes([*a, *b])) == place;
        is_it.then_some(EntryNumber::from_be_bytes(*number))
    };
    links.iter().filter_map(of)
}

fn bit(bits: &[u8], place: usize) -> bool {
    bits.get(place / 8).is_some_and(|octet| octet & 1 << (place % 8) != 0)
}

fn clear(bits: &mut [u8], place: usize) {
    bits[place / 8] &= !(1 << (place % 8));
}
