//! The example flow, one of whose receivers gets its files by a road.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::servers::{PASSWORD, Server, Sftp};

/// Files by their names; those that are hidden are left out.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = paths.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    named
        .filter(|(name, path)| !name.starts_with('.') && path.is_file())
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// How many files come out for each receiver.
pub(crate) const FILES: usize = 4;

pub(crate) fn sorted(octets: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let mut octets: Vec<_> = octets.collect();
    octets.sort();
    octets
}

pub(crate) struct Site {
    folder: TempDir,
    served: Option<(Sftp, Server)>,
}

/// A gateway that runs until this goes.
pub(crate) struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const DELIVER: &str = "dir = \"out/roaming\"";

impl Site {
    /// One whose receiver has a folder here, with some options.
    pub(crate) fn new(options: &str) -> Self {
        let comma = if options.is_empty() { "" } else { ", " };
        Self::delivering(&format!("dir = \"out/roaming\"{comma}{options}"))
    }

    pub(crate) fn delivering(deliver: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let site = Site { folder, served: None };
        assert_eq!(site.tollgate("init .").0, 0);
        fs::remove_dir_all(site.path("in")).unwrap();
        let line = format!("simulate cdr --seed 1 --count 2000 --files {FILES} in");
        assert_eq!(site.tollgate(&line).0, 0);
        site.change(DELIVER, deliver);
        site
    }

    /// One whose receiver has an SFTP server, with some options.
    pub(crate) fn served(kind: Sftp, options: &str) -> Self {
        let mut site = Self::delivering("FAR");
        fs::create_dir_all(site.root().join("in")).unwrap();
        fs::write(site.path("password"), PASSWORD).unwrap();
        site.served = Some((kind, kind.serve(&site.root())));
        let comma = if options.is_empty() { "" } else { ", " };
        site.change("FAR", &format!("{}{comma}{options}", site.far()));
        site
    }

    /// What a flow file says of the server.
    pub(crate) fn far(&self) -> String {
        let (kind, server) = self.served.as_ref().unwrap();
        let url = kind.url(server, &self.root(), "in");
        let host_key = &server.said[1];
        format!(
            "url = \"{url}\", password-file = \"password\", host-key = \"{host_key}\", timeout = \"10 seconds\""
        )
    }

    pub(crate) fn change(&self, from: &str, to: &str) {
        let flow = fs::read_to_string(self.path("flow.toml")).unwrap();
        assert!(flow.contains(from), "{flow}");
        fs::write(self.path("flow.toml"), flow.replacen(from, to, 1)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the server serves.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("served/root")
    }

    pub(crate) fn received(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.root().join("in"))
    }

    pub(crate) fn stop_server(&mut self) {
        let (kind, server) = self.served.take().unwrap();
        let port = server.port();
        drop(server);
        // Started again it has another port, and another key.
        let _ = (kind, port);
    }

    pub(crate) fn start_server(&mut self) {
        let old = self.deliver_line();
        self.served = Some((Sftp::Asyncssh, Sftp::Asyncssh.serve(&self.root())));
        let from = &old[old.find("url").unwrap()..old.find(", timeout").unwrap()];
        let far = self.far();
        self.change(from, &far[..far.find(", timeout").unwrap()]);
    }

    pub(crate) fn port(&self) -> u16 {
        self.served.as_ref().unwrap().1.port()
    }

    fn deliver_line(&self) -> String {
        let flow = fs::read_to_string(self.path("flow.toml")).unwrap();
        flow.lines().find(|line| line.contains("url =")).unwrap().to_owned()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(self.folder.path()).args(line.split(' '));
        command
    }

    /// The status of a command and what it said.
    pub(crate) fn tollgate(&self, line: &str) -> (i32, String) {
        let output = self.command(line).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
    }

    pub(crate) fn run(&self) -> (i32, String) {
        self.tollgate("run flow.toml --once")
    }

    /// A gateway that goes on and on.
    pub(crate) fn start(&self) -> Gateway {
        let mut command = self.command("run flow.toml");
        let log = fs::File::create(self.path("log")).unwrap();
        Gateway(command.stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    /// Asks until the answer is as it is to be.
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
