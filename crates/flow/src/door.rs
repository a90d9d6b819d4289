//! Where a running gateway is asked: a Unix domain socket beside its flow file, `.flow.toml.socket`.
//!
//! The gateway and who asks it may name the file differently, by links or from other folders. So the socket lies
//! beside the file itself, links followed, and has a second name beside the name the gateway was given: that one
//! still leads to it when the link leads to another file meanwhile.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that is listened at; it is removed in the end.
pub(crate) struct Door {
    listener: UnixListener,
    names: Vec<PathBuf>,
}

impl Door {
    /// The one of a flow file. One that a gateway left which was killed is taken over.
    pub(crate) fn open(flow: &Path) -> io::Result<Self> {
        let [name, given] = names(flow);
        if !is_free(&name)? {
            return Err(io::Error::other("another gateway runs this flow, and is asked"));
        }
        let listener = by_short_name(&name, |short| UnixListener::bind(short))?;
        fs::set_permissions(&name, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let mut door = Door { listener, names: vec![name] };
        // Where a second name cannot be given, the first is enough as long as no link is changed.
        if is_free(&given).unwrap_or(false) && fs::hard_link(&door.names[0], &given).is_ok() {
            door.names.push(given);
        }
        Ok(door)
    }

    /// Who has come; [`WouldBlock`](io::ErrorKind::WouldBlock) if nobody has.
    pub(crate) fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(false)?;
        Ok(stream)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = fs::remove_file(name);
        }
    }
}

/// Goes to the gateway that runs a flow; none if nobody listens.
pub(crate) fn knock(flow: &Path) -> io::Result<Option<UnixStream>> {
    for name in names(flow) {
        match connect(&name) {
            Ok(stream) => return Ok(Some(stream)),
            Err(error) if is_nobody(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The names of a flow's socket: beside the file itself, and beside the name it is called by.
fn names(flow: &Path) -> [PathBuf; 2] {
    let file = flow.canonicalize().unwrap_or_else(|_| flow.to_owned());
    let given = std::path::absolute(flow).unwrap_or_else(|_| flow.to_owned());
    [beside(&file), beside(&given)]
}

fn beside(flow: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(flow.file_name().unwrap_or_default());
    name.push(".socket");
    flow.with_file_name(name)
}

/// Whether nobody listens there; what is left of somebody is removed.
fn is_free(name: &Path) -> io::Result<bool> {
    match connect(name) {
        Ok(_) => Ok(false),
        Err(error) if is_nobody(&error) => {
            let _ = fs::remove_file(name);
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

fn connect(name: &Path) -> io::Result<UnixStream> {
    by_short_name(name, |short| UnixStream::connect(short))
}

/// Whether an error says that there is no socket, or one that nobody listens at any more.
fn is_nobody(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

/// Uses a name of a socket that fits into its address, which on Linux has 107 octets: a longer path is gone by the
/// number of its folder, opened. Elsewhere, and where the name alone is too long, the error says so.
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
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixDatagram;

    fn is_answered(flow: &Path) -> bool {
        knock(flow).expect("nothing is in the way").is_some()
    }

    #[test]
    fn a_flow_has_one_door_whatever_it_is_called() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        fs::write(place("flow.toml"), "").expect("a file");
        fs::write(place("next.toml"), "").expect("a file");
        symlink("flow.toml", place("link.toml")).expect("a link");
        assert!(!is_answered(&place("flow.toml")));
        for (opened, other) in [("flow.toml", "link.toml"), ("link.toml", "flow.toml")] {
            let door = Door::open(&place(opened)).expect("a door");
            assert!(is_answered(&place(opened)) && is_answered(&place(other)));
            assert!(Door::open(&place(other)).is_err(), "there is one already");
            drop(door);
            assert!(!is_answered(&place(opened)) && !is_answered(&place(other)));
        }
        let _door = Door::open(&place("link.toml")).expect("a door");
        fs::remove_file(place("link.toml")).expect("it was there");
        symlink("next.toml", place("link.toml")).expect("a link");
        assert!(
            is_answered(&place("link.toml")),
            "the link leads elsewhere, the gateway is the same"
        );
        assert!(!is_answered(&place("next.toml")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_door_may_lie_deeper_than_an_address_is_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("x".repeat(100)).join("y".repeat(100));
        fs::create_dir_all(&deep).expect("a folder");
        let flow = deep.join("flow.toml");
        fs::write(&flow, "").expect("a file");
        let _door = Door::open(&flow).expect("a door");
        assert!(is_answered(&flow) && deep.join(".flow.toml.socket").exists());
    }

    #[test]
    fn what_is_in_the_way_is_an_error_and_not_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let flow = folder.path().join("flow.toml");
        let _other = UnixDatagram::bind(folder.path().join(".flow.toml.socket")).expect("a socket");
        assert!(knock(&flow).is_err());
        let long = folder.path().join("x".repeat(200));
        assert!(knock(&long).is_err(), "the name alone is too long");
    }
}
