//! The text format of Prometheus, version 0.0.4: families of samples, each with its labels.

use std::fmt::Write as _;

/// The content type of an answer.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The type of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FamilyType {
    /// It only grows, until the gateway restarts.
    Counter,
    Gauge,
    Histogram,
}

/// The text as written so far.
#[derive(Debug, Default)]
pub(crate) struct MetricsText(String);

/// Names and values of the labels of a sample.
pub(crate) type Labels<'l> = &'l [(&'l str, &'l str)];

impl MetricsText {
    /// Begins a family. Its samples follow.
    pub(crate) fn family(&mut self, name: &str, sort: FamilyType, help: &str) {
        let sort = match sort {
            FamilyType::Counter => "counter",
            FamilyType::Gauge => "gauge",
            FamilyType::Histogram => "histogram",
        };
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {sort}");
    }

    /// Writes a sample of the family.
    pub(crate) fn sample(&mut self, name: &str, labels: Labels<'_>, value: f64) {
        self.0.push_str(name);
        for (place, (label, value)) in labels.iter().enumerate() {
            self.0.push(if place == 0 { '{' } else { ',' });
            let _ = write!(self.0, "{label}=\"{}\"", escaped(value));
        }
        self.0.push_str(if labels.is_empty() { " " } else { "} " });
        let _ = writeln!(self.0, "{value}");
    }

    /// Writes a family with one sample.
    pub(crate) fn one(&mut self, name: &str, sort: FamilyType, help: &str, value: f64) {
        self.family(name, sort, help);
        self.sample(name, &[], value);
    }

    pub(crate) fn end(self) -> String {
        self.0
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_has_in_it_ends_no_label() {
        let mut text = MetricsText::default();
        text.family("files_total", FamilyType::Counter, "Files.");
        text.sample("files_total", &[("element", "a\"}\\\n1"), ("outcome", "done")], 2.0);
        text.one("seconds", FamilyType::Gauge, "Seconds.", 0.5);
        assert_eq!(
            text.end(),
            "# HELP files_total Files.\n# TYPE files_total counter\n\
             files_total{element=\"a\\\"}\\\\\\n1\",outcome=\"done\"} 2\n\
             # HELP seconds Seconds.\n# TYPE seconds gauge\nseconds 0.5\n"
        );
    }
}
