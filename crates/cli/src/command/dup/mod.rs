//! `tollgate dup`: run, test and format scripts.

mod bench;
mod call;
#[cfg(feature = "disassembler")]
mod disassemble;
#[cfg(feature = "disassembler")]
mod explain;
mod fmt;
mod lsp;
mod run;
mod test;

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};

/// Run, test and format scripts in the DUP language
#[derive(Debug, clap::Parser)]
#[command(name = "dup")]
pub(crate) enum Dup {
    /// Run a script on records and show the results
    #[command(
        after_help = "Example:\n  tollgate dup run scripts/home_v8.dup --record calls.jsonl\n\nRecords are JSON (X.697), one a line, or BER where the file's name does not end with .json or .jsonl."
    )]
    Run(run::RunScript),
    /// Run the tests in scripts
    #[command(after_help = "Example:\n  tollgate dup test scripts/*.dup")]
    Test(test::Test),
    /// Say how long a function takes for a record, interpreted and in machine code
    #[command(
        after_help = "Example:\n  tollgate dup bench scripts/home_v8.dup --record in/boston/boston-00002.ber"
    )]
    Bench(bench::Bench),
    /// Show what becomes of each line: instructions over registers, and machine code
    #[cfg(feature = "disassembler")]
    #[command(
        after_help = "Example:\n  tollgate dup explain scripts/is_billable.dup --function isBillable"
    )]
    Explain(explain::ExplainCode),
    /// Format scripts
    #[command(after_help = "Example:\n  tollgate dup fmt scripts/*.dup")]
    Fmt(fmt::Fmt),
    /// Help an editor with scripts: a server of the Language Server Protocol on standard input and output
    #[command(
        after_help = "Example, as an editor starts it:\n  tollgate dup lsp\n\nA client may name modules in its initializationOptions too: {\"modules\": [\"asn1/msc.asn1\"]} or\n{\"flow\": \"flow.toml\"}, relative to its root."
    )]
    Lsp(lsp::Lsp),
}

impl Execute for Dup {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Dup::Run(command) => command.run(),
            Dup::Test(command) => command.run(),
            Dup::Bench(command) => command.run(),
            #[cfg(feature = "disassembler")]
            Dup::Explain(command) => command.run(),
            Dup::Fmt(command) => command.run(),
            Dup::Lsp(command) => command.run(),
        }
    }
}
