//! Alerts, page by page.

use operate::fraud::{FraudAlerts, ListFraudAlerts};
use operate::page::PageQuery;

use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::CommandError;

/// Passes on all alerts that a request is for, page by page. The request has no page yet.
pub(super) fn each_page(
    flow: &FlowFile,
    request: &ListFraudAlerts,
    mut pass_on: impl FnMut(FraudAlerts) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let mut page = PageQuery::after(0);
    loop {
        let found = perform(flow, ListFraudAlerts { page, ..request.clone() })?;
        page.after = found.alerts.last().map(|alert| alert.id);
        let more = found.more;
        pass_on(found)?;
        if !more {
            return Ok(());
        }
    }
}
