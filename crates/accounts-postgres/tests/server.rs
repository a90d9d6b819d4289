//! A PostgreSQL server of a test: in a temporary folder, on a socket in it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use accounts_postgres::{Config, Front};
use tempfile::TempDir;

/// The user and group of the server where the test runs as root, which PostgreSQL refuses for itself.
const UNPRIVILEGED: u32 = 65_534;

/// A running server. Dropping it stops it.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    settings: Vec<String>,
    child: Option<Child>,
}

impl Server {
    /// Starts a server. `None` if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a server with settings of its own.
    pub(crate) fn start_with(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("LEFT OUT: PostgreSQL is not installed, so accounts in it are not tested");
            return None;
        };
        let folder = TempDir::new().expect("a temporary folder");
        if is_root(folder.path()) {
            chown(folder.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("root may");
        }
        let settings = settings.iter().map(|of| (*of).to_owned()).collect();
        let mut server = Server { programs, folder, settings, child: None };
        let made = server
            .command("initdb")
            .args([
                "--no-sync",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--username=tollgate",
            ])
            .arg("-D")
            .arg(server.data())
            .output()
            .expect("initdb");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.run();
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the socket that it listens on.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// Returns a program of PostgreSQL as a command of a user that is not root.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if is_root(Path::new("/proc/self")) {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command.current_dir(self.folder.path());
        command
    }

    /// Starts the server, and waits until it answers.
    pub(crate) fn run(&mut self) {
        let log =
            fs::File::options().create(true).append(true).open(self.folder.path().join("log"));
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        let usual = ["listen_addresses=", "shared_buffers=64MB"].map(str::to_owned);
        for setting in usual.iter().chain(&self.settings) {
            command.args(["-c", setting]);
        }
        let child = command.stdout(Stdio::null()).stderr(log.expect("a log")).spawn();
        self.child = Some(child.expect("postgres"));
        let until = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(Instant::now() < until, "PostgreSQL does not start: {log}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn answers(&self) -> bool {
        let mut asked = self.command("pg_isready");
        asked.arg("-qh").arg(self.folder.path());
        asked.status().is_ok_and(|answered| answered.success())
    }

    /// Ends the server as a power cut does: at once.
    pub(crate) fn crash(&mut self) {
        self.signal("QUIT");
    }

    fn signal(&mut self, signal: &str) {
        if let Some(mut child) = self.child.take() {
            let id = child.id().to_string();
            let killed = Command::new("kill").args([&format!("-{signal}"), &id]).status();
            assert!(killed.is_ok_and(|killed| killed.success()));
            child.wait().expect("the server");
        }
    }

    /// Returns the configuration of a connection to a database.
    pub(crate) fn config(&self, database: &str) -> Config {
        let mut config = Config::new();
        config.host_path(self.folder.path()).user("tollgate").dbname(database);
        config
    }

    /// Opens the accounts.
    pub(crate) fn front(&self) -> Front {
        Front::open(self.config("postgres")).expect("the server answers")
    }

    /// Runs a statement as another program does.
    pub(crate) fn sql(&self, sql: &str) -> String {
        let done = self
            .command("psql")
            .args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-U", "tollgate", "-d", "postgres", "-h"])
            .arg(self.folder.path())
            .args(["-c", sql])
            .output()
            .expect("psql");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{sql}: {said}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("QUIT");
    }
}

fn is_root(path: &Path) -> bool {
    fs::metadata(path).expect("it is there").uid() == 0
}

/// Returns the folder with the programs: that of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}
