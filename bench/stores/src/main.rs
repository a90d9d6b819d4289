//! What it costs embedded databases to keep what the journal keeps of a file: one row of the file, found again by its
//! name and by its digest, three of its outputs and three counts of nodes. So many files are in one commit as are done
//! when the one before has reached the disk, so it is measured with one, eight and sixty-four.
//!
//! `stores FOLDER [FILES]`: on the disk of the folder. The bound is who appends as many octets to a file and syncs it.

mod fjall_store;
mod redb_store;
mod sqlite_store;

use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

pub type Answer<T> = Result<T, Box<dyn Error>>;

/// What is kept of a file.
pub struct Kept {
    pub id: u64,
    pub name: String,
    pub digest: [u8; 16],
    /// The rest of its row.
    pub rest: [u8; 80],
    pub outputs: [[u8; 120]; 3],
    pub counts: [[u8; 64]; 3],
}

impl Kept {
    fn new(id: u64) -> Self {
        // Digests come in no order, names in that of the files.
        let mixed = u128::from(id + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let octet = id as u8;
        Kept {
            id,
            name: format!("msc-boston/CDR_20261121_{id:08}.ber"),
            digest: mixed.to_be_bytes(),
            rest: [octet; 80],
            outputs: [[octet; 120]; 3],
            counts: [[octet; 64]; 3],
        }
    }

    fn octets(&self) -> Vec<u8> {
        let parts = [self.name.as_bytes(), &self.digest, &self.rest];
        let [outputs, counts] = [self.outputs.as_flattened(), self.counts.as_flattened()];
        [parts.concat().as_slice(), outputs, counts].concat()
    }
}

/// A database that keeps files, so many in one commit, which is on the disk when it returns.
pub trait Store {
    fn keep(&mut self, files: &[Kept]) -> Answer<()>;

    /// The file of a digest.
    fn find(&self, digest: &[u8; 16]) -> Answer<Option<u64>>;
}

/// Who knows nothing but the end of a file.
struct Appended(File);

impl Store for Appended {
    fn keep(&mut self, files: &[Kept]) -> Answer<()> {
        let octets: Vec<u8> = files.iter().flat_map(Kept::octets).collect();
        self.0.write_all(&octets)?;
        Ok(self.0.sync_data()?)
    }

    fn find(&self, _: &[u8; 16]) -> Answer<Option<u64>> {
        Ok(None)
    }
}

fn open(name: &str, folder: &Path) -> Answer<Box<dyn Store>> {
    Ok(match name {
        "append and sync" => Box::new(Appended(File::create(folder.join("appended"))?)),
        "SQLite" => Box::new(sqlite_store::Sqlite::open(folder)?),
        "redb" => Box::new(redb_store::Redb::open(folder)?),
        _ => Box::new(fjall_store::Fjall::open(folder)?),
    })
}

const STORES: [&str; 4] = ["append and sync", "SQLite", "redb", "fjall"];

/// Rounds, in which all take turns: the best of each counts.
const ROUNDS: usize = 3;

fn main() -> Answer<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("stores FOLDER [FILES]")?;
    let files: u64 = arguments.next().map_or(Ok(4_096), |files| files.parse())?;
    println!("files a second, {files} files      1 a commit       8      64    look-ups a second");
    let mut best = [[0.0_f64; 4]; STORES.len()];
    for _ in 0..ROUNDS {
        for (name, best) in STORES.iter().zip(&mut best) {
            let found = round(name, Path::new(&folder), files)?;
            for (best, found) in best.iter_mut().zip(found) {
                *best = best.max(found);
            }
        }
    }
    for (name, [one, eight, many, found]) in STORES.iter().zip(best) {
        println!("{name:<34}{one:>10.0} {eight:>8.0} {many:>7.0} {found:>12.0}");
    }
    Ok(())
}

/// Files a second, in commits of one, eight and sixty-four, and look-ups a second among all of these.
fn round(name: &str, folder: &Path, files: u64) -> Answer<[f64; 4]> {
    let place = tempfile::tempdir_in(folder)?;
    let mut store = open(name, place.path())?;
    let mut speeds = [0.0; 4];
    let mut next = 0;
    for (speed, at_once) in speeds.iter_mut().zip([1_u64, 8, 64]) {
        // As many commits of each kind would be few files of the first or many of the last.
        let count = files / (64 / at_once).isqrt();
        let kept: Vec<Kept> = (next..next + count).map(Kept::new).collect();
        next += count;
        let begin = Instant::now();
        for commit in kept.chunks(at_once as usize) {
            store.keep(commit)?;
        }
        *speed = count as f64 / begin.elapsed().as_secs_f64();
    }
    let begin = Instant::now();
    for id in 0..next {
        let digest = Kept::new(id).digest;
        if store.find(&digest)?.is_some_and(|found| found != id) {
            return Err(format!("{name} found another file than {id}").into());
        }
    }
    speeds[3] = next as f64 / begin.elapsed().as_secs_f64();
    Ok(speeds)
}
