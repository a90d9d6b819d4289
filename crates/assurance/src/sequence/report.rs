//! Makes the report on sequences: for each counter the numbers expected in a period, those that came, and those that
//! are missing, in lines that a user can sign.
//!
//! A number belongs to the period in which the counter passed it: when it came, or when a later one did. So nothing is
//! in two periods, and `expected = received + missing` holds for each of them. The missing numbers are those missing
//! now, not at the end of the period: a number that came after it counts as received, and late.

use std::ops::Range;
use std::path::Path;

use runtime::time::{now_ms, shown};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

use crate::sequence::counter::Counter;
use crate::sequence::{CountedTables, Of};
use flow::csv::cell;
use flow::file::NetworkElement;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::names;

/// The query of a report.
#[derive(Clone, Debug)]
pub struct SequenceQuery {
    /// Selects this network element only.
    pub network_element: Option<String>,
    /// The period in milliseconds since 1970; its end is not included.
    pub period: Range<i64>,
}

/// The report on sequence numbers: for each network element and counter, the expected, received and
/// missing numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceReport {
    /// The path of the flow file.
    pub flow: String,
    /// The beginning of the period. Absent if the period begins with the journal.
    pub from: Option<String>,
    /// The end of the period, exclusive. Absent if the period ends now.
    pub to: Option<String>,
    /// When the report was made.
    pub as_of: String,
    /// Files that are done and not part of the report yet: some while a gateway works, or after it
    /// was stopped.
    pub not_yet: i64,
    /// The lines, by network element and counter.
    pub lines: Vec<Line>,
    /// The SHA-256 digest of the report as text (CSV), in hexadecimal.
    pub sha256: String,
}

/// A line of the report on sequence numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SequenceLine)]
pub struct Line {
    /// The network element.
    pub network_element: String,
    /// What the line is about.
    pub of: Subject,
    /// The name of the counter; empty if there is only one. For a total, its name.
    pub series: String,
    /// The meaning of the line.
    pub what: What,
    /// The first number of the range. For a total, the value that the file states.
    pub first: Option<i64>,
    /// The last number of the range, inclusive. It is less than `first` if the counter wrapped
    /// around. For a total, the value that was found.
    pub last: Option<i64>,
    /// How many numbers, or files for totals.
    pub count: i64,
    /// When the event was noticed.
    pub at: Option<String>,
    /// When the gap was closed, or accepted as lost.
    pub until: Option<String>,
    /// The file in which the event was noticed.
    pub file: Option<String>,
    /// The user who accepted the gap, and the reason.
    pub note: Option<String>,
}

/// What a line is about: the numbers of files, the numbers of records, or a total that files contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SequenceSubject)]
pub enum Subject {
    /// Numbers of files.
    #[default]
    File,
    /// Numbers of records.
    Record,
    /// A total that files contain.
    Total,
}

impl Subject {
    /// Returns the word in the journal and in the report.
    pub fn word(self) -> &'static str {
        match self {
            Subject::File => Of::Files.name(),
            Subject::Record => Of::Records.name(),
            Subject::Total => "total",
        }
    }

    /// Returns the subject of a counter for its word in the journal.
    fn of_counter(word: &str) -> Self {
        if word == Of::Records.name() { Subject::Record } else { Subject::File }
    }
}

/// The meaning of a line: `late` is a gap that was closed, `repeated` a number that came twice,
/// `restarted` a counter that began again at its first number, `unnumbered` what has no number,
/// `agrees` and `differs` the comparison of a total. `missing-before` is a gap from before the
/// period, `accepted` a gap that is accepted as lost, and `jumped` a counter that went on far from
/// the expected number, so that the number of lost ones is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SequenceEvent)]
#[allow(missing_docs)] // The text above explains them together, since the description has no other.
pub enum What {
    #[default]
    Expected,
    Received,
    Missing,
    MissingBefore,
    Accepted,
    Late,
    Repeated,
    Restarted,
    Jumped,
    Unnumbered,
    Agrees,
    Differs,
}

impl What {
    /// Returns the word in the report.
    pub fn name(self) -> &'static str {
        match self {
            What::Expected => "expected",
            What::Received => "received",
            What::Missing => "missing",
            What::MissingBefore => "missing-before",
            What::Accepted => "accepted",
            What::Late => "late",
            What::Repeated => "repeated",
            What::Restarted => "restarted",
            What::Jumped => "jumped",
            What::Unnumbered => "unnumbered",
            What::Agrees => "agrees",
            What::Differs => "differs",
        }
    }

    /// Returns whether a user has to look into it.
    pub fn is_fault(self) -> bool {
        use What::{Differs, Jumped, Missing, MissingBefore, Unnumbered};
        matches!(self, Missing | MissingBefore | Jumped | Unnumbered | Differs)
    }
}

/// Makes the report on the sequences of a flow. A gateway may run the flow or not.
pub fn sequence_report(flow: &Path, query: &SequenceQuery) -> Result<SequenceReport, JournalError> {
    names::known(flow, query.network_element.as_deref())?;
    counted_at_all(flow)?;
    let (not_yet, lines) = flow_journal::read(flow, |db| {
        let not_yet = db.query_row("SELECT count(*) FROM pending", [], |row| row.get(0))?;
        Ok((not_yet, lines(db, query)?))
    })?;
    let Range { start, end } = query.period;
    let mut report = SequenceReport {
        flow: flow.display().to_string(),
        from: (start > i64::MIN).then(|| shown(start)),
        to: (end < i64::MAX).then(|| shown(end)),
        as_of: shown(now_ms()),
        not_yet,
        lines,
        sha256: String::new(),
    };
    let digest = Sha256::digest(report.text());
    report.sha256 = digest.iter().map(|octet| format!("{octet:02x}")).collect();
    Ok(report)
}

impl SequenceReport {
    /// Returns the text to sign: a line that says which report it is, and the lines as CSV (RFC 4180).
    pub fn text(&self) -> String {
        let from = self.from.as_deref().unwrap_or("the beginning");
        let to = self.to.as_deref().unwrap_or(&self.as_of);
        let mut text = format!(
            "# sequences of {}, from {from} to before {to}, as of {}, {} files not yet\n\
             network_element,of,series,what,first,last,count,at,until,file,note\n",
            self.flow.replace('\n', " "),
            self.as_of,
            self.not_yet
        );
        for line in &self.lines {
            let number = |number: Option<i64>| number.map_or(String::new(), |n| n.to_string());
            let fields = [
                cell(&line.network_element),
                line.of.word().into(),
                cell(&line.series),
                line.what.name().into(),
                number(line.first),
                number(line.last),
                line.count.to_string(),
                line.at.clone().unwrap_or_default(),
                line.until.clone().unwrap_or_default(),
                cell(line.file.as_deref().unwrap_or_default()),
                cell(line.note.as_deref().unwrap_or_default()),
            ];
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }

    /// Returns whether no line needs attention.
    pub fn is_clean(&self) -> bool {
        !self.lines.iter().any(|line| line.what.is_fault())
    }
}

fn lines(db: &Connection, query: &SequenceQuery) -> QueryResult<Vec<Line>> {
    let mut lines = Vec::new();
    let mut select = db.prepare(
        "SELECT id, network_element, of, series, first, last FROM counter
         WHERE ?1 IS NULL OR network_element = ?1
         ORDER BY network_element, of, series, first, last",
    )?;
    let counters = select.query_map([&query.network_element], |row| {
        let line = Line {
            network_element: row.get(1)?,
            of: Subject::of_counter(row.get_ref(2)?.as_str()?),
            series: row.get(3)?,
            ..Line::default()
        };
        Ok((row.get(0)?, line, row.get(4)?..row.get(5)?))
    })?;
    for counter in counters {
        let (id, line, Range { start, end }) = counter?;
        let counter = OfCounter { id, line, counter: Counter::as_noted(start, end), query };
        counter.lines(db, &mut lines)?;
    }
    unnumbered(db, query, &mut lines)?;
    totals(db, query, &mut lines)?;
    // Groups the lines by network element and keeps their order otherwise.
    lines.sort_by(|a, b| a.network_element.cmp(&b.network_element));
    Ok(lines)
}

/// A counter, and the fields that all its lines share.
struct OfCounter<'q> {
    id: i64,
    line: Line,
    counter: Counter,
    query: &'q SequenceQuery,
}

/// A gap in the journal.
struct Gap {
    range: Range<i64>,
    opened_ms: i64,
    opened_by: String,
    closed: Option<(i64, String)>,
    accepted: Option<(i64, String)>,
}

impl OfCounter<'_> {
    fn lines(&self, db: &Connection, lines: &mut Vec<Line>) -> QueryResult<()> {
        let gaps = self.gaps(db)?;
        for stretch in self.stretches(db)? {
            let within =
                |gap: &&Gap| stretch.start <= gap.range.start && gap.range.end <= stretch.end;
            let missing = gaps.iter().filter(within).filter(|gap| gap.closed.is_none());
            let missing: i64 = missing.map(|gap| gap.range.end - gap.range.start).sum();
            let expected = self.of(What::Expected, &stretch);
            assert!(missing <= expected.count, "a gap lies in one period");
            let received =
                Line { what: What::Received, count: expected.count - missing, ..expected.clone() };
            lines.extend([expected, received]);
        }
        for gap in &gaps {
            let is_of_period = self.query.period.contains(&gap.opened_ms);
            let what = match (&gap.closed, &gap.accepted, is_of_period) {
                (Some(_), ..) => What::Late,
                (None, Some(_), _) => What::Accepted,
                (None, None, true) => What::Missing,
                (None, None, false) => What::MissingBefore,
            };
            let file = gap.closed.as_ref().map_or(&gap.opened_by, |(_, closed_by)| closed_by);
            let until = gap.closed.as_ref().or(gap.accepted.as_ref());
            lines.push(Line {
                at: Some(shown(gap.opened_ms)),
                until: until.map(|(until_ms, _)| shown(*until_ms)),
                file: Some(file.clone()),
                note: gap.accepted.as_ref().map(|(_, note)| note.clone()),
                ..self.of(what, &gap.range)
            });
        }
        self.arrivals(db, lines)
    }

    fn of(&self, what: What, range: &Range<i64>) -> Line {
        Line {
            what,
            first: Some(self.counter.number(range.start)),
            last: Some(self.counter.number(range.end - 1)),
            count: range.end - range.start,
            ..self.line.clone()
        }
    }

    /// Returns the positions that the counter passed in the period.
    fn stretches(&self, db: &Connection) -> QueryResult<Vec<Range<i64>>> {
        let mut select = db.prepare_cached(
            "SELECT start, end FROM arrival
             WHERE counter = ?1 AND what = 'new' AND at_ms >= ?2 AND at_ms < ?3
             UNION ALL
             SELECT start, end FROM gap WHERE counter = ?1 AND opened_ms >= ?2 AND opened_ms < ?3
             ORDER BY start",
        )?;
        let Range { start, end } = self.query.period;
        let passed = select.query_map(params![self.id, start, end], |row| {
            Ok(row.get::<_, i64>(0)?..row.get::<_, i64>(1)?)
        })?;
        let mut stretches: Vec<Range<i64>> = Vec::new();
        for passed in passed {
            let passed = passed?;
            match stretches.last_mut() {
                Some(last) if last.end == passed.start => last.end = passed.end,
                _ => stretches.push(passed),
            }
        }
        Ok(stretches)
    }

    /// Returns the gaps that were opened or closed in the period, and those still open from before.
    fn gaps(&self, db: &Connection) -> QueryResult<Vec<Gap>> {
        let mut select = db.prepare_cached(
            "SELECT start, end, opened_ms, opened_by, closed_ms, closed_by,
                 accepted_ms, accepted_by || ': ' || accepted_for FROM gap
             WHERE counter = ?1 AND opened_ms < ?3
               AND (opened_ms >= ?2
                 OR ifnull(closed_ms, accepted_ms) IS NULL
                 OR (ifnull(closed_ms, accepted_ms) >= ?2 AND ifnull(closed_ms, accepted_ms) < ?3))
             ORDER BY start",
        )?;
        let Range { start, end } = self.query.period;
        let gaps = select.query_map(params![self.id, start, end], |row| {
            let closed_ms: Option<i64> = row.get(4)?;
            let closed_by: Option<String> = row.get(5)?;
            let accepted_ms: Option<i64> = row.get(6)?;
            let accepted: Option<String> = row.get(7)?;
            Ok(Gap {
                range: row.get(0)?..row.get(1)?,
                opened_ms: row.get(2)?,
                opened_by: row.get(3)?,
                closed: closed_ms.zip(closed_by),
                accepted: accepted_ms.zip(accepted),
            })
        })?;
        gaps.collect()
    }

    /// Adds the repeated numbers and the restarts.
    fn arrivals(&self, db: &Connection, lines: &mut Vec<Line>) -> QueryResult<()> {
        let mut select = db.prepare_cached(
            "SELECT what, start, end, at_ms, file FROM arrival
             WHERE counter = ? AND what IN ('repeated', 'restarted') AND at_ms >= ? AND at_ms < ?
             ORDER BY at_ms, rowid",
        )?;
        let Range { start, end } = self.query.period;
        let found = select.query_map(params![self.id, start, end], |row| {
            let range = row.get(1)?..row.get(2)?;
            let what = match row.get::<_, String>(0)?.as_str() {
                "repeated" => What::Repeated,
                _ if self.counter.number(range.start) == self.counter.from => What::Restarted,
                _ => What::Jumped,
            };
            Ok(Line {
                at: Some(shown(row.get(3)?)),
                file: Some(row.get(4)?),
                ..self.of(what, &range)
            })
        })?;
        for line in found {
            lines.push(line?);
        }
        Ok(())
    }
}

fn unnumbered(db: &Connection, query: &SequenceQuery, lines: &mut Vec<Line>) -> QueryResult<()> {
    let mut select = db.prepare(
        "SELECT network_element, of, count, at_ms, file FROM unnumbered
         WHERE (?1 IS NULL OR network_element = ?1) AND at_ms >= ?2 AND at_ms < ?3
         ORDER BY network_element, at_ms, rowid",
    )?;
    let Range { start, end } = query.period;
    let found = select.query_map(params![query.network_element, start, end], |row| {
        Ok(Line {
            network_element: row.get(0)?,
            of: Subject::of_counter(row.get_ref(1)?.as_str()?),
            what: What::Unnumbered,
            count: row.get(2)?,
            at: Some(shown(row.get(3)?)),
            file: Some(row.get(4)?),
            ..Line::default()
        })
    })?;
    for line in found {
        lines.push(line?);
    }
    Ok(())
}

/// Adds the number of files whose totals agree, and each file whose totals differ.
fn totals(db: &Connection, query: &SequenceQuery, lines: &mut Vec<Line>) -> QueryResult<()> {
    let mut select = db.prepare(
        "SELECT network_element, name, agrees, said, found, at_ms, file, count(*) FROM total
         WHERE (?1 IS NULL OR network_element = ?1) AND at_ms >= ?2 AND at_ms < ?3
         GROUP BY network_element, name, agrees, CASE agrees WHEN 0 THEN rowid END
         ORDER BY network_element, name, agrees DESC, at_ms, rowid",
    )?;
    let Range { start, end } = query.period;
    let found = select.query_map(params![query.network_element, start, end], |row| {
        let line = Line {
            network_element: row.get(0)?,
            of: Subject::Total,
            series: row.get(1)?,
            count: row.get(7)?,
            ..Line::default()
        };
        Ok(match row.get(2)? {
            true => Line { what: What::Agrees, ..line },
            false => Line {
                what: What::Differs,
                first: row.get(3)?,
                last: row.get(4)?,
                at: Some(shown(row.get(5)?)),
                file: Some(row.get(6)?),
                ..line
            },
        })
    })?;
    for line in found {
        lines.push(line?);
    }
    Ok(())
}

/// Returns an error for a flow that counts nothing and never did.
fn counted_at_all(flow: &Path) -> Result<(), JournalError> {
    let was_counted: bool = flow_journal::read(flow, |db| {
        let any = "SELECT EXISTS (SELECT 1 FROM counter) OR EXISTS (SELECT 1 FROM unnumbered)
             OR EXISTS (SELECT 1 FROM total)";
        db.query_row(any, [], |row| row.get(0))
    })?;
    let has_tables = |element: &NetworkElement| !CountedTables::of(&element.tables).is_empty();
    match was_counted || names::elements(flow)?.iter().any(has_tables) {
        true => Ok(()),
        false => Err(JournalError::Uncounted(flow.into())),
    }
}
