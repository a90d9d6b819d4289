//! What `tollgate charge show` says of requests and answers.

use operate::prepaid::calls::{ChargingFigures, ChargingTraffic, RefusalCount, Times};

use crate::outcome::CommandError;
use crate::table::{Column, Table, cell, number, text};

const REQUESTS: [Column; 3] = [text("requests"), number("count"), number("a second")];

/// Shows what networks asked since the start, and in the last minute.
pub(super) fn show(of: &ChargingTraffic, figures: &ChargingFigures) -> Result<(), CommandError> {
    say!("to be folded:  {} batches", figures.unfolded_batches)?;
    say!("")?;
    let mut table = Table::report(crate::progress::Aside(std::io::stdout()), &REQUESTS);
    for request in of.requests.iter().filter(|request| request.count > 0) {
        let per_second = format!("{:.1}", request.per_second);
        table.row([cell(&request.kind), cell(request.count), cell(per_second)])?;
    }
    table.end()?;
    let refused = of.refused.iter().map(|RefusalCount { code, count }| format!("{count} {code}"));
    let refused = refused.collect::<Vec<_>>().join(", ");
    say!("")?;
    say!("since:           {}", of.since)?;
    say!("refused:         {}", if refused.is_empty() { "none" } else { &refused })?;
    say!("repeated:        {}", of.repeated)?;
    say!("unknown session: {}", of.unknown_sessions)?;
    say!("replaced sessions: {}", of.replaced_sessions)?;
    say!("lapsed sessions: {}", of.lapsed_sessions)?;
    say!("answers:         {}", times(of.answers))?;
    say!("disk:            {}", times(of.commits))?;
    say!("batch size:      {:.1}", of.batch_size)?;
    say!("revenue:         {} {} a minute", of.revenue_per_minute, figures.currency)?;
    Ok(())
}

fn times(of: Option<Times>) -> String {
    match of {
        Some(Times { p50_ms, p99_ms }) => format!("p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms"),
        None => "none in the last minute".to_owned(),
    }
}
