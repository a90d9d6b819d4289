//! Progress of what takes longer than two seconds, on the last line of the terminal. It is on standard error, only if that
//! is a terminal, and never with `--quiet`. What else is written there meanwhile is written [`aside`].

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flow::meters::Meters;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runtime::sync::lock;

use crate::terminal;

/// What takes less time needs no progress.
const SHOWN_AFTER: Duration = Duration::from_secs(2);

/// The time from one look at the work to the next.
const EACH: Duration = Duration::from_millis(125);

/// The columns of a bar.
const BAR: &str = "{bar:24} {pos} of {len} {msg}";

/// Work whose end is not known has no bar.
const WORK: &str = "{spinner} {msg}";

/// How far some work is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stage {
    /// How much is done, and how much there is, if that is known.
    pub(crate) of: Option<(u64, u64)>,
    /// What is done, in words.
    pub(crate) text: String,
}

/// The progress on the terminal, if there is any.
static SHOWN: Mutex<Shown> = Mutex::new(Shown { is_watched: false, bar: None });

struct Shown {
    /// Whether some work is watched. Work within that work is not shown by itself.
    is_watched: bool,
    bar: Option<ProgressBar>,
}

/// Shows the progress of some work until it is dropped.
#[must_use]
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Shows what `look` returns, which is called again and again once the work has taken two seconds.
    pub(crate) fn watch(look: impl FnMut() -> Stage + Send + 'static) -> Self {
        if !terminal::shows_progress() {
            return Progress(None);
        }
        let mut shown = lock(&SHOWN);
        if shown.is_watched {
            return Progress(None);
        }
        let (end, ended) = channel::<()>();
        let thread = thread::Builder::new().name("progress".into()).spawn(move || {
            let mut wait = SHOWN_AFTER;
            let mut look = look;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = EACH;
                draw(&look());
            }
        });
        // Without a thread, the work goes on and shows nothing.
        shown.is_watched = thread.is_ok();
        Progress(thread.ok().map(|thread| (end, thread)))
    }

    /// Shows the files and records that a gateway has done, and its files that wait.
    pub(crate) fn of_gateway(meters: Arc<Meters>) -> Self {
        let begun = Instant::now();
        Progress::watch(move || {
            let (tallies, now) = (meters.tallies(), meters.now());
            let elements = tallies.elements.values();
            let files: u64 = elements.clone().map(|of| of.files).sum();
            let records = elements.flat_map(|of| of.records.0).sum();
            let waiting: usize = now.waiting.values().sum();
            let rate = rate(records, begun, "records");
            Stage {
                of: None,
                text: format!("{files} files done, {waiting} wait; {records} records, {rate}"),
            }
        })
    }

    /// Shows how much of a known amount is done: `text` says of what.
    pub(crate) fn of(total: u64, text: &'static str) -> (Self, Counter) {
        let counter = Counter::default();
        let done = counter.clone();
        let watched = Progress::watch(move || Stage {
            of: Some((done.get().min(total), total)),
            text: text.into(),
        });
        (watched, counter)
    }

    /// Shows how much is done where the end is not known: `text` says of what.
    pub(crate) fn counting(text: &'static str) -> (Self, Counter) {
        let counter = Counter::default();
        let done = counter.clone();
        let begun = Instant::now();
        let watched = Progress::watch(move || {
            let done = done.get();
            Stage { of: None, text: format!("{done} {text}, {}", rate(done, begun, text)) }
        });
        (watched, counter)
    }

    /// Shows for how long some work takes of which nothing can be counted.
    pub(crate) fn waiting(what: &'static str) -> Self {
        let begun = Instant::now();
        Progress::watch(move || Stage {
            of: None,
            text: format!("{what}: {} s", begun.elapsed().as_secs()),
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some((end, thread)) = self.0.take() else { return };
        drop(end);
        let _ = thread.join();
        let mut shown = lock(&SHOWN);
        shown.is_watched = false;
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A count that is shown as progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Counts one more.
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets how much is done.
    pub(crate) fn set(&self, done: u64) {
        self.0.store(done, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns how many of something are done in a second, since `begun`.
pub(crate) fn rate(done: u64, begun: Instant, what: &str) -> String {
    let seconds = begun.elapsed().as_secs_f64().max(f64::EPSILON);
    format!("{:.0} {what}/s", done as f64 / seconds)
}

/// Shows a stage.
fn draw(Stage { of, text }: &Stage) {
    let text = diagnostics::visible(text).into_owned();
    let style = ProgressStyle::with_template(if of.is_some() { BAR } else { WORK });
    let style = style.expect("the templates are right");
    let mut shown = lock(&SHOWN);
    let Some(bar) = &shown.bar else {
        let bar =
            ProgressBar::with_draw_target(of.map(|(_, total)| total), ProgressDrawTarget::stderr());
        let done = of.map_or(0, |(done, _)| done);
        let bar = bar.with_style(style).with_position(done).with_message(text);
        bar.tick();
        shown.bar = Some(bar);
        return;
    };
    bar.set_style(style);
    bar.update(|state| {
        if let Some((done, total)) = *of {
            state.set_len(total);
            state.set_pos(done);
        }
    });
    bar.set_message(text);
}

/// Writes something to the terminal, while the progress is taken off it.
pub(crate) fn aside<T>(write: impl FnOnce() -> T) -> T {
    let shown = lock(&SHOWN);
    match &shown.bar {
        Some(bar) => bar.suspend(write),
        None => {
            drop(shown);
            write()
        }
    }
}

/// A writer to the terminal, or to what is in its place, that writes [`aside`].
#[derive(Debug)]
pub(crate) struct Aside<W>(pub(crate) W);

impl<W: Write> Write for Aside<W> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        aside(|| self.0.write(octets))
    }

    fn flush(&mut self) -> io::Result<()> {
        aside(|| self.0.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_right() {
        for template in [BAR, WORK] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn a_rate_is_of_a_second() {
        let begun = Instant::now().checked_sub(Duration::from_secs(10)).expect("an uptime");
        assert_eq!(rate(2_000, begun, "records"), "200 records/s");
        assert_eq!(rate(0, Instant::now(), "records"), "0 records/s");
    }
}
