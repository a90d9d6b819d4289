//! The table of counters: of which kind each is.
//!
//! ```csv
//! counter,kind,bits,objects,time
//! ifInOctets,cumulative,64,,
//! pmRadioThp*,gauge,,mean,max
//! ```
//!
//! A counter that no row is about is a count of its period, which most are.

use std::collections::HashMap;
use std::sync::Arc;

use cells::{Cell, Table};
use diagnostics::{Diagnostic, Source, did_you_mean};

use super::{Combining, Width};

/// What the readings of a counter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What was counted in the period.
    Period,
    /// A count that runs on over periods.
    Cumulative {
        /// How many bits it has, if it is known where it wraps.
        width: Option<Width>,
    },
    /// A state, such as a number of users.
    Gauge,
}

/// What is known of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What its readings are.
    pub kind: Kind,
    /// How values of objects become that of their parent.
    pub objects: Combining,
    /// How values of periods become that of a longer one.
    pub time: Combining,
}

/// What is known of counters, by their names.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    named: HashMap<String, Counter>,
    /// Counters that begin with a text.
    begun: HashMap<String, Counter>,
    /// The lengths of these texts in octets, the longest first.
    lengths: Vec<usize>,
}

const KINDS: [&str; 3] = ["period", "cumulative", "gauge"];

impl Counter {
    /// Returns a counter of a kind. Values of gauges become their mean, all others their sum.
    pub fn new(kind: Kind) -> Counter {
        let combining = match kind {
            Kind::Gauge => Combining::Mean,
            Kind::Period | Kind::Cumulative { .. } => Combining::Sum,
        };
        Counter { kind, objects: combining, time: combining }
    }
}

impl Counters {
    /// Reads a table with the columns `counter`, `kind`, `bits`, `objects` and `time`, of which the last three may be missing.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn read(source: &Arc<Source>) -> Result<Counters, Vec<Diagnostic>> {
        let mut reading = Reading { source, mistakes: Vec::new() };
        let mut counters = Counters::default();
        let mut lines: HashMap<String, u32> = HashMap::new();
        let columns = ["counter", "kind", "bits?", "objects?", "time?"];
        if let Some(mut table) = Table::open(source, columns, &mut reading.mistakes) {
            while let Some(row) = table.next(&mut reading.mistakes) {
                let [name, ..] = &row.cells;
                let counter = reading.counter(&row.cells);
                if !reading.is_name(name) {
                    continue;
                }
                if let Some(line) = lines.insert(name.text.to_string(), row.line) {
                    let message = format!("\"{}\" stands there twice", name.text);
                    reading.wrong(name, message, format!("it is on line {line} too"));
                    continue;
                }
                match name.text.strip_suffix('*') {
                    Some(begin) => counters.begun.insert(begin.to_owned(), counter),
                    None => counters.named.insert(name.text.to_string(), counter),
                };
            }
        }
        counters.lengths = counters.begun.keys().map(String::len).collect();
        counters.lengths.sort_unstable_by(|left, right| right.cmp(left));
        counters.lengths.dedup();
        if reading.mistakes.is_empty() { Ok(counters) } else { Err(reading.mistakes) }
    }

    /// Returns what is known of a counter: of the row with its name, or else of the row with the longest beginning of it.
    pub fn of(&self, name: &str) -> Counter {
        let begun = || {
            let begins = self.lengths.iter().filter_map(|length| name.get(..*length));
            begins.filter_map(|begin| self.begun.get(begin)).next()
        };
        let known = self.named.get(name).or_else(begun);
        known.copied().unwrap_or(Counter::new(Kind::Period))
    }
}

struct Reading<'r> {
    source: &'r Arc<Source>,
    mistakes: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn is_name(&mut self, cell: &Cell<'_>) -> bool {
        let name = cell.text.strip_suffix('*').unwrap_or(&cell.text);
        if cell.text.is_empty() {
            self.wrong(cell, "a row has the name of a counter", "write * for all counters");
        } else if name.contains('*') {
            self.wrong(
                cell,
                "a * stands only at the end of a name",
                "write pmRadio* for all that begin so",
            );
        } else {
            return true;
        }
        false
    }

    fn counter(&mut self, [_, kind, bits, objects, time]: &[Cell<'_>; 5]) -> Counter {
        let width = self.width(bits);
        let found = match &*kind.text {
            "" | "period" => Kind::Period,
            "cumulative" => Kind::Cumulative { width },
            "gauge" => Kind::Gauge,
            _ => {
                self.unknown(kind, "kind of counters", &KINDS);
                // Its bits may be right.
                Kind::Cumulative { width }
            }
        };
        if width.is_some() && !matches!(found, Kind::Cumulative { .. }) {
            let message = "only a counter that runs on has bits";
            self.wrong(bits, message, "remove them, or write the kind cumulative");
        }
        let usual = Counter::new(found);
        Counter {
            kind: found,
            objects: self.combining(objects).unwrap_or(usual.objects),
            time: self.combining(time).unwrap_or(usual.time),
        }
    }

    fn width(&mut self, cell: &Cell<'_>) -> Option<Width> {
        let width = cell.text.parse().ok().and_then(Width::new);
        if width.is_none() && !cell.text.is_empty() {
            let message = format!("\"{}\" is no number of bits", cell.text);
            self.wrong(cell, message, "write a number from 8 to 64, such as 32");
        }
        width
    }

    fn combining(&mut self, cell: &Cell<'_>) -> Option<Combining> {
        let known = Combining::NAMES.iter().find(|(name, _)| *name == cell.text);
        if known.is_none() && !cell.text.is_empty() {
            let names = Combining::NAMES.map(|(name, _)| name);
            self.unknown(cell, "combination of values", &names);
        }
        known.map(|(_, combining)| *combining)
    }

    fn unknown(&mut self, cell: &Cell<'_>, what: &str, names: &[&str]) {
        let hint = did_you_mean(&cell.text, names.iter().copied());
        let hint = hint.unwrap_or_else(|| format!("write {}", names.join(", ")));
        self.wrong(cell, format!("no {what} is called \"{}\"", cell.text), hint);
    }

    fn wrong(&mut self, cell: &Cell<'_>, message: impl Into<String>, hint: impl Into<String>) {
        self.mistakes.push(Diagnostic::error(self.source, cell.span, message).hint(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Counters, Vec<Diagnostic>> {
        Counters::read(&Source::new("counters.csv", text))
    }

    #[test]
    fn a_counter_is_what_its_row_says_and_a_count_of_the_period_without_one() {
        let counters = read(
            "counter,kind,bits,objects,time\n\
             # octets of interfaces\n\
             ifInOctets,cumulative,64,,\n\
             uptime,cumulative,,max,\n\
             users,gauge,,sum,max\n\
             load,gauge,,,\n\
             worst,,,max,max\n",
        )
        .unwrap();
        let of = |kind, objects, time| Counter { kind, objects, time };
        let width = Width::new(64);
        for (name, expected) in [
            ("ifInOctets", of(Kind::Cumulative { width }, Combining::Sum, Combining::Sum)),
            ("uptime", of(Kind::Cumulative { width: None }, Combining::Max, Combining::Sum)),
            ("users", of(Kind::Gauge, Combining::Sum, Combining::Max)),
            ("load", of(Kind::Gauge, Combining::Mean, Combining::Mean)),
            ("worst", of(Kind::Period, Combining::Max, Combining::Max)),
            ("other", of(Kind::Period, Combining::Sum, Combining::Sum)),
        ] {
            assert_eq!(counters.of(name), expected, "{name}");
        }
        assert_eq!(Counters::default().of("any"), Counter::new(Kind::Period));
    }

    #[test]
    fn the_longest_beginning_of_a_name_wins_and_the_name_itself_before_it() {
        let counters = read(
            "counter,kind\n*,gauge\npm*,period\npmÅ*,gauge\npmRadio,gauge\npmRadio*,cumulative\n",
        )
        .unwrap();
        let kind = |name: &str| counters.of(name).kind;
        assert_eq!(kind("if"), Kind::Gauge);
        assert_eq!((kind("pm"), kind("pmOther")), (Kind::Period, Kind::Period));
        assert_eq!((kind("pmÅ"), kind("pmÄ")), (Kind::Gauge, Kind::Period));
        assert_eq!(kind("pmRadio"), Kind::Gauge);
        assert_eq!(kind("pmRadioThp"), Kind::Cumulative { width: None });
        assert_eq!(kind(""), Kind::Gauge);
    }

    #[test]
    fn all_mistakes_have_their_places() {
        let text = "counter,kind,bits,objects,time\n\
                    a,gaug,,,\n\
                    b,cumulative,7,,\n\
                    c,gauge,32,average,maximum\n\
                    ,period,,,\n\
                    d*e,period,,,\n\
                    f*,period,,,\n\
                    f*,period,,,\n\
                    g,period\n";
        let found: Vec<String> = read(text)
            .unwrap_err()
            .iter()
            .map(|mistake| {
                format!("{} ({})", mistake.line(), mistake.hint.as_deref().unwrap_or(""))
            })
            .collect();
        let expected = [
            "2:3: no kind of counters is called \"gaug\" (did you mean \"gauge\"?)",
            "3:14: \"7\" is no number of bits (write a number from 8 to 64, such as 32)",
            "4:9: only a counter that runs on has bits (remove them, or write the kind cumulative)",
            "4:12: no combination of values is called \"average\" (write sum, mean, min, max)",
            "4:20: no combination of values is called \"maximum\" (write sum, mean, min, max)",
            "5:1: a row has the name of a counter (write * for all counters)",
            "6:1: a * stands only at the end of a name (write pmRadio* for all that begin so)",
            "8:1: \"f*\" stands there twice (it is on line 7 too)",
            "9:1: this line has 2 cells, the first line has 5 ()",
        ];
        assert_eq!(found, expected.map(|line| format!("counters.csv:{line}")));
        for (text, expected) in [
            ("", "1:1: this table is empty"),
            ("counter,bits\n", "1:1: this table has no column \"kind\""),
        ] {
            let mistakes = read(text).unwrap_err();
            assert_eq!(mistakes[0].line(), format!("counters.csv:{expected}"));
        }
    }
}
