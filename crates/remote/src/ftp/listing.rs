//! What FTP servers say of files: in facts (RFC 3659, 7) or, where they know none, as people read it.

use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use suppaftp::list::ListParser;
use transport::{FarFile, FarKind};

/// A line of facts: `type=file;size=10;modify=20261121140500; name`.
pub(super) fn facts(line: &str) -> Option<FarFile> {
    let (facts, name) = line.split_once(' ')?;
    let mut file = FarFile { name: name.into(), kind: FarKind::Other, octets: 0, modified: None };
    for fact in facts.split(';') {
        let (key, value) = fact.split_once('=').unwrap_or((fact, ""));
        match (key.to_ascii_lowercase().as_str(), value.to_ascii_lowercase().as_str()) {
            ("type", "file") => file.kind = FarKind::File,
            ("type", "dir" | "cdir" | "pdir") => file.kind = FarKind::Folder,
            ("size", size) => file.octets = size.parse().ok()?,
            ("modify", time) => file.modified = moment(time),
            _ => {}
        }
    }
    Some(file)
}

/// Whether a line of facts is about the folder that is listed, or the one above it.
pub(super) fn is_own(line: &str) -> bool {
    let facts = line.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    facts.split(';').any(|fact| fact == "type=cdir" || fact == "type=pdir")
}

/// A time in UTC, `20261121140500`, as a moment.
fn moment(text: &str) -> Option<SystemTime> {
    let at = DateTime::strptime("%Y%m%d%H%M%S", text.get(..14)?).ok()?;
    at.to_zoned_datetime(TimeZone::UTC)
        .ok()
        .and_then(|at| SystemTime::try_from(at.timestamp()).ok())
}

/// A line as people read it: `-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 name`, or as Windows writes it. What time it tells is not
/// exact, and is written otherwise when the file is old: it is not taken.
pub(super) fn entry(line: &str) -> Option<FarFile> {
    posix(line).or_else(|| {
        let entry = ListParser::parse_dos(line).ok()?;
        let kind = if entry.is_directory() { FarKind::Folder } else { FarKind::File };
        let name = entry.name().to_owned();
        Some(FarFile { name, kind, octets: entry.size() as u64, modified: None })
    })
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn posix(line: &str) -> Option<FarFile> {
    let kind = match line.chars().next()? {
        '-' => FarKind::File,
        'd' => FarKind::Folder,
        'l' | 'c' | 'b' | 'p' | 's' => FarKind::Other,
        _ => return None,
    };
    // Not all name a group: what is sure is the size before the month, and the day and a time or a year behind it.
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    // Who owns it may be called like a month.
    let is_month = |at: &usize| {
        MONTHS.contains(&fields[*at])
            && fields[at - 1].parse::<u64>().is_ok()
            && fields[at + 1].parse::<u8>().is_ok()
    };
    let month = (2..fields.len().checked_sub(2)?).find(is_month)?;
    let octets = fields[month - 1].parse();
    let octets = if kind == FarKind::File { octets.ok()? } else { octets.unwrap_or(0) };
    let time = fields[month + 2];
    // One space ends the time; others are the name's.
    let behind = time.as_ptr() as usize - line.as_ptr() as usize + time.len();
    let name = line.get(behind + 1..).filter(|name| !name.is_empty())?;
    let name = match kind {
        FarKind::Other => name.split(" -> ").next().unwrap_or(name),
        _ => name,
    };
    Some(FarFile { name: name.to_owned(), kind, octets, modified: None })
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn facts_of_files_are_read() {
        let seconds = |file: &FarFile| {
            file.modified.map(|at| at.duration_since(UNIX_EPOCH).unwrap().as_secs())
        };
        let file = facts("type=file;size=10;modify=20240229140500.123;unix.mode=0644; a b.dat");
        let file = file.unwrap();
        assert_eq!((file.name.as_str(), file.kind, file.octets), ("a b.dat", FarKind::File, 10));
        assert_eq!(seconds(&file), Some(1_709_215_500));
        let folder = facts("Type=dir;Modify=19700101000000; sub").unwrap();
        assert_eq!((folder.kind, seconds(&folder)), (FarKind::Folder, Some(0)));
        assert_eq!(facts("type=OS.unix=symlink; link").unwrap().kind, FarKind::Other);
        assert!(is_own("type=cdir;modify=1; .") && !is_own("type=dir; type=cdir"));
        for odd in ["modify=1; x", "modify=99999999999999; x", "modify=20260101; x", "; x"] {
            assert_eq!(facts(odd).unwrap().modified, None, "{odd}");
        }
    }

    #[test]
    fn lines_for_people_are_read() {
        for (line, said) in [
            ("-rw-r--r--   1 cdr      cdr            10 Nov 21 14:05 a b.dat", "File 10 a b.dat"),
            ("-rw-r--r--+  1 cdr cdr 10 Nov 21  2024  x", "File 10  x"),
            ("-rw------- 1 cdr 10 Jan  3 2024 no-group", "File 10 no-group"),
            ("-rw-r--r-- 1 May Dec 10 Jun 1 14:05 owned", "File 10 owned"),
            ("drwxr-xr-x 2 0 0 4096 Nov 21 14:05 sub", "Folder 4096 sub"),
            ("lrwxrwxrwx 1 0 0 11 Nov 21 14:05 link -> /etc/passwd", "Other 11 link"),
            ("crw------- 1 0 0 1, 3 Nov 21 14:05 null", "Other 3 null"),
            ("11-21-26  02:05PM       <DIR>          sub", "Folder 0 sub"),
            ("11-21-26  02:05PM                 10 a b.dat", "File 10 a b.dat"),
            ("total 12", "-"),
            ("-rw-r--r-- 1 cdr cdr Nov 21 14:05 unsized", "-"),
            ("", "-"),
        ] {
            let found = match entry(line) {
                Some(file) => format!("{:?} {} {}", file.kind, file.octets, file.name),
                None => "-".into(),
            };
            assert_eq!(found, said, "{line}");
        }
    }
}
