//! The modules of scripts, read once and again when their files change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use asn1::Modules;
use diagnostics::Diagnostic;

use crate::modules::{Found, Origin};
use crate::outcome::chain;

/// How much earlier than a clock a file system may say that a file was written.
const STAMP_LAG_MAX: Duration = Duration::from_millis(50);

/// The modules that scripts are looked through against.
pub(super) struct Project {
    origin: Origin,
    /// The files they were read from, as they were then.
    stamps: Vec<(PathBuf, Stamp)>,
    /// When reading them began.
    read_at: SystemTime,
    /// Counts up when anything is read anew.
    pub(super) generation: u64,
    pub(super) modules: Modules,
    /// What is wrong with them.
    pub(super) mistakes: Vec<Diagnostic>,
    /// Why they could not be read at all.
    pub(super) trouble: Option<String>,
}

/// When a file was written and how long it is; none if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// All projects of open scripts.
#[derive(Default)]
pub(super) struct Projects {
    known: Vec<Project>,
    read: u64,
}

impl Projects {
    /// The project of these modules as they are now.
    pub(super) fn get(&mut self, origin: Origin) -> &Project {
        let place = match self.known.iter().position(|project| project.origin == origin) {
            Some(place) if self.known[place].is_current() => place,
            Some(place) => {
                self.known[place] = self.read(origin);
                place
            }
            None => {
                let project = self.read(origin);
                self.known.push(project);
                self.known.len() - 1
            }
        };
        &self.known[place]
    }

    /// Forgets the modules that no open script needs.
    pub(super) fn keep(&mut self, needed: &[Origin]) {
        self.known.retain(|project| needed.contains(&project.origin));
    }

    fn read(&mut self, origin: Origin) -> Project {
        self.read += 1;
        let (generation, read_at) = (self.read, SystemTime::now());
        let named = match &origin {
            Origin::Files(files) => files.clone(),
            Origin::Flow(flow) => vec![flow.clone()],
        };
        let (found, trouble) = match origin.read() {
            Ok(found) => (found, None),
            Err(error) => {
                let (modules, mistakes) = Modules::read(&[]);
                (Found { modules, mistakes, files: named }, Some(chain(&error)))
            }
        };
        let Found { modules, mistakes, files } = found;
        let stamps = files.into_iter().map(|file| {
            let stamp = stamp(&file);
            (file, stamp)
        });
        let stamps = stamps.collect();
        Project { origin, stamps, read_at, generation, modules, mistakes, trouble }
    }
}

impl Project {
    /// Whether the files are what they were. One that could not be read may be there now; one that was
    /// written while it was read may have been read in part.
    fn is_current(&self) -> bool {
        let is_as_read = |(file, then): &(PathBuf, Stamp)| {
            let settled = then.is_some_and(|(written, _)| written + STAMP_LAG_MAX < self.read_at);
            settled && stamp(file) == *then
        };
        self.trouble.is_none() && self.stamps.iter().all(is_as_read)
    }
}

fn stamp(file: &Path) -> Stamp {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
