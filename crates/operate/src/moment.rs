//! A time in a request.

use std::borrow::Cow;

use runtime::time::{TimeError, moment, shown};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// A time with its zone, `2026-11-21T14:05:00Z`, or the begin of a day in UTC, `2026-11-21`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment {
    /// Milliseconds since 1970.
    pub ms: i64,
}

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        let text = "A time with its zone, `2026-11-21T14:05:00Z`, or the begin of a day in UTC, `2026-11-21`.";
        ObjectBuilder::new().schema_type(Type::String).description(Some(text)).into()
    }
}

impl ToSchema for Moment {
    fn name() -> Cow<'static, str> {
        "Moment".into()
    }
}

impl TryFrom<String> for Moment {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        moment(&text).map(|ms| Moment { ms })
    }
}

impl From<Moment> for String {
    fn from(Moment { ms }: Moment) -> Self {
        shown(ms)
    }
}
