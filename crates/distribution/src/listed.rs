//! Lists deliveries page by page: a journal has those of more than a year.

use std::ops::Range;
use std::path::Path;

use flow::reasons::{self, SELECTED};
use runtime::time::shown;
use store::{Connection, Page, QueryResult, Row, TimeIndex, params};

use super::report::{Delivery, DeliveryState};

/// The deliveries that are listed.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'l> {
    /// The receiver; `None` for all.
    pub system: Option<&'l str>,
    /// The code of the last failure; `None` for any, and none.
    pub code: Option<&'l str>,
    /// The states.
    pub states: &'l [DeliveryState],
    /// When they came to the state, in milliseconds since 1970.
    pub since: &'l Range<i64>,
}

/// A delivery comes into its state soon after it gets its number, unless its receiver is away.
const BY_TIME: TimeIndex =
    TimeIndex { table: "delivery", name: "delivery_by_time", column: "at_ms" };

/// Returns the deliveries of a page, and whether there are more.
pub fn deliveries(
    db: &Connection,
    listed: Listed<'_>,
    page: Page,
) -> QueryResult<(Vec<Delivery>, bool)> {
    let bounds = page.between(BY_TIME.between(db, listed.since)?);
    let mut found = Vec::new();
    for state in listed.states {
        // A file that is there has no failure any more.
        if listed.code.is_none() || *state != DeliveryState::Delivered {
            found.extend(in_state(db, listed, *state, (page, bounds))?);
        }
    }
    // Each state yields at most as many as the whole list may have.
    Ok(page.of(found, |delivery| delivery.id))
}

/// Returns the deliveries of a page in one state, and one more if there are more. Each state has an
/// index by receiver and number.
fn in_state(
    db: &Connection,
    Listed { system, code, since, .. }: Listed<'_>,
    state: DeliveryState,
    (page, (above, below)): (Page, (i64, i64)),
) -> QueryResult<Vec<Delivery>> {
    let (index, condition) = match state {
        DeliveryState::Waiting => ("delivery_open", "state IN ('waiting', 'put')"),
        DeliveryState::Unacknowledged => ("delivery_sent", "state = 'sent'"),
        DeliveryState::GivenUp => ("delivery_dead", "state = 'dead' AND discarded IS NULL"),
        DeliveryState::Discarded => ("delivery_discarded", "discarded IS NOT NULL"),
        DeliveryState::Delivered => ("delivery_delivered", "state = 'delivered'"),
    };
    let is_on_page = "id > ?1 AND id < ?2 AND at_ms >= ?6 AND at_ms < ?7
         AND (?5 IS NULL OR reason_id IN (SELECT reason.id FROM reason WHERE code = ?5))";
    let order = format!("ORDER BY id {} LIMIT ?3", page.order());
    // Without a receiver, the rows of a frequent state are found by scanning numbers, and those of
    // a rare state by its index alone.
    let rows = match (system, state) {
        (Some(_), _) => format!(
            "INDEXED BY {index} WHERE {condition} AND {is_on_page} AND post_processing_system = ?4 {order}"
        ),
        (None, DeliveryState::Delivered) => {
            format!("NOT INDEXED WHERE {condition} AND {is_on_page} AND ?4 IS NULL {order}")
        }
        (None, _) => format!(
            "WHERE id IN (SELECT id FROM delivery INDEXED BY {index}
                 WHERE {condition} AND {is_on_page} AND ?4 IS NULL {order})"
        ),
    };
    let select = format!("SELECT {COLUMNS}, {SELECTED} FROM delivery {rows}");
    let values = params![above, below, page.one_more(), system, code, since.start, since.end];
    db.prepare(&select)?.query_map(values, Delivery::of)?.collect()
}

const COLUMNS: &str =
    "id, post_processing_system, path, records, iif(discarded IS NULL, state, 'discarded'), at_ms, failures, problem,
        ifnull(lies, iif(state = 'delivered' OR EXISTS (
            SELECT 1 FROM slice WHERE slice.delivery = delivery.id), NULL, path))";

impl Delivery {
    fn of(row: &Row<'_>) -> QueryResult<Self> {
        let path: String = row.get(2)?;
        let file = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
        let (code, values) = reasons::code_and_values(row, 9)?;
        Ok(Delivery {
            id: row.get(0)?,
            post_processing_system: row.get(1)?,
            file: file.into_owned(),
            records: row.get(3)?,
            state: DeliveryState::of(&row.get::<_, String>(4)?),
            since: shown(row.get(5)?),
            failures: row.get(6)?,
            problem: row.get(7)?,
            code,
            values,
            lies: row.get(8)?,
        })
    }
}
