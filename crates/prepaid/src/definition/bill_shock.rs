//! The limit that data abroad has in the European Union if the operator sets none (Regulation (EU) 2022/612, Article 14).

use charging::{Policy, SpendLimit};
use rating::{Currency, Plans, Unit};

use super::Reading;
use diagnostics::{Diagnostic, Span};

/// The countries of the European Economic Area, where the regulation holds (ISO 3166).
const COUNTRIES: [&str; 30] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS",
    "IT", "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// What a subscriber may spend in a month on data abroad without having agreed to more: 50 EUR without tax, in billionths.
const AMOUNT: i64 = 50_000_000_000;

/// The name of the limit.
const NAME: &str = "data-abroad";

impl Reading<'_> {
    /// Limits data abroad, where that is the law and no limit is set: one of data abroad, or one of all data that is as low.
    /// What 50 EUR are in another currency, the operator says.
    pub(super) fn limit_data_abroad(
        &mut self,
        (currency, plans): (Currency, &Plans),
        policy: &mut Policy,
    ) {
        let mut services = data_abroad(plans);
        let limits = &policy.spend_limits;
        let is_low = |limit: &SpendLimit| currency.code() == "EUR" && limit.amount <= AMOUNT;
        let is_meant = |limit: &SpendLimit| limit.is_roaming || is_low(limit);
        let is_limited =
            |name: &String| limits.iter().any(|of| is_meant(of) && of.services.contains(name));
        services.retain(|name| !is_limited(name));
        if services.is_empty() {
            return;
        }
        if currency.code() != "EUR" || limits.iter().any(|limit| limit.name == NAME) {
            let message = "data abroad has no limit: in the European Union, it must have one of 50 EUR a month without tax, unless the subscriber chose another";
            let hint = format!(
                "write [limits.{NAME}] with services = [\"{}\"], only-abroad = true and the amount in {}",
                services.join("\", \""),
                currency.code()
            );
            let warning = Diagnostic::warning(&self.source, Span::default(), message);
            self.mistakes.push(warning.hint(hint));
            return;
        }
        // It gets its number where its names get their places.
        policy.spend_limits.push(SpendLimit {
            name: NAME.to_owned(),
            number: 0,
            services,
            is_roaming: true,
            is_each_number: false,
            amount: AMOUNT,
        });
    }
}

/// Returns the services of data of operators in these countries whose subscribers roam.
fn data_abroad(plans: &Plans) -> Vec<String> {
    let mut services = Vec::new();
    for plan in plans.all() {
        if COUNTRIES.contains(&plan.country()) && plan.partners().next().is_some() {
            let of_plan = plan.services_in(Unit::Octets).map(str::to_owned);
            services.extend(of_plan.filter(|name| !services.contains(name)).collect::<Vec<_>>());
        }
    }
    services
}
