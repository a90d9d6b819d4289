//! What is stored of a subject, by its key, and how it is erased.
//!
//! Alerts and cases stay without what tells whose they are, since they count for their rules: what became of a rule's alerts must not
//! change because a subscriber has the right to be forgotten.

use store::{Connection, QueryResult, params};

/// What stands in place of a text that was erased.
pub const ERASED: &str = "erased";

/// How much was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Alerts, whose keys and conditions are erased.
    pub alerts: usize,
    /// Records that alerts were about.
    pub records: usize,
    /// Cases, whose keys and reasons are erased.
    pub cases: usize,
    /// Steps of cases, whose remarks are erased.
    pub steps: usize,
    /// Entries of lists that mattered.
    pub list_hits: usize,
}

/// Returns whether something is stored about a key.
pub fn knows(db: &Connection, key: &str) -> QueryResult<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM alert_found WHERE key = ?1) OR EXISTS (SELECT 1 FROM fraud_case WHERE key = ?1)
                      OR EXISTS (SELECT 1 FROM list_hit WHERE entry = ?1)";
    db.prepare_cached(select)?.query_row([key], |row| row.get(0))
}

/// Erases a subject. `marker` is its key from now on, which is no key of another one.
pub fn erase(db: &Connection, key: &str, marker: &str) -> QueryResult<Erased> {
    let records =
        "DELETE FROM alert_record WHERE alert IN (SELECT id FROM alert_found WHERE key = ?)";
    let records = db.prepare_cached(records)?.execute([key])?;
    // The number of a record would lead to it in the archive. The file stays: the alert is deleted with it.
    let alerts =
        "UPDATE alert_found SET key = ?2, condition = ?3, digest = x'', record = 0 WHERE key = ?1";
    let alerts = db.prepare_cached(alerts)?.execute(params![key, marker, ERASED])?;
    let steps = "UPDATE fraud_case_step SET remark = ?2
                 WHERE fraud_case IN (SELECT id FROM fraud_case WHERE key = ?1) AND step <> 'assigned' AND remark <> ''";
    let steps = db.prepare_cached(steps)?.execute([key, ERASED])?;
    let cases =
        "UPDATE fraud_case SET key = ?2, reason = iif(reason IS NULL, NULL, ?3) WHERE key = ?1";
    let cases = db.prepare_cached(cases)?.execute(params![key, marker, ERASED])?;
    let counted = "INSERT INTO list_hit SELECT list, ?2, hits, last_ms FROM list_hit WHERE entry = ?1
                   ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, last_ms = max(last_ms, excluded.last_ms)";
    db.prepare_cached(counted)?.execute([key, ERASED])?;
    let list_hits = db.prepare_cached("DELETE FROM list_hit WHERE entry = ?")?.execute([key])?;
    Ok(Erased { alerts, records, cases, steps, list_hits })
}

/// Returns other keys of alerts and cases that have a text within, such as pairs with a number: those that are meant, and so many at
/// most.
pub fn keys_with(
    db: &Connection,
    text: &str,
    is_meant: impl Fn(&str) -> bool,
    most: usize,
) -> QueryResult<Vec<String>> {
    let select = "SELECT key FROM alert_found WHERE instr(key, ?1) > 0 AND key <> ?1
                  UNION SELECT key FROM fraud_case WHERE instr(key, ?1) > 0 AND key <> ?1";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query([text])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        if is_meant(&key) {
            keys.push(key);
        }
        if keys.len() == most {
            break;
        }
    }
    Ok(keys)
}
