//! Notices when a file changes that a running flow was made of.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use crate::threads;

/// The part that says it in the log: a name that users give levels to.
const LOG: &str = "flow::watch";

/// How often the files are looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How far the times of files may lie behind the clock: the kernel takes them from its last tick.
pub const CLOCK_LAG: Duration = Duration::from_millis(20);

/// What a file looks like from outside; none where it is not there.
type Look = Option<(u64, Option<SystemTime>)>;

/// Watches files, in a thread of its own, until it is dropped.
pub struct Watch {
    changed: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Over files that were read at this time or later: one that was written to since has changed already.
    pub fn new(files: Vec<PathBuf>, read: SystemTime) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let ended = Arc::new(AtomicBool::new(false));
        let thread = threads::start_apart({
            let (changed, ended) = (Arc::clone(&changed), Arc::clone(&ended));
            move || watch(&files, read, &changed, &ended)
        });
        let thread = thread.map_err(|why| {
            tracing::error!(target: LOG, "changes of the flow are not seen until one is asked for: {why}");
        });
        Watch { changed, ended, thread: thread.ok() }
    }

    /// Set when a file has changed, and is being written to no more.
    pub fn changed(&self) -> &AtomicBool {
        &self.changed
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn watch(files: &[PathBuf], read: SystemTime, changed: &AtomicBool, ended: &AtomicBool) {
    let look = || files.iter().map(look_at).collect::<Vec<Look>>();
    let is_newer = |look: &Look| matches!(look, Some((_, Some(time))) if *time + CLOCK_LAG >= read);
    let mut before = look();
    let active = match before.iter().any(is_newer) {
        true => Vec::new(),
        false => before.clone(),
    };
    while !ended.load(Ordering::Relaxed) {
        thread::park_timeout(LOOK_AGAIN);
        let now = look();
        // Who writes to several files, or to one in pieces, is waited for.
        if now != active && now == before {
            changed.store(true, Ordering::Relaxed);
            return;
        }
        before = now;
    }
}

fn look_at(file: &PathBuf) -> Look {
    let found = std::fs::metadata(file).ok()?;
    Some((found.len(), found.modified().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn wait(watch: &Watch, most: Duration) -> bool {
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
        assert!(wait(&Watch::new(vec![file.clone()], long_ago), Duration::from_secs(20)));
        let later = SystemTime::now() + Duration::from_secs(60);
        let watch = Watch::new(vec![file.clone()], later);
        assert!(!wait(&watch, Duration::from_millis(400)));
        std::fs::write(&file, "22").expect("a file");
        assert!(wait(&watch, Duration::from_secs(20)));
        let watch = Watch::new(vec![file.clone()], later);
        thread::sleep(Duration::from_millis(300));
        std::fs::remove_file(&file).expect("it was there");
        assert!(wait(&watch, Duration::from_secs(20)));
    }
}
