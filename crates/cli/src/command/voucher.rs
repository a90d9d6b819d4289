//! `tollgate voucher`: makes, activates, blocks, shows and uses vouchers.

use operate::operation::Operation;
use operate::prepaid::calls::{
    ActivateVouchers, BlockVouchers, ChangedVouchers, MakeVouchers, ShowVoucher, ShownVoucher,
    UseVoucher,
};

use crate::charging_file::ChargingFile;
use crate::execute::Execute;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Column, cell, text};

/// Make and use vouchers of prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "voucher")]
pub(crate) enum Voucher {
    /// Make a batch of vouchers, and print their serial numbers and PINs, which are shown only once
    #[command(
        after_help = "Example:\n  tollgate voucher make 7 --count 1000 --amount 100.00 --until 2027-12-31T23:00:00Z \\\n      \
                      --because \"for the shops\" > batch-7.txt"
    )]
    Make(Make),
    /// Let the vouchers of a batch be used
    #[command(after_help = "Example:\n  tollgate voucher activate 7 --because \"delivered\"")]
    Activate(Batch),
    /// Block vouchers that are not used
    #[command(
        after_help = "Example:\n  tollgate voucher block 7 --first 30064771072 --last 30064771081 --because \"stolen\""
    )]
    Block(Block),
    /// Show what became of a voucher
    #[command(after_help = "Example:\n  tollgate voucher show 30064771072")]
    Show(Show),
    /// Use a voucher for an account
    #[command(after_help = "Example:\n  tollgate voucher use 46701234567 12345678901234")]
    Use(Use),
}

/// Arguments of `tollgate voucher make`.
#[derive(Debug, clap::Args)]
pub(crate) struct Make {
    #[command(flatten)]
    of: Batch,
    /// How many vouchers the batch has
    #[arg(long)]
    count: u32,
    /// What each is worth: 100.00
    #[arg(long)]
    amount: String,
    /// When they expire: 2027-12-31T23:00:00Z
    #[arg(long, value_name = "TIME")]
    until: String,
}

/// A batch, and why it is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Batch {
    /// The number of the batch
    batch: u32,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// JSON: one object a line for lists, one object for results
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate voucher block`.
#[derive(Debug, clap::Args)]
pub(crate) struct Block {
    #[command(flatten)]
    of: Batch,
    /// Only from this serial number on
    #[arg(long)]
    first: Option<u64>,
    /// Only up to this serial number
    #[arg(long)]
    last: Option<u64>,
}

/// Arguments of `tollgate voucher show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The serial number
    serial: u64,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate voucher use`.
#[derive(Debug, clap::Args)]
pub(crate) struct Use {
    /// A number of the subscriber, or "#" and the number of the account
    #[arg(value_name = "NUMBER")]
    account: String,
    /// The PIN
    pin: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Voucher {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Voucher::Make(make) => make.run(),
            Voucher::Activate(of) => {
                of.change(|batch, because| ActivateVouchers { batch, because })
            }
            Voucher::Block(Block { of, first, last }) => {
                of.change(|batch, because| BlockVouchers { batch, first, last, because })
            }
            Voucher::Show(show) => show.run(),
            Voucher::Use(used) => used.run(),
        }
    }
}

const PINS: [Column; 2] = [text("serial"), text("pin")];

impl Make {
    fn run(self) -> Result<Outcome, CommandError> {
        let Make { of: Batch { batch, because, charging, json }, count, amount, until } = self;
        let request = MakeVouchers { batch, count, amount, until, because };
        let made = charge(&charging.path, request)?;
        let mut rows = Rows::begin(json, &PINS);
        for voucher in &made.vouchers {
            rows.row(voucher, |voucher| [cell(voucher.serial), cell(&voucher.pin)])?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

impl Batch {
    fn change<O: Operation<Response = ChangedVouchers>>(
        self,
        request: impl FnOnce(u32, String) -> O,
    ) -> Result<Outcome, CommandError> {
        let Batch { batch, because, charging, json } = self;
        let changed = charge(&charging.path, request(batch, because))?;
        match json {
            true => json::line(&mut output::lines(), &changed)?,
            false => say!("{} vouchers have changed", changed.changed)?,
        }
        Ok(Outcome::Clean)
    }
}

impl Show {
    fn run(self) -> Result<Outcome, CommandError> {
        let Show { serial, charging, json } = self;
        let shown = charge(&charging.path, ShowVoucher { serial })?;
        if json {
            json::line(&mut output::lines(), &shown)?;
            return Ok(Outcome::Clean);
        }
        let ShownVoucher { batch, amount, currency, state, until, account, used_at, .. } = shown;
        say!("voucher {serial} of batch {batch}: {amount} {currency}, {state}, until {until}")?;
        if let (Some(account), Some(used_at)) = (account, used_at) {
            say!("used at {used_at} for account {account}")?;
        }
        Ok(Outcome::Clean)
    }
}

impl Use {
    fn run(self) -> Result<Outcome, CommandError> {
        let Use { account, pin, charging, json } = self;
        let used = charge(&charging.path, UseVoucher { account, pin })?;
        let again = if used.repeated { "; the account got it before" } else { "" };
        match json {
            true => json::line(&mut output::lines(), &used)?,
            false => say!("voucher {}: {} {}{again}", used.serial, used.amount, used.currency)?,
        }
        Ok(Outcome::Clean)
    }
}
