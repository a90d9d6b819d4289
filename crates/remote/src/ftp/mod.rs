//! Files by FTP (RFC 959), and by FTP over TLS that is asked for with AUTH TLS (RFC 4217): passive, binary.

mod listing;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use diagnostics::Diagnostic;
use suppaftp::types::FileType;
use suppaftp::{FtpError, Mode, RustlsConnector, RustlsFtpStream, Status};
use transport::{
    Access, Appears, BUFFER_OCTETS, Far, FarError, FarFile, FarKind, Parcel, Place, Scheme,
};

use crate::calls::{free, silent, unreachable, whole};
use crate::tls;

const PORT: u16 = 21;

/// What a path begins with that is meant from the folder in which a login begins.
const HOME: &str = "/~/";

/// Octets of a list: more than those of all files that a gateway takes from a place.
const LIST_OCTETS_MAX: u64 = 64_000_000;

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
            return Err(access.mistake("nobody is named who logs in").hint(hint));
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

#[derive(Debug)]
struct FtpPlace {
    access: Access,
}

impl Place for FtpPlace {
    fn address(&self) -> String {
        self.access.address.to_string()
    }

    fn appears(&self) -> Appears {
        Appears::Renamed
    }

    fn connect(&self) -> Result<Box<dyn Far>, FarError> {
        let Access { address, timeout, .. } = &self.access;
        let place = format!("{}:{}", address.host_in_brackets(), address.port.unwrap_or(PORT));
        let refused = |error| failed(error, &place, *timeout);
        let mut stream = self.reach(&place)?;
        let timeout_of_data = *timeout;
        stream = stream.passive_stream_builder(move |to| {
            reached(to, timeout_of_data).map_err(FtpError::ConnectionError)
        });
        // Files go to the machine that was reached, whatever address it says that it has.
        stream.set_passive_nat_workaround(true);
        if address.scheme == "ftps" {
            let connector = RustlsConnector::from(tls::config(&self.access)?);
            stream = stream.into_secure(connector, &address.host).map_err(refused)?;
        }
        let user = address.user.clone().unwrap_or_default();
        let password = self.access.password()?;
        let password = password.as_ref().map_or("", |password| password.reveal());
        stream.login(user.as_str(), password).map_err(|error| match error {
            FtpError::UnexpectedResponse(response)
                if (500..600).contains(&(response.status as u32)) =>
            {
                let what = format!("could not log in to {place}: it does not let \"{user}\" in");
                FarError::Shut(what)
            }
            error => refused(error),
        })?;
        stream.transfer_type(FileType::Binary).map_err(refused)?;
        // Some write names in UTF-8 only where they are asked to.
        let _ = stream.opts("UTF8", Some("ON"));
        let path = address.path.trim_end_matches('/');
        let folder = match address.path.strip_prefix(HOME).map(|home| home.trim_end_matches('/')) {
            Some("") => ".",
            Some(within) => within,
            None => path,
        };
        Ok(Box::new(Connection { stream, folder: folder.to_owned(), timeout: *timeout }))
    }
}

impl FtpPlace {
    /// Connects to one of the machine's addresses.
    fn reach(&self, place: &str) -> Result<RustlsFtpStream, FarError> {
        let Access { address, timeout, .. } = &self.access;
        let to = (address.host.as_str(), address.port.unwrap_or(PORT)).to_socket_addrs();
        let mut last =
            FarError::passing(format!("could not connect to {place}: it has no address"));
        for to in to.map_err(|error| unreachable(place, error))? {
            match reached(to, *timeout) {
                Ok(stream) => {
                    let mut stream = RustlsFtpStream::connect_with_stream(stream)
                        .map_err(|error| failed(error, place, *timeout))?;
                    // The other way has no place for such an address (RFC 2428).
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

/// A login, and the folder that names are meant within.
struct Connection {
    stream: RustlsFtpStream,
    folder: String,
    timeout: Duration,
}

impl Connection {
    fn path(&self, name: &str) -> Result<String, FarError> {
        // A line of its own would be a command.
        if name.contains(char::is_control) {
            return Err(FarError::Refused(format!("{name:?} is no name for FTP")));
        }
        Ok(match (self.folder.as_str(), name) {
            ("", "") => "/".into(),
            (folder, "") => folder.to_owned(),
            (folder, name) => format!("{folder}/{name}"),
        })
    }

    /// The lines that a command gives over a line of its own.
    fn lines(&mut self, command: &str, path: &str) -> Result<Vec<String>, FtpError> {
        let begins = [Status::AboutToSend, Status::AlreadyOpen];
        let command = format!("{command} {path}");
        let (_, mut stream) = self.stream.custom_data_command(command, &begins)?;
        let mut octets = Vec::new();
        let read = Unparted(&mut stream).take(LIST_OCTETS_MAX + 1).read_to_end(&mut octets);
        let read = read.map_err(FtpError::ConnectionError)?;
        if read as u64 > LIST_OCTETS_MAX {
            let error = format!("the list is longer than {LIST_OCTETS_MAX} octets");
            return Err(FtpError::ConnectionError(io::Error::other(error)));
        }
        stream.finish()?;
        let text = String::from_utf8_lossy(&octets);
        Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    /// What an answer means for what is there, perhaps: a server says the same of what is not as of what nobody may touch.
    fn denied(&mut self, error: FtpError, name: &str) -> FarError {
        let said = match &error {
            FtpError::UnexpectedResponse(response) => said(&response.body),
            _ => String::new(),
        };
        match failed(error, name, self.timeout) {
            FarError::NotThere(_) if self.stat(name).is_ok() => {
                FarError::Forbidden(format!("\"{name}\": {said}"))
            }
            error => error,
        }
    }
}

impl Far for Connection {
    fn list(&mut self, folder: &str) -> Result<Vec<FarFile>, FarError> {
        let path = self.path(folder)?;
        let (lines, read): (_, fn(&str) -> Option<FarFile>) = match self.lines("MLSD", &path) {
            Ok(mut lines) => {
                lines.retain(|line| !listing::is_own(line));
                (Ok(lines), listing::facts)
            }
            Err(FtpError::UnexpectedResponse(response)) if is_unknown(response.status) => {
                (self.lines("LIST", &path), listing::entry)
            }
            Err(error) => (Err(error), listing::facts),
        };
        let lines = lines.map_err(|error| self.denied(error, folder))?;
        let of_files = lines.iter().filter(|line| !line.starts_with("total "));
        let file = |line: &String| {
            let shown: String = line.chars().take(200).collect();
            let not_understood = format!("a line of the list is not understood: {shown:?}");
            read(line).ok_or(FarError::Shut(not_understood))
        };
        of_files.map(file).collect()
    }

    fn stat(&mut self, name: &str) -> Result<FarFile, FarError> {
        let path = self.path(name)?;
        match self.stream.mlst(Some(&path)) {
            Ok(line) => match listing::facts(line.trim_start()) {
                Some(file) => Ok(FarFile { name: name.to_owned(), ..file }),
                None => Err(FarError::passing(format!("\"{name}\": not understood: {line:?}"))),
            },
            Err(FtpError::UnexpectedResponse(response)) if is_unknown(response.status) => {
                let octets = self.stream.size(&path);
                let octets = octets.map_err(|error| failed(error, name, self.timeout))? as u64;
                Ok(FarFile { name: name.to_owned(), kind: FarKind::File, octets, modified: None })
            }
            Err(error) => Err(failed(error, name, self.timeout)),
        }
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, FarError> {
        let path = self.path(name)?;
        let timeout = self.timeout;
        let mut stream = match self.stream.retr_as_stream(&path) {
            Ok(stream) => stream,
            Err(error) => return Err(self.denied(error, name)),
        };
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = Unparted(&mut stream).read(&mut buffer);
            let read = read.map_err(|error| stopped(error, name, timeout))?;
            if read == 0 {
                break;
            }
            to.write_all(&buffer[..read])?;
            octets += read as u64;
        }
        stream.finish().map_err(|error| failed(error, name, timeout))?;
        Ok(octets)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, FarError> {
        let path = self.path(name)?;
        let timeout = self.timeout;
        let not_put = |error| match failed(error, name, timeout) {
            // It says so of a folder that is not there, as of one that may not be written to.
            FarError::NotThere(_) => FarError::passing(format!("\"{name}\" is not taken")),
            error => error,
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
                // Why it takes no more it says on the other line.
                return Err(match stream.finish() {
                    Err(said @ FtpError::UnexpectedResponse(_)) => not_put(said),
                    _ => stopped(error, name, timeout),
                });
            }
            octets += read as u64;
        }
        stream.flush().map_err(|error| stopped(error, name, timeout))?;
        stream.finish().map_err(not_put)?;
        whole(self, name, octets)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FarError> {
        // The protocol lets one that is there be replaced.
        free(self, to)?;
        let (source, target) = (self.path(from)?, self.path(to)?);
        match self.stream.rename(source, target) {
            Ok(()) => Ok(()),
            // It may say so of the new name: only who is not there is taken for renamed.
            Err(FtpError::UnexpectedResponse(response))
                if response.status == Status::FileUnavailable =>
            {
                self.stat(from)?;
                let said = said(&response.body);
                Err(FarError::passing(format!("\"{from}\" could not be renamed: {said}")))
            }
            Err(error) => Err(failed(error, from, self.timeout)),
        }
    }

    fn remove(&mut self, name: &str) -> Result<(), FarError> {
        let path = self.path(name)?;
        self.stream.rm(path).map_err(|error| self.denied(error, name))
    }

    fn make_folder(&mut self, name: &str) -> Result<(), FarError> {
        let path = self.path(name)?;
        let Err(error) = self.stream.mkdir(path) else { return Ok(()) };
        // What a server says of one that is there differs.
        let (above, own) = name.rsplit_once('/').unwrap_or(("", name));
        let is_it = |file: &FarFile| file.kind == FarKind::Folder && file.name == own;
        match self.list(above)?.iter().any(is_it) {
            true => Ok(()),
            false => Err(failed(error, name, self.timeout)),
        }
    }
}

/// What comes over a line that some servers close without the farewell of TLS. That all came they say on the other line.
struct Unparted<R>(R);

impl<R: Read> Read for Unparted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

/// What a line of a list is understood as, whichever command gave it.
#[cfg(any(fuzzing, test))]
pub(crate) fn listed(line: &str) -> impl Iterator<Item = FarFile> {
    let facts = listing::facts(line).filter(|_| !listing::is_own(line));
    facts.into_iter().chain(listing::entry(line))
}

/// Whether a server does not know a command.
fn is_unknown(status: Status) -> bool {
    matches!(
        status,
        Status::BadCommand
            | Status::NotImplemented
            | Status::CommandNotImplemented
            | Status::NotImplementedParameter
    )
}

fn said(body: &[u8]) -> String {
    String::from_utf8_lossy(body).trim().to_owned()
}

/// What an answer means for a file.
fn failed(error: FtpError, name: &str, timeout: Duration) -> FarError {
    match error {
        FtpError::UnexpectedResponse(response) => {
            let what = format!("\"{name}\": {}", said(&response.body));
            match response.status {
                Status::FileUnavailable => FarError::NotThere(name.into()),
                // The name, or what else was said of this file.
                Status::BadFilename | Status::BadArguments => FarError::Refused(what),
                // It is full, which passes.
                Status::ExceededStorage => FarError::passing(what),
                status if (500..600).contains(&(status as u32)) => FarError::Shut(what),
                _ => FarError::passing(what),
            }
        }
        FtpError::ConnectionError(error) => stopped(error, name, timeout),
        FtpError::SecureError(why) => FarError::Shut(format!("{name}: no safe connection: {why}")),
        error => FarError::passing_by(format!("\"{name}\""), error),
    }
}

/// Why the octets of a file, or answers, stopped.
fn stopped(error: io::Error, name: &str, timeout: Duration) -> FarError {
    use io::ErrorKind::{TimedOut, WouldBlock};
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match (error.kind(), cause) {
        (TimedOut | WouldBlock, _) => silent(&format!("\"{name}\""), timeout),
        (_, Some(cause)) => FarError::Shut(format!("{name}: no safe connection: {cause}")),
        _ => FarError::passing_by(format!("\"{name}\": the transfer stopped"), error),
    }
}
