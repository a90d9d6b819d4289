//! A connection that is replaced if the server, or a firewall in between, closed it while it was
//! idle; the request is then repeated at once. Servers close connections that are idle for minutes,
//! and files come less often than that, so this is not reported as an error.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use transport::{Listing, Parcel, RemoteConnection, RemoteError, RemoteFile};

/// Idle time after which a broken connection counts as closed while idle. One that breaks sooner
/// broke during use.
const IDLE: Duration = Duration::from_secs(1);

/// Why a connection that is not broken cannot be used any more, while a new one can. It is the
/// cause of an error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Spent(pub(crate) &'static str);

/// Returns whether a new connection may succeed.
fn is_over(error: &RemoteError, was_idle: bool) -> bool {
    let RemoteError::Broken { cause, .. } = error else { return false };
    was_idle || cause.as_ref().is_some_and(|cause| cause.is::<Spent>())
}

/// Makes a connection.
pub(crate) type Connect = dyn Fn() -> Result<Box<dyn RemoteConnection>, RemoteError> + Send;

/// A connection that is made again when needed.
pub(crate) struct Lasting {
    connect: Box<Connect>,
    far: Option<Box<dyn RemoteConnection>>,
    /// The time of the last answer; `None` before the first.
    answered: Option<Instant>,
    idle: Duration,
}

impl Lasting {
    pub(crate) fn connect(
        connect: impl Fn() -> Result<Box<dyn RemoteConnection>, RemoteError> + Send + 'static,
    ) -> Result<Self, RemoteError> {
        let far = Some(connect()?);
        Ok(Lasting { connect: Box::new(connect), far, answered: None, idle: IDLE })
    }

    /// Makes a request; repeats it over a new connection if the existing one proves to be closed.
    /// `is_untouched` tells whether the request may be repeated.
    fn ask<T>(
        &mut self,
        mut ask: impl FnMut(&mut dyn RemoteConnection) -> Result<T, RemoteError>,
        mut is_untouched: impl FnMut() -> bool,
    ) -> Result<T, RemoteError> {
        let answered = self.answered.filter(|_| self.far.is_some());
        let was_idle = answered.is_some_and(|answered| answered.elapsed() >= self.idle);
        let mut answer = ask(self.far()?);
        let is_over = |error| answered.is_some() && is_over(error, was_idle);
        if answer.as_ref().is_err_and(is_over) && is_untouched() {
            self.far = None;
            answer = ask(self.far()?);
        }
        if answer.as_ref().is_err_and(RemoteError::is_about_place) {
            self.far = None;
        }
        self.answered = Some(Instant::now());
        answer
    }

    fn far(&mut self) -> Result<&mut dyn RemoteConnection, RemoteError> {
        let far = match &mut self.far {
            Some(far) => far,
            none => none.insert((self.connect)()?),
        };
        Ok(&mut **far)
    }
}

impl RemoteConnection for Lasting {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        self.ask(|far| far.list(folder), || true)
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        self.ask(|far| far.stat(name), || true)
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let octets = std::cell::Cell::new(0);
        let mut to = Counted { to, octets: &octets };
        self.ask(|far| far.fetch(name, &mut to), || octets.get() == 0)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        self.ask(|far| far.put(name, parcel), || true)
    }

    // Not repeated: if the file was renamed and only the answer was lost, a second request would report the file as
    // missing, and the caller would send it again.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        self.ask(|far| far.rename(from, to), || false)
    }

    // Not repeated: a newer file of the name may have come since.
    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        self.ask(|far| far.remove(name), || false)
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        self.ask(|far| far.make_folder(name), || true)
    }
}

/// Passes octets on and counts them.
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use reason::Fixed;
    use transport::RemoteKind;

    use super::*;

    /// The answers of the connections, in reverse order; `None` is success.
    struct Script {
        answers: Mutex<Vec<Option<RemoteError>>>,
        connections: AtomicUsize,
    }

    struct Scripted(Arc<Script>);

    impl Scripted {
        fn next(&self) -> Result<(), RemoteError> {
            self.0.answers.lock().unwrap().pop().flatten().map_or(Ok(()), Err)
        }
    }

    impl RemoteConnection for Scripted {
        fn list(&mut self, _: &str) -> Result<Listing, RemoteError> {
            self.next().map(|()| Listing::default())
        }

        fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
            let (name, kind) = (name.to_owned(), RemoteKind::File);
            self.next().map(|()| RemoteFile { name, kind, octets: None, modified: None })
        }

        fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
            // Some octets of this file arrive before the connection breaks.
            if name == "half" {
                to.write_all(b"half")?;
            }
            self.next().map(|()| 4)
        }

        fn put(&mut self, _: &str, _: &dyn Parcel) -> Result<u64, RemoteError> {
            self.next().map(|()| 4)
        }

        fn rename(&mut self, _: &str, _: &str) -> Result<(), RemoteError> {
            self.next()
        }

        fn remove(&mut self, _: &str) -> Result<(), RemoteError> {
            self.next()
        }

        fn make_folder(&mut self, _: &str) -> Result<(), RemoteError> {
            self.next()
        }
    }

    struct Nothing;

    impl Parcel for Nothing {
        fn open(&self) -> io::Result<Box<dyn io::Read + '_>> {
            Ok(Box::new(io::empty()))
        }

        fn octets(&self) -> io::Result<Option<u64>> {
            Ok(Some(0))
        }
    }

    /// Returns a connection that counts as idle after `idle`, and gives these answers.
    fn lasting(idle: Duration, answers: Vec<Option<RemoteError>>) -> (Lasting, Arc<Script>) {
        let answers = Mutex::new(answers.into_iter().rev().collect());
        let script = Arc::new(Script { answers, connections: AtomicUsize::new(0) });
        let connecting = Arc::clone(&script);
        let connected = Lasting::connect(move || {
            connecting.connections.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Scripted(Arc::clone(&connecting))))
        });
        (Lasting { idle, ..connected.unwrap() }, script)
    }

    fn connections(script: &Script) -> usize {
        script.connections.load(Ordering::Relaxed)
    }

    type Call = fn(&mut Lasting) -> Result<(), RemoteError>;

    const REPEATED: [Call; 5] = [
        |far| far.list("").map(drop),
        |far| far.stat("a").map(drop),
        |far| far.fetch("a", &mut io::sink()).map(drop),
        |far| far.put("a", &Nothing).map(drop),
        |far| far.make_folder("a"),
    ];

    const ONCE: [Call; 2] = [|far| far.rename("a", "b"), |far| far.remove("a")];

    const ENDLESS: Duration = Duration::MAX;

    #[test]
    fn whatever_is_asked_over_a_connection_that_was_ended_while_idle_is_asked_again_at_once() {
        for call in REPEATED {
            let (mut far, script) = lasting(
                Duration::ZERO,
                vec![None, Some(RemoteError::broken(Fixed("test-ended", "ended")))],
            );
            far.stat("a").unwrap();
            call(&mut far).unwrap();
            assert_eq!(connections(&script), 2);
        }
    }

    #[test]
    fn what_may_have_happened_though_its_answer_got_lost_is_not_asked_again() {
        for call in ONCE {
            let (mut far, script) = lasting(
                Duration::ZERO,
                vec![None, Some(RemoteError::broken(Fixed("test-ended", "ended")))],
            );
            far.stat("a").unwrap();
            assert!(matches!(call(&mut far), Err(RemoteError::Broken { .. })));
            assert_eq!(connections(&script), 1);
            call(&mut far).unwrap();
            assert_eq!(connections(&script), 2);
        }
    }

    #[test]
    fn one_that_breaks_under_way_is_told_and_made_anew_for_what_comes_next() {
        for call in REPEATED.into_iter().chain(ONCE) {
            let (mut far, script) = lasting(
                ENDLESS,
                vec![None, Some(RemoteError::broken(Fixed("test-ended", "ended")))],
            );
            far.stat("a").unwrap();
            assert!(matches!(call(&mut far), Err(RemoteError::Broken { .. })));
            call(&mut far).unwrap();
            assert_eq!(connections(&script), 2);
        }
    }

    #[test]
    fn one_that_is_used_up_is_made_anew_at_once_and_a_new_one_that_is_so_too_is_told() {
        let spent =
            || Some(RemoteError::broken_by(Fixed("test-spent", "no more"), Spent("it is used up")));
        let (mut far, script) = lasting(ENDLESS, vec![None, spent(), None, spent(), spent()]);
        far.stat("a").unwrap();
        far.put("a", &Nothing).unwrap();
        assert_eq!(connections(&script), 2);
        assert!(matches!(far.put("a", &Nothing), Err(RemoteError::Broken { .. })));
        assert_eq!(connections(&script), 3);
    }

    #[test]
    fn nothing_is_asked_twice_where_octets_came_or_an_answer_did() {
        let (mut far, script) = lasting(
            Duration::ZERO,
            vec![None, Some(RemoteError::broken(Fixed("test-ended", "ended")))],
        );
        far.stat("a").unwrap();
        assert!(far.fetch("half", &mut io::sink()).is_err());
        assert_eq!(connections(&script), 1);
        for (error, is_over) in [
            (RemoteError::unavailable(Fixed("test-locked", "locked")), false),
            (RemoteError::forbidden(Fixed("test-no", "no")), false),
            (RemoteError::NotThere("a".into()), false),
            (RemoteError::passing(Fixed("test-full", "full")), true),
            (RemoteError::shut(Fixed("test-no", "no")), true),
        ] {
            let (mut far, script) = lasting(Duration::ZERO, vec![None, Some(error)]);
            far.stat("a").unwrap();
            assert!(far.remove("a").is_err());
            assert_eq!(connections(&script), 1);
            far.remove("a").unwrap();
            assert_eq!(connections(&script), if is_over { 2 } else { 1 });
        }
    }
}
