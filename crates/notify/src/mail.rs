//! Mail over SMTP. What happens within some seconds is one mail.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use alarm::notification::{Channel, ChannelKind, Event, SendError};
use diagnostics::Diagnostic;
use lettre::address::Envelope;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport as _};
use settings::{SecretSource, Setting, Settings, certificates};

use crate::error::SetupError;

/// How long others are waited for, if nothing is said.
const GATHER: Duration = Duration::from_secs(10);

/// How long each answer of the server may take, if nothing is said.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Most events of a mail: more than anyone reads.
const EVENTS_MAX: usize = 100;

/// Characters of a subject.
const SUBJECT_MAX: usize = 120;

/// `smtp = "host:port"`.
pub(crate) struct Mail;

/// How what goes to the server is encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encrypted {
    /// Once the server has said that it can; it has to.
    StartTls,
    FromTheBeginning,
    Not,
}

impl Encrypted {
    const ALL: [(&'static str, Encrypted); 3] = [
        ("starttls", Encrypted::StartTls),
        ("tls", Encrypted::FromTheBeginning),
        ("none", Encrypted::Not),
    ];

    /// The port that a server has for it (RFC 6409, RFC 8314).
    fn port(self) -> u16 {
        match self {
            Encrypted::StartTls => 587,
            Encrypted::FromTheBeginning => 465,
            Encrypted::Not => 25,
        }
    }
}

impl ChannelKind for Mail {
    fn key(&self) -> &'static str {
        "smtp"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "from",
            "to",
            "tls",
            "user",
            "password-file",
            "certificate-authority",
            "gather",
            "timeout",
        ]
    }

    fn channel(&self, settings: &Settings) -> Result<Box<dyn Channel>, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        let server = read(settings, &mut mistakes);
        match server.filter(|_| mistakes.is_empty()) {
            Some(server) => Ok(Box::new(server)),
            None => Err(mistakes),
        }
    }
}

fn read(settings: &Settings, mistakes: &mut Vec<Diagnostic>) -> Option<Server> {
    let mut noted = |mistake: Diagnostic| mistakes.push(mistake);
    let chosen = settings.get("tls").map(|tls| settings.choice(tls, &Encrypted::ALL)).transpose();
    let encrypted = chosen.map_err(&mut noted).ok()?.unwrap_or(Encrypted::StartTls);
    let smtp = settings.require("smtp").map_err(&mut noted).ok()?;
    let (host, port) = match smtp.value.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()),
        None => (smtp.value.as_str(), Some(encrypted.port())),
    };
    let Some(port) = port.filter(|_| !host.is_empty()) else {
        noted(settings.error(smtp, "\"smtp\" is no server").hint("write \"mail.example.com:587\""));
        return None;
    };
    let from = settings.require("from").map_err(&mut noted).ok();
    let from = from.and_then(|from| mailbox(settings, from).map_err(&mut noted).ok());
    let _ = settings.require("to").map_err(&mut noted);
    let to: Vec<Mailbox> = settings
        .all("to")
        .filter_map(|to| mailbox(settings, to).map_err(&mut noted).ok())
        .collect();
    let duration = |key, usual| {
        let length = settings.get(key).map(|setting| settings.duration(setting));
        length.unwrap_or(Ok(usual))
    };
    let gather = duration("gather", GATHER).map_err(&mut noted).unwrap_or(GATHER);
    let timeout = duration("timeout", TIMEOUT).map_err(&mut noted).unwrap_or(TIMEOUT);
    let path = |key| settings.get(key).map(|setting| settings.path(setting));
    let login = match (settings.get("user"), settings.secret_file("password-file")) {
        (Some(user), Some(password)) => Some((user.value.clone(), password)),
        (None, None) => None,
        _ => {
            let message = "\"user\" and \"password-file\" go together";
            noted(Diagnostic::error(&settings.source, settings.span, message));
            None
        }
    };
    if let (Some(user), Encrypted::Not) = (settings.get("user"), encrypted) {
        noted(settings.error(user, "a password is not sent without \"tls\""));
    }
    let (host, certificate_authority) = (host.to_owned(), path("certificate-authority"));
    let from = from?;
    Some(Server {
        host,
        port,
        encrypted,
        from,
        to,
        login,
        gather,
        timeout,
        certificate_authority,
        name: settings.name.clone(),
        done: Mutex::default(),
    })
}

fn mailbox(settings: &Settings, setting: &Setting) -> Result<Mailbox, Diagnostic> {
    setting.value.parse().map_err(|_| {
        let message = format!("\"{}\" is no address of mail", setting.value);
        settings.error(setting, message).hint("write \"somebody@example.com\"")
    })
}

struct Server {
    host: String,
    port: u16,
    encrypted: Encrypted,
    from: Mailbox,
    to: Vec<Mailbox>,
    login: Option<(String, SecretSource)>,
    gather: Duration,
    timeout: Duration,
    certificate_authority: Option<std::path::PathBuf>,
    /// The channel's.
    name: String,
    /// Who needs the last mail no more, where not all had it at once.
    done: Mutex<Done>,
}

/// Who has a mail, or will never have it.
#[derive(Default)]
struct Done {
    /// The mail.
    id: String,
    /// By their places among those who are told, whether they have it.
    people: BTreeMap<usize, bool>,
}

impl Server {
    fn tls(&self) -> Result<Tls, SetupError> {
        if self.encrypted == Encrypted::Not {
            return Ok(Tls::None);
        }
        let mut parameters = TlsParameters::builder(self.host.clone());
        if let Some(path) = &self.certificate_authority {
            let pem = certificates(path)?;
            let none = || SetupError::NoCertificate { path: path.clone() };
            let certificate = Certificate::from_pem(pem.as_bytes()).map_err(|_| none())?;
            parameters = parameters.add_root_certificate(certificate);
        }
        let parameters = parameters.build()?;
        Ok(match self.encrypted {
            Encrypted::StartTls => Tls::Required(parameters),
            _ => Tls::Wrapper(parameters),
        })
    }

    fn transport(&self) -> Result<SmtpTransport, SetupError> {
        let mut transport = SmtpTransport::builder_dangerous(&self.host)
            .port(self.port)
            .tls(self.tls()?)
            .timeout(Some(self.timeout));
        if let Some((user, password)) = &self.login {
            let password = password.read()?;
            transport =
                transport.credentials(Credentials::new(user.clone(), password.reveal().to_owned()));
        }
        Ok(transport.build())
    }

    fn message(&self, events: &[Event]) -> Result<Message, SetupError> {
        let to = |message: MessageBuilder, to: &Mailbox| message.to(to.clone());
        let message = Message::builder()
            .from(self.from.clone())
            .subject(subject(events))
            .message_id(Some(self.id(events)))
            .header(ContentType::TEXT_PLAIN);
        let message = self.to.iter().fold(message, to);
        Ok(message.body(body(events))?)
    }

    /// What a mail is known by: the same whenever it is sent, so that who has it already can tell.
    fn id(&self, events: &[Event]) -> String {
        let first = events.first().map_or("", |first| first.id.as_str());
        let last = events.last().and_then(|last| last.id.rsplit('-').next()).unwrap_or_default();
        format!("<{first}-{last}.{}@{}>", plain(&self.name), self.from.email.domain())
    }

    /// Sends a mail to each recipient by itself, since the server does not take it for all of them. A recipient that is refused
    /// does not keep the others from it, and one that has the mail is not sent it again.
    fn send_to_each(
        &self,
        transport: &SmtpTransport,
        message: &Message,
        done: &mut Done,
    ) -> Result<Vec<String>, SendError> {
        let (mut refused, mut later) = (Vec::new(), Vec::new());
        let mut is_down = false;
        for (place, to) in self.to.iter().enumerate() {
            if done.people.contains_key(&place) {
                continue;
            }
            let envelope = Envelope::new(Some(self.from.email.clone()), vec![to.email.clone()]);
            let envelope = envelope.map_err(SetupError::from)?;
            match transport.send_raw(&envelope, &message.formatted()) {
                Ok(_) => drop(done.people.insert(place, true)),
                Err(error) if error.is_permanent() => {
                    refused.push((place, format!("<{}>: {}", to.email, self.describe(&error))));
                }
                Err(error) => {
                    // Who gives no answer does not put off one of them.
                    is_down |= !error.is_transient();
                    later.push(format!("<{}>: {}", to.email, self.describe(&error)));
                }
            }
        }
        if done.people.is_empty() {
            // It is not about one of them.
            later.extend(refused.drain(..).map(|(_, why)| why));
        }
        for (place, why) in refused {
            tracing::error!("\"{}\" is not told: {why}", self.name);
            done.people.insert(place, false);
        }
        let left = self.left(done);
        match later.into_iter().next() {
            None => Ok(left),
            Some(why) if is_down || done.people.is_empty() => Err(SendError::Unreachable(why)),
            Some(problem) => Err(SendError::Partly { problem, left }),
        }
    }

    /// The addresses of those who do not have it.
    fn left(&self, done: &Done) -> Vec<String> {
        let has_it = |place: &usize| done.people.get(place).copied().unwrap_or(false);
        let left = self.to.iter().enumerate().filter(|(place, _)| !has_it(place));
        left.map(|(_, to)| format!("<{}>", to.email)).collect()
    }

    fn describe(&self, error: &SmtpError) -> String {
        format!("\"{}:{}\": {}", self.host, self.port, chain(error))
    }
}

impl Channel for Server {
    fn events_max(&self) -> usize {
        EVENTS_MAX
    }

    fn gather(&self) -> Duration {
        self.gather
    }

    fn send(&self, events: &[Event]) -> Result<Vec<String>, SendError> {
        let (message, transport) = (self.message(events)?, self.transport()?);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let id = self.id(events);
        if done.id != id {
            *done = Done { id, ..Done::default() };
        }
        if done.people.is_empty() {
            match transport.send(&message) {
                Ok(_) => return Ok(Vec::new()),
                Err(error)
                    if self.to.len() > 1 && (error.is_permanent() || error.is_transient()) => {}
                Err(error) => return Err(SendError::Unreachable(self.describe(&error))),
            }
        }
        self.send_to_each(&transport, &message, &mut done)
    }
}

/// An error and what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_message = error.to_string();
        if !text.contains(&cause_message) {
            text.push_str(&format!(": {cause_message}"));
        }
        cause = error.source();
    }
    text
}

/// What a name of a message may have in it.
fn plain(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    text.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect()
}

fn subject(events: &[Event]) -> String {
    let Some(worst) = events.iter().max_by_key(|event| event.severity) else {
        return String::new();
    };
    let Event { service, event, severity, kind, subject, .. } = worst;
    let more = match events.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    let about = format!("[tollgate {service}] {severity}: {kind} {subject} {event}{more}");
    let printed = about.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    printed.take(SUBJECT_MAX).collect()
}

fn body(events: &[Event]) -> String {
    let mut body = String::new();
    for one in events {
        let Event { id, at, event, alarm, kind, subject, severity, text, .. } = one;
        let by = match (&one.who, one.remark.as_deref()) {
            (Some(who), None | Some("")) => format!(" by {who}"),
            (Some(who), Some(remark)) => format!(" by {who}: \"{remark}\""),
            _ => String::new(),
        };
        body.push_str(&format!(
            "{at}  {severity}  {kind} {subject}\n{event}{by}\n\n{text}\n\nalarm {alarm}, event {id}\n\n\n"
        ));
    }
    body
}
