//! Calls that a user places to see how they are charged. Each request is charged like that of a network.

use std::sync::Arc;

use charging::{Dialogue, LegRequest, SessionTask, Workspace};
use ledger::{AccountId, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::price::{called, counted_unit};
use super::{Call, Clerk, text, unusable};
use crate::amount;
use crate::back::BesideRow;
use crate::interrogation::{Interrogation, LegAnswered, LegInterrogation, PhaseName, RefusedLeg};
use crate::numbers::Number;
use crate::queued_request::{RequestAnswer, RequestHead};
use crate::refusals::AnsweredRequest;
use crate::refused::Refused;

/// Sends a request of a trial call, as a network would. It is charged: the account pays for what is used.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SendTrialRequest {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// What identifies the call among those of the user.
    pub session: String,
    /// The number of the request in the call. A request that comes again gets the same answer, and changes nothing.
    pub request: u32,
    /// The phase.
    pub phase: TrialPhase,
    /// The service, as the plan names it.
    pub service: String,
    /// The number that is called; empty without one.
    #[serde(default)]
    pub called: String,
    /// The network that the subscriber roams in; empty at home.
    #[serde(default)]
    pub partner: String,
    /// The unit of quantities: `seconds`, `octets` or `events`. By default, the one that the plan counts the service in.
    pub unit: Option<AmountUnit>,
    /// What was used since the last request.
    pub used: Option<u64>,
    /// What is wanted next.
    pub wanted: Option<u64>,
    /// The reason for the trial.
    pub because: String,
}

/// The phase of a trial call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialPhase {
    /// It begins.
    First,
    /// It goes on.
    Next,
    /// It ends.
    Final,
}

/// What the charging system answers to a request of a trial call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TrialAnswer {
    /// The account that pays.
    pub account: u64,
    /// The key of the session: 32 hexadecimal digits.
    pub session: String,
    /// How much is granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<u64>,
    /// The unit of this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<AmountUnit>,
    /// For how many seconds the grant is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_seconds: Option<u32>,
    /// Whether the account pays for no more.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Why nothing is granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedLeg>,
    /// Whether more was reported than can have been used. The rest is not charged.
    pub capped: bool,
    /// The money that the call has paid so far.
    pub paid: String,
    /// The money that is reserved for it.
    pub reserved: String,
    /// The currency.
    pub currency: String,
}

impl From<TrialPhase> for PhaseName {
    fn from(phase: TrialPhase) -> Self {
        match phase {
            TrialPhase::First => PhaseName::First,
            TrialPhase::Next => PhaseName::Next,
            TrialPhase::Final => PhaseName::Final,
        }
    }
}

impl TrialPhase {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            TrialPhase::First => "first",
            TrialPhase::Next => "next",
            TrialPhase::Final => "final",
        }
    }
}

impl Call for SendTrialRequest {
    type Reply = TrialAnswer;

    const NAME: &'static str = "account trial";

    fn perform(self, clerk: &Clerk<'_>) -> Result<TrialAnswer, Refused> {
        let account = clerk.account(&self.account)?;
        let served = clerk.served(&self.account, account)?;
        let because = text("the reason", &self.because)?;
        let called = called(&self.called)?;
        let called = called.as_ref().map_or("", |called| called.as_str());
        let (rules, now) = (clerk.system.rules(), clerk.system.now_ms());
        let unit = counted_unit(self.service.trim(), self.unit, (&rules, now))?;
        let quantity = |of: Option<u64>| of.map(|of| amount::of_usage(of, unit)).transpose();
        let leg = LegInterrogation {
            service: Some(text("the service", &self.service)?.to_owned()),
            other: called.to_owned(),
            partner: self.partner.trim().to_owned(),
            used: quantity(self.used)?.map(Into::into),
            wanted: quantity(self.wanted)?.map(Into::into),
            ..LegInterrogation::default()
        };
        let interrogation = Interrogation {
            session: text("the session", &self.session)?.to_owned(),
            number: self.request,
            phase: self.phase.into(),
            event: Default::default(),
            subscriber: served.as_str().to_owned(),
            legs: vec![leg],
        };
        interrogation.check().map_err(|why| Refused::TextInvalid { what: why.to_string() })?;
        let subject = format!(
            "account {}: {} request of a trial call: {} to {called}",
            account.0,
            self.phase.word(),
            self.service
        );
        let trail = clerk.trail(Self::NAME, subject, because);
        clerk.interrogate((account, &served), &interrogation, trail)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl Clerk<'_> {
    /// Charges a request of a trial call. If it changes something, `trail` makes its entry in the same transaction.
    fn interrogate(
        &self,
        (account, served): (AccountId, &Number),
        interrogation: &Interrogation,
        trail: Vec<BesideRow>,
    ) -> Result<TrialAnswer, Refused> {
        let (rules, at) = (self.system.rules(), self.system.now_ms());
        // No network has this name, so a trial meets no session of one.
        let client: Arc<str> = Arc::from(format!("trial of {}", self.who));
        let (key, digest) = (interrogation.session_key(&client), interrogation.digest());
        let (number, phase) = (interrogation.number, interrogation.phase());
        let session = interrogation.session.as_str();
        let dialogue = Dialogue::default();
        let head = RequestHead {
            client: &client,
            session,
            key,
            number,
            digest,
            phase,
            dialogue,
            inherits: false,
        };
        let start = at.div_euclid(1_000);
        let legs: Vec<LegRequest<'_>> =
            interrogation.legs(&interrogation.subscriber, start).collect();
        let workspace = Workspace::default();
        let request = head.request((account, at), &legs);
        let mut task = SessionTask::new(&rules.charging, &workspace, request);
        self.system.back.run_with(&mut task, trail).map_err(unusable)?;
        let answer = RequestAnswer::of(&task.answer, &task.legs);
        let served = served.as_str();
        let request =
            AnsweredRequest { account, at, served, head, legs: &legs, answers: &task.legs };
        self.system.refusals.add(&request, answer);
        let leg = match answer {
            RequestAnswer::Legs([.., leg]) => LegAnswered::of(leg),
            RequestAnswer::SubscriberUnknown => {
                return Err(Refused::NumberUnknown { number: interrogation.subscriber.clone() });
            }
            _ => return Err(Refused::SessionUnknown),
        };
        let (paid, reserved) = self.look(account, |found| {
            let session = found.and_then(|found| Some((found, found.session(key)?)));
            session.map_or((0, 0), |(found, session)| {
                let money = found.buckets().iter().filter(|bucket| bucket.unit == Unit::Money);
                let reserved = money.map(|bucket| i128::from(session.reserved_from(bucket.id)));
                (session.paid(), reserved.sum())
            })
        })?;
        let money = |nanos| rating::Money { nanos, currency: rules.currency }.amount().to_string();
        let granted = leg.granted.map(|granted| granted.amount());
        Ok(TrialAnswer {
            account: account.0,
            session: format!("{:032x}", key.0),
            granted: granted.map(|(quantity, _)| quantity),
            unit: granted.map(|(_, unit)| unit.into()),
            valid_seconds: leg.granted.map(|granted| granted.valid_seconds),
            is_final: leg.granted.is_some_and(|granted| granted.is_final),
            refused: leg.refused,
            capped: leg.capped,
            paid: money(paid),
            reserved: money(reserved),
            currency: rules.currency.code().to_owned(),
        })
    }
}
