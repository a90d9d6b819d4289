//! An SFTP server for one folder, with a new password each time, on a loopback address. Benchmarks transfer files
//! through it. It works as fast as it can and syncs nothing to the disk.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::FileExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::{HashAlg, PrivateKey};
use russh::server::{Auth, ChannelOpenHandle, Config, Msg, Session, run_stream};
use russh::{Channel, ChannelId};
use russh_sftp::protocol::{
    Attrs, Data, FileAttributes, Handle, Name, OpenFlags, Packet, Status, StatusCode, Version,
};
use russh_sftp::server::{Handler, StatusReply};
use rustix::buffer::spare_capacity;
use rustix::io::pread;
use sha2::{Digest as _, Sha256};
use transport::RunningServer;

use crate::calls::SSH_OCTETS;
use crate::server::{Running, limits, listen};

/// With one thread, a request and its answer within the server wake no other thread.
const THREADS: usize = 1;

/// The number of names in one answer.
const NAMES_MAX: usize = 100;

/// The announced limit of open files and folders; it is not enforced.
const OPEN_MAX: u64 = 1000;

/// A running server; dropping it stops it.
pub struct Loopback {
    running: Running,
    /// The fingerprint of the host key.
    pub host_key: String,
    /// The password for any user name.
    pub password: String,
}

impl Loopback {
    /// Serves a folder.
    pub fn serve(folder: &Path) -> io::Result<Self> {
        let mut seed = [0; 64];
        File::open("/dev/urandom")?.read_exact(&mut seed)?;
        let (key, secret) = seed.split_at(32);
        let key = key.first_chunk().expect("it was split there");
        let key = PrivateKey::from(Ed25519Keypair::from_seed(key));
        let password: String =
            Sha256::digest(secret).iter().map(|octet| format!("{octet:02x}")).collect();
        let host_key = key.public_key().fingerprint(HashAlg::Sha256).to_string();
        let config = Config {
            keys: vec![key],
            auth_rejection_time: Duration::from_secs(1),
            maximum_packet_size: SSH_OCTETS,
            ..Config::default()
        };
        let (config, folder): (Arc<Config>, Arc<Path>) = (Arc::new(config), folder.into());
        let known: Arc<str> = password.as_str().into();
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let running = listen("loopback", THREADS, at, move |stream, _, stranger| {
            let visitor = Visitor {
                folder: Arc::clone(&folder),
                password: Arc::clone(&known),
                channels: HashMap::new(),
            };
            let config = Arc::clone(&config);
            async move {
                stranger.known().forget();
                if let Ok(session) = run_stream(config, stream, visitor).await {
                    let _ = session.await;
                }
            }
        })?;
        Ok(Loopback { running, host_key, password })
    }

    /// Returns its address and port.
    pub fn address(&self) -> String {
        self.running.address()
    }
}

/// A connection.
struct Visitor {
    folder: Arc<Path>,
    password: Arc<str>,
    channels: HashMap<ChannelId, Channel<Msg>>,
}

impl russh::server::Handler for Visitor {
    type Error = russh::Error;

    async fn auth_password(&mut self, _: &str, password: &str) -> Result<Auth, russh::Error> {
        Ok(if password == &*self.password { Auth::Accept } else { Auth::reject() })
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        self.channels.insert(channel.id(), channel);
        reply.accept().await;
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        id: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        let (Some(channel), "sftp") = (self.channels.remove(&id), name) else {
            return session.channel_failure(id);
        };
        session.channel_success(id)?;
        let visit =
            LoopbackSession { folder: Arc::clone(&self.folder), open: HashMap::new(), opened: 0 };
        russh_sftp::server::run(channel.into_stream(), visit).await;
        Ok(())
    }
}

type Reply<T> = Result<T, StatusReply>;

/// An SFTP session of a connection.
struct LoopbackSession {
    folder: Arc<Path>,
    open: HashMap<String, LoopbackHandle>,
    opened: u64,
}

enum LoopbackHandle {
    File(File),
    Folder(std::vec::IntoIter<(String, Metadata)>),
}

impl LoopbackSession {
    /// Returns the path on the disk, which is always below the folder.
    fn path(&self, path: &str) -> PathBuf {
        let plain =
            Path::new(path).components().filter(|part| matches!(part, Component::Normal(_)));
        self.folder.join(plain.collect::<PathBuf>())
    }

    fn handle(&mut self, open: LoopbackHandle) -> String {
        self.opened += 1;
        let handle = self.opened.to_string();
        self.open.insert(handle.clone(), open);
        handle
    }

    fn file(&self, handle: &str) -> Reply<&File> {
        match self.open.get(handle) {
            Some(LoopbackHandle::File(file)) => Ok(file),
            _ => Err(StatusCode::Failure.with_message("no such handle")),
        }
    }
}

fn done_on_disk<T>(act: impl FnOnce() -> io::Result<T>) -> Reply<T> {
    act().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StatusCode::NoSuchFile.into(),
        _ => StatusCode::Failure.with_message(error.to_string()),
    })
}

fn done(id: u32) -> Status {
    let (error_message, language_tag) = ("done".into(), "en".into());
    Status { id, status_code: StatusCode::Ok, error_message, language_tag }
}

impl Handler for LoopbackSession {
    type Error = StatusReply;

    fn unimplemented(&self) -> StatusReply {
        StatusCode::OpUnsupported.with_message("this is not done here")
    }

    async fn init(&mut self, _: u32, _: HashMap<String, String>) -> Reply<Version> {
        Ok(limits::version())
    }

    async fn extended(&mut self, id: u32, request: String, _: Vec<u8>) -> Reply<Packet> {
        limits::answer(id, &request, OPEN_MAX).ok_or_else(|| self.unimplemented())
    }

    async fn open(
        &mut self,
        id: u32,
        path: String,
        flags: OpenFlags,
        _: FileAttributes,
    ) -> Reply<Handle> {
        let path = self.path(&path);
        let writes = flags.contains(OpenFlags::WRITE);
        let file = done_on_disk(|| {
            File::options()
                .read(!writes)
                .write(writes)
                .create(flags.contains(OpenFlags::CREATE))
                .truncate(flags.contains(OpenFlags::TRUNCATE))
                .open(path)
        })?;
        Ok(Handle { id, handle: self.handle(LoopbackHandle::File(file)) })
    }

    async fn close(&mut self, id: u32, handle: String) -> Reply<Status> {
        self.open.remove(&handle);
        Ok(done(id))
    }

    async fn read(&mut self, id: u32, handle: String, offset: u64, length: u32) -> Reply<Data> {
        let file = self.file(&handle)?;
        let mut data = Vec::with_capacity(length.min(1 << 20) as usize);
        let read = done_on_disk(|| Ok(pread(file, spare_capacity(&mut data), offset)?))?;
        match read {
            0 => Err(StatusCode::Eof.into()),
            _ => Ok(Data { id, data }),
        }
    }

    async fn write(
        &mut self,
        id: u32,
        handle: String,
        offset: u64,
        octets: Vec<u8>,
    ) -> Reply<Status> {
        let file = self.file(&handle)?;
        done_on_disk(|| file.write_all_at(&octets, offset))?;
        Ok(done(id))
    }

    async fn lstat(&mut self, id: u32, path: String) -> Reply<Attrs> {
        let path = self.path(&path);
        let metadata = done_on_disk(|| fs::symlink_metadata(path))?;
        Ok(Attrs { id, attrs: FileAttributes::from(&metadata) })
    }

    async fn stat(&mut self, id: u32, path: String) -> Reply<Attrs> {
        self.lstat(id, path).await
    }

    async fn fstat(&mut self, id: u32, handle: String) -> Reply<Attrs> {
        let file = self.file(&handle)?;
        let metadata = done_on_disk(|| file.metadata())?;
        Ok(Attrs { id, attrs: FileAttributes::from(&metadata) })
    }

    async fn opendir(&mut self, id: u32, path: String) -> Reply<Handle> {
        let path = self.path(&path);
        let listed = done_on_disk(|| {
            let entries = fs::read_dir(path)?;
            let known = |entry: io::Result<fs::DirEntry>| {
                let entry = entry?;
                Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?))
            };
            entries.map(known).collect::<io::Result<Vec<_>>>()
        })?;
        Ok(Handle { id, handle: self.handle(LoopbackHandle::Folder(listed.into_iter())) })
    }

    async fn readdir(&mut self, id: u32, handle: String) -> Reply<Name> {
        let Some(LoopbackHandle::Folder(listed)) = self.open.get_mut(&handle) else {
            return Err(StatusCode::Failure.with_message("no such handle"));
        };
        let file = |(name, metadata): (String, Metadata)| {
            russh_sftp::protocol::File::new(name, FileAttributes::from(&metadata))
        };
        let files: Vec<_> = listed.take(NAMES_MAX).map(file).collect();
        match files.is_empty() {
            true => Err(StatusCode::Eof.into()),
            false => Ok(Name { id, files }),
        }
    }

    async fn remove(&mut self, id: u32, path: String) -> Reply<Status> {
        let path = self.path(&path);
        done_on_disk(|| fs::remove_file(path))?;
        Ok(done(id))
    }

    async fn mkdir(&mut self, id: u32, path: String, _: FileAttributes) -> Reply<Status> {
        let path = self.path(&path);
        done_on_disk(|| fs::create_dir(path))?;
        Ok(done(id))
    }

    async fn rename(&mut self, id: u32, from: String, to: String) -> Reply<Status> {
        let (from, to) = (self.path(&from), self.path(&to));
        done_on_disk(|| fs::rename(from, to))?;
        Ok(done(id))
    }

    async fn realpath(&mut self, id: u32, path: String) -> Reply<Name> {
        let path = self.path(&path);
        let within = path.strip_prefix(&self.folder).unwrap_or(Path::new(""));
        let shown = format!("/{}", within.display());
        Ok(Name { id, files: vec![russh_sftp::protocol::File::dummy(shown)] })
    }
}
