//! A PostgreSQL server of their own for tests and measurements: in a temporary folder, on a socket in it.
#![forbid(unsafe_code)]

mod processor_time;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The user and group of the server where this program runs as root, which PostgreSQL refuses for itself.
const UNPRIVILEGED: u32 = 65_534;

/// How long the server may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// The time between two looks whether it has started.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Runs a program without the files that this process lets its children have, such as locks: a server would hold them. The
/// loop has no redirection of its own: the shell would have what it redirects in one of these files.
const ALONE: &str = r#"
    for file in /proc/self/fd/*; do
        [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
    done
    exec "$@""#;

/// The user of the databases.
const USER: &str = "tollgate";

/// A running server. Dropping it stops it, and removes its folder.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    /// The folder of its socket and its log.
    folder: TempDir,
    /// The folder of its data.
    data: PathBuf,
    settings: Vec<String>,
    child: Option<Child>,
}

/// Why a server does not start, or does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A file or a program cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A program of PostgreSQL fails.
    #[error("PostgreSQL: {program} fails: {why}")]
    Failed {
        /// The program.
        program: String,
        /// Its output.
        why: String,
    },
}

impl Server {
    /// Starts a server with settings such as `shared_buffers=64MB`. `None` if PostgreSQL is not installed.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn start(settings: &[&str]) -> Result<Option<Self>, ServerError> {
        let folder = TempDir::new_in(folder_for_all())?;
        let data = folder.path().join("data");
        Self::start_in(folder, data, settings)
    }

    /// Starts a server whose data is in a new folder at a place that all users reach. `None` if PostgreSQL is not installed.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn start_at(data: &Path, settings: &[&str]) -> Result<Option<Self>, ServerError> {
        Self::start_in(TempDir::new_in(folder_for_all())?, data.to_owned(), settings)
    }

    fn start_in(
        folder: TempDir,
        data: PathBuf,
        settings: &[&str],
    ) -> Result<Option<Self>, ServerError> {
        let Some(programs) = programs() else { return Ok(None) };
        fs::create_dir(&data)?;
        if is_root()? {
            for own in [folder.path(), &data] {
                chown(own, Some(UNPRIVILEGED), Some(UNPRIVILEGED))?;
            }
        }
        let settings = settings.iter().map(|of| (*of).to_owned()).collect();
        let mut server = Server { programs, folder, data, settings, child: None };
        let mut initdb = server.command("initdb")?;
        initdb.args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D"]);
        initdb.arg(&server.data);
        succeeded("initdb", initdb.arg(format!("--username={USER}")).output()?)?;
        server.run()?;
        Ok(Some(server))
    }

    /// Returns a program of PostgreSQL as a command of a user that is not root.
    fn command(&self, program: &str) -> io::Result<Command> {
        let mut command = Command::new("bash");
        command.args(["-c", ALONE, "bash"]).arg(self.programs.join(program));
        if is_root()? {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command.current_dir(self.folder.path());
        Ok(command)
    }

    /// Starts the server again after a crash, and waits until it answers.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn run(&mut self) -> Result<(), ServerError> {
        let log = self.folder.path().join("log");
        let mut command = self.command("postgres")?;
        command.arg("-D").arg(&self.data);
        command.args(["-c", "listen_addresses=", "-k"]).arg(self.folder.path());
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        let output = fs::File::options().create(true).append(true).open(&log)?;
        self.child = Some(command.stdout(Stdio::null()).stderr(output).spawn()?);
        let until = Instant::now() + STARTS_WITHIN;
        while !self.answers()? {
            if Instant::now() > until {
                let why = fs::read_to_string(log)?;
                return Err(ServerError::Failed { program: "postgres".to_owned(), why });
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    fn answers(&self) -> io::Result<bool> {
        let mut ready = self.command("pg_isready")?;
        Ok(ready.arg("-qh").arg(self.folder.path()).status()?.success())
    }

    /// Ends the server as a power cut does: at once.
    ///
    /// # Errors
    ///
    /// The system refuses the signal.
    pub fn crash(&mut self) -> io::Result<()> {
        if let Some(mut child) = self.child.take() {
            kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGQUIT)?;
            child.wait()?;
        }
        Ok(())
    }

    /// Returns the folder of its socket, which is the host for clients.
    pub fn host(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of its socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// Returns the user of its databases. It needs no password.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// Returns the address of a database, as settings have it.
    pub fn address(&self, database: &str) -> String {
        format!("host={} user={USER} dbname={database}", self.folder.path().display())
    }

    /// Creates a database.
    ///
    /// # Errors
    ///
    /// It is there already, or the server is not.
    pub fn create_database(&self, name: &str) -> Result<(), ServerError> {
        let mut create = self.command("createdb")?;
        create.args(["-U", USER, "-h"]).arg(self.folder.path()).arg(name);
        succeeded("createdb", create.output()?).map(drop)
    }

    /// Runs a statement in the first database, as another program does. Returns its rows as text.
    ///
    /// # Errors
    ///
    /// The server refuses it.
    pub fn sql(&self, sql: &str) -> Result<String, ServerError> {
        let mut psql = self.command("psql")?;
        psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-U", USER, "-d", "postgres", "-h"]);
        let done = succeeded("psql", psql.arg(self.folder.path()).args(["-c", sql]).output()?)?;
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    }

    /// Returns the processor time of all processes of the server until now, those that have ended included.
    ///
    /// # Errors
    ///
    /// The system does not show it.
    ///
    /// # Panics
    ///
    /// The server has crashed.
    pub fn processor_time(&self) -> io::Result<Duration> {
        processor_time::of(self.child.as_ref().expect("it runs").id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.crash();
    }
}

fn succeeded(program: &str, output: Output) -> Result<Output, ServerError> {
    match output.status.success() {
        true => Ok(output),
        false => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(ServerError::Failed { program: program.to_owned(), why })
        }
    }
}

fn is_root() -> io::Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

/// Returns the folder for temporary files, or another one if users that are not root cannot reach it.
fn folder_for_all() -> PathBuf {
    let reaches = |folder: &Path| {
        let is_open = |of: &Path| of.metadata().is_ok_and(|of| of.permissions().mode() & 1 == 1);
        folder.ancestors().all(is_open)
    };
    let folders = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    folders.into_iter().find(|folder| reaches(folder)).unwrap_or_else(std::env::temp_dir)
}

/// Returns the folder with the programs: that of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}
