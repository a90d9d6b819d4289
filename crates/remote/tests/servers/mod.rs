//! Servers that others wrote, started on loopback by the test that needs them. What they are made of is fetched once, and
//! lies in `target/servers`.
#![allow(dead_code, unreachable_pub)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What is fetched from PyPI, and by which version.
const PACKAGES: [&str; 1] = ["asyncssh==2.24.1"];

/// A server, which ends with this.
pub struct Server {
    child: Child,
    /// What it said of itself when it began, a line each; the port is the first.
    pub said: Vec<String>,
}

impl Server {
    /// Starts a program of this folder, which says so many lines when it is ready.
    pub fn python(program: &str, arguments: &[&str], lines: usize) -> Self {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../remote/tests/servers").join(program);
        Self::start(
            Command::new(tools().join("python/bin/python")).arg(script).args(arguments),
            lines,
        )
    }

    fn start(command: &mut Command, lines: usize) -> Self {
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let said: Vec<String> = output.lines().take(lines).map(Result::unwrap).collect();
        assert_eq!(said.len(), lines, "{command:?} did not begin");
        Server { child, said }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.said[0].parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Who serves files by SFTP.
#[derive(Clone, Copy, Debug)]
pub enum Sftp {
    /// The Python library `asyncssh`; the folder is its root.
    Asyncssh,
    /// `sftp-server` of OpenSSH, behind the login of the other; its root is that of the machine.
    OpenSsh,
}

/// What `cdr` logs in to [`Sftp`] by.
pub const PASSWORD: &str = "vielgeheimer";

impl Sftp {
    /// Serves a folder. Keys in a file `authorized` beside it are let in.
    pub fn serve(self, folder: &Path) -> Server {
        let folder = folder.to_str().unwrap();
        match self {
            Sftp::Asyncssh => Server::python("sftp.py", &[folder, PASSWORD], 3),
            Sftp::OpenSsh => {
                let program = tools().join("openssh/usr/lib/openssh/sftp-server");
                Server::python("sftp.py", &[folder, PASSWORD, program.to_str().unwrap()], 3)
            }
        }
    }

    /// The address of a folder within the served one.
    pub fn url(self, server: &Server, root: &Path, folder: &str) -> String {
        let root = match self {
            Sftp::Asyncssh => "",
            Sftp::OpenSsh => root.to_str().unwrap(),
        };
        format!("sftp://cdr@127.0.0.1:{}{root}/{folder}", server.port())
    }
}

/// The folder with what servers are made of; fetched, where it is not there.
fn tools() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let tools = target.join("servers");
    fs::create_dir_all(&tools).unwrap();
    // Tests run beside each other.
    let lock = File::create(tools.join("lock")).unwrap();
    lock.lock().unwrap();
    let fetched = tools.join("fetched");
    let whole = PACKAGES.join(" ");
    if fs::read_to_string(&fetched).is_ok_and(|text| text == whole) {
        return tools;
    }
    let python = tools.join("python");
    run(Command::new("python3").args(["-m", "venv"]).arg(&python));
    run(Command::new(python.join("bin/pip")).args(["-q", "install"]).args(PACKAGES));
    run(Command::new("apt-get")
        .args(["-q", "download", "openssh-sftp-server"])
        .current_dir(&tools));
    let package = fs::read_dir(&tools).unwrap().map(|entry| entry.unwrap().path());
    let package = package.filter(|path| path.extension().is_some_and(|end| end == "deb")).max();
    run(Command::new("dpkg").arg("-x").arg(package.unwrap()).arg(tools.join("openssh")));
    fs::write(fetched, whole).unwrap();
    tools
}

fn run(command: &mut Command) {
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("{command:?}, which these tests need: {error}"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}, which these tests need: {told}");
}
