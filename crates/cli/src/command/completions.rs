//! `tollgate completions`: what a shell needs to complete commands and options.

use std::io::{self, Write as _};

use clap::ValueEnum;

use crate::execute::Describe;
use crate::outcome::{CommandError, Outcome};

/// Write the completions of commands, options and files for a shell to standard output
#[derive(Debug, clap::Parser)]
#[command(
    name = "completions",
    after_help = "Examples:\n  \
                  tollgate completions bash > ~/.local/share/bash-completion/completions/tollgate\n  \
                  tollgate completions zsh > ~/.zfunc/_tollgate\n  \
                  tollgate completions fish > ~/.config/fish/completions/tollgate.fish"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// A shell that completes commands.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Returns a command without its hidden options, which the generators would offer.
fn visible(command: &clap::Command) -> clap::Command {
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let about = command.get_about().cloned().unwrap_or_default();
    let visible = clap::Command::new(command.get_name().to_owned())
        .about(about)
        .args(shown.cloned())
        .subcommands(command.get_subcommands().map(visible));
    match command.get_version() {
        Some(version) => visible.version(version.to_owned()),
        None => visible,
    }
}

impl Describe for Completions {
    fn run(self, program: clap::Command) -> Result<Outcome, CommandError> {
        let mut program = visible(&program);
        let name = program.get_name().to_owned();
        let mut script = Vec::new();
        let generator = match self.shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        };
        clap_complete::generate(generator, &mut program, name, &mut script);
        io::stdout().write_all(&script)?;
        Ok(Outcome::Clean)
    }
}
