//! Servers of other projects, started on loopback by the test that needs them. Their packages are fetched once, into
//! `target/servers`.
#![allow(dead_code, unreachable_pub)] // Two test programs include this module, and neither uses all of it.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The packages from PyPI, with their versions.
const PACKAGES: [&str; 4] =
    ["asyncssh==2.24.1", "moto[server]==5.2.5", "pyftpdlib==2.2.0", "pyOpenSSL==26.4.0"];

/// A running server; dropping it kills it.
pub struct Server {
    child: Child,
    /// The lines that it printed when it was ready. The first one is the port.
    pub said: Vec<String>,
}

impl Server {
    /// Starts a program of this folder, and waits until it has printed this many lines.
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

    /// Returns the port of the control connection.
    pub fn port(&self) -> u16 {
        self.said[0].parse().unwrap()
    }

    /// Returns the ports for data connections, if there are any.
    pub fn ports_of_files(&self) -> Vec<u16> {
        let ports = self.said.get(1).into_iter().flat_map(|ports| ports.split(' '));
        ports.map_while(|port| port.parse().ok()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kinds of servers for a folder. Keys and passwords are beside the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SFTP with the Python library `asyncssh`; the folder is its root.
    Asyncssh,
    /// SFTP with `sftp-server` of OpenSSH, behind the login of `asyncssh`; its root is that of the host.
    OpenSsh,
    /// FTP with the Python library `pyftpdlib`.
    Ftp,
    /// FTP over TLS, with the same library.
    Ftps,
    /// S3 with the Python library `moto`; the folders in the folder are its buckets.
    S3,
    /// HTTP with the Python library's server. It accepts files by `PUT`.
    Put,
    /// The same server, by `POST`.
    Post,
    /// The same server, by `PUT` over TLS.
    Https,
}

/// The password of the user `cdr`.
pub const PASSWORD: &str = "vielgeheimer";

impl Kind {
    /// Serves a folder. SFTP accepts the keys in a file `authorized` beside it.
    pub fn serve(self, folder: &Path) -> Server {
        let beside = folder.parent().unwrap();
        fs::write(beside.join("password"), format!("{PASSWORD}\n")).unwrap();
        if matches!(self, Kind::Ftps | Kind::Https) {
            certificate(beside);
        }
        let folder = folder.to_str().unwrap();
        match self {
            Kind::Asyncssh => Server::python("sftp.py", &[folder, PASSWORD], 3),
            Kind::OpenSsh => {
                let program = tools().join("openssh/usr/lib/openssh/sftp-server");
                Server::python("sftp.py", &[folder, PASSWORD, program.to_str().unwrap()], 3)
            }
            Kind::Ftp => Server::python("ftp.py", &[folder, PASSWORD], 2),
            Kind::Ftps => Server::python("ftp.py", &[folder, PASSWORD, "tls"], 2),
            Kind::S3 => Server::python("s3.py", &[folder, "cdr", PASSWORD], 1),
            Kind::Put | Kind::Post => Server::python("receiver.py", &[folder, PASSWORD], 1),
            Kind::Https => {
                let own = beside.join("server.pem");
                Server::python("receiver.py", &[folder, PASSWORD, own.to_str().unwrap()], 1)
            }
        }
    }

    /// Returns the address of a folder inside the served one.
    pub fn url(self, server: &Server, root: &Path, folder: &str) -> String {
        let at = format!("127.0.0.1:{}", server.port());
        match self {
            Kind::Asyncssh => format!("sftp://cdr@{at}/{folder}"),
            Kind::OpenSsh => format!("sftp://cdr@{at}{}/{folder}", root.display()),
            Kind::Ftp => format!("ftp://cdr@{at}/{folder}"),
            Kind::Ftps => format!("ftps://cdr@{at}/{folder}"),
            Kind::S3 => format!("s3://{folder}"),
            Kind::Put | Kind::Post => format!("http://{at}/{folder}"),
            Kind::Https => format!("https://cdr@{at}/{folder}"),
        }
    }

    /// Returns the settings of a flow file for a folder inside the served one.
    pub fn settings(self, server: &Server, root: &Path, folder: &str) -> String {
        let url = self.url(server, root, folder);
        let beside = |name: &str| root.parent().unwrap().join(name).display().to_string();
        let password = format!("password-file = \"{}\"", beside("password"));
        let known = format!("certificate-authority = \"{}\"", beside("authority.pem"));
        let more = match self {
            Kind::Asyncssh | Kind::OpenSsh => {
                format!("{password}, host-key = \"{}\"", server.said[1])
            }
            Kind::Ftp => password,
            Kind::Ftps | Kind::Https => format!("{password}, {known}"),
            Kind::S3 => format!(
                "endpoint = \"http://127.0.0.1:{}\", access-key = \"cdr\", secret-key-file = \"{}\"",
                server.port(),
                beside("password")
            ),
            Kind::Put => format!("token-file = \"{}\"", beside("password")),
            Kind::Post => format!("method = \"POST\", token-file = \"{}\"", beside("password")),
        };
        format!("url = \"{url}\", {more}")
    }
}

/// Writes a certificate for "localhost" and its addresses, with its key, to `server.pem`, and the certificate of its
/// authority to `authority.pem`.
pub fn certificate(folder: &Path) {
    let [authority, key, asked, made] =
        ["authority", "key", "asked", "made"].map(|name| folder.join(format!("{name}.pem")));
    let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let own_key = folder.join("authority.key");
    run(Command::new("openssl")
        .args(["req", "-x509", "-days", "2", "-subj", "/CN=authority"])
        .args(new)
        .arg("-keyout")
        .arg(&own_key)
        .arg("-out")
        .arg(&authority));
    let name = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2";
    run(Command::new("openssl")
        .args(["req", "-subj", "/CN=localhost", "-addext", name])
        .args(new)
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&asked));
    run(Command::new("openssl")
        .args(["x509", "-req", "-days", "2", "-copy_extensions", "copy", "-CAcreateserial", "-in"])
        .arg(&asked)
        .arg("-CA")
        .arg(&authority)
        .arg("-CAkey")
        .arg(&own_key)
        .arg("-out")
        .arg(&made));
    fs::write(folder.join("server.pem"), [key, made].map(|path| fs::read(path).unwrap()).concat())
        .unwrap();
}

/// Writes a self-signed certificate as `openssl req -x509` makes it: marked as an authority's own, without a host name.
/// `server.pem` contains it with its key, `own.pem` contains it alone.
pub fn self_signed(folder: &Path) {
    let [key, own] = ["key", "own"].map(|name| folder.join(format!("{name}.pem")));
    run(Command::new("openssl")
        .args(["req", "-x509", "-days", "2", "-subj", "/CN=billing", "-newkey", "ec"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&own));
    fs::write(folder.join("server.pem"), [key, own].map(|path| fs::read(path).unwrap()).concat())
        .unwrap();
}

/// Returns the folder with the programs of the servers. It fetches them if they are missing.
fn tools() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let tools = target.join("servers");
    fs::create_dir_all(&tools).unwrap();
    // Tests run concurrently.
    let lock = File::create(tools.join("lock")).unwrap();
    lock.lock().unwrap();
    let fetched = tools.join("fetched");
    let whole = PACKAGES.join(" ");
    if fs::read_to_string(&fetched).is_ok_and(|text| text == whole) {
        return tools;
    }
    let python = tools.join("python");
    let _ = fs::remove_dir_all(&python);
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
