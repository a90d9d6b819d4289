//! `tollgate charge check`: what a definition says, before it is used.

use operate::mistakes::Mistake;
use prepaid::{Definition, DiameterSummary, FeeSummary, LimitSummary, Summary, ThresholdSummary};
use serde_json::json;

use super::defined::{Defined, read};
use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;

pub(super) fn check(defined: &Defined) -> Result<Outcome, CommandError> {
    let definition = read(defined)?;
    let summary = definition.summary();
    let http = definition.http.as_ref().map(|http| http.listen.to_string());
    match defined.json {
        true => {
            let mut all = json!(summary);
            all["http"] = json!(http);
            all["warnings"] =
                definition.warnings.iter().map(Mistake::of).map(|of| json!(of)).collect();
            json::line(&mut output::lines(), &all)?;
        }
        false => {
            let facts = facts(&definition, &summary, http);
            let width = facts.iter().map(|(name, _)| name.len() + 1).max().unwrap_or(0);
            for (name, fact) in facts {
                say!("{:width$} {fact}", format!("{name}:"))?;
            }
        }
    }
    output::diagnostics(&definition.warnings);
    Ok(Outcome::Clean)
}

/// Returns what a definition has, in words. What it does not have is left out.
fn facts(
    definition: &Definition,
    summary: &Summary,
    http: Option<String>,
) -> Vec<(&'static str, String)> {
    let Summary { plans, currency, bundles, fees, bonuses, limits, thresholds, .. } = summary;
    let fee = |FeeSummary { fee, amount }: &FeeSummary| format!("{fee} {amount} {currency}");
    let limit = |of: &LimitSummary| limit_words(of, currency);
    let threshold = |ThresholdSummary { threshold, below }: &ThresholdSummary| {
        format!("{threshold} below {below}")
    };
    let per_day = summary.transfers_per_day.as_ref();
    let transfers = [
        summary.transfer_fee.as_ref().map(|fee| format!("{fee} {currency} each")),
        per_day.map(|most| format!("{most} {currency} a day at most")),
    ];
    let accounts = match &definition.database {
        Some(database) => format!("in the database {database}"),
        None => format!("in {}", definition.state.display()),
    };
    let all = [
        ("plans", format!("{} ({currency})", plans.join(", "))),
        ("bundles", bundles.join(", ")),
        ("fees", fees.iter().map(fee).collect::<Vec<_>>().join(", ")),
        ("bonuses", bonuses.join(", ")),
        ("limits", limits.iter().map(limit).collect::<Vec<_>>().join("; ")),
        ("thresholds", thresholds.iter().map(threshold).collect::<Vec<_>>().join(", ")),
        ("transfers", transfers.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("networks", http.unwrap_or_else(|| without_http(summary).to_owned())),
        ("diameter", summary.diameter.as_ref().map(diameter_words).unwrap_or_default()),
        ("accounts", accounts),
    ];
    all.into_iter().filter(|(_, fact)| !fact.is_empty()).collect()
}

/// Returns what stands in place of the address of HTTP; nothing where networks use Diameter.
fn without_http(summary: &Summary) -> &'static str {
    match summary.diameter {
        Some(_) => "",
        None => "no [http] and no [diameter] in the definition",
    }
}

/// Returns a node of Diameter in words: `charging.example.net at 127.0.0.1:3868; peers: smf.example.net`.
fn diameter_words(DiameterSummary { host, listen, tls, sctp, peers }: &DiameterSummary) -> String {
    let tls = tls.iter().map(|address| format!("{address} (TLS)"));
    let sctp = sctp.iter().map(|address| format!("{address} (SCTP)"));
    let listen: Vec<String> = listen.iter().cloned().chain(tls).chain(sctp).collect();
    let peers = match &peers[..] {
        [] => "all of this machine".to_owned(),
        peers => peers.join(", "),
    };
    format!("{host} at {}; peers: {peers}", listen.join(" and "))
}

/// Returns a limit in words: `data-abroad 50.00 EUR a month without tax, data abroad`.
fn limit_words(of: &LimitSummary, currency: &str) -> String {
    let LimitSummary { limit, services, amount, only_abroad, each_number } = of;
    let services = services.join(" and ");
    let abroad = if *only_abroad { " abroad" } else { "" };
    let each = if *each_number { ", each number" } else { "" };
    format!("{limit} {amount} {currency} a month without tax, {services}{abroad}{each}")
}
