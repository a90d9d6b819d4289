//! Lists of FTP servers: as facts (RFC 3659, 7) or, if the server does not support those, as text
//! for people. That text depends on the server's language and date format, so only type, size and
//! name are read from it. Its time is not exact, and is written differently for old files, so it is
//! ignored.

use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use transport::{Listing, RemoteFile, RemoteKind};

use crate::calls::shown;
use crate::mode;

/// The maximum number of lines that are reported as not understood.
const NOT_UNDERSTOOD_MAX: usize = 100;

/// Reads lines of facts.
pub(super) fn of_facts<'l>(lines: impl Iterator<Item = &'l str>) -> Listing {
    let mut gathered = Gathered::default();
    for line in lines.filter(|line| !is_own(line)) {
        match facts(line) {
            Some(file) => gathered.listing.files.push(file),
            None => gathered.is_not_understood(line),
        }
    }
    gathered.end()
}

/// Reads lines for people.
pub(super) fn for_people<'l>(lines: impl Iterator<Item = &'l str>) -> Listing {
    let (mut gathered, mut first) = (Gathered::default(), None);
    for (at, line) in lines.enumerate() {
        match entry(line) {
            Some(file) if matches!(file.name.as_str(), "." | "..") => {}
            Some(file) => gathered.listing.files.push(file),
            None if at == 0 => first = Some(line),
            None => gathered.is_not_understood(line),
        }
    }
    // The first line may be a total, in the server's language, or a greeting.
    if let Some(first) = first.filter(|first| !is_heading(first))
        && gathered.listing.files.is_empty()
    {
        gathered.is_not_understood(first);
    }
    gathered.end()
}

#[derive(Default)]
struct Gathered {
    listing: Listing,
    /// The number of further lines that are not understood.
    more: usize,
}

impl Gathered {
    fn is_not_understood(&mut self, line: &str) {
        let named = &mut self.listing.unreadable;
        match named.len() < NOT_UNDERSTOOD_MAX {
            true => named.push(shown(line)),
            false => self.more += 1,
        }
    }

    fn end(mut self) -> Listing {
        if self.more > 0 {
            self.listing.unreadable.push(format!("and {} more lines", self.more));
        }
        self.listing
    }
}

/// Returns whether a line describes no file: `total 20`, `insgesamt 20`, `# last update 2026-11-21`.
fn is_heading(line: &str) -> bool {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_total = matches!(fields[..], [_, blocks] if size(blocks).is_some());
    is_total || line.starts_with('#')
}

/// Reads a line of facts: `type=file;size=10;modify=20261121140500; name`. Missing facts are unknown.
pub(super) fn facts(line: &str) -> Option<RemoteFile> {
    let (facts, name) = line.split_once(' ').filter(|(_, name)| !name.is_empty())?;
    let mut file =
        RemoteFile { name: name.into(), kind: RemoteKind::Unknown, octets: None, modified: None };
    for fact in facts.split(';').filter(|fact| !fact.is_empty()) {
        let (key, value) = fact.split_once('=')?;
        match (key.to_ascii_lowercase().as_str(), value.to_ascii_lowercase().as_str()) {
            ("type", "file") => file.kind = RemoteKind::File,
            ("type", "dir" | "cdir" | "pdir") => file.kind = RemoteKind::Folder,
            ("type", _) => file.kind = RemoteKind::Other,
            ("size", size) => file.octets = size.parse().ok(),
            ("modify", time) => file.modified = moment(time),
            _ => {}
        }
    }
    Some(file)
}

/// Returns whether a line of facts is about the listed folder itself, or its parent.
fn is_own(line: &str) -> bool {
    let facts = line.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    facts.split(';').any(|fact| fact == "type=cdir" || fact == "type=pdir")
}

/// Converts a time in UTC, `20261121140500`.
fn moment(text: &str) -> Option<SystemTime> {
    let at = DateTime::strptime("%Y%m%d%H%M%S", text.get(..14)?).ok()?;
    at.to_zoned_datetime(TimeZone::UTC)
        .ok()
        .and_then(|at| SystemTime::try_from(at.timestamp()).ok())
}

/// Reads a line for people, in one of the formats that servers use.
pub(super) fn entry(line: &str) -> Option<RemoteFile> {
    let fields = fields(line);
    posix(line, &fields).or_else(|| dos(line, &fields)).or_else(|| ibm(line, &fields))
}

/// A word of a line, and the offset of its end.
#[derive(Clone, Copy)]
struct Field<'l> {
    text: &'l str,
    end: usize,
}

fn fields(line: &str) -> Vec<Field<'_>> {
    let words = line.split_ascii_whitespace();
    let end = |text: &str| text.as_ptr() as usize - line.as_ptr() as usize + text.len();
    words.map(|text| Field { text, end: end(text) }).collect()
}

fn file(name: &str, kind: RemoteKind, octets: Option<u64>) -> Option<RemoteFile> {
    let file = RemoteFile { name: name.to_owned(), kind, octets, modified: None };
    (!name.is_empty()).then_some(file)
}

/// `-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 name`. Some servers omit the group, an owner may have the
/// name of a month, and in `cdr 12 2026 Nov 21` group and size look like one. The first date that follows
/// a size ends the attributes, unless it has the size of a more certain one in it.
fn posix(line: &str, fields: &[Field<'_>]) -> Option<RemoteFile> {
    let kind = match mode::kind(line) {
        RemoteKind::Unknown => return None,
        kind => kind,
    };
    let is_sized = |date: &Date| match kind {
        RemoteKind::File => size(fields[date.first - 1].text).is_some(),
        _ => true,
    };
    let dates = (2..fields.len()).filter_map(|at| Date::ending(fields, at)).filter(is_sized);
    // A name may contain a date too, but that comes after the first one.
    let is_better =
        |best: &Date, date: &Date| date.first <= best.last + 1 && date.certainty > best.certainty;
    let date = dates.reduce(|best, date| if is_better(&best, &date) { date } else { best })?;
    let octets = match kind {
        RemoteKind::File => size(fields[date.first - 1].text).flatten(),
        _ => None,
    };
    // One space ends the time; further spaces belong to the name.
    let name = line.get(fields[date.last].end + 1..)?;
    let name = if date.is_padded { name.strip_prefix(' ').unwrap_or(name) } else { name };
    let name = match kind {
        RemoteKind::Other => name.split(" -> ").next().unwrap_or(name),
        _ => name,
    };
    file(name, kind, octets)
}

/// The words that form the date, from the first to the last.
struct Date {
    first: usize,
    last: usize,
    /// Whether a space takes the place of the time.
    is_padded: bool,
    /// Greater if fewer other texts look the same: an English month or a numeric date counts 2, a time of day 1.
    certainty: u8,
}

impl Date {
    /// Returns the date whose time or year is the word at `at`.
    fn ending(fields: &[Field<'_>], at: usize) -> Option<Self> {
        let text = |at: usize| fields.get(at).map_or("", |field| field.text);
        let is_clock = is_clock(text(at));
        let date = |first: usize, last| {
            let month = [first, first + 1].map(text);
            let is_certain = is_day_of_year(text(first)) || month.into_iter().any(is_english_month);
            let certainty = 2 * u8::from(is_certain) + u8::from(is_clock);
            (first > 1).then_some(Date { first, last, is_padded: false, certainty })
        };
        if is_clock && is_day_of_year(text(at - 1)) {
            let last = if is_zone(text(at + 1)) { at + 1 } else { at };
            return date(at - 1, last);
        }
        if at > 2 && (is_clock || is_year(text(at))) {
            let (one, other) = (text(at - 2), text(at - 1));
            if (is_month(one) && is_day(other)) || (is_day(one) && is_month(other)) {
                // If the time has seconds, the year may follow it.
                let is_long = text(at).matches(':').count() == 2 && is_year(text(at + 1));
                return date(at - 2, if is_long { at + 1 } else { at });
            }
        }
        // One format leaves out the time of old files.
        let is_alone = text(at).matches('-').count() == 2 && is_day_of_year(text(at));
        let alone = Date { first: at, last: at, is_padded: true, certainty: 2 };
        (is_alone && !self::is_clock(text(at + 1))).then_some(alone)
    }
}

/// `14:05`, `14:05:59`, `14:05:59.000000000`.
fn is_clock(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|octet| octet.is_ascii_digit());
    match parts[..] {
        [hour, minute] => [hour, minute].iter().all(|part| part.len() <= 2 && is_number(part)),
        [hour, minute, second] => {
            let second = second.split(['.', ',']).next().unwrap_or_default();
            [hour, minute, second].iter().all(|part| part.len() <= 2 && is_number(part))
        }
        _ => false,
    }
}

/// `+0100`.
fn is_zone(text: &str) -> bool {
    text.len() == 5
        && text.starts_with(['+', '-'])
        && text[1..].bytes().all(|octet| octet.is_ascii_digit())
}

/// `2026`.
fn is_year(text: &str) -> bool {
    matches!(text.parse(), Ok(1900..=2999_u16)) && text.len() == 4
}

/// `21`, `21.`, `21日`.
fn is_day(text: &str) -> bool {
    let number = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    matches!(number.parse(), Ok(1..=31_u8)) && text.chars().count() <= number.len() + 1
}

/// `Nov`, `Dez`, `NOV`, `déc.`, `11月`: a word, in any language.
fn is_month(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '.')
        && text.chars().count() <= 12
}

/// `Nov`, `NOV`: as most servers write months.
fn is_english_month(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    MONTHS.iter().any(|month| text.eq_ignore_ascii_case(month))
}

/// `2026-11-21`, `11-21`, `21.11.2026`, `11/21/26`, `11月21日`: numbers with separators.
fn is_day_of_year(text: &str) -> bool {
    let mut parts = text.split(['-', '/', '.', '年', '月', '日']).filter(|part| !part.is_empty());
    let is_number =
        |part: &str| part.len() <= 4 && part.bytes().all(|octet| octet.is_ascii_digit());
    let count =
        text.split(['-', '/', '.', '年', '月', '日']).filter(|part| !part.is_empty()).count();
    (2..=3).contains(&count) && parts.all(is_number)
}

/// `11222`. A rounded size, `11K`, is accepted but does not tell the number of octets.
fn size(text: &str) -> Option<Option<u64>> {
    if let Ok(octets) = text.parse() {
        return Some(Some(octets));
    }
    let rounded = text.strip_suffix(['K', 'M', 'G', 'T', 'k', 'B'])?;
    let is_number = rounded.starts_with(|first: char| first.is_ascii_digit())
        && rounded.chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter));
    is_number.then_some(None)
}

/// Reads the format of Windows: `11-21-26  02:05PM  10 name`, `21.11.2026  14:05  <DIR>  name`.
fn dos(line: &str, fields: &[Field<'_>]) -> Option<RemoteFile> {
    let text = |at: usize| fields.get(at).map_or("", |field| field.text);
    let half = |text: &str| {
        let half = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
        matches!(half.to_ascii_lowercase().as_str(), "am" | "pm" | "a.m." | "p.m.")
            .then_some(half.len())
    };
    let clock = text(1);
    let is_when =
        is_day_of_year(text(0)) && is_clock(&clock[..clock.len() - half(clock).unwrap_or(0)]);
    if !is_when {
        return None;
    }
    let at = if is_clock(clock) && half(text(2)) == Some(text(2).len()) { 3 } else { 2 };
    let rest = line.get(fields.get(at)?.end..)?;
    match text(at) {
        "<DIR>" => file(rest.trim_start(), RemoteKind::Folder, None),
        what if what.starts_with('<') => file(rest.trim_start(), RemoteKind::Other, None),
        octets => {
            let octets = octets.replace([',', '.'], "").parse().ok()?;
            file(rest.strip_prefix(' ')?, RemoteKind::File, Some(octets))
        }
    }
}

/// Reads the format of IBM i: `QTCP  10 11/21/26 14:05:00 *STMF  name`.
fn ibm(line: &str, fields: &[Field<'_>]) -> Option<RemoteFile> {
    let text = |at: usize| fields.get(at).map_or("", |field| field.text);
    let octets = text(1).parse().ok()?;
    if !is_day_of_year(text(2)) || !is_clock(text(3)) || !text(4).starts_with('*') {
        return None;
    }
    let name = line.get(fields[4].end..)?.trim_start();
    match text(4) {
        "*STMF" | "*MEM" => file(name, RemoteKind::File, Some(octets)),
        "*DIR" | "*DDIR" | "*FLR" => file(name.trim_end_matches('/'), RemoteKind::Folder, None),
        _ => file(name, RemoteKind::Other, None),
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use proptest::prelude::*;

    use super::*;

    fn described(file: &RemoteFile) -> String {
        let octets = file.octets.map_or("?".to_owned(), |octets| octets.to_string());
        format!("{:?} {octets} {}", file.kind, file.name)
    }

    #[test]
    fn facts_of_files_are_read_and_what_they_leave_out_is_unknown() {
        for (line, expected) in [
            (
                "type=file;size=10;modify=20240229140500.123;unix.mode=0644; a b.dat",
                "File 10 a b.dat",
            ),
            ("Type=dir;Modify=19700101000000; sub", "Folder ? sub"),
            ("type=OS.unix=slink:/x; link", "Other ? link"),
            ("Modify=20240229140500;Type=File;Perm=radfw; unsized", "File ? unsized"),
            ("size=10; untyped", "Unknown 10 untyped"),
            ("type=file;size=many; odd", "File ? odd"),
            ("; nothing", "Unknown ? nothing"),
            ("# last update", "-"),
            ("type=file;size=10;", "-"),
        ] {
            assert_eq!(facts(line).as_ref().map_or("-".into(), described), expected, "{line}");
        }
        assert!(is_own("type=cdir;modify=1; .") && !is_own("type=dir; type=cdir"));
    }

    #[test]
    fn times_of_facts_are_moments_or_unknown() {
        for (modify, seconds) in [
            ("20240229140500.123", Some(1_709_215_500)),
            ("19700101000000", Some(0)),
            ("1", None),
            ("99999999999999", None),
            ("20260101", None),
        ] {
            let file = facts(&format!("modify={modify}; x")).unwrap();
            let at = file.modified.map(|at| at.duration_since(UNIX_EPOCH).unwrap().as_secs());
            assert_eq!(at, seconds, "{modify}");
        }
    }

    #[test]
    fn lines_for_people_are_read_in_whatever_language_and_order_they_say_when() {
        for (line, expected) in [
            ("-rw-r--r--   1 cdr      cdr            10 Nov 21 14:05 a b.dat", "File 10 a b.dat"),
            ("-rw-r--r--+  1 cdr cdr 10 Nov 21  2024  x", "File 10  x"),
            ("-rw------- 1 cdr 10 Jan  3 2024 no-group", "File 10 no-group"),
            ("-rw-r--r-- 1 May Dec 10 Jun 1 14:05 owned", "File 10 owned"),
            ("-rw-r--r-- 1 100 2024 10 Jun 1 14:05 numbers", "File 10 numbers"),
            ("-rw-r--r-- 1 cdr 12 2026 Nov 21 14:05 a.ber", "File 2026 a.ber"),
            ("-rw-r--r-- 1 cdr 12 2026 Mrz 21 14:05 a.ber", "File 2026 a.ber"),
            ("-rw-r--r-- 1 may 12 2026 Nov 21 14:05 a.ber", "File 2026 a.ber"),
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 2026 report 5 14:05", "File 10 report 5 14:05"),
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 2026 of 5 Nov 21 14:05", "File 10 of 5 Nov 21 14:05"),
            ("-rw-r--r-- 1 cdr cdr 10 Mrz 21 14:05 of 5 Nov 21 14:05", "File 10 of 5 Nov 21 14:05"),
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 Dec 24 18:00", "File 10 Dec 24 18:00"),
            ("drwxr-xr-x 2 0 0 4096 Nov 21 14:05 sub", "Folder ? sub"),
            ("lrwxrwxrwx 1 0 0 11 Nov 21 14:05 link -> /etc/passwd", "Other ? link"),
            ("crw------- 1 0 0 1, 3 Nov 21 14:05 null", "Other ? null"),
            ("-rw-r--r-- 1 cdr cdr 10 Mrz 15 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 Dez 15  2025 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 déc. 15 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 11月 21 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 11月21日 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 нояб. 21 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 NOV 21 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 21 Nov 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 21. Nov 2024 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05:59 2026 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 2026 x", "File 10 2026 x"),
            ("-rw-r--r-- 1 cdr cdr 10 2026-11-21 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 2026-11-21 14:05:00.000000000 +0100 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 11-21 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 2025-11-21  x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 21.11.2026 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 10 11/21/26 14:05 x", "File 10 x"),
            ("-rw-r--r-- 1 cdr cdr 11K Nov 21 14:05 rounded", "File ? rounded"),
            ("11-21-26  02:05PM       <DIR>          sub", "Folder ? sub"),
            ("11-21-26  02:05PM                 10 a b.dat", "File 10 a b.dat"),
            ("11-21-2026  14:05                 10 a b.dat", "File 10 a b.dat"),
            ("2026-11-21  14:05                 10 x", "File 10 x"),
            ("21.11.2026  14:05             11.222 x", "File 11222 x"),
            ("11/21/2026  02:05 PM          11,222 x", "File 11222 x"),
            ("11-21-26  02:05PM     <JUNCTION>     link [C:\\x]", "Other ? link [C:\\x]"),
            ("QTCP              10 11/21/26 14:05:00 *STMF      a b.csv", "File 10 a b.csv"),
            ("QTCP           12288 11/21/26 14:05:00 *DIR       sub/", "Folder ? sub"),
            ("total 12", "-"),
            ("-rw-r--r-- 1 cdr cdr Nov 21 14:05 unsized", "-"),
            ("A.CSV;1   4/8  21-NOV-2026 14:05:00.00  [CDR]  (RWED,RWED,RE,)", "-"),
            ("", "-"),
        ] {
            assert_eq!(entry(line).as_ref().map_or("-".into(), described), expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_is_not_understood_keeps_no_other_from_being_read() {
        const FILE: &str = "-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 a.csv";
        for (lines, files, unreadable) in [
            (&["total 20", FILE][..], 1, &[][..]),
            (&["insgesamt 20", FILE], 1, &[]),
            (&["总用量 20K", FILE], 1, &[]),
            (&["insgesamt 0"], 0, &[]),
            (&["# last update 2026-11-21"], 0, &[]),
            (&["last update 2026-11-21 14:05", FILE], 1, &[]),
            (&[FILE, "rubbish\u{1b}[2J"], 1, &["rubbish\\u001b[2J"]),
            (&["A.CSV;1 4/8", "B.CSV;1 4/8"], 0, &["B.CSV;1 4/8", "A.CSV;1 4/8"]),
            (&["drwxr-xr-x 2 0 0 9 Nov 21 14:05 .", "drwxr-xr-x 2 0 0 9 Nov 21 14:05 .."], 0, &[]),
            (&[], 0, &[]),
        ] {
            let listing = for_people(lines.iter().copied());
            assert_eq!(listing.files.len(), files, "{lines:?}");
            assert_eq!(listing.unreadable, unreadable, "{lines:?}");
        }
        let listing = for_people(std::iter::repeat_n("rubbish", NOT_UNDERSTOOD_MAX + 8));
        assert_eq!(listing.unreadable.len(), NOT_UNDERSTOOD_MAX + 1);
        assert_eq!(listing.unreadable[NOT_UNDERSTOOD_MAX], "and 8 more lines");
    }

    proptest! {
        #[test]
        fn a_file_of_any_name_and_size_is_found_whatever_the_month_is_called(
            name in "[a-zA-Z0-9_.][a-zA-Z0-9_. -]{0,20}[a-z]",
            month in "\\p{L}{1,5}[.]?",
            (day, hour, minute) in (1_u8..=31, 0_u8..24, 0_u8..60),
            octets: u64,
        ) {
            let line = format!("-rw-r--r-- 1 cdr cdr {octets} {month} {day:2} {hour:02}:{minute:02} {name}");
            let file = entry(&line);
            prop_assert_eq!(file.as_ref().map(|file| (file.octets, file.name.as_str())), Some((Some(octets), name.as_str())));
        }
    }
}
