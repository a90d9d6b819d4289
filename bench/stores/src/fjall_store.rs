//! fjall: a log-structured merge tree, its journal synced at each commit.

use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::{Answer, Kept, Store};

pub struct Fjall {
    db: Database,
    file: Keyspace,
    name: Keyspace,
    digest: Keyspace,
    output: Keyspace,
    count: Keyspace,
}

impl Fjall {
    pub fn open(folder: &Path) -> Answer<Self> {
        let db = Database::builder(folder.join("journal.fjall")).open()?;
        let keyspace = |name| db.keyspace(name, KeyspaceCreateOptions::default);
        let (file, name, digest) = (keyspace("file")?, keyspace("name")?, keyspace("digest")?);
        let (output, count) = (keyspace("output")?, keyspace("count")?);
        Ok(Fjall { db, file, name, digest, output, count })
    }
}

impl Store for Fjall {
    fn keep(&mut self, files: &[Kept]) -> Answer<()> {
        let mut batch = self.db.batch().durability(Some(PersistMode::SyncAll));
        for kept in files {
            let id = kept.id.to_be_bytes();
            batch.insert(&self.file, id, kept.rest);
            batch.insert(&self.name, kept.name.as_bytes(), id);
            batch.insert(&self.digest, kept.digest, id);
            for (place, rest) in (0..).zip(&kept.outputs) {
                batch.insert(&self.output, below(id, place), *rest);
            }
            for (place, rest) in (0..).zip(&kept.counts) {
                batch.insert(&self.count, below(id, place), *rest);
            }
        }
        Ok(batch.commit()?)
    }

    fn find(&self, digest: &[u8; 16]) -> Answer<Option<u64>> {
        let found = self.digest.get(digest)?;
        Ok(found
            .map(|id| Ok::<_, std::array::TryFromSliceError>(u64::from_be_bytes((*id).try_into()?)))
            .transpose()?)
    }
}

/// The key of what is below a file.
fn below(id: [u8; 8], place: u8) -> [u8; 9] {
    let mut key = [place; 9];
    key[..8].copy_from_slice(&id);
    key
}
