//! Files over SFTP. The host is identified by its host key, which the flow has to name: a key that any host could show
//! proves nothing.

mod answers;
mod attributes;
mod files;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, plain};
use russh::client::{self, AuthResult, Handle};
use russh::keys::known_hosts::known_host_keys_path;
use russh::keys::ssh_key::{Algorithm, Fingerprint, HashAlg, PublicKey};
use russh::keys::{PrivateKeyWithHashAlg, PublicKeyOrCertificate, load_secret_key};
use russh::{ChannelMsg, Disconnect, Preferred, cipher};
use russh_sftp::client::error::Error as SftpError;
use russh_sftp::protocol::File;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use transport::{
    Access, Listing, Parcel, Place, PutMethod, RemoteConnection, RemoteError, RemoteFile,
    RemoteKind, Scheme,
};

use self::answers::{failed, not_made, stopped};
use self::files::{Files, NotListed};
use crate::calls::{SSH_OCTETS, free, runtime, unreachable, whole, within};
use crate::fault::Fault;
use crate::lasting::Lasting;

const PORT: u16 = 22;

/// The maximum number of files and folders opened on one connection. The library reads a server's handle as text, and
/// changes one that is not valid text. Servers that number handles in octets send such a handle with the 129th.
const OPENED_MAX: u32 = 100;

/// How long a connection that ends may take to send its disconnect message.
const FAREWELL: Duration = Duration::from_millis(200);

/// The prefix of a path that is relative to the login folder.
const HOME: &str = "/~/";

/// `sftp://user@host:port/folder`.
pub(crate) struct Sftp;

impl Scheme for Sftp {
    fn names(&self) -> &'static [&'static str] {
        &["sftp"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["password", "password-file", "key-file", "key-passphrase-file", "host-key", "known-hosts"]
    }

    fn place(&self, access: Access) -> Result<Box<dyn Place>, Diagnostic> {
        if access.address.user.is_none() {
            let hint = "write \"sftp://user@host/folder\"";
            return Err(access.mistake("no user is named to log in as").hint(hint));
        }
        if ["password", "password-file", "key-file"].iter().all(|key| access.text(key).is_none()) {
            let hint = "name a file with \"key-file\" or \"password-file\"";
            return Err(access.mistake("nothing is said by which to log in").hint(hint));
        }
        let host_key = match (access.text("host-key"), access.path("known-hosts")) {
            (Some(key), None) => HostKey::Fingerprint(key.parse().map_err(|_| {
                let hint = "\"ssh-keygen -lf\" shows the one of a key, and \"ssh-keyscan\" what a machine shows";
                access.mistake("\"host-key\" is written as \"SHA256:…\"").hint(hint)
            })?),
            (None, Some(_)) => HostKey::Known,
            _ => {
                let hint = "write the key's fingerprint, host-key = \"SHA256:…\", or name a file of keys with \
                            \"known-hosts\"";
                return Err(access.mistake("one thing says by which key the machine is known").hint(hint));
            }
        };
        Ok(Box::new(SftpPlace { access, host_key }))
    }
}

/// How the host is identified.
#[derive(Clone, Debug)]
enum HostKey {
    /// By the fingerprint of its key.
    Fingerprint(Fingerprint),
    /// By its key in the file `known-hosts`.
    Known,
}

#[derive(Clone, Debug)]
struct SftpPlace {
    access: Access,
    host_key: HostKey,
}

impl Place for SftpPlace {
    fn address(&self) -> String {
        self.access.address.to_string()
    }

    fn put_method(&self) -> PutMethod {
        PutMethod::Rename
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let place = self.clone();
        Ok(Box::new(Lasting::connect(move || Ok(Box::new(place.line()?)))?))
    }
}

impl SftpPlace {
    fn line(&self) -> Result<SftpConnection, RemoteError> {
        let runtime = runtime()?;
        let (session, files) = runtime.block_on(self.log_in())?;
        let folder = self.folder();
        let (place, timeout) = (self.clone(), self.access.timeout);
        let (files, opened) = (Some(files), 0);
        Ok(SftpConnection { files, session, runtime, place, folder, timeout, opened })
    }

    /// Returns the folder to which names are relative.
    fn folder(&self) -> String {
        let path = &self.access.address.path;
        let within = path.strip_prefix(HOME);
        let folder = within.unwrap_or(path).trim_end_matches('/');
        if folder.is_empty() && within.is_some() { ".".into() } else { folder.into() }
    }

    async fn log_in(&self) -> Result<(Handle<Client>, Files), RemoteError> {
        let Access { address, timeout, .. } = &self.access;
        let port = address.port.unwrap_or(PORT);
        let place = format!("{}:{port}", address.host_in_brackets());
        let context = format!("could not log in to {place}");
        let mut client = Client { place: place.clone(), known: Vec::new() };
        let mut preferred = Preferred::DEFAULT;
        // Processors have instructions for AES, but none for ChaCha20. OpenSSH too prefers AES-128 to AES-256, since it
        // takes less time.
        preferred.cipher = vec![
            cipher::AES_128_GCM,
            cipher::AES_256_GCM,
            cipher::CHACHA20_POLY1305,
            cipher::AES_256_CTR,
            cipher::AES_128_CTR,
        ]
        .into();
        match &self.host_key {
            HostKey::Fingerprint(key) => client.known.push(KnownHostKey::Fingerprint(*key)),
            HostKey::Known => {
                let keys = self.known_keys(&address.host, port)?;
                let is_known = |algorithm: &Algorithm| {
                    keys.iter().any(|key| is_of(&key.algorithm(), algorithm))
                };
                let wanted = preferred.key.iter().filter(|algorithm| is_known(algorithm));
                preferred.key = wanted.cloned().collect::<Vec<_>>().into();
                client.known.extend(keys.into_iter().map(KnownHostKey::Key));
            }
        }
        let config = client::Config {
            preferred,
            maximum_packet_size: SSH_OCTETS,
            inactivity_timeout: None,
            ..client::Config::default()
        };
        let stream = within(*timeout, &place, TcpStream::connect((&*address.host, port))).await?;
        let stream = stream.map_err(|error| unreachable(&place, error))?;
        let _ = stream.set_nodelay(true);
        let connecting = client::connect_stream(Arc::new(config), stream, client);
        let mut session =
            within(*timeout, &context, connecting).await?.map_err(|error| match error {
                ClientError::NotKnown(fault) => RemoteError::shut(*fault),
                ClientError::Protocol(error) => not_made(error, &context),
            })?;
        within(*timeout, &context, self.authenticate(&mut session, (&place, &context))).await??;
        let opening = async {
            let mut channel = session.channel_open_session().await?;
            channel.request_subsystem(true, "sftp").await?;
            loop {
                match channel.wait().await {
                    Some(ChannelMsg::Success) => return Ok(channel.into_stream()),
                    None | Some(ChannelMsg::Failure | ChannelMsg::Close | ChannelMsg::Eof) => {
                        return Err(russh::Error::RequestDenied);
                    }
                    // For example a window adjustment.
                    Some(_) => {}
                }
            }
        };
        let opened = within(*timeout, &place, opening).await?;
        let stream = opened.map_err(|error| not_made(error, &format!("{place} gives no SFTP")))?;
        let files = Files::begin(stream, *timeout).await;
        Ok((session, files.map_err(|error| failed(error, "begin SFTP", &place, *timeout))?))
    }

    fn known_keys(&self, host: &str, port: u16) -> Result<Vec<PublicKey>, RemoteError> {
        let path = self.access.path("known-hosts").unwrap_or_default();
        let unread = |error: &dyn std::fmt::Display| {
            let (path, cause) = (path.display().to_string(), error.to_string());
            RemoteError::shut(Fault::SshKnownHostsUnread { path, cause })
        };
        plain::open(&path).map_err(|error| unread(&error))?;
        let keys = known_host_keys_path(host, port, &path).map_err(|error| unread(&error))?;
        match keys.is_empty() {
            true => {
                let (path, host) = (path.display().to_string(), host.to_owned());
                Err(RemoteError::shut(Fault::SshNoKnownHost { path, host }))
            }
            false => Ok(keys.into_iter().map(|(_, key)| key).collect()),
        }
    }

    /// Logs in with the key, if there is one, or else with the password.
    async fn authenticate(
        &self,
        session: &mut Handle<Client>,
        (place, context): (&str, &str),
    ) -> Result<(), RemoteError> {
        let user = self.access.address.user.clone().unwrap_or_default();
        let failed = |error| not_made(error, context);
        let mut result = None;
        if let Some(path) = self.access.path("key-file") {
            let passphrase = self.access.secret_file("key-passphrase-file")?;
            let unread = |error: &dyn std::fmt::Display| {
                let (path, cause) = (path.display().to_string(), error.to_string());
                RemoteError::shut(Fault::SshKeyUnread { path, cause })
            };
            plain::open(&path).map_err(|error| unread(&error))?;
            let key = load_secret_key(&path, passphrase.as_ref().map(|secret| secret.reveal()));
            let key = key.map_err(|error| unread(&error))?;
            let hash = session.best_supported_rsa_hash().await.map_err(failed)?.flatten();
            let key = PrivateKeyWithHashAlg::new(Arc::new(key), hash.or(Some(HashAlg::Sha256)));
            result = Some(session.authenticate_publickey(&user, key).await.map_err(failed)?);
        }
        if !result.as_ref().is_some_and(AuthResult::success)
            && let Some(password) = self.access.password()?
        {
            let answer = session.authenticate_password(&user, password.reveal()).await;
            result = Some(answer.map_err(failed)?);
        }
        match result {
            Some(AuthResult::Success) => Ok(()),
            _ => Err(RemoteError::shut(Fault::NotLetIn { place: place.to_owned(), user })),
        }
    }
}

fn is_of(known: &Algorithm, wanted: &Algorithm) -> bool {
    known == wanted || matches!((known, wanted), (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }))
}

/// An accepted host key.
enum KnownHostKey {
    Fingerprint(Fingerprint),
    Key(PublicKey),
}

/// Checks the host key.
struct Client {
    place: String,
    known: Vec<KnownHostKey>,
}

#[derive(Debug, thiserror::Error)]
enum ClientError {
    #[error(transparent)]
    NotKnown(Box<Fault>),
    #[error(transparent)]
    Protocol(#[from] russh::Error),
}

impl client::Handler for Client {
    type Error = ClientError;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, ClientError> {
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else { return Ok(false) };
        let is_it = |known: &KnownHostKey| match known {
            KnownHostKey::Fingerprint(known) => key.fingerprint(known.algorithm()) == *known,
            // The comment is not part of the key.
            KnownHostKey::Key(known) => known.key_data() == key.key_data(),
        };
        if self.known.iter().any(is_it) {
            return Ok(true);
        }
        Err(ClientError::NotKnown(Box::new(Fault::SshHostKey {
            place: self.place.clone(),
            fingerprint: key.fingerprint(HashAlg::Sha256).to_string(),
            algorithm: key.algorithm().to_string(),
        })))
    }
}

/// A login, and the folder to which names are relative.
struct SftpConnection {
    files: Option<Files>,
    session: Handle<Client>,
    runtime: Runtime,
    place: SftpPlace,
    folder: String,
    timeout: Duration,
    opened: u32,
}

impl SftpConnection {
    fn path(&self, name: &str) -> String {
        match (self.folder.as_str(), name) {
            ("", "") => "/".into(),
            (folder, "") => folder.to_owned(),
            (folder, name) => format!("{folder}/{name}"),
        }
    }

    /// Counts an opened handle, and connects again before there are too many.
    fn opens(&mut self) -> Result<(), RemoteError> {
        self.opened += 1;
        if self.opened > OPENED_MAX {
            self.leave();
            let (session, files) = self.runtime.block_on(self.place.log_in())?;
            self.session = session;
            self.files = Some(files);
            self.opened = 1;
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.files = None;
        let leaving = self.session.disconnect(Disconnect::ByApplication, "", "");
        // A host that does not get the message notices the end by itself.
        let _ = self.runtime.block_on(within(FAREWELL, "", leaving));
    }

    /// Runs an operation on a file; `deed` names it in errors.
    fn call<T>(
        &self,
        (deed, name): (&str, &str),
        ask: impl AsyncFnOnce(&Files, String) -> Result<T, SftpError>,
    ) -> Result<T, RemoteError> {
        let done = self.runtime.block_on(ask(self.files()?, self.path(name)));
        done.map_err(|error| failed(error, deed, &self.shown(name), self.timeout))
    }

    /// Returns a name for messages; the folder itself is shown as its address.
    fn shown(&self, name: &str) -> String {
        if name.is_empty() { self.place.shown() } else { name.to_owned() }
    }

    fn files(&self) -> Result<&Files, RemoteError> {
        self.files.as_ref().ok_or_else(|| RemoteError::broken(Fault::ConnectionEnded))
    }

    /// Requests the attributes that a list leaves out, if the server may report them.
    fn complete(&mut self, folder: &str, listed: &mut [RemoteFile]) -> Result<(), RemoteError> {
        let within = |file: &RemoteFile| match folder {
            "" => self.path(&file.name),
            folder => self.path(&format!("{folder}/{}", file.name)),
        };
        let unknown: Vec<usize> = places(listed, attributes::is_incomplete);
        let paths: Vec<String> = unknown.iter().map(|at| within(&listed[*at])).collect();
        let known = self.runtime.block_on(self.files()?.stat_each(paths));
        for (at, known) in unknown.into_iter().zip(known) {
            known.iter().for_each(|known| attributes::complete(&mut listed[at], known));
        }
        let unknown: Vec<usize> = places(listed, |file| file.kind == RemoteKind::Unknown);
        let paths: Vec<String> = unknown.iter().map(|at| within(&listed[*at])).collect();
        let kinds = self.runtime.block_on(self.files()?.kind_each(paths));
        for (at, kind) in unknown.into_iter().zip(kinds) {
            listed[at].kind = kind;
            // Finding out opened each folder.
            self.opened += u32::from(kind == RemoteKind::Folder);
        }
        Ok(())
    }
}

/// Returns the indices of the files for which `is_so` holds.
fn places(listed: &[RemoteFile], is_so: impl Fn(&RemoteFile) -> bool) -> Vec<usize> {
    (0..listed.len()).filter(|at| is_so(&listed[*at])).collect()
}

impl RemoteConnection for SftpConnection {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        self.opens()?;
        let path = self.path(folder);
        let listed = self.runtime.block_on(self.files()?.list(path));
        let listed = listed.map_err(|why| match why {
            NotListed::There(error) => failed(error, "list", &self.shown(folder), self.timeout),
            NotListed::Endless => {
                RemoteError::shut(Fault::SftpEndlessList { folder: self.shown(folder) })
            }
        })?;
        let mut files: Vec<RemoteFile> = listed.iter().map(attributes::listed).collect();
        self.complete(folder, &mut files)?;
        Ok(Listing { files, unreadable: Vec::new() })
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        let attrs = self.call(("look at", name), async |files, path| files.stat(path).await)?;
        let known = File { filename: name.to_owned(), longname: String::new(), attrs };
        let mut file = attributes::listed(&known);
        if file.kind == RemoteKind::Unknown {
            let path = self.path(name);
            let kinds = self.runtime.block_on(self.files()?.kind_each([path]));
            file.kind = kinds.first().copied().unwrap_or(RemoteKind::Unknown);
            self.opened += u32::from(file.kind == RemoteKind::Folder);
        }
        Ok(file)
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        self.opens()?;
        let open = async |files: &Files, path| files.open(path, false).await;
        let handle = self.call(("open", name), open)?;
        let files = self.files()?;
        let fetched = self.runtime.block_on(files.read(&handle, to));
        // The message that closes the handle only goes out while the runtime runs.
        let _ = self.runtime.block_on(files.close(handle));
        fetched.map_err(|why| stopped(why, "read", name, self.timeout))
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        self.opens()?;
        let mut from = parcel.open()?;
        let open = async |files: &Files, path| files.open(path, true).await;
        let handle = self.call(("write", name), open)?;
        let files = self.files()?;
        let octets = self.runtime.block_on(async {
            let failed = |error| failed(error, "write", name, self.timeout);
            let written = match files.write(&handle, &mut *from).await {
                Ok(octets) => files.sync(&handle).await.map(|()| octets).map_err(failed),
                Err(why) => Err(stopped(why, "write", name, self.timeout)),
            };
            // Also after an error: a handle stays open as long as the connection.
            let closed = files.close(handle).await.map_err(failed);
            written.and_then(|octets| closed.map(|()| octets))
        })?;
        whole(self, name, octets)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        // The protocol forbids a rename to replace a file, but not all servers follow it.
        free(self, to)?;
        let target = self.path(to);
        self.call(("rename", from), async |files, path| files.rename(path, target).await)
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        self.call(("remove", name), async |files, path| files.remove(path).await)
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        let make = async |files: &Files, path| files.make_folder(path).await;
        match self.call(("make the folder", name), make) {
            // Servers differ in their answers for a folder that exists.
            Err(error) => match self.stat(name) {
                Ok(RemoteFile { kind: RemoteKind::Folder, .. }) => Ok(()),
                _ => Err(error),
            },
            made => made,
        }
    }
}

impl Drop for SftpConnection {
    fn drop(&mut self) {
        self.leave();
    }
}
