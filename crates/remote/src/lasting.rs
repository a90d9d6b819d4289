//! A connection that lasts: one that the other side, or a firewall between, ended while nothing was asked is replaced, and what
//! was asked is asked again at once. Servers shut connections that lie idle for minutes, and files come less often than that: it
//! is no fault, and nobody is told.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use transport::{Far, FarError, FarFile, Listing, Parcel};

/// How long nothing was asked over a connection that may have been ended meanwhile. One that breaks sooner broke under way.
const IDLE: Duration = Duration::from_secs(1);

/// Why a connection is used up before it broke: another can do what it cannot any more. An error has this as its cause.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Spent(pub(crate) &'static str);

/// Whether an error says that another connection may do better.
fn is_over(error: &FarError, was_idle: bool) -> bool {
    let FarError::Broken { cause, .. } = error else { return false };
    was_idle || cause.as_ref().is_some_and(|cause| cause.is::<Spent>())
}

/// Makes a connection.
pub(crate) type Connect = dyn Fn() -> Result<Box<dyn Far>, FarError> + Send;

/// A connection, which is made anew when it is needed.
pub(crate) struct Lasting {
    connect: Box<Connect>,
    far: Option<Box<dyn Far>>,
    /// When something was last answered; never over a connection that is new.
    answered: Option<Instant>,
    idle: Duration,
}

impl Lasting {
    /// Connects.
    pub(crate) fn connect(
        connect: impl Fn() -> Result<Box<dyn Far>, FarError> + Send + 'static,
    ) -> Result<Self, FarError> {
        let far = Some(connect()?);
        Ok(Lasting { connect: Box::new(connect), far, answered: None, idle: IDLE })
    }

    /// Asks; and asks again over a new connection, if the one that there was is found to be ended. `is_untouched` says whether
    /// that may be done twice.
    fn ask<T>(
        &mut self,
        mut ask: impl FnMut(&mut dyn Far) -> Result<T, FarError>,
        mut is_untouched: impl FnMut() -> bool,
    ) -> Result<T, FarError> {
        let answered = self.answered.filter(|_| self.far.is_some());
        let was_idle = answered.is_some_and(|answered| answered.elapsed() >= self.idle);
        let mut answer = ask(self.far()?);
        let is_over = |error| answered.is_some() && is_over(error, was_idle);
        if answer.as_ref().is_err_and(is_over) && is_untouched() {
            self.far = None;
            answer = ask(self.far()?);
        }
        if answer.as_ref().is_err_and(FarError::is_about_place) {
            self.far = None;
        }
        self.answered = Some(Instant::now());
        answer
    }

    fn far(&mut self) -> Result<&mut dyn Far, FarError> {
        let far = match &mut self.far {
            Some(far) => far,
            none => none.insert((self.connect)()?),
        };
        Ok(&mut **far)
    }
}

impl Far for Lasting {
    fn list(&mut self, folder: &str) -> Result<Listing, FarError> {
        self.ask(|far| far.list(folder), || true)
    }

    fn stat(&mut self, name: &str) -> Result<FarFile, FarError> {
        self.ask(|far| far.stat(name), || true)
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, FarError> {
        let octets = std::cell::Cell::new(0);
        let mut to = Counted { to, octets: &octets };
        self.ask(|far| far.fetch(name, &mut to), || octets.get() == 0)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, FarError> {
        self.ask(|far| far.put(name, parcel), || true)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FarError> {
        self.ask(|far| far.rename(from, to), || true)
    }

    fn remove(&mut self, name: &str) -> Result<(), FarError> {
        self.ask(|far| far.remove(name), || true)
    }

    fn make_folder(&mut self, name: &str) -> Result<(), FarError> {
        self.ask(|far| far.make_folder(name), || true)
    }
}

/// Hands octets on, and counts them.
struct Counted<'c> {
    to: &'c mut dyn Write,
    octets: &'c std::cell::Cell<u64>,
}

impl Write for Counted<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.octets.set(self.octets.get() + octets.len() as u64);
        self.to.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
