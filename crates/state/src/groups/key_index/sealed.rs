//! The index of full spans, on disk.
//!
//! A span is sealed when all its numbers are given: its entries never change after that. The index of a span has buckets
//! by the first bits of the digest. A bucket has an item for each first entry: the digest and the place in the span, in ascending
//! order. A search reads one bucket a span.

use std::collections::BTreeMap;
use std::ops::Range;

use node::EntryNumber;
use store::{Connection, QueryResult, params};

use super::digests;

/// The numbers in a span differ in this many low bits. Tests have small spans, and so many of them.
pub(in crate::groups) const SPAN_BITS: u32 = if cfg!(test) { 12 } else { 18 };

/// The bits of a digest that choose the bucket. A bucket of a span in which each entry has its own key takes some 2,800
/// octets: it fits into a page of the database.
const BUCKET_BITS: u32 = SPAN_BITS - 8;

/// The octets of an item: eight of the digest, three of the place in the span.
const ITEM: usize = 11;

/// A bucket cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bucket {bucket} of the index of groups was damaged in the journal")]
struct DamagedBucket {
    bucket: i64,
}

/// Returns the first span without an index. All spans before it are sealed.
pub(super) fn unsealed(db: &Connection) -> QueryResult<i64> {
    let select = "SELECT max(bucket) FROM group_index";
    let last: Option<i64> = db.prepare_cached(select)?.query_row([], |row| row.get(0))?;
    let first = "SELECT ifnull(min(first), 0) FROM group_batch";
    let first: i64 = db.prepare_cached(first)?.query_row([], |row| row.get(0))?;
    Ok(last.map_or(0, |last| (last >> BUCKET_BITS) + 1).max(first >> SPAN_BITS))
}

/// Writes the index of spans that have become full before the entry with the number `next`.
///
/// # Errors
///
/// The key of an entry is damaged. Without it a group would not be found and would begin again, so no job goes on.
pub(in crate::groups) fn seal(db: &Connection, next: EntryNumber) -> QueryResult<()> {
    for span in unsealed(db)?..next >> SPAN_BITS {
        let mut buckets: BTreeMap<i64, Vec<(u64, EntryNumber)>> = BTreeMap::new();
        let numbers = (span << SPAN_BITS, (span + 1) << SPAN_BITS);
        digests(db, numbers, |digest, number| {
            buckets.entry(bucket(span, digest)).or_default().push((digest, number));
        })?;
        // The last bucket is always there: it shows that the span is sealed.
        buckets.entry(bucket(span, u64::MAX)).or_default();
        let insert = "INSERT INTO group_index (bucket, octets) VALUES (?, ?)";
        let mut insert = db.prepare_cached(insert)?;
        for (bucket, mut items) in buckets {
            items.sort_unstable();
            insert.execute(params![bucket, octets(&items, numbers.0)])?;
        }
    }
    Ok(())
}

/// Returns how many first entries sealed spans have.
pub(super) fn count(db: &Connection, spans: &Range<i64>) -> QueryResult<usize> {
    let select =
        "SELECT ifnull(sum(length(octets)), 0) FROM group_index WHERE bucket >= ? AND bucket < ?";
    let octets: i64 = db.prepare_cached(select)?.query_row(buckets(spans), |row| row.get(0))?;
    Ok(octets as usize / ITEM)
}

/// Passes the digests of sealed spans in ascending order to `take`, each with the place of its entry, counted from the
/// first of the spans.
pub(super) fn digests_of(
    db: &Connection,
    spans: &Range<i64>,
    mut take: impl FnMut(u64, u32),
) -> QueryResult<()> {
    let mut select = db.prepare_cached("SELECT octets FROM group_index WHERE bucket = ?")?;
    let mut found: Vec<(u64, u32)> = Vec::new();
    for bucket in 0..1 << BUCKET_BITS {
        for span in spans.clone() {
            let number = span << BUCKET_BITS | bucket;
            let mut rows = select.query([number])?;
            let Some(row) = rows.next()? else { continue };
            let before = ((span - spans.start) as u32) << SPAN_BITS;
            let items = items(number, row.get_ref(0)?.as_blob()?)?;
            found.extend(items.iter().map(|item| (digest(item), before + place(item))));
        }
        found.sort_unstable();
        found.drain(..).for_each(|(digest, place)| take(digest, place));
    }
    Ok(())
}

/// Returns the first bucket of some spans and the first behind them.
fn buckets(spans: &Range<i64>) -> [i64; 2] {
    [spans.start << BUCKET_BITS, spans.end << BUCKET_BITS]
}

/// Adds the numbers of a digest in a full span to `found`. A reader as of an earlier moment may not see that the span is
/// sealed: then it reads the entries themselves.
pub(super) fn find(
    db: &Connection,
    span: i64,
    of: u64,
    found: &mut Vec<EntryNumber>,
) -> QueryResult<()> {
    let bucket = bucket(span, of);
    let mut select = db.prepare_cached("SELECT octets FROM group_index WHERE bucket = ?")?;
    let mut rows = select.query([bucket])?;
    let Some(row) = rows.next()? else {
        return match unsealed(db)? <= span {
            true => find_in_entries(db, span, of, found),
            false => Ok(()),
        };
    };
    let items = items(bucket, row.get_ref(0)?.as_blob()?)?;
    let begin = items.partition_point(|item| digest(item) < of);
    let same = items[begin..].iter().take_while(|item| digest(item) == of);
    found.extend(same.map(|item| (span << SPAN_BITS) + i64::from(place(item))));
    Ok(())
}

fn find_in_entries(
    db: &Connection,
    span: i64,
    of: u64,
    found: &mut Vec<EntryNumber>,
) -> QueryResult<()> {
    digests(db, (span << SPAN_BITS, (span + 1) << SPAN_BITS), |digest, number| {
        if digest == of {
            found.push(number);
        }
    })
}

/// Deletes the index of spans that have no entries any more, after the entries in a range of numbers were deleted. The
/// last bucket of all stays, since it shows up to where spans are sealed.
pub(in crate::groups) fn prune(
    db: &Connection,
    (first, end): (EntryNumber, EntryNumber),
) -> QueryResult<()> {
    let last = "SELECT max(bucket) FROM group_index";
    let Some(last) = db.prepare_cached(last)?.query_row([], |row| row.get::<_, Option<i64>>(0))?
    else {
        return Ok(());
    };
    let before =
        "SELECT first + entries FROM group_batch WHERE first < ? ORDER BY first DESC LIMIT 1";
    let mut before = db.prepare_cached(before)?;
    let delete = "DELETE FROM group_index WHERE bucket >= ? AND bucket < ?";
    let mut delete = db.prepare_cached(delete)?;
    for span in first >> SPAN_BITS..=(end - 1) >> SPAN_BITS {
        let mut behind = before.query_map([(span + 1) << SPAN_BITS], |row| row.get::<_, i64>(0))?;
        if behind.next().transpose()?.is_none_or(|behind| behind <= span << SPAN_BITS) {
            let [first, end] = buckets(&(span..span + 1));
            delete.execute([first, end.min(last)])?;
        }
    }
    Ok(())
}

fn bucket(span: i64, digest: u64) -> i64 {
    (span << BUCKET_BITS) | (digest >> (64 - BUCKET_BITS)) as i64
}

fn octets(items: &[(u64, EntryNumber)], first: EntryNumber) -> Vec<u8> {
    let mut octets = Vec::with_capacity(items.len() * ITEM);
    for (digest, number) in items {
        octets.extend(digest.to_be_bytes());
        octets.extend(&((number - first) as u32).to_be_bytes()[1..]);
    }
    octets
}

fn items(bucket: i64, octets: &[u8]) -> QueryResult<&[[u8; ITEM]]> {
    let (items, rest) = octets.as_chunks();
    match rest {
        [] => Ok(items),
        _ => Err(store::unreadable(DamagedBucket { bucket })),
    }
}

fn digest(item: &[u8; ITEM]) -> u64 {
    u64::from_be_bytes(*item.first_chunk().expect("an item has more octets"))
}

fn place(item: &[u8; ITEM]) -> u32 {
    let [.., a, b, c] = *item;
    u32::from_be_bytes([0, a, b, c])
}

// A place in a span has three octets.
const _: () = assert!(SPAN_BITS <= 24);
