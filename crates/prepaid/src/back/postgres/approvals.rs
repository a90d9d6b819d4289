//! Calls that wait for a second person, in a database.

use accounts::AccountsError;
use accounts_postgres::{Fault, Row, Transaction};

use super::{Postgres, column, stores};
use crate::approvals::StoredRequest;
use crate::back::BesideRow;

/// Deletes a request. Returns whether it waited.
pub(super) fn delete(of: &mut Transaction<'_>, number: i64) -> Result<bool, Fault> {
    let delete = "DELETE FROM approval_request WHERE number = $1 RETURNING 1";
    Ok(!of.query(delete, &[&number])?.is_empty())
}

/// The request was rejected while it was approved.
#[derive(Debug, thiserror::Error)]
#[error("request {0} waits no longer: it was approved or rejected in this moment")]
struct RequestGone(i64);

/// Deletes a request that is done in this transaction.
pub(super) fn finish(of: &mut Transaction<'_>, number: i64) -> Result<(), Fault> {
    match delete(of, number)? {
        true => Ok(()),
        false => Err(Fault::Undone(RequestGone(number).into())),
    }
}

fn request(row: &Row) -> Result<StoredRequest, AccountsError> {
    Ok(StoredRequest {
        number: column(row, 0)?,
        at: column(row, 1)?,
        who: column(row, 2)?,
        call: column(row, 3)?,
        subject: column(row, 4)?,
        because: column(row, 5)?,
        request: column(row, 6)?,
    })
}

/// Stores a request, or finds the same one. Returns its number, and whether it is new; `None` if so many wait already.
fn insert(
    of: &mut Transaction<'_>,
    request: &StoredRequest,
    requests_max: usize,
) -> Result<Option<(i64, bool)>, Fault> {
    let StoredRequest { number: _, at, who, call, subject, because, request } = request;
    of.query("LOCK TABLE approval_request IN SHARE ROW EXCLUSIVE MODE", &[])?;
    let same = "SELECT number FROM approval_request WHERE call = $1 AND request = $2";
    if let Some(known) = of.query(same, &[call, request])?.first() {
        return Ok(Some((known.try_get(0)?, false)));
    }
    let count: i64 = of.query("SELECT count(*) FROM approval_request", &[])?[0].try_get(0)?;
    if count >= requests_max as i64 {
        return Ok(None);
    }
    let insert = "INSERT INTO approval_request (at_ms, who, call, subject, because, request)
                  VALUES ($1, $2, $3, $4, $5, $6) RETURNING number";
    let stored = of.query(insert, &[at, who, call, subject, because, request])?;
    Ok(Some((stored[0].try_get(0)?, true)))
}

impl Postgres {
    pub(in crate::back) fn approvals(&self) -> Result<Vec<StoredRequest>, AccountsError> {
        let select =
            "SELECT number, at_ms, who, call, subject, because, request FROM approval_request
                      ORDER BY number";
        self.front.ask(select, &[])?.iter().map(request).collect()
    }

    pub(in crate::back) fn approval(
        &self,
        number: i64,
    ) -> Result<Option<StoredRequest>, AccountsError> {
        let select =
            "SELECT number, at_ms, who, call, subject, because, request FROM approval_request
                      WHERE number = $1";
        self.front.ask(select, &[&number])?.first().map(request).transpose()
    }

    pub(in crate::back) fn await_approval(
        &self,
        request: StoredRequest,
        requests_max: usize,
        rows: Vec<BesideRow>,
    ) -> Result<Option<i64>, AccountsError> {
        self.transaction(|of| {
            let Some((number, is_new)) = insert(of, &request, requests_max)? else {
                return Ok(None);
            };
            if is_new {
                stores(&rows)(of)?;
            }
            Ok(Some(number))
        })
    }

    pub(in crate::back) fn reject(
        &self,
        number: i64,
        rows: Vec<BesideRow>,
    ) -> Result<bool, AccountsError> {
        self.transaction(|of| match delete(of, number)? {
            true => stores(&rows)(of).map(|()| true),
            false => Ok(false),
        })
    }
}
