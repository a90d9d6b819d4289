//! A charging system, which debits the records of files to prepaid accounts. A file has a record a line, in JSON. It is sent
//! part by part, each a `POST` at the address followed by `/records`, and each record is answered.
//!
//! The system makes each debit once, by the name and the digest of the file and the line. So a file that was interrupted is
//! sent again from its first line.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read as _, Write};

use diagnostics::Diagnostic;
use serde::Deserialize;
use settings::Secret;
use transport::{
    Access, Digest, Listing, Parcel, Place, PutMethod, RecordComponent, RemoteConnection,
    RemoteError, RemoteFile, Scheme,
};

use crate::calls::shown;
use crate::fault::Fault;
use crate::web::{self, No, Web};

/// The maximum records of a request: they share one or two syncs of the system's disk.
const RECORDS_MAX: u64 = 1_000;

/// The size in octets of the records of a request from which on no more are added.
const REQUEST_OCTETS: usize = 512 << 10;

/// The maximum octets of a record. With one such record, a request is still smaller than a system takes.
const LINE_OCTETS_MAX: u64 = 256 << 10;

/// The maximum octets of an answer: a reason for each record.
const ANSWER_OCTETS_MAX: u64 = 4 << 20;

/// The maximum reasons that are shown of a file, and the maximum lines of each.
const REASONS_MAX: usize = 10;
const LINES_MAX: usize = 5;

/// `https://host`, of the kind `charging`.
pub(crate) struct Charging;

impl Scheme for Charging {
    fn kind(&self) -> Option<&'static str> {
        Some("charging")
    }

    fn names(&self) -> &'static [&'static str] {
        &["http", "https"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["token-file", "certificate-authority"]
    }

    fn place(&self, access: Access) -> Result<Box<dyn Place>, Diagnostic> {
        if access.text("token-file").is_some() {
            web::check_line(&access)?;
        }
        if access.address.user.is_some() {
            let hint =
                "write the token of a client of charging.toml to a file: token-file = \"FILE\"";
            return Err(access.mistake("a charging system knows its clients by tokens").hint(hint));
        }
        if [&access.address.host, &access.address.path].iter().any(|of| of.contains(['?', '#'])) {
            let message = "the address of a charging system has neither \"?\" nor \"#\"";
            return Err(access.mistake(message).hint("write \"https://host:8090\""));
        }
        Ok(Box::new(ChargingPlace { access }))
    }
}

#[derive(Debug)]
struct ChargingPlace {
    access: Access,
}

impl Place for ChargingPlace {
    fn address(&self) -> String {
        self.access.address.to_string()
    }

    fn put_method(&self) -> PutMethod {
        PutMethod::Atomic
    }

    fn is_listed(&self) -> bool {
        false
    }

    fn record_components(&self) -> &'static [RecordComponent] {
        &[
            RecordComponent { name: "number", may_be_number: false },
            RecordComponent { name: "amount", may_be_number: false },
            RecordComponent { name: "start", may_be_number: true },
        ]
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let (host, base) = web::host_and_base(&self.access.address);
        let token = self.access.secret_file("token-file")?;
        let authorization = token.map(|token| Secret::new(format!("Bearer {}", token.reveal())));
        let web = Web::new(&self.access, host)?;
        Ok(Box::new(System { web, authorization, url: format!("{base}/records") }))
    }
}

/// A charging system.
struct System {
    web: Web,
    authorization: Option<Secret>,
    url: String,
}

/// What a system answers about the records of a request.
#[derive(Deserialize)]
struct Answer {
    debited: u64,
    repeated: u64,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    line: u64,
    code: String,
    text: String,
}

/// Records of a file that are sent together.
struct Part {
    /// The line of the first, from 1.
    first: u64,
    count: u64,
    /// The records, divided by commas.
    records: Vec<u8>,
}

impl Part {
    fn add(&mut self, line: &[u8]) {
        if self.count > 0 {
            self.records.push(b',');
        }
        // Without a record, a line is refused as any other that has none.
        self.records.extend_from_slice(if line.is_empty() { b"null" } else { line });
        self.count += 1;
    }

    fn is_full(&self) -> bool {
        self.count >= RECORDS_MAX || self.records.len() >= REQUEST_OCTETS
    }

    fn body(&self, name: &str, digest: &str) -> Vec<u8> {
        let file = serde_json::Value::from(name);
        let head = format!(
            "{{\"file\":{file},\"digest\":\"{digest}\",\"first\":{},\"records\":[",
            self.first
        );
        [head.as_bytes(), &self.records, b"]}"].concat()
    }
}

/// The records of a file that the system refuses, by code.
#[derive(Default)]
struct Reasons {
    by_code: BTreeMap<String, Reason>,
    count: u64,
}

#[derive(Default)]
struct Reason {
    text: String,
    lines: Vec<u64>,
    has_more: bool,
}

impl Reasons {
    fn add(&mut self, Refused { line, code, text }: Refused) {
        self.count += 1;
        if self.by_code.len() >= REASONS_MAX && !self.by_code.contains_key(&code) {
            return;
        }
        let reason = self.by_code.entry(code).or_default();
        match reason.lines.len() < LINES_MAX {
            true => reason.lines.push(line),
            false => reason.has_more = true,
        }
        reason.text = text;
    }

    fn shown(&self) -> String {
        let reason = |Reason { text, lines, has_more }: &Reason| {
            let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
            let word = if lines.len() == 1 { "line" } else { "lines" };
            let more = if *has_more { " and more" } else { "" };
            format!("{} ({word} {}{more})", shown(text), lines.join(", "))
        };
        self.by_code.values().map(reason).collect::<Vec<_>>().join("; ")
    }
}

impl System {
    /// Sends records, and returns what became of them.
    fn send(&self, name: &str, digest: &str, part: &Part) -> Result<Answer, RemoteError> {
        let request = self.web.agent.post(&self.url).header("Content-Type", "application/json");
        let request = match &self.authorization {
            Some(authorization) => request.header("Authorization", authorization.reveal()),
            None => request,
        };
        let answer = self.web.answered(name, request.send(&part.body(name, digest)[..]))?;
        let file = || name.to_owned();
        if !answer.status().is_success() {
            let no = No::of(answer);
            return Err(match no.status.as_u16() {
                404 | 410 => {
                    let (file, answer) = (file(), no.status.to_string());
                    RemoteError::unavailable(Fault::ChargingTakesNothing { file, answer })
                }
                _ => no.error(name),
            });
        }
        let mut body = Vec::new();
        let broken = |error| RemoteError::broken_by(Fault::ConnectionBroke { file: file() }, error);
        let from = answer.into_body().into_reader();
        from.take(ANSWER_OCTETS_MAX).read_to_end(&mut body).map_err(broken)?;
        let answer = serde_json::from_slice::<Answer>(&body).ok().filter(|answer| {
            let of_each = [answer.debited, answer.repeated, answer.refused.len() as u64];
            of_each.iter().try_fold(0_u64, |sum, of| sum.checked_add(*of)) == Some(part.count)
        });
        answer.ok_or_else(|| RemoteError::shut(Fault::ChargingNotUnderstood { file: file() }))
    }
}

/// Reads a line without its end. `None` at the end of the file.
fn read_line<'l>(from: &mut impl BufRead, line: &'l mut Vec<u8>) -> io::Result<Option<&'l [u8]>> {
    line.clear();
    from.take(LINE_OCTETS_MAX + 1).read_until(b'\n', line)?;
    Ok((!line.is_empty()).then(|| line.trim_ascii()))
}

impl RemoteConnection for System {
    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        let digest = Digest::of(parcel)?;
        let (hexadecimal, mut from) = (digest.hexadecimal(), BufReader::new(parcel.open()?));
        let (mut reasons, mut sent, mut text) = (Reasons::default(), 0, Vec::new());
        loop {
            let mut part = Part { first: sent + 1, count: 0, records: Vec::new() };
            while !part.is_full()
                && let Some(line) = read_line(&mut from, &mut text)?
            {
                if line.len() as u64 > LINE_OCTETS_MAX {
                    let (file, line) = (name.to_owned(), part.first + part.count);
                    let octets_max = LINE_OCTETS_MAX;
                    let fault = Fault::ChargingLineTooLong { file, line, octets_max };
                    return Err(RemoteError::refused(fault));
                }
                part.add(line);
            }
            if part.count == 0 {
                break;
            }
            let answer = self.send(name, &hexadecimal, &part)?;
            answer.refused.into_iter().for_each(|refused| reasons.add(refused));
            sent += part.count;
        }
        if reasons.count == 0 {
            return Ok(digest.octets);
        }
        let (file, refused, records) = (name.to_owned(), reasons.count, sent);
        let fault = Fault::ChargingRefused { file, refused, records, reasons: reasons.shown() };
        Err(RemoteError::refused(fault))
    }

    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        Err(no_files(folder))
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        Err(no_files(name))
    }

    fn fetch(&mut self, name: &str, _: &mut dyn Write) -> Result<u64, RemoteError> {
        Err(no_files(name))
    }

    fn rename(&mut self, from: &str, _: &str) -> Result<(), RemoteError> {
        Err(no_files(from))
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        Err(no_files(name))
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        Err(no_files(name))
    }
}

fn no_files(name: &str) -> RemoteError {
    RemoteError::shut(Fault::ChargingNoFiles { file: name.to_owned() })
}
