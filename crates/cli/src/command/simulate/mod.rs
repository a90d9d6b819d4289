//! `tollgate simulate`: makes workloads with known contents.

mod calls;
mod cdr;
mod diameter;
mod fraud;
mod fronts;
mod population;

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};

/// Make workloads with known contents
#[derive(Debug, clap::Parser)]
#[command(name = "simulate")]
pub(crate) enum Simulate {
    /// Write files of call data records, and beside each what a right gateway must find in it
    #[command(after_help = "Example:\n  tollgate simulate cdr --count 10000 --flipped 0.001 in/")]
    Cdr(cdr::Cdr),
    /// Make calls of prepaid subscribers against a charging system, and check each answer and each balance
    #[command(
        after_help = "Examples:\n  tollgate simulate calls --first-number 46701000000 --subscribers 1000 --attempts 20000 \\\n      \
                      --second 0.01 --url http://127.0.0.1:8090\n  tollgate simulate calls --charging charging.toml"
    )]
    Calls(calls::Calls),
    /// Be clients of Diameter on many connections, and check each answer and what is charged in the end
    #[command(
        after_help = "Examples:\n  tollgate simulate diameter 127.0.0.1:3868 --charging charging.toml\n  \
                      tollgate simulate diameter 127.0.0.1:3868 --connections 50 --depth 32 --sessions 1000000"
    )]
    Diameter(diameter::Diameter),
    /// Write files of indications of fraud, as switches send them, for rules that find them
    #[command(
        after_help = "Examples:\n  tollgate simulate fraud --flow fraud\n  tollgate simulate fraud --files 1000 --hot 0.01 fraud"
    )]
    Fraud(fraud::Fraud),
    /// Write files of a network whose subscribers live some days, in which frauds of thirteen types happen
    #[command(after_help = "Examples:\n  tollgate simulate population --flow fraud\n  \
                      tollgate simulate population --subscribers 20000 --days 8 --each 5 --seed 7 fraud")]
    Population(population::Population),
}

impl Execute for Simulate {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Simulate::Cdr(cdr) => cdr.run(),
            Simulate::Calls(calls) => calls.run(),
            Simulate::Diameter(diameter) => diameter.run(),
            Simulate::Fraud(fraud) => fraud.run(),
            Simulate::Population(population) => population.run(),
        }
    }
}
