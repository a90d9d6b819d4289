//! `tollgate man`: manual pages, one for each command, from the definitions that `--help` shows.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, bold, roman};
use diagnostics::counted;

use crate::execute::Describe;
use crate::outcome::{CommandError, Outcome};

/// Write the manual pages, one for each command, into a folder
#[derive(Debug, clap::Parser)]
#[command(
    name = "man",
    after_help = "Example:\n  tollgate man ~/.local/share/man/man1\n  man tollgate-suspense-list"
)]
pub(crate) struct Man {
    /// The folder; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Describe for Man {
    fn run(self, program: clap::Command) -> Result<Outcome, CommandError> {
        let mut program = program.disable_help_subcommand(true);
        program.build();
        let unwritten = |path: &Path, cause| CommandError::WriteFile { path: path.into(), cause };
        fs::create_dir_all(&self.folder).map_err(|cause| unwritten(&self.folder, cause))?;
        let version = program.get_version().unwrap_or_default();
        let source = format!("{} {version}", program.get_name());
        let commands = with_subcommands(&program);
        for command in &commands {
            let page = Page::new((*command).clone()).source(&source).manual("Tollgate manual");
            let path = self.folder.join(page.get_filename());
            let text = text(&page, command)?;
            fs::write(&path, text).map_err(|cause| unwritten(&path, cause))?;
        }
        say!("{} written to \"{}\"", counted(commands.len(), "page"), self.folder.display())?;
        Ok(Outcome::Clean)
    }
}

/// Returns a command, its subcommands and theirs.
fn with_subcommands(command: &clap::Command) -> Vec<&clap::Command> {
    let mut found = vec![command];
    command.get_subcommands().for_each(|subcommand| found.extend(with_subcommands(subcommand)));
    found
}

/// Returns the page of a command, in the format of `man`.
fn text(page: &Page, command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        page.render_options_section(&mut text)?;
    }
    if command.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    environment(command).to_writer(&mut text)?;
    if let Some(help) = command.get_after_help() {
        examples(&help.to_string()).to_writer(&mut text)?;
    }
    Ok(text)
}

/// Returns the section of the environment variables that stand in for arguments. The generator has none.
fn environment(command: &clap::Command) -> Roff {
    let mut roff = Roff::new();
    let variables = command
        .get_arguments()
        .filter_map(|argument| Some((argument.get_env()?.to_str()?, argument.get_help()?)));
    for (place, (variable, help)) in variables.enumerate() {
        if place == 0 {
            roff.control("SH", ["ENVIRONMENT"]);
        }
        roff.control("TP", []).text([bold(variable)]).text([roman(help.to_string())]);
    }
    roff
}

/// Returns the section of the lines behind "Example:" in a help text. The generator's own section would be called
/// "EXTRA", and would run the lines together.
fn examples(help: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in help.lines().skip(1) {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
    roff
}
