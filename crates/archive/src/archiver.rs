//! Writes files into the archive, on a thread beside the processing.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use alarm::{AlarmKey, EventType, Kind, Severity};
use diagnostics::plain;
use journal::Journal;
use runtime::disk::Disk;
use runtime::durable::{make_folder, sync_folder};
use runtime::parallel;
use runtime::shutdown::Shutdown;
use runtime::time::{day, now_ms, since_epoch_ns};
use store::params;
use xxhash_rust::xxh3::Xxh3;

use super::error::ArchiverError;
use super::prune::Keeping;
use super::queue::{Due, due};
use super::settings::{ArchiveSettings, Source};
use collection::input::{Digest, InputFile};
use collection::orphans;
use collection::sources::{Collection, Source as FileSource};
use flow::topology::Topology;

/// The alarm while files cannot be archived.
const WAITS: &Kind =
    &Kind::new("archive-waiting", Severity::Major, EventType::Equipment, "outputDeviceError");

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[WAITS];

/// The files per transaction.
const FILES_AT_ONCE: usize = 64;

/// The wait before the next try after a failure, and the interval between two checks for work or a stop.
const TRIED_AGAIN: Duration = Duration::from_secs(5);
const LOOKED_EVERY: Duration = Duration::from_millis(200);

/// The zstd level. It is as fast as a disk, and a higher level gains little.
const LEVEL: i32 = 3;

/// The signals that end the archiver.
#[derive(Clone, Copy)]
pub struct Until<'u> {
    /// Set when no more files come or the archiver is to stop.
    pub is_over: &'u Shutdown,
    /// Whether files that are due are archived even then.
    pub all: bool,
    /// Set when the archiver is to stop at once.
    pub stop: &'u Shutdown,
}

/// The flow whose files are archived.
#[derive(Clone, Copy)]
pub struct Archived<'a> {
    /// The topology. Files of network elements that it lacks wait.
    pub flow: &'a Topology,
    /// The sources of the network elements. They tell how files are marked and compressed.
    pub collection: &'a Collection,
    /// The octets that stay free on the disk, if the flow file says so.
    pub disk_free: Option<u64>,
}

/// The archiver of a flow's files.
pub struct Archivist<'a> {
    archived: Archived<'a>,
    journal: &'a Journal,
    settings: &'a ArchiveSettings,
    keeping: Keeping<'a>,
}

/// A file that is written under its hidden name.
struct Written {
    due: Due,
    source: PathBuf,
    /// Its path in the archive.
    path: PathBuf,
    octets: u64,
    digest: Digest,
}

/// The result of a batch of files.
#[derive(Default)]
struct Batch {
    written: Vec<Written>,
    gone: Vec<i64>,
    /// The archived files whose inputs are to be removed.
    to_be_removed: Vec<(Due, PathBuf)>,
    removed: Vec<i64>,
    /// The files that are not removed, since the archive does not have them any more.
    stay: Vec<i64>,
    last: i64,
}

impl<'a> Archivist<'a> {
    /// Makes an archiver. Returns `None` if the journal is not kept.
    pub fn new(
        archived: Archived<'a>,
        settings: &'a ArchiveSettings,
        journal: &'a Journal,
    ) -> Option<Self> {
        let keeping = Keeping::new(settings, journal);
        journal.view.is_written.then_some(Archivist { archived, journal, settings, keeping })
    }

    /// Archives files until [`Until`] says so. Returns the last problem, if it still holds.
    pub fn run(mut self, until: Until<'_>) -> Option<String> {
        let mut problem = None;
        loop {
            let is_last = until.is_over.is_set();
            let is_due = !is_last || until.all;
            let done = if is_due { self.all(until) } else { Ok(()) };
            let done = done.and_then(|()| self.keeping.forget_now_and_then());
            problem = match done {
                Ok(()) => self.goes_on(problem),
                Err(error) => self.waits(problem, error.to_string()),
            };
            if is_last || until.stop.is_set() {
                return problem;
            }
            let wait = if problem.is_some() { TRIED_AGAIN } else { LOOKED_EVERY };
            until.is_over.wait(wait);
        }
    }

    fn goes_on(&self, was: Option<String>) -> Option<String> {
        let subject = self.settings.dir.display().to_string();
        let reader = self.journal.reader().ok()?;
        let key = AlarmKey { kind: WAITS, subject: &subject };
        if was.is_some() || alarm::is_raised(&reader, key).unwrap_or(false) {
            self.journal.later(move |db| {
                alarm::clear(db, now_ms(), AlarmKey { kind: WAITS, subject: &subject })
            });
        }
        None
    }

    fn waits(&self, was: Option<String>, problem: String) -> Option<String> {
        if was.as_ref() != Some(&problem) {
            tracing::warn!(target: "flow::archive", "{problem}");
            let (subject, text) = (self.settings.dir.display().to_string(), problem.clone());
            self.journal.later(move |db| {
                let key = AlarmKey { kind: WAITS, subject: &subject };
                alarm::raise(db, now_ms(), key, &text)
            });
        }
        Some(problem)
    }

    /// Archives all files that are due now.
    fn all(&self, until: Until<'_>) -> Result<(), ArchiverError> {
        let reader = self.journal.reader()?;
        let (elements, mut behind) = (orphans::known(self.archived.flow), 0);
        loop {
            let some = self.journal.answer(due(&reader, &elements, behind, FILES_AT_ONCE))?;
            if some.is_empty() || until.stop.is_set() {
                return Ok(());
            }
            let mut batch = Batch::default();
            let written = some.into_iter().try_for_each(|due| self.write(due, &mut batch));
            behind = batch.last;
            // Settles the files written so far, so they are not written again.
            self.settle(batch)?;
            written?;
            if until.is_over.is_set() && !until.all {
                return Ok(());
            }
        }
    }

    fn write(&self, due: Due, batch: &mut Batch) -> Result<(), ArchiverError> {
        let source = self.find(&due)?;
        let (job, network_element, file) = (due.file, due.network_element.as_str(), &due.name);
        if let Some(archived) = &due.archived_as {
            batch.last = due.file;
            // If the archived file was taken away, the input is the only copy and stays.
            let is_there = self.settings.dir.join(archived).try_exists();
            match (source, is_there) {
                (Some(source), Ok(true)) => batch.to_be_removed.push((due, source)),
                (None, Ok(_)) => batch.removed.push(due.file),
                (Some(_), Ok(false)) => {
                    let (source, archived) = (due.path.display(), archived.display());
                    tracing::warn!(
                        target: "flow::archive",
                        job,
                        network_element,
                        file,
                        "\"{source}\" stays, since the archive has no \"{archived}\""
                    );
                    batch.stay.push(due.file);
                }
                (_, Err(cause)) => {
                    return Err(ArchiverError::Look { dir: self.settings.dir.clone(), cause });
                }
            }
            return Ok(());
        }
        let Some(source) = source else {
            tracing::warn!(
                target: "flow::archive",
                job,
                network_element,
                file,
                "\"{}\" was processed, and cannot be archived: it is not known where it is now",
                due.path.display()
            );
            batch.last = due.file;
            batch.gone.push(due.file);
            return Ok(());
        };
        self.has_room(due.size)?;
        let name = transport::file_name(&format!("{}-{}.zst", due.file, due.name));
        let path = PathBuf::from(transport::file_name(&due.network_element))
            .join(day(due.done_ms))
            .join(name);
        let hidden = self.hidden(&path);
        let compressed = compress(&source, &hidden, due.size);
        let compressed = compressed.and_then(|compressed| {
            let is_it = self.is_processed(&source, &due, compressed.as_ref())?;
            Ok(compressed.filter(|_| is_it))
        });
        match compressed {
            Ok(Some(Compressed { octets, digest })) => {
                batch.last = due.file;
                batch.written.push(Written { due, source, path, octets, digest });
                Ok(())
            }
            Ok(None) => {
                tracing::warn!(
                    target: "flow::archive",
                    job,
                    network_element = due.network_element,
                    file = due.name,
                    "\"{}\" is not archived: it is not what was processed any more",
                    source.display()
                );
                let _ = fs::remove_file(&hidden);
                batch.last = due.file;
                batch.gone.push(due.file);
                Ok(())
            }
            Err(cause) => {
                let _ = fs::remove_file(&hidden);
                let dir = self.settings.dir.clone();
                Err(ArchiverError::Copy { source_path: source, dir, cause })
            }
        }
    }

    /// Returns the source of a file, if the flow still has its network element.
    fn source(&self, due: &Due) -> Option<&'a FileSource> {
        let mut sources = self.archived.collection.sources.iter();
        sources.find(|source| source.network_element == due.network_element)
    }

    /// Returns whether the input is removed. A file in an in buffer is always removed, whatever the flow file says.
    fn removes(&self, due: &Due) -> bool {
        self.settings.source == Source::Removed
            || self.source(due).is_some_and(|source| source.collect.is_buffer())
    }

    /// Returns whether the file is still the one that was processed. For a compressed input, the unpacked contents are
    /// compared.
    fn is_processed(
        &self,
        source: &Path,
        due: &Due,
        compressed: Option<&Compressed>,
    ) -> io::Result<bool> {
        let packed = self.source(due).and_then(|source| source.packed);
        let digest = match (compressed, packed) {
            (None, _) => return Ok(false),
            (Some(compressed), None) => compressed.digest,
            (Some(_), Some(packed)) => {
                InputFile::new(source, true).packed(Some((packed, 0))).digest()?
            }
        };
        Ok(digest == due.digest.as_slice())
    }

    /// Returns the path of the input, with its mark or without.
    fn find(&self, due: &Due) -> Result<Option<PathBuf>, ArchiverError> {
        let path = self.journal.view.folder().join(&due.path);
        let is_it = |metadata: &fs::Metadata| {
            let modified_ns = metadata.modified().map_or(0, since_epoch_ns);
            (metadata.len(), modified_ns) == (due.size, due.modified_ns)
        };
        let Some(source) = self.source(due) else { return Ok(None) };
        let found = source.collect.find_marked(&path, &due.name, is_it);
        found.map_err(|cause| ArchiverError::Find { path, cause })
    }

    /// Returns an error if the disk would have less free than its reserve: a gateway that cannot collect would be
    /// worse.
    fn has_room(&self, octets: u64) -> Result<(), ArchiverError> {
        let dir = &self.settings.dir;
        let Ok(disk) = Disk::of(dir) else { return Ok(()) };
        let least = disk.reserve(self.archived.disk_free);
        match disk.free >= least.saturating_add(octets) {
            true => Ok(()),
            false => Err(ArchiverError::NoRoom { least, dir: dir.clone() }),
        }
    }

    fn hidden(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.settings.dir.join(path).with_file_name(format!(".{name}.part"))
    }

    /// Syncs and renames the written files, notes them in the journal, and then removes the inputs.
    fn settle(&self, batch: Batch) -> Result<(), ArchiverError> {
        let Batch { written, gone, mut to_be_removed, mut removed, stay, .. } = batch;
        let could_not = |cause| ArchiverError::Write { dir: self.settings.dir.clone(), cause };
        let synced =
            parallel::map(&written, |written| File::open(self.hidden(&written.path))?.sync_all());
        synced.into_iter().collect::<io::Result<()>>().map_err(could_not)?;
        let mut folders = Vec::new();
        for Written { path, .. } in &written {
            let target = self.settings.dir.join(path);
            fs::rename(self.hidden(path), &target).map_err(could_not)?;
            folders.extend(target.parent().map(Path::to_path_buf));
        }
        folders.sort();
        folders.dedup();
        folders.iter().try_for_each(|folder| sync_folder(folder)).map_err(could_not)?;
        let rows: Vec<(i64, String, i64, Digest, Option<&str>)> = written
            .iter()
            .map(|Written { due, path, octets, digest, .. }| {
                let removal = self.removes(due).then_some("due");
                (due.file, path.to_string_lossy().into_owned(), *octets as i64, *digest, removal)
            })
            .collect();
        if !(rows.is_empty() && gone.is_empty()) {
            self.journal.commit(move |db| {
                let mut archived = db.prepare_cached(
                    "UPDATE archive SET state = 'archived', path = ?, octets = ?, digest = ?, removal = ?
                     WHERE file = ?",
                )?;
                for (file, path, octets, digest, removal) in &rows {
                    archived.execute(params![path, octets, digest, removal, file])?;
                }
                let mut of = db.prepare_cached("UPDATE archive SET state = 'gone' WHERE file = ?")?;
                gone.iter().try_for_each(|file| of.execute([file]).map(drop))
            })?;
        }
        let of_written = written.into_iter().map(|Written { due, source, .. }| (due, source));
        to_be_removed.extend(of_written.filter(|(due, _)| self.removes(due)));
        let mut not_removed = Ok(());
        for (due, source) in to_be_removed {
            match fs::remove_file(&source) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    not_removed = Err(ArchiverError::RemoveInput { path: source, cause });
                }
                _ => removed.push(due.file),
            }
        }
        if !removed.is_empty() || !stay.is_empty() {
            // If this is lost, the next run finds no input to remove.
            self.journal.later(move |db| {
                let mut removal =
                    db.prepare_cached("UPDATE archive SET removal = ? WHERE file = ?")?;
                let mut note = |how: Option<&str>, files: &[i64]| {
                    files.iter().try_for_each(|file| removal.execute(params![how, file]).map(drop))
                };
                note(Some("done"), &removed)?;
                note(None, &stay)
            });
        }
        not_removed
    }
}

/// The result of compressing a file.
struct Compressed {
    octets: u64,
    /// The digest of the original octets.
    digest: Digest,
}

/// Writes a file compressed. Returns `None` if its size is not `size`.
fn compress(source: &Path, target: &Path, size: u64) -> io::Result<Option<Compressed>> {
    make_folder(target.parent().unwrap_or(Path::new("")))?;
    let mut encoder = zstd::Encoder::new(File::create(target)?, LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(size))?;
    let mut source = plain::open(source)?;
    let (mut digest, mut octets) = (Xxh3::new(), vec![0; 256 << 10]);
    let mut all = 0;
    loop {
        let read = source.read(&mut octets)?;
        all += read as u64;
        if read == 0 || all > size {
            break;
        }
        digest.update(&octets[..read]);
        encoder.write_all(&octets[..read])?;
    }
    if all != size {
        return Ok(None);
    }
    let octets = encoder.finish()?.metadata()?.len();
    Ok(Some(Compressed { octets, digest: digest.digest128().to_be_bytes() }))
}
