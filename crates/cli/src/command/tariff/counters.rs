//! `tollgate tariff counters`: what the rating nodes of a flow have counted of a subscriber.

use std::io::{self, Write};
use std::path::PathBuf;

use flow::KeptOf;
use rating::{KeptCounter, KeptCounters};

use crate::command::{CommandError, Outcome, json};

/// Arguments of `tollgate tariff counters`.
#[derive(Debug, clap::Args)]
pub(crate) struct Counters {
    /// The flow file
    flow: PathBuf,
    /// Whose: the served number in its international form, or what `account` says
    account: String,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Counters {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Counters { flow, account, node, json } = self;
        let kept = flow::kept(&flow, &account);
        let mut kept = kept.map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
        kept.retain(|of| node.as_ref().is_none_or(|node| *node == of.node));
        if kept.is_empty() {
            let message = format!("no counters of \"{account}\" are kept");
            return Err(CommandError::Mistakes(message));
        }
        let mut out = io::stdout().lock();
        for KeptOf { node, octets, file } in &kept {
            let counters = KeptCounters::read(octets)
                .map_err(|fault| CommandError::Mistakes(format!("\"{node}\": {fault}")))?;
            let file = file.as_deref().unwrap_or("-");
            for KeptCounter { of, name, period, used } in counters.all() {
                if json {
                    let counter = serde_json::json!({
                        "node": node, "of": of, "name": name, "period": period, "used": used,
                        "changed_by": file,
                    });
                    json::line(&mut out, &counter)?;
                } else {
                    writeln!(
                        out,
                        "{node}  {of} {name:<20} {period:<10}  {used} used, last by {file}"
                    )?;
                }
            }
        }
        Ok(Outcome::Clean)
    }
}
