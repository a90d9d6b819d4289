//! The tables of numbers: the zones of prefixes, ported numbers and short numbers, and the subscriber types of
//! prefixes.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use super::cells::{Folder, Sheet};
use crate::digits::{Dialling, Digits, Found, Numbers, PREFIX_DIGITS_MAX, Prefixes};
use crate::plan::Names;
use ::cells::{Table, TableRow};

/// The table of numbers as they are dialled.
const SHORT: &str = "short.csv";

/// The column of prefixes.
const PREFIX: &str = "prefix";

/// The contents of the tables.
pub(super) struct Known {
    pub(super) prefixes: Prefixes,
    /// Prefixes that start with the country code and the national prefix.
    pub(super) begin_so: Prefixes,
    pub(super) ported: Numbers,
    pub(super) short: Numbers,
    pub(super) subscribers: Prefixes,
}

/// Reads the tables. Zones are numbered in the order they occur.
pub(super) fn read(
    folder: &mut Folder,
    zones: &mut Names,
    subscribers: &Names,
    dialling: &Dialling,
    mistakes: &mut Vec<Diagnostic>,
) -> Known {
    let mut zone = |sheet: &mut Sheet<'_>, row: &TableRow<'_, 2>| {
        let name = sheet.name(&row.cells[1], "zone")?.to_owned();
        let found = zones.add(&name);
        if found.is_none() {
            sheet.error(&row.cells[1], "this is one zone too many: a plan has 65,535");
        }
        found
    };
    let mut table = |name: &str, column: &str, mistakes: &mut Vec<Diagnostic>| {
        let source = folder.read(name, mistakes)?;
        // A number known as it is dialled may begin with anything.
        let dialling = if name == SHORT { &Dialling::default() } else { dialling };
        let found = entries(&source, [column, "zone"], dialling, &mut zone, mistakes);
        Some((source, found))
    };
    let prefixes = table("prefixes.csv", PREFIX, mistakes);
    if let Some((source, found)) = &prefixes {
        warn_of_gaps(source, found, mistakes);
    }
    let found = |table: Option<(Arc<Source>, Entries)>| table.map_or(Vec::new(), |table| table.1);
    let ported = found(table("ported.csv", "number", mistakes));
    let short = found(table(SHORT, "number", mistakes));
    let subscribers = folder.read("subscribers.csv", mistakes).map_or(Vec::new(), |source| {
        let mut known = |sheet: &mut Sheet<'_>, row: &TableRow<'_, 2>| {
            sheet.known(&row.cells[1], "subscriber type", subscribers)
        };
        entries(&source, [PREFIX, "subscriber"], dialling, &mut known, mistakes)
    });
    let prefixes = found(prefixes);
    Known {
        begin_so: begin_so(&prefixes, dialling),
        prefixes: Prefixes::new(&prefixes),
        ported: Numbers::new(&ported),
        short: Numbers::new(&short),
        subscribers: Prefixes::new(&subscribers),
    }
}

/// Returns the prefixes that start with the country code and the national prefix; numbers of the country may start so.
fn begin_so(prefixes: &Entries, dialling: &Dialling) -> Prefixes {
    let Some(beginning) = dialling.national_prefix_behind_code() else {
        return Prefixes::default();
    };
    let begin_so = prefixes.iter().filter(|(prefix, _)| prefix.starts_with(beginning));
    match begin_so.copied().collect::<Entries>() {
        none if none.is_empty() => Prefixes::default(),
        begin_so => Prefixes::new(&begin_so),
    }
}

/// Sorted numbers, and the meaning of each.
type Entries = Vec<(Digits, Found)>;

/// Reads a table of numbers, in the order of the numbers.
fn entries(
    source: &Arc<Source>,
    columns: [&str; 2],
    dialling: &Dialling,
    id: &mut impl FnMut(&mut Sheet<'_>, &TableRow<'_, 2>) -> Option<u16>,
    mistakes: &mut Vec<Diagnostic>,
) -> Entries {
    let Some(mut table) = Table::open(source, columns, mistakes) else { return Vec::new() };
    let mut found = Vec::new();
    while let Some(row) = table.next(mistakes) {
        let mut sheet = Sheet { source, mistakes };
        let (digits, id) = (sheet.digits(&row.cells[0]), id(&mut sheet, &row));
        let digits = digits.filter(|digits| {
            let fits = columns[0] != PREFIX || digits.len() <= PREFIX_DIGITS_MAX;
            if !fits {
                let message = format!(
                    "this has more than {PREFIX_DIGITS_MAX} digits, which prefixes have at most"
                );
                sheet.error(&row.cells[0], message);
            }
            fits
        });
        if columns[0] == PREFIX && digits.is_some_and(|digits| !digits.is_decimal()) {
            let message =
                "a prefix is of digits; what has *, #, a or b is known whole, or not at all";
            sheet.error_with(
                &row.cells[0],
                message,
                Some("it may be a number of short.csv".into()),
            );
        }
        if digits.is_some_and(|digits| dialling.never_begins(digits)) {
            let message = "this is as somebody dials it, and no number is brought to that form";
            let hint = "numbers stand here in their international form: 46701234567";
            sheet.error_with(&row.cells[0], message, Some(hint.into()));
        }
        if let (Some(digits), Some(id)) = (digits, id) {
            found.push((digits, Found { id, line: row.line }, row.cells[0].span));
        }
    }
    found.sort_by_key(|(digits, found, _)| (*digits, found.line));
    for pair in found.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let message = format!("\"{}\" stands in line {} already", pair[1].0, pair[0].1.line);
        mistakes.push(Diagnostic::error(source, pair[1].2, message));
    }
    found.dedup_by_key(|(digits, _, _)| *digits);
    found.into_iter().map(|(digits, found, _)| (digits, found)).collect()
}

/// The minimum number of ten neighbours with a zone for a warning about a gap. With fewer, the block is hardly
/// incomplete by mistake.
const NEIGHBOURS_MIN: usize = 5;

/// Warns of digits that have no zone while most of their neighbours have one.
fn warn_of_gaps(source: &Arc<Source>, entries: &[(Digits, Found)], mistakes: &mut Vec<Diagnostic>) {
    let mut covered: BTreeMap<String, (u16, u32)> = BTreeMap::new();
    let known: std::collections::HashSet<Digits> =
        entries.iter().map(|(digits, _)| *digits).collect();
    for (digits, found) in entries {
        let text = digits.to_string();
        // A prefix within another has no gap beside it: the outer zone covers it.
        let outer =
            |n: usize| Digits::parse(&text.as_bytes()[..n]).is_ok_and(|d| known.contains(&d));
        if (0..text.len()).any(outer) {
            continue;
        }
        for n in 0..text.len() {
            if let Some(digit) = text[n..].chars().next().and_then(|c| c.to_digit(10)) {
                let node = covered.entry(text[..n].to_owned()).or_insert((0, found.line));
                node.0 |= 1 << digit;
            }
        }
    }
    for (prefix, (digits, line)) in covered {
        let missing: Vec<String> =
            (0..10).filter(|n| digits & 1 << n == 0).map(|n| format!("{prefix}{n}")).collect();
        if prefix.is_empty() || missing.is_empty() || 10 - missing.len() < NEIGHBOURS_MIN {
            continue;
        }
        let start = source.line_start(line as usize).unwrap_or(0);
        let span = Span { start, end: start + source.line(line as usize).len() as u32 };
        let message = format!("a gap: numbers that begin with {} have no zone", missing.join(", "));
        let hint = format!("others with \"{prefix}\" have one; add \"{prefix}\" for the rest");
        mistakes.push(Diagnostic::warning(source, span, message).hint(hint));
    }
}
