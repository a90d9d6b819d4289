//! Charging analysis: finds the tariff class of a usage by looking it up in one table after the other.

use crate::calendar::Place;
use crate::digits::{Digits, DigitsFault, Found, Number, TypeOfNumber};
use crate::no_tariff::{Cause, NoTariff};
use crate::plan::{Names, Plan};
use crate::usage::{Step, Usage, Watch};

/// The maximum number of known names in a message about an unknown one: as many as fit on a line.
const NAMES_SHOWN_MAX: usize = 8;

/// The result of charging analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Analysed {
    pub(crate) class: u16,
    pub(crate) subscriber: Option<u16>,
    /// The place whose clocks and holidays hold.
    pub(crate) place: Place,
}

impl Plan {
    /// Returns the name of the tariff class of a usage.
    pub fn tariff_class(&self, usage: &Usage<'_>) -> Result<&str, NoTariff> {
        self.analyse(usage, &mut ()).map(|found| self.class_names.get(found.class))
    }

    /// Returns a number in its international form, which is the same however the number was dialled.
    pub fn international(&self, number: Number<'_>) -> Result<Digits, DigitsFault> {
        let digits = self.dialling.normalise(number)?;
        self.check_number(digits)?;
        Ok(digits)
    }

    /// Returns whether a tariff class depends on the number that is served. If not, that number may be of any form.
    pub fn reads_served(&self) -> bool {
        self.analysis.origin.matters() || !self.subscribers.is_empty()
    }

    /// Checks that digits in international form are a valid number. A matching prefix alone does not make them one.
    #[inline]
    fn check_number(&self, digits: Digits) -> Result<(), DigitsFault> {
        self.dialling.check(digits)?;
        match self.national_prefix_behind_code {
            Some(never) if digits.starts_with(never) && self.begin_so.longest(digits).is_none() => {
                Err(DigitsFault::NationalPrefix)
            }
            _ => Ok(()),
        }
    }

    // Inlined so that the result is passed in registers.
    #[inline(always)]
    pub(crate) fn analyse(
        &self,
        usage: &Usage<'_>,
        watch: &mut impl Watch,
    ) -> Result<Analysed, NoTariff> {
        let service = self.service(usage, watch)?;
        let (origin, place) = self.origin(usage, watch)?;
        let subscriber = self.subscriber_type(usage, watch)?;
        let destination = match usage.other {
            Some(number) if self.analysis.destination.matters() => {
                Some(self.zone(number, "other", watch)?)
            }
            _ => None,
        };
        let cell = self.analysis.cell([service, subscriber, origin, destination]);
        let Some(row) = self.analysis.cells[cell].checked_sub(1) else {
            let values = self.described([service, subscriber, origin, destination]);
            return Err(NoTariff::new(Step::ChargingAnalysis, Cause::NoClass { usage: values }));
        };
        let row = self.analysis.rows[usize::from(row)];
        watch.step(
            Step::ChargingAnalysis,
            || {
                let values = self.described([service, subscriber, origin, destination]);
                format!("{values}: class \"{}\"", self.class_names.get(row.id))
            },
            Some(("analysis.csv", row.line)),
        );
        Ok(Analysed { class: row.id, subscriber, place })
    }

    fn service(&self, usage: &Usage<'_>, watch: &mut impl Watch) -> Result<Option<u16>, NoTariff> {
        if !self.analysis.service.matters() {
            return Ok(None);
        }
        let Some(name) = usage.service else { return Ok(None) };
        let id = known(&self.services, name, Step::Service, "analysis.csv")?;
        watch.step(Step::Service, || quoted(name), None);
        Ok(Some(id))
    }

    /// Returns the zone a usage comes from, and the place whose time holds: the partner's, or the home place.
    fn origin(
        &self,
        usage: &Usage<'_>,
        watch: &mut impl Watch,
    ) -> Result<(Option<u16>, Place), NoTariff> {
        if let Some(name) = usage.partner {
            let id = known(&self.partner_names, name, Step::RoamingPartner, "partners.csv")?;
            let partner = &self.partners[usize::from(id)];
            let found = || format!("\"{name}\": zone \"{}\"", self.zones.get(partner.zone));
            watch.step(Step::RoamingPartner, found, Some(("partners.csv", partner.line)));
            return Ok((Some(partner.zone), partner.place));
        }
        let origin = match usage.served {
            Some(number) if self.analysis.origin.matters() => {
                Some(self.zone(number, "served", watch)?)
            }
            _ => None,
        };
        Ok((origin, self.home))
    }

    fn subscriber_type(
        &self,
        usage: &Usage<'_>,
        watch: &mut impl Watch,
    ) -> Result<Option<u16>, NoTariff> {
        if self.subscriber_types.len() == 0 {
            return Ok(None);
        }
        if let Some(name) = usage.subscriber {
            let id = known(&self.subscriber_types, name, Step::SubscriberType, "the plan")?;
            watch.step(Step::SubscriberType, || quoted(name), None);
            return Ok(Some(id));
        }
        if let Some(place) = self.known_subscriber(usage)? {
            let id = self.subscribers.id(place);
            let name = || (quoted(self.subscriber_types.get(id)), self.subscribers.line(place));
            watch.step_in(Step::SubscriberType, "subscribers.csv", name);
            return Ok(Some(id));
        }
        if let Some(id) = self.default_subscriber {
            let found =
                || format!("{}, as nothing else is known", quoted(self.subscriber_types.get(id)));
            watch.step(Step::SubscriberType, found, None);
        }
        Ok(self.default_subscriber)
    }

    /// Returns the entry of `subscribers.csv` that matches the served number, if the plan has subscribers.
    fn known_subscriber(&self, usage: &Usage<'_>) -> Result<Option<usize>, NoTariff> {
        let served = usage.served.filter(|_| !self.subscribers.is_empty());
        let Some(served) = served.filter(|served| self.short_number(*served).is_none()) else {
            return Ok(None);
        };
        let digits = self.international(served).map_err(|fault| no_number(served, "served", fault));
        Ok(self.subscribers.longest(digits?))
    }

    /// Finds the zone of a number: numbers known as they are dialled first, then ported numbers, then prefixes.
    #[inline]
    fn zone(
        &self,
        number: Number<'_>,
        whose: &str,
        watch: &mut impl Watch,
    ) -> Result<u16, NoTariff> {
        if let Some(found) = self.short_number(number) {
            let text = || {
                format!("{whose} {} is known whole: {}", shown(number), self.zone_name(found.id))
            };
            watch.step(Step::NumberAnalysis, text, Some(("short.csv", found.line)));
            return Ok(found.id);
        }
        let none = |fault| no_number(number, whose, fault);
        let digits = self.dialling.normalise(number).map_err(none)?;
        if let Some(found) = self.ported.find(digits) {
            let text = || format!("{whose} {digits} is ported: {}", self.zone_name(found.id));
            watch.step(Step::NumberAnalysis, text, Some(("ported.csv", found.line)));
            return Ok(found.id);
        }
        self.check_number(digits).map_err(none)?;
        let Some(place) = self.prefixes.longest(digits) else {
            let (whose, number) = (whose.to_owned(), digits.to_string());
            return Err(NoTariff::new(Step::NumberAnalysis, Cause::NoPrefix { whose, number }));
        };
        let id = self.prefixes.id(place);
        let text =
            || (format!("{whose} {digits}: {}", self.zone_name(id)), self.prefixes.line(place));
        watch.step_in(Step::NumberAnalysis, "prefixes.csv", text);
        Ok(id)
    }

    /// Finds a number that is known as it is dialled. Most plans have few of them, or none.
    fn short_number(&self, number: Number<'_>) -> Option<Found> {
        let as_dialled = matches!(number.kind, TypeOfNumber::Unknown | TypeOfNumber::WithinNetwork);
        match self.short.is_empty() || !as_dialled {
            true => None,
            false => self.short.find(Digits::parse(number.digits).ok()?),
        }
    }

    fn zone_name(&self, id: u16) -> String {
        format!("zone \"{}\"", self.zones.get(id))
    }

    /// Describes the four things that a tariff class depends on, without those that the plan does not use.
    fn described(&self, values: [Option<u16>; 4]) -> String {
        let axes = [
            ("service", &self.analysis.service, &self.services),
            ("subscriber", &self.analysis.subscriber, &self.subscriber_types),
            ("from", &self.analysis.origin, &self.zones),
            ("to", &self.analysis.destination, &self.zones),
        ];
        let parts: Vec<String> = axes
            .iter()
            .zip(values)
            .filter(|((_, axis, _), _)| axis.matters())
            .map(|((what, _, names), value)| match value {
                Some(id) => format!("{what} \"{}\"", names.get(id)),
                None => format!("no {what}"),
            })
            .collect();
        if parts.is_empty() { "any usage".to_owned() } else { parts.join(", ") }
    }
}

#[cold]
fn no_number(number: Number<'_>, whose: &str, fault: DigitsFault) -> NoTariff {
    let (whose, number) = (whose.to_owned(), shown(number));
    NoTariff::new(Step::NumberAnalysis, Cause::Number { whose, number, fault })
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Returns the digits of a number as received.
fn shown(number: Number<'_>) -> String {
    diagnostics::shown(number.digits)
}

#[inline(always)]
fn known(names: &Names, name: &str, step: Step, table: &'static str) -> Result<u16, NoTariff> {
    names.find(name).ok_or_else(|| unknown(names, name, step, table))
}

#[cold]
#[inline(never)]
fn unknown(names: &Names, name: &str, step: Step, table: &'static str) -> NoTariff {
    let hint = diagnostics::did_you_mean(name, names.iter());
    let hint = hint.or_else(|| first(names)).map_or(String::new(), |hint| format!("; {hint}"));
    let name = name.escape_debug().to_string();
    NoTariff::new(step, Cause::UnknownName { table, name, hint })
}

/// Returns the first known names, and how many more there are.
fn first(names: &Names) -> Option<String> {
    let first: Vec<&str> = names.iter().take(NAMES_SHOWN_MAX).collect();
    let more = match names.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!first.is_empty()).then(|| format!("known there: {}{more}", first.join(", ")))
}
