//! A session as people see it: a call or connection in progress.

use charging::{Quantity, SessionLeg, last_grant, session_legs};
use ledger::{Account, AccountId, Millis, Session, Unit};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount;
use crate::rules::Rules;

/// A call or connection in progress, or one that has just ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenSession {
    /// The account that pays.
    pub account: u64,
    /// Its key: 32 hexadecimal digits.
    pub session: String,
    /// The client of the charging system that began it.
    pub client: String,
    /// The number that pays.
    pub number: String,
    /// The number that is called; empty without one.
    pub called: String,
    /// The services.
    pub services: Vec<String>,
    /// When it began.
    pub start: String,
    /// What was used and charged so far: `120 seconds`.
    pub used: String,
    /// What was granted last: `60 seconds`.
    pub granted: String,
    /// The money that it has paid.
    pub paid: String,
    /// The money that is reserved for it.
    pub reserved: String,
    /// Until when its grants are valid: the network reports what was used by then.
    pub valid_until: String,
    /// Whether its grants are no longer valid, and the network has reported nothing since.
    pub stuck: bool,
    /// Whether it has ended. Its requests may come again for a while.
    pub ended: bool,
    /// When it is over if nothing more comes; for an ended one, when it is forgotten.
    pub until: String,
}

impl OpenSession {
    pub(crate) fn of(
        (id, account, session): (AccountId, &Account, &Session),
        rules: &Rules,
        now: Millis,
    ) -> Self {
        let legs: Vec<SessionLeg<'_>> =
            session_legs(session.memo()).map_while(Result::ok).collect();
        let reserved = account.buckets().iter().filter(|bucket| bucket.unit == Unit::Money);
        let reserved: i64 = reserved.map(|bucket| session.reserved_from(bucket.id)).sum();
        let money = |nanos| rating::Money { nanos, currency: rules.currency }.amount().to_string();
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let first = legs.first();
        let start = legs.iter().map(|leg| leg.service.start).min().unwrap_or_default();
        let granted = legs.iter().filter_map(|leg| last_grant(session, leg.leg));
        let granted = granted.map(|grant| Quantity::only(grant.unit, grant.quantity));
        let valid_until = rules.charging.valid_until(session);
        OpenSession {
            account: id.0,
            session: format!("{:032x}", session.key.0),
            client: first.map_or_else(String::new, |leg| leg.client.to_owned()),
            number: first.map_or_else(String::new, |leg| text(leg.service.served)),
            called: first.map_or_else(String::new, |leg| text(leg.service.other)),
            services: legs.iter().map(|leg| leg.service.name.to_owned()).collect(),
            start: shown(start.saturating_mul(1_000)),
            used: sum(legs.iter().map(|leg| leg.used), rules),
            granted: match session.is_closed {
                true => String::new(),
                false => sum(granted, rules),
            },
            paid: money(session.paid()),
            reserved: money(reserved.into()),
            valid_until: shown(valid_until),
            stuck: !session.is_closed && valid_until < now,
            ended: session.is_closed,
            until: shown(session.until),
        }
    }
}

/// Returns the sum of quantities as a text.
fn sum(quantities: impl Iterator<Item = Quantity>, rules: &Rules) -> String {
    let add = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    let sum = quantities.fold(Quantity::default(), |sum, of| Quantity {
        seconds: add(sum.seconds, of.seconds),
        octets: add(sum.octets, of.octets),
        events: add(sum.events, of.events),
        money: add(sum.money, of.money),
    });
    amount::quantity(&sum, rules.currency)
}
