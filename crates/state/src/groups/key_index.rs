//! Finds the first entries of a key's groups among millions. A group knows its later ones itself.
//!
//! In an index by key, new entries go anywhere: each would write one page of the database. So the index has spans of
//! entry numbers. The first entries of the last span, which is not full, are in memory. A full span is [sealed]: its index is
//! written once. As long as there is memory for it, the index of full spans is in memory too ([`Places`]), with some five
//! octets an entry. Of older spans, a [`Filter`] knows whether the index on disk is worth a look, with two octets an entry.

mod filter;
mod places;
mod recent;
pub(super) mod sealed;

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use node::EntryNumber;
use store::{Connection, QueryResult};

use super::entries::{Batch, EntryReader, for_each_page};
use filter::Filter;
use places::Places;
use recent::Recent;
pub(super) use sealed::SPAN_BITS;

/// Finds the first entries of a key's groups. All nodes and threads of a process share it.
#[derive(Debug, Default)]
pub struct KeyIndex(RwLock<Spans>);

/// The memory of full spans has a bound. The entries behind them take some 50 octets each, of one span at most.
#[derive(Debug, Default)]
struct Spans {
    /// The full spans, the oldest first.
    full: Vec<FullSpans>,
    /// The entries behind these spans.
    recent: Recent,
    /// The number of the first entry that is not known here.
    next: EntryNumber,
}

/// Some full spans.
#[derive(Debug)]
struct FullSpans {
    spans: Range<i64>,
    known: Known,
}

/// What is known of full spans in memory.
#[derive(Debug)]
enum Known {
    /// Of one span or several.
    Places(Places),
    /// Of one span.
    Filter(Filter),
    /// Nothing: without memory, each search reads the index on disk.
    OnDisk,
}

/// So many [`Places`] of equally many spans become one: each costs a search an access to memory.
const MERGED: usize = 4;

/// The spans of the largest [`Places`]. With more, a slot has too few bits of a digest.
const SPANS_MAX: i64 = 16;

const _: () = assert!(SPAN_BITS + SPANS_MAX.ilog2() <= 24);

/// Returns the digest of a key in a node.
pub(super) fn digest(node: &str, key: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    // A node's name contains no such octet.
    hasher.update(node.as_bytes()).update(&[0]).update(key.as_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(*digest.as_bytes().first_chunk().expect("a digest has 32 octets"))
}

impl KeyIndex {
    /// Returns the numbers of the first entries that have the digest of a key, in ascending order; other keys may have the
    /// same digest. It finds all of them before the number `next`. Full spans take at most `octets_max` of
    /// memory.
    pub(super) fn numbers(
        &self,
        db: &Connection,
        digest: u64,
        (octets_max, next): (u64, EntryNumber),
    ) -> QueryResult<Vec<EntryNumber>> {
        if self.read().next < next {
            self.catch_up(db, (octets_max, next))?;
        }
        let spans = self.read();
        let mut found = Vec::new();
        for FullSpans { spans, known } in &spans.full {
            let span = spans.start;
            match known {
                Known::Places(places) => places.find(digest, span << SPAN_BITS, &mut found),
                Known::Filter(filter) if !filter.may_have(digest) => {}
                Known::Filter(_) | Known::OnDisk => sealed::find(db, span, digest, &mut found)?,
            }
        }
        spans.recent.find(digest, &mut found);
        found.sort_unstable();
        assert!(found.is_sorted_by(|one, next| one < next), "an entry of groups is indexed twice");
        Ok(found)
    }

    /// Takes the entries before the number `next`, if another thread has not done that meanwhile.
    pub(super) fn catch_up(
        &self,
        db: &Connection,
        (octets_max, next): (u64, EntryNumber),
    ) -> QueryResult<()> {
        self.write().catch_up(db, next, octets_max)
    }

    fn read(&self) -> RwLockReadGuard<'_, Spans> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Spans> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spans {
    /// Takes the entries before the number `next`. After an error it knows what it knew, and perhaps some more full spans.
    fn catch_up(&mut self, db: &Connection, next: EntryNumber, octets_max: u64) -> QueryResult<()> {
        // Another thread may have done it, as of a later moment.
        if next <= self.next {
            return Ok(());
        }
        let unsealed = sealed::unsealed(db)?;
        let first = "SELECT ifnull(min(first), 0) FROM group_batch";
        let first: i64 = db.prepare_cached(first)?.query_row([], |row| row.get(0))?;
        let first = first >> SPAN_BITS;
        let known = self.full.last().map_or(first, |full| full.spans.end).max(first);
        if known < unsealed {
            self.forget_empty(db)?;
        }
        for span in known..unsealed {
            let full = match octets_max {
                0 => FullSpans { spans: span..span + 1, known: Known::OnDisk },
                _ => FullSpans::in_memory(db, span..span + 1)?,
            };
            self.full.push(full);
            self.recent.forget((span + 1) << SPAN_BITS);
            self.next = self.next.max((span + 1) << SPAN_BITS);
            if octets_max > 0 {
                self.merge(db)?;
                self.shrink(db, octets_max)?;
            }
        }
        let mut new = Vec::new();
        digests(db, (self.next.max(unsealed << SPAN_BITS), next), |digest, number| {
            new.push((digest, number));
        })?;
        new.into_iter().for_each(|(digest, number)| self.recent.insert(digest, number));
        self.next = self.next.max(next);
        Ok(())
    }

    /// Forgets spans whose entries are all deleted.
    fn forget_empty(&mut self, db: &Connection) -> QueryResult<()> {
        let mut are_empty = Vec::with_capacity(self.full.len());
        for full in &self.full {
            are_empty.push(sealed::count(db, &full.spans)? == 0);
        }
        // The last one says up to where spans are known.
        are_empty.pop();
        let mut are_empty = are_empty.into_iter();
        self.full.retain(|_| are_empty.next() != Some(true));
        Ok(())
    }

    /// Makes one of the last [`Places`], if they have equally many spans.
    fn merge(&mut self, db: &Connection) -> QueryResult<()> {
        while let Some(from) = self.full.len().checked_sub(MERGED) {
            let last = &self.full[from..];
            let count = last[0].count();
            let may_merge =
                |full: &FullSpans| matches!(full.known, Known::Places(_)) && full.count() == count;
            let spans = last[0].spans.start..last[MERGED - 1].spans.end;
            let all = count * MERGED as i64;
            if all > SPANS_MAX || spans.end - spans.start != all || !last.iter().all(may_merge) {
                break;
            }
            let merged = FullSpans::in_memory(db, spans)?;
            self.full.splice(from.., [merged]);
        }
        Ok(())
    }

    /// Takes less memory than allowed: by filters for the oldest spans, and then by smaller filters, which have more false
    /// positives.
    fn shrink(&mut self, db: &Connection, octets_max: u64) -> QueryResult<()> {
        while self.octets() > octets_max {
            let places = |full: &FullSpans| matches!(full.known, Known::Places(_));
            if let Some(place) = self.full.iter().position(places) {
                let spans = self.full[place].spans.clone();
                let filters: QueryResult<Vec<FullSpans>> =
                    spans.map(|span| FullSpans::filtered(db, span)).collect();
                self.full.splice(place..=place, filters?);
                continue;
            }
            let before = self.octets();
            for full in &mut self.full {
                if let Known::Filter(filter) = &mut full.known {
                    filter.halve();
                }
            }
            if self.octets() == before {
                break;
            }
        }
        Ok(())
    }

    fn octets(&self) -> u64 {
        self.full.iter().map(|full| full.octets() as u64).sum()
    }
}

impl FullSpans {
    /// Returns spans with the places of their entries in memory.
    fn in_memory(db: &Connection, spans: Range<i64>) -> QueryResult<Self> {
        let bits = SPAN_BITS + (spans.end - spans.start).ilog2();
        let mut places = Places::of(bits, sealed::count(db, &spans)?);
        sealed::digests_of(db, &spans, |digest, place| places.push(digest, place))?;
        Ok(FullSpans { spans, known: Known::Places(places) })
    }

    /// Returns a span with a filter in memory.
    fn filtered(db: &Connection, span: i64) -> QueryResult<Self> {
        let spans = span..span + 1;
        let mut filter = Filter::of(sealed::count(db, &spans)?);
        sealed::digests_of(db, &spans, |digest, _| filter.insert(digest))?;
        Ok(FullSpans { spans, known: Known::Filter(filter) })
    }

    fn count(&self) -> i64 {
        self.spans.end - self.spans.start
    }

    fn octets(&self) -> usize {
        match &self.known {
            Known::Places(places) => places.octets(),
            Known::Filter(filter) => filter.octets(),
            Known::OnDisk => 0,
        }
    }
}

/// Passes the digests of the first entries within a range of numbers to `take`.
fn digests(
    db: &Connection,
    (first, end): (EntryNumber, EntryNumber),
    mut take: impl FnMut(u64, EntryNumber),
) -> QueryResult<()> {
    // The first page may have begun before.
    let begins = "SELECT ifnull(max(first), ?1) FROM group_page WHERE first <= ?1";
    let begins: i64 = db.prepare_cached(begins)?.query_row([first], |row| row.get(0))?;
    let mut batches = EntryReader::default();
    for_each_page(db, (begins, end), |page| {
        let batch: Option<Arc<Batch>> = batches.batch(db, page.first)?;
        let Some(batch) = batch else { return Ok(()) };
        for (number, octets) in page.entries() {
            if (first..end).contains(&number)
                && let Some(key) = page.first_key(number, octets)?
            {
                take(digest(&batch.node, &key), number);
            }
        }
        Ok(())
    })
}
