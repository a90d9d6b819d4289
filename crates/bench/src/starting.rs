//! Measures how long a gateway with a large journal takes to start: from the start of its process until it has finished
//! the first waiting file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ::simulate::cdr::{Centre, Options, generate};
use ::simulate::example::write_flow;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rusqlite::Connection;

use crate::error::BenchError;
use crate::product::Product;

/// The precision with which the end of a file is measured.
const SEEN_WITHIN: Duration = Duration::from_millis(2);

/// A gateway that has not begun after this time has failed.
const BEGINS_WITHIN: Duration = Duration::from_secs(600);

/// The number of starts, with one file for each, and the records of a file.
const STARTS: u32 = 4;
const RECORDS: u64 = 20;

/// Adds so many files to the journal, each a copy of the first one's row.
const MORE_FILES: &str = "
WITH RECURSIVE more (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM more WHERE number < ?)
INSERT INTO file (network_element, path, size, modified_ns, done_ms, records, delivered, filtered, held, suspended,
    duplicate, finished, marked, name, digest)
SELECT network_element, path || number, size, modified_ns, done_ms, records, delivered, filtered, held, suspended,
    duplicate, 1, 1, name || number, randomblob(length(digest))
FROM more, (SELECT * FROM file ORDER BY id LIMIT 1)";

const OF_EACH: &str = "
CREATE TEMPORARY TABLE first AS SELECT min(id) AS id FROM file;
INSERT INTO output (file, post_processing_system, path, records)
    SELECT file.id, post_processing_system, output.path || file.id, output.records
    FROM file, output WHERE output.file = (SELECT id FROM first) AND file.id > (SELECT id FROM first);
INSERT INTO passage
    (file, node, is_system, records, delivered, filtered, held, suspended, duplicate, made)
    SELECT file.id, node, is_system, passage.records, passage.delivered, passage.filtered, passage.held,
        passage.suspended, passage.duplicate, made
    FROM file, passage WHERE passage.file = (SELECT id FROM first) AND file.id > (SELECT id FROM first);
INSERT INTO trace (file, row)
    SELECT file.id, row
    FROM file, trace WHERE trace.file = (SELECT id FROM first) AND file.id > (SELECT id FROM first);
";

/// Starts a gateway with so many files in its journal: once after a clean end, once after a kill.
pub(super) fn starts(
    product: &Product,
    folder: &Path,
    files: u32,
) -> Result<Vec<(String, f64)>, BenchError> {
    let mut site = StartSite::new(folder, &product.executable)?;
    site.start()?.ends()?;
    (product.stage)(&format!("making a journal of {files} files"));
    site.make_journal(files).map_err(BenchError::Sqlite)?;
    // Another program has written to the journal, so the gateway checks all of it once.
    site.start()?.ends()?;
    let after_clean_end = site.start()?;
    let seconds_after_clean_end = after_clean_end.seconds;
    after_clean_end.killed()?;
    let after_kill = site.start()?;
    let seconds_after_kill = after_kill.seconds;
    after_kill.ends()?;
    Ok(vec![
        ("start_seconds_after_clean_end".into(), seconds_after_clean_end),
        ("start_seconds_after_kill".into(), seconds_after_kill),
    ])
}

/// The example's flow, and a file for each start.
struct StartSite {
    folder: PathBuf,
    /// The gateway's program.
    executable: PathBuf,
    files: Vec<PathBuf>,
}

impl StartSite {
    fn new(folder: &Path, executable: &Path) -> Result<Self, BenchError> {
        let folder = folder.join("starting");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        write_flow(&folder)?;
        let _ = fs::remove_dir_all(folder.join("in"));
        for centre in ["new-york", "boston"] {
            fs::create_dir_all(folder.join("in").join(centre))?;
        }
        let centres = vec![Centre { name: "boston".into(), version: 8 }];
        let count = u64::from(STARTS) * RECORDS;
        let options = Options { count, files: STARTS, centres, ..Options::default() };
        let come = folder.join("come");
        generate(&options, &come)?;
        let paths = fs::read_dir(come.join("boston"))?.map(|entry| entry.map(|entry| entry.path()));
        let mut files = paths.collect::<std::io::Result<Vec<PathBuf>>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "ber"));
        files.sort();
        Ok(StartSite { folder, executable: executable.into(), files })
    }

    fn make_journal(&self, files: u32) -> rusqlite::Result<()> {
        let mut journal = Connection::open(self.folder.join("flow.state/journal.db"))?;
        let transaction = journal.transaction()?;
        transaction.execute(MORE_FILES, [files])?;
        transaction.execute_batch(OF_EACH)?;
        transaction.commit()
    }

    /// Starts a gateway, and waits until it has finished a file.
    fn start(&mut self) -> Result<GatewayProcess, BenchError> {
        let file = self.files.pop().expect("there is one for each start");
        let input = self.folder.join("in/boston").join(file.file_name().expect("it has a name"));
        fs::rename(file, &input)?;
        let begun = Instant::now();
        let mut command = Command::new(&self.executable);
        command.args(["run", "flow.toml"]).current_dir(&self.folder);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut gateway = GatewayProcess { child, seconds: 0.0 };
        while input.exists() {
            if gateway.child.try_wait()?.is_some() || begun.elapsed() > BEGINS_WITHIN {
                return Err(BenchError::NotBegun);
            }
            thread::sleep(SEEN_WITHIN);
        }
        gateway.seconds = begun.elapsed().as_secs_f64();
        Ok(gateway)
    }
}

/// A running gateway, and the seconds until it had finished its first file.
struct GatewayProcess {
    child: Child,
    seconds: f64,
}

impl GatewayProcess {
    fn ends(mut self) -> Result<(), BenchError> {
        let process = Pid::from_raw(self.child.id() as i32);
        kill(process, Signal::SIGTERM).map_err(std::io::Error::from)?;
        self.child.wait()?;
        Ok(())
    }

    fn killed(mut self) -> Result<(), BenchError> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for GatewayProcess {
    fn drop(&mut self) {
        // Fails if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
