//! The commands.

mod again;
mod alarms;
mod archive;
mod asn1;
mod audit;
mod bench;
mod check;
mod deliveries;
mod demo;
mod dup;
mod init;
mod matching;
mod processing_process;
mod reload;
mod replay;
mod replay_process;
mod run;
mod sequence;
mod serve;
mod simulate;
mod suspense;
mod tariff;
mod trace;
mod trail;

use crate::outcome::{CommandError, Outcome};

/// The commands.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Write an example flow with simulated records into a new folder
    #[command(after_help = "Example:\n  tollgate init my-flow")]
    Init(init::Init),
    /// Run a flow: collect, decode, encode and deliver files
    #[command(after_help = "Example:\n  tollgate run flow.toml --once")]
    Run(run::Run),
    /// Run a flow as "run" does, and serve its interface for a browser: the graph, scripts, records, alarms; and figures
    ///
    /// The first start prints a link by which the first administrator comes in. Programs ask the same address: the API is
    /// described there, and /healthz, /readyz and /metrics say how the gateway is.
    #[command(after_help = "Example:\n  tollgate serve flow.toml --listen 127.0.0.1:8080")]
    Serve(serve::Serve),
    /// Process files for a gateway, which starts this itself
    #[command(hide = true)]
    ProcessingProcess(processing_process::ProcessingProcess),
    /// Try a change on files for a gateway, which starts this itself
    #[command(hide = true)]
    ReplayProcess(replay_process::ReplayProcess),
    /// Have a running gateway look at its flow now: what changed runs, or its mistakes are shown
    #[command(after_help = "Example:\n  tollgate reload flow.toml")]
    Reload(reload::Reload),
    /// List what is wrong with a gateway: silent network elements, missing files, repeated numbers
    #[command(after_help = "Example:\n  tollgate alarms flow.toml --all")]
    Alarms(alarms::Alarms),
    /// See to the files that are on their way to receivers
    #[command(subcommand)]
    Deliveries(deliveries::Deliveries),
    /// Report which files and records of network elements came, and which are missing
    #[command(
        after_help = "Example:\n  tollgate sequence flow.toml --from 2026-11-01 --to 2026-12-01"
    )]
    Sequence(sequence::Sequence),
    /// Let files that were processed come again, for a reason: they are no duplicates then
    #[command(
        after_help = "Example:\n  tollgate again flow.toml --file boston-00001.ber --because \"a new receiver\""
    )]
    Again(again::Again),
    /// Prove that all that came in is accounted for, record by record and sum by sum
    #[command(
        after_help = "Example:\n  tollgate audit flow.toml --from 2026-11-01 --to 2026-12-01 --csv"
    )]
    Audit(audit::Audit),
    /// Show and end the groups of records that wait for others
    #[command(subcommand)]
    Matching(matching::Matching),
    /// See to the records that were set aside
    #[command(subcommand)]
    Suspense(suspense::Suspense),
    /// Show what people did to records that were set aside, and why
    #[command(after_help = "Example:\n  tollgate trail flow.toml --json")]
    Trail(trail::Trail),
    /// See to the archive of collected files
    #[command(subcommand)]
    Archive(archive::Archive),
    /// Show what a changed flow, script, module or tariff would change, on files that came already
    #[command(
        after_help = "Example:\n  tollgate replay flow.toml --from 2026-11-21 --to 2026-11-22 --with new/is_roaming.dup"
    )]
    Replay(replay::Replay),
    /// Find the way of a record: from a line of an output back to its octets, and on to all that was made of it
    #[command(
        after_help = "Examples:\n  tollgate trace flow.toml --output roaming-partner-boston-00001.csv --record 17\n  \
                      tollgate trace flow.toml --file boston-00001.ber --offset 4711 --json\n  \
                      tollgate trace flow.toml --where \"record.callDuration > 600\" --file \"boston-*.ber\""
    )]
    Trace(trace::Trace),
    /// Run simulated files with known faults through a flow and check the account
    #[command(after_help = "Example:\n  tollgate demo /tmp/tollgate-demo")]
    Demo(demo::Demo),
    /// Report every mistake of flow files, scripts and modules
    #[command(after_help = "Example:\n  tollgate check flow.toml scripts/*.dup asn1/*.asn1")]
    Check(check::Check),
    /// Run, test and format scripts in the DUP language
    #[command(subcommand)]
    Dup(dup::Dup),
    /// Check tariff plans, and explain prices
    #[command(subcommand)]
    Tariff(tariff::Tariff),
    /// Work with ASN.1 modules and the records they describe
    #[command(subcommand)]
    Asn1(asn1::Asn1),
    /// Measure how fast this machine does Tollgate's work
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Make workloads with known contents
    #[command(subcommand)]
    Simulate(simulate::Simulate),
}

impl Command {
    /// Whether it says itself where the log goes: a gateway, what is part of one, and who listens to one; or there is none,
    /// since a flow that is only tried warns nobody.
    pub(crate) fn has_own_log(&self) -> bool {
        matches!(
            self,
            Command::Run(_)
                | Command::Replay(_)
                | Command::Serve(_)
                | Command::ProcessingProcess(_)
                | Command::ReplayProcess(_)
                | Command::Bench(bench::Bench::Scaling(_) | bench::Bench::Transport(_))
        )
    }

    /// Does what was asked.
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Command::Init(command) => command.run(),
            Command::Dup(command) => command.run(),
            Command::Run(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::ProcessingProcess(command) => command.run(),
            Command::ReplayProcess(command) => command.run(),
            Command::Reload(command) => command.run(),
            Command::Alarms(command) => command.run(),
            Command::Deliveries(command) => command.run(),
            Command::Sequence(command) => command.run(),
            Command::Again(command) => command.run(),
            Command::Audit(command) => command.run(),
            Command::Matching(command) => command.run(),
            Command::Suspense(command) => command.run(),
            Command::Trail(command) => command.run(),
            Command::Archive(command) => command.run(),
            Command::Replay(command) => command.run(),
            Command::Trace(command) => command.run(),
            Command::Demo(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Tariff(command) => command.run(),
            Command::Asn1(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Simulate(command) => command.run(),
        }
    }
}
