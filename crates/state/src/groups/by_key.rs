//! Finds the groups of a key among millions.
//!
//! In an index by key, new entries go anywhere: each new group would write one page of 4,096 octets. So the index has
//! the groups by spans of their numbers, and within a span by a digest of the key. All groups that begin now write the
//! few pages of one span. A search asks each span. For full spans, [`SpanFilters`] knows in memory which are worth a
//! look, with two octets a group.

mod filter;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use node::GroupId;
use store::{Answer, Connection, Row};

use filter::Filter;

/// The numbers in a span differ in this many low bits. The index is built with the same value (`held_by_digest.sql`).
// ORDER SPAN
const SPAN_BITS: u32 = 17;

/// Returns the digest of a node's name and a key, as stored in the database.
pub(super) fn digest(node: &str, key: &str) -> i64 {
    // A node's name contains no such octet.
    let digest = blake3::hash([node, "\0", key].concat().as_bytes());
    let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 octets");
    i64::from_le_bytes(*first)
}

/// A query for the groups of a key.
pub(super) struct Select {
    of_span: String,
    /// The query for groups that are older than digests.
    of_before: String,
}

impl Select {
    /// Makes the query of these columns.
    pub(super) fn of(columns: &str) -> Self {
        let of_span = format!(
            "SELECT {columns}, node, key, id FROM held_group INDEXED BY held_group_by_digest
             WHERE id >> {SPAN_BITS} = ? AND key_digest = ? ORDER BY id"
        );
        let of_before = format!(
            "SELECT {columns} FROM held_group INDEXED BY held_group_by_key
             WHERE key_digest IS NULL AND node = ? AND key = ? ORDER BY id"
        );
        Select { of_span, of_before }
    }

    fn of_span(
        &self,
        db: &Connection,
        span: i64,
        of_key: &OfKey<'_>,
        take: &mut impl FnMut(&Row<'_>) -> Answer<()>,
    ) -> Answer<()> {
        let mut select = db.prepare_cached(&self.of_span)?;
        let names = select.column_count() - 3;
        let mut rows = select.query([span, of_key.digest])?;
        while let Some(row) = rows.next()? {
            let (node, key) = (row.get_ref(names)?.as_str()?, row.get_ref(names + 1)?.as_str()?);
            if (node, key) == (of_key.node, of_key.key) {
                take(row)?;
            } else if digest(node, key) != of_key.digest {
                let group = row.get(names + 2)?;
                return Err(store::unreadable(DamagedKey { group }));
            }
        }
        Ok(())
    }

    fn of_before(
        &self,
        db: &Connection,
        OfKey { node, key, .. }: &OfKey<'_>,
        take: &mut impl FnMut(&Row<'_>) -> Answer<()>,
    ) -> Answer<()> {
        let mut select = db.prepare_cached(&self.of_before)?;
        let mut rows = select.query([node, key])?;
        while let Some(row) = rows.next()? {
            take(row)?;
        }
        Ok(())
    }
}

/// A key in a node, with its digest.
struct OfKey<'k> {
    node: &'k str,
    key: &'k str,
    digest: i64,
}

impl<'k> OfKey<'k> {
    fn new(node: &'k str, key: &'k str) -> Self {
        OfKey { node, key, digest: digest(node, key) }
    }
}

/// The index found a group by the digest of a key, but the group has another key. The database does not detect such
/// damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key of group {group} was damaged in the journal")]
struct DamagedKey {
    group: GroupId,
}

/// Returns the numbers of a key's groups in a node, the oldest first. It asks all spans, so it is for queries by users
/// and for rare ones.
pub fn numbers(db: &Connection, node: &str, key: &str) -> Answer<Vec<GroupId>> {
    let spans = db
        .prepare_cached(
            "SELECT (SELECT min(id) FROM held_group), (SELECT max(id) FROM held_group)",
        )?
        .query_row([], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)))?;
    let (Some(first), Some(last)) = spans else { return Ok(Vec::new()) };
    let mut numbers = Vec::new();
    let mut take = |row: &Row<'_>| row.get(0).map(|id| numbers.push(id));
    let (select, of_key) = (Select::of("id"), OfKey::new(node, key));
    select.of_before(db, &of_key, &mut take)?;
    for span in first >> SPAN_BITS..=last >> SPAN_BITS {
        select.of_span(db, span, &of_key, &mut take)?;
    }
    Ok(numbers)
}

/// Filters that say which full spans may have groups of a key.
#[derive(Debug, Default)]
pub struct SpanFilters(RwLock<Spans>);

#[derive(Debug, Default)]
struct Spans {
    full: Vec<(i64, Filter)>,
    /// The first span without a filter: groups may still be added to it and later ones.
    open: i64,
    /// Whether groups exist that are older than digests; unknown before the first look.
    has_before: Option<bool>,
}

impl SpanFilters {
    /// Passes the groups of a key to `take`, the oldest first. It finds all committed groups, unless another thread
    /// changes groups of the key now. The filters take at most `octets_max` of memory.
    pub(super) fn groups(
        &self,
        db: &Connection,
        select: &Select,
        (node, key): (&str, &str),
        octets_max: u64,
        mut take: impl FnMut(&Row<'_>) -> Answer<()>,
    ) -> Answer<()> {
        // This statement stays open until the others end, so that all reads share one lock; locking costs more than
        // some of the reads.
        let mut latest = db.prepare_cached("SELECT max(id) FROM held_group")?;
        let mut latest = latest.query([])?;
        let last = latest.next()?.map(|row| row.get::<_, Option<i64>>(0)).transpose()?.flatten();
        let Some(last) = last.map(|last| last >> SPAN_BITS) else { return Ok(()) };
        self.fill(db, last, octets_max)?;
        let of_key = OfKey::new(node, key);
        let (spans, has_before) = {
            let spans = self.read();
            let full =
                spans.full.iter().filter(|(_, filter)| filter.may_have(of_key.digest as u64));
            let found: Vec<i64> = full.map(|(span, _)| *span).chain(spans.open..=last).collect();
            (found, spans.has_before)
        };
        if has_before != Some(false) {
            select.of_before(db, &of_key, &mut take)?;
        }
        spans.into_iter().try_for_each(|span| select.of_span(db, span, &of_key, &mut take))
    }

    /// Makes the missing filters of spans before `last`. Numbers only grow, so no group is added to those spans any
    /// more.
    fn fill(&self, db: &Connection, last: i64, octets_max: u64) -> Answer<()> {
        let is_filled = |spans: &Spans| spans.open >= last && spans.has_before.is_some();
        if is_filled(&self.read()) {
            return Ok(());
        }
        let mut spans = self.write();
        if spans.has_before.is_none() {
            let before =
                "SELECT 1 FROM held_group INDEXED BY held_group_by_key WHERE key_digest IS NULL";
            spans.has_before = Some(db.prepare(before)?.exists([])?);
        }
        let first: i64 =
            db.query_row("SELECT ifnull(min(id), 0) FROM held_group", [], |row| row.get(0))?;
        // All groups of older spans are deleted.
        spans.full.retain(|(span, _)| *span >= first >> SPAN_BITS);
        spans.open = spans.open.max(first >> SPAN_BITS);
        while spans.open < last {
            let span = spans.open;
            let digests = digests_of_span(db, span)?;
            spans.full.push((span, Filter::of(&digests)));
            spans.open += 1;
            spans.shrink(octets_max);
        }
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Spans> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Spans> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spans {
    /// Halves all filters while they take more memory than allowed. Smaller filters have more false positives.
    fn shrink(&mut self, octets_max: u64) {
        let octets = |full: &[(i64, Filter)]| -> u64 {
            full.iter().map(|(_, filter)| filter.octets() as u64).sum()
        };
        let mut before = octets(&self.full);
        while before > octets_max {
            self.full.iter_mut().for_each(|(_, filter)| filter.halve());
            let now = octets(&self.full);
            if now == before {
                break;
            }
            before = now;
        }
    }
}

/// Returns the digests of the groups of a span.
fn digests_of_span(db: &Connection, span: i64) -> Answer<Vec<u64>> {
    let mut select = db.prepare_cached(&format!(
        "SELECT key_digest FROM held_group INDEXED BY held_group_by_digest
         WHERE id >> {SPAN_BITS} = ? AND key_digest IS NOT NULL"
    ))?;
    select.query_map([span], |row| row.get::<_, i64>(0).map(|digest| digest as u64))?.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use store::{Store, params};

    use super::*;
    use flow::schema::MIGRATIONS;

    const INSERT: &str =
        "INSERT INTO held_group (id, node, key, network_element, came_ms, key_digest)
                          VALUES (?, ?, ?, 'boston', 0, ?)";

    /// The number of groups, far apart, so that they are in several spans.
    const GROUPS: i64 = 400;
    const APART: i64 = 4_000;
    const KEYS: i64 = 60;

    fn key(group: i64) -> String {
        format!("call {}", group % KEYS)
    }

    fn insert(db: &Connection, group: i64, digest: Option<i64>) -> Answer<()> {
        db.execute(INSERT, params![group * APART, "calls", key(group), digest]).map(drop)
    }

    fn insert_all(db: &Connection, groups: std::ops::Range<i64>) -> Answer<()> {
        groups.into_iter().try_for_each(|group| {
            insert(db, group, Some(digest("calls", &key(group))))?;
            let other =
                params![group * APART + 1, "others", key(group), digest("others", &key(group))];
            db.execute(INSERT, other).map(drop)
        })
    }

    fn found(filters: &SpanFilters, db: &Connection, key: &str, octets_max: u64) -> Vec<i64> {
        let mut found = Vec::new();
        let take = |row: &Row<'_>| row.get(0).map(|id| found.push(id));
        filters.groups(db, &Select::of("id"), ("calls", key), octets_max, take).unwrap();
        found
    }

    fn check(
        filters: &SpanFilters,
        db: &Connection,
        groups: std::ops::Range<i64>,
        octets_max: u64,
    ) {
        for of in 0..KEYS {
            let expected: Vec<i64> = groups
                .clone()
                .filter(|group| group % KEYS == of)
                .map(|group| group * APART)
                .collect();
            assert_eq!(found(filters, db, &key(of), octets_max), expected, "{of}");
            assert_eq!(numbers(db, "calls", &key(of)).unwrap(), expected, "{of}");
        }
        assert_eq!(found(filters, db, "call 1000", octets_max), Vec::<i64>::new());
        assert_eq!(numbers(db, "calls", "call 1000").unwrap(), Vec::<i64>::new());
    }

    #[test]
    fn the_groups_of_a_key_are_found_in_all_spans_whatever_memory_there_is_and_while_others_begin()
    {
        for octets_max in [0, 1_000, 1 << 20] {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("journal.db"), MIGRATIONS).unwrap();
            let (reader, filters) = (store.reader().unwrap(), SpanFilters::default());
            check(&filters, &reader, 0..0, octets_max);
            for begun in (0..GROUPS).step_by(100) {
                let more = begun..begun + 100;
                store.commit(move |db| insert_all(db, more)).unwrap();
                check(&filters, &reader, 0..begun + 100, octets_max);
            }
            let forget = format!("DELETE FROM held_group WHERE id < {}", 150 * APART);
            store.commit(move |db| db.execute_batch(&forget)).unwrap();
            check(&filters, &reader, 150..GROUPS, octets_max);
            assert!(filters.read().full.len() >= 8);
            // Numbers are not reused, so new groups are in a later span than the last.
            let forget = format!("DELETE FROM held_group WHERE id >= {}", 300 * APART);
            store.commit(move |db| db.execute_batch(&forget)).unwrap();
            check(&filters, &reader, 150..300, octets_max);
        }
    }

    #[test]
    fn a_key_that_was_damaged_is_not_taken_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("journal.db"), MIGRATIONS).unwrap();
        store.commit(|db| insert_all(db, 0..10)).unwrap();
        let damage = "UPDATE held_group SET key = 'call 17' WHERE key = 'call 7'";
        store.commit(move |db| db.execute_batch(damage)).unwrap();
        let reader = store.reader().unwrap();
        let said = numbers(&reader, "calls", "call 7").unwrap_err().to_string();
        assert!(said.contains("the key of group 28000 was damaged"), "{said}");
        assert_eq!(numbers(&reader, "calls", "call 8").unwrap(), [32_000]);
    }

    #[test]
    fn groups_of_an_earlier_version_are_found_by_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let before = MIGRATIONS.iter().position(|sql| sql.contains("key_digest")).unwrap();
        let store = Store::open(&path, &MIGRATIONS[..before]).unwrap();
        let insert = "INSERT INTO held_group (id, node, key, network_element, came_ms)
                      VALUES (?, 'calls', ?, 'boston', 0)";
        let all = |db: &Connection| {
            (0..100).try_for_each(|group| {
                db.execute(insert, params![group * APART, key(group)]).map(drop)
            })
        };
        store.commit(all).unwrap();
        drop(store);
        let store = Store::open(&path, MIGRATIONS).unwrap();
        let (reader, filters) = (store.reader().unwrap(), SpanFilters::default());
        check(&filters, &reader, 0..100, 1 << 20);
        store.commit(|db| insert_all(db, 100..200)).unwrap();
        check(&filters, &reader, 0..200, 1 << 20);
    }

    #[test]
    fn a_span_is_asked_by_the_index_alone_and_sorts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("journal.db"), MIGRATIONS).unwrap();
        let reader = store.reader().unwrap();
        let select = format!("EXPLAIN QUERY PLAN {}", Select::of("id").of_span);
        let mut plan = reader.prepare(&select).unwrap();
        let steps = plan.query_map([1, 2], |row| row.get::<_, String>(3)).unwrap();
        let steps: BTreeSet<String> = steps.collect::<Answer<_>>().unwrap();
        let step = "SEARCH held_group USING INDEX held_group_by_digest (<expr>=? AND key_digest=?)";
        assert_eq!(steps, BTreeSet::from([step.to_owned()]));
    }
}
