//! `tollgate account trial`: places a call that is charged, and shows each request with its answer.

use operate::prepaid::calls::{AmountUnit, SendTrialRequest, TrialAnswer, TrialPhase};

use super::named::{Because, Named, own_reference, unit};
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// Arguments of `tollgate account trial`.
#[derive(Debug, clap::Args)]
pub(crate) struct Trial {
    #[command(flatten)]
    of: Because,
    /// The service, as the plan names it
    #[arg(long)]
    service: String,
    /// The number that is called
    #[arg(long, value_name = "NUMBER", default_value = "", hide_default_value = true)]
    to: String,
    /// The network that the subscriber roams in
    #[arg(long, default_value = "", hide_default_value = true)]
    partner: String,
    /// How much is used altogether
    #[arg(long, value_name = "NUMBER", default_value_t = 180)]
    quantity: u64,
    /// How much is requested at once; a third of the quantity by default
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// The unit of these: seconds, octets or events; the one that the plan counts the service in by default
    #[arg(long, value_parser = unit)]
    unit: Option<AmountUnit>,
}

const REQUESTS: [Column; 6] = [
    text("phase"),
    number("used"),
    number("granted"),
    number("reserved"),
    number("paid"),
    free("remark"),
];

impl Trial {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Trial { of: Because { of, because }, service, to, partner, quantity, every, unit } =
            self;
        let Named { account, charging, json } = of;
        let every = every.unwrap_or(quantity.div_ceil(3).max(1));
        let session = own_reference();
        let send = |request, phase, used: u64, wanted: u64| {
            let request = SendTrialRequest {
                account: account.clone(),
                session: session.clone(),
                request,
                phase,
                service: service.clone(),
                called: to.clone(),
                partner: partner.clone(),
                unit,
                used: (phase != TrialPhase::First).then_some(used),
                wanted: (phase != TrialPhase::Final).then_some(wanted),
                because: because.clone(),
            };
            charge(&charging.path, request)
        };
        let mut rows = Rows::begin(json, &REQUESTS);
        let (mut phase, mut used, mut left) = (TrialPhase::First, 0, quantity);
        for request in 0.. {
            let answer = send(request, phase, used, every.min(left))?;
            rows.row(&answer, |answer| cells(phase, used, answer))?;
            let Some(granted) = answer.granted else { break };
            used = granted.min(left);
            left -= used;
            let is_last = left == 0 || answer.is_final || used == 0;
            phase = if is_last { TrialPhase::Final } else { TrialPhase::Next };
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn cells(phase: TrialPhase, used: u64, of: &TrialAnswer) -> [Cell; 6] {
    let remark = match &of.refused {
        Some(refused) => refused.text.as_str(),
        None if of.is_final => "the account pays for no more",
        None => "",
    };
    [
        cell(phase.word()),
        cell(used),
        cell(of.granted.map_or_else(String::new, |granted| granted.to_string())),
        cell(&of.reserved),
        cell(&of.paid),
        cell(remark),
    ]
}
