//! A PostgreSQL server for the time of a measurement, and its processor time.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio_postgres::Config;

use crate::error::BenchError;

/// The user and group of the server where the benchmark runs as root, which PostgreSQL refuses for itself.
const UNPRIVILEGED: u32 = 65_534;

/// How long the server may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// The settings that differ from the defaults: memory for the accounts, and no checkpoints that fall into one round and
/// not into another.
const SETTINGS: [&str; 5] = [
    "listen_addresses=",
    "shared_buffers=512MB",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",
    "autovacuum=off",
];

/// A running server. Dropping it stops it, and removes its folder.
pub(super) struct Server {
    programs: PathBuf,
    folder: TempDir,
    child: Option<Child>,
}

/// Returns the folder with the programs of the newest version. `None` if PostgreSQL is not installed.
pub(super) fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}

impl Server {
    /// Starts a server in a folder of its own, within another.
    pub(super) fn start(programs: PathBuf, within: &Path) -> Result<Self, BenchError> {
        let folder = TempDir::new_in(within)?;
        if fs::metadata(folder.path())?.uid() == 0 {
            chown(folder.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED))?;
        }
        let mut server = Server { programs, folder, child: None };
        let made = server
            .command("initdb")?
            .args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C"])
            .args(["--username=tollgate", "-D", "data"])
            .output()?;
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr).trim().to_owned();
            return Err(BenchError::PostgresStart { why });
        }
        let mut command = server.command("postgres")?;
        command.args(["-D", "data", "-k"]).arg(server.folder.path());
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        let log = fs::File::create(server.log())?;
        server.child = Some(command.stdout(Stdio::null()).stderr(log).spawn()?);
        let until = Instant::now() + STARTS_WITHIN;
        while !server
            .command("pg_isready")?
            .arg("-qh")
            .arg(server.folder.path())
            .status()?
            .success()
        {
            if Instant::now() > until {
                let why = fs::read_to_string(server.log()).unwrap_or_default();
                return Err(BenchError::PostgresStart { why });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn command(&self, program: &str) -> io::Result<Command> {
        let mut command = Command::new(self.programs.join(program));
        if fs::metadata("/proc/self")?.uid() == 0 {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command.current_dir(self.folder.path());
        Ok(command)
    }

    /// Returns the configuration of a connection.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::new();
        config.host_path(self.folder.path()).user("tollgate").dbname("postgres");
        config
    }

    /// Returns the processor time of all processes of the server until now, those that have ended included.
    pub(super) fn processor_time(&self) -> Result<Duration, BenchError> {
        let own = self.child.as_ref().expect("it runs").id();
        let mut ticks = 0;
        for entry in fs::read_dir("/proc")? {
            let id = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
            // A process may end meanwhile: it is among the ended ones next time.
            let Some((id, stat)) = id.and_then(|id| Some((id, stat(id)?))) else { continue };
            match id == own {
                true => ticks += stat.used + stat.used_by_ended,
                false if stat.parent == own => ticks += stat.used,
                false => {}
            }
        }
        // Linux shows these times in hundredths of a second on all machines (`USER_HZ`).
        Ok(Duration::from_millis(ticks * 10))
    }
}

/// The processor time of a process, in hundredths of a second.
struct Stat {
    parent: u32,
    used: u64,
    used_by_ended: u64,
}

/// Reads what Linux says of a process (`man 5 proc_pid_stat`). The name, which may have any characters, ends with `)`.
fn stat(id: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<u64> = text
        .rsplit_once(')')?
        .1
        .split_ascii_whitespace()
        .skip(1)
        .take(14)
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    let at = |place: usize| fields.get(place).copied();
    Some(Stat {
        parent: u32::try_from(at(0)?).ok()?,
        used: at(10)? + at(11)?,
        used_by_ended: at(12)? + at(13)?,
    })
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGQUIT);
            let _ = child.wait();
        }
    }
}
