//! `tollgate account price`: says what a call would cost an account now, and how long it could last.

use operate::prepaid::calls::{AmountUnit, EnquirePrice, PriceEnquiry};

use super::named::{Named, unit};
use super::steps::print_steps;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate account price`.
#[derive(Debug, clap::Args)]
pub(crate) struct Price {
    #[command(flatten)]
    of: Named,
    /// The service, as the plan names it
    #[arg(long)]
    service: String,
    /// The number that is called
    #[arg(long, value_name = "NUMBER", default_value = "", hide_default_value = true)]
    to: String,
    /// The network that the subscriber roams in
    #[arg(long, default_value = "", hide_default_value = true)]
    partner: String,
    /// How much is used
    #[arg(long, value_name = "NUMBER", default_value_t = 60)]
    quantity: u64,
    /// The unit of this: seconds, octets or events; the one that the plan counts the service in by default
    #[arg(long, value_parser = unit)]
    unit: Option<AmountUnit>,
}

impl Price {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Price { of: Named { account, charging, json }, service, to, partner, quantity, unit } =
            self;
        let enquiry = EnquirePrice { account, service, called: to, partner, quantity, unit };
        let found = charge(&charging.path, enquiry)?;
        match json {
            true => json::line(&mut output::lines(), &found)?,
            false => show(&found)?,
        }
        Ok(Outcome::Clean)
    }
}

fn show(found: &PriceEnquiry) -> Result<(), CommandError> {
    let PriceEnquiry {
        price, currency, charged, affordable, affordable_unit, free, refused, ..
    } = found;
    say!("{} cost {price} {currency}", charged.used)?;
    if charged.paid_by_balances > 0 {
        say!("balances of its unit pay {} of it", charged.paid_by_balances)?;
    }
    match refused {
        Some(refused) => say!("the account pays for nothing: {}", refused.text)?,
        None if *free => say!("the service costs no money")?,
        None => say!("the account pays for {affordable} {}", affordable_unit.word())?,
    }
    say!("")?;
    print_steps(charged)
}
