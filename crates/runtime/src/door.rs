//! Where a running gateway is asked: a Unix domain socket in the folder of its state. Who holds that folder's lock
//! is the only one to listen there, and may remove what a gateway left that was killed.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

const NAME: &str = "socket";

/// A socket that is listened at; it is removed in the end.
pub struct Door {
    listener: UnixListener,
    name: PathBuf,
}

impl Door {
    /// The one in the folder of a flow's state, whose lock the caller has.
    pub fn open(state: &Path) -> io::Result<Self> {
        let (new, name) = (state.join("socket.new"), state.join(NAME));
        let _ = fs::remove_file(&new);
        let listener = by_short_name(&new, |short| UnixListener::bind(short))?;
        fs::set_permissions(&new, Permissions::from_mode(0o600))?;
        // Nobody could come in before it was closed to others.
        fs::rename(new, &name)?;
        listener.set_nonblocking(true)?;
        Ok(Door { listener, name })
    }

    /// Who has come; [`WouldBlock`](io::ErrorKind::WouldBlock) if nobody has.
    pub fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(false)?;
        Ok(stream)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.name);
    }
}

/// Goes to the gateway whose state is in a folder; none if nobody listens.
pub fn knock(state: &Path) -> io::Result<Option<UnixStream>> {
    match by_short_name(&state.join(NAME), |short| UnixStream::connect(short)) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(error),
        },
    }
}

/// Uses a name of a socket that fits into its address, which on Linux has 107 octets: a longer path is gone by the
/// number of its folder, opened. Elsewhere the error says that it is too long.
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
        knock(state).expect("nothing is in the way").is_some()
    }

    #[test]
    fn what_a_gateway_left_is_taken_over_and_removed_in_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path();
        assert!(!is_answered(state));
        std::mem::forget(Door::open(state).expect("a door"));
        let door = Door::open(state).expect("another");
        assert!(is_answered(state));
        let mode = fs::metadata(state.join(NAME)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(door);
        assert!(!is_answered(state));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_door_may_lie_deeper_than_an_address_is_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("x".repeat(100)).join("y".repeat(100));
        fs::create_dir_all(&deep).expect("a folder");
        let _door = Door::open(&deep).expect("a door");
        assert!(is_answered(&deep));
    }

    #[test]
    fn what_is_in_the_way_is_an_error_and_not_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let _other = UnixDatagram::bind(folder.path().join(NAME)).expect("a socket");
        assert!(knock(folder.path()).is_err());
    }
}
