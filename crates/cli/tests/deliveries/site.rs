//! The example flow with one receiver that gets its files by a server or in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::tollgate::tollgate;
use crate::deliveries::proxy::Proxy;
use crate::servers::{Kind, Server};

/// Returns files by their names, without hidden ones.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = paths.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    named
        .filter(|(name, path)| !name.starts_with('.') && path.is_file())
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// How many files are made for each receiver.
pub(crate) const FILES: usize = 4;

pub(crate) struct Site {
    folder: TempDir,
    /// The kind of the receiver's server, if it has one, and the server while it runs.
    kind: Option<Kind>,
    server: Option<Server>,
}

/// A gateway that runs until this value is dropped.
pub(crate) struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const DELIVER: &str = "dir = \"out/roaming\"";

/// The receiver's folder on the server.
const IN: &str = "in";

impl Site {
    /// Creates a site whose receiver has a folder on this machine, with some options.
    pub(crate) fn new(options: &str) -> Self {
        let comma = if options.is_empty() { "" } else { ", " };
        Self::delivering(&format!("dir = \"out/roaming\"{comma}{options}"))
    }

    pub(crate) fn delivering(deliver: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let site = Site { folder, kind: None, server: None };
        assert_eq!(site.tollgate("init .").0, 0);
        fs::remove_dir_all(site.path("in")).unwrap();
        let line = format!("simulate cdr --seed 1 --count 2000 --files {FILES} in");
        assert_eq!(site.tollgate(&line).0, 0);
        site.change(DELIVER, deliver);
        site
    }

    /// Creates a site whose receiver has a server, with some options.
    pub(crate) fn served(kind: Kind, options: &str) -> Self {
        let mut site = Self::delivering("FAR");
        site.kind = Some(kind);
        fs::create_dir_all(site.received_in()).unwrap();
        site.server = Some(kind.serve(&site.root()));
        let comma = if options.is_empty() { "" } else { ", " };
        let far = format!("{}, timeout = \"10 seconds\"{comma}{options}", site.far(IN));
        site.change("FAR", &far);
        site
    }

    /// Returns the settings of the flow file for a folder of the server.
    pub(crate) fn far(&self, folder: &str) -> String {
        let (kind, server) = (self.kind.unwrap(), self.server.as_ref().unwrap());
        kind.settings(server, &self.root(), &self.within(folder))
    }

    /// Returns the name of a folder on the server: in an object store it is in a bucket.
    fn within(&self, folder: &str) -> String {
        match self.kind {
            Some(Kind::S3) => format!("records/{folder}"),
            _ => folder.to_owned(),
        }
    }

    /// Puts a line of the test between the gateway and the server.
    pub(crate) fn proxied(&self) -> Proxy {
        let server = self.server.as_ref().unwrap();
        let proxy = Proxy::to(server.port(), &server.ports_of_files());
        let (old, new) =
            (format!("127.0.0.1:{}", server.port()), format!("127.0.0.2:{}", proxy.port));
        self.change(&old, &new);
        proxy
    }

    pub(crate) fn change(&self, from: &str, to: &str) {
        let flow = fs::read_to_string(self.path("flow.toml")).unwrap();
        assert!(flow.contains(from), "{flow}");
        fs::write(self.path("flow.toml"), flow.replacen(from, to, 1)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the folder that the server serves.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("served/root")
    }

    /// Returns the path of a folder of the server.
    pub(crate) fn lies(&self, folder: &str) -> PathBuf {
        self.root().join(self.within(folder))
    }

    /// Returns the path of the receiver's folder.
    pub(crate) fn received_in(&self) -> PathBuf {
        self.lies(IN)
    }

    pub(crate) fn received(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.received_in())
    }

    /// Stops the server; returns the settings of the flow file for it.
    pub(crate) fn stop_server(&mut self) -> String {
        let far = self.far(IN);
        self.server = None;
        far
    }

    /// Starts the server again, with another port and another key, and updates the flow file.
    pub(crate) fn start_server(&mut self, said: &str) {
        self.server = Some(self.kind.unwrap().serve(&self.root()));
        self.change(said, &self.far(IN));
    }

    /// Returns the status of a command and its output.
    pub(crate) fn tollgate(&self, line: &str) -> (i32, String) {
        tollgate(self.folder.path(), line)
    }

    pub(crate) fn run(&self) -> (i32, String) {
        self.tollgate("run flow.toml --once")
    }

    /// Starts a gateway that runs without end.
    pub(crate) fn start(&self) -> Gateway {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(self.folder.path()).args(["run", "flow.toml"]);
        let log = fs::File::create(self.path("log")).unwrap();
        Gateway(command.stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    /// Repeats a command until its output is as expected.
    pub(crate) fn wait_for(&self, line: &str, is_it: impl Fn(&str) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let (_, said) = self.tollgate(line);
            if is_it(&said) {
                return;
            }
            let log = || fs::read_to_string(self.path("log")).unwrap_or_default();
            assert!(Instant::now() < end, "{line}: {said}\n{}", log());
            thread::sleep(Duration::from_millis(50));
        }
    }
}
