//! The notices of an account.

use accounts::AccountNotice;
use ledger::{Ending, Measure, Notice, Standing, SystemKind, Threshold, Unit};
use rating::Currency;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::definition::ThresholdRule;
use crate::refused::Refused;
use crate::rules::Rules;

/// The most notices of an answer.
const NOTICES_MAX: usize = 100;

/// Lists the notices of a prepaid account, the newest first: what its subscribers were to hear of. The newest 100 are listed;
/// older ones than `notices.keep` are deleted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListNotices {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
}

/// The notices of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountNotices {
    /// The account.
    pub account: u64,
    /// The notices, the newest first.
    pub notices: Vec<SubscriberNotice>,
}

/// What subscribers are to hear of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriberNotice {
    /// Its number among those of all accounts.
    pub notice: u64,
    /// When it was made.
    pub at: String,
    /// What has happened.
    pub kind: NoticeKind,
    /// The threshold, the bundle, the bonus, the fee or the limit that it is about, as `charging.toml` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number that has the limit for itself, if each number has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The unit of the amounts below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<AmountUnit>,
    /// What was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The level that it fell below: an amount, or a percentage such as `20 %`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The currency of the account.
    pub currency: String,
    /// All of it in words.
    pub text: String,
}

/// What has happened to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// It has less than a threshold.
    Low,
    /// It was not refilled in time: it is in grace.
    Grace,
    /// It was not refilled in time: it is suspended.
    Suspended,
    /// It was not refilled in time: it is closed.
    Closed,
    /// There was no money for a bundle that renews.
    BundleUnpaid,
    /// There was no money for a fee.
    FeeUnpaid,
    /// 80 % of a limit are spent.
    LimitNear,
    /// All of a limit is spent.
    LimitReached,
    /// A balance ends soon.
    BalanceEnding,
    /// The account goes into grace, is suspended or closed soon, if it is not refilled.
    AccountEnding,
}

impl NoticeKind {
    /// Returns its word, as it is in JSON.
    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Low => "low",
            NoticeKind::Grace => "grace",
            NoticeKind::Suspended => "suspended",
            NoticeKind::Closed => "closed",
            NoticeKind::BundleUnpaid => "bundle-unpaid",
            NoticeKind::FeeUnpaid => "fee-unpaid",
            NoticeKind::LimitNear => "limit-near",
            NoticeKind::LimitReached => "limit-reached",
            NoticeKind::BalanceEnding => "balance-ending",
            NoticeKind::AccountEnding => "account-ending",
        }
    }
}

impl Call for ListNotices {
    type Reply = AccountNotices;

    const NAME: &'static str = "account notices";

    fn perform(self, clerk: &Clerk<'_>) -> Result<AccountNotices, Refused> {
        let account = clerk.account(&self.account)?;
        let rules = clerk.system.rules();
        let notices = clerk.system.back.notices_of(account, NOTICES_MAX).map_err(unusable)?;
        let notices = notices.iter().filter_map(|notice| SubscriberNotice::of(notice, &rules));
        Ok(AccountNotices { account: account.0, notices: notices.collect() })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl SubscriberNotice {
    /// Returns a notice as the rules name what it is about. `None` if it is about a threshold that they do not have.
    pub(crate) fn of(of: &AccountNotice, rules: &Rules) -> Option<Self> {
        let currency = rules.currency;
        let new = |kind, name: Option<&str>, text| SubscriberNotice {
            notice: of.number,
            at: shown(of.at),
            kind,
            name: name.map(str::to_owned),
            number: None,
            unit: None,
            left: None,
            below: None,
            until: None,
            currency: currency.code().to_owned(),
            text,
        };
        Some(match of.notice {
            Notice::Low { unit, measure, level, amount } => {
                let of_rule = |Threshold { unit, measure, level, .. }| (unit, measure, level);
                let is_level =
                    |of: &&ThresholdRule| of_rule(of.threshold) == (unit, measure, level);
                let rule = rules.thresholds.iter().find(is_level)?;
                let shown = |amount| amount::shown(amount, unit, currency);
                let (below, words) = match measure {
                    Measure::Amount => (shown(level), in_words(level, unit, currency)),
                    Measure::Percent => (format!("{level} %"), format!("{level} %")),
                };
                let left = in_words(amount, unit, currency);
                SubscriberNotice {
                    unit: Some(unit.into()),
                    left: Some(shown(amount)),
                    below: Some(below),
                    ..new(
                        NoticeKind::Low,
                        Some(&rule.name),
                        format!("less than {words} is left: {left}"),
                    )
                }
            }
            Notice::Ends { .. } if rules.notices.before_end == 0 => return None,
            Notice::Ends { end, ending: Ending::Balance { unit, amount, source, .. } } => {
                let left = in_words(amount, unit, currency);
                let offer = rules.source_name(source);
                let of_offer = offer.as_ref().map_or(String::new(), |offer| format!(" of {offer}"));
                let text = format!("{left}{of_offer} can be used until {}", shown(end));
                SubscriberNotice {
                    unit: Some(unit.into()),
                    left: Some(amount::shown(amount, unit, currency)),
                    until: Some(shown(end)),
                    ..new(NoticeKind::BalanceEnding, offer.as_deref(), text)
                }
            }
            Notice::Ends { end, ending: Ending::Stage(next) } => {
                let what = match next {
                    Standing::PreActive | Standing::Active => return None,
                    Standing::Grace => "pays for services",
                    Standing::Suspended => "can be used",
                    Standing::Closed => "stays open",
                };
                let text = format!("without a refill, the account {what} until {}", shown(end));
                let until = Some(shown(end));
                SubscriberNotice { until, ..new(NoticeKind::AccountEnding, None, text) }
            }
            Notice::Stage(standing) => {
                let (kind, text) = match standing {
                    Standing::PreActive | Standing::Active => return None,
                    Standing::Grace => (NoticeKind::Grace, "the account is in grace"),
                    Standing::Suspended => (NoticeKind::Suspended, "the account is suspended"),
                    Standing::Closed => (NoticeKind::Closed, "the account is closed"),
                };
                new(kind, None, format!("{text}, since it was not refilled in time"))
            }
            Notice::Unpaid(system) => {
                let name = rules.offer_of(system).unwrap_or_default();
                let (kind, what) = match system.kind {
                    SystemKind::Fee => (NoticeKind::FeeUnpaid, "fee"),
                    _ => (NoticeKind::BundleUnpaid, "bundle"),
                };
                new(kind, Some(name), format!("there is not enough money for the {what} {name}"))
            }
            Notice::Spent { limit, is_reached, number } => {
                let name = rules.offers.get(usize::from(limit)).map_or("", String::as_str);
                let number = (number > 0).then(|| number.to_string());
                let whose = number.as_ref().map_or(String::new(), |number| format!(" of {number}"));
                let (kind, text) = match is_reached {
                    true => (NoticeKind::LimitReached, "is reached"),
                    false => (NoticeKind::LimitNear, "is spent to 80 %"),
                };
                let text = format!("the limit {name}{whose} {text}");
                SubscriberNotice { number, ..new(kind, Some(name), text) }
            }
        })
    }
}

/// Returns an amount with its unit.
fn in_words(amount: i64, unit: Unit, currency: Currency) -> String {
    let shown = amount::shown(amount, unit, currency);
    match unit {
        Unit::Money => format!("{shown} {}", currency.code()),
        _ => format!("{shown} {}", AmountUnit::from(unit).word()),
    }
}
