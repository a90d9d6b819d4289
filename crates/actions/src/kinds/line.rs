//! A line to the operator console: into a file, such as a terminal, or over TCP.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::shutdown::Shutdown;
use settings::Settings;

use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

/// `line = "tcp://console:7000"`, or a path. A line harms no one, so it needs no approval, and each alert has one.
pub(super) const KIND: Kind = Kind {
    key: "line",
    keys: &[],
    approval: Approval::NoOne,
    again: Some(Duration::ZERO),
    max_age: None,
    carrier: read,
};

const TCP: &str = "tcp://";

enum Console {
    File(PathBuf),
    Tcp(String, Duration),
}

fn read(settings: &Settings, timeout: Duration) -> Made {
    let setting = settings.get(KIND.key).expect("the table has it");
    Ok(Arc::new(match setting.value.strip_prefix(TCP) {
        Some(address) if address.contains(':') => Console::Tcp(address.to_owned(), timeout),
        Some(_) => {
            let mistake = settings.error(setting, "the port is missing");
            return Err(vec![mistake.hint("write \"tcp://console.example.net:7000\"")]);
        }
        None => Console::File(settings.path(setting)),
    }))
}

/// Returns the line, without characters that a terminal would obey.
fn line(message: &Message) -> String {
    let Message { id, action, at, subject, key, score, severity, because, .. } = message;
    let what = if message.undo { "undo " } else { "" };
    let origin = message.origin();
    let line = format!(
        "{at} {what}{action} {subject}={key} severity={severity} score={score} by=\"{origin}\" because=\"{because}\" id={id}"
    );
    line.chars().map(|of| if of.is_control() { '?' } else { of }).collect::<String>() + "\n"
}

impl Carrier for Console {
    fn carry_out(&self, message: &Message, _: &Shutdown) -> Result<(), CarryError> {
        let line = line(message);
        let written = match self {
            Console::File(path) => OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .and_then(|mut file| file.write_all(line.as_bytes()))
                .map_err(|error| format!("\"{}\": {error}", path.display())),
            Console::Tcp(address, timeout) => {
                send(address, *timeout, &line).map_err(|error| format!("\"{address}\": {error}"))
            }
        };
        written.map_err(CarryError)
    }
}

fn send(address: &str, timeout: Duration, line: &str) -> std::io::Result<()> {
    let no_address = || std::io::Error::other("there is no such host");
    let to = address.to_socket_addrs()?.next().ok_or_else(no_address)?;
    let mut stream = TcpStream::connect_timeout(&to, timeout)?;
    stream.set_write_timeout(Some(timeout))?;
    stream.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_line_and_no_control_characters() {
        let message = Message { key: "46\u{1b}[2J\n70".into(), ..Message::default() };
        let line = line(&message);
        assert!(line.ends_with('\n') && !line.trim_end().contains(char::is_control), "{line:?}");
    }
}
