//! `[listen.sftp]`: the SFTP server to which network elements push files.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diagnostics::{Diagnostic, plain};
use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::{HashAlg, PrivateKey, PublicKey, load_secret_key};
use russh::server::{
    Auth, ChannelOpenHandle, Config, Handler, Msg, PublicKeyOffer, RunningSession, Session,
    VerifiedPublicKey, run_stream,
};
use russh::{Channel, ChannelId, Disconnect, MethodKind, MethodSet};
use settings::Settings;
use tokio::net::TcpStream;
use transport::{Account, Accounts, Listener, RunningServer, Service};

use super::guard::{CountedConnection, Guests};
use super::root::Root;
use super::running::{THREADS, listen};
use super::secret::is_same;
use super::strangers::Stranger;
use super::upload::forget_old;
use super::visit::Visit;
use crate::calls::SSH_OCTETS;

/// The name of the file with the host key, in the flow's state folder. It is used if the flow names none.
const HOST_KEY: &str = "sftp-host-key";

/// The timeout for a login.
const LOGIN_MAX: Duration = Duration::from_secs(30);

/// How long a client that is sent away may take to close its connection.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

/// The default timeout for the next message of a client that is logged in.
const IDLE: Duration = Duration::from_secs(300);

/// The maximum number of login attempts of a connection.
const ATTEMPTS_MAX: usize = 6;

/// The delay of a refusal, whatever its reason.
const REFUSED_AFTER: Duration = Duration::from_secs(1);

/// The SFTP server.
pub(super) struct SftpListener;

impl Listener for SftpListener {
    fn name(&self) -> &'static str {
        "sftp"
    }

    fn keys(&self) -> &'static [&'static str] {
        &["address", "host-key-file", "idle"]
    }

    fn read(&self, settings: &Settings, state: &Path) -> Result<Box<dyn Service>, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        let address = super::address(settings).map_err(|mistake| mistakes.push(mistake));
        let idle = settings.get("idle").map(|idle| settings.duration(idle)).transpose();
        let idle = idle.map_err(|mistake| mistakes.push(mistake));
        let host_key = match settings.get("host-key-file") {
            Some(file) => settings.path(file),
            None => state.join(HOST_KEY),
        };
        match (address, idle) {
            (Ok(address), Ok(idle)) => {
                Ok(Box::new(SftpService { address, host_key, idle: idle.unwrap_or(IDLE) }))
            }
            _ => Err(mistakes),
        }
    }

    fn serves(&self, account: &Account) -> bool {
        account.user.is_some()
    }

    fn mistake(&self, account: &Account) -> Option<String> {
        // The line is not shown: it may be a secret that a user named by mistake, or to reveal it.
        let bad = account.authorized_keys.iter().position(|line| key(line).is_none())?;
        Some(format!("key {} of its file is no public key as OpenSSH writes it", bad + 1))
    }
}

struct SftpService {
    address: SocketAddr,
    host_key: PathBuf,
    idle: Duration,
}

impl Service for SftpService {
    fn start(&self, accounts: Arc<Accounts>) -> io::Result<Box<dyn RunningServer>> {
        let key = host_key(&self.host_key)?;
        let fingerprint = key.public_key().fingerprint(HashAlg::Sha256);
        let mut methods = MethodSet::empty();
        methods.push(MethodKind::PublicKey);
        methods.push(MethodKind::Password);
        let config = Arc::new(Config {
            server_id: russh::SshId::Standard("SSH-2.0-Tollgate".into()),
            methods,
            auth_rejection_time: REFUSED_AFTER,
            // The query for the available methods is answered at once.
            auth_rejection_time_initial: Some(Duration::ZERO),
            keys: vec![key],
            max_auth_attempts: ATTEMPTS_MAX,
            inactivity_timeout: Some(self.idle),
            maximum_packet_size: SSH_OCTETS,
            ..Config::default()
        });
        let guests = Arc::new(Guests::default());
        let running = listen("sftp", THREADS, self.address, move |stream, peer, stranger| {
            let (config, guests) = (Arc::clone(&config), Arc::clone(&guests));
            let stranger = Arc::new(stranger);
            let connected =
                Connected::new(Arc::clone(&accounts), guests, (peer, Arc::clone(&stranger)));
            serve(config, stream, connected, stranger)
        })?;
        tracing::info!(
            "files are taken over SFTP at {}, host key {fingerprint}",
            running.address()
        );
        Ok(Box::new(running))
    }
}

/// Serves one connection until its end.
async fn serve(
    config: Arc<Config>,
    stream: TcpStream,
    connected: Connected,
    stranger: Arc<Stranger>,
) {
    let (peer, is_in) = (connected.peer, Arc::clone(&connected.is_in));
    let is_over = async {
        tokio::select! {
            () = tokio::time::sleep(LOGIN_MAX) => {}
            () = stranger.sent_away() => {}
        }
    };
    tokio::pin!(is_over);
    let socket = match stream.as_fd().try_clone_to_owned() {
        Ok(socket) => std::net::TcpStream::from(socket),
        Err(error) => return tracing::warn!("the connection of {peer} was not taken: {error}"),
    };
    let begun = tokio::select! {
        begun = run_stream(config, stream, connected) => begun,
        () = &mut is_over => return tracing::debug!("{peer} did not say that it speaks SSH"),
    };
    let mut running = match begun {
        Ok(running) => running,
        Err(error) => return tracing::debug!("{peer} did not come in over SFTP: {error}"),
    };
    let ended = tokio::select! {
        ended = &mut running => ended,
        () = &mut is_over => {
            if !is_in.load(Ordering::Relaxed) {
                send_away(running, &socket).await
            } else {
                drop(socket);
                running.await
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!("the connection of {peer} broke off: {error}");
    }
}

/// Ends a connection that has not logged in. The library waits until the client closes the connection, so this closes
/// the socket if the client does not.
async fn send_away(
    mut running: RunningSession<Connected>,
    socket: &std::net::TcpStream,
) -> Result<(), russh::Error> {
    let (reason, handle) = ("there was no login".to_owned(), running.handle());
    let ended = async {
        let _ = handle.disconnect(Disconnect::ByApplication, reason, "en".into()).await;
        (&mut running).await
    };
    if let Ok(ended) = tokio::time::timeout(CLOSED_WITHIN, ended).await {
        return ended;
    }
    let _ = socket.shutdown(Shutdown::Both);
    running.await
}

/// A connection.
struct Connected {
    accounts: Arc<Accounts>,
    guests: Arc<Guests>,
    peer: SocketAddr,
    stranger: Arc<Stranger>,
    account: Option<Arc<Account>>,
    /// Counts the connection for its network element.
    held: Option<CountedConnection>,
    is_in: Arc<AtomicBool>,
    channel: Option<Channel<Msg>>,
}

impl Connected {
    fn new(
        accounts: Arc<Accounts>,
        guests: Arc<Guests>,
        (peer, stranger): (SocketAddr, Arc<Stranger>),
    ) -> Self {
        let (account, held, is_in, channel) = Default::default();
        Connected { accounts, guests, peer, stranger, account, held, is_in, channel }
    }

    fn known(&self, user: &str) -> Option<Arc<Account>> {
        let accounts = self.accounts.all();
        accounts.iter().find(|account| account.user.as_deref() == Some(user)).cloned()
    }

    /// Admits a client that has proved its identity, unless the network element has too many connections.
    fn let_in(&mut self, account: Option<Arc<Account>>, user: &str, by: &str) -> Auth {
        let peer = self.peer;
        let Some(account) = account else {
            let user: String = user.chars().take(64).flat_map(char::escape_debug).collect();
            tracing::warn!(
                "\"{user}\" at {peer} was not let in over SFTP: no such user, or a wrong {by}"
            );
            return Auth::reject();
        };
        let network_element = &account.network_element;
        let Some(held) = self.guests.come(network_element) else {
            tracing::warn!(network_element = %network_element, "{network_element}: {peer} was not let in over SFTP: too many connections");
            return Auth::reject();
        };
        tracing::info!(network_element = %network_element, "{network_element}: \"{user}\" at {peer} has logged in over SFTP by its {by}");
        self.stranger.known().forget();
        self.held = Some(held);
        self.is_in.store(true, Ordering::Relaxed);
        self.account = Some(account);
        Auth::Accept
    }
}

impl Handler for Connected {
    type Error = russh::Error;

    async fn auth_password(&mut self, user: &str, password: &str) -> Result<Auth, russh::Error> {
        let known = self.known(user);
        // Compare for unknown users too, so that the time does not reveal which users exist.
        let wanted = known.as_ref().and_then(|account| account.password.as_ref());
        let is_he = is_same(wanted, password.as_bytes());
        Ok(self.let_in(known.filter(|_| is_he), user, "password"))
    }

    async fn auth_publickey_offered(
        &mut self,
        user: &str,
        offer: PublicKeyOffer<'_>,
    ) -> Result<Auth, russh::Error> {
        let known = self.known(user).filter(|account| has_key(account, offer.public_key));
        Ok(if known.is_some() { Auth::Accept } else { Auth::reject() })
    }

    async fn auth_publickey(
        &mut self,
        user: &str,
        proved: VerifiedPublicKey<'_>,
    ) -> Result<Auth, russh::Error> {
        let known = self.known(user).filter(|account| has_key(account, proved.public_key));
        Ok(self.let_in(known, user, "key"))
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        // One at a time, which is all that clients need. Dropping the reply refuses it.
        if self.channel.is_none() {
            self.channel = Some(channel);
            reply.accept().await;
        }
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        id: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        let channel = self.channel.take_if(|channel| channel.id() == id);
        let (Some(account), Some(channel), "sftp") = (&self.account, channel, name) else {
            return session.channel_failure(id);
        };
        let opened = tokio::task::block_in_place(|| {
            let root = Root::open(&account.root)?;
            if let Err(error) = forget_old(&root) {
                tracing::warn!("what was broken off long ago could not be removed: {error}");
            }
            io::Result::Ok(root)
        });
        match opened {
            Ok(root) => {
                session.channel_success(id)?;
                let visit = Visit::new(Arc::clone(account), Arc::clone(&self.accounts), root);
                russh_sftp::server::run(channel.into_stream(), visit).await;
                Ok(())
            }
            Err(error) => {
                tracing::error!(
                    "the folder \"{}\" cannot be used: {error}",
                    account.root.display()
                );
                session.channel_failure(id)
            }
        }
    }

    async fn channel_eof(
        &mut self,
        id: ChannelId,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        session.close(id)
    }
}

/// Reads a public key in OpenSSH's format. Options before the key are not supported.
fn key(line: &str) -> Option<PublicKey> {
    PublicKey::from_openssh(line).ok()
}

fn has_key(account: &Account, key_of_peer: &PublicKey) -> bool {
    let keys = account.authorized_keys.iter().filter_map(|line| key(line));
    keys.into_iter().any(|known| known.key_data() == key_of_peer.key_data())
}

/// Reads the host key from a file. If the file does not exist, it makes a key.
fn host_key(path: &Path) -> io::Result<PrivateKey> {
    let host_key_error = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("the host key \"{}\": {error}", path.display()))
    };
    if !path.try_exists()? {
        let mut seed = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut seed)?;
        let key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
        let text = key.to_openssh(LineEnding::LF).map_err(|error| host_key_error(&error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        runtime::durable::make_private_folder(folder)?;
        // The file is complete from the start, and other users can never read it.
        let new = path.with_extension("new");
        let _ = fs::remove_file(&new);
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(new, path)?;
        runtime::durable::sync_folder(folder)?;
    }
    plain::open(path).map_err(|error| host_key_error(&error))?;
    load_secret_key(path, None).map_err(|error| host_key_error(&error))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::super::strangers::OF_ONE_MAX;
    use super::*;

    #[test]
    fn a_client_that_is_sent_away_and_does_not_close_is_gone_soon() {
        let folder = tempfile::tempdir().expect("a folder");
        let (address, host_key) = ("127.0.0.1:0".parse().expect("one"), folder.path().join("key"));
        let service = SftpService { address, host_key, idle: IDLE };
        let server = service.start(Arc::default()).expect("a server");
        let connect = || TcpStream::connect(server.address()).expect("it listens");
        let mut client = connect();
        client.write_all(b"SSH-2.0-silent\r\n").expect("there is room");
        // The server speaks SSH with it once it has sent its first packet.
        client.read_exact(&mut [0; 100]).expect("what a server says first");
        let _others: Vec<TcpStream> = (0..OF_ONE_MAX).map(|_| connect()).collect();
        // Three octets are no packet yet: a server that still has the connection waits for the fourth.
        let is_gone = (0..3).any(|_| {
            std::thread::sleep(CLOSED_WITHIN);
            client.write_all(b"x").is_err()
        });
        assert!(is_gone, "the server still has the connection");
    }
}
