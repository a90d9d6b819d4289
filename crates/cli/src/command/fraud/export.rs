//! `tollgate fraud export`: what was found in a period, as files for the programs of analysts.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use flow::csv;
use investigation::{FoundAlert, FraudCase, HourCounts};
use operate::fraud::export::{ExportFraudError, FraudData, IndexedRecord};
use runtime::shutdown::Shutdown;
use runtime::time::{moment, shown};
use serde_json::json;
use table_file::{Column, Kind, Value, column};

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::within;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;

/// Arguments of `tollgate fraud export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Exported {
    #[command(flatten)]
    flow: FlowFile,
    #[command(flatten)]
    period: Period,
    /// The folder of the files, which is made
    #[arg(long, value_name = "DIR")]
    to_dir: PathBuf,
    /// CSV files, in place of Parquet files
    #[arg(long)]
    csv: bool,
    /// With the keys, and with texts that may name some: otherwise there are digests
    #[arg(long)]
    keys: bool,
    /// One JSON object with the files and their rows
    #[arg(long)]
    json: bool,
}

const ALERTS: [Column; 18] = [
    column("id", Kind::Number),
    column("at", Kind::Time),
    column("node", Kind::Text),
    column("rule", Kind::Text),
    column("rule_version", Kind::Text),
    column("fraud_type", Kind::Text),
    column("subject", Kind::Text),
    column("key_digest", Kind::Text),
    column("key", Kind::Text),
    column("score", Kind::Number),
    column("severity", Kind::Text),
    column("shadow", Kind::Flag),
    column("fraud_case", Kind::Number),
    column("condition", Kind::Text),
    column("job", Kind::Number),
    column("network_element", Kind::Text),
    column("file", Kind::Text),
    column("record", Kind::Number),
];

const CASES: [Column; 17] = [
    column("id", Kind::Number),
    column("opened", Kind::Time),
    column("first", Kind::Time),
    column("last", Kind::Time),
    column("node", Kind::Text),
    column("subject", Kind::Text),
    column("key_digest", Kind::Text),
    column("key", Kind::Text),
    column("score", Kind::Number),
    column("severity", Kind::Text),
    column("alerts", Kind::Number),
    column("rules", Kind::Text),
    column("fraud_types", Kind::Text),
    column("decision", Kind::Text),
    column("decided", Kind::Time),
    column("decided_by", Kind::Text),
    column("reason", Kind::Text),
];

const HOURS: [Column; 10] = [
    column("hour", Kind::Time),
    column("node", Kind::Text),
    column("network_element", Kind::Text),
    column("rule", Kind::Text),
    column("fraud_type", Kind::Text),
    column("records", Kind::Number),
    column("late", Kind::Number),
    column("alerts", Kind::Number),
    column("shadow", Kind::Number),
    column("points", Kind::Number),
];

const RECORDS: [Column; 8] = [
    column("at", Kind::Time),
    column("node", Kind::Text),
    column("subject", Kind::Text),
    column("key_digest", Kind::Text),
    column("job", Kind::Number),
    column("network_element", Kind::Text),
    column("file", Kind::Text),
    column("record", Kind::Number),
];

impl Exported {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Exported { flow, period, to_dir, csv, keys, json } = self;
        if !csv && !cfg!(feature = "parquet") {
            let message = "this tollgate is built without Parquet: write --csv, or build it with --features parquet";
            return Err(CommandError::Mistakes(message.into()));
        }
        let period = period.request()?;
        let unwritten = |cause| CommandError::Write(cause);
        // It may have subscriber data: it is for its owner alone.
        DirBuilder::new().recursive(true).mode(0o700).create(&to_dir).map_err(unwritten)?;
        let files = within(&flow, Shutdown::default(), |context| {
            let data = FraudData::of(context, period, keys)?;
            let folder = Folder { path: &to_dir, is_csv: csv };
            let key_of = |key: &str| keys.then(|| key.to_owned());
            Ok::<_, ExportFraudError>([
                folder.file("alerts", &ALERTS, |rows| {
                    data.each_alert(&mut |of| {
                        let (digest, key) = (data.digest(&of.key), key_of(&of.key));
                        rows.row(of_alert(of, digest, key))
                    })
                })?,
                folder.file("cases", &CASES, |rows| {
                    data.each_case(&mut |of| {
                        let (digest, key) = (data.digest(&of.key), key_of(&of.key));
                        rows.row(of_case(of, digest, key))
                    })
                })?,
                folder.file("hours", &HOURS, |rows| {
                    data.each_hour(&mut |of| rows.row(of_hour(of)))
                })?,
                folder.file("records", &RECORDS, |rows| {
                    data.each_record(&mut |of| rows.row(of_record(of)))
                })?,
            ])
        });
        let files =
            files.map_err(|error| CommandError::Mistakes(diagnostics::with_causes(&error)))?;
        if json {
            let files = files.map(|(path, rows)| json!({"file": path, "rows": rows}));
            json::line(&mut output::lines(), &json!({"files": files}))?;
        } else {
            for (path, rows) in files {
                say!("{}: {rows} rows", path.display())?;
            }
        }
        Ok(Outcome::Clean)
    }
}

/// The folder of the files.
struct Folder<'f> {
    path: &'f Path,
    is_csv: bool,
}

impl Folder<'_> {
    /// Writes a file. Returns its path, and how many rows it has.
    fn file(
        &self,
        name: &str,
        columns: &[Column],
        write: impl FnOnce(&mut RowsFile) -> Result<(), ExportFraudError>,
    ) -> Result<(PathBuf, u64), ExportFraudError> {
        let ending = if self.is_csv { "csv" } else { "parquet" };
        let path = self.path.join(name).with_extension(ending);
        let mut rows = RowsFile { sink: Sink::create(&path, columns, self.is_csv)?, rows: 0 };
        write(&mut rows)?;
        let count = rows.rows;
        rows.sink.end()?;
        Ok((path, count))
    }
}

/// A file of rows that is written.
struct RowsFile {
    sink: Sink,
    rows: u64,
}

impl RowsFile {
    fn row(&mut self, row: Vec<Value>) -> io::Result<()> {
        self.rows += 1;
        self.sink.row(row)
    }
}

/// Creates a file that its owner alone may read, or replaces one.
fn created(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

enum Sink {
    Csv {
        out: BufWriter<File>,
        kinds: Vec<Kind>,
    },
    #[cfg(feature = "parquet")]
    Parquet(table_file::ParquetFile),
}

impl Sink {
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "there is CSV alone"))]
    fn create(path: &Path, columns: &[Column], is_csv: bool) -> io::Result<Self> {
        #[cfg(feature = "parquet")]
        if !is_csv {
            let file = table_file::ParquetFile::begin(created(path)?, columns);
            let file = file.map_err(io::Error::other)?;
            return Ok(Sink::Parquet(file));
        }
        let mut out = BufWriter::new(created(path)?);
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        write!(out, "{}\r\n", names.join(","))?;
        Ok(Sink::Csv { out, kinds: columns.iter().map(|column| column.kind).collect() })
    }

    fn row(&mut self, row: Vec<Value>) -> io::Result<()> {
        match self {
            Sink::Csv { out, kinds } => {
                let cells: Vec<String> = row
                    .into_iter()
                    .zip(kinds)
                    .map(|(value, kind)| csv_cell(value, *kind))
                    .collect();
                write!(out, "{}\r\n", cells.join(","))
            }
            #[cfg(feature = "parquet")]
            Sink::Parquet(file) => file.row(row).map_err(io::Error::other),
        }
    }

    fn end(self) -> io::Result<()> {
        match self {
            Sink::Csv { out, .. } => out.into_inner()?.sync_all(),
            #[cfg(feature = "parquet")]
            Sink::Parquet(file) => file.end().map_err(io::Error::other),
        }
    }
}

fn csv_cell(value: Value, kind: Kind) -> String {
    match (value, kind) {
        (Value::Absent, _) => String::new(),
        (Value::Number(ms), Kind::Time) => shown(ms),
        (Value::Number(number), _) => number.to_string(),
        (Value::Flag(flag), _) => flag.to_string(),
        (Value::Text(text), _) => csv::cell(&text),
    }
}

/// Returns a time that is shown as text.
fn time(text: &str) -> Value {
    moment(text).ok().into()
}

fn of_alert(of: FoundAlert, key_digest: String, key: Option<String>) -> Vec<Value> {
    vec![
        of.id.into(),
        time(&of.at),
        of.node.into(),
        of.rule.into(),
        of.rule_version.into(),
        of.fraud_type.into(),
        of.subject.into(),
        key_digest.into(),
        key.into(),
        i64::from(of.score).into(),
        of.severity.into(),
        of.shadow.into(),
        of.case.into(),
        of.condition.into(),
        of.job.into(),
        of.network_element.into(),
        of.file.into(),
        of.record.into(),
    ]
}

fn of_case(of: FraudCase, key_digest: String, key: Option<String>) -> Vec<Value> {
    vec![
        of.id.into(),
        time(&of.opened),
        time(&of.first),
        time(&of.last),
        of.node.into(),
        of.subject.into(),
        key_digest.into(),
        key.into(),
        i64::from(of.score).into(),
        of.severity.into(),
        i64::from(of.alerts).into(),
        of.rules.join(" ").into(),
        of.fraud_types.join(" ").into(),
        of.decision.into(),
        of.decided.as_deref().map_or(Value::Absent, time),
        of.decided_by.into(),
        of.reason.into(),
    ]
}

fn of_hour(of: HourCounts) -> Vec<Value> {
    vec![
        of.hour_ms.into(),
        of.node.into(),
        of.network_element.into(),
        of.rule.into(),
        of.fraud_type.into(),
        of.records.into(),
        of.late.into(),
        of.alerts.into(),
        of.shadow.into(),
        of.points.into(),
    ]
}

fn of_record(of: IndexedRecord) -> Vec<Value> {
    let (network_element, file) = of.file.unzip();
    vec![
        of.at_ms.into(),
        of.node.into(),
        of.subject.into(),
        of.key_digest.into(),
        of.job.into(),
        network_element.into(),
        file.into(),
        of.record.into(),
    ]
}
