//! Lists deliveries page by page: a journal has those of more than a year.

use std::path::Path;

use runtime::time::shown;
use store::{Answer, Connection, Row, params};

use super::report::{Delivery, DeliveryState, Which};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::names;
use flow::recent::Recent;

/// The deliveries per page. A slow reader does not block the journal between pages.
const PAGE: u32 = 1_000;

/// Calls `give` with each delivery of a flow, the oldest first, until `give` returns an error. It works with and
/// without a running gateway.
pub fn deliveries<E>(
    flow: &Path,
    system: Option<&str>,
    which: Which,
    mut give: impl FnMut(Delivery) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    names::known_system(flow, system)?;
    let mut last = 0;
    loop {
        let page = flow_journal::read(flow, |db| page(db, system, which, last))?;
        let Some(end) = page.last() else { return Ok(Ok(())) };
        last = end.id;
        if let Err(error) = page.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
    }
}

/// Returns the page after a delivery.
fn page(db: &Connection, system: Option<&str>, which: Which, last: i64) -> Answer<Vec<Delivery>> {
    let mut select = db.prepare(&format!(
        "{SELECT} WHERE id > ?1 AND (?2 IS NULL OR post_processing_system = ?2)
             AND (?3 OR (state <> 'delivered' AND discarded IS NULL)) ORDER BY id LIMIT ?4"
    ))?;
    let all = which == Which::All;
    select.query_map(params![last, system, all, PAGE], Delivery::of)?.collect()
}

/// Returns the newest deliveries in some states, and whether there are more.
pub fn recent_deliveries(
    flow: &Path,
    system: Option<&str>,
    states: &[DeliveryState],
    page: Recent,
) -> Result<(Vec<Delivery>, bool), JournalError> {
    flow_journal::read(flow, |db| {
        let mut found = Vec::new();
        for state in states {
            found.extend(newest(db, system, *state, page)?);
        }
        // Each state yields at most as many as the whole list may have.
        Ok(page.of(found, |delivery| delivery.id))
    })
}

/// Returns the newest deliveries of one state. Each state has an index by receiver and number.
fn newest(
    db: &Connection,
    system: Option<&str>,
    state: DeliveryState,
    page: Recent,
) -> Answer<Vec<Delivery>> {
    let (index, is_so) = match state {
        DeliveryState::Waiting => ("delivery_open", "state IN ('waiting', 'put')"),
        DeliveryState::Unacknowledged => ("delivery_sent", "state = 'sent'"),
        DeliveryState::GivenUp => ("delivery_dead", "state = 'dead' AND discarded IS NULL"),
        DeliveryState::Discarded => ("delivery_discarded", "discarded IS NOT NULL"),
        DeliveryState::Delivered => ("delivery_delivered", "state = 'delivered'"),
    };
    // Without a receiver, the rows of a frequent state are found by scanning numbers, and those of a rare state by its
    // index alone.
    let select = match (system, state) {
        (Some(_), _) => format!(
            "{SELECT} INDEXED BY {index} WHERE {is_so} AND id < ?1 AND post_processing_system = ?3
             ORDER BY id DESC LIMIT ?2 + 1"
        ),
        (None, DeliveryState::Delivered) => format!(
            "{SELECT} NOT INDEXED WHERE {is_so} AND id < ?1 AND ?3 IS NULL ORDER BY id DESC LIMIT ?2 + 1"
        ),
        (None, _) => format!(
            "{SELECT} WHERE id IN (SELECT id FROM delivery INDEXED BY {index}
                 WHERE {is_so} AND id < ?1 AND ?3 IS NULL ORDER BY id DESC LIMIT ?2 + 1)"
        ),
    };
    let values = params![page.before(), page.limit, system];
    db.prepare(&select)?.query_map(values, Delivery::of)?.collect()
}

const SELECT: &str =
    "SELECT id, post_processing_system, path, records, iif(discarded IS NULL, state, 'discarded'), at_ms, failures, problem,
        ifnull(lies, iif(state = 'delivered' OR EXISTS (
            SELECT 1 FROM slice WHERE slice.delivery = delivery.id), NULL, path))
    FROM delivery";

impl Delivery {
    fn of(row: &Row<'_>) -> Answer<Self> {
        let path: String = row.get(2)?;
        let file = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
        Ok(Delivery {
            id: row.get(0)?,
            post_processing_system: row.get(1)?,
            file: file.into_owned(),
            records: row.get(3)?,
            state: DeliveryState::of(&row.get::<_, String>(4)?),
            since: shown(row.get(5)?),
            failures: row.get(6)?,
            problem: row.get(7)?,
            lies: row.get(8)?,
        })
    }
}
