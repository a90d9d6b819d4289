//! The commands, one per file. They do not depend on each other, and only this module depends on them.

mod alarms;
mod archive;
mod asn1;
mod audit;
mod bench;
mod check;
mod completions;
mod deliveries;
mod demo;
mod dup;
mod files;
mod init;
mod man;
mod matching;
mod people;
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
mod token;
mod trace;
mod trail;
mod versions;

use clap::ArgMatches;

use crate::execute::{Entry, describing, entry};
use crate::outcome::{CommandError, Outcome};

/// The commands, in the order in which `tollgate --help` lists them.
const COMMANDS: &[Entry] = &[
    entry::<init::Init>(),
    entry::<run::Run>(),
    entry::<serve::Serve>(),
    entry::<processing_process::ProcessingProcess>(),
    entry::<replay_process::ReplayProcess>(),
    entry::<reload::Reload>(),
    entry::<versions::Versions>(),
    entry::<alarms::Alarms>(),
    entry::<deliveries::Deliveries>(),
    entry::<sequence::Sequence>(),
    entry::<files::Files>(),
    entry::<files::Again>(),
    entry::<audit::Audit>(),
    entry::<matching::Matching>(),
    entry::<suspense::Suspense>(),
    entry::<trail::Trail>(),
    entry::<people::People>(),
    entry::<token::Token>(),
    entry::<archive::Archive>(),
    entry::<replay::Replay>(),
    entry::<trace::Trace>(),
    entry::<demo::Demo>(),
    entry::<check::Check>(),
    entry::<dup::Dup>(),
    entry::<tariff::Tariff>(),
    entry::<asn1::Asn1>(),
    entry::<::bench::Bench>(),
    entry::<simulate::Simulate>(),
    describing::<completions::Completions>(),
    describing::<man::Man>(),
];

/// Returns the command line of the program.
pub(crate) fn line() -> clap::Command {
    program().subcommands(COMMANDS.iter().map(|entry| (entry.line)()))
}

/// Returns the command line without the commands by which the program starts itself.
fn for_users() -> clap::Command {
    let commands = COMMANDS.iter().map(|entry| (entry.line)());
    program().subcommands(commands.filter(|command| !command.is_hide_set()))
}

/// Returns the command line without its commands.
fn program() -> clap::Command {
    clap::Command::new("tollgate")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Collects, decodes and re-encodes the call data records of a telecom network")
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Runs the command of a parsed command line.
pub(crate) fn run(line: &ArgMatches) -> Result<Outcome, CommandError> {
    let (name, arguments) = line.subcommand().expect("a command line has a command");
    let named = COMMANDS.iter().find(|entry| (entry.line)().get_name() == name);
    (named.expect("the command line has the commands of this table").run)(arguments, for_users)
}
