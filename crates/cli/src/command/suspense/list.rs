//! `tollgate suspense list`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use flow::Suspended;

use super::{CommandError, Outcome};

/// Arguments of `tollgate suspense list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The flow file
    #[arg(default_value = "flow.toml")]
    flow: PathBuf,
    /// One JSON object a line, with the octets
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let mut out = BufWriter::new(io::stdout().lock());
        let mut written = Ok(());
        flow::suspended(&self.flow, |record| {
            if written.is_ok() {
                written = match self.json {
                    true => writeln!(
                        out,
                        "{}",
                        serde_json::to_string(&record).expect("numbers and text")
                    ),
                    false => line(&mut out, &record),
                };
            }
        })
        .map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
        written.and_then(|()| out.flush())?;
        Ok(Outcome::Clean)
    }
}

fn line(out: &mut impl Write, suspended: &Suspended) -> io::Result<()> {
    let Suspended { id, since, network_element, file, record, offset, node, reason, .. } =
        suspended;
    let at = if node.is_empty() { String::new() } else { format!("{node}: ") };
    writeln!(
        out,
        "{id:>6}  {since}  {network_element}/{file}  record {record} at {offset}  {at}{reason}"
    )
}
