//! The rules that are measured, besides those of the example.

use std::fs;
use std::io;
use std::path::Path;

/// The kinds of events that rules are about, and the windows of their measures.
const KINDS: [&str; 10] = [
    "callSetup",
    "callRelease",
    "callForwarding",
    "multiParty",
    "locationUpdate",
    "authenticationFail",
    "indication",
    "roamingRegister",
    "shortMessage",
    "serviceChange",
];
const WINDOWS: [&str; 6] =
    ["1 minute", "5 minutes", "10 minutes", "30 minutes", "1 hour", "4 hours"];

/// Writes one rule in place of those of a folder.
pub(super) fn one(folder: &Path) -> io::Result<()> {
    begin(folder)?;
    write(folder, 0)
}

/// Writes a thousand rules in place of those of a folder: a hundred for each kind of event, over sixty measures.
pub(super) fn many(folder: &Path) -> io::Result<()> {
    begin(folder)?;
    (0..1_000).try_for_each(|number| write(folder, number))
}

/// Writes one rule of ten measures about all events in place of those of a folder.
pub(super) fn ten_measures(folder: &Path) -> io::Result<()> {
    begin(folder)?;
    fs::write(folder.join("ten.toml"), TEN_MEASURES)
}

const TEN_MEASURES: &str = "\
about = \"caller\"
score = 10
when  = \"calls >= 100000 && hour >= day && long >= seconds && most >= least && numbers >= 1 && begun > last\"

[measures]
calls   = { count = true, over = \"10 minutes\" }
hour    = { count = true, over = \"1 hour\" }
day     = { count = true, each = \"day\" }
seconds = { sum = \"record.seconds\", over = \"1 hour\" }
long    = { sum = \"record.seconds\", each = \"day\" }
most    = { max = \"record.seconds\", over = \"1 hour\" }
least   = { min = \"record.seconds\", over = \"1 hour\" }
numbers = { distinct = \"record.called\", over = \"1 hour\" }
begun   = { first = \"record.time\", for = \"1 day\" }
last    = { last = \"record.time\", for = \"1 day\" }
";

fn begin(folder: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)
}

/// Writes a rule. Each second one compares measures.
fn write(folder: &Path, number: usize) -> io::Result<()> {
    let kind = KINDS[number % KINDS.len()];
    let window = WINDOWS[number / KINDS.len() % WINDOWS.len()];
    let longer = WINDOWS[(number / KINDS.len() + 1) % WINDOWS.len()];
    let least = 1_000 + number;
    let head = format!("about = \"caller\"\nwhere = \"record.kind == {kind}\"\nscore = 10\n");
    let fires = match number % 2 {
        0 => format!("at-least = {least}\nwithin = \"{window}\"\n"),
        _ => format!(
            "when = \"events >= {least} && events * 10 >= longer * 9\"\n[measures]\n\
             events = {{ count = true, over = \"{window}\" }}\nlonger = {{ count = true, over = \"{longer}\" }}\n"
        ),
    };
    fs::write(folder.join(format!("rule-{number:04}.toml")), head + &fires)
}
