//! The audit trail: the actions of users on a service. An entry is written in the transaction of
//! its action, so there is neither without the other.

use std::cell::Cell;
use std::ops::Range;

use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryResult, Row, TimeIndex, params};
use utoipa::ToSchema;

/// A user or program that changes something by an operation. It makes the entries of the audit
/// trail.
#[derive(Debug)]
pub struct Author<'a> {
    /// The user or token.
    pub who: &'a str,
    /// The operation, as the command that does it: `suspense discard`.
    pub action: &'a str,
    entries: Cell<usize>,
}

impl<'a> Author<'a> {
    /// Returns an author without entries.
    pub fn new(who: &'a str, action: &'a str) -> Self {
        Author { who, action, entries: Cell::new(0) }
    }

    /// Makes an entry, with the reason that the author gives, or an empty one. Returns its number.
    pub fn record(&self, db: &Connection, subject: &str, reason: &str) -> QueryResult<i64> {
        self.enter(db, subject, reason, Entry::Action)
    }

    /// Makes an entry for a view of subscriber data. Its subject may have the number of a subscriber, so it is forgotten
    /// with the changed values ([`forget`]). Returns its number.
    pub fn record_view(&self, db: &Connection, subject: &str) -> QueryResult<i64> {
        self.record_view_because(db, subject, "")
    }

    /// As [`record_view`](Self::record_view), with the reason that the author gives.
    pub fn record_view_because(
        &self,
        db: &Connection,
        subject: &str,
        reason: &str,
    ) -> QueryResult<i64> {
        self.enter(db, subject, reason, Entry::View)
    }

    /// Makes an entry for a change of a single value. Returns its number.
    pub fn record_change(
        &self,
        db: &Connection,
        subject: &str,
        reason: &str,
        change: Change<'_>,
    ) -> QueryResult<i64> {
        self.enter(db, subject, reason, Entry::Change(change))
    }

    fn enter(
        &self,
        db: &Connection,
        subject: &str,
        reason: &str,
        entry: Entry<'_>,
    ) -> QueryResult<i64> {
        self.entries.set(self.entries.get() + 1);
        let Author { who, action, .. } = *self;
        let (before, after) = match entry {
            Entry::Change(Change { before, after }) => (Some(before), Some(after)),
            Entry::Action | Entry::View => (None, None),
        };
        let is_view = matches!(entry, Entry::View);
        db.prepare_cached(
            "INSERT INTO trail (at_ms, who, action, subject, reason, before, after, is_view)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            now_ms(),
            who,
            action,
            subject,
            reason,
            before,
            after,
            is_view
        ])?;
        Ok(db.last_insert_rowid())
    }

    /// Returns the number of entries that the author has made.
    pub fn entries(&self) -> usize {
        self.entries.get()
    }
}

/// An action of a user.
#[derive(Clone, Copy, Debug)]
pub struct Deed<'a> {
    /// The user or token.
    pub who: &'a str,
    /// The action, as the command that does it.
    pub action: &'a str,
    /// The object of the action.
    pub subject: &'a str,
}

/// The number of entries that [`is_recent`] reads: a search of the whole trail would take longer the older the service is.
const RECENT_ENTRIES: u32 = 1_000;

/// Returns whether the trail has an entry for this since a time, among its last 1000.
pub fn is_recent(db: &Connection, of: Deed<'_>, since_ms: i64) -> QueryResult<bool> {
    let Deed { who, action, subject } = of;
    db.prepare_cached(
        "SELECT EXISTS (
             SELECT 1 FROM (SELECT at_ms, who, action, subject FROM trail ORDER BY id DESC LIMIT ?)
             WHERE at_ms > ? AND who = ? AND action = ? AND subject = ?)",
    )?
    .query_row(params![RECENT_ENTRIES, since_ms, who, action, subject], |row| row.get(0))
}

/// The change of a single value.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The value before.
    pub before: &'a str,
    /// The value after.
    pub after: &'a str,
}

/// The kind of an entry.
enum Entry<'a> {
    Action,
    Change(Change<'a>),
    View,
}

/// Deletes the changed values of entries before a time, and the subjects of views, since both may be personal data. User,
/// action and reason stay.
pub fn forget(db: &Connection, before_ms: i64) -> QueryResult<()> {
    for forget in [
        "UPDATE trail SET before = NULL, after = NULL
         WHERE at_ms < ? AND (before IS NOT NULL OR after IS NOT NULL)",
        "UPDATE trail SET subject = '' WHERE at_ms < ? AND is_view = 1 AND subject <> ''",
    ] {
        db.prepare_cached(forget)?.execute([before_ms])?;
    }
    Ok(())
}

/// Returns whether a text names a value: it stands there, and is no part of a longer word or number.
pub fn names(text: &str, value: &str) -> bool {
    let is_part = |edge: Option<char>, beside: Option<char>| {
        [edge, beside].iter().all(|sign| sign.is_some_and(char::is_alphanumeric))
    };
    let (first, last) = (value.chars().next(), value.chars().next_back());
    !value.is_empty()
        && text.match_indices(value).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + value.len()..]);
            !is_part(first, before.chars().next_back()) && !is_part(last, behind.chars().next())
        })
}

/// The entries that name a value, such as the number of a subscriber.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// Views whose subject names it.
    pub views: Vec<i64>,
    /// Changes of a value from it or to it.
    pub changes: Vec<i64>,
    /// How many other entries name it in their subject or reason.
    pub mentions: usize,
}

/// Finds the entries that name a value. It reads the whole trail.
pub fn naming(db: &Connection, value: &str) -> QueryResult<Naming> {
    let select = "SELECT id, is_view, subject, reason, ifnull(before, ''), ifnull(after, '') FROM trail
                  WHERE instr(subject, ?1) > 0 OR instr(reason, ?1) > 0 OR instr(before, ?1) > 0 OR instr(after, ?1) > 0";
    let mut select = db.prepare(select)?;
    let mut rows = select.query([value])?;
    let mut naming = Naming::default();
    while let Some(row) = rows.next()? {
        let (id, is_view): (i64, bool) = (row.get(0)?, row.get(1)?);
        let names_it = |column| Ok(names(row.get_ref(column)?.as_str()?, value));
        let [subject, reason, before, after]: [QueryResult<bool>; 4] = [2, 3, 4, 5].map(names_it);
        let (is_named, is_changed) = (subject?, before? || after?);
        if is_view && is_named {
            naming.views.push(id);
        }
        if is_changed {
            naming.changes.push(id);
        }
        naming.mentions += usize::from(reason? || (is_named && !is_view));
    }
    Ok(naming)
}

/// Deletes the subjects of the views and the values of the changes that name a value. User, action and reason stay.
pub fn forget_named(db: &Connection, Naming { views, changes, .. }: &Naming) -> QueryResult<()> {
    let mut views_too = db.prepare_cached("UPDATE trail SET subject = '' WHERE id = ?")?;
    views.iter().try_for_each(|id| views_too.execute([id]).map(drop))?;
    let mut values =
        db.prepare_cached("UPDATE trail SET before = NULL, after = NULL WHERE id = ?")?;
    changes.iter().try_for_each(|id| values.execute([id]).map(drop))
}

/// Returns the views that are meant, the newest first, and so many at most.
pub fn views(
    db: &Connection,
    is_meant: impl Fn(&AuditEntry) -> bool,
    most: usize,
) -> QueryResult<Vec<AuditEntry>> {
    let mut select = db.prepare(
        "SELECT id, at_ms, who, action, subject, reason, before, after, is_view FROM trail
         WHERE is_view = 1 AND subject <> '' ORDER BY id DESC",
    )?;
    let mut rows = select.query([])?;
    let mut views = Vec::new();
    while let Some(row) = rows.next()? {
        let entry = AuditEntry::of(row)?;
        if is_meant(&entry) {
            views.push(entry);
        }
        if views.len() == most {
            break;
        }
    }
    Ok(views)
}

/// Returns whether an entry is of an action.
pub fn is_of(db: &Connection, entry: i64, action: &str) -> QueryResult<bool> {
    let select = "SELECT 1 FROM trail WHERE id = ? AND action = ?";
    db.prepare_cached(select)?.exists(params![entry, action])
}

/// An entry of the audit trail: one action of a user or of the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TrailEntry)]
pub struct AuditEntry {
    /// The number of the entry.
    pub id: i64,
    /// When the action was done, such as `2026-11-21T14:05:00Z`.
    pub at: String,
    /// The user, the token or `the gateway`.
    pub who: String,
    /// The action, as the command that does it: `suspense discard`.
    pub action: String,
    /// The object of the action. Of a view of subscriber data, it is empty when records of its time are no longer stored.
    pub subject: String,
    /// Whether the action is a view of subscriber data, whose subject may have the number of a subscriber.
    #[serde(skip)]
    pub is_view: bool,
    /// The reason; empty for actions that need none.
    pub reason: String,
    /// The value before the action, if it changed a single thing.
    pub before: Option<String>,
    /// The value after the action, if it changed a single thing.
    pub after: Option<String>,
}

const BY_TIME: TimeIndex = TimeIndex { table: "trail", name: "trail_by_time", column: "at_ms" };

/// Returns the entries of a page that are of a period (in milliseconds since 1970), and one more if
/// there are more.
pub fn recent(db: &Connection, at: &Range<i64>, page: Page) -> QueryResult<Vec<AuditEntry>> {
    let (above, below) = page.between(BY_TIME.between(db, at)?);
    let mut select = db.prepare(&format!(
        "SELECT id, at_ms, who, action, subject, reason, before, after, is_view FROM trail
         WHERE id > ? AND id < ? AND +at_ms >= ? AND +at_ms < ? ORDER BY id {} LIMIT ?",
        page.order()
    ))?;
    let values = params![above, below, at.start, at.end, page.one_more()];
    select.query_map(values, AuditEntry::of)?.collect()
}

impl AuditEntry {
    fn of(row: &Row<'_>) -> QueryResult<Self> {
        Ok(AuditEntry {
            id: row.get(0)?,
            at: shown(row.get(1)?),
            who: row.get(2)?,
            action: row.get(3)?,
            subject: row.get(4)?,
            reason: row.get(5)?,
            before: row.get(6)?,
            after: row.get(7)?,
            is_view: row.get(8)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_where_it_is_no_part_of_another_one() {
        for (text, value, expected) in [
            ("cases about \"4670\"", "4670", true),
            ("cases about \"46701\"", "4670", false),
            ("cases about \"14670\" or 4670", "4670", true),
            ("4670>4671", "4671", true),
            ("a+46", "+46", true),
            ("åä", "ä", false),
            ("", "4670", false),
            ("4670", "", false),
        ] {
            assert_eq!(names(text, value), expected, "{text} {value}");
        }
    }
}
