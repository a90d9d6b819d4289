//! `tollgate fraud report`: what was found in a period, and what became of it.

use std::io::Write;

use flow::csv;
use investigation::{ReportBy, ReportRow};
use operate::fraud::ReportFraud;

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, number, text};

/// What a report has a row for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum By {
    Day,
    Hour,
    Rule,
    Element,
    Type,
}

impl From<By> for ReportBy {
    fn from(by: By) -> Self {
        match by {
            By::Day => ReportBy::Day,
            By::Hour => ReportBy::Hour,
            By::Rule => ReportBy::Rule,
            By::Element => ReportBy::Element,
            By::Type => ReportBy::Type,
        }
    }
}

/// Arguments of `tollgate fraud report`.
#[derive(Debug, clap::Args)]
pub(crate) struct Report {
    #[command(flatten)]
    flow: FlowFile,
    /// What there is a row for
    #[arg(long, value_enum, default_value = "day")]
    by: By,
    #[command(flatten)]
    period: Period,
    /// Of this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// CSV, for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 12] = [
    text("of"),
    number("records"),
    number("late"),
    number("alerts"),
    number("shadow"),
    number("points"),
    number("cases"),
    number("fraud"),
    number("not fraud"),
    number("unsure"),
    number("actions"),
    text("node").extra(),
];

const CSV_COLUMNS: &str =
    "of,node,records,late,alerts,shadow,points,cases,fraud,not_fraud,unsure,actions";

impl Report {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Report { flow, by, period, node, csv, json } = self;
        let request = ReportFraud { by: Some(by.into()), period: period.request()?, node };
        let report = perform(&flow, request)?;
        if json {
            json::line(&mut output::lines(), &report)?;
        } else if csv {
            let mut out = output::lines();
            writeln!(out, "{CSV_COLUMNS}")?;
            report.rows.iter().try_for_each(|row| writeln!(out, "{}", csv_line(row)))?;
            out.flush()?;
        } else {
            let mut rows = Rows::begin(false, &COLUMNS);
            report.rows.iter().try_for_each(|of| rows.row(of, row))?;
            rows.row(&ReportRow { of: "all".to_owned(), ..report.total }, row)?;
            rows.end()?;
        }
        Ok(Outcome::Clean)
    }
}

fn row(of: &ReportRow) -> [Cell; 12] {
    let ReportRow { records, late, alerts, shadow, points, cases, .. } = of;
    let ReportRow { fraud, not_fraud, unsure, actions, node, .. } = of;
    [
        cell(&of.of),
        cell_of(*records),
        cell_of(*late),
        cell(alerts),
        cell(shadow),
        cell(points),
        cell(cases),
        cell(fraud),
        cell(not_fraud),
        cell(unsure),
        cell_of(*actions),
        cell(node.as_deref().unwrap_or_default()),
    ]
}

fn csv_line(of: &ReportRow) -> String {
    let known = |count: Option<i64>| count.map_or(String::new(), |count| count.to_string());
    let ReportRow { records, late, alerts, shadow, points, cases, .. } = of;
    let ReportRow { fraud, not_fraud, unsure, actions, node, .. } = of;
    let node = csv::cell(node.as_deref().unwrap_or_default());
    let (records, late, actions) = (known(*records), known(*late), known(*actions));
    let of = csv::cell(&of.of);
    format!(
        "{of},{node},{records},{late},{alerts},{shadow},{points},{cases},{fraud},{not_fraud},{unsure},{actions}"
    )
}
