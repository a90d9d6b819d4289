//! A command: it gets the action as JSON, and ends with 0 when it is done.

use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use diagnostics::Diagnostic;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use runtime::shutdown::Shutdown;
use runtime::threads;
use settings::{Setting, Settings};

use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

const UNDO: &str = "undo";

/// `command = ["/opt/switch/bar", "--number", "{key}"]`.
pub(super) const KIND: Kind = Kind {
    key: "command",
    keys: &[UNDO],
    approval: Approval::OnePerson,
    again: None,
    max_age: Some(super::MAX_AGE),
    carrier: read,
};

/// How often a command that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long a service that stops waits for a command.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// How long to wait for its errors once it has ended.
const ERRORS_WITHIN: Duration = Duration::from_secs(1);

/// The most octets of its errors that are read.
const ERROR_OCTETS_MAX: u64 = 64 << 10;

/// The most characters of its last line of errors that are shown.
const ERROR_MAX: usize = 200;

struct Program {
    words: Vec<String>,
    undo: Vec<String>,
    timeout: Duration,
}

fn read(settings: &Settings, timeout: Duration) -> Made {
    let mut mistakes = Vec::new();
    let mut words = |key| -> Vec<String> {
        let of_key: Vec<&Setting> = settings.all(key).collect();
        mistakes.extend(of_key.iter().flat_map(|word| unknown_names(settings, word)));
        of_key.into_iter().map(|word| word.value.clone()).collect()
    };
    let (words, undo) = (words(KIND.key), words(UNDO));
    match mistakes[..] {
        [] => Ok(Arc::new(Program { words, undo, timeout })),
        _ => Err(mistakes),
    }
}

/// Returns the mistakes of what stands between braces in a word.
fn unknown_names(settings: &Settings, word: &Setting) -> Vec<Diagnostic> {
    let names = word.value.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let unknown = names.filter(|name| !Message::NAMES.contains(name));
    let mistake = |name: &str| {
        let mistake = settings.error(word, format!("there is no \"{{{name}}}\" in an action"));
        mistake.hint(format!("known here: {}", Message::NAMES.join(", ")))
    };
    unknown.map(mistake).collect()
}

/// Puts values into a word. A value with a minus at its front would be taken for an option.
fn filled(word: &str, message: &Message) -> Result<String, CarryError> {
    let values = message.values();
    let value_of = |name: &str| {
        let place = Message::NAMES.iter().position(|known| *known == name)?;
        Some(values[place].as_str())
    };
    let (mut filled, mut rest) = (String::new(), word);
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        rest = behind;
        let Some((value, behind)) =
            behind.split_once('}').and_then(|(name, behind)| Some((value_of(name)?, behind)))
        else {
            filled.push('{');
            continue;
        };
        if filled.is_empty() && value.starts_with('-') {
            return Err(format!("\"{value}\" begins with a minus, and would be an option").into());
        }
        filled.push_str(value);
        rest = behind;
    }
    Ok(filled + rest)
}

impl Carrier for Program {
    fn carry_out(&self, message: &Message, stop: &Shutdown) -> Result<(), CarryError> {
        let words = if message.undo { &self.undo } else { &self.words };
        let words = words.iter().map(|word| filled(word, message));
        let words: Vec<String> = words.collect::<Result<_, CarryError>>()?;
        let Some((program, arguments)) = words.split_first() else {
            return Err("the action has no command for this".to_owned().into());
        };
        let broken = |error: std::io::Error| CarryError(format!("\"{program}\": {error}"));
        let mut child = Command::new(program)
            .args(arguments)
            .env("TOLLGATE_ACTION_ID", &message.id)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // What it starts ends with it.
            .process_group(0)
            .spawn()
            .map_err(broken)?;
        let text = serde_json::to_string(message).expect("text and numbers");
        if let Some(mut input) = child.stdin.take() {
            // A command need not read it.
            let _ = threads::spawn(move || input.write_all(text.as_bytes()));
        }
        let (sender, errors) = mpsc::sync_channel(1);
        if let Some(mut errors) = child.stderr.take() {
            let _ = threads::spawn(move || {
                let mut text = Vec::new();
                let _ = errors.by_ref().take(ERROR_OCTETS_MAX).read_to_end(&mut text);
                let _ = sender.send(text);
                let _ = std::io::copy(&mut errors, &mut std::io::sink());
            });
        }
        let status = wait(&mut child, self.timeout, stop).map_err(broken)?;
        // What it has started ends with it, too.
        let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
        let Some(status) = status else {
            let _ = child.wait();
            return Err(format!("\"{program}\" did not end in time, and was killed").into());
        };
        if status.success() {
            return Ok(());
        }
        // A process that left the group may hold the other end open.
        let text = errors.recv_timeout(ERRORS_WITHIN).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let last: String =
            text.trim().lines().next_back().unwrap_or_default().chars().take(ERROR_MAX).collect();
        Err(format!("\"{program}\" ends with {status}: {last}").into())
    }

    fn can_be_undone(&self) -> bool {
        !self.undo.is_empty()
    }
}

/// Waits for the end of a command. `None` if that takes too long.
fn wait(
    child: &mut Child,
    timeout: Duration,
    stop: &Shutdown,
) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let mut stopped = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if stop.is_set() {
            stopped.get_or_insert_with(Instant::now);
        }
        let is_over = stopped.is_some_and(|since: Instant| since.elapsed() > STOP_WITHIN);
        if is_over || begun.elapsed() > timeout {
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::{Source, Span};

    use super::*;

    fn program(words: &[&str], timeout: Duration) -> Arc<dyn Carrier> {
        let source = Source::new("flow.toml", "");
        let word = |value: &&str| Setting {
            key: KIND.key.into(),
            value: (*value).to_owned(),
            span: Span::default(),
        };
        let values = words.iter().map(word).collect();
        let settings = Settings {
            name: "bar".into(),
            values,
            source,
            span: Span::default(),
            folder: ".".into(),
        };
        read(&settings, timeout).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
    }

    fn message(key: &str) -> Message {
        Message {
            id: "1f".into(),
            key: key.into(),
            because: "calls 3 >= {key}".into(),
            ..Message::default()
        }
    }

    #[test]
    fn a_command_has_the_action_as_words_and_as_json() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("out");
        let text = format!("cat > {0}; echo \" $TOLLGATE_ACTION_ID $0 $1\" >> {0}", to.display());
        let program =
            program(&["sh", "-c", &text, "{key}", "because {because}"], Duration::from_secs(9));
        program.carry_out(&message("4670; rm -r x"), &Shutdown::default()).unwrap();
        let written = std::fs::read_to_string(to).unwrap();
        assert!(written.contains("\"key\":\"4670; rm -r x\""), "{written}");
        assert!(written.ends_with(" 1f 4670; rm -r x because calls 3 >= {key}\n"), "{written}");
    }

    #[test]
    fn a_command_that_fails_or_hangs_says_so() {
        let stop = Shutdown::default();
        let failing = program(
            &["sh", "-c", "echo first >&2; echo no such number >&2; exit 3"],
            Duration::from_secs(9),
        );
        let error = failing.carry_out(&message("1"), &stop).unwrap_err().to_string();
        assert!(error.contains("no such number") && error.contains("exit status: 3"), "{error}");
        let hanging = program(&["sh", "-c", "sleep 60 & sleep 60"], Duration::from_millis(50));
        let error = hanging.carry_out(&message("1"), &stop).unwrap_err().to_string();
        assert!(error.contains("did not end in time"), "{error}");
        let missing = program(&["/no/such/program"], Duration::from_secs(9));
        assert!(
            missing
                .carry_out(&message("1"), &stop)
                .unwrap_err()
                .to_string()
                .contains("/no/such/program")
        );
    }

    #[test]
    fn what_a_command_leaves_behind_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("left");
        let text = format!("sleep 600 & echo $! > {}; echo left one >&2; exit 1", to.display());
        let program = program(&["sh", "-c", &text], Duration::from_secs(9));
        let error = program.carry_out(&message("1"), &Shutdown::default()).unwrap_err();
        assert!(error.to_string().contains("left one"), "{error}");
        let left = std::fs::read_to_string(to).unwrap();
        let status = std::path::Path::new("/proc").join(left.trim()).join("stat");
        // It is gone, or waits to be taken away (proc(5)).
        let is_over =
            || std::fs::read_to_string(&status).map_or(true, |stat| stat.contains(") Z "));
        while !is_over() {
            thread::sleep(LOOK_EVERY);
        }
    }

    #[test]
    fn a_key_is_never_an_option() {
        let program = program(&["echo", "{key}"], Duration::from_secs(9));
        let error = program.carry_out(&message("--all"), &Shutdown::default()).unwrap_err();
        assert!(error.to_string().contains("would be an option"), "{error}");
    }
}
