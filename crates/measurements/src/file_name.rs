//! Names of files by 3GPP TS 32.432, clause 5.1.1:
//! `<Type><Startdate>.<Starttime>-[<Enddate>.]<Endtime>[_-<jobId>][_<UniqueId>][_-_<RC>]`.
//!
//! A name is a hint, such as for which period a file is missing. What is in the file decides.

use crate::time::{Offset, Time};

/// What a name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName<'n> {
    /// What is in the file.
    pub contents: Contents,
    /// The beginning of its first period.
    pub begin: Time,
    /// The end of its last period.
    pub end: Time,
    /// The measurement job.
    pub job: Option<&'n str>,
    /// The name of the network element, of its manager or of the domain.
    pub unique: Option<&'n str>,
    /// The running count, which tells files apart whose names are else the same.
    pub count: Option<u32>,
}

/// What is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// `A`: one network element, one granularity period.
    OneElementOnePeriod,
    /// `B`: several network elements, one granularity period.
    ElementsOnePeriod,
    /// `C`: one network element, several granularity periods.
    OneElementPeriods,
    /// `D`: several network elements, several granularity periods.
    ElementsPeriods,
}

/// Endings that are not part of the name.
const ENDINGS: [&str; 4] = [".gz", ".zst", ".xml", ".asn1"];

/// Returns what a name says. `None` if it is no such name.
pub fn read(name: &str) -> Option<FileName<'_>> {
    let mut name = name;
    for ending in ENDINGS {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    let contents = match name.as_bytes().first()? {
        b'A' => Contents::OneElementOnePeriod,
        b'B' => Contents::ElementsOnePeriod,
        b'C' => Contents::OneElementPeriods,
        b'D' => Contents::ElementsPeriods,
        _ => return None,
    };
    let octets = &name.as_bytes()[1..];
    let (date, rest) = octets.split_at_checked(8)?;
    // What looks like an offset may be the end of the period, or a name.
    let is_before_end = |_, rest: &[u8]| rest.first() == Some(&b'-');
    let (begin, sign, rest) = clock(date, rest.strip_prefix(b".")?, is_before_end)?;
    let rest = rest.strip_prefix(b"-")?;
    let has_date = rest.get(8) == Some(&b'.');
    let (end_date, rest) = if has_date { (&rest[..8], &rest[9..]) } else { (date, rest) };
    let (end, _, rest) = clock(end_date, rest, |found, _| Some(found) == sign)?;
    // A period that ends before it begins ends on the next day.
    let end = match has_date || end.local_seconds > begin.local_seconds {
        true => end,
        false => end.plus(86_400),
    };
    let rest = name.get(name.len() - rest.len()..)?;
    let (rest, count) = match rest.rsplit_once("_-_") {
        Some((rest, count))
            if !count.is_empty() && count.bytes().all(|octet| octet.is_ascii_digit()) =>
        {
            (rest, count.parse().ok())
        }
        _ => (rest, None),
    };
    let (job, unique) = match rest.strip_prefix("_-") {
        Some(rest) => match rest.split_once('_') {
            Some((job, unique)) => (Some(job), Some(unique)),
            None => (Some(rest), None),
        },
        None => (None, rest.strip_prefix('_')),
    };
    if job.is_none() && unique.is_none() && !rest.is_empty() {
        return None;
    }
    Some(FileName { contents, begin, end, job, unique, count })
}

/// Reads `hhmm` and perhaps an offset, whose sign and what follows it `is_offset` judges. Returns also the sign, and what
/// follows.
fn clock<'o>(
    date: &[u8],
    octets: &'o [u8],
    is_offset: impl Fn(u8, &[u8]) -> bool,
) -> Option<(Time, Option<u8>, &'o [u8])> {
    let (hour, rest) = octets.split_at_checked(4)?;
    let time = Time::read(&[date, hour].concat())?;
    let offset = rest.split_at_checked(5).filter(|(offset, behind)| {
        let is_number = offset[1..].iter().all(u8::is_ascii_digit);
        is_number
            && (offset[0] == b'+'
                || matches!(offset[0], b'-' | b'_') && is_offset(offset[0], behind))
    });
    match offset {
        None => Some((time, None, rest)),
        Some((offset, rest)) => {
            Some((Time { offset: Offset::read(offset)?, ..time }, Some(offset[0]), rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Option<String> {
        let found = read(name)?;
        let text = |time: Time| {
            let mut text = Vec::new();
            time.write(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let or = |text: Option<&str>| text.unwrap_or("-").to_owned();
        Some(format!(
            "{:?} {} {} {} {} {}",
            found.contents,
            text(found.begin),
            text(found.end),
            or(found.job),
            or(found.unique),
            found.count.map_or("-".into(), |count| count.to_string())
        ))
    }

    #[test]
    fn names_say_what_is_in_a_file() {
        for (name, expected) in [
            (
                "A20000626.2315+0200-2330+0200_NodeBId",
                "OneElementOnePeriod 20000626231500+0200 20000626233000+0200 - NodeBId -",
            ),
            (
                "B20021224.1700-1130-20021225.1705-1130_-job10_NMS-1_-_2.xml.gz",
                "ElementsOnePeriod 20021224170000-1130 20021225170500-1130 job10 NMS-1 2",
            ),
            (
                "A20181002.0000-1000-0015-1000_5G.xml.gz",
                "OneElementOnePeriod 20181002000000-1000 20181002001500-1000 - 5G -",
            ),
            ("C20190329.0000-0015.xml", "OneElementPeriods 20190329000000 20190329001500 - - -"),
            (
                "A20230515.0700_0100-0715_0100_GNODEB-0.xml",
                "OneElementOnePeriod 20230515070000+0100 20230515071500+0100 - GNODEB-0 -",
            ),
            (
                "A20220418.1900-1915_node-7.xml",
                "OneElementOnePeriod 20220418190000 20220418191500 - node-7 -",
            ),
            (
                "A20220418.2345-0000_node.xml",
                "OneElementOnePeriod 20220418234500 20220419000000 - node -",
            ),
            (
                "D20241211.0934+0000-0936+0000_-0_DC=e.com,ManagedElement=GNB-1_-_1.xml",
                "ElementsPeriods 20241211093400+0000 20241211093600+0000 0 DC=e.com,ManagedElement=GNB-1 1",
            ),
            (
                "A20220418.1900-1915_2022_a.b.xml",
                "OneElementOnePeriod 20220418190000 20220418191500 - 2022_a.b -",
            ),
        ] {
            assert_eq!(shown(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_names_say_nothing() {
        for name in [
            "",
            "A",
            "pm.xml",
            "E20220418.1900-1915",
            "A20221318.1900-1915",
            "A20220418.1900",
            "A20220418.1900-19",
            "A20220418-1900-1915",
            "A20220418.1900-.1915",
            "A20220418.1900-1915x",
            "A20220418.1900+9900-1915",
            "PM202007171301+020024C202007171207+0200-1215+0200_45678",
        ] {
            assert_eq!(shown(name), None, "{name}");
        }
    }
}
