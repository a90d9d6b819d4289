//! redb: a tree that is copied where it changes, synced at each commit, as it is by default.

use std::path::Path;

use redb::{Database, ReadableDatabase, TableDefinition};

use crate::{Answer, Kept, Store};

const FILE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("file");
const NAME: TableDefinition<'_, &str, u64> = TableDefinition::new("name");
const DIGEST: TableDefinition<'_, &[u8; 16], u64> = TableDefinition::new("digest");
const OUTPUT: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("output");
const COUNT: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("count");

pub struct Redb(Database);

impl Redb {
    pub fn open(folder: &Path) -> Answer<Self> {
        Ok(Redb(Database::create(folder.join("journal.redb"))?))
    }
}

impl Store for Redb {
    fn keep(&mut self, files: &[Kept]) -> Answer<()> {
        let transaction = self.0.begin_write()?;
        {
            let mut file = transaction.open_table(FILE)?;
            let mut name = transaction.open_table(NAME)?;
            let mut digest = transaction.open_table(DIGEST)?;
            let mut output = transaction.open_table(OUTPUT)?;
            let mut count = transaction.open_table(COUNT)?;
            for kept in files {
                file.insert(kept.id, kept.rest.as_slice())?;
                name.insert(kept.name.as_str(), kept.id)?;
                digest.insert(&kept.digest, kept.id)?;
                for (place, rest) in (0..).zip(&kept.outputs) {
                    output.insert((kept.id, place), rest.as_slice())?;
                }
                for (place, rest) in (0..).zip(&kept.counts) {
                    count.insert((kept.id, place), rest.as_slice())?;
                }
            }
        }
        Ok(transaction.commit()?)
    }

    fn find(&self, digest: &[u8; 16]) -> Answer<Option<u64>> {
        let digests = self.0.begin_read()?.open_table(DIGEST)?;
        Ok(digests.get(digest)?.map(|id| id.value()))
    }
}
