//! The records of an ended session: a line of JSON for each of its legs.

use accounts::AccountSession;
use charging::{EventKind, Quantity, SessionLeg, session_legs};
use ledger::EndCause;
use rating::{Currency, Money};
use runtime::time::shown;
use serde::Serialize;

use crate::interrogation::EventName;

/// A record. Times are in UTC, and money is in the major unit of the currency.
#[derive(Debug, Serialize)]
struct Line<'l> {
    /// The number of the ended session among all. A record has it and the leg for its key.
    record: u64,
    /// The key of the session: 32 hexadecimal digits.
    session: String,
    account: u64,
    #[serde(flatten)]
    leg: Option<LegFields<'l>>,
    end: String,
    /// What the leg paid; negative for a refund. Without a leg, what the session paid.
    price: String,
    currency: &'static str,
    /// What all legs paid together.
    session_price: String,
    /// `ended`, `lapsed`, `replaced`, `closed` or `late-usage`.
    cause: &'static str,
}

#[derive(Debug, Serialize)]
struct LegFields<'l> {
    leg: u32,
    service: &'l str,
    client: &'l str,
    served: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    called: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    partner: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventName>,
    start: String,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    octets: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
}

/// Writes the records of an ended session at the end of `to`, and returns their number.
pub(super) fn write(session: &AccountSession, currency: Currency, to: &mut Vec<u8>) -> usize {
    let legs = match session_legs(&session.memo).collect::<Result<Vec<_>, _>>() {
        Ok(legs) => legs,
        Err(why) => {
            let number = session.number;
            tracing::warn!(target: super::LOG, "record {number} has no legs: {why}");
            Vec::new()
        }
    };
    if legs.is_empty() {
        write_line(&Line::new(session, currency, None), to);
        return 1;
    }
    check_sum(session, &legs);
    let recorded = legs.iter().filter(|leg| is_recorded(session, leg));
    let lines = recorded.map(|leg| Line::new(session, currency, Some(leg)));
    lines.map(|line| write_line(&line, to)).count()
}

/// Returns whether a leg has a record: not if it was only an enquiry, or if only another one was used late.
fn is_recorded(session: &AccountSession, leg: &SessionLeg<'_>) -> bool {
    let is_use = matches!(leg.event, None | Some(EventKind::Debit | EventKind::Refund));
    match session.ended.cause {
        EndCause::LateUsage { leg: late } => is_use && leg.leg == late,
        _ => is_use,
    }
}

/// Logs if the legs of a session have not paid what its entries say. A refund is no entry of a session.
fn check_sum(session: &AccountSession, legs: &[SessionLeg<'_>]) {
    let paying = legs.iter().filter(|leg| leg.event != Some(EventKind::Refund));
    let sum: i128 = match session.ended.cause {
        EndCause::LateUsage { leg: late } => {
            paying.filter(|leg| leg.leg == late).map(|leg| i128::from(leg.price)).sum()
        }
        _ => paying.map(|leg| i128::from(leg.price)).sum(),
    };
    let (number, paid) = (session.number, session.ended.paid);
    if sum != paid {
        tracing::warn!(
            target: super::LOG,
            "record {number}: the legs cost {sum} billionths, and the session paid {paid}; it may have begun with an \
             older version"
        );
    }
}

impl<'l> Line<'l> {
    fn new(session: &AccountSession, currency: Currency, leg: Option<&SessionLeg<'l>>) -> Self {
        let AccountSession { number, account, ended, .. } = session;
        let money = |nanos| Money { nanos, currency }.amount().to_string();
        Line {
            record: *number,
            session: format!("{:032x}", ended.session.0),
            account: account.0,
            leg: leg.map(LegFields::of),
            end: shown(ended.at),
            price: money(leg.map_or(ended.paid, |leg| leg.price.into())),
            currency: currency.code(),
            session_price: money(ended.paid),
            cause: word(ended.cause),
        }
    }
}

impl<'l> LegFields<'l> {
    fn of(leg: &SessionLeg<'l>) -> Self {
        let SessionLeg { leg, service, client, event, used, .. } = *leg;
        let Quantity { seconds, octets, events, .. } = used;
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        LegFields {
            leg,
            service: service.name,
            client,
            served: text(service.served),
            called: text(service.other),
            partner: service.partner,
            event: event.map(EventName::from),
            start: shown(service.start.saturating_mul(1_000)),
            duration: seconds,
            octets,
            events,
        }
    }
}

fn word(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Ended => "ended",
        EndCause::Lapsed => "lapsed",
        EndCause::Replaced => "replaced",
        EndCause::Closed => "closed",
        EndCause::LateUsage { .. } => "late-usage",
    }
}

fn write_line(line: &Line<'_>, to: &mut Vec<u8>) {
    serde_json::to_writer(&mut *to, line).expect("texts and numbers are JSON");
    to.push(b'\n');
}
