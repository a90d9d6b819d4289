//! Notices when files change, such as those that a running service was configured with.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use crate::shutdown::Shutdown;
use crate::threads;

/// How often the files are looked at. Polling also works where file systems send no events, as on network mounts.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// How far the times of files may lie behind the clock: the kernel takes them from its last timer tick.
pub const TIMESTAMP_LAG: Duration = Duration::from_millis(20);

/// Size and time of a file; `None` if it is not there.
type Version = Option<(u64, Option<SystemTime>)>;

/// Watches files in a thread of its own until it is dropped.
pub struct FileWatch {
    changed: Arc<AtomicBool>,
    end: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl FileWatch {
    /// Watches files that were read at `read` or later. A file with a later time counts as changed.
    pub fn new(files: Vec<PathBuf>, read: SystemTime) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let end = Shutdown::default();
        let thread = threads::spawn({
            let (changed, end) = (Arc::clone(&changed), end.clone());
            move || watch(&files, read, &changed, &end)
        });
        let thread = thread.map_err(|why| {
            tracing::error!(target: "flow::watch", "changes of the flow are not seen until one is asked for: {why}");
        });
        FileWatch { changed, end, thread: thread.ok() }
    }

    /// Is set when a file has changed and is no longer being written to. It stays set.
    pub fn changed(&self) -> &AtomicBool {
        &self.changed
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        self.end.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(files: &[PathBuf], read: SystemTime, changed: &AtomicBool, end: &Shutdown) {
    let look = || files.iter().map(version).collect::<Vec<Version>>();
    let is_newer = |version: &Version| matches!(version, Some((_, Some(time))) if *time + TIMESTAMP_LAG >= read);
    let mut before = look();
    let active = match before.iter().any(is_newer) {
        true => Vec::new(),
        false => before.clone(),
    };
    while !end.wait(POLL_EVERY) {
        let now = look();
        // Two equal versions in a row: a program that writes several files, or one in pieces, has finished.
        if now != active && now == before {
            changed.store(true, Ordering::Relaxed);
            return;
        }
        before = now;
    }
}

fn version(file: &PathBuf) -> Version {
    let found = std::fs::metadata(file).ok()?;
    Some((found.len(), found.modified().ok()))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use std::time::Instant;

    fn wait(watch: &FileWatch, most: Duration) -> bool {
        let end = Instant::now() + most;
        while !watch.changed().load(Ordering::Relaxed) && Instant::now() < end {
            thread::sleep(Duration::from_millis(10));
        }
        watch.changed().load(Ordering::Relaxed)
    }

    #[test]
    fn a_file_that_is_written_removed_or_newer_than_it_was_read_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("script");
        std::fs::write(&file, "1").expect("a file");
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        assert!(wait(&FileWatch::new(vec![file.clone()], long_ago), Duration::from_secs(20)));
        let later = SystemTime::now() + Duration::from_secs(60);
        let watch = FileWatch::new(vec![file.clone()], later);
        assert!(!wait(&watch, Duration::from_millis(400)));
        std::fs::write(&file, "22").expect("a file");
        assert!(wait(&watch, Duration::from_secs(20)));
        let watch = FileWatch::new(vec![file.clone()], later);
        thread::sleep(Duration::from_millis(300));
        std::fs::remove_file(&file).expect("it was there");
        assert!(wait(&watch, Duration::from_secs(20)));
    }
}
