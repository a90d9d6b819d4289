//! Reasons in the journal. The code and the template of a reason are in a table of their own, since many records share
//! them. A record has the whole text, by which it is searched, and the values.

use reason::Reason;
use serde::Serialize;
use store::{Answer, Connection, OptionalExtension as _, Row};
use utoipa::ToSchema;

/// A value in a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ReasonValue)]
pub struct ReasonValue {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A reason, as the columns of a record have it.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) text: String,
    pub(crate) id: i64,
    pub(crate) values: String,
}

/// Returns the columns of a reason. Notes it if it is new.
pub(crate) fn columns(db: &Connection, reason: &Reason) -> Answer<Columns> {
    let of = [reason.code(), reason.template()];
    let select = "SELECT id FROM reason WHERE code = ? AND template = ?";
    let found = db.prepare_cached(select)?.query_row(of, |row| row.get(0)).optional()?;
    let id = match found {
        Some(id) => id,
        None => {
            let insert = "INSERT INTO reason (code, template) VALUES (?, ?)";
            db.prepare_cached(insert)?.insert(of)?
        }
    };
    let values = serde_json::to_string(reason.values()).map_err(store::undone)?;
    Ok(Columns { text: reason.to_string(), id, values })
}

/// Returns the values in a column. Damaged ones are none.
pub(crate) fn values(column: Option<&str>) -> Vec<String> {
    column.and_then(|values| serde_json::from_str(values).ok()).unwrap_or_default()
}

/// Reads the values of a record: its columns `template` and `reason_values`. A record of an earlier version has none.
pub(crate) fn of_row(row: &Row<'_>, template: usize) -> Answer<Vec<ReasonValue>> {
    let Some(template_text) = row.get_ref(template)?.as_str_or_null()? else {
        return Ok(Vec::new());
    };
    let values = values(row.get_ref(template + 1)?.as_str_or_null()?);
    let named = reason::names(template_text).zip(values);
    Ok(named.map(|(name, value)| ReasonValue { name: name.to_owned(), value }).collect())
}
