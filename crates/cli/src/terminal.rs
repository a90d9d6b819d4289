//! The terminal of the user: which colours it shows, how wide it is, and whether notes are wanted. Commands write text and
//! say what it means; whether that is coloured is decided here alone.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use console::Term;

/// What every command can be told about its output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Write results and errors only: no notes, no log, no progress
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Use colours; "auto" does on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    fn choice<T>(self, [auto, always, never]: [T; 3]) -> T {
        match self {
            Color::Auto => auto,
            Color::Always => always,
            Color::Never => never,
        }
    }
}

static IS_QUIET: AtomicBool = AtomicBool::new(false);

impl Output {
    /// Does what the options say, from now on.
    pub(crate) fn apply(&self) {
        IS_QUIET.store(self.quiet, Ordering::Relaxed);
        // `Auto` follows NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM.
        self.color
            .choice([ColorChoice::Auto, ColorChoice::AlwaysAnsi, ColorChoice::Never])
            .write_global();
    }
}

/// Returns the colours of help texts and wrong arguments. They are printed while the command line is parsed, so `--color`
/// is looked for in the arguments as they are.
pub(crate) fn colors_of_help(arguments: impl Iterator<Item = OsString>) -> clap::ColorChoice {
    let mut arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let mut color = Color::Auto;
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None if argument == "--" => break,
            None => None,
        };
        let value = value.and_then(|value| Color::from_str(&value, false).ok());
        color = value.unwrap_or(color);
    }
    use clap::ColorChoice::{Always, Auto, Never};
    color.choice([Auto, Always, Never])
}

/// Returns whether only results and errors are wanted.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Returns whether progress is shown: standard error is a terminal, and notes are wanted.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal() && !is_quiet() && env::var_os("TERM").is_none_or(|is| is != "dumb")
}

/// Returns the columns of the terminal that standard output is; `None` if it is none.
pub(crate) fn width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    is_terminal.then(|| Term::stdout().size_checked().map_or(80, |(_, columns)| columns.into()))
}

/// Where a text is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Error,
}

impl Stream {
    /// Returns whether the stream shows colours.
    pub(crate) fn is_colored(self) -> bool {
        let choice = match self {
            Stream::Output => AutoStream::choice(&io::stdout()),
            Stream::Error => AutoStream::choice(&io::stderr()),
        };
        choice != ColorChoice::Never
    }
}

/// What a text means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Look {
    #[default]
    Plain,
    /// The name of a column.
    Header,
    /// Something is wrong, or lost.
    Bad,
    /// Something needs attention.
    Warning,
    /// Something is as it should be.
    Good,
    /// Something is over, and shown for completeness.
    Past,
}

impl Look {
    fn style(self) -> Style {
        match self {
            Look::Plain => Style::new(),
            Look::Header => Style::new().bold(),
            Look::Bad => AnsiColor::Red.on_default(),
            Look::Warning => AnsiColor::Yellow.on_default(),
            Look::Good => AnsiColor::Green.on_default(),
            Look::Past => Style::new().dimmed(),
        }
    }

    /// Returns a text in its colour. The text must be safe for a terminal.
    pub(crate) fn paint(self, text: &str) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    /// Colours the first line of each paragraph: the lines behind it are an excerpt or an explanation. The text must be safe
    /// for a terminal.
    pub(crate) fn paint_message(self, text: &str) -> String {
        let paragraph = |paragraph: &str| match paragraph.split_once('\n') {
            Some((first, others)) => format!("{}\n{others}", self.paint(first)),
            None => self.paint(paragraph),
        };
        let paragraphs: Vec<String> = text.split("\n\n").map(paragraph).collect();
        paragraphs.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_of_help_are_those_of_the_last_option() {
        use clap::ColorChoice::{Always, Auto, Never};
        for (line, wanted) in [
            ("tollgate --help", Auto),
            ("tollgate --color never --help", Never),
            ("tollgate run --color=always --help", Always),
            ("tollgate --color=never run --color always", Always),
            ("tollgate --color=blue --help", Auto),
            ("tollgate --color", Auto),
            ("tollgate dup test -- --color=never", Auto),
        ] {
            assert_eq!(colors_of_help(line.split(' ').map(OsString::from)), wanted, "{line}");
        }
    }

    #[test]
    fn the_first_line_of_each_paragraph_of_a_message_is_coloured() {
        let red = |text: &str| format!("\u{1b}[31m{text}\u{1b}[0m");
        let message = "a:1: no node\n  1 | from\n\nb:2: no script";
        let wanted = format!("{}\n  1 | from\n\n{}", red("a:1: no node"), red("b:2: no script"));
        assert_eq!(Look::Bad.paint_message(message), wanted);
        assert_eq!(Look::Plain.paint("as it is"), "as it is");
    }
}
