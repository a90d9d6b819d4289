//! Finds the first entries of a key's groups among millions. A group knows its later ones itself.
//!
//! In an index by key, new entries go anywhere: each would write one page of the database. So the index has spans of
//! entry numbers. The first entries of the last span, which is not full, are in memory. A full span is [sealed]: its index is
//! written once. As long as there is memory for it, the index of a full span is in memory too ([`Places`]), with some five
//! octets an entry. Of older spans, a [`Filter`] knows whether the index on disk is worth a look, with two octets an entry.

mod filter;
mod places;
mod recent;
pub(super) mod sealed;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use node::EntryNumber;
use store::{Answer, Connection};

use super::entries::{Batch, EntryReader, for_each_page};
use filter::Filter;
use places::Places;
use recent::Recent;
pub(super) use sealed::SPAN_BITS;

/// Finds the first entries of a key's groups. All nodes and threads of a process share it.
#[derive(Debug, Default)]
pub struct KeyIndex(RwLock<Spans>);

#[derive(Debug, Default)]
struct Spans {
    /// The full spans, the oldest first.
    full: Vec<(i64, FullSpan)>,
    /// The entries behind these spans.
    recent: Recent,
    /// The number of the first entry that is not known here.
    next: EntryNumber,
}

/// What is known of a full span in memory.
#[derive(Debug)]
enum FullSpan {
    Places(Places),
    Filter(Filter),
    /// Nothing: without memory, each search reads the index on disk.
    OnDisk,
}

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
    ) -> Answer<Vec<EntryNumber>> {
        if self.read().next < next {
            self.write().catch_up(db, next, octets_max)?;
        }
        let spans = self.read();
        let mut found = Vec::new();
        for (span, known) in &spans.full {
            match known {
                FullSpan::Places(places) => places.find(digest, span << SPAN_BITS, &mut found),
                FullSpan::Filter(filter) if !filter.may_have(digest) => {}
                FullSpan::Filter(_) | FullSpan::OnDisk => {
                    sealed::find(db, *span, digest, &mut found)?;
                }
            }
        }
        spans.recent.find(digest, &mut found);
        Ok(found)
    }

    fn read(&self) -> RwLockReadGuard<'_, Spans> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Spans> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spans {
    /// Takes the entries before the number `next`.
    fn catch_up(&mut self, db: &Connection, next: EntryNumber, octets_max: u64) -> Answer<()> {
        let unsealed = sealed::unsealed(db)?;
        let first = "SELECT ifnull(min(first), 0) FROM group_batch";
        let first: i64 = db.prepare_cached(first)?.query_row([], |row| row.get(0))?;
        let first = first >> SPAN_BITS;
        // The entries of older spans are deleted.
        self.full.retain(|(span, _)| *span >= first);
        let known = self.full.last().map_or(first, |(span, _)| span + 1).max(first);
        for span in known..unsealed {
            if octets_max == 0 {
                self.full.push((span, FullSpan::OnDisk));
                continue;
            }
            let mut places = Places::of(sealed::count(db, span)?);
            sealed::digests_of(db, span, |digest, place| places.push(digest, place))?;
            self.full.push((span, FullSpan::Places(places)));
            self.shrink(db, octets_max)?;
        }
        if known < unsealed {
            self.recent.forget(unsealed << SPAN_BITS);
        }
        let first = self.next.max(unsealed << SPAN_BITS);
        digests(db, (first, next), |digest, number| {
            self.recent.insert(digest, number);
        })?;
        self.next = next;
        Ok(())
    }

    /// Takes less memory than allowed: by filters for the oldest spans, and then by smaller filters, which have more false
    /// positives.
    fn shrink(&mut self, db: &Connection, octets_max: u64) -> Answer<()> {
        while self.octets() > octets_max {
            let places = |(_, known): &&mut (i64, FullSpan)| matches!(known, FullSpan::Places(_));
            if let Some((span, known)) = self.full.iter_mut().find(places) {
                let mut filter = Filter::of(sealed::count(db, *span)?);
                sealed::digests_of(db, *span, |digest, _| filter.insert(digest))?;
                *known = FullSpan::Filter(filter);
                continue;
            }
            let before = self.octets();
            for (_, known) in &mut self.full {
                if let FullSpan::Filter(filter) = known {
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
        let octets = |(_, known): &(i64, FullSpan)| match known {
            FullSpan::Places(places) => places.octets(),
            FullSpan::Filter(filter) => filter.octets(),
            FullSpan::OnDisk => 0,
        };
        self.full.iter().map(|span| octets(span) as u64).sum()
    }
}

/// Passes the digests of the first entries within a range of numbers to `take`.
fn digests(
    db: &Connection,
    (first, end): (EntryNumber, EntryNumber),
    mut take: impl FnMut(u64, EntryNumber),
) -> Answer<()> {
    // The first page may have begun before.
    let begins = "SELECT ifnull(max(first), ?1) FROM group_page WHERE first <= ?1";
    let begins: i64 = db.prepare_cached(begins)?.query_row([first], |row| row.get(0))?;
    let mut batches = EntryReader::default();
    for_each_page(db, (begins, end), |page| {
        let batch: Option<Arc<Batch>> = batches.batch(db, page.first)?;
        let Some(batch) = batch else { return Ok(()) };
        for (number, octets) in page.entries() {
            if (first..end).contains(&number) {
                if let Some(key) = page.first_key(number, octets)? {
                    take(digest(&batch.node, &key), number);
                }
            }
        }
        Ok(())
    })
}
