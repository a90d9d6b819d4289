//! Where a file lies, and how it is read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use format::Input;
use runtime::time::since_epoch_ns;
use store::{OptionalExtension as _, params};

use super::octets::Octets;
use super::{Lies, RecordsError, RecordsOf};
use collection::sources::Source;
use flow::flow_journal;
use flow::topology::Element;
use gateway::plan::Plan;

/// A file that is open, and how it is read.
pub struct Placed<'f> {
    /// The network element that it came from, or the post-processing system that it was made for.
    pub node: String,
    /// Its name.
    pub file: String,
    /// The number in the journal of the job that read or made it; `None` if it waits to be collected, or was merged.
    pub job: Option<i64>,
    /// The kind of place where it was found.
    pub lies: Lies,
    /// The decoder of its records.
    pub input: &'f dyn Input,
    /// Its octets.
    pub octets: Octets,
}

/// Finds a file and opens it.
pub fn find<'f>(flow: &Path, plan: &'f Plan, of: &RecordsOf) -> Result<Placed<'f>, RecordsError> {
    let finding = Finding { flow, plan };
    match of {
        RecordsOf::Collected(job) => finding.of_job(*job),
        RecordsOf::Named { network_element, file } => match finding.last(network_element, file)? {
            Some(job) => finding.of_job(job),
            None => finding.waiting(network_element, file),
        },
        RecordsOf::Made { job, post_processing_system } => {
            finding.made(*job, post_processing_system)
        }
        RecordsOf::Delivered(id) => finding.delivered(*id),
    }
}

struct Finding<'a, 'f> {
    flow: &'a Path,
    plan: &'f Plan,
}

/// A collected file in the journal.
struct CollectedFile {
    network_element: String,
    name: String,
    path: String,
    size: u64,
    modified_ns: i64,
    /// Its path in the archive.
    archived: Option<String>,
}

/// Where a file was collected, and its size and time then.
pub struct CollectedAt<'c> {
    /// Its path in the journal: relative to the folder of the flow.
    pub path: &'c str,
    pub name: &'c str,
    pub size: u64,
    pub modified_ns: i64,
}

/// Returns where a collected file is now: it may be marked, or renamed as a duplicate.
pub fn collected(
    flow: &Path,
    source: &Source,
    CollectedAt { path, name, size, modified_ns }: &CollectedAt<'_>,
) -> io::Result<Option<PathBuf>> {
    // Paths in the journal are relative to this folder.
    let path = flow.parent().unwrap_or(Path::new("")).join(path);
    let is_it = |metadata: &fs::Metadata| {
        let found_ns = metadata.modified().map_or(0, since_epoch_ns);
        (metadata.len(), found_ns) == (*size, *modified_ns)
    };
    let found = source.collect.find_marked(&path, name, is_it)?;
    let mut twice = path.into_os_string();
    twice.push(transport::DUPLICATE);
    let twice = PathBuf::from(twice);
    Ok(found.or_else(|| fs::metadata(&twice).is_ok_and(|found| is_it(&found)).then_some(twice)))
}

impl<'f> Finding<'_, 'f> {
    fn of_job(&self, job: i64) -> Result<Placed<'f>, RecordsError> {
        let collected = self.journal_of(job)?;
        let collected = collected.ok_or_else(|| unknown(format!("no file came as job {job}")))?;
        let (element, source) = self.element(&collected.network_element)?;
        let archive = self.plan.archive.as_ref().zip(collected.archived.as_ref());
        let archived = archive.map(|(archive, path)| archive.dir.join(path));
        let placed = |lies, octets: Octets| Placed {
            node: collected.network_element.clone(),
            file: collected.name.clone(),
            job: Some(job),
            lies,
            input: &*element.input,
            octets: Octets { packed: source.packed, ..octets },
        };
        if let Some(path) = archived {
            let octets = opened(&path, &collected.name)?;
            return Ok(placed(Lies::Archive, Octets { is_archived: true, ..octets }));
        }
        let found =
            self.collected(source, &collected).map_err(|cause| unread(&collected.name, cause))?;
        let path = found.ok_or_else(|| {
            RecordsError::Gone(format!(
                "\"{}\" was collected, and is not there any more; with [archive] in the flow file it would be kept",
                collected.name
            ))
        })?;
        Ok(placed(Lies::Collected, opened(&path, &collected.name)?))
    }

    fn journal_of(&self, job: i64) -> Result<Option<CollectedFile>, RecordsError> {
        let found = flow_journal::read(self.flow, |db| {
            db.query_row(
                "SELECT file.network_element, file.name, file.path, file.size, file.modified_ns,
                        iif(archive.state = 'archived', archive.path, NULL)
                 FROM file LEFT JOIN archive ON archive.file = file.id
                 WHERE file.id = ? AND retry_of IS NULL AND expired_in IS NULL",
                [job],
                |row| {
                    Ok(CollectedFile {
                        network_element: row.get(0)?,
                        name: row.get(1)?,
                        path: row.get(2)?,
                        size: row.get::<_, i64>(3)? as u64,
                        modified_ns: row.get(4)?,
                        archived: row.get(5)?,
                    })
                },
            )
            .optional()
        });
        Ok(found?)
    }

    /// Returns the job of the last collected file of a name. Duplicate files do not count.
    fn last(&self, element: &str, file: &str) -> Result<Option<i64>, RecordsError> {
        let found = flow_journal::read(self.flow, |db| {
            db.query_row(
                "SELECT max(id) FROM file WHERE network_element = ? AND name = ? AND duplicate_of IS NULL
                     AND retry_of IS NULL AND expired_in IS NULL",
                [element, file],
                |row| row.get(0),
            )
        });
        Ok(found?)
    }

    fn collected(&self, source: &Source, file: &CollectedFile) -> io::Result<Option<PathBuf>> {
        let CollectedFile { path, name, size, modified_ns, .. } = file;
        let (size, modified_ns) = (*size, *modified_ns);
        collected(self.flow, source, &CollectedAt { path, name, size, modified_ns })
    }

    fn waiting(&self, element: &str, file: &str) -> Result<Placed<'f>, RecordsError> {
        let (element, source) = self.element(element)?;
        let found = source
            .collect
            .find(&mut transport::KnownMarks::default())
            .files
            .into_iter()
            .find(|found| found.name == file);
        let path = found.map(|found| found.path).ok_or_else(|| {
            unknown(format!(
                "no file \"{file}\" came from \"{}\", and none waits to be collected",
                element.name
            ))
        })?;
        let octets = opened(&path, file)?;
        Ok(Placed {
            node: element.name.clone(),
            file: file.to_owned(),
            job: None,
            lies: Lies::Collected,
            input: &*element.input,
            octets: Octets { packed: source.packed, ..octets },
        })
    }

    fn made(&self, job: i64, system: &str) -> Result<Placed<'f>, RecordsError> {
        let found = flow_journal::read(self.flow, |db| {
            db.query_row(
                "SELECT path, (SELECT lies FROM delivery WHERE delivery.file = output.file
                     AND delivery.post_processing_system = output.post_processing_system)
                 FROM output WHERE file = ? AND post_processing_system = ?",
                params![job, system],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)),
            )
            .optional()
        });
        let none = || unknown(format!("job {job} made nothing for \"{system}\""));
        let (path, carried) = found?.ok_or_else(none)?;
        self.output(Some(job), system, [carried.as_deref(), Some(&path)])
    }

    fn delivered(&self, id: i64) -> Result<Placed<'f>, RecordsError> {
        let found = flow_journal::read(self.flow, |db| {
            db.query_row(
                "SELECT file, post_processing_system, path, lies FROM delivery WHERE id = ?",
                [id],
                |row| {
                    let (job, system): (Option<i64>, String) = (row.get(0)?, row.get(1)?);
                    Ok((job, system, row.get::<_, String>(2)?, row.get::<_, Option<String>>(3)?))
                },
            )
            .optional()
        });
        let none = || unknown(format!("there is no delivery {id}"));
        let (job, system, path, carried) = found?.ok_or_else(none)?;
        self.output(job, &system, [carried.as_deref(), Some(&path)])
    }

    /// Opens an output at the first place where it lies.
    fn output(
        &self,
        job: Option<i64>,
        system: &str,
        places: [Option<&str>; 2],
    ) -> Result<Placed<'f>, RecordsError> {
        let known = self.plan.topology.systems.iter().find(|known| known.name == system);
        let known = known.ok_or_else(|| {
            let why = format!("the flow has no post-processing system \"{system}\" any more");
            RecordsError::Flow(why)
        })?;
        let input = known.reads.as_deref().ok_or_else(|| {
            RecordsError::Flow(format!("what is written for \"{system}\" cannot be read back"))
        })?;
        let name = places[1].and_then(|path| Path::new(path).file_name()).unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let places = places.into_iter().flatten().map(|path| self.folder().join(path));
        for path in places {
            match opened(&path, &name) {
                Err(RecordsError::Gone(_)) => {}
                octets => {
                    return Ok(Placed {
                        node: system.to_owned(),
                        file: name.clone(),
                        job,
                        lies: Lies::Output,
                        input,
                        octets: octets?,
                    });
                }
            }
        }
        let why = format!("\"{name}\" was made for \"{system}\", and is not here any more");
        Err(RecordsError::Gone(why))
    }

    fn element(&self, name: &str) -> Result<(&'f Element, &'f Source), RecordsError> {
        let Plan { topology, collection, .. } = self.plan;
        let mut elements = topology.elements.iter().zip(&collection.sources);
        let found = elements.find(|(element, _)| element.name == name);
        found.ok_or_else(|| {
            RecordsError::Flow(format!("the flow has no network element \"{name}\" any more"))
        })
    }

    /// Returns the folder to which paths in the journal are relative.
    fn folder(&self) -> &Path {
        self.flow.parent().unwrap_or(Path::new(""))
    }
}

fn unknown(why: String) -> RecordsError {
    RecordsError::Unknown(why)
}

fn unread(file: &str, cause: io::Error) -> RecordsError {
    RecordsError::Read { file: file.to_owned(), cause }
}

fn opened(path: &Path, file: &str) -> Result<Octets, RecordsError> {
    Octets::open(path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => RecordsError::Gone(format!("\"{file}\" is not there any more")),
        _ => unread(file, cause),
    })
}
