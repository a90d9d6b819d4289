//! `tollgate account`: shows and changes prepaid accounts.

mod history;
mod named;
mod notices;
mod price;
mod refusals;
mod steps;
mod trial;

use std::io;

use operate::operation::Operation;
use operate::prepaid::calls::{
    AccountLimit, AccountLine, AccountStanding, AddNumber, AdjustAccount, AmountUnit,
    ApprovalRequest, ApproveRequest, Balance, BuyBundle, CancelBundle, EndSession, ListAccounts,
    ListApprovals, ListChargingTrail, Moved, NewBalance, OpenAccount, PrepaidAccount,
    RefillAccount, RejectRequest, RemoveNumber, ReverseEntry, SetBarredServices, SetCreditLimit,
    SetStanding, SetSubscriberType, ShowAccount, TransferAmount,
};
use serde::Serialize;

use crate::charging_file::ChargingFile;
use crate::execute::Execute;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::Aside;
use crate::rows::Rows;
use crate::table::{Cell, Column, Table, cell, free, number, text};
use named::{Because, Named, own_reference, unit, unit_word};

/// Show and change prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "account")]
pub(crate) enum Account {
    /// List accounts by the numbers of subscribers
    #[command(after_help = "Example:\n  tollgate account list --begins 4670123")]
    List(List),
    /// Show an account: what it has, what is reserved, and its calls in progress
    #[command(after_help = "Example:\n  tollgate account show 46701234567")]
    Show(Named),
    /// List what was paid, refilled and corrected, the newest first
    #[command(after_help = "Example:\n  tollgate account history 46701234567 --limit 20")]
    History(history::History),
    /// List why its calls were cut off or did not begin, the newest first
    #[command(after_help = "Example:\n  tollgate account refusals 46701234567")]
    Refusals(Named),
    /// List what its subscribers were to hear of, such as that little is left, the newest first
    #[command(after_help = "Example:\n  tollgate account notices 46701234567")]
    Notices(Named),
    /// Open an account for numbers of subscribers
    #[command(after_help = "Example:\n  tollgate account open 46701234567 46701234568")]
    Open(Open),
    /// Add an amount that the subscriber has paid; a reference counts once
    #[command(
        after_help = "Example:\n  tollgate account refill 46701234567 100.00 --reference payment-4711"
    )]
    Refill(Refill),
    /// Sell a bundle of charging.toml: its price is taken, and its balances are given
    #[command(
        after_help = "Example:\n  tollgate account buy 46701234567 data-1gb --reference order-4711"
    )]
    Buy(Buy),
    /// End the renewal of a bundle; what was bought stays until its time is over
    #[command(
        after_help = "Example:\n  tollgate account cancel 46701234567 data-1gb --because \"asked for it\""
    )]
    Cancel(Cancel),
    /// Correct a balance, or give a new one
    #[command(
        after_help = "Examples:\n  tollgate account adjust 46701234567 -12.50 --because \"charged twice\"\n  \
                      tollgate account adjust 46701234567 5000000000 --new octets --services data \\\n      \
                      --until 2026-12-31T23:00:00Z --because \"a week without network\""
    )]
    Adjust(Adjust),
    /// Move money from one account to another
    #[command(
        after_help = "Example:\n  tollgate account transfer 46701234567 50.00 --to 46701234568 --because \"a gift\""
    )]
    Transfer(Transfer),
    /// Give back what an entry took, or take back what it gave
    #[command(
        after_help = "The price of a bundle is given back after what it gave: reverse the entries of its balances first.\n\n\
                      Example:\n  tollgate account reverse 46701234567 17 --because \"the line was dead\""
    )]
    Reverse(Reverse),
    /// Say why an entry was made, down to each step of its price
    #[command(after_help = "Example:\n  tollgate account explain 46701234567 17")]
    Explain(history::Explain),
    /// Say what a call would cost an account now, and how long it could last
    #[command(
        after_help = "Example:\n  tollgate account price 46701234567 --service telephony --to 43123456 --quantity 180"
    )]
    Price(price::Price),
    /// Place a call that is charged, and show each request with its answer
    #[command(
        after_help = "Example:\n  tollgate account trial 46701234567 --service telephony --to 46812345678 \\\n      \
                      --quantity 180 --every 60 --because \"a new tariff\""
    )]
    Trial(trial::Trial),
    /// Block an account: its subscribers can use nothing
    #[command(after_help = "Example:\n  tollgate account block 46701234567 --because \"stolen\"")]
    Block(Because),
    /// Let an account be used again
    #[command(after_help = "Example:\n  tollgate account unblock 46701234567 --because \"found\"")]
    Unblock(Because),
    /// Close an account for ever: what is left expires
    #[command(
        after_help = "Example:\n  tollgate account close 46701234567 --because \"the contract ended\""
    )]
    Close(Because),
    /// Change how far the main balance may be overdrawn
    #[command(
        after_help = "Example:\n  tollgate account limit 46701234567 50.00 --because \"a good customer\""
    )]
    Limit(CreditLimit),
    /// Bar an account from services or tariff classes; --none lifts it
    #[command(
        after_help = "Examples:\n  tollgate account bar 46701234567 --services data,sms --because \"a child\"\n  \
                      tollgate account bar 46701234567 --classes premium --because \"a child\"\n  \
                      tollgate account bar 46701234567 --none --because \"grown up\""
    )]
    Bar(Bar),
    /// Change the type of an account's subscriber, by which its calls are priced
    #[command(
        after_help = "Example:\n  tollgate account type 46701234567 plus --because \"a new contract\""
    )]
    Type(SubscriberType),
    /// Give numbers to accounts and take them
    #[command(subcommand)]
    Number(Number),
    /// End a session, and release what is reserved for it
    #[command(
        after_help = "Example:\n  tollgate account end 46701234567 0123456789abcdef0123456789abcdef \\\n      \
                      --because \"hangs\""
    )]
    End(End),
    /// List what waits for the approval of a second person
    #[command(after_help = "Example:\n  tollgate account approvals")]
    Approvals(Listed),
    /// Approve what another person asked for, and do it
    #[command(
        after_help = "Example:\n  tollgate account approve 7 --because \"the payment is there\""
    )]
    Approve(Decided),
    /// Reject what a person asked for
    #[command(after_help = "Example:\n  tollgate account reject 7 --because \"a typing error\"")]
    Reject(Decided),
    /// List who changed accounts, the newest first
    #[command(after_help = "Example:\n  tollgate account trail")]
    Trail(Trail),
}

/// The changes of numbers.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Number {
    /// Let an account pay for another number
    #[command(
        after_help = "Example:\n  tollgate account number add 46701234567 46701234568 --because \"a child\""
    )]
    Add(AddedNumber),
    /// Take a number from its account
    #[command(
        after_help = "Example:\n  tollgate account number remove 46701234568 --because \"moved\""
    )]
    Remove(Because),
}

/// Arguments of `tollgate account list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only numbers that begin with these digits
    #[arg(long, default_value = "", hide_default_value = true)]
    begins: String,
    /// Only numbers that have these digits, at any place
    #[arg(long, value_name = "DIGITS", default_value = "", hide_default_value = true)]
    part: String,
    /// So many at most
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate account open`.
#[derive(Debug, clap::Args)]
pub(crate) struct Open {
    /// The numbers that the account pays for
    #[arg(value_name = "NUMBER", required = true)]
    numbers: Vec<String>,
    /// How far the main balance may be overdrawn
    #[arg(long, value_name = "AMOUNT")]
    credit_limit: Option<String>,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate account refill`.
#[derive(Debug, clap::Args)]
pub(crate) struct Refill {
    #[command(flatten)]
    of: Named,
    /// The amount: 100.00
    amount: String,
    /// The reference of the payment
    #[arg(long)]
    reference: String,
}

/// Arguments of `tollgate account buy`.
#[derive(Debug, clap::Args)]
pub(crate) struct Buy {
    #[command(flatten)]
    of: Named,
    /// The bundle, as charging.toml names it
    bundle: String,
    /// The reference of the order, so that it counts once
    #[arg(long)]
    reference: Option<String>,
}

/// Arguments of `tollgate account cancel`.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    of: Because,
    /// The bundle, as charging.toml names it
    bundle: String,
}

/// Arguments of `tollgate account adjust`.
#[derive(Debug, clap::Args)]
pub(crate) struct Adjust {
    #[command(flatten)]
    of: Because,
    /// The amount: 12.50 adds, -12.50 takes
    #[arg(allow_negative_numbers = true)]
    amount: String,
    /// A reference, so that the adjustment counts once
    #[arg(long)]
    reference: Option<String>,
    /// The balance, as `show` numbers it
    #[arg(long, default_value_t = 0, conflicts_with = "new")]
    balance: u32,
    /// Give the amount as a new balance of this unit
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    new: Option<AmountUnit>,
    /// The services that the new balance pays for; all if none is given
    #[arg(long, value_delimiter = ',', requires = "new")]
    services: Vec<String>,
    /// The tariff classes that it pays for besides
    #[arg(long, value_delimiter = ',', requires = "new")]
    classes: Vec<String>,
    /// Until when the new balance may be used: 2026-12-31T23:00:00Z
    #[arg(long, value_name = "TIME", requires = "new")]
    until: Option<String>,
    /// Balances with a smaller number are used first
    #[arg(long, requires = "new")]
    priority: Option<u16>,
}

/// Arguments of `tollgate account transfer`.
#[derive(Debug, clap::Args)]
pub(crate) struct Transfer {
    #[command(flatten)]
    of: Because,
    /// The amount: 50.00
    amount: String,
    /// A number of the receiver
    #[arg(long, value_name = "NUMBER")]
    to: String,
    /// A reference, so that the transfer counts once
    #[arg(long)]
    reference: Option<String>,
}

/// Arguments of `tollgate account reverse`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reverse {
    #[command(flatten)]
    of: Because,
    /// The number of the entry, as `history` shows it
    entry: u64,
}

/// Arguments of `tollgate account limit`.
#[derive(Debug, clap::Args)]
pub(crate) struct CreditLimit {
    #[command(flatten)]
    of: Because,
    /// The amount: 50.00; 0 for none
    amount: String,
}

/// Arguments of `tollgate account bar`.
#[derive(Debug, clap::Args)]
#[group(id = "barred", required = true, multiple = true)]
pub(crate) struct Bar {
    #[command(flatten)]
    of: Because,
    /// The services that cannot be used from now on, and no others; without --classes, all classes can be used
    #[arg(long, value_delimiter = ',', group = "barred")]
    services: Vec<String>,
    /// The tariff classes that cannot be used from now on, and no others
    #[arg(long, value_delimiter = ',', group = "barred")]
    classes: Vec<String>,
    /// All can be used
    #[arg(long, group = "barred", conflicts_with_all = ["services", "classes"])]
    none: bool,
}

/// Arguments of `tollgate account type`.
#[derive(Debug, clap::Args)]
pub(crate) struct SubscriberType {
    #[command(flatten)]
    of: Because,
    /// The type, as the plan names it; "" for that of the number
    subscriber_type: String,
}

/// Arguments of `tollgate account number add`.
#[derive(Debug, clap::Args)]
pub(crate) struct AddedNumber {
    #[command(flatten)]
    of: Because,
    /// The new number
    number: String,
}

/// Arguments of `tollgate account end`.
#[derive(Debug, clap::Args)]
pub(crate) struct End {
    #[command(flatten)]
    of: Because,
    /// The session, as `show` names it
    session: String,
}

/// Arguments of `tollgate account approvals`.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// A decision about a request.
#[derive(Debug, clap::Args)]
pub(crate) struct Decided {
    /// The request, as `approvals` numbers it
    request: i64,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate account trail`.
#[derive(Debug, clap::Args)]
pub(crate) struct Trail {
    /// So many at most
    #[arg(long, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Execute for Account {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Account::List(list) => list.run(),
            Account::Show(named) => named.show(|account| ShowAccount { account }),
            Account::History(history) => history.run(),
            Account::Open(open) => open.run(),
            Account::Refill(refill) => refill.run(),
            Account::Buy(buy) => buy.run(),
            Account::Cancel(Cancel { of: Because { of, because }, bundle }) => {
                of.show(|account| CancelBundle { account, bundle, because })
            }
            Account::Adjust(adjust) => adjust.run(),
            Account::Transfer(transfer) => transfer.run(),
            Account::Reverse(Reverse { of: Because { of, because }, entry }) => {
                of.moved(|account| ReverseEntry { account, entry, because })
            }
            Account::Explain(explain) => explain.run(),
            Account::Refusals(of) => refusals::run(of),
            Account::Notices(of) => notices::run(of),
            Account::Price(price) => price.run(),
            Account::Trial(trial) => trial.run(),
            Account::Block(because) => because.stand(AccountStanding::Suspended),
            Account::Unblock(because) => because.stand(AccountStanding::Active),
            Account::Close(because) => because.stand(AccountStanding::Closed),
            Account::Limit(CreditLimit { of: Because { of, because }, amount: credit_limit }) => {
                of.show(|account| SetCreditLimit { account, credit_limit, because })
            }
            Account::Bar(Bar { of: Because { of, because }, services, classes, none: _ }) => {
                let classes = Some(classes);
                of.show(|account| SetBarredServices { account, services, classes, because })
            }
            Account::Type(SubscriberType { of: Because { of, because }, subscriber_type }) => {
                of.show(|account| SetSubscriberType { account, subscriber_type, because })
            }
            Account::Number(Number::Add(AddedNumber { of: Because { of, because }, number })) => {
                of.show(|account| AddNumber { account, number, because })
            }
            Account::Number(Number::Remove(Because { of, because })) => {
                of.show(|number| RemoveNumber { number, because })
            }
            Account::End(End { of: Because { of, because }, session }) => of.end(session, because),
            Account::Approvals(listed) => listed.run(),
            Account::Approve(Decided { request, because, charging, json }) => {
                let done_now = charge(&charging.path, ApproveRequest { request, because })?;
                decided(json, &done_now, "is approved and done")
            }
            Account::Reject(Decided { request, because, charging, json }) => {
                let rejected = charge(&charging.path, RejectRequest { request, because })?;
                decided(json, &rejected, "is rejected")
            }
            Account::Trail(trail) => trail.run(),
        }
    }
}

impl Named {
    /// Performs an operation that returns the account, and shows it.
    fn show<O: Operation<Response = PrepaidAccount>>(
        self,
        request: impl FnOnce(String) -> O,
    ) -> Result<Outcome, CommandError> {
        show(self.json, &charge(&self.charging.path, request(self.account))?)
    }

    /// Performs an operation that moves money, and shows what the account has then.
    fn moved<O: Operation<Response = Moved>>(
        self,
        request: impl FnOnce(String) -> O,
    ) -> Result<Outcome, CommandError> {
        let Named { account, charging, json } = self;
        let moved = charge(&charging.path, request(account))?;
        let Moved { balance, currency, entry, repeated, unit, .. } = &moved;
        let unit = unit_word(*unit, currency);
        let again = if *repeated { "; it was done before, and nothing is changed now" } else { "" };
        let bonuses = moved.bonuses.iter().map(|of| {
            format!("\nbonus {}: {} {}", of.bonus, of.amount, unit_word(of.unit, currency))
        });
        let bonuses: String = bonuses.collect();
        done(json, &moved, &format!("balance: {balance} {unit} (entry {entry}){again}{bonuses}"))
    }

    fn end(self, session: String, because: String) -> Result<Outcome, CommandError> {
        let Named { account, charging, json } = self;
        let ended = charge(&charging.path, EndSession { account, session, because })?;
        done(json, &ended, &format!("session {} is ended", ended.session))
    }
}

fn done(is_json: bool, value: &impl Serialize, text: &str) -> Result<Outcome, CommandError> {
    match is_json {
        true => json::line(&mut output::lines(), value)?,
        false => say!("{text}")?,
    }
    Ok(Outcome::Clean)
}

impl Because {
    fn stand(self, standing: AccountStanding) -> Result<Outcome, CommandError> {
        let Because { of, because } = self;
        of.show(|account| SetStanding { account, standing, because })
    }
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let List { begins, part, limit, charging, json } = self;
        let request = ListAccounts { begins, part, limit: Some(limit), ..ListAccounts::default() };
        let mut rows = Rows::begin(json, &ACCOUNTS);
        for account in &charge(&charging.path, request)?.accounts {
            rows.row(account, line)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const ACCOUNTS: [Column; 6] = [
    text("number"),
    number("account"),
    text("standing"),
    number("available"),
    number("reserved"),
    number("sessions"),
];

fn line(of: &AccountLine) -> [Cell; 6] {
    let AccountLine { number, account, standing, available, reserved, sessions, currency } = of;
    [
        cell(number),
        cell(account),
        cell(standing.word()),
        cell(format!("{available} {currency}")),
        cell(reserved),
        cell(sessions),
    ]
}

impl Open {
    fn run(self) -> Result<Outcome, CommandError> {
        let Open { numbers, credit_limit, charging, json } = self;
        let request = OpenAccount { numbers, standing: None, credit_limit };
        show(json, &charge(&charging.path, request)?)
    }
}

impl Refill {
    fn run(self) -> Result<Outcome, CommandError> {
        let Refill { of, amount, reference } = self;
        let because = String::new();
        of.moved(|account| RefillAccount { account, amount, reference, because })
    }
}

impl Buy {
    fn run(self) -> Result<Outcome, CommandError> {
        let Buy { of: Named { account, charging, json }, bundle, reference } = self;
        let reference = reference.unwrap_or_else(own_reference);
        let request = BuyBundle { account, bundle, reference, because: String::new() };
        let bought = charge(&charging.path, request)?;
        let again = if bought.repeated { "; it was bought before" } else { "" };
        let text = format!("balance: {} {}{again}", bought.balance, bought.currency);
        done(json, &bought, &text)
    }
}

impl Adjust {
    fn run(self) -> Result<Outcome, CommandError> {
        let Adjust { of, amount, reference, balance, new, services, classes, until, priority } =
            self;
        let Because { of, because } = of;
        let reference = reference.unwrap_or_else(own_reference);
        let new = new.map(|unit| NewBalance { unit, services, classes, priority, until });
        of.moved(|account| AdjustAccount {
            account,
            amount,
            because,
            reference,
            bucket: balance,
            new,
        })
    }
}

impl Transfer {
    fn run(self) -> Result<Outcome, CommandError> {
        let Transfer { of: Because { of, because }, amount, to, reference } = self;
        let Named { account, charging, json } = of;
        let reference = reference.unwrap_or_else(own_reference);
        let request = TransferAmount { account, to, amount, reference, because };
        let moved = charge(&charging.path, request)?;
        let again = if moved.repeated { "; it was done before" } else { "" };
        done(json, &moved, &format!("balance: {} {}{again}", moved.balance, moved.currency))
    }
}

impl Listed {
    fn run(self) -> Result<Outcome, CommandError> {
        let Listed { charging, json } = self;
        let mut rows = Rows::begin(json, &REQUESTS);
        for request in &charge(&charging.path, ListApprovals {})?.requests {
            rows.row(request, |of| {
                let texts = [&of.at, &of.who, &of.action, &of.subject, &of.because];
                let [at, who, action, subject, because] = texts.map(cell);
                [cell(of.request), at, who, action, subject, because]
            })?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const REQUESTS: [Column; 6] =
    [number("request"), text("time"), text("who"), text("action"), free("subject"), free("reason")];

/// Says what became of a request.
fn decided(is_json: bool, request: &ApprovalRequest, what: &str) -> Result<Outcome, CommandError> {
    let ApprovalRequest { request: number, action, subject, .. } = request;
    done(is_json, request, &format!("request {number} {what}: {action}, {subject}"))
}

impl Trail {
    fn run(self) -> Result<Outcome, CommandError> {
        let Trail { limit, charging, json } = self;
        let request = ListChargingTrail { before: None, limit: Some(limit) };
        let mut rows = Rows::begin(json, &TRAIL);
        for entry in &charge(&charging.path, request)?.entries {
            rows.row(entry, |entry| {
                let texts = [&entry.at, &entry.who, &entry.action, &entry.subject, &entry.reason];
                texts.map(cell)
            })?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const TRAIL: [Column; 5] =
    [text("time"), text("who"), text("action"), free("subject"), free("reason")];

const BALANCES: [Column; 8] = [
    number("balance"),
    number("amount"),
    number("available"),
    number("reserved"),
    text("unit"),
    text("from"),
    text("services"),
    text("until"),
];

const SESSIONS: [Column; 4] =
    [text("session"), text("services"), number("reserved"), text("until")];

/// Returns what a balance is from: `week`, or `week, rolled over`.
fn source_words(of: &Balance) -> String {
    let rolled_over = if of.rolled_over { ", rolled over" } else { "" };
    of.offer.as_ref().map_or(String::new(), |offer| format!("{offer}{rolled_over}"))
}

/// Shows an account.
fn show(is_json: bool, account: &PrepaidAccount) -> Result<Outcome, CommandError> {
    if is_json {
        json::line(&mut output::lines(), account)?;
        return Ok(Outcome::Clean);
    }
    say!(
        "account {} ({}): {}",
        account.account,
        account.standing.word(),
        account.numbers.join(", ")
    )?;
    say!("")?;
    let mut table = Table::report(Aside(io::stdout()), &BALANCES);
    for of in &account.balances {
        let unit = unit_word(of.unit, &account.currency);
        let services = match [&of.services[..], &of.classes[..]].concat() {
            names if names.is_empty() => "all".to_owned(),
            names => names.join(", "),
        };
        let until = of.until.as_deref().unwrap_or("");
        table.row([
            cell(of.bucket),
            cell(&of.amount),
            cell(&of.available),
            cell(&of.reserved),
            cell(unit),
            cell(source_words(of)),
            cell(services),
            cell(until),
        ])?;
    }
    table.end()?;
    if account.credit_limit.contains(|digit| matches!(digit, '1'..='9')) {
        let (limit, currency) = (&account.credit_limit, &account.currency);
        say!("the main balance may be overdrawn by {limit} {currency}")?;
    }
    if let Some(subscriber_type) = &account.subscriber_type {
        say!("its calls are priced for the type {subscriber_type}")?;
    }
    let barred = [&account.barred[..], &account.barred_classes[..]].concat();
    if !barred.is_empty() {
        say!("barred from {}", barred.join(", "))?;
    }
    for AccountLimit { limit, number, spent, most, consent, .. } in &account.limits {
        let agrees = if *consent { "; the subscriber agrees to spend more" } else { "" };
        let of = number.as_ref().map_or(String::new(), |number| format!(" of {number}"));
        let currency = &account.currency;
        say!(
            "this month, {spent} of {most} {currency} are spent within the limit {limit}{of}{agrees}"
        )?;
    }
    for of in &account.subscriptions {
        let what = if of.is_fee { "the fee" } else { "the bundle" };
        let when = if of.unpaid { "could not be paid, and is tried again at" } else { "is due at" };
        say!("{what} {} {when} {}", of.offer, of.due)?;
    }
    let mut open = account.sessions.iter().filter(|session| !session.ended).peekable();
    if open.peek().is_some() {
        say!("")?;
        let mut table = Table::report(Aside(io::stdout()), &SESSIONS);
        for of in open {
            table.row([
                cell(&of.session),
                cell(of.services.join(", ")),
                cell(&of.reserved),
                cell(&of.until),
            ])?;
        }
        table.end()?;
    }
    Ok(Outcome::Clean)
}
