//! The modules of scripts. They are read once, and again when their files change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use asn1::Modules;
use diagnostics::{Diagnostic, with_causes};

use crate::modules::{Found, Origin};

/// The maximum by which a file's modification time may lag behind the system clock.
const STAMP_LAG_MAX: Duration = Duration::from_millis(50);

/// The modules that scripts are checked against.
pub(super) struct Project {
    origin: Origin,
    /// The files they were read from, with their stamps at that time.
    stamps: Vec<(PathBuf, Stamp)>,
    /// The time at which reading began.
    read_at: SystemTime,
    /// A number that is new each time the modules are read.
    pub(super) generation: u64,
    pub(super) modules: Modules,
    /// The diagnostics of the modules.
    pub(super) mistakes: Vec<Diagnostic>,
    /// The reason why they could not be read at all.
    pub(super) trouble: Option<String>,
}

/// The modification time and length of a file; `None` if it is missing.
type Stamp = Option<(SystemTime, u64)>;

/// All projects of open scripts.
#[derive(Default)]
pub(super) struct Projects {
    known: Vec<Project>,
    read: u64,
}

impl Projects {
    /// Returns the project of these modules. Reads them again if their files changed.
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

    /// Drops the modules that no open script needs.
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
                (Found { modules, mistakes, files: named }, Some(with_causes(&error)))
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
    /// Returns whether the modules are up to date. They are not if they could not be read, since the files may be there
    /// now, or if a file changed just before or while it was read, since it may have been read in part.
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
