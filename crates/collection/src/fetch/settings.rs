//! Settings of a `collect` table with a `url`.

#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diagnostics::Diagnostic;
use runtime::disk::reserve_of;
use settings::Settings;
use transport::{Access, BUFFER_LIMIT, FILE_SIZE_MAX, Place, Scheme, name_mistake};

use crate::push::buffer;
use flow::file::{AT_ONCE, FlowFile, at_once};

/// The keys of a `collect` table that say when files are fetched from a remote place.
pub const KEYS: [&str; 3] = ["after", "every", AT_ONCE];

/// The interval between passes, where the flow file sets none.
const EVERY: Duration = Duration::from_secs(30);

/// A remote place whose files are fetched.
#[derive(Debug)]
pub struct Pull {
    /// The network element whose files are fetched.
    pub network_element: String,
    pub(super) place: Box<dyn Place>,
    pub(super) pattern: String,
    pub(super) is_recursive: bool,
    pub(super) after: After,
    pub(super) every: Duration,
    pub(super) quiet: Duration,
    /// The most files that are fetched at once.
    pub(super) at_once: usize,
    /// The in buffer.
    pub root: PathBuf,
    /// The most octets in the in buffer.
    pub limit: u64,
    /// The octets that stay free on the disk of the in buffer.
    pub(super) disk_free: u64,
    /// The most octets of a file.
    size_max: u64,
    /// Whether a file has come into the in buffer since it was last scanned.
    has_arrivals: AtomicBool,
}

/// The action on a fetched file at the remote place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum After {
    Keep,
    Delete,
    /// Moves the file to this folder below that of the `url`.
    Move(String),
}

/// Returns whether a `collect` table names a remote place.
pub fn is_pulled(collect: &Settings) -> bool {
    collect.get("url").is_some()
}

impl Pull {
    /// Reads a `collect` table with a `url`.
    pub fn read(
        file: &FlowFile,
        collect: &Settings,
        schemes: &[&dyn Scheme],
    ) -> Result<Self, Vec<Diagnostic>> {
        let place = Access::place(collect, schemes)?;
        let one = |mistake| vec![mistake];
        if !place.is_listed() {
            let url = collect.require("url").map_err(one)?;
            let hint = "have the network element push its files, with \"accept\"";
            let message = "nothing tells over HTTP which files are there";
            return Err(one(collect.error(url, message).hint(hint)));
        }
        let time = |key: &str, usual: Duration| {
            let value = collect.get(key).map(|setting| collect.duration(setting)).transpose();
            value.map(|value| value.unwrap_or(usual)).map_err(one)
        };
        let limit = collect.get("limit").map(|limit| collect.octets(limit)).transpose();
        let size_max = collect.get("size-limit").map(|limit| collect.octets(limit)).transpose();
        let root = buffer(file, &collect.name);
        Ok(Pull {
            network_element: collect.name.clone(),
            place,
            pattern: collect.get("pattern").map_or("*".to_owned(), |of| of.value.clone()),
            is_recursive: collect.get("recursive").is_some_and(|of| of.value == "true"),
            after: after(collect).map_err(one)?,
            every: time("every", EVERY)?,
            quiet: time("quiet", Duration::ZERO)?,
            at_once: at_once(collect).map_err(one)?,
            limit: limit.map_err(one)?.unwrap_or(BUFFER_LIMIT),
            size_max: size_max.map_err(one)?.unwrap_or(FILE_SIZE_MAX),
            disk_free: reserve_of(&root, file.disk_free),
            root,
            has_arrivals: AtomicBool::new(false),
        })
    }

    /// Makes settings for a place whose files stay there.
    #[cfg(test)]
    pub(super) fn of_place(place: Box<dyn Place>, root: &Path) -> Self {
        Pull {
            network_element: "far".into(),
            place,
            pattern: "*.x".into(),
            is_recursive: false,
            after: After::Keep,
            every: EVERY,
            quiet: Duration::ZERO,
            at_once: 1,
            root: root.into(),
            limit: BUFFER_LIMIT,
            disk_free: 0,
            size_max: FILE_SIZE_MAX,
            has_arrivals: AtomicBool::new(false),
        }
    }

    /// Returns the most octets of a file. A larger one does not fit into the in buffer, or is not processed.
    pub(super) fn most_octets(&self) -> u64 {
        self.size_max.min(self.limit)
    }

    /// Notes that a file has come into the in buffer.
    pub(super) fn note_arrival(&self) {
        self.has_arrivals.store(true, Ordering::Release);
    }

    /// Returns whether a file has come since the in buffer was last scanned.
    pub fn has_arrivals(&self) -> bool {
        self.has_arrivals.load(Ordering::Acquire)
    }

    /// Resets the note of arrivals. Call it before a scan of the in buffer.
    pub fn forget_arrivals(&self) {
        self.has_arrivals.store(false, Ordering::Release);
    }
}

/// Reads `after`. It has no default: the operator has to say whether fetched files may be deleted.
fn after(collect: &Settings) -> Result<After, Diagnostic> {
    let after = collect.require("after").map_err(|mistake| {
        mistake.hint("write after = \"delete\", \"move:FOLDER\" or \"keep\": what becomes of a file at the remote place")
    })?;
    match after.value.as_str() {
        "keep" => Ok(After::Keep),
        "delete" => Ok(After::Delete),
        value => match value.strip_prefix("move:") {
            Some(folder) if folder.split('/').all(|name| name_mistake(name).is_none()) => {
                Ok(After::Move(folder.to_owned()))
            }
            Some(_) => Err(collect
                .error(after, "files are moved to a folder within that of \"url\"")
                .hint("write \"move:done\"")),
            None => Err(collect
                .error(after, format!("\"{value}\" is nothing that becomes of a file"))
                .hint("known here: \"delete\", \"move:FOLDER\", \"keep\"")),
        },
    }
}
