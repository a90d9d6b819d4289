//! Explains the price of a usage.

use std::fmt;

use diagnostics::Diagnostic;
use people::Role;
use rating::{Plan, Plans, Priced, Unit, UsageTextFault, UsageTexts};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ChosenPlan, StoredPlanError, TariffDraft};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Explains the price of a usage, step by step.
///
/// The subscriber is one without counters: no bundle is used up, and nothing is spent. Nothing is
/// saved.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = TariffUsage)]
pub struct ExplainUsage {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The service, by its name in the plan: `telephony`, `sms`, `data`.
    pub service: Option<String>,
    /// The served number.
    pub from: Option<String>,
    /// The other number.
    pub to: Option<String>,
    /// The type of subscriber, if the plan does not know it by the number.
    pub subscriber: Option<String>,
    /// The network that the subscriber roamed in.
    pub partner: Option<String>,
    /// When the usage started, with a zone: `2026-06-01 18:59:30 Europe/Stockholm`.
    pub start: String,
    /// When the usage ended, in place of `duration`.
    pub end: Option<String>,
    /// The duration: `60` (seconds), `3 min`.
    pub duration: Option<String>,
    /// The volume: `1000` (octets), `250 MB`.
    pub octets: Option<String>,
    /// The number of events.
    pub events: Option<u64>,
    /// For a database: the draft to price by. Default: the version that is valid at `start`.
    pub draft: Option<TariffDraft>,
}

/// The price of a usage, and how it came about. Amounts are texts, because a JSON number could lose
/// digits.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffExplained {
    /// The name of the plan.
    pub plan: String,
    /// The steps of the rating, in order.
    pub steps: Vec<TariffStep>,
    /// The price. Absent if the plan has no tariff for the usage.
    pub price: Option<TariffPrice>,
    /// Why there is no price.
    pub problem: Option<String>,
}

/// A step of the rating of a usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffStep {
    /// The name of the step: `number analysis`.
    #[schema(value_type = String)]
    pub step: &'static str,
    /// The result of the step, in words.
    pub found: String,
    /// The file of the plan that the result is from. Absent if it is from no file.
    #[schema(value_type = Option<String>)]
    pub file: Option<&'static str>,
    /// The line in this file, from 1.
    pub line: Option<u32>,
}

/// The price of a usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffPrice {
    /// The tariff class.
    pub class: String,
    /// The currency, as an ISO 4217 code.
    #[schema(value_type = String)]
    pub currency: &'static str,
    /// The amount without tax.
    pub net: String,
    /// The tax.
    pub tax: String,
    /// The amount with tax.
    pub total: String,
    /// The unit of `counted` and `free`.
    pub unit: TariffUnit,
    /// The number of billed units: those of all intervals that were begun.
    pub counted: u64,
    /// The part of `counted` that bundles paid.
    pub free: u64,
}

refusals! {
    /// Why a usage is not explained.
    pub enum ExplainError {
        /// A value of the usage cannot be read.
        Usage {
            /// The value, and what is wrong.
            fault: UsageTextFault,
        } => Wrong "tariff-usage-unreadable" "{fault}",
        /// The usage started before the first version.
        TooEarly {
            /// Its start.
            start: String,
        } => Wrong "tariff-usage-too-early"
            "start \"{start}\": no version of the plan is valid yet",
        /// The plan has mistakes.
        Mistakes {
            /// The mistakes and warnings.
            found: MistakenPlan,
        } => Conflict "tariff-plan-has-mistakes" "the plan has mistakes{found}",
        /// The plan or the version cannot be read.
        Stored(StoredPlanError) => [Unknown, Conflict],
    }
}

/// The mistakes and warnings of a plan. Its text is the first mistake.
#[derive(Debug)]
pub struct MistakenPlan(pub Vec<Diagnostic>);

impl fmt::Display for MistakenPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.iter().find(|found| found.is_error()) {
            Some(first) => write!(f, "; the first is\n\n{first}"),
            None => Ok(()),
        }
    }
}

impl Operation for ExplainUsage {
    type Response = TariffExplained;
    type Error = ExplainError;

    const NAME: &'static str = "tariff explain";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(mut self, context: &Context<'_>) -> Result<TariffExplained, ExplainError> {
        let (plans, diagnostics) = match self.draft.take() {
            // A draft may be for a database that does not exist yet.
            Some(draft) => {
                let read = draft.read(context, &self.chosen)?;
                (read.plan.map(Plans::always), read.diagnostics)
            }
            None => {
                let place = self.chosen.path(context).map_err(StoredPlanError::from)?;
                let read = tariffs::read(&place).map_err(StoredPlanError::from)?;
                (read.plans, read.diagnostics)
            }
        };
        let Some(plans) = plans else {
            return Err(ExplainError::Mistakes { found: MistakenPlan(diagnostics) });
        };
        let usage_texts = self.usage_texts();
        let usage = usage_texts.usage().map_err(|fault| ExplainError::Usage { fault })?;
        match plans.at(usage.start) {
            Some(plan) => Ok(explained(plan, &usage)),
            None => Err(ExplainError::TooEarly { start: usage_texts.start.clone() }),
        }
    }
}

impl ExplainUsage {
    fn usage_texts(self) -> UsageTexts {
        // An empty field counts as absent.
        let nonempty = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        UsageTexts {
            service: nonempty(self.service),
            from: nonempty(self.from),
            to: nonempty(self.to),
            subscriber: nonempty(self.subscriber),
            partner: nonempty(self.partner),
            start: self.start,
            end: nonempty(self.end),
            duration: nonempty(self.duration),
            octets: nonempty(self.octets),
            events: self.events,
        }
    }
}

fn explained(plan: &Plan, usage: &rating::Usage<'_>) -> TariffExplained {
    let explanation = plan.explain(usage, &mut rating::State::default());
    let steps = explanation.steps.into_iter().map(|gone| {
        let (file, line) = gone.line.unzip();
        TariffStep { step: gone.step.name(), found: gone.found, file, line }
    });
    let steps = steps.collect();
    let (price, problem) = match explanation.result {
        Ok(priced) => (Some(price(plan, &priced)), None),
        Err(error) => (None, Some(error.to_string())),
    };
    TariffExplained { plan: plan.name().to_owned(), steps, price, problem }
}

/// The unit in which a tariff class counts usages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TariffUnit {
    /// Seconds of the duration.
    Seconds,
    /// Octets of the volume.
    Octets,
    /// The usage itself, or the events that it stands for.
    Events,
}

impl TariffUnit {
    /// Returns the word in a plan.
    pub fn word(self) -> &'static str {
        match self {
            TariffUnit::Seconds => Unit::Seconds.name(),
            TariffUnit::Octets => Unit::Octets.name(),
            TariffUnit::Events => Unit::Events.name(),
        }
    }
}

impl From<Unit> for TariffUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Seconds => TariffUnit::Seconds,
            Unit::Octets => TariffUnit::Octets,
            Unit::Events => TariffUnit::Events,
        }
    }
}

fn price(plan: &Plan, priced: &Priced<'_>) -> TariffPrice {
    TariffPrice {
        class: priced.class.to_owned(),
        currency: plan.currency().code(),
        net: priced.net.amount().to_string(),
        tax: priced.tax.amount().to_string(),
        total: priced.total.amount().to_string(),
        unit: priced.unit.into(),
        counted: priced.billed,
        free: priced.free,
    }
}
