//! What waits to be written to a connection. Many threads append answers; one task writes all that is there at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use runtime::sync::lock;
use runtime::time;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::message_log::{LoggedMessage, MessageLog};
use crate::trace::Tap;

/// How long a peer may read nothing of what it is sent.
const WRITTEN_WITHIN: Duration = Duration::from_secs(20);

/// The octets that wait at most before no more requests are read.
const OCTETS_MAX: usize = 1 << 20;

/// The requests of a connection that are worked on at most, and their octets. More are refused, but for as many reports.
const IN_FLIGHT_MAX: usize = 4_096;
const IN_FLIGHT_OCTETS_MAX: usize = 16 << 20;

/// A buffer that has grown beyond this is not used again.
const SPARE_OCTETS_MAX: usize = 256 << 10;

/// What waits to be written to a connection.
#[derive(Debug, Default)]
pub(crate) struct Line {
    waiting: Mutex<Unwritten>,
    /// Where traces get its messages from.
    pub(crate) tap: Arc<Tap>,
    /// The requests that have no answer yet, and their octets.
    in_flight: AtomicUsize,
    in_flight_octets: AtomicUsize,
    /// Whether nothing is written after what waits.
    ends: AtomicBool,
    /// Whether nothing is written any more: the connection is gone.
    is_gone: AtomicBool,
    /// Something waits, or the line ends.
    appended: Notify,
    /// There may be room for more requests.
    written: Notify,
}

#[derive(Debug, Default)]
struct Unwritten {
    octets: Vec<u8>,
    /// The last messages, those that came included.
    log: MessageLog,
}

impl Line {
    /// Returns a line that logs its last messages in some octets.
    pub(crate) fn new(log_octets: usize, tap: Arc<Tap>) -> Self {
        let waiting = Unwritten { log: MessageLog::new(log_octets), ..Unwritten::default() };
        Line { waiting: Mutex::new(waiting), tap, ..Line::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Unwritten> {
        lock(&self.waiting)
    }

    /// Appends a message to what waits, and lets it be written.
    pub(crate) fn append(&self, write: impl FnOnce(&mut Vec<u8>)) {
        self.gather(write);
        self.appended.notify_one();
    }

    /// Appends an answer to what waits. It is written when its request is [answered](Line::answered), with all others that are there.
    pub(crate) fn gather(&self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.is_gone.load(Ordering::Relaxed) {
            return;
        }
        let mut waiting = self.lock();
        let Unwritten { octets, log } = &mut *waiting;
        let from = octets.len();
        write(octets);
        log.add(LoggedMessage { at: now(), is_sent: true, octets: &octets[from..] });
        self.tap.sent(&octets[from..]);
    }

    /// Logs a message that was sent without waiting here.
    pub(crate) fn sent(&self, octets: &[u8]) {
        self.tap.sent(octets);
        self.lock().log.add(LoggedMessage { at: now(), is_sent: true, octets });
    }

    /// Logs a message that came.
    pub(crate) fn received(&self, octets: &[u8]) {
        self.tap.received(octets);
        self.lock().log.add(LoggedMessage { at: now(), is_sent: false, octets });
    }

    /// Returns a copy of its last messages; `None` without any.
    pub(crate) fn logged(&self) -> Option<Vec<u8>> {
        let waiting = self.lock();
        (!waiting.log.is_empty()).then(|| waiting.log.octets())
    }

    /// Notes that a request of some octets is worked on.
    pub(crate) fn begin(&self, octets: usize) {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        self.in_flight_octets.fetch_add(octets, Ordering::Relaxed);
    }

    /// Notes that a request of some octets is answered, or will never be.
    pub(crate) fn answered(&self, octets: usize) {
        self.in_flight.fetch_sub(1, Ordering::AcqRel);
        self.in_flight_octets.fetch_sub(octets, Ordering::Relaxed);
        self.appended.notify_one();
        self.written.notify_one();
    }

    /// Returns the requests that have no answer yet.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Returns whether nothing more should be read for now: the peer does not read its answers.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().octets.len() > OCTETS_MAX
    }

    /// Returns whether too many requests are worked on for another one.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_over(1)
    }

    /// Returns whether too many are worked on for a report, too.
    pub(crate) fn is_overfull(&self) -> bool {
        self.is_over(2)
    }

    fn is_over(&self, times: usize) -> bool {
        self.in_flight() >= times * IN_FLIGHT_MAX
            || self.in_flight_octets.load(Ordering::Relaxed) > times * IN_FLIGHT_OCTETS_MAX
    }

    /// Waits until something was written or answered.
    pub(crate) async fn moved(&self) {
        self.written.notified().await;
    }

    /// Ends the line after what waits.
    pub(crate) fn end(&self) {
        self.ends.store(true, Ordering::Release);
        self.appended.notify_one();
    }

    /// Notes that the connection is gone.
    pub(crate) fn gone(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }

    /// Returns whether the connection is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// Writes what waits until the line ends.
    ///
    /// # Errors
    ///
    /// The connection is gone, or the peer does not read.
    pub(crate) async fn write_to(&self, mut to: impl AsyncWrite + Unpin) -> io::Result<()> {
        let mut octets = Vec::new();
        loop {
            let ends = self.ends.load(Ordering::Acquire);
            octets.clear();
            if octets.capacity() > SPARE_OCTETS_MAX {
                octets = Vec::new();
            }
            std::mem::swap(&mut octets, &mut self.lock().octets);
            if octets.is_empty() {
                if ends {
                    let _ = timeout(WRITTEN_WITHIN, to.shutdown()).await;
                    return Ok(());
                }
                self.appended.notified().await;
                continue;
            }
            write(&mut to, &octets).await?;
            self.written.notify_one();
        }
    }
}

/// Writes octets. The peer may be slow, but must read some of them now and then.
async fn write(to: &mut (impl AsyncWrite + Unpin), mut octets: &[u8]) -> io::Result<()> {
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    while !octets.is_empty() {
        let written = timeout(WRITTEN_WITHIN, to.write(octets)).await.map_err(late)??;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        octets = &octets[written..];
    }
    // TLS has octets of its own.
    timeout(WRITTEN_WITHIN, to.flush()).await.map_err(late)?
}

/// Returns the microseconds since 1970.
pub(crate) fn now() -> i64 {
    time::since_epoch_ns(SystemTime::now()).div_euclid(1_000)
}
