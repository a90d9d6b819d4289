//! Traces of messages of Diameter to files: started, listed, ended, exported and removed.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use diagnostics::with_causes;
use runtime::time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::messages::given;
use super::{Call, Clerk, text, unusable};
use crate::messages::{MessageFile, MessageFilter};
use crate::refused::Refused;
use crate::traces::{MessageTrace, NewTrace, TRACES_MAX, TraceCounts, TraceFiles};

/// How long a trace runs, and the octets with which it ends, by default and at most. What is forgotten ends by itself.
const LENGTH: &str = "30 minutes";
const LENGTH_MAX: (&str, i64) = ("1 day", 86_400_000);
const OCTETS: &str = "100 MB";
const OCTETS_MAX: (&str, u64) = ("1 GB", 1_000_000_000);

/// The octets of a part of a file: as they are, and as XML, which is some times as long.
const PART_OCTETS: usize = 16 << 20;
const PART_OCTETS_OF_XML: usize = 2 << 20;

/// Why an operator ends a trace, for its description.
const ENDED: &str = "an operator ended it";

/// Lists the traces of messages, the newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListTraces {}

/// The traces of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceList {
    /// Whether a system with `[diameter]` runs: otherwise, none can be started.
    pub served: bool,
    /// The traces.
    pub traces: Vec<MessageTrace>,
}

/// Writes the messages between peers of Diameter and the system to a file from now on: all of them, or those of a number, a session
/// or a peer. The trace ends by itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct StartTrace {
    /// Only messages of sessions of this number.
    #[serde(default)]
    pub number: Option<String>,
    /// Only messages of this session: its Session-Id, or the key that lists of sessions have.
    #[serde(default)]
    pub session: Option<String>,
    /// Only messages of this peer.
    #[serde(default)]
    pub peer: Option<String>,
    /// For how long at most: `10 minutes`; 30 minutes by default, and a day at most.
    #[serde(default)]
    pub length: Option<String>,
    /// The size with which the file is full: `20 MB`; 100 MB by default, and 1 GB at most.
    #[serde(default)]
    pub size: Option<String>,
    /// The reason.
    pub because: String,
}

/// Ends a trace. Its file stays.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EndTrace {
    /// The number of the trace.
    pub trace: u32,
    /// The reason.
    pub because: String,
}

/// Removes the file of a trace that has ended.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RemoveTrace {
    /// The number of the trace.
    pub trace: u32,
    /// The reason.
    pub because: String,
}

/// Returns a part of the file of a trace. The parts one behind another are the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ExportTrace {
    /// The number of the trace.
    pub trace: u32,
    /// The form of the file: `pcapng` for Wireshark by default, or `xml`.
    #[serde(default)]
    pub form: Option<MessageFile>,
    /// Where the part begins: 0, or the `next` of the part before.
    #[serde(default)]
    pub from: Option<u64>,
}

/// A part of the file of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TracePart {
    /// Its octets, in Base64.
    pub octets: String,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

impl Clerk<'_> {
    fn trace_files(&self) -> TraceFiles {
        TraceFiles::of(&self.system.definition.1.state)
    }

    fn running_traces(&self) -> Vec<(u32, TraceCounts)> {
        self.system.network_peers().map(|server| server.running_traces()).unwrap_or_default()
    }

    fn trace(&self, number: u32) -> Result<MessageTrace, Refused> {
        let found = self.trace_files().find(number, &self.running_traces());
        found.map_err(|why| fault(number, &why))
    }
}

impl Call for ListTraces {
    type Reply = TraceList;

    const NAME: &'static str = "charging traces";

    fn perform(self, clerk: &Clerk<'_>) -> Result<TraceList, Refused> {
        let served = clerk.system.network_peers().is_some();
        let traces =
            clerk.trace_files().list(&clerk.running_traces()).map_err(|of| refused(&of))?;
        Ok(TraceList { served, traces })
    }

    fn subject(&self) -> Option<String> {
        Some("all traces of messages".to_owned())
    }
}

impl Call for StartTrace {
    type Reply = MessageTrace;

    const NAME: &'static str = "charging trace start";

    fn perform(self, clerk: &Clerk<'_>) -> Result<MessageTrace, Refused> {
        let because = text("the reason", &self.because)?;
        let Some(server) = clerk.system.network_peers() else { return Err(Refused::NoPeers) };
        let filter = MessageFilter {
            number: limited("the number", &self.number)?,
            session: limited("the session", &self.session)?,
            peer: limited("the peer", &self.peer)?,
            limit: 0,
        };
        let length = length(self.length.as_deref().unwrap_or(LENGTH))?;
        let octets_max = size(self.size.as_deref().unwrap_or(OCTETS))?;
        let since = clerk.system.now_ms();
        let until = since.saturating_add(length);
        // The number of the next trace, and how many there are, are those of one request at a time.
        let _turn = clerk.system.trace_turn();
        let files = clerk.trace_files();
        let there = files.list(&[]).map_err(|of| refused(&of))?.len();
        if there >= TRACES_MAX {
            let why = format!("there are {there} already: remove some of them");
            return Err(Refused::TraceRefused { why });
        }
        let trace = MessageTrace {
            trace: 0,
            number: filter.number.clone(),
            session: filter.session.clone(),
            peer: filter.peer.clone(),
            who: clerk.who.to_owned(),
            because: because.to_owned(),
            since: time::shown(since),
            until: time::shown(until),
            octets_max,
            ended: None,
            ended_because: None,
            messages: None,
            dropped: None,
            octets: 0,
        };
        let trace = files.add(trace).map_err(|of| refused(&of))?;
        let number = trace.trace;
        let subject = format!("trace {number} of {}, until {}", trace.of(), trace.until);
        // No message is written without an entry of the trail.
        let noted = clerk.system.back.commit(clerk.trail(Self::NAME, subject, because));
        let noted = noted.map_err(unusable);
        let begun = noted.and_then(|()| {
            let new = NewTrace { number, filter, until, octets_max, files: files.clone() };
            let refused = |why| Refused::TraceRefused { why: with_causes(&why) };
            server.start_trace(new).map_err(refused)
        });
        if let Err(why) = begun {
            let _ = files.remove(number);
            return Err(why);
        }
        clerk.trace(number)
    }

    fn subject(&self) -> Option<String> {
        let filter = MessageFilter {
            number: given(&self.number),
            session: given(&self.session),
            peer: given(&self.peer),
            limit: 0,
        };
        Some(format!("a trace of {}", filter.described()))
    }
}

impl Call for EndTrace {
    type Reply = MessageTrace;

    const NAME: &'static str = "charging trace end";

    fn perform(self, clerk: &Clerk<'_>) -> Result<MessageTrace, Refused> {
        let because = text("the reason", &self.because)?;
        let trace = clerk.trace(self.trace)?;
        let has_ended = || Refused::TraceRefused { why: format!("{} has ended", trace.trace) };
        let server = clerk.system.network_peers().ok_or_else(has_ended)?;
        if !server.end_trace(self.trace, ENDED) {
            return Err(has_ended());
        }
        let subject = format!("trace {}", self.trace);
        clerk.system.back.commit(clerk.trail(Self::NAME, subject, because)).map_err(unusable)?;
        clerk.trace(self.trace)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("trace {}", self.trace))
    }
}

impl Call for RemoveTrace {
    type Reply = TraceList;

    const NAME: &'static str = "charging trace remove";

    fn perform(self, clerk: &Clerk<'_>) -> Result<TraceList, Refused> {
        let because = text("the reason", &self.because)?;
        let trace = clerk.trace(self.trace)?;
        if trace.ended.is_none() {
            let why = format!("{} runs: end it first", trace.trace);
            return Err(Refused::TraceRefused { why });
        }
        let subject = format!("trace {}", self.trace);
        clerk.system.back.commit(clerk.trail(Self::NAME, subject, because)).map_err(unusable)?;
        clerk.trace_files().remove(self.trace).map_err(|why| fault(self.trace, &why))?;
        ListTraces {}.perform(clerk)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("trace {}", self.trace))
    }
}

impl Call for ExportTrace {
    type Reply = TracePart;

    const NAME: &'static str = "charging trace export";

    fn perform(self, clerk: &Clerk<'_>) -> Result<TracePart, Refused> {
        clerk.trace(self.trace)?;
        let from = self.from.unwrap_or(0);
        let form = self.form.unwrap_or(MessageFile::Pcapng);
        let most = match form {
            MessageFile::Pcapng => PART_OCTETS,
            MessageFile::Xml => PART_OCTETS_OF_XML,
        };
        let blocks = clerk.trace_files().blocks(self.trace, from, most);
        let blocks = blocks.map_err(|why| fault(self.trace, &why))?;
        let next = (!blocks.is_empty()).then(|| from.saturating_add(blocks.len() as u64));
        let octets = match form {
            MessageFile::Pcapng => STANDARD.encode(blocks),
            MessageFile::Xml => {
                let server = clerk.system.network_peers().ok_or(Refused::NoPeers)?;
                let begin = if from == 0 { XML_BEGIN } else { "" };
                let end = if next.is_none() { XML_END } else { "" };
                STANDARD.encode([begin, &server.trace_as_xml(&blocks), end].concat())
            }
        };
        Ok(TracePart { octets, next })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("trace {}", self.trace))
    }
}

/// What is around the messages of a document.
const XML_BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<messages>\n";
const XML_END: &str = "</messages>\n";

fn limited(what: &str, of: &Option<String>) -> Result<Option<String>, Refused> {
    let Some(of) = given(of) else { return Ok(None) };
    text(what, &of).map(|of| Some(of.to_owned()))
}

/// Reads for how long a trace runs, in milliseconds.
fn length(of: &str) -> Result<i64, Refused> {
    let length = settings::duration(of).map(time::milliseconds);
    length.filter(|length| *length <= LENGTH_MAX.1).ok_or_else(|| Refused::TraceLimitInvalid {
        what: "length".to_owned(),
        text: of.to_owned(),
        example: LENGTH.to_owned(),
        most: LENGTH_MAX.0.to_owned(),
    })
}

fn size(of: &str) -> Result<u64, Refused> {
    let octets = settings::octets(of).filter(|octets| *octets <= OCTETS_MAX.1);
    octets.ok_or_else(|| Refused::TraceLimitInvalid {
        what: "size".to_owned(),
        text: of.to_owned(),
        example: OCTETS.to_owned(),
        most: OCTETS_MAX.0.to_owned(),
    })
}

fn fault(trace: u32, why: &io::Error) -> Refused {
    match why.kind() {
        io::ErrorKind::NotFound => Refused::TraceUnknown { trace },
        _ => refused(why),
    }
}

fn refused(why: &io::Error) -> Refused {
    Refused::TraceRefused { why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_limits_within_the_most_that_is_possible() {
        for (text, expected) in [
            ("30 minutes", Some(1_800_000)),
            ("1 day", Some(86_400_000)),
            ("2 days", None),
            ("", None),
        ] {
            assert_eq!(length(text).ok(), expected, "{text}");
        }
        for (text, expected) in [("1 GB", Some(1_000_000_000)), ("2 GB", None), ("0 MB", None)] {
            assert_eq!(size(text).ok(), expected, "{text}");
        }
        let why = length("2 days").unwrap_err().to_string();
        let expected =
            "\"2 days\" is no length of a trace: write \"30 minutes\", and 1 day at most";
        assert_eq!(why, expected);
    }
}
