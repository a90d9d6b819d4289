//! Files over FTP (RFC 959), and over FTP with TLS that AUTH TLS requests (RFC 4217): passive, binary.

mod answers;
mod listing;
mod sessions;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use diagnostics::Diagnostic;
use suppaftp::types::FileType;
use suppaftp::{FtpError, Mode, RustlsConnector, RustlsFtpStream, Status};
use transport::{
    Access, BUFFER_OCTETS, Listing, Parcel, Place, PutMethod, RemoteConnection, RemoteError,
    RemoteFile, RemoteKind, Scheme,
};

use self::answers::{answer, failed, is_done, is_unknown, may_be_empty, reply_text, stopped};
use crate::calls::{free, unreachable, whole};
use crate::fault::Fault;
use crate::lasting::Lasting;
use crate::tls;

const PORT: u16 = 21;

/// The prefix of a path that is relative to the login folder.
const HOME: &str = "/~/";

/// The maximum size in octets of a list. It is larger than the list of all files that a gateway takes from a place.
const LIST_OCTETS_MAX: usize = 64_000_000;

/// A list may take this many times the timeout. This bounds a list that never ends.
const LIST_TIMEOUTS: u32 = 10;

/// `ftp://user@host:port/folder`, `ftps://…`.
pub(crate) struct Ftp;

impl Scheme for Ftp {
    fn names(&self) -> &'static [&'static str] {
        &["ftp", "ftps"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["password", "password-file", "certificate-authority"]
    }

    fn place(&self, access: Access) -> Result<Box<dyn Place>, Diagnostic> {
        if access.address.user.is_none() {
            let hint = "write \"ftps://user@host/folder\"";
            return Err(access.mistake("no user is named to log in as").hint(hint));
        }
        if access.text("password").is_none() && access.text("password-file").is_none() {
            let hint = "name a file with \"password-file\"";
            return Err(access.mistake("nothing is said by which to log in").hint(hint));
        }
        let user = access.address.user.as_deref().unwrap_or_default();
        if [user, &access.address.path].iter().any(|text| text.contains(char::is_control)) {
            return Err(access.mistake("there is a control character in the address"));
        }
        if access.address.scheme == "ftp" && access.text("certificate-authority").is_some() {
            let message = "no certificate is shown over \"ftp://\"";
            return Err(access.mistake(message).hint("write \"ftps://\""));
        }
        Ok(Box::new(FtpPlace { access }))
    }
}

#[derive(Clone, Debug)]
struct FtpPlace {
    access: Access,
}

impl Place for FtpPlace {
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

impl FtpPlace {
    fn line(&self) -> Result<FtpConnection, RemoteError> {
        let Access { address, timeout, .. } = &self.access;
        let place = format!("{}:{}", address.host_in_brackets(), address.port.unwrap_or(PORT));
        let refused = |error, command| failed(error, command, &place, *timeout);
        let mut stream = self.reach(&place)?;
        let timeout_of_data = *timeout;
        stream = stream.passive_stream_builder(move |to| {
            reached(to, timeout_of_data).map_err(FtpError::ConnectionError)
        });
        // Data connections go to the host of the control connection, whatever address the server announces.
        stream.set_passive_nat_workaround(true);
        if address.scheme == "ftps" {
            let connector = RustlsConnector::from(tls::config(&self.access)?);
            stream = stream
                .into_secure(connector, &address.host)
                .map_err(|error| refused(error, "AUTH TLS"))?;
        }
        let user = address.user.clone().unwrap_or_default();
        let password = self.access.password()?;
        let password = password.as_ref().map_or("", |password| password.reveal());
        stream.login(user.as_str(), password).map_err(|error| match error {
            FtpError::UnexpectedResponse(response)
                if (500..600).contains(&(response.status as u32)) =>
            {
                let (place, user) = (place.clone(), user.clone());
                RemoteError::shut(Fault::NotLetIn { place, user })
            }
            error => refused(error, "PASS"),
        })?;
        let binary = stream.transfer_type(FileType::Binary);
        binary.map_err(|error| refused(error, "TYPE I"))?;
        // Some servers write names in UTF-8 only if the client asks for it.
        let _ = stream.opts("UTF8", Some("ON"));
        let path = address.path.trim_end_matches('/');
        let folder = match address.path.strip_prefix(HOME).map(|home| home.trim_end_matches('/')) {
            Some("") => ".",
            Some(within) => within,
            None => path,
        };
        let (folder, shown, timeout) = (folder.to_owned(), self.shown(), *timeout);
        Ok(FtpConnection { stream, folder, shown, timeout })
    }

    /// Connects to one of the host's addresses.
    fn reach(&self, place: &str) -> Result<RustlsFtpStream, RemoteError> {
        let Access { address, timeout, .. } = &self.access;
        let to = (address.host.as_str(), address.port.unwrap_or(PORT)).to_socket_addrs();
        let mut last = RemoteError::passing(Fault::NoAddress { place: place.to_owned() });
        for to in to.map_err(|error| unreachable(place, error))? {
            match reached(to, *timeout) {
                Ok(stream) => {
                    let mut stream = RustlsFtpStream::connect_with_stream(stream)
                        .map_err(|error| failed(error, "greeting", place, *timeout))?;
                    // PASV has no room for an IPv6 address (RFC 2428).
                    if to.is_ipv6() {
                        stream.set_mode(Mode::ExtendedPassive);
                    }
                    return Ok(stream);
                }
                Err(error) => last = unreachable(place, error),
            }
        }
        Err(last)
    }
}

fn reached(to: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&to, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A login, and the folder to which names are relative.
struct FtpConnection {
    stream: RustlsFtpStream,
    folder: String,
    /// The folder's address, for messages.
    shown: String,
    timeout: Duration,
}

/// Why a list could not be read.
enum NoLines {
    There(FtpError),
    /// The list does not end.
    Endless,
}

impl From<FtpError> for NoLines {
    fn from(error: FtpError) -> Self {
        NoLines::There(error)
    }
}

impl From<io::Error> for NoLines {
    fn from(error: io::Error) -> Self {
        NoLines::There(FtpError::ConnectionError(error))
    }
}

impl FtpConnection {
    fn path(&self, name: &str) -> Result<String, RemoteError> {
        // A line break in the name would inject a command.
        if name.contains(char::is_control) {
            return Err(RemoteError::refused(Fault::FtpName { file: name.to_owned() }));
        }
        Ok(match (self.folder.as_str(), name) {
            ("", "") => "/".into(),
            (folder, "") => folder.to_owned(),
            (folder, name) => format!("{folder}/{name}"),
        })
    }

    /// Returns a name for messages; the folder itself is shown as its address.
    fn shown(&self, name: &str) -> String {
        if name.is_empty() { self.shown.clone() } else { name.to_owned() }
    }

    fn failed(&self, error: FtpError, command: &str, name: &str) -> RemoteError {
        failed(error, command, &self.shown(name), self.timeout)
    }

    /// Returns the data that a command sends over a data connection, as text.
    fn text(&mut self, command: &str, path: &str) -> Result<String, NoLines> {
        let begins = [Status::AboutToSend, Status::AlreadyOpen];
        let command = format!("{command} {path}");
        let (_, mut stream) = self.stream.custom_data_command(command, &begins)?;
        let (mut octets, mut buffer) = (Vec::new(), vec![0; BUFFER_OCTETS]);
        let begun = Instant::now();
        loop {
            let read = Unparted(&mut stream).read(&mut buffer)?;
            if read == 0 {
                break;
            }
            octets.extend_from_slice(&buffer[..read]);
            let is_long = begun.elapsed() > self.timeout.saturating_mul(LIST_TIMEOUTS);
            if is_long || octets.len() > LIST_OCTETS_MAX {
                return Err(NoLines::Endless);
            }
        }
        stream.finish()?;
        Ok(String::from_utf8_lossy(&octets).into_owned())
    }

    /// Returns the text of a list; `None` if the server does not support MLSD. If the server answers that there are no
    /// files, with whatever code, and the folder exists, the list is empty.
    fn lines(&mut self, command: &str, folder: &str) -> Result<Option<String>, RemoteError> {
        let path = self.path(folder)?;
        match self.text(command, &path) {
            Ok(text) => Ok(Some(text)),
            Err(NoLines::There(error)) if command == MLSD && is_unknown(&error) => Ok(None),
            Err(NoLines::There(error)) if may_be_empty(&error) && self.enters(&path)? => {
                Ok(Some(String::new()))
            }
            Err(NoLines::There(error)) => Err(self.denied(error, command, folder)),
            Err(NoLines::Endless) => {
                let (folder, command) = (self.shown(folder), command.to_owned());
                Err(RemoteError::shut(Fault::FtpEndlessList { folder, command }))
            }
        }
    }

    /// Returns whether a folder exists and can be entered.
    fn enters(&mut self, path: &str) -> Result<bool, RemoteError> {
        // Relative paths start at the login folder, so return to it afterwards.
        let back = if path.starts_with('/') { None } else { self.stream.pwd().ok() };
        let is_entered = self.stream.cwd(path).is_ok();
        if let Some(back) = back.filter(|_| is_entered) {
            let went = self.stream.cwd(&back);
            went.map_err(|error| failed(error, "CWD", &back, self.timeout))?;
        }
        Ok(is_entered)
    }

    /// Converts the error of a command for a file that may exist. Servers give the same answer for a missing file as
    /// for one without permission, so this checks which it is.
    fn denied(&mut self, error: FtpError, command: &str, name: &str) -> RemoteError {
        let reply = match &error {
            FtpError::UnexpectedResponse(response) => reply_text(&response.body),
            _ => String::new(),
        };
        match self.failed(error, command, name) {
            RemoteError::NotThere(_) if self.is_there(name) => {
                RemoteError::forbidden(answer(&self.shown(name), reply, command))
            }
            error => error,
        }
    }

    fn is_there(&mut self, name: &str) -> bool {
        match self.path(name) {
            Ok(path) if name.is_empty() => self.enters(&path).unwrap_or(false),
            _ => self.stat(name).is_ok(),
        }
    }

    /// Returns the size of a file, by SIZE.
    fn size(&mut self, name: &str) -> Result<u64, FtpError> {
        let path = self.path(name).map_err(|_| FtpError::BadResponse)?;
        self.stream.size(&path).map(|octets| octets as u64)
    }

    /// Returns a file as the list of its folder describes it.
    fn listed(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        let (above, own) = name.rsplit_once('/').unwrap_or(("", name));
        let found = self.list(above)?.files.into_iter().find(|file| file.name == own);
        let found = found.ok_or_else(|| RemoteError::NotThere(name.into()))?;
        Ok(RemoteFile { name: name.to_owned(), ..found })
    }

    /// Requests the size that a list leaves out. An answer also shows that the entry is a file.
    fn complete(&mut self, folder: &str, file: &mut RemoteFile) {
        let is_incomplete = match file.kind {
            RemoteKind::File => file.octets.is_none(),
            RemoteKind::Unknown => true,
            RemoteKind::Folder | RemoteKind::Other => false,
        };
        let within =
            if folder.is_empty() { file.name.clone() } else { format!("{folder}/{}", file.name) };
        if is_incomplete && let Ok(octets) = self.size(&within) {
            (file.kind, file.octets) = (RemoteKind::File, Some(octets));
        }
    }
}

const MLSD: &str = "MLSD";
const LIST: &str = "LIST";

impl RemoteConnection for FtpConnection {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        let mut listing = match self.lines(MLSD, folder)? {
            Some(text) => listing::of_facts(lines_of(&text)),
            None => {
                let text = self.lines(LIST, folder)?.unwrap_or_default();
                listing::for_people(lines_of(&text))
            }
        };
        for file in &mut listing.files {
            self.complete(folder, file);
        }
        Ok(listing)
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        let path = self.path(name)?;
        match self.stream.mlst(Some(&path)) {
            Ok(line) => {
                if let Some(file) = listing::facts(line.trim_start()) {
                    let mut file = RemoteFile { name: name.to_owned(), ..file };
                    self.complete("", &mut file);
                    return Ok(file);
                }
            }
            Err(FtpError::BadResponse) => {}
            Err(error) if is_unknown(&error) => {}
            Err(error) => return Err(self.failed(error, "MLST", name)),
        }
        match self.size(name) {
            Ok(octets) => {
                let (kind, octets) = (RemoteKind::File, Some(octets));
                Ok(RemoteFile { name: name.to_owned(), kind, octets, modified: None })
            }
            Err(error) if is_unknown(&error) => self.listed(name),
            Err(error) => Err(self.failed(error, "SIZE", name)),
        }
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let path = self.path(name)?;
        let timeout = self.timeout;
        let mut stream = match self.stream.retr_as_stream(&path) {
            Ok(stream) => stream,
            // The file is empty.
            Err(error) if is_done(&error) => return Ok(0),
            Err(error) => return Err(self.denied(error, "RETR", name)),
        };
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = Unparted(&mut stream).read(&mut buffer);
            let read = match read {
                Ok(read) => read,
                // The server gives the reason on the control connection.
                Err(error) => {
                    return Err(match stream.finish() {
                        Err(refusal @ FtpError::UnexpectedResponse(_)) => {
                            self.failed(refusal, "RETR", name)
                        }
                        _ => stopped(error, name, timeout),
                    });
                }
            };
            if read == 0 {
                break;
            }
            to.write_all(&buffer[..read])?;
            octets += read as u64;
        }
        stream.finish().map_err(|error| self.failed(error, "RETR", name))?;
        Ok(octets)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        let path = self.path(name)?;
        let timeout = self.timeout;
        let not_put = |error: FtpError| {
            let reply = match &error {
                FtpError::UnexpectedResponse(response) => reply_text(&response.body),
                _ => String::new(),
            };
            match failed(error, "STOR", name, timeout) {
                // Servers give the same answer if the folder does not exist and if it cannot be
                // written to.
                RemoteError::NotThere(_) => {
                    RemoteError::unavailable(Fault::FtpNotPut { file: name.to_owned(), reply })
                }
                error => error,
            }
        };
        let mut from = parcel.open()?;
        let mut stream = self.stream.put_with_stream(&path).map_err(not_put)?;
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            let written = stream.write_all(&buffer[..read]);
            if let Err(error) = written {
                // The server gives the reason on the control connection.
                return Err(match stream.finish() {
                    Err(refusal @ FtpError::UnexpectedResponse(_)) => not_put(refusal),
                    _ => stopped(error, name, timeout),
                });
            }
            octets += read as u64;
        }
        stream.flush().map_err(|error| stopped(error, name, timeout))?;
        sessions::end(&mut stream);
        stream.finish().map_err(not_put)?;
        whole(self, name, octets)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        // The protocol allows a rename to replace a file.
        free(self, to)?;
        let (source, target) = (self.path(from)?, self.path(to)?);
        match self.stream.rename(source, target) {
            Ok(()) => Ok(()),
            // The 550 may be about the new name, so check whether the old one exists.
            Err(FtpError::UnexpectedResponse(response))
                if response.status == Status::FileUnavailable =>
            {
                self.stat(from)?;
                let reply = reply_text(&response.body);
                let (file, target) = (from.to_owned(), to.to_owned());
                Err(RemoteError::unavailable(Fault::FtpNotRenamed { file, target, reply }))
            }
            Err(error) => Err(self.failed(error, "RNTO", from)),
        }
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        let path = self.path(name)?;
        self.stream.rm(path).map_err(|error| self.denied(error, "DELE", name))
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        let path = self.path(name)?;
        let Err(error) = self.stream.mkdir(&path) else { return Ok(()) };
        // Servers differ in their answers for a folder that exists.
        match self.enters(&path)? {
            true => Ok(()),
            false => Err(self.failed(error, "MKD", name)),
        }
    }
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty())
}

/// A data connection that some servers close without a TLS close_notify. The control connection reports whether all
/// octets came.
struct Unparted<R>(R);

impl<R: Read> Read for Unparted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

/// Reads a line of a list as either command would give it.
#[cfg(any(fuzzing, test))]
pub(crate) fn listed(line: &str) -> impl Iterator<Item = RemoteFile> {
    listing::facts(line).into_iter().chain(listing::entry(line))
}
