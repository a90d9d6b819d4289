//! A connection: the octets that come, and the line of what is written to it.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::visible;
use diameter::capabilities::Capabilities;
use diameter::codes::command::CAPABILITIES_EXCHANGE;
use diameter::frame::Frame;
use diameter::header::Header;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::LOG;
use crate::end::{End, MEETS_WITHIN};
use crate::front::Front;
use crate::line::Line;
use crate::meeting::{Meeting, Met, Origin, meet, meet_again};
use crate::open_peer::OpenPeer;
use crate::peers::Link;

/// How long the last messages have until they are written.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);

/// The room for octets that are read at once.
const READ_OCTETS: usize = 64 << 10;

/// The most octets of the capabilities of a peer: it is not known before.
const CAPABILITIES_OCTETS: usize = 64 << 10;

/// A connection whose peer begins TLS after its capabilities, which were answered.
pub(crate) struct BeginsTls<R, W> {
    pub(crate) halves: (R, W),
    pub(crate) greeted: Greeted,
}

/// What is known of a connection when TLS begins.
pub(crate) struct Greeted {
    peer: Capabilities,
    line: Arc<Line>,
}

/// Serves a connection until it ends, or until its peer begins TLS.
pub(crate) async fn serve<R, W>(
    front: Arc<Front>,
    (reader, mut writer): (R, W),
    origin: Origin,
    stop: watch::Receiver<bool>,
) -> Option<BeginsTls<R, W>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let address = origin.address;
    let line = Arc::new(Line::new(front.log_octets, front.traces.tap(address)));
    let mut stream = Stream::new(reader);
    let reading = read(front, Arc::clone(&line), &mut stream, origin, stop);
    let (peer, answer) = converse((&line, address), reading, &mut writer).await?;
    let write = async {
        writer.write_all(&answer).await?;
        writer.flush().await
    };
    timeout(WRITTEN_WITHIN, write).await.ok()?.ok()?;
    line.sent(&answer);
    Some(BeginsTls { halves: (stream.from, writer), greeted: Greeted { peer, line } })
}

/// Serves a connection whose peer has begun TLS after its capabilities, until it ends.
pub(crate) async fn serve_greeted<R, W>(
    front: Arc<Front>,
    (reader, mut writer): (R, W),
    (origin, Greeted { peer, line }): (Origin, Greeted),
    stop: watch::Receiver<bool>,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let address = origin.address;
    let reading = async {
        match meet_again(&front, &line, &peer, &origin).await {
            Ok(met) => run(front, met, &mut Stream::new(reader), (origin, stop)).await,
            Err(end) => tracing::warn!(target: LOG, "{address}: {end}"),
        }
        None::<()>
    };
    converse((&line, address), reading, &mut writer).await;
}

/// Reads and writes until one of them ends. What reading returns goes on elsewhere, so the line does not end then.
async fn converse<T>(
    (line, address): (&Line, SocketAddr),
    reading: impl Future<Output = Option<T>>,
    writer: &mut (impl AsyncWrite + Unpin),
) -> Option<T> {
    let writing = line.write_to(writer);
    tokio::pin!(reading, writing);
    tokio::select! {
        read = &mut reading => {
            if read.is_some() {
                return read;
            }
            line.end();
            let _ = timeout(WRITTEN_WITHIN, &mut writing).await;
        }
        written = &mut writing => {
            line.gone();
            if let Err(error) = written {
                tracing::info!(target: LOG, "{address}: {error}");
            }
            // It notices that nothing can be read any more, and leaves.
            let _ = timeout(WRITTEN_WITHIN, &mut reading).await;
        }
    }
    line.gone();
    None
}

/// Reads until the connection ends. If its peer begins TLS, returns who that is, and the answer to its capabilities.
async fn read<R: AsyncRead + Unpin>(
    front: Arc<Front>,
    line: Arc<Line>,
    stream: &mut Stream<R>,
    origin: Origin,
    mut stop: watch::Receiver<bool>,
) -> Option<(Capabilities, Vec<u8>)> {
    let first = timeout(MEETS_WITHIN, stream.first(&front, &line, &origin));
    let met = tokio::select! {
        met = first => met,
        _ = stop.changed() => return None,
    };
    match met.unwrap_or(Err(End::Silent)) {
        Ok(Meeting::Met(met)) => run(front, met, stream, (origin, stop)).await,
        Ok(Meeting::BeginsTls { peer, answer }) => return Some((peer, answer)),
        Err(end) => tracing::warn!(target: LOG, "{}: {end}", origin.address),
    }
    None
}

/// Reads what a peer sends that was let in.
async fn run<R: AsyncRead + Unpin>(
    front: Arc<Front>,
    met: Met,
    stream: &mut Stream<R>,
    (origin, stop): (Origin, watch::Receiver<bool>),
) {
    let link = Arc::clone(&met.link);
    let Link { host, product, transport, .. } = &*link;
    tracing::info!(target: LOG, "\"{host}\" is connected from {} over {}: {}", origin.address, transport.name(), visible(product));
    let mut peer = OpenPeer::new(Arc::clone(&front), met, stop);
    let mut membership = Membership { front: &front, link: &link, end: End::Deaf };
    membership.end = peer.run(stream).await;
}

/// Removes a connection from those of its peer when it ends, also if its task is given up.
struct Membership<'c> {
    front: &'c Front,
    link: &'c Arc<Link>,
    end: End,
}

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        let Membership { front, link, end } = self;
        tracing::info!(target: LOG, "\"{}\" at {}: {end}", link.host, link.address);
        link.spare_requests.close();
        front.peers.leave(link, front.system.now_ms(), end.to_string());
    }
}

/// The octets that a peer sends.
pub(crate) struct Stream<R> {
    from: R,
    /// What was read and not worked on.
    pub(crate) input: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(from: R) -> Self {
        Stream { from, input: Vec::with_capacity(READ_OCTETS) }
    }

    /// Reads more.
    pub(crate) async fn more(&mut self) -> Result<(), End> {
        if self.input.spare_capacity_mut().len() < READ_OCTETS / 4 {
            self.input.reserve(READ_OCTETS);
        }
        match self.from.read_buf(&mut self.input).await {
            Ok(0) => Err(End::Closed),
            Ok(_) => Ok(()),
            // Many end TLS by closing the connection.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(End::Closed),
            Err(error) => Err(End::Broken(error.to_string())),
        }
    }

    /// Reads the first message, which has the capabilities of the peer, and answers it.
    async fn first(
        &mut self,
        front: &Front,
        line: &Arc<Line>,
        origin: &Origin,
    ) -> Result<Meeting, End> {
        let length = loop {
            // What is no Diameter gets no answer.
            match Frame::read(&self.input, CAPABILITIES_OCTETS)? {
                Frame::Message(message) => break message.octets.len(),
                Frame::Needs(_) => self.more().await?,
            }
        };
        let octets: Vec<u8> = self.input.drain(..length).collect();
        let Ok(Frame::Message(message)) = Frame::read(&octets, octets.len()) else {
            return Err(End::NoCapabilities);
        };
        let Header { command, application, .. } = message.header;
        if !message.header.is_request() || command != CAPABILITIES_EXCHANGE || application != 0 {
            return Err(End::NoCapabilities);
        }
        line.tap.name(&message);
        line.received(message.octets);
        let met = meet(front, line, &message, origin).await?;
        // It would count as protected by TLS.
        if matches!(met, Meeting::BeginsTls { .. }) && !self.input.is_empty() {
            return Err(End::BeforeTls);
        }
        Ok(met)
    }
}
