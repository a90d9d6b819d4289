//! The commands, one per file. They do not depend on each other, and only this module depends on them.

mod account;
mod action;
mod alarms;
mod archive;
mod asn1;
mod audit;
mod bench;
mod charge;
mod check;
mod completions;
mod deliveries;
mod demo;
mod dup;
mod files;
mod fraud;
mod init;
mod ledger;
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
mod subscriber;
mod suspense;
mod tariff;
mod token;
mod trace;
mod trail;
mod versions;
mod voucher;

use clap::{ArgMatches, Args as _, FromArgMatches as _};

use crate::execute::{Entry, describing, entry};
use crate::outcome::{CommandError, Outcome};
use crate::terminal::Output;

/// What the program does.
const ABOUT: &str = "Collects, decodes and re-encodes the call data records of a telecom network";

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
    entry::<fraud::Fraud>(),
    entry::<action::Action>(),
    entry::<suspense::Suspense>(),
    entry::<trail::Trail>(),
    entry::<people::People>(),
    entry::<token::Token>(),
    entry::<archive::Archive>(),
    entry::<replay::Replay>(),
    entry::<trace::Trace>(),
    entry::<charge::Charge>(),
    entry::<account::Account>(),
    entry::<subscriber::Subscriber>(),
    entry::<voucher::Voucher>(),
    entry::<ledger::Ledger>(),
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
    // The description comes last: the options bring their own.
    Output::augment_args(clap::Command::new("tollgate"))
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Runs the command of a parsed command line.
pub(crate) fn run(line: &ArgMatches) -> Result<Outcome, CommandError> {
    Output::from_arg_matches(line).unwrap_or_else(|error| error.exit()).apply();
    let (name, arguments) = line.subcommand().expect("a command line has a command");
    let named = COMMANDS.iter().find(|entry| (entry.line)().get_name() == name);
    (named.expect("the command line has the commands of this table").run)(arguments, for_users)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands without `--json`, and why.
    const WITHOUT_JSON: [(&str, &str); 15] = [
        ("init", "it writes files"),
        ("processing-process", "the program starts it by itself"),
        ("replay-process", "the program starts it by itself"),
        ("demo", "it shows the account to people; `run --once --json` is for programs"),
        ("suspense edit", "its `--json` is the record that it writes"),
        ("dup run", "it prints records, which are JSON"),
        ("dup explain", "it shows machine code to people"),
        ("dup fmt", "it writes scripts"),
        ("dup lsp", "it speaks the protocol of editors, which is JSON"),
        ("asn1 decode", "it prints records, which are JSON"),
        ("asn1 encode", "it writes records in BER"),
        ("charge traces export", "it writes a file"),
        ("completions", "it writes a script for a shell"),
        ("man", "it writes pages"),
        ("dup bench", "it compares on the machine where it runs, for people"),
    ];

    /// Returns the commands that do something, with their names behind each other.
    fn leaves(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let mut found = Vec::new();
        for of in command.get_subcommands() {
            let name = format!("{name} {}", of.get_name()).trim().to_owned();
            // A command that has a use of its own, beside its subcommands.
            if !of.is_subcommand_required_set() {
                found.push((name.clone(), of.clone()));
            }
            found.extend(leaves(of, &name));
        }
        found
    }

    #[test]
    fn each_command_gives_json_or_says_why_not() {
        let mut without = Vec::new();
        for (name, command) in leaves(&line(), "") {
            let has_flag = command.get_arguments().any(|argument| {
                argument.get_long() == Some("json") && !argument.get_action().takes_values()
            });
            if !has_flag {
                without.push(name);
            }
        }
        without.sort();
        let mut expected = WITHOUT_JSON.map(|(name, _)| name.to_owned());
        expected.sort();
        assert_eq!(without, expected);
    }

    #[test]
    fn the_help_of_each_command_has_an_example_of_it() {
        for (name, command) in leaves(&line(), "") {
            if command.is_hide_set() {
                continue;
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = format!("  tollgate {name}");
            assert!(help.lines().any(|line| line.starts_with(&example)), "{name}: {help:?}");
        }
    }

    #[test]
    fn options_are_the_same_in_each_command() {
        for (name, command) in leaves(&line(), "") {
            for argument in command.get_arguments() {
                let is_other = matches!(argument.get_long(), Some("quiet" | "color"));
                assert!(!is_other, "{name} has its own --{}", argument.get_id());
                assert_ne!(argument.get_short(), Some('q'), "{name}");
            }
        }
    }

    #[test]
    fn the_command_line_is_right() {
        line().debug_assert();
    }
}
