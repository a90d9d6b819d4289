//! The statement of an account: its entries.

use ::accounts::{AccountEntry, AccountsError};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use charging::Quantity;
use ledger::{AccountId, Entry, SystemKind, Unit};

use super::accounts::AmountUnit;
use super::period::period;
use super::sessions::session_key;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::past_plans::{PastPlan, Versions};
use crate::refused::Refused;
use crate::remark::Remark;
use crate::rules::Rules;

/// The most entries of a page.
const PAGE_MAX: usize = 500;

/// The entries of a page without `limit`.
const PAGE: usize = 50;

/// Lists the entries of a prepaid account, the newest first: what was paid, refilled and corrected, and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowHistory {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// Only entries before this one.
    pub before: Option<u64>,
    /// The entries of a page, 500 at most.
    pub limit: Option<usize>,
    /// Only entries of this session: 32 hexadecimal digits.
    pub session: Option<String>,
    /// Only entries from this moment on: `2026-10-31T23:00:00Z`.
    pub from: Option<String>,
    /// Only entries before this moment.
    pub to: Option<String>,
    /// Only entries whose amount went to this account of the operator, or came from it: `revenue`, `refill`.
    pub system: Option<String>,
}

/// A page of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountHistory {
    /// The account.
    pub account: u64,
    /// The currency of its money.
    pub currency: String,
    /// The entries, the newest first.
    pub entries: Vec<HistoryEntry>,
    /// Whether there are older ones.
    pub more: bool,
}

/// An amount that was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryEntry {
    /// Its number within the account.
    pub entry: u64,
    /// When it was made.
    pub at: String,
    /// The amount: negative if it was taken.
    pub amount: String,
    /// What it counts.
    pub unit: AmountUnit,
    /// The balance that it changed; 0 for the main balance.
    pub bucket: u32,
    /// The bundle or the bonus that this balance is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket_offer: Option<String>,
    /// That balance after it.
    pub balance: String,
    /// Where it went or came from: `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus`,
    /// `fee` or `bundle`; `orphan` for usage of a session that is not known, which is not charged.
    pub system: String,
    /// The bundle, the fee or the bonus that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<String>,
    /// The session that it was charged for: 32 hexadecimal digits. What a network refunded is of no session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who made it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// What was charged, or refunded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<ChargedUsage>,
}

/// What a network reported, and how it came to its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChargedUsage {
    /// The service.
    pub service: String,
    /// The client of the charging system that reported it.
    pub client: String,
    /// The number that paid.
    pub served: String,
    /// The number that was called; empty without one.
    pub other: String,
    /// The network that the subscriber roamed in; empty at home.
    pub partner: String,
    /// When the service began.
    pub start: String,
    /// What the network reported with this request: `63 seconds`.
    pub used: String,
    /// How much of it balances of its unit paid, such as bundles that were sold.
    pub paid_by_balances: u64,
    /// How much of it this entry paid, if other entries paid the rest: `40 seconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The units of the whole usage so far that the plan has priced.
    pub priced: u64,
    /// The units of the intervals that were begun.
    pub billed: u64,
    /// How many of these bundles of the plan paid.
    pub free: u64,
    /// The price of the whole usage so far.
    pub total: String,
    /// The price without this entry: what other entries of the session have paid.
    pub before: String,
    /// The steps to the price by the plan, for a subscriber without counters.
    pub steps: Vec<PriceStep>,
}

/// A step to a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PriceStep {
    /// The name of the step: `number analysis`.
    pub step: String,
    /// Its result, in words.
    pub found: String,
    /// The file of the plan that the result is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in this file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Call for ShowHistory {
    type Reply = AccountHistory;

    const NAME: &'static str = "account history";

    fn perform(self, clerk: &Clerk<'_>) -> Result<AccountHistory, Refused> {
        let account = clerk.account(&self.account)?;
        let count = self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let mut found = self.find(clerk, account, count + 1)?;
        let more = found.len() > count;
        let rules = clerk.system.rules();
        let currency = rules.currency;
        let system = clerk.system;
        let versions = system.past_plans.versions(&system.back).map_err(unusable)?;
        let is_shared: Vec<bool> = (0..found.len()).map(|place| is_shared(&found, place)).collect();
        found.truncate(count);
        let entry = |(found, is_shared): (AccountEntry, bool)| {
            let of = found.entry;
            // A refund is an entry of no session, for a usage as that of a session is.
            let charged = ChargedUsage::of((&found, is_shared), &rules, &versions)?;
            Ok(HistoryEntry {
                entry: of.number,
                at: shown(found.at),
                amount: amount::shown(of.amount, of.unit, currency),
                unit: of.unit.into(),
                bucket: of.bucket.0,
                bucket_offer: rules.source_name(of.source),
                balance: amount::shown(of.balance, of.unit, currency),
                system: system_word(of.system.kind).to_owned(),
                offer: rules.offer_of(of.system).map(str::to_owned),
                session: of.session.map(|key| format!("{:032x}", key.0)),
                remark: Remark::read(&found.remark),
                charged,
            })
        };
        let entries =
            found.into_iter().zip(is_shared).map(entry).collect::<Result<_, AccountsError>>();
        let entries = entries.map_err(unusable)?;
        let currency = currency.code().to_owned();
        Ok(AccountHistory { account: account.0, currency, entries, more })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl ShowHistory {
    /// Returns so many of the entries that are wanted, the newest first.
    fn find(
        &self,
        clerk: &Clerk<'_>,
        account: AccountId,
        count: usize,
    ) -> Result<Vec<AccountEntry>, Refused> {
        let session = self.session.as_deref().map(session_key).transpose()?;
        let period = period(&self.from, &self.to)?;
        let system = self.system.as_deref().map(system_kind).transpose()?;
        let is_wanted = |found: &AccountEntry| {
            session.is_none_or(|session| found.entry.session == Some(session))
                && system.is_none_or(|system| found.entry.system.kind == system)
                && period.contains(&found.at)
        };
        // Where all are wanted, the first read has them.
        let (mut wanted, mut before, mut chunk) = (Vec::new(), self.before, count);
        loop {
            let entries = clerk.system.back.entries(account, before, chunk).map_err(unusable)?;
            before = entries.last().map(|last| last.entry.number);
            let is_last =
                entries.len() < chunk || entries.iter().all(|entry| entry.at < period.start);
            wanted.extend(entries.into_iter().filter(is_wanted).take(count - wanted.len()));
            if is_last || wanted.len() == count {
                return Ok(wanted);
            }
            chunk = PAGE_MAX;
        }
    }
}

/// Returns the word for users of what a system account is for.
pub(crate) fn system_word(kind: SystemKind) -> &'static str {
    match kind {
        SystemKind::Revenue => "revenue",
        SystemKind::Refill => "refill",
        SystemKind::Bonus => "bonus",
        SystemKind::Expired => "expired",
        SystemKind::Adjustment => "adjustment",
        SystemKind::Transfer => "transfer",
        SystemKind::Fee => "fee",
        SystemKind::Bundle => "bundle",
        SystemKind::Orphan => "orphan",
    }
}

/// Reads such a word.
fn system_kind(word: &str) -> Result<SystemKind, Refused> {
    let found = SystemKind::ALL.into_iter().find(|kind| system_word(*kind) == word);
    found.ok_or_else(|| Refused::SystemUnknown { system: word.to_owned() })
}

impl ChargedUsage {
    /// Returns what an entry was charged for. `None` for an entry without that.
    fn of(
        (found, is_shared): (&AccountEntry, bool),
        rules: &Rules,
        versions: &Versions<'_>,
    ) -> Result<Option<Self>, AccountsError> {
        let Some(charged) = charging::ChargedUsage::read(&found.remark) else { return Ok(None) };
        // A refund is no part of the price of a session.
        let is_part = found.entry.unit == Unit::Money && found.entry.session.is_some();
        let of_entry = match found.entry.system.kind {
            // Nothing was paid, neither now nor before.
            SystemKind::Orphan => charged.priced.map_or(0, |priced| -priced.total),
            _ if is_part => found.entry.amount,
            _ => 0,
        };
        let part = part(&charged, &found.entry).filter(|_| !is_shared);
        let part = part.map(|of| amount::quantity(&of, rules.currency));
        let steps = match versions.at(charged.service.start, rules)? {
            Some(version) => steps_of_version(&charged, &version, rules),
            None => steps(&charged, &rules.charging.plans, rules),
        };
        Ok(Some(ChargedUsage { part, ..Self::of_usage(&charged, of_entry, rules.currency, steps) }))
    }

    /// Returns what a usage costs by the plans of now.
    pub(super) fn of_price(
        charged: &charging::ChargedUsage<'_>,
        price: i64,
        rules: &Rules,
    ) -> Self {
        let steps = steps(charged, &rules.charging.plans, rules);
        Self::of_usage(charged, -price, rules.currency, steps)
    }

    /// Returns what was charged, for which an entry of money gave an amount to the account.
    fn of_usage(
        charged: &charging::ChargedUsage<'_>,
        of_entry: i64,
        currency: rating::Currency,
        steps: Vec<PriceStep>,
    ) -> Self {
        let charging::ChargedUsage { service, client, used, bucket_units, priced, .. } = *charged;
        let money = |nanos| amount::shown(nanos, Unit::Money, currency);
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let (priced, billed, free, total) =
            priced.map_or((0, 0, 0, 0), |of| (of.used, of.billed, of.free, of.total));
        ChargedUsage {
            service: service.name.to_owned(),
            client: client.to_owned(),
            served: text(service.served),
            other: text(service.other),
            partner: service.partner.to_owned(),
            start: shown(service.start.saturating_mul(1_000)),
            used: amount::quantity(&used, currency),
            paid_by_balances: bucket_units,
            part: None,
            priced,
            billed,
            free,
            total: money(total),
            before: money(total.saturating_add(of_entry)),
            steps,
        }
    }
}

/// Returns whether an entry of money shares the price of a request with one beside it: no part of the usage is its own then.
fn is_shared(entries: &[AccountEntry], place: usize) -> bool {
    let of = &entries[place];
    let is_beside = |other: &AccountEntry| {
        other.entry.unit == Unit::Money
            && other.entry.session == of.entry.session
            && other.remark == of.remark
    };
    let before = place.checked_sub(1).map(|before| &entries[before]);
    let beside = [before, entries.get(place + 1)];
    of.entry.unit == Unit::Money && beside.into_iter().flatten().any(is_beside)
}

/// Returns how much of a usage an entry paid. `None` if it paid for all, or gave something back.
fn part(charged: &charging::ChargedUsage<'_>, entry: &Entry) -> Option<Quantity> {
    let Quantity { seconds, octets, events, money: None } = charged.used else { return None };
    let units = [(seconds, Unit::Seconds), (octets, Unit::Octets), (events, Unit::Events)];
    let mut reported = units.into_iter().filter_map(|(of, unit)| Some((of?, unit)));
    // Of several units, the plan charges one.
    let (Some((used, unit)), None) = (reported.next(), reported.next()) else { return None };
    let paid = match entry.unit {
        Unit::Money if entry.amount < 0 => used.checked_sub(charged.bucket_units)?,
        of if of == unit && entry.amount < 0 => entry.amount.unsigned_abs(),
        _ => return None,
    };
    let of = |reported: Option<u64>| reported.map(|_| paid);
    let part =
        Quantity { seconds: of(seconds), octets: of(octets), events: of(events), money: None };
    (paid != used).then_some(part)
}

/// Returns the steps to the price by the version that was in use when the call began.
fn steps_of_version(
    charged: &charging::ChargedUsage<'_>,
    PastPlan { version, since, plans }: &PastPlan,
    rules: &Rules,
) -> Vec<PriceStep> {
    let found = format!("version {version}, in use since {}", shown(*since));
    let (plans, found) = match plans {
        Some(plans) => (&**plans, found),
        None => (
            &rules.charging.plans,
            format!("{found}; it cannot be read any more, so these steps go by that of now"),
        ),
    };
    let mut steps = steps(charged, plans, rules);
    if !steps.is_empty() {
        let step = "version".to_owned();
        steps.insert(0, PriceStep { step, found, file: None, line: None });
    }
    steps
}

/// Returns the steps to the price of the usage so far by some plans.
fn steps(
    charged: &charging::ChargedUsage<'_>,
    plans: &rating::Plans,
    rules: &Rules,
) -> Vec<PriceStep> {
    let Some(usage) = charged.priced_usage() else { return Vec::new() };
    let Some(plan) = plans.at(charged.service.start) else { return Vec::new() };
    let explanation = plan.explain(&usage, &mut rating::State::default());
    let step = |gone: rating::Gone| {
        let (file, line) = gone.line.unzip();
        let (step, file) = (gone.step.name().to_owned(), file.map(str::to_owned));
        PriceStep { step, found: gone.found, file, line }
    };
    let mut steps: Vec<PriceStep> = explanation.steps.into_iter().map(step).collect();
    let now = explanation.result.map(|priced| priced.total.nanos).unwrap_or_default();
    let charged = charged.priced.map_or(0, |priced| priced.total);
    if now != i128::from(charged) {
        let [now, then] = [now, charged.into()]
            .map(|nanos| rating::Money { nanos, currency: rules.currency }.to_string());
        let because = "bundles or discounts of the plan counted, or another price came into use during the call";
        let found = format!("these steps come to {now}, and {then} was charged: {because}");
        steps.insert(0, PriceStep { step: "note".to_owned(), found, file: None, line: None });
    }
    steps
}
