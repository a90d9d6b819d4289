//! The socket at which commands reach a running service: a Unix domain socket in the folder of its state. Only the service
//! that holds the lock of that folder may bind it, so it may replace the socket that a killed service left.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Its name in the folder.
const NAME: &str = "socket";

/// The listening end. It is removed from the folder when it is dropped.
pub struct ControlSocket {
    listener: UnixListener,
    name: PathBuf,
}

impl ControlSocket {
    /// Binds the socket in a folder whose lock the caller holds. Only the user of this process may connect.
    pub fn bind(state: &Path) -> io::Result<Self> {
        let (new, name) = (state.join("socket.new"), state.join(NAME));
        let _ = fs::remove_file(&new);
        let listener = by_short_name(&new, |short| UnixListener::bind(short))?;
        fs::set_permissions(&new, Permissions::from_mode(0o600))?;
        // Under this name it has never been open to other users.
        fs::rename(new, &name)?;
        listener.set_nonblocking(true)?;
        Ok(ControlSocket { listener, name })
    }

    /// Accepts a connection; [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none.
    pub fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(false)?;
        Ok(stream)
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.name);
    }
}

/// Connects to the service whose state is in a folder. Returns `None` if none listens there.
pub fn connect(state: &Path) -> io::Result<Option<UnixStream>> {
    match by_short_name(&state.join(NAME), |short| UnixStream::connect(short)) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(error),
        },
    }
}

/// Calls `used` with a path that fits into the address of a socket, which on Linux has 107 octets: a longer path is replaced
/// by one through the descriptor of its opened folder. On other systems the path stays, and the error says that it is too
/// long.
fn by_short_name<T>(name: &Path, used: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if SocketAddr::from_pathname(name).is_ok() {
        return used(name);
    }
    let Some((folder, file)) = name.parent().zip(name.file_name()) else { return used(name) };
    let folder = File::open(folder)?;
    let numbered = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    match numbered.exists() {
        true => used(&numbered.join(file)),
        false => used(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixDatagram;

    fn is_answered(state: &Path) -> bool {
        connect(state).expect("nothing is in the way").is_some()
    }

    #[test]
    fn what_a_killed_service_left_is_taken_over_and_removed_in_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path();
        assert!(!is_answered(state));
        std::mem::forget(ControlSocket::bind(state).expect("a socket"));
        let socket = ControlSocket::bind(state).expect("another");
        assert!(is_answered(state));
        let mode = fs::metadata(state.join(NAME)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(socket);
        assert!(!is_answered(state));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_socket_may_lie_deeper_than_an_address_is_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("x".repeat(100)).join("y".repeat(100));
        fs::create_dir_all(&deep).expect("a folder");
        let _socket = ControlSocket::bind(&deep).expect("a socket");
        assert!(is_answered(&deep));
    }

    #[test]
    fn what_is_in_the_way_is_an_error_and_not_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let _other = UnixDatagram::bind(folder.path().join(NAME)).expect("a socket");
        assert!(connect(folder.path()).is_err());
    }
}
