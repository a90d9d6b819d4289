//! Servers that answer as a test tells them to, for behaviour that no available server has.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// An FTP server's reaction to a command.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The usual answer.
    Usual,
    /// An answer.
    Line(String),
    /// An answer, after which the server closes the connection.
    Last(String),
    /// These octets, over a data connection.
    Data(String),
    /// These octets, repeated forever.
    Endless(String),
    /// These octets, over a data connection that then stays open without sending more.
    Open(String),
}

pub(crate) fn line(text: &str) -> Answer {
    Answer::Line(text.into())
}

pub(crate) fn data(text: &str) -> Answer {
    Answer::Data(text.into())
}

/// Serves FTP until the test ends; returns the port. `answers` receives each command, and the
/// number of connections so far.
pub(crate) fn ftp(answers: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers = Arc::new(answers);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let answers = Arc::clone(&answers);
            thread::spawn(move || visit(&stream.unwrap(), |command| answers(command, number + 1)));
        }
    });
    port
}

/// Serves one connection. `None`, if the client closes it, is not an error.
fn visit(stream: &TcpStream, answers: impl Fn(&str) -> Answer) -> Option<()> {
    let mut to = stream;
    let mut say = move |text: &str| to.write_all(format!("{text}\r\n").as_bytes()).ok();
    say("220 here")?;
    let mut files = None;
    for command in BufReader::new(stream).lines() {
        let command = command.ok()?;
        match answers(&command) {
            Answer::Line(text) => say(&text)?,
            Answer::Last(text) => {
                say(&text)?;
                return None;
            }
            Answer::Usual => match command.split(' ').next()? {
                "USER" => say("331 and?")?,
                "PASS" => say("230 in")?,
                "TYPE" | "OPTS" => say("200 so be it")?,
                "CWD" | "DELE" | "RNTO" => say("250 done")?,
                "PWD" => say("257 \"/\"")?,
                "RNFR" => say("350 to?")?,
                "PASV" => {
                    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
                    let [high, low] = listener.local_addr().ok()?.port().to_be_bytes();
                    files = Some(listener);
                    say(&format!("227 Entering Passive Mode (127,0,0,1,{high},{low})"))?;
                }
                "STOR" => {
                    say("150 go")?;
                    let (mut line, _) = files.take()?.accept().ok()?;
                    line.read_to_end(&mut Vec::new()).ok()?;
                    say("226 all of it")?;
                }
                _ => say("502 Command not implemented")?,
            },
            Answer::Data(text) => {
                say("150 go")?;
                let (mut line, _) = files.take()?.accept().ok()?;
                line.write_all(text.as_bytes()).ok()?;
                drop(line);
                say("226 all of it")?;
            }
            Answer::Endless(text) => {
                say("150 go")?;
                let (mut line, _) = files.take()?.accept().ok()?;
                while line.write_all(text.as_bytes()).is_ok() {}
                say("426 aborted")?;
            }
            Answer::Open(text) => {
                say("150 go")?;
                let (mut line, _) = files.take()?.accept().ok()?;
                line.write_all(text.as_bytes()).ok()?;
                // Until the client closes the connection.
                let _ = line.read(&mut [0]);
                say("426 aborted")?;
            }
        }
    }
    None
}

/// An HTTP answer: status, headers (each with its line end) and body.
pub(crate) type Reply = (u16, String, String);

/// Serves HTTP until the test ends; returns the port. `answers` receives each method and path.
pub(crate) fn http(answers: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> u16 {
    http_with_bodies(move |method, path, _| answers(method, path))
}

/// As [`http`]; `answers` receives the body of each request, too.
pub(crate) fn http_with_bodies(
    answers: impl Fn(&str, &str, &[u8]) -> Reply + Send + Sync + 'static,
) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let mut from = BufReader::new(&stream);
            let mut lines = from.by_ref().lines().map_while(Result::ok);
            let Some(request) = lines.next() else { continue };
            let head = lines.by_ref().take_while(|line| !line.is_empty());
            let length = head.filter_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            let mut body = vec![0; length.last().unwrap_or(0)];
            let _ = from.read_exact(&mut body);
            let mut words = request.split(' ');
            let (method, path) = (words.next().unwrap(), words.next().unwrap());
            let (status, headers, body) = answers(method, path, &body);
            let sent = if method == "HEAD" { "" } else { &body };
            let head = format!("HTTP/1.1 {status} So\r\nConnection: close\r\n{headers}\r\n{sent}");
            let _ = (&stream).write_all(head.as_bytes());
        }
    });
    port
}
