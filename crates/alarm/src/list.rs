//! Lists of alarms. Raised alarms are few, since there is one for each thing that is wrong; all alarms are read a page at a
//! time.

use std::ops::Range;

use runtime::time::shown;
use serde::Serialize;
use store::{Connection, QueryResult, Row, params};
use utoipa::ToSchema;

use crate::{EventType, Kind, Registry, Severity};

const SELECT: &str =
    "SELECT alarm.id, kind, alarm.subject, text, raised_ms, cleared_ms, who, at_ms, reason
    FROM alarm LEFT JOIN trail ON trail.id = acknowledged";

/// An alarm that is raised, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Alarm {
    /// The alarm's number. 0 if the journal cannot store the alarm, because the disk is full.
    pub id: i64,
    /// The kind of alarm: `disk-low`.
    pub kind: String,
    /// The object that the alarm is about: a network element, a receiver, a folder. May be empty.
    pub subject: String,
    /// The problem, in words.
    pub text: String,
    /// When the alarm was raised, such as `2026-11-21T14:05:00Z`.
    pub raised: String,
    /// When the alarm was cleared. Absent while it is raised.
    pub cleared: Option<String>,
    /// The severity of this kind of alarm, or `cleared`.
    pub severity: Severity,
    /// The event type (X.733).
    pub event_type: EventType,
    /// The probable cause (X.733).
    pub probable_cause: &'static str,
    /// The acknowledgement, if a user has acknowledged the alarm.
    pub acknowledged: Option<Acknowledgement>,
}

/// The acknowledgement of an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Acknowledgement {
    /// The user.
    pub who: String,
    /// When the user acknowledged the alarm.
    pub at: String,
    /// The user's remark; empty if there is none.
    pub remark: String,
}

/// Returns all alarms that are raised, the oldest first.
pub fn all_raised(db: &Connection, registry: Registry) -> QueryResult<Vec<Alarm>> {
    let mut select =
        db.prepare(&format!("{SELECT} WHERE cleared_ms IS NULL ORDER BY raised_ms, alarm.id"))?;
    select.query_map([], |row| Alarm::of(row, registry))?.collect()
}

/// Returns the alarms of a page that were raised at some time of a period (in milliseconds since 1970), also cleared ones, and
/// one more if there are more.
pub fn recent(
    db: &Connection,
    registry: Registry,
    period: &Range<i64>,
    page: store::Page,
) -> QueryResult<Vec<Alarm>> {
    let mut select = db.prepare(&format!(
        "{SELECT} WHERE alarm.id > ?1 AND alarm.id < ?2
             AND raised_ms < ?4 AND (cleared_ms IS NULL OR cleared_ms > ?3)
         ORDER BY alarm.id {} LIMIT ?5",
        page.order()
    ))?;
    let values = params![page.above(), page.below(), period.start, period.end, page.one_more()];
    select.query_map(values, |row| Alarm::of(row, registry))?.collect()
}

impl Alarm {
    fn of(row: &Row<'_>, registry: Registry) -> QueryResult<Self> {
        let kind: String = row.get(1)?;
        let cleared: Option<i64> = row.get(5)?;
        let Kind { severity, event_type, probable_cause, .. } = registry.kind(&kind);
        let acknowledged = match row.get(6)? {
            Some(who) => Some(Acknowledgement { who, at: shown(row.get(7)?), remark: row.get(8)? }),
            None => None,
        };
        Ok(Alarm {
            id: row.get(0)?,
            kind,
            subject: row.get(2)?,
            text: row.get(3)?,
            raised: shown(row.get(4)?),
            cleared: cleared.map(shown),
            severity: if cleared.is_some() { Severity::Cleared } else { severity },
            event_type,
            probable_cause,
            acknowledged,
        })
    }
}
