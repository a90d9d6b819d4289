//! Our own servers, which accept pushed files.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use remote::server::LISTENERS;
use tempfile::TempDir;
use transport::{Account, Accounts, Place, RunningServer};

use crate::kit::{place, table};
use crate::servers::{PASSWORD, certificate};

/// The protocol of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PushProtocol {
    Sftp,
    Http,
    Https,
}

/// All protocols of our servers. A new one adds a line here.
pub(crate) const PUSH_PROTOCOLS: [PushProtocol; 3] =
    [PushProtocol::Sftp, PushProtocol::Http, PushProtocol::Https];

/// Limit of the in buffer, in octets.
pub(crate) const LIMIT: usize = 4_000_000;

/// A running server, and the folder with its in buffer.
pub(crate) struct Own {
    pub(crate) protocol: PushProtocol,
    pub(crate) folder: TempDir,
    listening: Box<dyn RunningServer>,
}

impl Own {
    /// Starts a server that collects files ending with ".csv".
    pub(crate) fn serve(protocol: PushProtocol) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("password"), format!("{PASSWORD}\n")).unwrap();
        certificate(folder.path());
        let collect = [
            ("accept.user", "cdr"),
            ("accept.password-file", "password"),
            ("accept.token-file", "password"),
            ("pattern", "*.csv"),
            ("limit", "4 MB"),
        ];
        let account = Account::read(&table(folder.path(), &collect), &folder.path().join("in"));
        let accounts = Arc::new(Accounts::default());
        accounts.set(vec![account.unwrap().unwrap()]);
        let certificate = [("certificate-file", "server.pem"), ("key-file", "server.pem")];
        let mut settings = vec![("address", "127.0.0.1:0")];
        settings.extend(certificate.into_iter().filter(|_| protocol == PushProtocol::Https));
        let name = if protocol == PushProtocol::Sftp { "sftp" } else { "http" };
        let listener = LISTENERS.iter().find(|listener| listener.name() == name).unwrap();
        let service = listener.read(&table(folder.path(), &settings), folder.path());
        let service = service.unwrap_or_else(|mistakes| panic!("{}", mistakes[0].message));
        let listening = service.start(accounts).unwrap();
        Own { protocol, folder, listening }
    }

    pub(crate) fn address(&self) -> String {
        self.listening.address()
    }

    /// Returns the place that delivers to this server.
    pub(crate) fn place(&self) -> Box<dyn Place> {
        let at = self.address();
        let (url, more) = match self.protocol {
            PushProtocol::Sftp => {
                let key = Command::new("ssh-keygen")
                    .args(["-y", "-f"])
                    .arg(self.folder.path().join("sftp-host-key"))
                    .output();
                let key = String::from_utf8(key.unwrap().stdout).unwrap();
                let port = at.rsplit_once(':').unwrap().1;
                let known = self.folder.path().join("known");
                fs::write(&known, format!("[127.0.0.1]:{port} {key}")).unwrap();
                let more = vec![("password-file", "password"), ("known-hosts", "known")];
                (format!("sftp://cdr@{at}/"), more)
            }
            PushProtocol::Http => (format!("http://{at}/"), vec![("token-file", "password")]),
            PushProtocol::Https => (
                format!("https://{at}/"),
                vec![("token-file", "password"), ("certificate-authority", "authority.pem")],
            ),
        };
        let settings = [vec![("url", url.as_str())], more].concat();
        place(self.folder.path(), &settings).unwrap()
    }

    /// Returns the path of the in buffer.
    pub(crate) fn buffer(&self) -> PathBuf {
        self.folder.path().join("in")
    }

    /// Returns the names in the in buffer, including hidden ones.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.buffer()).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
